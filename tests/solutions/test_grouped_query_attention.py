"""The reference of lesson 07, against PyTorch itself."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import multi_head_attention_forward, scaled_dot_product_attention
from torch.testing import assert_close

from autograder.checks.exam.report import Verdict
from companion import YOUR_JOURNEY
from companion.specimens import cached_steps
from solutions.grouped_query_attention import (
    GroupedQueryAttention,
    KVCache,
    MultiQueryAttention,
    bytes_read_per_token,
    decode_step,
    decoding_mask,
    is_cache_exact,
    kv_cache_bytes,
    mean_pool_heads,
    repaired_window_attention,
    repeat_kv,
    shared_heads_by_hand,
)
from tests.support.course import every_exam

BATCH, TOKENS, D_IN, HEAD_DIM = 3, 7, 5, 4
# Layers, query heads, key/value heads, head_dim, from the models' papers.
PUBLISHED = {
    "PaLM 540B": (118, 48, 1, 256),
    "Falcon 7B": (32, 71, 1, 64),
    "Falcon 40B": (60, 128, 8, 64),
    "Llama 2 70B": (80, 64, 8, 128),
    "Mistral 7B": (32, 32, 8, 128),
}


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


def drawn(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def in_heads(x: Tensor) -> Tensor:
    return x.unflatten(-1, (-1, HEAD_DIM)).transpose(1, 2)


def library_module(module: nn.Module, inputs: Tensor) -> Tensor:
    """What PyTorch makes of a module's weights."""
    queries, keys, values = (
        in_heads(layer(inputs)) for layer in (module.W_query, module.W_key, module.W_value)
    )
    context = scaled_dot_product_attention(queries, keys, values, is_causal=True, enable_gqa=True)
    return module.out_proj(context.transpose(1, 2).flatten(2))


@pytest.mark.parametrize(("num_kv_heads", "n_rep"), [(2, 3), (3, 4), (1, 5), (4, 1)])
def test_repeating_is_numpys(num_kv_heads: int, n_rep: int, dtype: torch.dtype) -> None:
    x = drawn(BATCH, num_kv_heads, TOKENS, HEAD_DIM, dtype=dtype)
    expected = torch.from_numpy(x.numpy().repeat(n_rep, axis=1))
    assert torch.equal(repeat_kv(x, n_rep), expected)


def test_repeating_is_what_torch_shares(dtype: torch.dtype) -> None:
    queries = drawn(BATCH, 6, TOKENS, HEAD_DIM, dtype=dtype)
    keys, values = (drawn(BATCH, 2, TOKENS, HEAD_DIM, dtype=dtype, seed=seed) for seed in (1, 2))
    repeated = scaled_dot_product_attention(queries, repeat_kv(keys, 3), repeat_kv(values, 3))
    assert_close(repeated, scaled_dot_product_attention(queries, keys, values, enable_gqa=True))


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("num_heads", "num_kv_heads"), [(6, 2), (12, 3), (4, 4), (5, 1)])
def test_grouped_is_torchs(
    num_heads: int, num_kv_heads: int, bias: bool, dtype: torch.dtype
) -> None:
    module = GroupedQueryAttention(
        D_IN, num_heads * HEAD_DIM, 9, 0.5, num_heads, num_kv_heads, qkv_bias=bias
    )
    module.to(dtype).eval()
    inputs = drawn(BATCH, TOKENS, D_IN, dtype=dtype)
    assert_close(module(inputs), library_module(module, inputs))
    assert len(list(module.parameters())) == (8 if bias else 5)
    assert module.W_key.out_features == num_kv_heads * HEAD_DIM


@pytest.mark.parametrize("num_heads", [1, 3, 12])
def test_multi_query_is_torchs(num_heads: int, dtype: torch.dtype) -> None:
    module = MultiQueryAttention(D_IN, num_heads * HEAD_DIM, 9, 0.5, num_heads).to(dtype).eval()
    inputs = drawn(BATCH, TOKENS, D_IN, dtype=dtype)
    assert_close(module(inputs), library_module(module, inputs))


def test_limit_is_torchs_multi_head(dtype: torch.dtype) -> None:
    """With a key/value head for each query head, it is PyTorch's multi-head attention."""
    width = 3 * HEAD_DIM
    module = GroupedQueryAttention(width, width, TOKENS, 0.0, 3, 3).to(dtype)
    inputs = drawn(TOKENS, BATCH, width, dtype=dtype)
    hidden = nn.Transformer.generate_square_subsequent_mask(TOKENS, dtype=dtype)
    theirs, _ = multi_head_attention_forward(
        inputs, inputs, inputs, width, 3, None, None, None, None, False, 0.0,
        module.out_proj.weight, module.out_proj.bias, attn_mask=hidden,
        use_separate_proj_weight=True, q_proj_weight=module.W_query.weight,
        k_proj_weight=module.W_key.weight, v_proj_weight=module.W_value.weight,
    )  # fmt: skip
    assert_close(module(inputs.transpose(0, 1)), theirs.transpose(0, 1))


def test_limit_is_multi_query(dtype: torch.dtype) -> None:
    grouped = GroupedQueryAttention(D_IN, 3 * HEAD_DIM, TOKENS, 0.0, 3, 1).to(dtype)
    single = MultiQueryAttention(D_IN, 3 * HEAD_DIM, TOKENS, 0.0, 3).to(dtype)
    single.load_state_dict(grouped.state_dict())
    inputs = drawn(BATCH, TOKENS, D_IN, dtype=dtype)
    assert_close(grouped(inputs), single(inputs))


def test_gradients_are_torchs() -> None:
    module = GroupedQueryAttention(D_IN, 6 * HEAD_DIM, TOKENS, 0.0, 6, 2).double()
    inputs = drawn(BATCH, TOKENS, D_IN).requires_grad_()
    wanted = [inputs, *module.parameters()]
    outputs = (module(inputs), library_module(module, inputs))
    for one, other in zip(
        *(torch.autograd.grad(x.sin().sum(), wanted) for x in outputs), strict=True
    ):
        assert_close(one, other)


def test_weights_are_dropped() -> None:
    """With one token, each head's context is kept twice as large, or is gone."""
    module = GroupedQueryAttention(D_IN, 2 * HEAD_DIM, TOKENS, 0.5, 2, 1).double().train()
    nn.init.eye_(module.out_proj.weight)
    nn.init.zeros_(module.out_proj.bias)
    inputs = drawn(200, 1, D_IN)
    factors = module(inputs).unflatten(-1, (2, HEAD_DIM)) / module.W_value(inputs)[:, :, None]
    seen = factors.detach().flatten(0, 2).round(decimals=6).unique(dim=0)
    assert_close(seen, torch.tensor([[0.0] * HEAD_DIM, [2.0] * HEAD_DIM]).double())


@pytest.mark.parametrize("sizes", [(10, 4, 2), (12, 6, 4)])
def test_odd_sizes_are_refused(sizes: tuple[int, int, int]) -> None:
    d_out, num_heads, num_kv_heads = sizes
    with pytest.raises(ValueError, match="multiple"):
        GroupedQueryAttention(D_IN, d_out, TOKENS, 0.0, num_heads, num_kv_heads)
    with pytest.raises(ValueError, match="7 can't be divided among 3 heads"):
        MultiQueryAttention(D_IN, 7, TOKENS, 0.0, 3)


@pytest.mark.parametrize(("num_heads", "num_kv_heads"), [(6, 2), (12, 3), (5, 1), (4, 4)])
def test_pooled_keys_are_mean_keys(num_heads: int, num_kv_heads: int, dtype: torch.dtype) -> None:
    W = drawn(D_IN, num_heads * HEAD_DIM, dtype=dtype)
    inputs = drawn(BATCH, TOKENS, D_IN, dtype=dtype, seed=1)
    groups = in_heads(inputs @ W).tensor_split(num_kv_heads, dim=1)
    means = torch.stack([group.mean(dim=1) for group in groups], dim=1)
    assert_close(in_heads(inputs @ mean_pool_heads(W, num_heads, num_kv_heads)), means)


@pytest.mark.parametrize(("num_queries", "num_keys"), [(1, 1), (1, 6), (2, 5), (4, 4), (3, 40)])
def test_mask_is_torchs_lower_right(num_queries: int, num_keys: int) -> None:
    # It takes seconds to import.
    from torch.nn.attention.bias import causal_lower_right

    queries, keys = drawn(1, num_queries, 3), drawn(1, num_keys, 3, seed=1)
    corner = causal_lower_right(num_queries, num_keys)
    marks = torch.eye(num_keys, dtype=torch.float64)[None]
    weights = scaled_dot_product_attention(queries, keys, marks, attn_mask=corner)
    assert torch.equal(decoding_mask(num_queries, num_keys), weights[0] == 0)


@pytest.mark.parametrize("size", range(1, TOKENS + 1))
def test_cache_holds_every_chunk(size: int, dtype: torch.dtype) -> None:
    cache = KVCache(BATCH, 2, TOKENS, HEAD_DIM, dtype)
    for seed in (1, 2):
        text = torch.stack([drawn(BATCH, 2, TOKENS, HEAD_DIM, dtype=dtype, seed=seed)] * 2)
        text[1] += 1
        for chunk in text.split(size, dim=3):
            keys, values = cache.append(*chunk)
            assert torch.equal(keys, text[0, :, :, : cache.length])
            assert torch.equal(values, text[1, :, :, : cache.length])
        assert cache.length == TOKENS
        cache.reset()
        assert cache.length == 0


def test_full_cache_says_so() -> None:
    cache = KVCache(1, 2, 3, 4)
    two = torch.ones(1, 2, 2, 4)
    cache.append(two, two)
    with pytest.raises(ValueError, match="no room for 4 tokens in a cache of 3"):
        cache.append(two, two)
    assert cache.length == 2


def test_cache_is_no_larger_than_said() -> None:
    cache = KVCache(BATCH, 2, TOKENS, HEAD_DIM, torch.float16)
    held = cache.keys.nbytes + cache.values.nbytes
    assert kv_cache_bytes(BATCH, TOKENS, 1, 2, HEAD_DIM) == held


@pytest.mark.parametrize("size", range(1, TOKENS + 1))
@pytest.mark.parametrize(("num_heads", "num_kv_heads"), [(6, 2), (3, 3), (4, 1)])
def test_decoding_is_torchs_full_pass(
    num_heads: int, num_kv_heads: int, size: int, dtype: torch.dtype
) -> None:
    """In chunks of every size, over two texts in a row."""
    widths = {
        "W_query": num_heads * HEAD_DIM,
        "W_key": num_kv_heads * HEAD_DIM,
        "W_value": num_kv_heads * HEAD_DIM,
    }
    weights = {
        name: drawn(D_IN, width, dtype=dtype, seed=seed) / 2
        for seed, (name, width) in enumerate(widths.items())
    }
    weights["out_proj"] = drawn(num_heads * HEAD_DIM, num_heads * HEAD_DIM, dtype=dtype, seed=9) / 4
    for seed in (1, 2):
        inputs = drawn(BATCH, TOKENS, D_IN, dtype=dtype, seed=seed)
        past = [torch.zeros(BATCH, num_kv_heads, 0, HEAD_DIM, dtype=dtype)] * 2
        contexts = []
        for chunk in inputs.split(size, dim=1):
            context, *past = decode_step(chunk, weights, *past)
            contexts.append(context)
        queries, keys, values = (in_heads(inputs @ weights[name]) for name in widths)
        full = scaled_dot_product_attention(queries, keys, values, is_causal=True, enable_gqa=True)
        full = full.transpose(1, 2).flatten(2) @ weights["out_proj"]
        assert_close(torch.cat(contexts, dim=1), full)
        for kept, made in zip(past, (keys, values), strict=True):
            assert_close(kept, made)


def test_exactness_is_recognised() -> None:
    inputs = drawn(2, TOKENS, 3)
    recurrent = nn.GRU(3, 3, batch_first=True, dtype=torch.float64)
    both_ways = nn.GRU(3, 3, batch_first=True, bidirectional=True, dtype=torch.float64)
    assert is_cache_exact(recurrent, inputs) is True
    assert is_cache_exact(both_ways, inputs) is False
    assert is_cache_exact(cached_steps.attends_to_its_cache, inputs) is True


@pytest.mark.parametrize("window", [1, 3, 20])
@pytest.mark.parametrize("num_queries", [1, 4, 9])
def test_window_is_torchs(num_queries: int, window: int, dtype: torch.dtype) -> None:
    queries = drawn(2, 3, num_queries, HEAD_DIM, dtype=dtype)
    keys, values = (drawn(2, 3, 9, HEAD_DIM, dtype=dtype, seed=seed) for seed in (1, 2))
    everything = torch.ones(9, 9, dtype=torch.bool)
    visible = everything.tril() & everything.triu(1 - window)
    expected = scaled_dot_product_attention(
        queries, keys, values, attn_mask=visible[9 - num_queries :]
    )
    assert_close(repaired_window_attention(queries, keys, values, window), expected)


@pytest.mark.parametrize(("layers", "_", "num_kv_heads", "head_dim"), PUBLISHED.values())
def test_bytes_are_a_tensors(layers: int, _: int, num_kv_heads: int, head_dim: int) -> None:
    shape = (2, layers, 4, num_kv_heads, 2048, head_dim)
    tensor = torch.empty(shape, dtype=torch.bfloat16, device="meta")
    assert kv_cache_bytes(4, 2048, layers, num_kv_heads, head_dim) == tensor.nbytes


def test_reading_is_shared() -> None:
    """A step reads each parameter once, and the cache of every text."""
    step = 10**6 * 4 + kv_cache_bytes(8, 100, 3, 2, 16, 4)
    assert bytes_read_per_token(10**6, 8, 100, 3, 2, 16, 4) == step / 8


def test_worksheet_is_torchs() -> None:
    queries = torch.tensor([2.0, -1.0, 1.0, 0.5]).double().view(4, 1, 1)
    keys = torch.tensor([[2.0, 1.0], [-1.0, 1.0]]).double().view(2, 2, 1)
    values = torch.tensor([[10.0, 20.0], [3.0, 7.0]]).double().view(2, 2, 1)
    context = scaled_dot_product_attention(queries, keys, values, enable_gqa=True)
    sheet = shared_heads_by_hand()
    assert sheet["context of each query head"] == pytest.approx(context.flatten().tolist())
    assert sheet["numbers kept"] == 8


def test_numbers_of_the_lesson() -> None:
    """What the text, its tables and the pictures' descriptions say."""
    assert shared_heads_by_hand()["context of each query head"][0] == pytest.approx(
        11.192, abs=5e-5
    )
    assert kv_cache_bytes(1, 1, 80, 64, 128) == 2621440
    assert round(kv_cache_bytes(16, 4096, 80, 64, 128) / 1e9) == 172
    kilobytes = {
        name: [round(kv_cache_bytes(1, 1, n, heads, d) / 1000) for heads in (kv, h)]
        for name, (n, h, kv, d) in PUBLISHED.items()
    }
    assert kilobytes == {
        "PaLM 540B": [121, 5800],
        "Falcon 7B": [8, 582],
        "Falcon 40B": [123, 1966],
        "Llama 2 70B": [328, 2621],
        "Mistral 7B": [131, 524],
    }
    long_text = [round(kv_cache_bytes(1, 32768, 32, h, 128) / 1e9, 2) for h in (8, 32)]
    assert long_text == [4.29, 17.18]
    assert round(kv_cache_bytes(1, 4096, 32, 8, 128) / 1e9, 2) == 0.54  # Mistral's window
    assert round((2 * 70e9 + 4 * 80 * 64 * 128 * 4096) / 141.34e9) == 1
    assert 150 < 312e12 / 2e12 < 160
    table = [
        [round(bytes_read_per_token(70 * 10**9, b, 4096, 80, h, 128) / 1e9, 2) for h in (64, 8, 1)]
        for b in (1, 16, 64)
    ]
    assert table == [[150.74, 141.34, 140.17], [19.49, 10.09, 8.92], [12.92, 3.53, 2.36]]
    assert sum(head % 8 != head // 8 for head in range(64)) == 56
    steps = [
        [round(b * bytes_read_per_token(70 * 10**9, b, 4096, 80, h, 128) / 1e9) for h in (64, 8)]
        for b in (16, 64)
    ]
    assert steps == [[312, 161], [827, 226]]
    assert round(141.34 / 2, 0) == 71
    assert round(0.071 * 312e12 / 1e13, 1) == 2.2
    attention = 4 * 80 * 64 * 128 * 4096
    assert round((2 * 70e9 + attention) / 1e11, 1) == 1.5
    assert pytest.approx(0.44, abs=0.005) == 1 - (2 * 64 + 2 * 8) / (4 * 64)


def test_upper_left_sees_one_word() -> None:
    words = torch.tensor(YOUR_JOURNEY.vectors)
    weights = scaled_dot_product_attention(
        words[5:], words, torch.eye(6, dtype=torch.float64), is_causal=True
    )
    assert weights.tolist() == [[1, 0, 0, 0, 0, 0]]


class CacheFull(ValueError):
    pass


class Refusing(KVCache):
    """Refuses with an exception of its own, which is a ValueError."""

    refusal: type[Exception] = CacheFull

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        try:
            return super().append(keys, values)
        except ValueError as error:
            raise self.refusal(str(error)) from None


class RefusingOtherwise(Refusing):
    refusal = KeyError


def test_kind_of_a_value_error_is_one() -> None:
    exam = every_exam()["07_grouped_query_attention/KVCache"]
    assert exam.examine(Refusing).verdict is Verdict.PASSED
    assert exam.examine(RefusingOtherwise).verdict is Verdict.EXCEPTION
