"""When a submission was handed in: the one reader of timestamps, for every way in.

A timestamp is a student's text. nbgrader's own readers give up on the whole class where one can't
be read, wait for a pipe, take today for a date that is not given, and open the file that a time
zone names.
"""

import datetime
import os
import re
from dataclasses import dataclass
from pathlib import Path

import dateutil.parser
import dateutil.tz

from autograder.grading.submitted_files import read_regular

NAME = "timestamp.txt"
_BYTES = 1000
_TEXT = re.compile(r"[A-Za-z0-9 :.,+/_-]{1,100}")
# A time has 17 words, numbers and signs. dateutil takes ten times as long for a text that has more.
_PART, _MOST_PARTS = re.compile(r"[A-Za-z]+|[0-9]+|[^A-Za-z0-9]"), 24
# As nbgrader writes it. Whoever can write to an exchange can put tens of thousands of names there,
# and dateutil takes a hundred times as long for one.
_AS_NBGRADERS = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{6})?) UTC", re.ASCII)
# A name from the time zone database, or seconds. dateutil would open an absolute path, too.
_ZONE = re.compile(r"[A-Za-z][\w+-]*(/[A-Za-z][\w+-]*)*|[+-]?\d{1,6}")
# Far from the ends of what a date can be, so that no time zone carries it over them.
_YEARS = range(1970, 3000)
_SOME_DAY, _ANOTHER_DAY = datetime.datetime(2000, 1, 1), datetime.datetime(2003, 4, 5)


@dataclass(frozen=True)
class Stamp:
    """When a submission was handed in. `problem` says why that can't be told, if it was given."""

    time: datetime.datetime | None = None
    problem: str = ""


def stamp_of(folder: Path) -> Stamp:
    """What a submission's timestamp.txt says; where there is none, there is nothing to say."""
    path = folder / NAME
    if not os.path.lexists(path):
        return Stamp()
    content = read_regular(path, _BYTES)
    if not content.strip():
        return Stamp(problem=f"{NAME} is empty, or not a small file that can be read")
    time = time_in(content.decode("utf-8-sig", "replace"))
    return Stamp(time, "" if time else f"{NAME} holds no time that can be read")


def time_in(text: str) -> datetime.datetime | None:
    """The time that a text names, in UTC as nbgrader keeps it; None if it names none."""
    try:
        time = _named_by(text.strip())
    except Exception:
        # dateutil promises nothing of what it raises on a text that is no date.
        return None
    return time if time and time.year in _YEARS else None


def _named_by(text: str) -> datetime.datetime | None:
    if known := _AS_NBGRADERS.fullmatch(text):
        return datetime.datetime.fromisoformat(known[1])
    day, *rest = text.split(" ")
    if not _TEXT.fullmatch(text) or (len(rest) == 2 and not _ZONE.fullmatch(rest[1])):
        return None
    if len(_PART.findall(text)) > _MOST_PARTS:
        return None
    if not _names_a_day(" ".join([day, *rest[:1]] if len(rest) == 2 else [text])):
        return None
    return _in_utc(text)


def _in_utc(text: str) -> datetime.datetime:
    """A time as nbgrader reads it: "2030-01-02 00:00:00 UTC", a zone by its name or in seconds."""
    day, *rest = text.split(" ")
    zones = {}
    if len(rest) == 2:
        clock, zone = rest
        zones["TZ"] = int(zone) if zone.lstrip("+-").isdecimal() else dateutil.tz.gettz(zone)
        text = f"{day} {clock} TZ"
    time: datetime.datetime = dateutil.parser.parse(text, tzinfos=zones)
    offset = time.utcoffset()
    return (time - offset).replace(tzinfo=None) if offset is not None else time


def _names_a_day(text: str) -> bool:
    """Whether it does so in full: for what is missing, dateutil takes today."""
    days = {
        dateutil.parser.parse(text, default=day, ignoretz=True).date()
        for day in (_SOME_DAY, _ANOTHER_DAY)
    }
    return len(days) == 1
