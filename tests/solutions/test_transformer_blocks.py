"""The blocks of lesson 09 and what they are made of, against PyTorch itself."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from solutions.transformer import (
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    GPTBlock,
    LayerNorm,
    RMSNorm,
    repaired_residual_stream,
)

BATCH, TOKENS, KEYS, D_MODEL, HEADS, D_HIDDEN = 3, 5, 7, 6, 3, 8
SIZES = (D_MODEL, HEADS, D_HIDDEN, 0.0)
FUTURE = torch.ones(TOKENS, TOKENS, dtype=torch.bool).triu(1)


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


def drawn(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def padded(keys: int) -> Tensor:
    """A sentence with no padding, one with some, one with much."""
    return torch.arange(keys) >= torch.tensor([[keys], [keys // 2], [1]])


def filled(module: nn.Module, dtype: torch.dtype) -> nn.Module:
    """With weights that are all different, so that none can stand for another."""
    torch.manual_seed(1)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    return module.to(dtype)


def assert_same(
    ours: nn.Module,
    theirs: nn.Module,
    *inputs: Tensor,
    padding: Tensor | None = None,
    **masks: Tensor | None,
) -> None:
    """The same outputs, and the same gradients of inputs and parameters."""
    theirs.load_state_dict(ours.state_dict())
    mine, others = ([x.clone().requires_grad_() for x in inputs] for _ in range(2))
    output = ours(*mine) if padding is None else ours(*mine, padding)
    expected = theirs(*others, **masks)
    assert_close(output, expected)
    found, wanted = (
        torch.autograd.grad(result.sin().sum(), [*given, *module.parameters()])
        for result, given, module in ((output, mine, ours), (expected, others, theirs))
    )
    close = 1e-4 if output.dtype == torch.float32 else 1e-9
    assert_close(found, wanted, rtol=1e-4, atol=close)


@pytest.mark.parametrize("eps", [1e-5, 0.5])
@pytest.mark.parametrize("shape", [(D_MODEL,), (TOKENS, D_MODEL), (BATCH, 2, TOKENS, D_MODEL)])
def test_layer_norm_is_torchs(shape: tuple[int, ...], eps: float, dtype: torch.dtype) -> None:
    ours = filled(LayerNorm(D_MODEL, eps), dtype)
    assert_same(ours, nn.LayerNorm(D_MODEL, eps).to(dtype), drawn(*shape, dtype=dtype))


@pytest.mark.parametrize("eps", [1e-6, 0.5])
@pytest.mark.parametrize("shape", [(D_MODEL,), (TOKENS, D_MODEL), (BATCH, 2, TOKENS, D_MODEL)])
def test_rms_norm_is_torchs(shape: tuple[int, ...], eps: float, dtype: torch.dtype) -> None:
    ours = filled(RMSNorm(D_MODEL, eps), dtype)
    assert_same(ours, nn.RMSNorm(D_MODEL, eps).to(dtype), drawn(*shape, dtype=dtype))


def test_norms_start_as_torchs() -> None:
    for ours, theirs in (
        (LayerNorm(D_MODEL), nn.LayerNorm(D_MODEL)),
        (RMSNorm(D_MODEL), nn.RMSNorm(D_MODEL)),
    ):
        assert_close(ours.state_dict(), theirs.state_dict())


def test_norms_of_what_is_extreme() -> None:
    near = drawn(BATCH, D_MODEL, dtype=torch.float32) + 1000
    assert_close(LayerNorm(D_MODEL)(near), nn.LayerNorm(D_MODEL)(near), rtol=1e-3, atol=1e-3)
    equal = torch.full((BATCH, 4), 1.5)
    assert_close(LayerNorm(4)(equal), torch.zeros_like(equal))
    assert_close(RMSNorm(4)(0 * equal), torch.zeros_like(equal))


def test_feed_forward_is_torchs(dtype: torch.dtype) -> None:
    ours = filled(FeedForward(D_MODEL, D_HIDDEN), dtype)
    inputs = drawn(BATCH, TOKENS, D_MODEL, dtype=dtype)
    theirs = nn.Sequential(nn.Linear(D_MODEL, D_HIDDEN), nn.ReLU(), nn.Linear(D_HIDDEN, D_MODEL))
    names = {"linear1": "0", "linear2": "2"}
    state = {
        f"{names[layer]}.{kind}": weight
        for name, weight in ours.state_dict().items()
        for layer, kind in [name.split(".")]
    }
    theirs.to(dtype).load_state_dict(state)
    assert_close(ours(inputs), theirs(inputs))


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("padding", [None, padded(TOKENS)], ids=["all words", "padded"])
def test_encoder_is_torchs(padding: Tensor | None, training: bool, dtype: torch.dtype) -> None:
    ours = filled(EncoderBlock(*SIZES), dtype).train(training)
    theirs = nn.TransformerEncoderLayer(*SIZES, batch_first=True).to(dtype).train(training)
    inputs = drawn(BATCH, TOKENS, D_MODEL, dtype=dtype)
    assert_same(ours, theirs, inputs, padding=padding, src_key_padding_mask=padding)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("padding", [None, padded(KEYS)], ids=["all words", "padded"])
def test_decoder_is_torchs(padding: Tensor | None, training: bool, dtype: torch.dtype) -> None:
    ours = filled(DecoderBlock(*SIZES), dtype).train(training)
    theirs = nn.TransformerDecoderLayer(*SIZES, batch_first=True).to(dtype).train(training)
    inputs = drawn(BATCH, TOKENS, D_MODEL, dtype=dtype)
    memory = drawn(BATCH, KEYS, D_MODEL, dtype=dtype, seed=1)
    masks = {"tgt_mask": FUTURE, "memory_key_padding_mask": padding}
    assert_same(ours, theirs, inputs, memory, padding=padding, **masks)


@pytest.mark.parametrize("training", [False, True])
def test_gpt_is_torchs(training: bool, dtype: torch.dtype) -> None:
    ours = filled(GPTBlock(*SIZES), dtype).train(training)
    theirs = nn.TransformerEncoderLayer(
        *SIZES, batch_first=True, norm_first=True, activation="gelu"
    )
    inputs = drawn(BATCH, TOKENS, D_MODEL, dtype=dtype)
    assert_same(ours, theirs.to(dtype).train(training), inputs, src_mask=FUTURE)


@pytest.mark.parametrize("made", [EncoderBlock, GPTBlock])
def test_blocks_drop_what_their_parts_return(made: type[nn.Module]) -> None:
    """PyTorch's own block also drops inside of its parts, so it is no model of this."""
    block = made(D_MODEL, HEADS, D_HIDDEN, 1.0).double()
    inputs = drawn(BATCH, TOKENS, D_MODEL)
    norm1, norm2 = nn.LayerNorm(D_MODEL).double(), nn.LayerNorm(D_MODEL).double()
    left = inputs if made is GPTBlock else norm2(norm1(inputs))
    assert_close(block(inputs), left)


def attending(attention: nn.MultiheadAttention) -> Callable[[Tensor], Tensor]:
    return lambda x: attention(x, x, x, attn_mask=FUTURE)[0]


def test_repaired_stream_is_torchs(dtype: torch.dtype) -> None:
    """PyTorch's encoder with pre-norm, taken apart."""
    blocks = [filled(GPTBlock(*SIZES), dtype) for _ in range(2)]
    inputs = drawn(BATCH, TOKENS, D_MODEL, dtype=dtype)
    layers: list[Callable[[Tensor], Tensor]] = []
    norms: list[Callable[[Tensor], Tensor]] = []
    expected = inputs
    for block in blocks:
        assert isinstance(block, GPTBlock)
        expected = block(expected)
        layers += [
            attending(block.self_attn),
            nn.Sequential(block.linear1, nn.GELU(), block.linear2),
        ]
        norms += [block.norm1, block.norm2]
    assert_close(repaired_residual_stream(inputs, layers, norms), expected)
    assert repaired_residual_stream(inputs, [], []) is inputs
