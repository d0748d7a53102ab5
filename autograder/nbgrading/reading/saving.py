"""Saves what a tutor gives for an answer: the rows of the gradebook that formgrader writes, too.

Several tutors may read the same answers, on several servers. So a row changes only if it still is
what the tutor has seen, and one statement does both: compare and change.
"""

import math
from collections.abc import Callable

from nbgrader.api import Comment, Grade, Gradebook
from sqlalchemy import func, update
from sqlalchemy.exc import DatabaseError

from autograder.errors import AnswerChanged, GradebookBusy, MarkedMeanwhile, NotSaved
from autograder.nbgrading.failures import is_busy, sentence_of
from autograder.nbgrading.reading.entries import Entry, Marks, find_entry
from autograder.nbgrading.reading.questions import Question

# A comment may have so many characters, which is some pages of text.
LONGEST = 10_000
_SOMEBODY = (
    "Somebody else has graded this answer since you opened the page. Theirs is in the gradebook; "
    "choose which of the two stays."
)
_OTHER_TEXT = (
    "This answer was graded anew since you opened the page, and its text is another one now. Read "
    "it again, and then save your points."
)
_BUSY = "The gradebook is busy, so this is not saved yet. It will be sent again."


def save(
    gradebook: Gradebook,
    grade: str,
    given: Marks,
    seen: Marks,
    *,
    is_same_text: Callable[[Question, Entry], bool],
) -> Entry:
    """Put points and a comment into the gradebook; extra credit stays as it is.

    Args:
        gradebook: where.
        grade: the gradebook's id of the answer's points.
        given: what the tutor gives. Without points, the answer waits again, unless it has some
            without a human.
        seen: what the tutor has seen there.
        is_same_text: whether the answer is the one that the tutor has read.

    Returns:
        what the gradebook has now.

    Raises:
        NotSaved: when nothing is changed. The gradebook has something else than what was seen
            (MarkedMeanwhile), the text is another one (AnswerChanged), others write to the
            gradebook (GradebookBusy), or it can't be saved at all.
    """
    try:
        question, entry = find_entry(gradebook, grade)
        _must_be_possible(question, entry, given)
        if not _change(gradebook, entry, given, seen):
            gradebook.db.rollback()
            question, entry = find_entry(gradebook, grade)
            # What was saved without an answer reaching the tutor is sent a second time.
            if entry.given != given:
                raise MarkedMeanwhile(_SOMEBODY)
        # After the change, so that no grading comes in between: it would wait for the gradebook.
        if not is_same_text(question, entry):
            raise AnswerChanged(_OTHER_TEXT)
        gradebook.db.commit()
        return find_entry(gradebook, grade)[1]
    except DatabaseError as error:
        if is_busy(error):
            raise GradebookBusy(_BUSY) from error
        raise NotSaved(f"This is not saved, since {sentence_of(error)}.") from error
    finally:
        gradebook.db.rollback()


def _must_be_possible(question: Question, entry: Entry, given: Marks) -> None:
    points = given.points
    if points is not None and not (math.isfinite(points) and 0 <= points <= question.out_of):
        raise NotSaved(
            f"{points:g} points are not saved: this question gives 0 to {question.out_of:g}."
        )
    if len(given.comment) > LONGEST:
        raise NotSaved(
            f"The comment is not saved: it has {len(given.comment):,} characters, and "
            f"{LONGEST:,} is the most."
        )
    if given.comment and not entry.remark:
        raise NotSaved("The comment is not saved: the gradebook has no place for one here.")


def _change(gradebook: Gradebook, entry: Entry, given: Marks, seen: Marks) -> bool:
    """Change the rows if they are as they were seen; whether they are."""
    points = (
        update(Grade)
        .where(Grade.id == entry.grade, Grade.manual_score.is_not_distinct_from(seen.points))
        .values(
            manual_score=given.points,
            needs_manual_grade=given.points is None and Grade.auto_score.is_(None),
        )
    )
    comment = (
        update(Comment)
        .where(
            Comment.id == entry.remark, func.coalesce(Comment.manual_comment, "") == seen.comment
        )
        .values(manual_comment=given.comment or None)
    )
    statements = [points, comment] if entry.remark else [points]
    return all(
        gradebook.db.execute(one, execution_options={"synchronize_session": False}).rowcount
        for one in statements
    )
