"""What lies in an exchange's inbound folder, where students can put whatever they like.

A folder there is a submission if its name says whose it is, of which lesson and of when, and if it
belongs to the student whom it names. Any other is set aside, with a sentence that says why.
"""

import logging
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autograder.grading.submitted_files import SubmittedFolder, shown
from autograder.nbgrading.inbox.secret import SECRET
from autograder.nbgrading.inbox.student_ids import NOBODY, is_student_id
from autograder.nbgrading.inbox.timestamps import time_in

_REPORTED = 20
# The last part is random, so that nobody can guess the name.
_NAME = re.compile(r"(?P<student>[^+]+)\+(?P<lesson>[^+]+)\+(?P<time>[^+]+)(\+[\w-]*)?")
_BY_HAND = 2  # as many + has a name without the random part


@dataclass(frozen=True)
class Arrival:
    """A folder whose name is a submission's. `stamp` is how the name writes the time."""

    path: Path
    student: str
    lesson: str
    stamp: str
    time: datetime


def arrivals(paths: Iterable[Path], lesson: str = "") -> tuple[list[Arrival], list[str]]:
    """The folders with names of submissions, of one lesson or all, and why others are set aside."""
    found, aside = [], []
    for path in sorted(paths):
        if lesson and path.name.count("+") >= 2 and path.name.split("+")[1] != lesson:
            continue
        arrival = _named(path)
        if isinstance(arrival, str):
            aside.append(f"{shown(path.name)} is set aside: {arrival}")
        else:
            found.append(arrival)
    return found, aside


def report(aside: Sequence[str], log: logging.Logger) -> None:
    """Say what is set aside, as far as somebody will read it."""
    for sentence in aside[:_REPORTED]:
        log.warning(sentence)
    if len(aside) > _REPORTED:
        log.warning("%s more are set aside", len(aside) - _REPORTED)


def _named(path: Path) -> Arrival | str:
    parts = _NAME.fullmatch(path.name)
    if not parts:
        return "it is not named <student>+<lesson>+<time>, as a submission is"
    if not is_student_id(parts["student"]):
        return NOBODY
    time = time_in(parts["time"])
    if time is None:
        return "its name holds no time that can be read"
    if not parts["lesson"].isprintable():
        return "its name holds what can't be printed"
    if path.is_symlink() or not path.is_dir():
        return "it is not a folder of its own"
    return Arrival(path, parts["student"], parts["lesson"], parts["time"], time)


def name_of_owner(owner: int) -> str:
    """How an account is called; its number if it has no name."""
    with suppress(ImportError, KeyError):
        import pwd

        return pwd.getpwuid(owner).pw_name
    return str(owner)


def keeper_of(inbound: Path) -> int:
    """The account that keeps an exchange."""
    return os.stat(inbound).st_uid


def anybody_can_replace_in(folder: Path) -> bool:
    """Whether everybody can rename what others have put into a folder, as into an exchange."""
    mode = folder.stat().st_mode
    return bool(mode & stat.S_IWOTH) and not mode & stat.S_ISVTX


def why_not_ours(exchange: Path, inbound: Path, course: Path, kept_by: Collection[str] = ()) -> str:
    """Why a student may have made an inbound folder; "" where none can have.

    Args:
        exchange: the folder in which all can make folders.
        inbound: the course's in it, into which students put theirs.
        course: the course's own folder; to whom it belongs may keep an exchange for it.
        kept_by: names of other accounts that may.
    """
    keeper = keeper_of(inbound)
    if keeper == os.geteuid():
        return ""
    if anybody_can_replace_in(exchange):
        return (
            f"{inbound} belongs to {name_of_owner(keeper)}, and in {exchange} anybody can put a "
            f"folder in the place of another: nothing is collected before `chmod +t {exchange}`, "
            "and before you have made sure whose that folder is"
        )
    if keeper in (0, course.stat().st_uid) or name_of_owner(keeper) in kept_by:
        return ""
    return (
        f"{inbound} belongs to {name_of_owner(keeper)}, who is neither you nor whose this course's "
        "folder is, and may have made it to take in what others submit: nothing is collected. If "
        f"that is a lecturer, say c.SafeCollect.kept_by = [{name_of_owner(keeper)!r}] in "
        "nbgrader_config.py; else have the folder removed"
    )


def why_anothers(
    arrival: Arrival, folder: SubmittedFolder, name_of: Callable[[int], str] = name_of_owner
) -> str:
    """Why a submission is not that of the student whom it names; "" if it is."""
    if name_of(folder.owner) == arrival.student:
        return ""
    inbound = arrival.path.parent
    # Who keeps the exchange may put there what they were given by other ways.
    if folder.owner == keeper_of(inbound):
        if not anybody_can_replace_in(inbound):
            return ""
        return (
            f"it was put there by who keeps the exchange, and anybody can rename it: end that with "
            f"`chmod +t {inbound}`, make sure that it is {arrival.student}'s, and collect again"
        )
    return (
        f"it belongs to {shown(name_of(folder.owner))}, and not to {arrival.student} "
        "(where all students share one account, c.ExchangeCollect.check_owner = False says so)"
    )


def why_doubtful(
    arrival: Arrival,
    folder: SubmittedFolder,
    notebooks: Iterable[str],
    name_of: Callable[[int], str] | None,
) -> str:
    """Why a submission must not take the place of an earlier one; "" if it may.

    Args:
        arrival: the submission.
        folder: its folder, open.
        notebooks: the files that are to be graded.
        name_of: how an account is called; None where the owners of folders say nothing.
    """
    if name_of and (anothers := why_anothers(arrival, folder, name_of)):
        return anothers
    keeper = keeper_of(arrival.path.parent)
    # Who keeps the exchange puts folders there by hand; `nbgrader submit` writes this last.
    by_command = arrival.path.name.count("+") > _BY_HAND or folder.owner != keeper
    if by_command and folder.is_missing(SECRET):
        return f"it has no {SECRET} yet, so it is still on its way, or was broken off there"
    for notebook in notebooks:
        if reason := folder.refusal(notebook):
            return f"{shown(notebook)} can't be taken: {reason}"
    return ""
