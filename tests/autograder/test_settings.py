"""What a course may set in course.toml, and what is said of the rest."""

import dataclasses
from datetime import UTC, datetime

import pytest

from autograder.errors import SettingError
from autograder.settings import GONE, WORKED, Settings, read_settings
from tests.support.course import COURSE, ROOT

NAMES = [one.name for one in dataclasses.fields(Settings)]
# Of each setting what can be, with what becomes of it, and what can't, with what is said.
SOUND = {
    "id": ('"statistics"', "statistics"),
    "preload": ('["numpy", "data.*"]', ("numpy", "data.*")),
    "pyplot": ("false", False),
    "without_places": ('["exam1"]', ("exam1",)),
    "demo": ('"week1"', "week1"),
    "lessons": ('["02", "00"]', ("02", "00")),
    "core": ('["a", "02/b"]', ("a", "02/b")),
    "further": ('["a"]', ("a",)),
    "leave_out": ('["a", "02/b"]', {"a": WORKED, "02/b": WORKED}),
    "points": ('{a = 3, "02/b" = 1}', {"a": 3, "02/b": 1}),
    "due": ('{"02" = 2026-11-30 23:59:00Z}', {"02": datetime(2026, 11, 30, 23, 59, tzinfo=UTC)}),
    "partial_credit": ("false", False),
    "browser": ('["00"]', ("00",)),
    "repository": ('"ada/statistics"', "ada/statistics"),
    "site": ('"https://ada.github.io/stats/"', "https://ada.github.io/stats/"),
    "late": ("{per_day = 0.1, grace_hours = 24}", {"per_day": 0.1, "grace_hours": 24}),
}
WRONG = {
    "id": [
        (one, 'must be a name that a folder can have, in quotes, such as "statistics"')
        for one in ("3", '" "', '"a/b"', '".."')
    ],
    "preload": [
        ('"numpy"', 'must be a list of modules, such as ["numpy"]'),
        ("[1]", "must be a list of modules"),
        ('["solutions"]', "names solutions, which students' code must never see"),
        ('["solutions.exams.*"]', "names solutions"),
        ('["mine.solutions"]', "names mine, which students' code must never see"),
    ],
    "pyplot": [("1", "must be true or false")],
    "repository": [
        ("1", "must be the owner and the name of a repository on GitHub"),
        ('"https://github.com/ada/statistics"', 'such as "ada/statistics"'),
    ],
    "site": [
        ("true", "must be the address of the pages"),
        ('"ada.github.io"', 'such as "https://ada.github.io/statistics/"'),
    ],
    "without_places": [('"exam1"', 'must be a list of lessons, such as ["week1"]')],
    "demo": [
        ("2", 'must be a lesson in quotes, such as "week1"'),
        ('""', "must be a lesson in quotes"),
    ],
    "lessons": [
        ('"02"', 'must be a list of lessons, such as ["week1"]'),
        ("[2]", "must be a list of lessons"),
        ("[]", "names no lesson: name some, or delete the line to have all"),
    ],
    "core": [('"a"', 'must be a list of exercises, such as ["variance"]')],
    "further": [("[1]", 'must be a list of exercises, such as ["variance"]')],
    "leave_out": [
        ('"a"', 'must be a list of exercises, such as ["variance"], or a table'),
        ('{a = "goes"}', 'says of each "worked" or "gone"'),
        ("{a = true}", 'says of each "worked" or "gone"'),
    ],
    "points": [
        ("3", "must be a table of exercises with whole numbers above 0"),
        ("{a = 0}", "whole numbers above 0, such as {variance = 3}"),
        ("{a = 1.5}", 'whole numbers above 0, such as {variance = 3}; "a" is set to 1.5'),
        ("{a = true}", "whole numbers above 0"),
    ],
    "due": [
        ("2026-11-30", "must be a table of lessons with day and time"),
        ('{"02" = 2026-11-30}', 'such as {"00" = 2026-11-30T23:59:00+01:00}'),
        ('{"02" = 2026-11-30}', '; "02" is set to 2026-11-30, a day without a time'),
        ('{"02" = 23:59:00}', '; "02" is set to 23:59:00'),
        ('{"02" = 20261130}', '; "02" is set to 20261130'),
        ('{"02" = [2026-11-30]}', '; "02" is set to ["2026-11-30"]'),
        (f'{{"02" = "{"x" * 100}"}}', f'; "02" is set to "{"x" * 59}…'),
        (f'{{"{"x" * 100}" = 1}}', f'; "{"x" * 60}…" is set to 1'),
        ('{"01" = 2026-11-30T23:59:00, "02" = true}', '; "02" is set to true'),
        ('{"02" = "30 November"}', '; "02" is set to "30 November"'),
        ('{"02" = 0001-01-01T00:00:00+23:59}', "from 1970 to 2999"),
        ('{"02" = 9999-12-31T23:59:59}', "from 1970 to 2999"),
    ],
    "partial_credit": [('"no"', "must be true or false")],
    "browser": [('"00"', 'must be a list of lessons, such as ["week1"]')],
    "late": [
        ("0.1", "must be a table of shares from 0 to 1 and of hours"),
        ("{per_day = 10}", "such as {per_day = 0.1, grace_hours = 1, floor = 0.5}"),
        ("{grace_hours = -1}", "shares from 0 to 1"),
        ("{per_week = 0.1}", "such as {per_day = 0.1"),
        ("{floor = true}", "shares from 0 to 1"),
    ],
}


def said_of(tmp_path, text):
    (tmp_path / "course.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SettingError) as raised:
        read_settings(tmp_path)
    place, _, sentence = str(raised.value).partition(": ")
    path, _, line = place.rpartition(":")
    assert path == str(tmp_path / "course.toml")
    assert "\n" not in sentence
    return int(line), sentence


def test_without_a_file(tmp_path):
    assert read_settings(tmp_path) == Settings(tmp_path.name, ("numpy",), pyplot=True)


@pytest.mark.parametrize("name", NAMES)
def test_what_can_be_set(tmp_path, name):
    written, value = SOUND[name]
    (tmp_path / "course.toml").write_text(f"{name} = {written}\n")
    expected = {"id": tmp_path.name, name: value}
    assert read_settings(tmp_path) == Settings(**expected)


def test_an_exercise_may_go(tmp_path):
    (tmp_path / "course.toml").write_text('[leave_out]\na = "worked"\nb = "gone"\n')
    assert read_settings(tmp_path).leave_out == {"a": WORKED, "b": GONE}


@pytest.mark.parametrize(
    "text", [f"points = {{a = {'9' * 5000}}}", f"id = {'[' * 5000}", f"id = {'{a = ' * 5000}"]
)
def test_what_nobody_reads_is_said(tmp_path, text):
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(SettingError, match="longer or deeper than any can be"):
        read_settings(tmp_path)


def test_settings_of_ones_own_go_before(tmp_path):
    (tmp_path / "course.toml").write_text('demo = "a"\npoints = {a = 1}\n')
    (tmp_path / "mine").mkdir()
    own = tmp_path / "mine" / "course.toml"
    own.write_text("\npoints = {b = 2}\n")
    settings = read_settings(tmp_path)
    assert (settings.demo, settings.points) == ("a", {"b": 2})
    own.write_text("\npoints = {b = 0}\n")
    with pytest.raises(SettingError, match="points must be a table") as raised:
        read_settings(tmp_path)
    assert str(raised.value).startswith(f"{own}:2: ")


def test_this_course():
    assert COURSE.settings.id == "attention"
    assert not COURSE.settings.pyplot


@pytest.mark.parametrize("name", NAMES)
def test_what_can_not_be(tmp_path, name):
    for written, said in WRONG[name]:
        line, sentence = said_of(tmp_path, f'# mine\n\n{name} = {written}\nlater = "x"\n')
        assert (line, sentence.partition(" ")[0]) == (3, name)
        assert said in sentence


@pytest.mark.parametrize("name", NAMES)
def test_settings_are_documented(name):
    text = (ROOT / "docs" / "authoring.md").read_text(encoding="utf-8")
    section = text.partition("## Settings of a course")[2].partition("\n## ")[0]
    assert f"\n| `{name} = " in section


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\nid = statistics", 2, "this is not TOML: Invalid value"),
        ('id = "a"\nlessons = ["00",', 2, "this is not TOML: the file ends too soon"),
        (b'id = "a"\ndemo = "\xff"', 2, "this is not TOML, which is text in UTF-8"),
        ('\nname = "x"', 2, "sets name, which is none of id, preload, pyplot"),
        ('lessons = [\n  "00",\n  3,\n]', 3, "lessons must be a list of lessons"),
        ('preload = [\n "numpy",\n "mine" ]', 3, "preload names mine"),
        ('[leave_out]\na = "worked"\n"02/b" = "goes"', 3, "leave_out must be a list"),
        ('[leave_out]\npoints = "gone"\n[points]\nb = 1\na = 0', 5, "points must be a table"),
        ('leave_out.points = "gone"\npoints = {a = 0}', 2, "points must be a table"),
        ('[points]\n"leave_out" = 1\n[ leave_out ]\nb = 1', 4, "leave_out must be a list"),
    ],
)
def test_the_line_of_what_can_not_be(tmp_path, text, line, said):
    found, sentence = said_of(tmp_path, text)
    assert (found, said in sentence) == (line, True), sentence
