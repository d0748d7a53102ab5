import pytest
import torch

from companion.models.decoding import plain_cell, plain_score


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_score_fits_any_width(dtype):
    scores = plain_score(torch.ones(2, 3, dtype=dtype), torch.ones(2, 5, 4, dtype=dtype))
    assert scores.shape == (2, 5)
    assert scores.dtype == dtype


def test_sentences_are_scored_alone():
    states, words = torch.eye(3)[:2], torch.rand(2, 5, 4)
    torch.testing.assert_close(plain_score(states, words)[1:], plain_score(states[1:], words[1:]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_cell_fits_any_width(dtype):
    state = plain_cell(torch.ones(2, 7, dtype=dtype), torch.ones(2, 3, dtype=dtype))
    assert state.shape == (2, 3)
    assert state.dtype == dtype
    assert state.abs().max() < 1


def test_cell_notices_both_inputs():
    inputs, state = torch.rand(1, 4), torch.rand(1, 3)
    new = plain_cell(inputs, state)
    assert not torch.allclose(plain_cell(inputs.flip(1), state), new)
    assert not torch.allclose(plain_cell(inputs, state.flip(1)), new)
