"""What the author of an exam has written by mistake, and no proof of misconceptions would notice.

A wrong answer that can't even be called, or that uses a name which is nowhere, is caught on every
case, and named: but it is not what a learner would write. And an answer that an exam is to accept
may be wrong.
"""

import inspect
import traceback
from collections.abc import Callable, Iterable

from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.values.outcome import Raised
from autograder.errors import ExamError


def refuse_slips(exam: Exam) -> None:
    """Try what an exam declares beside its cases, as far as its author may have slipped.

    Raises:
        ExamError: for cases that can't be made, for a misconception that can't be called with the
            exercise's arguments, or that uses a name which is not there, and for a reference or an
            accepted answer that does not pass.
    """
    _refuse_unless_passed(exam, "the solution", exam.reference, _of_reference(exam))
    printed = exam.printed_cases()[:1]
    for name, wrong in exam.misconceptions.items():
        raised = [case.lookalikes[name]().raised for case in printed if name in case.lookalikes]
        if why := _takes_others(exam, wrong) or _unknown_name(raised):
            raise _error(exam, wrong, f"the misconception {name} of {exam.name} {why}")
    for name, right in exam.accepted.items():
        _refuse_unless_passed(exam, name, right, exam.examine(right))


def _refuse_unless_passed(
    exam: Exam, name: str, right: Callable[..., object], report: Report
) -> None:
    if report.verdict is not Verdict.PASSED:
        why = report.hint or report.stopped_by or report.headline
        text = f"{name} is to be accepted as an answer to {exam.name}, and does not pass: {why}"
        raise _error(exam, right, text)


def _of_reference(exam: Exam) -> Report:
    """What comes of the reference; each example and each case is called for it."""
    try:
        return exam.examine(exam.reference)
    except TypeError as error:
        # Whatever fails inside of one has a line of its own to be told with.
        if traceback.extract_tb(error.__traceback__)[-1].filename != inspect.getfile(Exam):
            raise
        path, line = exam.where
        text = f"an example of {exam.name} takes nothing, and a case takes the draw: {error}"
        raise ExamError(f"{path}:{line}: {text}") from error


def _takes_others(exam: Exam, wrong: Callable[..., object]) -> str:
    """Whether a wrong answer can't be called as the exercise is, in words."""
    if exam.use is not None or isinstance(wrong, type):
        return ""
    takes, asked = inspect.signature(wrong), ", ".join(exam.parameters)
    try:
        takes.bind(*exam.parameters)
    except TypeError:
        return f"can't be called with ({asked}), as its exercise is: have it take the same"
    return ""


def _unknown_name(raised: Iterable[Raised | None]) -> str:
    """Whether a wrong answer uses a name that is nowhere, in words."""
    for one in raised:
        if one and one.kind == "NameError":
            return f"fails by a slip of its own, {one.message}: import or define that"
    return ""


def _error(exam: Exam, answer: Callable[..., object], text: str) -> ExamError:
    """An error where the answer is declared, or else where the exam is."""
    declared = inspect.unwrap(answer)
    try:
        place = f"{inspect.getsourcefile(declared)}:{inspect.getsourcelines(declared)[1]}"
    except (OSError, TypeError):
        path, line = exam.where
        place = f"{path}:{line}"
    return ExamError(f"{place}: {text}")
