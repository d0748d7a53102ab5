"""Whether exercises, solutions and exams fit together: a lesson's, and those that a course adds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from autograder.authoring.build.known import KnownExams, Names
from autograder.authoring.lesson.lesson import Exercise, Lesson
from autograder.authoring.lesson.reference import Source, read_reference
from autograder.checks.exam.exam import Exam, exams_of
from autograder.course import Course
from autograder.errors import SolutionError


@dataclass(frozen=True)
class Backing:
    """The reference and the exams of a lesson, or of the exercises that a course adds to it.

    `text` is where they are asked, `module` the name of the module with the exams.
    """

    text: Path
    reference: Path
    sources: Mapping[str, Source]
    examined_in: Path
    module: str
    exams: Mapping[str, Exam]


def backings_of(course: Course, lesson: str, known: Names | None = None) -> Iterator[Backing]:
    """What the lesson has, and then what the course adds.

    Args:
        course: where it is.
        lesson: its full name.
        known: which exams it has; then they are not imported before one of them is asked for.

    Raises:
        ReferenceNotFound: when the lesson has no reference or no exams.
        SolutionError: where marks in a reference are missing their other half.
    """
    examined, *added = _known(course, lesson, known) if known else _imported(course, lesson)
    yield _backing(course.lesson_file(lesson), course.reference_file(lesson), examined)
    text = course.own_text(lesson) or course.own / f"{lesson}.md"
    yield _backing(text, course.own_reference_file(lesson), added[0] if added else None)


@dataclass(frozen=True)
class _Examined:
    """A module with exams."""

    name: str
    file: Path
    exams: Mapping[str, Exam]

    @classmethod
    def of(cls, module: ModuleType) -> "_Examined":
        return cls(module.__name__, Path(str(module.__file__)), exams_of(module))


def _imported(course: Course, lesson: str) -> list[_Examined]:
    course.solution_module(lesson)
    return [_Examined.of(module) for module in course.exam_modules(lesson)]


def _known(course: Course, lesson: str, known: Names) -> list[_Examined]:
    @cache
    def imported() -> dict[str, Exam]:
        return every_exam(course, lesson)

    def find(name: str) -> Exam:
        return imported()[name]

    return [
        _Examined(module, _file_of(course, module), KnownExams(names, find))
        for module, names in known.items()
    ]


def _file_of(course: Course, module: str) -> Path:
    path = course.root.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _backing(text: Path, reference: Path, examined: _Examined | None) -> Backing:
    sources = read_reference(reference) if reference.is_file() else {}
    if not examined:
        # Where it would be looked for.
        return Backing(text, reference, sources, text.parent / "exams" / reference.name, "", {})
    return Backing(text, reference, sources, examined.file, examined.name, examined.exams)


def every_exam(course: Course, lesson: str) -> dict[str, Exam]:
    """The exams of a lesson, by exercise: of those that are left out, and those that are added.

    Raises:
        ReferenceNotFound: when the lesson has none.
    """
    modules = course.exam_modules(lesson)
    return {name: exam for module in modules for name, exam in exams_of(module).items()}


def match(lesson: Lesson, backings: Sequence[Backing]) -> None:
    """Every exercise has a solution and an exam, or tests in its place, and the other way round.

    Args:
        lesson: as its course has it.
        backings: what belongs to the lesson, and what to the exercises that the course adds.

    Raises:
        LessonError, SolutionError: naming the file and the line, for what does not.
    """
    theirs, own = backings
    for backing in backings:
        exercises = [one for one in lesson.exercises if lesson.file_of(one) == backing.text]
        for exercise in exercises:
            _has_all(lesson, exercise, backing)
        _is_placed({*lesson.left_out, *(one.name for one in exercises)}, backing)
    for name in own.sources.keys() & theirs.sources.keys():
        text = f"{name} is in {theirs.reference} already: give this one another name"
        raise SolutionError(own.reference, own.sources[name].line, text)


def _has_all(lesson: Lesson, exercise: Exercise, backing: Backing) -> None:
    if exercise.name not in backing.sources:
        text = f"the exercise {exercise.name} has no solution in {backing.reference}"
        raise lesson.error(exercise, text)
    if exercise.name in lesson.with_tests:
        if exercise.name in backing.exams:
            text = f"{exercise.name} has tests of its own in {lesson.file_of(exercise)}: delete one"
            raise SolutionError(*backing.exams[exercise.name].where, text)
    elif exercise.name not in backing.exams:
        text = f"the exercise {exercise.name} has no exam in {backing.examined_in}"
        raise lesson.error(exercise, text)


def _is_placed(placed: set[str], backing: Backing) -> None:
    for name, source in backing.sources.items():
        if name not in placed:
            text = f"{name} has solution marks but is no exercise in {backing.text}"
            raise SolutionError(backing.reference, source.line, text)
    for name in backing.exams:
        if name not in placed:
            text = f"the exam of {name} has no exercise in {backing.text}"
            raise SolutionError(*backing.exams[name].where, text)
