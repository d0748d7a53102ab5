"""The reference of lesson 10: against PyTorch, the library's parts, and itself in chunks."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from companion import (
    LIBRARY,
    Cache,
    CountTokens,
    LibraryGPT,
    LibraryRotaryAttention,
    Parts,
    gpt_weights,
    rope,
)
from solutions import (
    causal_attention,
    grouped_query_attention,
    multi_head_attention,
    positional_encoding,
    transformer,
)
from solutions.exams.your_gpt.gpt import gpt as gpt_exam
from solutions.exams.your_gpt.rotary_attention import rotary
from solutions.your_gpt import (
    GPT,
    RotaryAttention,
    continue_with_cache,
    gpt_sizes_by_hand,
    is_held_out,
    repaired_cached_scores,
    speculative_step,
    train,
)

REFERENCE = replace(
    LIBRARY,
    masked_attention_weights=causal_attention.masked_attention_weights,
    split_heads=multi_head_attention.split_heads,
    merge_heads=multi_head_attention.merge_heads,
    apply_rope=positional_encoding.apply_rope,
    repeat_kv=grouped_query_attention.repeat_kv,
    decoding_mask=grouped_query_attention.decoding_mask,
    KVCache=grouped_query_attention.KVCache,
    RMSNorm=transformer.RMSNorm,
    FeedForward=transformer.FeedForward,
    next_token_loss=transformer.next_token_loss,
    next_token_distribution=transformer.next_token_distribution,
    RotaryAttention=RotaryAttention,
)
PARTS = {"library": LIBRARY, "reference": REFERENCE}
HEADS = [(4, 4), (4, 2), (6, 2), (4, 1), (1, 1)]


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize(("num_heads", "num_kv_heads"), HEADS)
def test_attention_is_pytorchs(num_heads: int, num_kv_heads: int, parts: Parts) -> None:
    layer = RotaryAttention(48, num_heads, num_kv_heads, parts).double()
    inputs = torch.randn(2, 7, 48, dtype=torch.float64)
    q, k, v = (
        projection(inputs).view(2, 7, -1, 48 // num_heads).transpose(1, 2)
        for projection in (layer.W_query, layer.W_key, layer.W_value)
    )
    q, k = rope(q, torch.arange(7)), rope(k, torch.arange(7))
    contexts = scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    expected = layer.out_proj(contexts.transpose(1, 2).reshape(2, 7, 48))
    assert_close(layer(inputs), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("lengths", [[9], [4, 5], [1] * 9, [3, 1, 4, 1], [8, 1]])
def test_chunks_make_no_difference(lengths: list[int], parts: Parts) -> None:
    torch.manual_seed(0)
    layer = RotaryAttention(24, 6, 2, parts).double()
    inputs = torch.randn(2, 9, 24, dtype=torch.float64)
    cache = parts.KVCache(2, 2, 9, 4, dtype=torch.float64)
    with torch.no_grad():
        chunks = [layer(chunk, cache) for chunk in inputs.split(lengths, dim=1)]
        assert_close(torch.cat(chunks, dim=1), layer(inputs), rtol=1e-6, atol=1e-7)
    assert cache.length == 9


def test_the_librarys_attention_is_the_same() -> None:
    torch.manual_seed(0)
    layer, library = RotaryAttention(24, 6, 2), LibraryRotaryAttention(24, 6, 2, LIBRARY)
    library.load_state_dict(layer.state_dict())
    inputs = torch.randn(2, 5, 24)
    caches = [LIBRARY.KVCache(2, 2, 10, 4) for _ in range(2)]
    for _ in range(2):
        assert_close(layer(inputs, caches[0]), library(inputs, caches[1]))


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_model_is_the_librarys(parts: Parts) -> None:
    torch.manual_seed(0)
    model = GPT(11, 24, 6, 2, 20, 3, parts)
    torch.manual_seed(0)
    library = LibraryGPT(11, 24, 6, 2, 20, 3, parts)
    loss = parts.next_token_loss(library(torch.arange(11)[None]), torch.arange(11)[None])
    assert abs(loss.item() - math.log(11)) < 0.05
    library.load_state_dict(model.state_dict())
    ids = torch.randint(11, (2, 8))
    assert_close(model(ids), library(ids))
    named = dict(model.named_parameters())
    assert {name: weight.shape for name, weight in library.named_parameters()} == {
        name: weight.shape for name, weight in named.items()
    }
    loss = parts.next_token_loss(model(ids), ids)
    assert abs(loss.item() - math.log(11)) < 0.05


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_model_with_caches_is_the_whole_pass(parts: Parts) -> None:
    torch.manual_seed(0)
    model = GPT(11, 24, 6, 2, 20, 3, parts).double()
    ids = torch.randint(11, (2, 8))
    caches = [parts.KVCache(2, 2, 8, 4, dtype=torch.float64) for _ in range(3)]
    with torch.no_grad():
        chunks = [model(chunk, caches) for chunk in ids.split([3, 1, 4], dim=1)]
        assert_close(torch.cat(chunks, dim=1), model(ids), rtol=1e-6, atol=1e-8)


def test_sizes() -> None:
    model = GPT(10, 8, 4, 2, 20, 3)
    block = model.blocks[0]
    caches = [grouped_query_attention.KVCache(1, 2, 1, 2) for _ in model.blocks]
    counts = {
        "W_query": model.get_parameter("blocks.0.attention.W_query.weight").numel(),
        "W_key": model.get_parameter("blocks.0.attention.W_key.weight").numel(),
        "attention of one block": parameters(block.get_submodule("attention")),
        "feed-forward layer of one block": parameters(block.get_submodule("feed_forward")),
        "normalisations of one block": 2 * parameters(block.get_submodule("norm1")),
        "whole model": parameters(model),
        "numbers cached for each token": sum(
            cache.keys.numel() + cache.values.numel() for cache in caches
        ),
    }
    assert gpt_sizes_by_hand() == counts


def parameters(module: torch.nn.Module) -> int:
    return sum(weight.numel() for weight in module.parameters())


@pytest.mark.parametrize("cut", range(6))
def test_repaired_scores(cut: int) -> None:
    torch.manual_seed(0)
    queries, keys = torch.randn(2, 2, 3, 6, 4, dtype=torch.float64)
    rotated = rope(keys, torch.arange(6))
    expected = rope(queries, torch.arange(6)) @ rotated.mT / 2
    scores, all_keys = repaired_cached_scores(
        queries[:, :, cut:], keys[:, :, cut:], rotated[:, :, :cut]
    )
    assert_close(scores, expected[:, :, cut:])
    assert_close(all_keys, rotated)


def most_likely(logits: Tensor) -> Tensor:
    return logits.argmax(dim=-1)


@pytest.mark.parametrize("num_new_tokens", [0, 1, 12])
def test_cached_writing_is_lesson_09s(num_new_tokens: int) -> None:
    torch.manual_seed(1)
    model = GPT(11, 24, 6, 2, 20, 3, REFERENCE).double()
    ids = torch.randint(11, (3, 5))
    caches = [REFERENCE.KVCache(3, 2, 16, 4, dtype=torch.float64) for _ in range(3)]
    before = ids.clone()
    written = continue_with_cache(model, ids, caches, num_new_tokens, most_likely)
    assert written.equal(transformer.generate(model, ids, num_new_tokens, 100))
    assert ids.equal(before)
    assert not num_new_tokens or caches[0].length == 4 + num_new_tokens


def test_each_token_is_computed_once() -> None:
    seen: list[int] = []

    def model(ids: Tensor, caches: Sequence[Cache]) -> Tensor:
        seen.append(ids.shape[1])
        return torch.randn(*ids.shape, 7)

    continue_with_cache(model, torch.zeros(1, 4, dtype=torch.int64), [], 3, most_likely)
    assert seen == [4, 1, 1]


@pytest.mark.parametrize("seed", range(20))
def test_held_out_is_what_texts_say(seed: int) -> None:
    rng = random.Random(seed)
    learned, test = ("".join(rng.choices("abc", k=rng.randrange(9))) for _ in range(2))
    for n in range(1, 6):
        shared = any(test[i : i + n] in learned for i in range(len(test) - n + 1))
        known, new = (torch.tensor([*map(ord, t)], dtype=torch.int64) for t in (learned, test))
        assert is_held_out(known, new, n) is not shared


def test_training_learns_what_follows() -> None:
    torch.manual_seed(0)
    text = torch.arange(600) % 10
    model = GPT(10, 16, 2, 1, 32, 1)
    first, *_, last = train(model, LIBRARY.next_token_loss, text, 120, 8, 12, 1e-2)
    assert abs(first - math.log(10)) < 0.1
    assert last < 0.1


def test_the_shortest_text_has_one_piece() -> None:
    seen: list[Tensor] = []

    def loss_of(logits: Tensor, ids: Tensor) -> Tensor:
        seen.append(ids)
        return LIBRARY.next_token_loss(logits, ids)

    losses = train(GPT(5, 8, 2, 1, 8, 1), loss_of, torch.arange(5), 3, 2, 5)
    assert len(losses) == 3
    assert all(ids.equal(torch.arange(5).expand(2, 5)) for ids in seen)


# In twelfths, as are all p/q below 1 and all running sums: one number in each twelfth is enough.
FIRST = (5, 4, 3), (4, 2, 6)
SECOND = ((3, 4, 5), (6, 4, 2)), ((2, 2, 8), (4, 4, 4)), ((1, 7, 4), (4, 6, 2))


@pytest.mark.long
def test_a_speculative_step_keeps_the_models_distribution() -> None:
    """Every draft with every number; a text of one token goes on with the model's distribution."""
    twelfths = [(place + 0.5) / 12 for place in range(12)]
    found = torch.zeros(3, 3, dtype=torch.float64)
    longer = 0.0
    for drafted in product(range(3), repeat=2):
        (p_first, q_first), (p_second, q_second) = FIRST, SECOND[drafted[0]]
        p = torch.tensor([p_first, p_second, (4, 4, 4)], dtype=torch.float64) / 12
        q = torch.tensor([q_first, q_second], dtype=torch.float64) / 12
        chance = float(q[0, drafted[0]] * q[1, drafted[1]]) / 12**3
        for uniforms in product(twelfths, repeat=3):
            numbers = torch.tensor(uniforms, dtype=torch.float64)
            first, *more = speculative_step(p, q, torch.tensor(drafted), numbers).tolist()
            if more:
                found[first, more[0]] += chance
                longer += chance
            else:
                found[first] += chance * torch.tensor(SECOND[first][0]) / 12
    expected = torch.tensor([SECOND[first][0] for first in range(3)]) / 144
    assert_close(found, torch.tensor(FIRST[0])[:, None] * expected.double())
    assert longer == pytest.approx(sum(map(min, *FIRST)) / 12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_speculative_step_draws_in_the_vocabulary(dtype: torch.dtype) -> None:
    p = torch.full((2, 10), 0.1, dtype=dtype)
    almost = 1 - torch.finfo(dtype).eps / 2
    tokens = speculative_step(p, p[:1], torch.tensor([3]), torch.tensor([almost] * 2, dtype=dtype))
    assert tokens.tolist() == [3, 9]
    assert tokens.dtype == torch.int64


def test_every_beginning_is_drawn() -> None:
    starts: set[int] = set()

    def loss_of(logits: Tensor, ids: Tensor) -> Tensor:
        starts.update(ids[:, 0].tolist())
        return LIBRARY.next_token_loss(logits, ids)

    train(GPT(9, 8, 2, 1, 8, 1), loss_of, torch.arange(9), 20, 8, 4)
    assert starts == set(range(6))


@pytest.mark.parametrize("layer", rotary.accepted.values())
@pytest.mark.parametrize("model_class", gpt_exam.accepted.values())
def test_lesson_looks_into_every_right_model(
    model_class: Callable[..., nn.Module], layer: Callable[..., nn.Module]
) -> None:
    model = model_class(11, 16, 4, 2, 12, 2, replace(REFERENCE, RotaryAttention=layer))
    ids = torch.randint(11, (1, 7))
    weights = gpt_weights(model, ids, 4)
    assert weights.shape == (2, 4, 7, 7)
    assert_close(weights.sum(dim=-1), torch.ones(2, 4, 7))
    with torch.no_grad(), CountTokens(model.get_submodule("blocks.0.attention").W_key) as counter:
        model(ids)
    # One style joins its matrices before it multiplies by them.
    assert counter.tokens == (0 if layer.__name__ == "RotaryAsFlash" else 7)
