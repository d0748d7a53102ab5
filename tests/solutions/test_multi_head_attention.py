"""The reference of lesson 05, against PyTorch itself."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from companion import CausalHead, blind_attention, library_heads, no_padding_mask
from solutions.multi_head_attention import (
    CrossAttention,
    MultiHeadAttention,
    MultiHeadAttentionWrapper,
    batch_the_heads,
    count_parameters,
    head_weights,
    is_blind_to_padding,
    low_rank_value,
    merge_heads,
    repaired_heads,
    split_heads,
    sum_over_heads,
    to_torch,
    two_heads_by_hand,
)

BATCH, TOKENS, KEYS, D_IN, HEADS, HEAD_DIM = 2, 5, 7, 4, 3, 2
D_OUT = HEADS * HEAD_DIM
FUTURE = torch.ones(TOKENS, TOKENS, dtype=torch.bool).triu(1)


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


def drawn(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def library(dtype: torch.dtype = torch.float64, bias: bool = True) -> nn.MultiheadAttention:
    torch.manual_seed(0)
    return nn.MultiheadAttention(D_OUT, HEADS, batch_first=True, bias=bias).to(dtype).eval()


def test_by_hand_is_torchs() -> None:
    query = torch.tensor([[[1.0, 1.0, 0.0, 2.0]]])
    keys = torch.tensor([[[1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 2.0, 0.0], [2.0, 1.0, 1.0, 0.0]]])
    values = torch.tensor([[[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 4.0, 0.0], [1.0, 3.0, 0.0, 1.0]]])
    module = nn.MultiheadAttention(4, 2, bias=False, batch_first=True)
    identity = torch.eye(4)
    module.load_state_dict(
        {"in_proj_weight": torch.cat([identity] * 3), "out_proj.weight": identity}
    )
    contexts, weights = module(query, keys, values, average_attn_weights=False)
    found = two_heads_by_hand()
    assert_close(torch.tensor(found["concatenated"]), contexts[0, 0])
    assert_close(torch.tensor(found["weights of head 1"]), weights[0, 1, 0])


@pytest.mark.parametrize("bias", [False, True])
def test_loop_is_torchs(bias: bool, dtype: torch.dtype) -> None:
    wrapper = MultiHeadAttentionWrapper(D_IN, HEAD_DIM, 9, 0.0, HEADS, qkv_bias=bias).to(dtype)
    inputs = drawn(BATCH, TOKENS, D_IN, dtype=dtype)
    heads = [head for head in wrapper.heads if isinstance(head, CausalHead)]
    q, k, v = (
        torch.cat([getattr(head, name)(inputs) for head in heads], dim=-1)
        for name in ("W_query", "W_key", "W_value")
    )
    assert_close(wrapper(inputs), library_heads(q, k, v, HEADS, FUTURE))


def test_split_is_chunks(dtype: torch.dtype) -> None:
    x = drawn(BATCH, TOKENS, D_OUT, dtype=dtype)
    assert torch.equal(split_heads(x, HEADS), torch.stack(x.chunk(HEADS, dim=-1), dim=1))
    assert torch.equal(merge_heads(split_heads(x, HEADS)), x)


def test_split_refuses() -> None:
    with pytest.raises(ValueError, match="3 heads"):
        split_heads(drawn(BATCH, TOKENS, 8), 3)
    with pytest.raises(ValueError, match="3 heads"):
        MultiHeadAttention(3, 8, 4, 0.0, 3)


@pytest.mark.parametrize("each", [False, True])
def test_weights_are_torchs(each: bool, dtype: torch.dtype) -> None:
    """PyTorch's own weights, of a module whose projections change nothing."""
    queries = drawn(BATCH, TOKENS, D_OUT, dtype=dtype, seed=1)
    keys = drawn(BATCH, KEYS, D_OUT, dtype=dtype, seed=2)
    hidden = drawn(BATCH, TOKENS, KEYS, seed=3) > 0
    hidden[..., 0] = False
    module = library(dtype, bias=False)
    identity = torch.eye(D_OUT, dtype=dtype)
    module.in_proj_weight.data.copy_(torch.cat([identity] * 3))
    mask = hidden if each else hidden[0]
    full = hidden.repeat_interleave(HEADS, dim=0) if each else hidden[0]
    _, expected = module(queries, keys, keys, attn_mask=full, average_attn_weights=False)
    assert_close(head_weights(queries, keys, HEADS, mask), expected)


def test_repaired_is_torchs(dtype: torch.dtype) -> None:
    q, k, v = (drawn(BATCH, TOKENS, D_OUT, dtype=dtype, seed=seed) for seed in (1, 2, 3))
    assert_close(repaired_heads(q, k, v, HEADS), library_heads(q, k, v, HEADS, FUTURE))


def test_module_is_torchs(dtype: torch.dtype) -> None:
    ours = MultiHeadAttention(D_OUT, D_OUT, 9, 0.5, HEADS).to(dtype).eval()
    theirs = library(dtype)
    theirs.load_state_dict(to_torch(ours.state_dict()))
    inputs = drawn(BATCH, TOKENS, D_OUT, dtype=dtype)
    expected, _ = theirs(inputs, inputs, inputs, attn_mask=FUTURE)
    assert_close(ours(inputs), expected)


def test_module_gradients_are_torchs() -> None:
    ours = MultiHeadAttention(D_OUT, D_OUT, 9, 0.0, HEADS).double()
    theirs = library()
    theirs.load_state_dict(to_torch(ours.state_dict()))
    inputs = drawn(BATCH, TOKENS, D_OUT).requires_grad_()
    expected, _ = theirs(inputs, inputs, inputs, attn_mask=FUTURE)
    names = (ours.W_query, ours.W_key, ours.W_value)
    mine = torch.autograd.grad(
        ours(inputs).sin().sum(), [inputs, *(layer.weight for layer in names)]
    )
    wanted = torch.autograd.grad(expected.sin().sum(), [inputs, theirs.in_proj_weight])
    assert_close(mine[0], wanted[0])
    assert_close(torch.cat(mine[1:]), wanted[1])


@pytest.mark.parametrize("num_heads", [1, 2, 12])
def test_loop_into_batch(num_heads: int, dtype: torch.dtype) -> None:
    wrapper = MultiHeadAttentionWrapper(D_IN, HEAD_DIM, 9, 0.0, num_heads).to(dtype)
    ours = MultiHeadAttention(D_IN, HEAD_DIM * num_heads, 9, 0.0, num_heads).to(dtype)
    state = batch_the_heads(wrapper.state_dict(), num_heads)
    assert not ours.load_state_dict(state, strict=False).unexpected_keys
    inputs = drawn(BATCH, TOKENS, D_IN, dtype=dtype)
    assert_close(ours(inputs), wrapper(inputs))


def test_module_drops_whole_heads() -> None:
    """With one token each head has a single weight, 1, which becomes 0 or 2."""
    module = MultiHeadAttention(D_IN, D_OUT, 9, 0.5, HEADS).double()
    nn.init.eye_(module.out_proj.weight)
    nn.init.zeros_(module.out_proj.bias)
    inputs = drawn(400, 1, D_IN)
    factors = (module(inputs) / module.W_value(inputs)).detach().view(400, HEADS, HEAD_DIM)
    assert_close(factors[..., 0], factors[..., 1])
    assert len(factors[..., 0].round().unique(dim=0)) == 2**HEADS


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("d_in", "num_heads"), [(3, 1), (3, 6), (512, 2)])
def test_count_is_torchs(d_in: int, num_heads: int, bias: bool) -> None:
    module = MultiHeadAttention(d_in, 12, 9, 0.0, num_heads, qkv_bias=bias)
    numbers = nn.utils.parameters_to_vector(module.parameters())
    assert count_parameters(d_in, 12, num_heads, bias) == len(numbers)


def test_thin_matrices_are_one(dtype: torch.dtype) -> None:
    down, up = drawn(D_IN, HEAD_DIM, dtype=dtype), drawn(HEAD_DIM, D_IN, dtype=dtype, seed=1)
    whole, saved = low_rank_value(down, up)
    inputs = drawn(TOKENS, D_IN, dtype=dtype, seed=2)
    assert_close(inputs @ whole, inputs @ down @ up)
    assert torch.linalg.matrix_rank(whole) == HEAD_DIM
    assert saved == D_IN * D_IN - 2 * D_IN * HEAD_DIM


def test_sum_is_torchs_projection(dtype: torch.dtype) -> None:
    """A module of PyTorch's concatenates and projects; the sum over its heads is the same."""
    module = library(dtype, bias=False)
    inputs = drawn(1, TOKENS, D_OUT, dtype=dtype)
    expected, weights = module(inputs, inputs, inputs, average_attn_weights=False)
    W_value = module.in_proj_weight.chunk(3)[2].T
    W_down = torch.stack(W_value.chunk(HEADS, dim=1))
    W_up = torch.stack(module.out_proj.weight.T.chunk(HEADS, dim=0))
    assert_close(sum_over_heads(weights[0], inputs[0], W_down, W_up), expected[0])


def cross(dtype: torch.dtype, bias: bool = False) -> CrossAttention:
    torch.manual_seed(1)
    return CrossAttention(3, D_IN, D_OUT, 0.5, HEADS, qkv_bias=bias).to(dtype).eval()


@pytest.mark.parametrize("bias", [False, True])
def test_cross_is_torchs(bias: bool, dtype: torch.dtype) -> None:
    module = cross(dtype, bias)
    decoder, encoder = drawn(BATCH, TOKENS, 3, dtype=dtype), drawn(BATCH, KEYS, D_IN, dtype=dtype)
    padding = torch.tensor([[False] * KEYS, [False] * 2 + [True] * (KEYS - 2)])
    q, k, v = module.W_query(decoder), module.W_key(encoder), module.W_value(encoder)
    expected = module.out_proj(library_heads(q, k, v, HEADS, padding[:, None, None]))
    assert_close(module(decoder, encoder, padding), expected)
    assert_close(module(decoder, encoder), module.out_proj(library_heads(q, k, v, HEADS)))


def test_nothing_to_read_gives_zeros(dtype: torch.dtype) -> None:
    module = cross(dtype)
    decoder, encoder = drawn(1, TOKENS, 3, dtype=dtype), drawn(1, KEYS, D_IN, dtype=dtype)
    encoder.requires_grad_()
    output = module(decoder, encoder, torch.ones(1, KEYS, dtype=torch.bool))
    assert_close(output, module.out_proj.bias.expand_as(output))
    (gradient,) = torch.autograd.grad(output.square().sum(), encoder)
    assert not gradient.any()


def test_padding_test_tells_apart() -> None:
    queries, context = drawn(BATCH, TOKENS, D_IN, seed=1), drawn(BATCH, KEYS, D_IN, seed=2)
    padding = torch.zeros(BATCH, KEYS, dtype=torch.bool)
    padding[1, 3:] = True
    assert is_blind_to_padding(blind_attention, queries, context, padding)
    assert not is_blind_to_padding(no_padding_mask, queries, context, padding)


@pytest.mark.parametrize("filling", [-1.0, 0.0, 0.5, 1.0, 3.0])
def test_no_filling_hides_a_leak(filling: float) -> None:
    queries, context = drawn(BATCH, TOKENS, D_IN, seed=1), drawn(BATCH, KEYS, D_IN, seed=2)
    padding = torch.arange(KEYS) >= torch.tensor([[3], [KEYS]])
    context[padding] = filling
    assert not is_blind_to_padding(no_padding_mask, queries, context, padding)


def test_library_heads_are_one_call(dtype: torch.dtype) -> None:
    q, k, v = (drawn(BATCH, TOKENS, D_OUT, dtype=dtype, seed=seed) for seed in (1, 2, 3))
    one = scaled_dot_product_attention(q[..., :2], k[..., :2], v[..., :2])
    assert_close(library_heads(q, k, v, HEADS)[..., :2], one)
