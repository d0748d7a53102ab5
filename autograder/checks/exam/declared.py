"""What an author can get wrong where an exam is declared, in sentences that say what to do."""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence

from autograder.checks.exam.habits import ASPECTS
from autograder.checks.values.compare import Tolerance
from autograder.errors import ExamError


def refuse_slips(
    exam: str, several: Mapping[str, object], reasons: Mapping[str, object], tolerance: object
) -> None:
    """Refuse options that Python would take, and for something else than was meant.

    Args:
        exam: the name of the exercise.
        several: the options that are several words; a single one would be taken for its letters.
        reasons: those that say of each word the reason.
        tolerance: how far numbers may be off.

    Raises:
        ExamError: naming the option.
    """
    for option, value in several.items():
        if isinstance(value, str) or not _are_words(value):
            one = value if isinstance(value, str) else "…"
            raise _error(exam, option, value, f'write {option}=("{one}",), with the comma')
    for option, value in reasons.items():
        if not (isinstance(value, Mapping) and _are_words(value)):
            raise _error(exam, option, value, f'write {option}={{"…": "the reason"}}')
    if not isinstance(tolerance, Tolerance | None):
        raise _error(exam, "tolerance", tolerance, f"write tolerance=Tolerance({tolerance!r})")
    for option, value in [*several.items(), *reasons.items()]:
        words = value if option in ("about", "unasked") and isinstance(value, Collection) else ()
        if unknown := [one for one in words if one not in ASPECTS]:
            raise _error(exam, option, unknown[0], f"it can be one of {', '.join(ASPECTS)}")


def refuse_strangers(
    exam: str,
    what: str,
    cases: Sequence[Callable[..., object]],
    printed: Collection[Callable[..., object]],
    drawn: Collection[Callable[..., object]],
) -> None:
    """Refuse a group of cases that has none, or one that the exam does not have, or no drawn one.

    What is printed alone can be learned by heart, and would be half of the work.

    Raises:
        ExamError: naming the group.
    """
    strangers = [one.__name__ for one in cases if one not in [*printed, *drawn]]
    if not cases or strangers:
        wrong = f"{strangers[0]} is no case of this exam" if strangers else "no case is named"
        raise ExamError(
            f'the exam of {exam} gives half for what is right but for "{what}", and {wrong}: name '
            "functions that are an `example` or a `case` of it, and stand above"
        )
    if not any(one in drawn for one in cases):
        raise ExamError(
            f'the exam of {exam} gives half for what is right but for "{what}", and all of that is '
            "printed, so that it can be learned by heart: name a `case` of it, too"
        )


def refuse_many(
    exam: str,
    given: Sequence[object],
    use: Callable[..., object] | None,
    parameters: Sequence[str],
) -> None:
    """Refuse a case with more arguments than there are parameters.

    Raises:
        ExamError: with both numbers.
    """
    if len(given) > len(parameters):
        raise ExamError(
            f"a case of {exam} gives {len(given)} arguments, "
            f"but {use.__name__ if use else 'the function'} takes {len(parameters)}"
        )


def refuse_unnamed(exam: str, returns: Sequence[str], value: object) -> None:
    """Refuse words for results of which there are more, or fewer.

    Raises:
        ExamError: with both numbers.
    """
    if returns and isinstance(value, tuple | list) and len(value) != len(returns):
        raise ExamError(
            f"the exam of {exam} has {len(returns)} words in returns, "
            f"but the function returns {len(value)} values"
        )


def sentence_of(function: Callable[..., object]) -> str:
    """The docstring of what is declared, in one line.

    Raises:
        ExamError: when it has none.
    """
    # getdoc would find the sentence of the class that this one derives from.
    text = function.__doc__ if isinstance(function, type) else inspect.getdoc(function)
    if not text:
        raise ExamError(f"{function.__name__} needs a docstring: it is what a learner reads")
    return " ".join(text.split())


def _are_words(value: object) -> bool:
    return isinstance(value, Collection) and all(isinstance(one, str) for one in value)


def _error(exam: str, option: str, value: object, instead: str) -> ExamError:
    return ExamError(f"the exam of {exam} can't have {option}={value!r}: {instead}")
