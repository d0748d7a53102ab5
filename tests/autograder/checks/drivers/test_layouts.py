"""Tensors in other layouts hold what they are said to hold."""

from typing import Any

import pytest
import torch

from autograder.checks.drivers.layouts import (
    expanded,
    has_axes,
    is_finite,
    transposed,
    what_stops,
)
from autograder.checks.values.outcome import Outcome, Raised


def laid_out(use: Any, *given: Any) -> Any:
    return use(lambda *taken: taken, *given)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 4, 5)])
@pytest.mark.parametrize("dtype", [torch.float64, torch.int64, torch.bool])
def test_transposed_tensors_are_equal_and_do_not_lie_in_a_row(
    shape: tuple[int, ...], dtype: torch.dtype
):
    tensor = torch.arange(2 * 3 * 4 * 5)[: torch.Size(shape).numel()].reshape(shape).to(dtype)
    (found,) = laid_out(transposed, tensor)
    assert torch.equal(found, tensor)
    assert found.dtype == dtype
    assert found.stride(-1) == 1
    with pytest.raises(RuntimeError, match="view"):
        found.view(-1)
    assert found.data_ptr() != tensor.data_ptr()


def test_expanded_tensors_hold_their_first_entry_in_place_of_all():
    ids, tensor = torch.arange(6).reshape(3, 2), torch.arange(6.0).reshape(3, 2)
    found, kept = laid_out(expanded, tensor, ids)
    assert found.tolist() == [[0.0, 1.0]] * 3
    assert found.stride() == (0, 1)
    assert kept is ids


@pytest.mark.parametrize("use", [transposed, expanded])
def test_all_else_stays(use: Any):
    vector = torch.arange(3.0)
    found = laid_out(use, vector, torch.tensor(2.0), None, 3, [vector, (vector, "text")])
    assert found[0] is vector
    assert found[4][0] is vector
    assert found[4][1] == (vector, "text")


def test_tensors_in_lists_are_laid_out_too():
    matrix = torch.arange(6.0).reshape(3, 2)
    ((first, (second,)),) = laid_out(transposed, [matrix, (matrix,)])
    assert not first.is_contiguous()
    assert not second.is_contiguous()


def test_what_can_lie_otherwise():
    assert has_axes([1, (torch.zeros(2, 2),)])
    assert not has_axes([torch.zeros(3), torch.zeros(1, 1), torch.zeros(0, 2), 3.0])


def test_what_can_be_compared():
    assert is_finite((torch.ones(2), torch.tensor([True]), "text"))
    assert not is_finite([torch.ones(2), torch.tensor([torch.nan])])


def test_an_answer_that_stops_is_told_of_view():
    stopped = Outcome(raised=Raised("RuntimeError", "view size is not compatible"))
    assert "`view` can't merge" in what_stops(torch.ones(2), stopped)
    assert "in its order" in what_stops(torch.ones(2), Outcome(torch.zeros(2)))
