"""What a check says of a wrong answer, shown to a reader who has not written one yet."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from autograder.checks.card.as_html import card
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict

_INTRODUCTION = (
    "<p>What will stand here when you have run the check? If your answer makes a mistake that the "
    "course knows, the check names it. For example:</p>"
)


@dataclass(frozen=True)
class Foretaste:
    """The card that a wrong answer to an exercise gets, as HTML; the answer itself is not shown."""

    exercise: str
    html: str


def foretaste(exams: Mapping[str, Exam], worksheets: Collection[str]) -> Foretaste | None:
    """The card of the first known mistake that a lesson's check names, if there is one.

    A worksheet's card would have its answer in it, so none of those is shown.
    """
    for name, exam in exams.items():
        for mistake, wrong in exam.misconceptions.items() if name not in worksheets else ():
            report = exam.preview(wrong)
            if report.verdict is Verdict.WRONG and report.misconception == mistake:
                shown = f'<div class="to-come">{_INTRODUCTION}{card(report)}</div>'
                return Foretaste(name, shown)
    return None
