"""A call made again and again tells what a call on fresh copies would tell."""

from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.exam.case import Case, is_mistaken
from autograder.checks.exam.exam import Exam
from autograder.checks.locate.calls import RIGHT, Call
from autograder.checks.values.outcome import quiet


def scaled(x: Any, factors: Any, source: torch.Generator) -> Any:
    return x * factors[0] + torch.rand(2, generator=source, dtype=x.dtype)


def _case() -> Case:
    exam = Exam(scaled)

    @exam.example
    def two_numbers() -> tuple[Any, ...]:
        """With an array in a list, and a source of random numbers."""
        return torch.tensor([1.0, 2.0]), [3.0, np.ones(2)], torch.Generator().manual_seed(1)

    return exam.printed_cases()[0]


def _adds_in_place(x: Any, factors: Any, source: torch.Generator) -> Any:
    found = scaled(x, factors, source)
    x += 1
    return found


def _writes_into_an_array(x: Any, factors: Any, source: torch.Generator) -> Any:
    factors[1][0] = 7
    return scaled(x, factors, source)


def _writes_and_stops(x: Any, factors: Any, source: torch.Generator) -> Any:
    factors[0] = 0.0
    raise ValueError("after that")


def _replaces_its_numbers(x: Any, factors: Any, source: torch.Generator) -> Any:
    x.data = torch.zeros(3)
    return x


def _asks_for_gradients(x: Any, factors: Any, source: torch.Generator) -> Any:
    return scaled(x.requires_grad_(), factors, source).detach()


def _turns_round(x: Any, factors: Any, source: torch.Generator) -> Any:
    factors.reverse()
    return x


def _wrong(x: Any, factors: Any, source: torch.Generator) -> Any:
    return x


WAYS = (
    *(_adds_in_place, _writes_into_an_array, _writes_and_stops, _replaces_its_numbers),
    *(_asks_for_gradients, _turns_round, _wrong, scaled),
)


@pytest.mark.parametrize("before", WAYS)
def test_no_answer_leaves_anything_to_the_next(before: Any) -> None:
    case = _case()
    call = Call(case)
    with quiet():
        for answer in (before, *WAYS, scaled):
            assert bool(call.explaining(answer, (RIGHT,))) is not is_mistaken(
                case.observe(answer), case
            )


def test_what_nobody_has_touched_is_given_again() -> None:
    given: list[Any] = []

    def first(x: Any) -> Any:
        given.append(x)
        return x[:1]

    exam = Exam(first)
    exam.example(_some_numbers)
    call = Call(exam.printed_cases()[0])
    with quiet():
        assert call.explaining(first, (RIGHT,))
        assert call.explaining(first, (RIGHT,))
        given.clear()
        assert call.explaining(first, (RIGHT,))
        assert call.explaining(first, (RIGHT,))
    assert given[0] is given[1]


def _some_numbers() -> tuple[Any, ...]:
    """Three numbers."""
    return (np.arange(3.0),)


def test_an_exception_of_the_right_kind_is_right() -> None:
    def refuses(x: Any) -> Any:
        raise ValueError("what the reference says")

    def in_other_words(x: Any) -> Any:
        raise ValueError("something else")

    def of_another_kind(x: Any) -> Any:
        raise TypeError("something else")

    exam = Exam(refuses)
    exam.example(_some_numbers)
    call = Call(exam.printed_cases()[0])
    with quiet():
        assert call.explaining(in_other_words, (RIGHT,))
        assert not call.explaining(of_another_kind, (RIGHT,))
        assert not call.explaining(lambda x: x, (RIGHT,))


class Refusing:
    def __array__(self, *_: object, **__: object) -> Any:
        raise TypeError("no array")


@pytest.mark.parametrize("value", [Refusing(), torch.ones(2, device="meta"), [1.0, Refusing()]])
def test_what_can_not_be_looked_at_is_no_misconception(value: object) -> None:
    exam = Exam(lambda x: x + 1)

    @exam.example
    def one() -> torch.Tensor:
        """Two numbers."""
        return torch.tensor([1.0, 2.0])

    @exam.misconception
    def unchanged(x: torch.Tensor) -> torch.Tensor:
        """You return what you are given."""
        return x

    call = Call(exam.printed[0], (RIGHT, "unchanged"))
    with quiet():
        assert call.explaining(lambda x: x.clone(), (RIGHT, "unchanged")) == {"unchanged"}
        assert call.explaining(lambda x: value, (RIGHT, "unchanged")) == set()


@pytest.mark.parametrize(("keys", "values"), [(5, 3), (3, 5), (500, 3)])
def test_no_kernel_writes_beyond_the_end(keys: int, values: int) -> None:
    """With the fused one there is no exception, and who propagates back may end the process."""
    attend = torch.nn.functional.scaled_dot_product_attention

    def refused(queries: Any, keys: Any, values: Any) -> str:
        with pytest.raises(RuntimeError):
            attend(queries, keys, values)
        return "refused"

    exam = Exam(lambda queries, keys, values: "refused")

    @exam.example
    def other_lengths() -> tuple[Any, ...]:
        """As many keys as there are, and another number of values."""
        return tuple(torch.ones(2, 2, length, 4) for length in (3, keys, values))

    with quiet():
        assert Call(exam.printed_cases()[0]).explaining(refused, {RIGHT}) == {RIGHT}
    assert torch.backends.cuda.flash_sdp_enabled()
