"""nbgrader's loop over submissions, or lessons, with each of them kept whole or not at all."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from nbgrader.converters import BaseConverter, NbGraderException

from autograder.nbgrading.all_or_nothing import MAKING, Folder
from autograder.nbgrading.failures import sentence_of
from autograder.nbgrading.gradebook.transaction import transaction
from autograder.nbgrading.routine import no_warnings_of_routine

UNCHANGED = "nothing was changed"


class OneByOne(BaseConverter):  # type: ignore[misc]
    """Makes one folder after the other, each in a place of its own until it is complete."""

    def convert_notebooks(self) -> None:
        """Make all that is asked for; what fails is told, and changes nothing.

        Raises:
            NbGraderException: at the end, with what failed.
        """
        no_warnings_of_routine(self.log)
        failures = []
        order = sorted(self.assignments)
        for number, source in enumerate(order):
            self.begin_ahead(order[number:])
            self.notebooks = sorted(self.assignments[source])
            try:
                self._make(*self._names_of(source))
            except Exception as failure:
                sentence = f"{sentence_of(failure)} ({UNCHANGED})"
                failures.append(sentence)
                self.log.error("%s: %s", source, sentence)
                self.log.info("All of it", exc_info=True)
        if failures:
            others = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
            raise NbGraderException(f"{failures[0]}{others}")

    def begin_ahead(self, sources: Sequence[str]) -> None:
        """Begin what others can do of those that come next; whoever has no others does nothing."""

    def is_wanted(self, lesson: str, student: str) -> bool:
        """Whether there is anything to do."""
        raise NotImplementedError

    def is_finished(self, folder: Path) -> bool:
        """Whether what is in a folder was made to its end."""
        raise NotImplementedError

    def prepare(self, lesson: str, student: str) -> None:
        """Make what takes time, and changes nothing in the gradebook."""

    def complete(self, lesson: str, student: str) -> None:
        """Make the rest; what nbgrader's steps write to the gradebook is kept after that."""
        raise NotImplementedError

    def settle(self, folder: Path) -> None:
        """What is left to do when all is kept."""

    def folder(self, lesson: str, student: str) -> Folder:
        """The folder that is made."""

        def path(*steps: str) -> Path:
            step = os.path.join(self.final_directory, *steps)
            return Path(os.path.normpath(self.coursedir.format_path(step, student, lesson)))

        return Folder(path(), path(MAKING))

    @property
    def final_directory(self) -> str:
        """nbgrader's name for where such folders are."""
        raise NotImplementedError

    @property
    def _output_directory(self) -> str:
        return os.path.join(self.final_directory, MAKING)

    def _make(self, lesson: str, student: str) -> None:
        folder = self.folder(lesson, student)
        with folder.alone():
            folder.recover(self.is_finished)
            # What nbgrader would delete here is not there yet: this asks whom to leave out.
            if not self.init_destination(lesson, student) or not self.is_wanted(lesson, student):
                self.log.info("Skipping what is there already: %s", folder.place)
                return
            self.run_pre_convert_hook()
            with folder.made_anew(keep_others=self.coursedir.notebook_id != "*"):
                self.prepare(lesson, student)
                with transaction(self.coursedir) as gradebook:
                    self.complete(lesson, student)
                    self.set_permissions(lesson, student)
                    with folder.replaced():
                        gradebook.keep()
                self.settle(folder.place)
            self.run_post_convert_hook()

    def _names_of(self, source: str) -> tuple[str, str]:
        pattern = self._format_source("(?P<lesson>.*)", "(?P<student>.*)", escape=True)
        found = re.match(pattern, source)
        if found is None:
            raise NbGraderException(f"{source} does not lie where nbgrader looks: {pattern}")
        return found["lesson"], found["student"]
