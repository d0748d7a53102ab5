"""Building what has changed: lessons, and the three tables over all of them.

    docs/curriculum.md       every exercise, its points, and where it comes from
    docs/glossary.md         every term, and the sentence that introduces it
    docs/misconceptions.md   every exam's misconceptions; not committed

What was proved of each exercise is kept in `proofs`, and comes with the course. For each product
`.build.json` keeps the digest of what it was made of here and those of what came out.
What was found on the way, such as that the solution passes, is kept there too (`known`).
Where anything is in doubt (a digest that differs, a file changed or deleted by hand, a record that
can't be read) the product is made again. A lesson whose notebook in source/ was edited by hand is
left as it is.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.authoring.build.build_inputs import Inputs, digest_of
from autograder.authoring.build.known import Known, Passed
from autograder.authoring.build.proofs import Proofs
from autograder.authoring.lesson.built import is_edited
from autograder.checks import examples
from autograder.course import Course
from autograder.errors import NotebookEdited
from autograder.settings import ABOUT_LESSONS
from autograder.whole_file import write_whole

if TYPE_CHECKING:
    from autograder.authoring.build.at_once import Provers
    from autograder.authoring.build.build import Built

RECORD = ".build.json"
_FORMAT = 1
_TABLES = "curriculum", "glossary", "misconceptions"

Texts = Mapping[str, str]
Progress = Callable[[int, int, str], None]
# Tries a lesson; returns the tests that it passes and that need not be tried again as they are.
Trial = Callable[["Built"], Passed | None]


@dataclass(frozen=True)
class _Made:
    """The texts of a product, and what of it goes into the record besides."""

    texts: Texts
    found: Mapping[str, Any] = field(default_factory=dict)


def build(
    course: Course,
    lessons: Sequence[str] = (),
    *,
    force: bool = False,
    workers: int = 1,
    progress: Progress = lambda done, steps, product: None,
    trial: Trial = lambda built: None,
) -> list[Path]:
    """Build these lessons, or all with the tables over them; returns the files written.

    Args:
        course: where the lessons are.
        lessons: their full names; without any, the whole course is built.
        force: whether to make what has not changed, too.
        workers: how many processes prove exercises at once.
        progress: called before each product is made, with how many steps are done, of how many,
            and the product's name.
        trial: called with each lesson that is built, before anything of it is written; what it
            raises leaves the lesson as it was, and what it returns is the next build's
            `Known.passed`.

    Raises:
        LessonError, SolutionError, ExamError: for whatever does not fit together.
        SettingError: for a setting about a lesson, or an exercise, that there is not.
        NotebookEdited: when all else is built, and an instructor's notebook is not the build's.
    """
    for setting in ABOUT_LESSONS:
        course.lessons_in(setting)
    found = course.settings
    if any((found.points, found.leave_out, found.core, found.further)):
        # It reads notebooks, which a build that makes nothing need not.
        from autograder.authoring.lesson.personal import refuse_unmeant

        refuse_unmeant(course)
    with ExitStack() as until_built:
        builder = _Builder(course, force, trial, workers, until_built)
        steps = [partial(builder.lesson, lesson) for lesson in lessons or course.lessons()]
        if not lessons:
            steps += map(partial, (builder.curriculum, builder.glossary, builder.misconceptions))
        for done, step in enumerate(steps):
            builder.progress = partial(progress, done, len(steps))
            step()
    if builder.edited:
        raise NotebookEdited("\n".join(builder.edited))
    return builder.written


class BuildState(Enum):
    """Whether a lesson's notebooks are what a build would make, in words for the lecturer."""

    BUILT = ""
    NOT_BUILT = "not built yet"
    CHANGED = "changed since it was built"
    EDITED = "edited by hand"


def states(course: Course) -> dict[str, BuildState]:
    """How each lesson's notebooks stand to what they are made of; builds nothing."""
    builder = _Builder(course)
    return {lesson: builder.state_of(lesson) for lesson in course.lessons()}


def changed_lessons(course: Course) -> list[str]:
    """The lessons that were built here, and of which something has changed since."""
    return [lesson for lesson, state in states(course).items() if state is BuildState.CHANGED]


class _Builder:
    """Makes products, unless they are what they would become.

    What makes them is imported only then: it brings nbgrader and, with the exams, torch.
    """

    def __init__(
        self,
        course: Course,
        force: bool = False,
        trial: Trial = lambda built: None,
        workers: int = 1,
        until_built: ExitStack | None = None,
    ) -> None:
        self.written: list[Path] = []
        self.edited: list[str] = []
        self.progress: Callable[[str], None] = lambda product: None
        self._course, self._force, self._trial = course, force, trial
        self._workers, self._until_built = workers, until_built or ExitStack()
        self._inputs = Inputs(course)
        self._memory = _Memory(course.root / RECORD)

    @cached_property
    def _provers(self) -> "Provers":
        from autograder.authoring.build.at_once import Provers

        return self._until_built.enter_context(Provers(self._workers))

    def lesson(self, name: str) -> None:
        def make() -> _Made:
            from autograder.authoring.build.build import build_lesson

            def proving(exercise: str) -> None:
                self.progress(f"{name}: {exercise}")

            exams = self._inputs.of_exams(name)
            known = Known() if self._force else self._memory.known(name, exams)
            built = build_lesson(
                self._course,
                name,
                anew=self._force,
                progress=proving,
                known=known,
                provers=self._provers,
            )
            # What is wrong with an exam is said by itself, and not as a test that nobody passes.
            lesson, proofs = built.lesson, built.proved.proofs
            found = replace(built.known, passed=self._trial(built) or {})
            files = built.files
            Proofs(self._course).keep(name, proofs, own=lesson.own, left_out=lesson.left_out)
            texts = {path.relative_to(self._course.root).as_posix(): files[path] for path in files}
            return _Made(texts, {"known": asdict(found), "of_exams": exams})

        notebook = self._notebook(name)
        if self._is_edited(name):
            text = self._course.lesson_file(name)
            self.edited.append(
                f"{notebook} was edited since it was built, so it and the students' notebook are "
                f"left as they are: to have it built, put the edit into {text} and delete the "
                f"notebook; to keep it, move {text.name} out of {text.parent}"
            )
            return
        self._files(name, lambda inputs: inputs.of_lesson(name), make)

    def state_of(self, lesson: str) -> BuildState:
        if not self._notebook(lesson).is_file():
            return BuildState.NOT_BUILT
        if self._is_edited(lesson):
            return BuildState.EDITED
        # What was built elsewhere, as far as anybody knows, is what it should be.
        if not self._memory.made(lesson):
            return BuildState.BUILT
        is_current = self._is_current(lesson, self._inputs.of_lesson(lesson))
        return BuildState.BUILT if is_current else BuildState.CHANGED

    def _notebook(self, lesson: str) -> Path:
        return self._course.source / lesson / f"{lesson}.ipynb"

    def _is_edited(self, lesson: str) -> bool:
        notebook = self._notebook(lesson)
        product = notebook.relative_to(self._course.root).as_posix()
        return is_edited(notebook, self._memory.made(lesson).get(product, ""))

    def curriculum(self) -> None:
        def make() -> _Made:
            from autograder.authoring.build.tables.curriculum import FILE, curriculum

            return _Made({FILE.as_posix(): curriculum(self._course)})

        self._files("the curriculum", self._of_what_ships, make)

    def glossary(self) -> None:
        def make() -> _Made:
            from autograder.authoring.build.tables.glossary import FILE, glossary

            return _Made({FILE.as_posix(): glossary(self._course)})

        self._files("the glossary", self._of_all, make)

    def misconceptions(self) -> None:
        def make() -> _Made:
            from autograder.authoring.build.tables.misconceptions import FILE, table

            return _Made({FILE.as_posix(): table(self._course)})

        # Which exercises are left out may depend on the lessons' texts.
        left_out = self._course.settings.leave_out
        self._files("the misconceptions", self._of_all if left_out else self._of_exams, make)

    def _of_all(self, inputs: Inputs) -> str:
        return " ".join([self._of_tables(inputs), *map(inputs.of_lesson, self._course.lessons())])

    def _of_tables(self, inputs: Inputs) -> str:
        """What makes the tables, which is no part of what makes a lesson."""
        return inputs.of_run([], [f"autograder.authoring.build.tables.{one}" for one in _TABLES])

    def _of_what_ships(self, inputs: Inputs) -> str:
        """It is that of the lessons' texts, but of one that somebody has edited by hand."""
        folders = map(self._course.release_folder, self._course.lessons())
        ships = [digest_of(self._read(str(folder / examples.FILE))) for folder in folders]
        return f"{self._of_all(inputs)} {' '.join(ships)}"

    def _of_exams(self, inputs: Inputs) -> str:
        exams = (f"{one} {inputs.of_exams(one)}" for one in self._course.lessons())
        return " ".join([self._of_tables(inputs), *exams])

    def _files(
        self, product: str, made_of: Callable[[Inputs], str], make: Callable[[], _Made]
    ) -> None:
        before = made_of(self._inputs)
        if self._is_current(product, before):
            return
        self.progress(product)
        made = make()
        # What was changed meanwhile may have come too late, or half.
        if made_of(Inputs(self._course)) == before:
            self._memory.keep(product, before, made)
        for name, text in made.texts.items():
            self._write(self._course.root / name, text)

    def _is_current(self, product: str, inputs: str) -> bool:
        made = self._memory.made_of(product, inputs)
        same = all(digest_of(self._read(part)) == digest for part, digest in made.items())
        return bool(made) and same and not self._force

    def _read(self, name: str) -> bytes:
        path = self._course.root / name
        return path.read_bytes() if path.is_file() else b""

    def _write(self, path: Path, text: str) -> None:
        if path.is_file() and path.read_bytes() == text.encode():
            return
        write_whole(path, text.encode())
        self.written.append(path)


class _Memory:
    """The record of what was made of what."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def made_of(self, product: str, inputs: str) -> dict[str, str]:
        """The digests of the parts that were last made of exactly these inputs; otherwise none."""
        try:
            entry = self._entries()[product]
            made: dict[str, str] = dict(entry["made"]) if entry["inputs"] == inputs else {}
            return made
        except (KeyError, TypeError, ValueError):
            return {}

    def made(self, product: str) -> dict[str, str]:
        """The digests of the parts that were last made, of whatever inputs."""
        try:
            return dict(self._entries()[product]["made"])
        except (KeyError, TypeError, ValueError):
            return {}

    def known(self, lesson: str, exams: str) -> Known:
        """What was last found of a lesson.

        Args:
            lesson: its full name.
            exams: the digest of its exams; which they are is known of these alone.
        """
        try:
            entry = self._entries()[lesson]
            known = Known(**entry["known"])
            return known if entry["of_exams"] == exams else replace(known, exams=None)
        except (KeyError, TypeError, ValueError):
            return Known()

    def keep(self, product: str, inputs: str, made: _Made) -> None:
        """Remember what came out, as the builds of other terminals remember theirs."""
        digests = {part: digest_of(text.encode()) for part, text in made.texts.items()}
        entry = {"inputs": inputs, "made": digests, **made.found}
        entries = {**self._entries(), product: entry}
        text = json.dumps({"format": _FORMAT, "products": entries}, indent=1)
        write_whole(self._path, f"{text}\n".encode())

    def _entries(self) -> dict[str, Any]:
        try:
            record = json.loads(self._path.read_text(encoding="utf-8"))
            return dict(record["products"]) if record["format"] == _FORMAT else {}
        except (OSError, KeyError, TypeError, ValueError):
            return {}
