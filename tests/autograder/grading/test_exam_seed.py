"""A course draws its hidden cases from a number that is drawn once, and kept."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from autograder.errors import GradingFailed
from autograder.grading.exam_seed import FILE, exam_seed_of


def test_number_is_drawn_once(tmp_path: Path) -> None:
    number = exam_seed_of(tmp_path)
    assert exam_seed_of(tmp_path) == number
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_each_course_has_its_own(tmp_path: Path) -> None:
    courses = [tmp_path / name for name in "abc"]
    for course in courses:
        course.mkdir()
    numbers = {exam_seed_of(course) for course in courses}
    assert len(numbers) == 3
    assert max(numbers).bit_length() > 64


def test_two_who_draw_at_once_have_the_same(tmp_path: Path) -> None:
    for place in range(20):
        course = tmp_path / str(place)
        course.mkdir()
        with ThreadPoolExecutor(4) as threads:
            assert len({*threads.map(exam_seed_of, [course] * 4)}) == 1


@pytest.mark.parametrize("content", [b"", b"none", b"1.5", b"\xff", b"9" * 5_000])
def test_what_is_no_number_grades_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(GradingFailed, match="has to hold the number"):
        exam_seed_of(tmp_path)
    assert (tmp_path / FILE).read_bytes() == content


@pytest.mark.skipif(os.geteuid() == 0, reason="may write everywhere")
def test_folder_that_is_closed_grades_nothing(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(GradingFailed, match="has to hold the number"):
        exam_seed_of(tmp_path)
