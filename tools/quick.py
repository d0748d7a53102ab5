"""Check what was changed since the main branch, for the time between two commits.

    python -m tools.quick
    python -m tools.quick --list          says what would run, and runs nothing
    python -m tools.quick --lesson 05

Lint runs over everything, because it is quick. Of the tests, those run that could notice one of the
changed files (see `selection`), the nearest first; the lessons concerned are built, run, and their
exams tried. With --lesson, all that concerns one lesson runs instead. `make test` remains what
decides.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from autograder.course import Course, lesson_number, module_name
from autograder.errors import CourseError
from tools.course_graph import CourseGraph
from tools.selection import Selection, Selector

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = Path(sys.executable).parent
EXAMS = "tests/solutions/test_exams.py"
LESSONS = "tests/whole/test_lessons.py"
# The proofs, of which a build writes anew those of the exercises that have changed.
MADE = "solutions/exams/proofs.json"
# What has been run solved is written down, for `make test` to compare.
KEEPS = "AUTOGRADER_KEEPS_RUNS=1"
LINT = ["make", "--no-print-directory", "lint"]
PYTEST = [str(PROGRAMS / "pytest"), "-q", "-x", "-p", "no:cacheprovider"]
# With more files it pays to have two processes, each of which imports everything.
FEW = 8
# So many files are named before the tests begin.
SHOWN = 5

Command = list[str]


def changed() -> list[str]:
    """The files that differ from where this branch left the main one, new ones too."""
    bases = (_git("merge-base", "HEAD", name) for name in ("origin/main", "main"))
    base = next((found[0] for found in bases if found), "HEAD")
    new = _git("ls-files", "--others", "--exclude-standard")
    return sorted({*_git("diff", "--name-only", base), *new})


def _by_hand(paths: Sequence[str]) -> list[str]:
    """Without what a build has made of the others: it stands for all exercises, they for theirs."""
    left = [path for path in paths if path != MADE]
    explained = any(path.startswith(("autograder/", "solutions/")) for path in left)
    return left if explained else [*paths]


def _git(*words: str) -> list[str]:
    command = ["git", "-C", str(ROOT), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


def stages(selected: Selection, words: str, long: Sequence[str]) -> list[list[Command]]:
    """The commands for what was selected: those of a stage run side by side.

    What is near and quick comes first; `long` are the names of test files that take longest.
    """
    files = sorted(selected.whole, key=lambda path: (selected.whole[path], path))
    quick = [path for path in files if Path(path).stem not in long]
    quick += _named(selected.reading)
    slow = [path for path in files if Path(path).stem in long]
    begin = [[LINT], [_tests(quick)]] if _are_many(quick) else [[LINT, _tests(quick)]]
    of_exams = {EXAMS} & selected.about_lessons.keys()
    others = selected.about_lessons.keys() - of_exams
    middle = [_building(selected.lessons), _about(selected, of_exams, words)]
    end = [_tests(slow), _about(selected, others, words)]
    found = [[one for one in stage if one] for stage in (*begin, middle, end)]
    return [stage for stage in found if stage]


def stages_of_lesson(lesson: str) -> list[list[Command]]:
    """All that concerns one lesson, but for its figures, for which a browser is needed.

    What the build has just proved is not proved again, and style comes last.
    """
    number, reference = lesson_number(lesson), f"tests/solutions/test_{module_name(lesson)}.py"
    whole = ["env", "AUTOGRADER_ALL=1", KEEPS]
    return [
        [_building([lesson])],
        [
            _tests([reference] if (ROOT / reference).exists() else []),
            [*whole, *_tests([EXAMS], f"[{number}- and not made_again")],
            [*whole, *_tests([LESSONS], f"{lesson} and not figures")],
        ],
        [LINT],
    ]


def _about(selected: Selection, files: Iterable[str], words: str) -> Command:
    """The tests of lessons in some files; what they draw from all, they draw from these."""
    tests = _tests(_named({path: selected.about_lessons[path] for path in files}), words)
    drawn_from = f"AUTOGRADER_CONCERNED={' '.join(selected.concerned)}"
    return ["env", drawn_from, KEEPS, *tests] if tests else []


def _named(chosen: dict[str, set[str]]) -> list[str]:
    return [f"{path}::{test}" for path in sorted(chosen) for test in sorted(chosen[path])]


def _building(lessons: Iterable[str]) -> Command:
    named = sorted(lessons)
    return [str(PROGRAMS / "autograder"), "build", *named] if named else []


def _tests(places: Sequence[str], words: str = "") -> Command:
    if not places:
        return []
    two = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"] if _are_many(places) else []
    return [*PYTEST, *two, *places, *(["-k", words] if words else [])]


def _are_many(places: Iterable[str]) -> bool:
    return len({place.partition("::")[0] for place in places}) > FEW


def described(selected: Selection, alone: Mapping[str, Selection]) -> str:
    """What is about to be tried, and why: what each changed file needs `alone`, and some names."""
    lines = [f"{path}: {_counted(one)}" for path, one in alone.items()]
    if len(lines) > SHOWN:
        lines[SHOWN:] = [f"and {len(lines) - SHOWN} more changed files"]
    lines += [f"in all: {_counted(selected)}"] * (len(alone) > 1)
    files = selected.files
    more = [f"and {len(files) - SHOWN} more"] if len(files) > SHOWN else []
    return "\n".join([*lines, *(f"  {one}" for one in [*files[:SHOWN], *more])])


def _counted(selected: Selection) -> str:
    found = [
        f"{len(them)} {what if len(them) != 1 else what.removesuffix('s')}"
        for them, what in (
            (selected.files, "test files"),
            (selected.exercises, "exercises"),
            (selected.lessons, "lessons"),
        )
        if them
    ]
    return ", ".join(found) or "nothing tests it"


def run(commands: Sequence[Command]) -> None:
    """Run commands side by side; name each as it begins, show its output when it ends.

    Stop if one failed.
    """

    def one(command: Command) -> int:
        print(f"… {_shortened(command)}\n", end="", flush=True)
        done = subprocess.run(
            command,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        print(f"→ {_shortened(command)}\n{done.stdout}{done.stderr}", end="", flush=True)
        return done.returncode

    with ThreadPoolExecutor(max_workers=2) as pool:
        # 5: of a file's tests none has these words in its name.
        failed = [code for code in pool.map(one, commands) if code not in (0, 5)]
    if failed:
        sys.exit(failed[0])


def _shortened(command: Command) -> str:
    said = " ".join(word.removeprefix(f"{PROGRAMS}/") for word in command)
    return said if len(said) <= 200 else f"{said[:200]}…"


def main() -> None:
    """Do what the changed files, or the lesson asked for, need; stop at the first failure."""
    parser = argparse.ArgumentParser(prog="python -m tools.quick", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--list", action="store_true", help="say what would run, and run nothing")
    parser.add_argument("--lesson", help="check all that concerns one lesson")
    asked, begun = parser.parse_args(), time.monotonic()
    if asked.lesson is not None:
        try:
            (lesson,) = Course(ROOT).lessons_named([asked.lesson])
        except CourseError as error:
            sys.exit(f"quick: {error}")
        for stage in stages_of_lesson(lesson):
            run(stage)
    else:
        _check(changed(), listed=asked.list)
    if not asked.list:
        print(f"green after {time.monotonic() - begun:.0f} s")


def _check(paths: Sequence[str], *, listed: bool) -> None:
    from tests.conftest import LONG

    selector, paths = Selector(CourseGraph(ROOT)), _by_hand(paths)
    selected = selector.select(paths)
    print(described(selected, {path: selector.select([path]) for path in paths}), flush=True)
    if listed:
        print("\n".join(selected.files))
        return
    for stage in stages(selected, selector.words(selected), LONG):
        run(stage)


if __name__ == "__main__":
    main()
