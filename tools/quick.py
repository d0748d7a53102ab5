"""Check what was changed since the main branch, in a minute: for the time between two commits.

    python tools/quick.py
    python tools/quick.py --lesson 05

Lint runs over everything, because it is quick. Of the tests, those run that mirror the changed
files, and lessons are built. With --lesson, all that concerns one lesson runs instead. `make test`
remains what decides.
"""

import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from autograder.course import Course, lesson_number, module_name
from autograder.errors import CourseError

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = Path(sys.executable).parent
EXAMS = "tests/solutions/test_exams.py"
LESSONS = "tests/whole/test_lessons.py"
# One file of tests holds these together.
SET_UP_BY = "tests/whole/test_setup.py"
SET_UP = ("Makefile", "constraints.txt", "environment.yml", ".pre-commit-config.yaml")


@dataclass
class Plan:
    """Files of tests to run, lessons to build, and tests to run for words in their names."""

    tests: set[str] = field(default_factory=set)
    lessons: set[str] = field(default_factory=set)
    chosen: dict[str, set[str]] = field(default_factory=dict)

    def choose(self, path: str, words: str) -> None:
        """Run those of a file's tests in whose names all these words are."""
        self.chosen.setdefault(path, set()).add(words)


def plan(paths: Iterable[str], course: Course, exists: Callable[[str], bool]) -> Plan:
    """What a change of these files needs; `exists` says whether the course has a file."""
    made = Plan()
    for path in map(PurePosixPath, paths):
        made.tests.update([place for place in _mirrors(path) if exists(place)][:1])
        for lesson in course.lessons():
            if _concerns(path, lesson):
                made.lessons.add(lesson)
                _choose_exams(made, path, lesson)
    return made


def _mirrors(path: PurePosixPath) -> list[str]:
    """Where the tests of a file may be, the best place first."""
    top, stem = path.parts[0], path.stem
    if path.name in SET_UP or path.suffix == ".toml":
        return [SET_UP_BY]
    if top == "tests":
        return [str(path)] if stem.startswith("test_") else []
    if top in ("docs", "README.md", "CONTRIBUTING.md"):
        return [f"tests/whole/test_{stem.lower()}.py", SET_UP_BY]
    if path.suffix not in (".py", ".js", ".css", ".pyi"):
        return []
    folder = PurePosixPath("tests", *path.parts[:-1])
    if stem == "__init__":
        return ["tests/whole/test_arrows.py"]
    return [str(folder / f"test_{stem}.py"), str(folder)]


def _concerns(path: PurePosixPath, lesson: str) -> bool:
    """Whether a file is a lesson's own: its text, its notebook, its reference or its exams."""
    if path.parts[0] in ("source", "notebooks"):
        return lesson in (path.stem, *path.parts)
    return path.parts[0] == "solutions" and module_name(lesson) in (path.stem, *path.parts)


def _choose_exams(made: Plan, path: PurePosixPath, lesson: str) -> None:
    number, module = lesson_number(lesson), module_name(lesson)
    if path.parts[0] == "source":
        made.choose(LESSONS, f"shape and {lesson}")
    elif path.parts[:3] == ("solutions", "exams", module) and not path.parts[3].startswith("_"):
        exercise = path.parts[3].removesuffix(".py")
        # A class has the same name without underscores; pytest does not mind capitals.
        for name in (exercise, exercise.replace("_", "")):
            made.choose(EXAMS, f"{number}-{name}]")
    elif path.parts[0] == "solutions":
        made.choose(EXAMS, f"{number}-")


def plan_of_lesson(lesson: str, exists: Callable[[str], bool]) -> Plan:
    """All that concerns one lesson, but for its figures, for which a browser is needed."""
    path = f"tests/solutions/test_{module_name(lesson)}.py"
    made = Plan({path} if exists(path) else set(), {lesson})
    made.choose(LESSONS, f"{lesson} and not figures")
    made.choose(EXAMS, f"{lesson_number(lesson)}-")
    return made


def changed() -> list[str]:
    """The files that differ from where this branch left the main one, new ones too."""
    bases = (_git("merge-base", "HEAD", name) for name in ("origin/main", "main"))
    base = next((found[0] for found in bases if found), "HEAD")
    new = _git("ls-files", "--others", "--exclude-standard")
    return sorted({*_git("diff", "--name-only", base), *new})


def _git(*words: str) -> list[str]:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.split("\n")[
        :-1
    ]


def preparation(made: Plan) -> list[list[str]]:
    """What comes before the tests, one after the other."""
    found = [["make", "--no-print-directory", "lint"]]
    if made.lessons:
        found.append([str(PROGRAMS / "autograder"), "build", *sorted(made.lessons)])
    return found


def examination(made: Plan) -> list[list[str]]:
    """The tests of a plan, which can run side by side."""
    pytest = [str(PROGRAMS / "pytest"), "-q", "-x", "-p", "no:cacheprovider"]
    whole = sorted(made.tests - made.chosen.keys())
    found = [[*pytest, *whole]] if whole else []
    for path, words in made.chosen.items():
        either = " or ".join(f"({one})" for one in sorted(words))
        found.append([*pytest, path, "-k", either])
    return found


def run(commands: Sequence[list[str]]) -> None:
    """Run commands side by side, and show each one's output when it ends; stop if one failed."""

    def one(command: list[str]) -> int:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        said = " ".join(word.removeprefix(f"{PROGRAMS}/") for word in command)
        print(f"→ {said}\n{done.stdout}{done.stderr}", end="", flush=True)
        return done.returncode

    with ThreadPoolExecutor(max_workers=2) as pool:
        # 5: of a file's tests none has these words in its name.
        failed = [code for code in pool.map(one, commands) if code not in (0, 5)]
    if failed:
        sys.exit(failed[0])


def main() -> None:
    """Do what the changed files, or the lesson asked for, need; stop at the first failure."""
    course = Course(ROOT)

    def exists(path: str) -> bool:
        return (ROOT / path).exists()

    if sys.argv[1:2] == ["--lesson"]:
        try:
            (lesson,) = course.lessons_named(sys.argv[2:3] or [""])
        except CourseError as error:
            sys.exit(f"quick: {error}")
        made = plan_of_lesson(lesson, exists)
    else:
        made = plan(changed(), course, exists)
    for command in preparation(made):
        run([command])
    run(examination(made))
    for lesson in sorted(made.lessons):
        print(f"{course.release_folder(lesson).relative_to(ROOT)}/{lesson}.ipynb")


if __name__ == "__main__":
    main()
