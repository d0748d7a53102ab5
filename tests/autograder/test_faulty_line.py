"""What an author's code raises is told with its line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.errors import ExamError, GradingFailed, SolutionError
from autograder.faulty_line import told_with_line

PLACE = "solutions/exams/week1.py"


def test_failure_and_broken_syntax_name_the_line(tmp_path: Path) -> None:
    failed = told(tmp_path, "def mean(): ...\n\n@mean.case\ndef one(): ...")
    assert isinstance(failed, SolutionError)
    expected = "AttributeError: 'function' object has no attribute 'case'"
    assert str(failed) == f"{tmp_path / PLACE}:3: {expected}"
    broken = str(told(tmp_path, "one = 1\ntwo = (2"))
    assert broken == f"{tmp_path / PLACE}:2: SyntaxError: '(' was never closed"


def test_sentence_of_an_exam_gets_its_line_once(tmp_path: Path) -> None:
    text = "from autograder.errors import ExamError\nraise ExamError('no docstring')"
    failed = told(tmp_path, text)
    assert isinstance(failed, ExamError)
    assert str(failed) == f"{tmp_path / PLACE}:2: no docstring"
    assert told_with_line(failed, tmp_path) is failed
    of_all = told_with_line(ExamError("too many decimals"), tmp_path, (tmp_path / PLACE, 8))
    assert str(of_all) == f"{tmp_path / PLACE}:8: too many decimals"


def test_other_errors_are_left_as_they_are(tmp_path: Path) -> None:
    text = "from autograder.errors import GradingFailed\nraise GradingFailed('full')"
    assert isinstance(told(tmp_path, text), GradingFailed)
    elsewhere = raised(lambda: int("one"))
    assert told_with_line(elsewhere, tmp_path) is elsewhere


def told(root: Path, text: str) -> Exception:
    path = root / PLACE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return told_with_line(raised(lambda: exec(compile(text, str(path), "exec"), {})), root)


def raised(call: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return caught.value
