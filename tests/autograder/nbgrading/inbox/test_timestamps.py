"""What is taken for a time, and what a timestamp that is none costs: itself alone."""

from datetime import datetime
from pathlib import Path

import pytest
from nbgrader.utils import parse_utc

from autograder.nbgrading.inbox import timestamps
from autograder.nbgrading.inbox.timestamps import NAME, Stamp, stamp_of, time_in
from tests.support.attacks.inputs import MAKERS

NOON = datetime(2030, 1, 2, 12)

TIMES = {
    "2030-01-02 12:00:00.000000 UTC": NOON,
    "2030-01-02 12:00:00": NOON,
    " 2030-01-02 12:00:00 UTC\r\n": NOON,
    "2030-01-02T12:00:00Z": NOON,
    "2030-01-02T13:00:00+01:00": NOON,
    "2030-01-02 13:00:00 Europe/Berlin": NOON,
    "2030-01-02 13:00:00 3600": NOON,
    "Wed, 02 Jan 2030 12:00:00 GMT": NOON,
    "20300102T120000": NOON,
    "2030-01-02": datetime(2030, 1, 2),
}

NO_TIMES = [
    *("", " ", "\n", "nonsense", "a", "-", "None", "<b>2030-01-02</b>", "2030-01-02\n12:00", "\0"),
    # What dateutil would fill up with the day on which it is read.
    *("1", "12:00", "Monday", "Jan 2", "2030", "2030-01", "12:00:00 UTC"),
    # Numbers that no date, no offset and no C integer can be.
    *("1" * 400, "1" * 90, "9" * 20, "1e400", "0" * 90 + "-01-01", "9999-99-99 12:00:00"),
    "2030-01-02 12:00:00 " + "9" * 18,
    "2030-01-02T12:00:00+99:99",
    # Dates that a time zone carries out of range, or that lie beyond all terms.
    *("0001-01-01 00:00:00 +14", "9999-12-31 23:59:59 -23", "9999-12-31 23:59:59 UTC"),
    *("3000-01-01 00:00:00 UTC", "1969-12-31 23:59:59 UTC"),
    # Time zones that are files.
    *("2030-01-02 12:00:00 /etc/localtime", "2030-01-02 12:00:00 :/etc/localtime"),
    *("2030-01-02 12:00:00 ../../../etc/localtime", "2030-01-02 12:00:00 Europe/../../x"),
    # Digits of other scripts, letters that look like others, and what turns the writing around.
    *(
        "\u0662\u0660\u0663\u0660-01-02 12:00:00",
        "2030-01-02 12:00:00 UT\u0421",
        "\u202e2030-01-02",
    ),
]


@pytest.mark.parametrize("text", TIMES)
def test_time(text: str) -> None:
    assert time_in(text) == TIMES[text] == parse_utc(text.strip())


def test_what_nbgrader_writes_is_quick_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without dateutil, to which somebody could give tens of thousands of names to read."""
    monkeypatch.setattr(timestamps, "dateutil", None)
    for text in ("2030-01-02 12:00:00 UTC", "2030-01-02 12:00:00.000000 UTC"):
        assert time_in(text) == NOON
    for text in ("2030-02-30 12:00:00 UTC", "9999-01-02 12:00:00 UTC", "2030-01-02 24:00:00 UTC"):
        assert time_in(text) is None


@pytest.mark.parametrize("text", ["2030 Jan 2 " + ", " * 40, "2030 Jan 2 " + "a1" * 40])
def test_what_would_take_long_is_no_time(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """dateutil, which is not asked, takes milliseconds for either."""
    monkeypatch.setattr(timestamps, "dateutil", None)
    parsed: list[str] = []
    monkeypatch.setattr(timestamps, "_in_utc", parsed.append)
    monkeypatch.setattr(timestamps, "_names_a_day", parsed.append)
    assert time_in(text.strip()) is None
    assert parsed == []


@pytest.mark.parametrize("text", NO_TIMES, ids=lambda text: ascii(text)[:40])
def test_no_time(text: str) -> None:
    assert time_in(text) is None


def test_where_nothing_is_said(tmp_path: Path) -> None:
    assert stamp_of(tmp_path) == stamp_of(tmp_path / "nowhere") == Stamp()


def test_file(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"\xef\xbb\xbf2030-01-02 12:00:00 UTC\r\n")
    assert stamp_of(tmp_path) == Stamp(NOON)


@pytest.mark.parametrize(
    "content", [b"nonsense", b"\xff\xfe2\x000\x00", b"\xff9999-99-99", b"1" * 400]
)
def test_file_that_holds_no_time(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    assert stamp_of(tmp_path) == Stamp(problem="timestamp.txt holds no time that can be read")


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_what_is_no_plain_file(tmp_path: Path, make) -> None:
    make(tmp_path / NAME)
    assert stamp_of(tmp_path) == Stamp(
        problem="timestamp.txt is empty, or not a small file that can be read"
    )
