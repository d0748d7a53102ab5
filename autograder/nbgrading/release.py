"""Releasing lessons and feedback to the exchange: nbgrader's commands, and formgrader's buttons."""

import glob
import os
import re
import shutil
import stat
from collections import defaultdict
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from nbgrader.exchange.default import ExchangeReleaseAssignment, ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash

from autograder.grading.submitted_files import shown
from autograder.nbgrading.inbox.arrivals import anybody_can_replace_in
from autograder.nbgrading.inbox.secret import SECRET, secret_in
from autograder.nbgrading.inbox.student_ids import is_student_id


class SafeRelease(ExchangeReleaseAssignment):  # type: ignore[misc]
    """Releases to an exchange in which everybody can make folders, and only their owners move them.

    nbgrader's own lets everybody do both: a student who renames the course's folder, and makes one
    that is called the same, hands out notebooks and takes in what others submit.
    """

    def ensure_root(self) -> None:
        """Open the exchange to everybody, as nbgrader does, and no further."""
        super().ensure_root()
        self._let_only_owners_move(
            Path(self.root), "anybody can put a folder of theirs in the place of the course's"
        )

    def init_dest(self) -> None:
        """Make the course's folders, as nbgrader does, and let nobody move what others hand in."""
        super().init_dest()
        self._let_only_owners_move(
            Path(self.inbound_path), "anybody can rename what others have put there"
        )

    def _let_only_owners_move(self, folder: Path, risk: str) -> None:
        if not anybody_can_replace_in(folder):
            return
        try:
            folder.chmod(stat.S_IMODE(folder.stat().st_mode) | stat.S_ISVTX)
        except PermissionError:
            self.log.warning(
                "In %s %s: whose it is ends that with `chmod +t %s`", folder, risk, folder
            )


class SafeReleaseFeedback(ExchangeReleaseFeedback):  # type: ignore[misc]
    """Releases a page for everybody who can fetch one, and says who can't.

    nbgrader's own gives up on the class where one student handed in by folder, and releases any
    page that lies beside the feedback.
    """

    def copy_files(self) -> None:
        """Release, one student after the other; what fails for one costs no other."""
        excluded = set(self.coursedir.student_id_exclude.split(","))
        failed = []
        for page in sorted(map(Path, glob.glob(os.path.join(self.src_path, "*.html")))):
            student = self._student_of(page.parent)
            if not is_student_id(student) or student in excluded:
                continue
            if not self._is_ours(student, page.stem):
                self.log.warning("%s is left out: no graded notebook is called that", page)
                continue
            try:
                self._release(student, page)
            except OSError as error:
                self.log.error("Releasing feedback for %s failed on our side: %s", student, error)
                failed.append(student)
        if failed:
            self.fail(f"Nothing was released for {', '.join(failed)}: see the log, and try again")

    def _student_of(self, folder: Path) -> str:
        directory = self.coursedir
        step, lesson = directory.feedback_directory, directory.assignment_id
        pattern = directory.format_path(step, "(?P<student>.*)", lesson, escape=True)
        found = re.fullmatch(pattern, str(folder))
        return found["student"] if found else ""

    def _is_ours(self, student: str, notebook: str) -> bool:
        directory = self.coursedir
        step, lesson = directory.autograded_directory, directory.assignment_id
        return Path(directory.format_path(step, student, lesson), f"{notebook}.ipynb").is_file()

    @cached_property
    def _whose(self) -> dict[str, list[str]]:
        """The students by the secrets in their feedback: whoever is asked for, of the class."""
        directory = self.coursedir
        folders = directory.format_path(directory.feedback_directory, "*", directory.assignment_id)
        found = defaultdict(list)
        for folder in sorted(map(Path, glob.glob(folders))):
            # Whose can't be read is told when it is released.
            with suppress(OSError):
                found[secret_in(folder)].append(self._student_of(folder))
        return found

    def _release(self, student: str, page: Path) -> None:
        secret = secret_in(page.parent)
        if not secret:
            self.log.warning(
                "%s handed in by folder, without the secret under which `nbgrader fetch_feedback` "
                "finds a page: give them %s yourself",
                student,
                page,
            )
            return
        if others := [one for one in self._whose[secret] if one != student]:
            self.log.warning(
                "%s has the same %s as %s, as in a copied folder, and one page would replace the "
                "other: none is released; give them %s yourself",
                student,
                SECRET,
                ", ".join(map(shown, others)),
                page,
            )
            return
        name = notebook_hash(secret=secret, notebook_id=page.stem)
        draft, released = (
            Path(self.dest_path, f"{name}{suffix}") for suffix in ("-tmp.html", ".html")
        )
        shutil.copy(page, draft)
        # At once: somebody may be fetching it.
        draft.replace(released)
        self.log.info("Released feedback for %s on %s to %s", student, page.stem, released)
