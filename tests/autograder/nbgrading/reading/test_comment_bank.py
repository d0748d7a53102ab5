"""Comments to reuse are kept for each question, whole, and by several tutors at once."""

import json
import threading
from pathlib import Path

import pytest

from autograder.errors import NotSaved
from autograder.nbgrading.reading.comment_bank import NAME, CommentBank

HERE = "week1/why"


def test_comments_are_kept_by_question(tmp_path: Path) -> None:
    bank = CommentBank(tmp_path)
    assert bank.of(HERE) == []
    assert bank.keep(HERE, "  The *row's* sum. ") == ["The *row's* sum."]
    assert bank.keep(HERE, "Süß: “ja”\nzwei") == ["The *row's* sum.", "Süß: “ja”\nzwei"]
    assert bank.of("week1/how") == []
    assert CommentBank(tmp_path).of(HERE) == ["The *row's* sum.", "Süß: “ja”\nzwei"]


def test_comment_is_kept_once_and_never_empty(tmp_path: Path) -> None:
    bank = CommentBank(tmp_path)
    for comment in ("a", "a", " ", ""):
        assert bank.keep(HERE, comment) == ["a"]


def test_comment_is_forgotten(tmp_path: Path) -> None:
    bank = CommentBank(tmp_path)
    bank.keep(HERE, "a")
    bank.keep(HERE, "b")
    assert bank.forget(HERE, "a") == ["b"]
    assert bank.forget(HERE, "never kept") == ["b"]
    bank.forget(HERE, "b")
    assert json.loads((tmp_path / NAME).read_text())["questions"] == {}


def test_tutors_at_once_lose_nothing(tmp_path: Path) -> None:
    def keep(tutor: int) -> None:
        for number in range(5):
            CommentBank(tmp_path).keep(HERE, f"{tutor} {number}")

    tutors = [threading.Thread(target=keep, args=(tutor,)) for tutor in range(6)]
    for tutor in tutors:
        tutor.start()
    for tutor in tutors:
        tutor.join()
    assert len(CommentBank(tmp_path).of(HERE)) == 30


@pytest.mark.parametrize(
    "written",
    [
        "", "[]", "{", "\x00", '{"version": 2, "questions": {}}', '{"version": 1}',
        '{"version": 1, "questions": []}',
    ],
)  # fmt: skip
def test_file_that_can_not_be_read_is_left_alone(tmp_path: Path, written: str) -> None:
    (tmp_path / NAME).write_text(written)
    bank = CommentBank(tmp_path)
    for act in (lambda: bank.of(HERE), lambda: bank.keep(HERE, "a"), lambda: bank.forget(HERE, "")):
        with pytest.raises(NotSaved, match="mend the file, or move it away"):
            act()
    assert (tmp_path / NAME).read_text() == written


def test_bank_has_its_bounds(tmp_path: Path) -> None:
    bank = CommentBank(tmp_path)
    with pytest.raises(NotSaved, match="at most 60"):
        bank.keep(HERE, "x" * 2001)
    for number in range(60):
        bank.keep(HERE, str(number))
    with pytest.raises(NotSaved, match="at most 60"):
        bank.keep(HERE, "one more")
    assert len(bank.of(HERE)) == 60
