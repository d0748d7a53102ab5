"""What a course needs to run here: what is there, what is missing, and what mends that."""

import importlib.util
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default.exchange import Exchange
from traitlets.config import Config

from autograder.authoring.lesson.personal import refuse_unmeant
from autograder.counted import counted
from autograder.course import Course
from autograder.errors import CourseError
from autograder.grading.jobs.sandboxes import close_sandboxes, in_sandbox, usual_walls
from autograder.nbgrading.inbox.arrivals import anybody_can_replace_in, why_not_ours
from autograder.nbgrading.term.roster import FILE, read_roster
from autograder.settings import ABOUT_LESSONS

# A class of a hundred leaves so much: notebooks, records and pages.
_ROOM = 2_000_000_000
_PACKAGES = ("nbgrader", "jupyterlab", "numpy", "torch")
_NAMESPACES = "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
_CONTAINER = "start the container with the options that docs/where_it_runs.md gives"


@dataclass(frozen=True)
class Checkup:
    """One thing that was looked at.

    Attributes:
        what: its name.
        found: what there is.
        mend: what to do where something is missing; "" where nothing is.
        is_needed: whether grading is not possible without it.
    """

    what: str
    found: str
    mend: str = ""
    is_needed: bool = True


def examine(course: Course, configured: Callable[[], Config]) -> Iterator[Checkup]:
    """Look at everything, one after the other; what follows from settings, where these can be.

    Args:
        course: the course.
        configured: gives nbgrader's settings for it.
    """
    yield _versions()
    yield _bubblewrap()
    yield _room(course)
    settings = _settings(course)
    yield settings
    if settings.mend:
        return
    config = configured()
    yield _walls(course)
    yield _notebooks(course)
    yield _gradebook(course, config)
    yield _roster(course)
    yield _exchange(course, config)
    yield _private(course, config)
    yield _chromium()


def _versions() -> Checkup:
    found, missing = [f"Python {sys.version.split()[0]}"], []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    mend = "pip install -c constraints.txt '.[grading]'" if missing else ""
    without = [f"no {', '.join(missing)}"] if missing else []
    return Checkup("versions", ", ".join([*found, *without]), mend)


def _settings(course: Course) -> Checkup:
    try:
        lessons = course.lessons()
        for setting in ABOUT_LESSONS:
            course.lessons_in(setting)
        refuse_unmeant(course)
    except CourseError as error:
        return Checkup("settings", str(error), "edit that line")
    return Checkup("settings", f"course {course.settings.id!r}: {', '.join(lessons)}")


def _bubblewrap() -> Checkup:
    if sys.platform != "linux":
        return Checkup("bubblewrap", "none: grading needs Linux", "grade in the container that "
                        "docs/where_it_runs.md describes")  # fmt: skip
    if program := shutil.which("bwrap"):
        return Checkup("bubblewrap", program)
    return Checkup("bubblewrap", "not installed", "sudo apt-get install bubblewrap")


def _walls(course: Course) -> Checkup:
    """Whether a process of a student's can be walled in; it is tried."""
    try:
        in_sandbox(usual_walls(course, "full"), lambda box: box.wait_until_ready())
    except CourseError as error:
        # What bubblewrap says where a container engine hides a part of /proc.
        mend = _CONTAINER if "mount proc" in str(error) else _NAMESPACES
        return Checkup("sandbox", str(error), mend)
    finally:
        close_sandboxes()
    return Checkup("sandbox", "opens, with all of its walls")


def _room(course: Course) -> Checkup:
    free = shutil.disk_usage(course.root).free
    mend = "" if free >= _ROOM else f"make room: {_ROOM / 1e9:g} GB are enough for a class"
    return Checkup("disk", f"{free / 1e9:.1f} GB free", mend)


def _notebooks(course: Course) -> Checkup:
    missing = [
        lesson
        for lesson in course.lessons()
        if not (course.source / lesson / f"{lesson}.ipynb").is_file()
    ]
    if not missing:
        return Checkup("instructor's notebooks", "built")
    found = f"missing of {', '.join(missing)}"
    return Checkup("instructor's notebooks", found, "autograder build", is_needed=False)


def _gradebook(course: Course, config: Config) -> Checkup:
    url = CourseDirectory(config=config).db_url
    place = Path(url.removeprefix("sqlite:///"))
    if not url.startswith("sqlite:///"):
        return Checkup("gradebook", "on a database server")
    if not place.exists():
        return Checkup("gradebook", "none yet: the first Generate makes it", is_needed=False)
    if not os.access(place, os.W_OK) or not os.access(place.parent, os.W_OK):
        return Checkup("gradebook", f"{place} can't be written to", f"chmod u+w {place}")
    return Checkup("gradebook", str(place))


def _roster(course: Course) -> Checkup:
    path = course.root / FILE
    if not path.exists():
        return Checkup("roster", "none", "autograder roster FILE.csv", is_needed=False)
    try:
        students = read_roster(path, course.lesson_named)
    except CourseError as error:
        return Checkup("roster", str(error), "edit that line")
    without = sum(not one.names.get("email") for one in students)
    emails = f", {without} without an e-mail, which Gradescope needs" if without else ""
    return Checkup("roster", f"{counted(len(students), 'student')}{emails}")


def _exchange(course: Course, config: Config) -> Checkup:
    """The exchange matters where students release and submit with nbgrader's own commands."""
    root = Path(Exchange(config=config).root)
    if not root.is_dir():
        return Checkup("exchange", f"none at {root}: the first Release makes it", is_needed=False)
    mode = stat.S_IMODE(root.stat().st_mode)
    is_open = mode & 0o003 == 0o003
    found = f"{root}, {'open' if is_open else 'closed'} to other accounts"
    if anybody_can_replace_in(root):
        found += ", where anybody can put a folder of theirs in the place of the course's"
    mend = "" if is_open and not anybody_can_replace_in(root) else f"chmod 1777 {root}"
    inbound = root / course.settings.id / "inbound"
    if inbound.is_dir() and anybody_can_replace_in(inbound):
        found += f"; in {inbound} anybody can rename what others have put there"
        mend = mend or f"chmod +t {inbound}"
    if not mend and inbound.is_dir():
        kept_by = config.SafeCollect.get("kept_by", ())
        mend = why_not_ours(root, inbound, course.root, kept_by)
    return Checkup("exchange", found, mend, is_needed=False)


def _private(course: Course, config: Config) -> Checkup:
    """Whether students with an account on the same machine read solutions, submissions, grades."""
    folders = (course.root, *course.root.parents)
    if not all(one.stat().st_mode & stat.S_IXOTH for one in folders):
        return Checkup("privacy", "no other account reads what is in the course")
    found = "every account of this machine reads solutions, submissions and grades"
    mend = f"chmod o= {course.root}"
    if Path(Exchange(config=config).root).resolve().is_relative_to(course.root.resolve()):
        mend += "; students who are to reach the exchange need it outside: docs/teaching.md"
    return Checkup("privacy", found, mend, is_needed=False)


def _chromium() -> Checkup:
    if program := shutil.which("chromium"):
        return Checkup("Chromium", program)
    playwright = importlib.util.find_spec("playwright")
    found = "not installed; only the project's own tests open it"
    mend = "sudo apt-get install chromium" if playwright else ""
    return Checkup("Chromium", found, mend, is_needed=False)
