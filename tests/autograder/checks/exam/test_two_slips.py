"""Which misconceptions are asked what they do where a driver repeats its calls."""

from collections.abc import Callable
from functools import partial

import numpy as np

from autograder.checks.exam.case import Case
from autograder.checks.exam.judge import judge
from autograder.checks.values.outcome import Outcome, observe
from autograder.checks.values.precision import TOLERANCES

X = np.array([1.0, 3.0])


def called(answer: Callable[[np.ndarray, int], object], x: np.ndarray, calls: int = 1) -> object:
    return [answer(x, calls) for _ in range(calls)]


def right(x: np.ndarray, calls: int) -> np.ndarray:
    return x


def doubled(x: np.ndarray, calls: int) -> np.ndarray:
    return 2 * x


def negative(x: np.ndarray, calls: int) -> np.ndarray:
    return -x


def last_left_out_when_repeated(x: np.ndarray, calls: int) -> np.ndarray:
    return x[:-1] if calls > 1 else x


def both(x: np.ndarray, calls: int) -> np.ndarray:
    return 2 * last_left_out_when_repeated(x, calls)


def test_what_is_unlike_on_plain_calls_is_asked_no_further() -> None:
    asked = list[tuple[str, int]]()
    mistakes = doubled, negative, last_left_out_when_repeated

    def outcome(wrong: Callable[..., object], arguments: dict[str, object]) -> Outcome:
        asked.append((wrong.__name__, int(str(arguments["calls"]))))
        return observe(wrong, arguments, called)

    def case(x: np.ndarray, calls: int) -> Case:
        arguments = {"x": x, "calls": calls}
        lookalikes = {one.__name__: partial(outcome, one, arguments) for one in mistakes}
        expected = observe(right, arguments, called)
        tolerance = TOLERANCES["float64"]
        return Case("one", arguments, expected, tolerance, lookalikes, use=called, printed=True)

    cases = [case(X, 1), case(X + 1, 1), case(X, 50)]
    hints = {one.__name__: one.__name__.upper() for one in mistakes}
    judge("right", both, cases, hints)
    repeated = {name for name, calls in asked if calls > 1}
    assert repeated == {"doubled", "last_left_out_when_repeated"}
