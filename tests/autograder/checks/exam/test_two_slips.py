"""Several mistakes in one answer: which are asked what they do, and what is told of one of them."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from autograder.checks.exam.case import Case
from autograder.checks.exam.judge import judge
from autograder.checks.exam.two_slips import said_of_two, without_praise
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


SHORT, LONG = "five numbers", "nine numbers"


def told(
    answer: Callable[[np.ndarray], object], *mistakes: Callable[[np.ndarray], object]
) -> tuple[str, str]:
    """What is said of an answer by which the cube of five, six and nine numbers is meant."""

    def case(label: str, x: np.ndarray) -> Case:
        arguments = {"x": x}
        lookalikes = {one.__name__: partial(observe, one, arguments) for one in mistakes}
        expected = observe(lambda x: x**3, arguments)
        return Case(label, arguments, expected, TOLERANCES["float64"], lookalikes, printed=True)

    cases = [case(SHORT, np.arange(2.0, 7)), case(SHORT, np.arange(2.0, 8))]
    cases.append(case(LONG, np.arange(2.0, 11)))
    report = judge("cubes", answer, cases, {one.__name__: one.__doc__ or "" for one in mistakes})
    return report.misconception, report.hint


def squares(x: np.ndarray) -> np.ndarray:
    """These are squares."""
    return x**2


def squares_of_few(x: np.ndarray) -> np.ndarray:
    return x**2 if len(x) < 7 else -(x**2)


def test_what_most_examples_have_is_named_beside_something_else() -> None:
    hint = f'These are squares. And on "{LONG}" there is more to mend.'
    assert told(squares_of_few, squares) == ("", hint)


def test_what_few_examples_have_is_not_named() -> None:
    assert told(lambda x: x**2 if len(x) == 5 else -x, squares) == ("", "")


def test_what_would_be_wrong_where_the_answer_is_right_is_not_named() -> None:
    assert told(lambda x: x**2 if len(x) < 7 else x**3, squares) == ("", "")


def test_one_of_two_that_explain_as_much_is_not_named() -> None:
    def products(x: np.ndarray) -> np.ndarray:
        """Each number is multiplied by itself."""
        return x * x

    assert told(squares_of_few, squares, products) == ("", "")


def test_praise_is_not_said_beside_something_else() -> None:
    def praised(x: np.ndarray) -> np.ndarray:
        """The order is right, but it is that of squares."""
        return x**2

    assert told(squares_of_few, praised) == ("", "")


def test_praise_at_the_beginning_of_a_hint_is_left_out_beside_something_else() -> None:
    def praised(x: np.ndarray) -> np.ndarray:
        """The order of the numbers is right, but you return the squares. Take the cubes."""
        return x**2

    without = f'You return the squares. Take the cubes. And on "{LONG}" there is more to mend.'
    assert told(squares_of_few, praised) == ("", without)
    two = said_of_two(("a", "b"), {"a": praised.__doc__ or "", "b": "Both are right, but no list."})
    assert two == (
        "Two things differ. You return the squares. Take the cubes. And then: Both are right, but "
        "no list."
    )


@pytest.mark.parametrize(
    "hint",
    [
        "The weights are right, but you mixed with their transpose.",
        "The tokens are right, but in a list. Return a tensor.",
        "The outputs are right, but the gradients are not, because of a detach.",
        "With small scores your answer is right. But large ones overflow.",
    ],
)
def test_praise_that_the_rest_of_a_hint_needs_stays(hint: str) -> None:
    assert without_praise(hint) == hint


def test_few_wrong_numbers_do_not_tell() -> None:
    def first_kept(x: np.ndarray) -> np.ndarray:
        """The first number is as it was."""
        return np.concatenate([x[:1], x[1:] ** 3])

    assert told(lambda x: first_kept(x) if len(x) < 7 else -x, first_kept) == ("", "")


def test_few_numbers_do_not_tell() -> None:
    def largest_square(x: np.ndarray) -> np.ndarray:
        """This is the largest square."""
        return np.max(x) ** 2

    def of_few(x: np.ndarray) -> np.ndarray:
        return largest_square(x) if len(x) < 7 else -x

    assert told(of_few, largest_square) == ("", "")


def test_two_counts_may_be_equal_by_chance() -> None:
    def counted(answer: Callable[[int], int]) -> str:
        def case(n: int) -> Case:
            lookalikes = {
                name: partial(observe, wrong, {"n": n})
                for name, wrong in (("low", lambda n: n - (n < 5)), ("high", lambda n: n + (n > 5)))
            }
            expected = observe(lambda n: n, {"n": n})
            return Case(str(n), {"n": n}, expected, TOLERANCES["float64"], lookalikes, printed=True)

        hints = {"low": "Small ones are too low.", "high": "Large ones are too high."}
        return judge("count", answer, [case(n) for n in cases], hints).hint

    def both(n: int) -> int:
        return n + (n > 5) - (n < 5)

    cases = [3, 8]
    assert counted(both) == ""
    cases = [3, 4, 7, 8]
    assert counted(both) == "Two things differ. Small ones are too low. And then: " + (
        "Large ones are too high."
    )


def test_two_are_not_named_where_two_others_explain_as_much() -> None:
    def of_few(x: np.ndarray) -> np.ndarray:
        """Few are squared."""
        return x**2 if len(x) < 7 else x**3

    def of_many(x: np.ndarray) -> np.ndarray:
        """Many are turned round."""
        return x**3 if len(x) < 7 else -(x**2)

    def of_nine(x: np.ndarray) -> np.ndarray:
        """Nine are turned round."""
        return of_many(x)

    two = "Two things differ. Few are squared. And then: Many are turned round."
    assert told(squares_of_few, of_few, of_many) == ("", two)
    assert not told(squares_of_few, of_few, of_many, of_nine)[1].startswith("Two things")
