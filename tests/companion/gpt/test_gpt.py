"""The capstone's stand-ins agree with the references of their exercises, and what it measures."""

import re
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.testing import assert_close

from companion import (
    LIBRARY,
    LibraryGPT,
    RotaryBlock,
    Watched,
    cached_continuation,
    fit_text,
    gpt_weights,
    held_out_loss,
    repeated_tokens,
    shares_no_run,
    speculative_tokens,
)
from solutions import (
    causal_attention,
    grouped_query_attention,
    multi_head_attention,
    positional_encoding,
    transformer,
    your_gpt,
)


def test_functions_are_the_references() -> None:
    torch.manual_seed(0)
    x, positions = torch.randn(2, 5, 12), torch.arange(3, 8)
    heads = multi_head_attention.split_heads(x, 3)
    hidden = torch.rand(5, 7) < 0.5
    hidden[1] = True
    scores = torch.randn(2, 3, 5, 7)
    hidden = hidden.expand_as(scores)
    pairs = [
        (LIBRARY.split_heads(x, 3), heads),
        (LIBRARY.merge_heads(heads), multi_head_attention.merge_heads(heads)),
        (LIBRARY.apply_rope(heads, positions), positional_encoding.apply_rope(heads, positions)),
        (LIBRARY.repeat_kv(heads, 2), grouped_query_attention.repeat_kv(heads, 2)),
        (LIBRARY.decoding_mask(3, 8), grouped_query_attention.decoding_mask(3, 8)),
        (
            LIBRARY.masked_attention_weights(scores, hidden),
            causal_attention.masked_attention_weights(scores, hidden),
        ),
        (LIBRARY.RMSNorm(12)(x), transformer.RMSNorm(12)(x)),
    ]
    for own, reference in pairs:
        assert_close(own, reference)


def test_layers_have_the_references_sizes() -> None:
    def sizes(layer: nn.Module) -> list[torch.Size]:
        return [weight.shape for weight in layer.parameters()]

    assert sizes(LIBRARY.FeedForward(4, 9)) == sizes(transformer.FeedForward(4, 9))
    library, reference = (
        kind(8, 4, 2).state_dict() for kind in (LIBRARY.RotaryAttention, your_gpt.RotaryAttention)
    )
    assert {name: w.shape for name, w in library.items()} == {
        name: w.shape for name, w in reference.items()
    }


def test_cache_is_the_references() -> None:
    torch.manual_seed(0)
    caches = [LIBRARY.KVCache(2, 3, 6, 4), grouped_query_attention.KVCache(2, 3, 6, 4)]
    for new in (3, 1, 2):
        keys, values = torch.randn(2, 2, 3, new, 4)
        for own, reference in zip(*(cache.append(keys, values) for cache in caches), strict=True):
            assert_close(own, reference)
        assert caches[0].length == caches[1].length
    for cache in caches:
        with pytest.raises(ValueError, match="7"):
            cache.append(keys[:, :, :1], values[:, :, :1])
        assert cache.length == 6
        cache.reset()
        assert cache.length == 0


def test_block_adds_to_what_goes_in() -> None:
    torch.manual_seed(0)
    block, x = RotaryBlock(8, 2, 1, 12), torch.randn(1, 5, 8)
    attended = x + block.attention(block.norm1(x))
    assert_close(block(x), attended + block.feed_forward(block.norm2(attended)))


def test_rotation_can_be_left_out() -> None:
    def unrotated(x: Tensor, positions: Tensor) -> Tensor:
        return x

    layer = LIBRARY.RotaryAttention(8, 2, 1, replace(LIBRARY, apply_rope=unrotated))
    x = torch.randn(1, 5, 8)
    shuffled = x[:, [2, 0, 1, 3, 4]]
    assert_close(layer(x)[:, -1], layer(shuffled)[:, -1])


def test_continuation_is_the_references() -> None:
    torch.manual_seed(0)
    model, ids = LibraryGPT(9, 8, 2, 1, 12, 2), torch.randint(9, (2, 3))
    texts = [
        extend(
            model,
            ids,
            [LIBRARY.KVCache(2, 1, 8, 4) for _ in range(2)],
            5,
            lambda logits: logits.argmax(dim=-1),
        )
        for extend in (cached_continuation, your_gpt.continue_with_cache)
    ]
    assert texts[0].equal(texts[1])


@pytest.mark.parametrize("seed", range(20))
def test_tokens_from_a_draft_are_the_references(seed: int) -> None:
    torch.manual_seed(seed)
    p, q = torch.rand(5, 6).softmax(dim=1), torch.rand(4, 6).softmax(dim=1)
    step = p, q, torch.multinomial(q, 1)[:, 0], torch.rand(5)
    assert speculative_tokens(*step).equal(your_gpt.speculative_step(*step))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_repeats(n: int) -> None:
    torch.manual_seed(n)
    learned, test = torch.randint(3, (8,)), torch.randint(3, (8,))
    held_out = your_gpt.is_held_out(learned, test, n)
    assert shares_no_run(learned, test, n) is held_out
    assert repeated_tokens(learned, test, n).any().item() is not held_out
    if n <= 8:
        assert repeated_tokens(test, test, n).all()


def test_repeats_mark_the_whole_run() -> None:
    marked = repeated_tokens(torch.tensor([7, 1, 2, 3, 7]), torch.tensor([5, 1, 2, 3, 5, 7]), 3)
    assert marked.tolist() == [False, True, True, True, False, False]


def test_held_out_loss_is_the_mean_of_all_predictions() -> None:
    torch.manual_seed(0)
    model, text = LibraryGPT(9, 8, 2, 1, 12, 1), torch.randint(9, (50 * 6 + 4,))
    rows = text[:300].view(50, 6)
    logits = model(rows)[:, :-1]
    expected = cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten()).item()
    assert held_out_loss(model, LIBRARY.next_token_loss, text, 6) == pytest.approx(expected)


def test_watched_training_keeps_its_losses(capsys: pytest.CaptureFixture[str]) -> None:
    torch.manual_seed(0)
    watched, text = Watched(LIBRARY.next_token_loss, 80), torch.arange(300) % 5
    losses = fit_text(LibraryGPT(5, 8, 2, 1, 16, 1), watched, text, 80, 4, 10, 2e-2)
    assert watched.losses == losses
    assert losses[-1] < losses[0] / 4
    assert re.search(rf"100%  \d+ s  loss {losses[-1]:.2f}", capsys.readouterr().out)


def test_watched_training_measures_on_the_way() -> None:
    found = iter(range(9))
    watched = Watched(LIBRARY.next_token_loss, 5, every=2, measure=lambda: [next(found), 0])
    fit_text(LibraryGPT(5, 8, 2, 1, 16, 1), watched, torch.arange(30) % 5, 5, 2, 6)
    assert watched.measured == [[0, 0], [1, 0], [2, 0]]


def test_weights_lead_to_the_output() -> None:
    torch.manual_seed(0)
    model = LibraryGPT(9, 16, 4, 2, 12, 2).double()
    ids = torch.randint(9, (1, 7))
    weights = gpt_weights(model, ids, 4)
    assert weights.shape == (2, 4, 7, 7)
    attention = model.get_submodule("blocks.0.attention")
    x = model.get_submodule("blocks.0.norm1")(model.tokens(ids))
    values = attention.get_submodule("W_value")(x).view(7, 2, 4).transpose(0, 1)
    contexts = weights[0] @ values.repeat_interleave(2, dim=0)
    merged = contexts.transpose(0, 1).flatten(1)
    assert_close(attention.get_submodule("out_proj")(merged), attention(x)[0])
