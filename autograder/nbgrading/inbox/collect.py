"""Collecting submissions from the exchange, for `nbgrader collect` and formgrader's button."""

import fnmatch
import os
import stat
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import check_mode
from traitlets import List, Unicode

from autograder.errors import GradingFailed
from autograder.grading.submitted_files import (
    SubmittedFolder,
    most_of,
    opened,
    raise_if_ours,
)
from autograder.nbgrading.inbox.arrivals import (
    Arrival,
    anybody_can_replace_in,
    arrivals,
    name_of_owner,
    report,
    why_doubtful,
    why_not_ours,
)
from autograder.nbgrading.inbox.replacing import alone, arriving, finish_replacing, replace
from autograder.nbgrading.inbox.timestamps import NAME


class SafeCollect(ExchangeCollect):  # type: ignore[misc]
    """Collects each student's newest submission that is no doubt theirs, and says what is not.

    nbgrader's own gives up on the class where one name can't be read, follows links to whatever
    the instructor can read, and only warns where one student hands in as another.
    """

    kept_by = List(
        Unicode(),
        help="Accounts of other lecturers, whose inbound folder in the exchange is the course's.",
    ).tag(config=True)

    def init_src(self) -> None:
        """Look at what there is to collect, newest first for each student."""
        if not self.coursedir.course_id:
            self.fail("No course id specified. Re-run with --course flag.")
        self.inbound_path = os.path.join(self.root, self.coursedir.course_id, "inbound")
        if not os.path.isdir(self.inbound_path):
            self.fail(f"Course not found: {self.inbound_path}")
        if not check_mode(self.inbound_path, read=True, execute=True):
            self.fail(f"You don't have read permissions for the directory: {self.inbound_path}")
        not_ours = why_not_ours(
            Path(self.root), Path(self.inbound_path), Path(self.coursedir.root), self.kept_by
        )
        if self.check_owner and not_ours:
            self.fail(not_ours)
        if anybody_can_replace_in(Path(self.inbound_path)):
            self.log.warning(
                "In %s anybody can rename what others have handed in, and give it another time: "
                "whose it is ends that with `chmod +t %s`",
                self.inbound_path,
                self.inbound_path,
            )
        found, self._aside = arrivals(
            Path(self.inbound_path).iterdir(), self.coursedir.assignment_id
        )
        self._notebooks, duedate = self._assignment()
        by_student = defaultdict(list)
        for one in found:
            wanted = fnmatch.fnmatchcase(one.student, self.coursedir.student_id or "*")
            if wanted:
                by_student[one.student].append(one)
        self.src_records = [
            sorted(group, key=_by_preference(duedate), reverse=True)
            for _, group in sorted(by_student.items())
        ]

    def copy_files(self) -> None:
        """Collect, one student after the other; what fails for one costs no other."""
        try:
            with alone(Path(self.coursedir.root, self.coursedir.submitted_directory)):
                self._collect_all()
        except GradingFailed as error:
            self.fail(str(error))

    def _collect_all(self) -> None:
        lesson, course = self.coursedir.assignment_id, self.coursedir.course_id
        self.log.info(
            "Processing %s submissions of %r for course %r", len(self.src_records), lesson, course
        )
        if not self.src_records:
            self.log.warning("No submissions of %r for course %r to collect", lesson, course)
        failed = []
        for group in self.src_records:
            student = group[0].student
            try:
                self._collect(group)
            except (OSError, RecursionError) as error:
                self.log.error("Collecting from %s failed on our side: %s", student, error)
                failed.append(student)
        report(self._aside, self.log)
        if failed:
            self.fail(f"Nothing was collected from {', '.join(failed)}: see the log, and try again")

    def _assignment(self) -> tuple[list[str], datetime | None]:
        """The notebooks to be handed in, and when they are due, if that decides."""
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            names, duedate = [], None
            with suppress(MissingEntry):
                assignment = gradebook.find_assignment(self.coursedir.assignment_id)
                names = [notebook.name for notebook in assignment.notebooks]
                duedate = assignment.duedate if self.before_duedate else None
            return [f"{name}.ipynb" for name in names or [self.coursedir.assignment_id]], duedate

    def _collect(self, group: list[Arrival]) -> None:
        """Take the first that is not doubtful, unless it was taken before."""
        for arrival in group:
            try:
                with opened(arrival.path) as folder:
                    # Whoever hands in can write to the folder, and link what is another's.
                    folder.all_of_one = True
                    name_of = name_of_owner if self.check_owner else None
                    doubt = why_doubtful(arrival, folder, self._notebooks, name_of)
                    if not doubt:
                        return self._take(arrival, folder)
            except OSError as error:
                raise_if_ours(error)
                doubt = "it can't be opened by who collects"
            # What somebody hands in as another comes before what has no name.
            self._aside.insert(0, f"{arrival.path.name} is set aside: {doubt}")
        return None

    def _take(self, arrival: Arrival, folder: SubmittedFolder) -> None:
        directory, student, lesson = self.coursedir, arrival.student, arrival.lesson
        target = Path(directory.format_path(directory.submitted_directory, student, lesson))
        finish_replacing(target)
        if target.is_dir():
            there = directory.get_existing_timestamp(str(target))
            newer = self.update and (there is None or arrival.time > there)
            if not newer and not (self.before_duedate and there != arrival.time):
                hint = "" if self.update else ", use --update to update"
                self.log.info("No newer submission to collect: %s %s%s", student, lesson, hint)
                return
        self.log.info("Collecting submission: %s %s", student, lesson)
        for sentence in self._copy(arrival, folder, arriving(target)):
            self.log.warning("%s: %s", arrival.path.name, sentence)
        replace(target)

    def _copy(self, arrival: Arrival, folder: SubmittedFolder, copy: Path) -> list[str]:
        """Copy what is taken, and say what is not."""
        taken, left_out = folder.files()
        for name in dict.fromkeys([*self._notebooks, *filter(self._is_wanted, taken)]):
            if name not in taken and folder.is_missing(name):
                continue
            path = copy / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(folder.read(name, most_of(name)))
        # The name has decided which submission is the newest; what the file said did not.
        (copy / NAME).write_text(arrival.stamp, encoding="utf-8")
        if self.coursedir.groupshared:
            _share(copy)
        return list(left_out)

    def _is_wanted(self, name: str) -> bool:
        """Whether the settings of the course do not leave the file out."""
        parts = name.split("/")
        return not any(
            fnmatch.fnmatch(part, pattern) for part in parts for pattern in self.coursedir.ignore
        ) and any(fnmatch.fnmatch(parts[-1], pattern) for pattern in self.coursedir.include)


def _by_preference(duedate: datetime | None) -> Callable[[Arrival], tuple[bool, datetime, str]]:
    """What was handed in in time comes before the rest, if that decides; then what is newer."""

    def key(arrival: Arrival) -> tuple[bool, datetime, str]:
        return duedate is not None and arrival.time <= duedate, arrival.time, arrival.path.name

    return key


def _share(folder: Path) -> None:
    """Let the group write, as nbgrader does where several people grade."""
    for path in (folder, *folder.rglob("*")):
        more = 0o2770 if path.is_dir() else 0o660
        with suppress(PermissionError):
            path.chmod(stat.S_IMODE(path.stat().st_mode) | more)
