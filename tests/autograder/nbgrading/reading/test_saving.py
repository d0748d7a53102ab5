"""What a tutor gives is saved as formgrader saves it, and never over somebody else's."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from sqlalchemy.exc import OperationalError

from autograder.errors import AnswerChanged, GradebookBusy, MarkedMeanwhile, NotSaved
from autograder.nbgrading.reading.entries import Entry, Marks
from autograder.nbgrading.reading.saving import LONGEST, save
from tests.support.read_class import BLANK, LESSON, OUT_OF, WHY, answered_class, gradebook_at, row

pytestmark = pytest.mark.filterwarnings("ignore:Object of type .* not in session")
NOTHING = Marks(None, "")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture(autouse=True)
def grades(course: Path) -> dict[str, str]:
    return answered_class(course, {"ada": "Because.", "ben": BLANK})


def give(
    course: Path, grade: str, given: Marks, seen: Marks = NOTHING, *, same: bool = True
) -> Entry:
    with gradebook_at(course) as gradebook:
        return save(gradebook, grade, given, seen, is_same_text=lambda *_: same)


@pytest.mark.parametrize("points", [0.0, 0.5, 2.0, float(OUT_OF)])
def test_points_and_comment_are_saved(course: Path, grades: dict[str, str], points: float) -> None:
    saved = give(course, grades["ada"], Marks(points, "Well *said*."))
    assert (saved.given, saved.waits) == (Marks(points, "Well *said*."), False)
    assert row(course, "ada") == {
        "points": points, "extra": None, "waits": False, "comment": "Well *said*.",
        "score": points,
    }  # fmt: skip


def test_comment_alone_leaves_the_answer_waiting(course: Path, grades: dict[str, str]) -> None:
    assert give(course, grades["ada"], Marks(None, "See me.")).waits
    assert (row(course, "ada")["waits"], row(course, "ada")["comment"]) == (True, "See me.")


def test_points_can_be_taken_back(course: Path, grades: dict[str, str]) -> None:
    for student, waits in (("ada", True), ("ben", False)):
        give(course, grades[student], Marks(1.0, "x"))
        give(course, grades[student], NOTHING, Marks(1.0, "x"))
        found = row(course, student)
        assert (found["points"], found["comment"], found["waits"]) == (None, None, waits)


def test_extra_credit_stays(course: Path, grades: dict[str, str]) -> None:
    with gradebook_at(course) as gradebook:
        gradebook.find_grade(WHY, LESSON, LESSON, "ada").extra_credit = 1.5
        gradebook.db.commit()
    assert give(course, grades["ada"], Marks(2.0, "")).extra == 1.5
    assert row(course, "ada")["score"] == 3.5


@pytest.mark.parametrize("points", [-0.5, OUT_OF + 0.5, float("nan"), float("inf")])
def test_points_out_of_range_are_refused(
    course: Path, grades: dict[str, str], points: float
) -> None:
    before = row(course, "ada")
    with pytest.raises(NotSaved, match="this question gives 0 to 4"):
        give(course, grades["ada"], Marks(points, "x"))
    assert row(course, "ada") == before


def test_comment_without_end_is_refused(course: Path, grades: dict[str, str]) -> None:
    with pytest.raises(NotSaved, match="10,000 is the most"):
        give(course, grades["ada"], Marks(1.0, "x" * (LONGEST + 1)))
    assert row(course, "ada")["points"] is None


@pytest.mark.parametrize("theirs", [Marks(1.0, ""), Marks(None, "theirs"), Marks(3.0, "theirs")])
def test_others_are_not_overwritten(course: Path, grades: dict[str, str], theirs: Marks) -> None:
    give(course, grades["ada"], theirs)
    before = row(course, "ada")
    with pytest.raises(MarkedMeanwhile, match="choose which of the two stays"):
        give(course, grades["ada"], Marks(3.0, "mine"))
    assert row(course, "ada") == before
    give(course, grades["ada"], Marks(3.0, "mine"), theirs)
    assert row(course, "ada")["comment"] == "mine"


def test_sent_twice_is_saved_once(course: Path, grades: dict[str, str]) -> None:
    """Where the answer to the first request was lost on its way."""
    for _ in range(2):
        assert give(course, grades["ada"], Marks(3.0, "mine")).given == Marks(3.0, "mine")


@pytest.mark.parametrize("seen", [NOTHING, Marks(2.0, "mine")])
def test_points_for_another_text_are_refused(
    course: Path, grades: dict[str, str], seen: Marks
) -> None:
    if seen != NOTHING:
        give(course, grades["ada"], seen)
    before = row(course, "ada")
    with pytest.raises(AnswerChanged, match="its text is another one now"):
        give(course, grades["ada"], Marks(1.0, "of the old one"), seen, same=False)
    assert row(course, "ada") == before


def test_points_are_confirmed_after_a_new_grading(course: Path, grades: dict[str, str]) -> None:
    give(course, grades["ada"], Marks(3.0, ""))
    with gradebook_at(course) as gradebook:
        gradebook.find_grade(WHY, LESSON, LESSON, "ada").needs_manual_grade = True
        gradebook.db.commit()
    assert not give(course, grades["ada"], Marks(3.0, ""), Marks(3.0, "")).waits


def test_gradebook_that_others_write_to_is_busy(
    course: Path, grades: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with gradebook_at(course) as gradebook, gradebook_at(course) as other:

        @sqlalchemy.event.listens_for(gradebook.engine, "connect")
        def wait_no_longer(connection: Any, _: Any) -> None:
            connection.execute("PRAGMA busy_timeout = 10")

        gradebook.db.remove()
        gradebook.engine.dispose()
        other.find_grade(WHY, LESSON, LESSON, "ada").manual_score = 1.0
        other.db.flush()
        with pytest.raises(GradebookBusy, match="will be sent again") as refused:
            save(gradebook, grades["ben"], Marks(1.0, ""), NOTHING, is_same_text=lambda *_: True)
        assert isinstance(refused.value.__cause__, OperationalError)
    assert row(course, "ben")["points"] is None


@pytest.mark.parametrize(
    ("pragma", "says"),
    [
        ("query_only = 1", "^This is not saved, since the gradebook can't be written to: look"),
        ("max_page_count = 1", "^This is not saved, since the disk is full: make room where"),
    ],
)
def test_gradebook_that_nothing_is_saved_in_is_not_busy(
    course: Path, grades: dict[str, str], pragma: str, says: str
) -> None:
    """What is busy is sent again by itself, and this would be for ever."""
    with gradebook_at(course) as gradebook:

        @sqlalchemy.event.listens_for(gradebook.engine, "connect")
        def allow_no_more(connection: Any, _: Any) -> None:
            connection.execute(f"PRAGMA {pragma}")

        gradebook.db.remove()
        gradebook.engine.dispose()
        given = Marks(1.0, "x" * LONGEST)
        with pytest.raises(NotSaved, match=says) as refused:
            save(gradebook, grades["ben"], given, NOTHING, is_same_text=lambda *_: True)
        assert not isinstance(refused.value, GradebookBusy)
    assert row(course, "ben")["points"] is None
