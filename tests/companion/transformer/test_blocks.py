"""The stand-ins for the learner's blocks compute what the blocks are asked for."""

import pytest
import torch
from torch import nn

from companion import LibraryDecoder, LibraryEncoder, LibraryGPTBlock
from solutions import transformer

PADDING = torch.arange(5) >= torch.tensor([[5], [3]])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("padding", [None, PADDING])
@pytest.mark.parametrize("training", [False, True])
def test_encoder(dtype: torch.dtype, padding: torch.Tensor | None, training: bool) -> None:
    library = LibraryEncoder(8, 2, 12, 0.0).to(dtype).train(training)
    own = copied(transformer.EncoderBlock(8, 2, 12, 0.0), library)
    inputs = torch.randn(2, 5, 8, dtype=dtype)
    kept = slice(None) if padding is None else ~padding
    torch.testing.assert_close(own(inputs, padding)[kept], library(inputs, padding)[kept])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("padding", [None, PADDING])
def test_decoder(dtype: torch.dtype, padding: torch.Tensor | None) -> None:
    library = LibraryDecoder(8, 2, 12, 0.0).to(dtype)
    own = copied(transformer.DecoderBlock(8, 2, 12, 0.0), library)
    inputs, memory = torch.randn(2, 4, 8, dtype=dtype), torch.randn(2, 5, 8, dtype=dtype)
    torch.testing.assert_close(own(inputs, memory, padding), library(inputs, memory, padding))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gpt_block(dtype: torch.dtype) -> None:
    library = LibraryGPTBlock(8, 2, 12, 0.0).to(dtype)
    own = copied(transformer.GPTBlock(8, 2, 12, 0.0), library)
    inputs = torch.randn(2, 4, 8, dtype=dtype)
    torch.testing.assert_close(own(inputs), library(inputs))


@pytest.mark.parametrize("block", [LibraryEncoder, LibraryDecoder, LibraryGPTBlock])
def test_only_what_is_added_is_dropped(block: type[nn.Module]) -> None:
    layer = block(8, 2, 12, 0.5)
    dropped = {name for name, part in layer.named_modules() if getattr(part, "p", 0.0) > 0}
    assert dropped
    assert dropped <= {"dropout1", "dropout2", "dropout3"}
    heads = [part for part in layer.modules() if isinstance(part, nn.MultiheadAttention)]
    assert all(part.dropout == 0 for part in heads)


def copied(own: nn.Module, library: nn.Module) -> nn.Module:
    """The learner's block with the library's weights, in its dtype and mode."""
    own.load_state_dict(library.state_dict())
    return own.to(next(library.parameters()).dtype).train(library.training)
