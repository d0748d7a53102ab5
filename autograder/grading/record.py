"""The record that is kept of each graded submission, beside its notebook, as JSON.

    version      of this form: 1; a program reads those of its own version, and older ones
    submission   SHA-256 of the student's file as it was read, or of why there is none to grade
    not_graded   why a human has to look before anything is graded; "" if it was graded
    files        SHA-256 of each file that was handed in beside it
    answers      SHA-256 of the text of each answer, by the name of its cell
    added        SHA-256 of the cells and files that the student added
    answers_before, added_before   of what can't be graded: the same of the last that could be
    final_before     of what can't be graded: by cell, the points and extra credit of a human's
                     that were final for the last text that could be
    source       SHA-256 of what the instructor's notebook runs and gives points for, not its text
    code         SHA-256 of the exams, the reference, the files beside the instructor's notebook,
                 the course's other modules and settings
    seed         where the random numbers of the student's process began
    exam_seed    SHA-256 of the course's number from which hidden cases were drawn
    isolation    which walls stood
    libraries    their versions, and Python's
    remarks      what was wrong with the submission itself, and what of the libraries it changes
    seconds      how long it took
    time         in seconds that were run or slept: what was used and what was allowed; and what
                 the instructor's solution took, or null where nobody had to know that
    cells        for each test: grade_id, verdict, points, max_points, message, misconception,
                 hint, seconds; right_but_for: the one thing that is wrong, where the rest has
                 earned half of the points; exception: what the one says that stopped the answer;
                 places: where to look in an answer that no hint explains, each with its line,
                 text, about and more; could_be_forged: whether the test ran in the student's
                 process, as the lecturer has allowed; made_with_answers: the names that given
                 cells have made with an answer, and that the test took as they are in the
                 student's process

A verdict is the name of one of `autograder.checks.exam.report.Verdict`, in small letters.
"""

import hashlib
import json
import platform
import textwrap
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

from nbformat.notebooknode import NotebookNode

from autograder.checks.exam.report import Place, Verdict
from autograder.checks.source.cells import UNANSWERED, grade_id_of, has_role
from autograder.errors import GradingFailed, NewerRecord
from autograder.grading.allowed import Allowed
from autograder.grading.cell_verdict import SOLUTION_FAILS, CellVerdict
from autograder.grading.inert import whole_text

VERSION = 1
RECORD_SUFFIX = ".verdicts.json"
# Of what an exception says, which can be as long as a student likes.
_TOLD = 300
# How notices about files begin that no student has written: what collects has put them there.
_LECTURERS = ("timestamp.txt ",)
# How `Layers.record` begins where all walls stood.
_WALLED = "isolation full"
_LIBRARIES = ("nbgrader", "numpy", "torch", "ipython")


@dataclass(frozen=True, kw_only=True)
class CellRecord:
    """What is kept of one test cell."""

    grade_id: str
    verdict: Verdict
    points: float
    max_points: float
    message: str = ""
    misconception: str = ""
    hint: str = ""
    right_but_for: str = ""
    exception: str = ""
    places: tuple[Place, ...] = ()
    seconds: float = 0.0
    made_with_answers: tuple[str, ...] = ()
    could_be_forged: bool = False

    @classmethod
    def of(cls, found: CellVerdict) -> Self:
        """What is kept of a verdict."""
        report = found.report
        told = textwrap.shorten(report.stopped_by, _TOLD, placeholder="…") if report else ""
        return cls(
            grade_id=found.grade_id,
            verdict=found.verdict,
            points=found.points,
            max_points=found.max_points,
            message=found.message,
            misconception=report.misconception if report else "",
            hint=report.hint if report else "",
            right_but_for=report.right_but_for if report else "",
            exception=told,
            places=report.places if report else (),
            seconds=round(found.seconds, 3),
            made_with_answers=tuple(sorted(found.made_with)),
            could_be_forged=found.beside,
        )

    @property
    def exercise(self) -> str:
        """The name of the exercise that it examines."""
        return self.grade_id.removesuffix("_check")

    @property
    def where_to_look(self) -> str:
        """What a change in the first place would be about; "" where there is none."""
        return next((one.more or one.about for one in self.places), "")

    def as_json(self) -> dict[str, Any]:
        """As it is written."""
        return {**asdict(self), "verdict": self.verdict.name.lower()}

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Self:
        """As it was read; what an earlier program did not write is empty."""
        known = {name: written[name] for name in cls.__dataclass_fields__ if name in written}
        return cls(
            **{
                **known,
                "verdict": Verdict[str(written["verdict"]).upper()],
                "points": float(written["points"]),
                "max_points": float(written["max_points"]),
                "places": tuple(Place(**one) for one in written.get("places", ())),
                "made_with_answers": tuple(written.get("made_with_answers", ())),
            }
        )


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Under which a submission is graded now.

    Attributes:
        isolation: which walls.
        seed: where the random numbers of the student's process begin.
        exam_seed: by which the number is known again from which hidden cases are drawn.
        source: by which the instructor's notebook is.
        marked: its tests that are to run beside the student's code.
        beside: whether each other test does that can't be judged.
    """

    isolation: str
    seed: int
    exam_seed: str
    source: str
    marked: Set[str]
    beside: bool

    def is_where(self, cell: CellRecord) -> bool:
        """Whether a test ran where it would run now."""
        if cell.could_be_forged:
            return self.beside or cell.grade_id in self.marked
        return not (self.beside and cell.message.startswith(SOLUTION_FAILS))


@dataclass(frozen=True, kw_only=True)
class Record:
    """The record of one grading; see above."""

    submission: str = ""
    not_graded: str = ""
    source: str = ""
    seed: int = 0
    exam_seed: str = ""
    isolation: str = ""
    libraries: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    seconds: float = 0.0
    time: Mapping[str, float | None] = field(default_factory=dict)
    cells: tuple[CellRecord, ...] = ()
    code: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    added: str = ""
    answers_before: Mapping[str, str] = field(default_factory=dict)
    added_before: str = ""
    final_before: Mapping[str, Sequence[float | None]] = field(default_factory=dict)

    def is_as_asked(self, asked: Conditions) -> bool:
        """Whether no fewer walls stood than are asked for, each test ran where it would now, and
        random numbers, hidden cases and the instructor's notebook were the same.

        What nobody could grade was not run. An earlier program's record does not know the number.
        """
        stood = asked.isolation == "none" or str(self.isolation).startswith(_WALLED)
        ran = stood and self.seed == asked.seed and all(map(asked.is_where, self.cells))
        same = self.exam_seed in ("", asked.exam_seed) and self.source in ("", asked.source)
        return same and (ran or bool(self.not_graded))

    @property
    def notices(self) -> list[str]:
        """Its remarks, but for what an exercise says as well."""
        said = [cell.message for cell in self.cells]
        return [one for one in self.remarks if not any(text.startswith(one) for text in said)]

    @property
    def unanswered(self) -> list[str]:
        """The cells without an answer that no test speaks of: questions left as they were given."""
        tested = {name for cell in self.cells for name in (cell.grade_id, cell.exercise)}
        blank = {_digest_of(text) for text in ("", UNANSWERED)}
        return [
            name for name, digest in self.answers.items() if digest in blank and name not in tested
        ]

    def text(self) -> str:
        """The file that is kept."""
        written = {
            "version": VERSION,
            **{name: getattr(self, name) for name in self.__dataclass_fields__},
            "cells": [cell.as_json() for cell in self.cells],
        }
        return json.dumps(written, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, path: Path) -> Self:
        """The record in a file.

        Raises:
            FileNotFoundError: when there is none.
            NewerRecord: when it is one of a newer program's.
            GradingFailed: when it can't be read.
        """
        try:
            written = json.loads(path.read_text(encoding="utf-8"))
            found = written["version"]
            if isinstance(found, int) and found > VERSION:
                raise NewerRecord(
                    f"the record {path} is of a newer version of this program (form {found}, and "
                    f"this one reads {VERSION}): grade with that version, or this submission "
                    "again with --force"
                )
            known = {name: written[name] for name in cls.__dataclass_fields__ if name in written}
            cells = tuple(map(CellRecord.from_json, written["cells"]))
            remarks = tuple(map(str, written.get("remarks", ())))
            for name in ("files", "answers", "answers_before"):
                known[name] = dict(written.get(name, {}))
            return cls(**{**known, "cells": cells, "remarks": remarks})
        except FileNotFoundError:
            raise
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise GradingFailed(
                f"the record {path} can't be read ({type(error).__name__}: {error}): grade this "
                "submission again with --force"
            ) from error

    @classmethod
    def known(cls, path: Path) -> Self | None:
        """The record of a grading that came to its end; nothing of any other."""
        try:
            return cls.before(path)
        except NewerRecord:
            return None

    @classmethod
    def before(cls, path: Path) -> Self | None:
        """The same, where another grading would take its place unasked.

        Raises:
            NewerRecord: when it is one of a newer program's, which knows more than this one.
        """
        try:
            return cls.read(path)
        except NewerRecord:
            raise
        except (FileNotFoundError, GradingFailed):
            return None

    @classmethod
    def is_whole(cls, path: Path) -> bool:
        """Whether a grading came to its end, be it a newer program's."""
        try:
            return cls.before(path) is not None
        except NewerRecord:
            return True


def make_record(
    source: str,
    submission: bytes,
    verdicts: Sequence[CellVerdict],
    remarks: Sequence[str],
    *,
    seed: int,
    isolation: str,
    seconds: float,
    used: float,
    allowed: Allowed,
) -> Record:
    """The record of one grading; `source` is the digest of the instructor's notebook."""
    return Record(
        submission=hashlib.sha256(submission).hexdigest(),
        source=source,
        seed=seed,
        isolation=isolation,
        libraries={"python": platform.python_version(), **_versions()},
        remarks=tuple(remarks),
        seconds=round(seconds, 3),
        time={
            "used": round(used, 3),
            "allowed": round(allowed.seconds, 3),
            "solution": round(allowed.solution.submission, 3) if allowed.solution else None,
        },
        cells=tuple(map(CellRecord.of, verdicts)),
    )


def noticed(records: Iterable[Record], *, waits: bool) -> list[str]:
    """What is to be said of a submission as a whole, by the records of its notebooks.

    Args:
        records: the records.
        waits: whether a human has still to grade something of it.
    """
    told = []
    for record in records:
        if record.not_graded and waits:
            told.append(f"not graded yet: {record.not_graded}")
        told += record.notices
    return told


def for_students(notices: Iterable[str]) -> list[str]:
    """Those notices that a student can make something of: the rest is for the lecturer alone."""
    return [one for one in notices if not one.startswith(_LECTURERS)]


def records_in(folder: Path) -> list[Record]:
    """The records of what was graded into a folder, as far as they can be read."""
    found = map(Record.known, sorted(folder.glob(f"*{RECORD_SUFFIX}")))
    return [record for record in found if record]


def answers_in(notebook: NotebookNode, whole: Mapping[str, str] | None = None) -> dict[str, str]:
    """The SHA-256 of what a student wrote in each cell of a graded notebook, by its name.

    Args:
        notebook: the notebook.
        whole: the texts of which a part is cut there, by the names of their files.
    """
    return {
        grade_id_of(cell): _digest_of(whole_text(cell, whole or {}))
        for cell in notebook.cells
        if has_role(cell, "solution")
    }


def _digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def is_not_gradable(cell: NotebookNode) -> bool:
    """Whether a graded notebook's test cell says that it could not be graded here."""
    errors = (output for output in cell.outputs if output.output_type == "error")
    return any(error.ename == Verdict.NOT_GRADABLE.ename for error in errors)


def draft_of(record: Path) -> Path:
    """Where a record waits until everything that it tells of is saved."""
    return record.with_name(f".{record.name}.draft")


def _versions() -> dict[str, str]:
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
