"""What a course may set in course.toml, and what is said of the rest."""

import pytest

from autograder.errors import SettingError
from autograder.settings import Settings, read_settings
from tests.support.course import COURSE


def test_without_a_file(tmp_path):
    assert read_settings(tmp_path) == Settings(tmp_path.name, ("numpy",), pyplot=True)


def test_all_that_can_be_set(tmp_path):
    (tmp_path / "course.toml").write_text(
        'id = "statistics"\npreload = ["numpy", "data.*"]\npyplot = false\n'
        'without_places = ["exam1"]\ndemo = "week1"\n'
    )
    preload, without = ("numpy", "data.*"), ("exam1",)
    expected = Settings("statistics", preload, pyplot=False, without_places=without, demo="week1")
    assert read_settings(tmp_path) == expected


def test_this_course():
    assert COURSE.settings.id == "attention"
    assert not COURSE.settings.pyplot


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id = statistics", "is not TOML"),
        ('name = "x"', "sets name, which is none of id, preload, pyplot"),
        ("id = 3", "id must be a word in quotes"),
        ("pyplot = 1", "pyplot must be true or false"),
        ('preload = "numpy"', 'preload must be a list of modules, such as ["numpy"]'),
        ("preload = [1]", "preload must be a list of modules"),
        ('without_places = "exam1"', 'without_places must be a list of lessons, such as ["week1"]'),
        ("demo = 2", 'demo must be a lesson in quotes, such as "week1"'),
        ('demo = ""', "demo must be a lesson in quotes"),
        ('preload = ["solutions"]', "preload names solutions, which students' code must never see"),
        ('preload = ["solutions.exams.*"]', "preload names solutions"),
    ],
)
def test_what_can_not_be(tmp_path, text, said):
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(SettingError) as raised:
        read_settings(tmp_path)
    assert said in str(raised.value)
    assert str(raised.value).startswith(str(tmp_path / "course.toml"))
