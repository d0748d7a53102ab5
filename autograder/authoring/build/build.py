"""The build: from a lesson's text, the reference and the exams to what everybody gets.

    source/02_x.md + solutions/x.py + solutions/exams/x/
        → source/02_x/02_x.ipynb       the instructor's notebook, not committed; see `built`
        → source/02_x/checks.json      (nbgrader copies it along)
        → notebooks/02_x/02_x.ipynb    the student's notebook
        → notebooks/02_x/checks.json   the printed examples and what comes out of them

It is strict: whatever does not fit together is an error that names the file and the line.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.authoring.build import shipping
from autograder.authoring.build.at_once import Provers
from autograder.authoring.build.build_inputs import Inputs
from autograder.authoring.build.known import Known, KnownExams
from autograder.authoring.build.matching import backings_of, match
from autograder.authoring.build.proofs import Proof, Proofs, digest_of_entry
from autograder.authoring.lesson.alt_text import Pictures, undescribed_in_prose
from autograder.authoring.lesson.built import signed
from autograder.authoring.lesson.kept_back import kept_back
from autograder.authoring.lesson.leaks import leaks
from autograder.authoring.lesson.lesson import Code, Lesson, Prose, WrittenExercise
from autograder.authoring.lesson.notebook import source_notebook
from autograder.authoring.lesson.personal import course_lesson, warnings_of
from autograder.authoring.lesson.reference import BEGIN, END, Source
from autograder.authoring.lesson.release import student_notebook
from autograder.checks import examples
from autograder.checks.exam.exam import Exam
from autograder.checks.source.cells import grade_id_of, has_role
from autograder.checks.source.scenery import tag_scenery
from autograder.course import Course, lesson_number
from autograder.own_modules import out_of_reach

# What the text of a new lesson or exercise has, at the beginning of a line or behind a heading's.
_FILL_IN = re.compile(r"^(?:# .*)?Fill in: ")
# Called with the name of each exercise before it is proved.
Progress = Callable[[str], None]


def _no_progress(exercise: str) -> None:
    """Whoever does not wait is not told."""


@dataclass(frozen=True)
class ProvedLesson:
    """What ships of a lesson's exercises, and the proof of each."""

    ships: Mapping[str, shipping.Entry]
    proofs: Mapping[str, Proof]


@dataclass(frozen=True)
class Built:
    """One lesson, built: the instructor's notebook and the student's.

    `exams` are those of its exercises, in the order of the lesson; `descriptions` are of figures;
    `known` is what this build and those before have found; `warnings` say what whoever leaves out
    exercises may want to read again. With `anew`, nothing is taken from proofs that were made
    before.
    """

    course: Course
    lesson: Lesson
    source: NotebookNode
    student: NotebookNode
    exams: Mapping[str, Exam]
    descriptions: Mapping[str, str]
    known: Known = field(default_factory=Known)
    warnings: Sequence[str] = ()
    anew: bool = False
    progress: Progress = _no_progress
    provers: Provers = field(default_factory=Provers)

    @cached_property
    def proved(self) -> "ProvedLesson":
        """What ships of its exercises, and the proofs that the checks tell mistakes apart.

        Most of the time of a build goes here: all misconceptions are tried, of exercises whose
        exams have changed.

        Raises:
            ExamError: when an example holds what can't be shipped, and for a misconception that is
                not caught or can't be told from another, and whatever is an author's slip.
            SolutionError: naming the file and the line, where an exam's own code fails.
        """
        path = self.course.release_folder(self.lesson.name) / examples.FILE
        there = shipping.entries_in(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return _prove_lesson(self, there)

    @property
    def checks(self) -> str:
        """The text of the file with the printed examples, which lies beside each notebook."""
        number = lesson_number(self.lesson.name)
        return shipping.text_of(self.proved.ships, lesson=number, descriptions=self.descriptions)

    @property
    def files(self) -> dict[Path, str]:
        """What is written: texts by their path."""
        name, checks, files = self.lesson.name, self.checks, {}
        for folder, notebook in (
            (self.course.source / name, signed(self.source)),
            (self.course.release_folder(name), self.student),
        ):
            files[folder / f"{name}.ipynb"] = f"{nbformat.writes(notebook)}\n"
            files[folder / examples.FILE] = checks
        return files

    def solved(self) -> NotebookNode:
        """The student's notebook with every solution in it."""
        notebook = deepcopy(self.student)
        answers = {
            grade_id_of(cell): cell.source
            for cell in self.source.cells
            if has_role(cell, "solution")
        }
        for cell in notebook.cells:
            if grade_id_of(cell) in answers:
                cell.source = _without_marks(answers[grade_id_of(cell)])
        return notebook


def _prove_lesson(built: Built, there: Mapping[str, shipping.Entry]) -> ProvedLesson:
    course, lesson = built.course, built.lesson.name
    inputs, known = Inputs(course), {} if built.anew else Proofs(course).of(lesson)
    ships = {name: there.get(name, {}) for name in built.exams}
    made_of = {
        name: inputs.of_exercise(lesson, name, own=name in built.lesson.own) for name in ships
    }
    proofs = {
        name: proof
        for name, proof in known.items()
        if name in ships and proof.holds(made_of[name], ships[name])
    }
    to_prove = {name: entry for name, entry in ships.items() if name not in proofs}
    found = built.provers.prove(course, lesson, built.exams, to_prove, built.progress)
    for name, proved in zip(to_prove, found, strict=True):
        ships[name] = proved.ships
        shipped = digest_of_entry(proved.ships)
        proofs[name] = Proof(made_of[name], shipped, proved.unnamed, proved.halves)
    return ProvedLesson(ships, proofs)


def build_lesson(
    course: Course,
    name: str,
    *,
    anew: bool = False,
    progress: Progress = _no_progress,
    known: Known | None = None,
    provers: Provers | None = None,
) -> Built:
    """Build one lesson in memory.

    Args:
        course: where it is.
        name: its full name.
        anew: whether to prove again of each exercise what was proved before.
        progress: called with the name of each exercise that is proved.
        known: what is true of the lesson as it is now, and need not be found.
        provers: prove the exercises; by default this process does.

    Raises:
        LessonError, SolutionError, ExamError: for whatever does not fit together.
    """
    lesson = course_lesson(course, name)
    known = known or Known()
    backings = list(backings_of(course, name, known.exams))
    match(lesson, backings)
    described = _digest_of_cells(course, lesson)
    if described != known.described:
        course.come_first()
        with _beside(course.source / name):
            _describe_figures(lesson, pyplot=course.settings.pyplot)
    _describe_pictures(lesson)
    _keep_in_reach(course, lesson)
    sources = {name: source for backing in backings for name, source in backing.sources.items()}
    given_away = _keep_secret(lesson, sources, backings[0].reference)
    shown, descriptions = kept_back(lesson)
    modules = {name: backing.module for backing in backings for name in backing.exams}
    source = source_notebook(shown, sources, modules, places=course.has_places(name))
    tag_scenery(source)
    exams = {name: backing.exams for backing in backings for name in backing.exams}
    placed = KnownExams(
        [one.name for one in lesson.exercises if one.name in exams], lambda name: exams[name][name]
    )
    names = {one.module: tuple(one.exams) for one in backings if one.module}
    return Built(
        course,
        lesson,
        source,
        student_notebook(source),
        placed,
        descriptions,
        Known(names, described, known.passed),
        (*warnings_of(course, lesson), *given_away, *_to_fill_in(course, name)),
        anew,
        progress,
        provers or Provers(),
    )


def _to_fill_in(course: Course, lesson: str) -> Iterator[str]:
    """Where a text says still what its author is to fill in, as the text of a new one does."""
    for path in filter(None, (course.lesson_file(lesson), course.own_text(lesson))):
        lines = path.read_text(encoding="utf-8").split("\n")
        places = [place for place, line in enumerate(lines, 1) if _FILL_IN.search(line)]
        if places:
            others = f", and in lines {', '.join(map(str, places[1:]))}" if places[1:] else ""
            yield f'{path}:{places[0]}: "Fill in" still stands here{others}, for students to read'


def _digest_of_cells(course: Course, lesson: Lesson) -> str:
    """The digest of a lesson's given cells, and of all that runs in them."""
    inputs, code = Inputs(course), [one.source for one in lesson.blocks if isinstance(one, Code)]
    there = [*inputs.beside(lesson.name), *inputs.configurations()]
    return inputs.of_run(code, [Pictures.__module__], there)


def _without_marks(source: str) -> str:
    lines = source.split("\n")
    return "\n".join(line for line in lines if not line.strip().startswith((BEGIN, END)))


@contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """Cells may import modules that are given out with the notebook."""
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _describe_figures(lesson: Lesson, *, pyplot: bool) -> None:
    """What cells draw."""
    pictures = Pictures(pyplot=pyplot)
    for block in (one for one in lesson.blocks if isinstance(one, Code)):
        try:
            found = list(pictures.undescribed(block.source))
        except SyntaxError as error:
            text = f"this is not Python: {error.msg}"
            raise lesson.error(block, text, (error.lineno or 1) - 1) from None
        except ImportError as error:
            raise lesson.error(block, str(error)) from None
        for offset, text in found:
            raise lesson.error(block, text, offset - 1)


def _describe_pictures(lesson: Lesson) -> None:
    """What texts show."""
    for block in lesson.blocks:
        if isinstance(block, Prose | WrittenExercise):
            written = block.text if isinstance(block, Prose) else block.question
            for offset, text in undescribed_in_prose(written):
                raise lesson.error(block, text, offset - 1)


def _keep_in_reach(course: Course, lesson: Lesson) -> None:
    """What works here, in the course's folder, must work for students, who have none."""
    preload, beside = course.settings.preload, course.source / lesson.name
    for block in lesson.blocks:
        if isinstance(block, Code):
            for offset, text in out_of_reach(block.source, course.root, preload, beside):
                raise lesson.error(block, text, offset - 1)


def _keep_secret(lesson: Lesson, sources: Mapping[str, Source], reference: Path) -> list[str]:
    """Refuse a text with a solution in it; returns what the course itself gives away.

    What it has worked out may be as good as the solution of another exercise.
    """
    secret = [source for name, source in sources.items() if name not in lesson.left_out]
    given_away = []
    for block in lesson.blocks:
        if isinstance(block, Code | Prose):
            text = block.source if isinstance(block, Code) else block.text
            for name, line in leaks(text, secret, is_code=isinstance(block, Code)):
                if lesson.file_of(block) != reference:
                    sentence = f"the solution of {name} would reach students here"
                    raise lesson.error(block, sentence, line - 1)
                given_away.append(
                    f"{reference}:{block.line}: what is worked out here has the solution of "
                    f"{name} in it: leave that out too, or have this one gone"
                )
    return given_away
