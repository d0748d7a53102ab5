"""The stand-ins for the learner's functions agree with the reference."""

import pytest
import torch

from companion import cut_softmax, frequent_pairs, merged_pieces, shifted_cross_entropy
from solutions import transformer

TEXTS = ["low low lower", "aaaaaa", "abab", "", "a", "the cat sat on the mat, the rat sat too"]


@pytest.mark.parametrize("text", TEXTS)
def test_merges(text: str) -> None:
    merges = frequent_pairs(text, 10)
    assert merges == transformer.learn_merges(text, 10)
    assert frequent_pairs(text, 1) == merges[:1]
    for other in TEXTS:
        assert merged_pieces(other, merges) == transformer.encode(other, merges)
        assert "".join(merged_pieces(other, merges)) == other


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_loss(dtype: torch.dtype) -> None:
    logits, tokens = torch.randn(2, 5, 7, dtype=dtype), torch.randint(7, (2, 5))
    torch.testing.assert_close(
        shifted_cross_entropy(logits, tokens), transformer.next_token_loss(logits, tokens)
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("top_k", [None, 1, 3, 50])
@pytest.mark.parametrize("top_p", [None, 1e-6, 0.5, 1.0])
def test_distribution(dtype: torch.dtype, top_k: int | None, top_p: float | None) -> None:
    logits = torch.tensor([0.5, -1.0, 2.0, 1.2, -3.0], dtype=dtype)
    for temperature in (0.01, 0.7, 1.0, 3.0):
        torch.testing.assert_close(
            cut_softmax(logits, temperature, top_k, top_p),
            transformer.next_token_distribution(logits, temperature, top_k, top_p),
        )
