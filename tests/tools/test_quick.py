"""Which tests, exercises and lessons a change needs: all that could notice it."""

import re
import subprocess
import sys

import pytest

from tests.conftest import LONG
from tests.support import solved_runs
from tests.support.course import ROOT
from tests.support.sample import sample
from tools import quick
from tools.course_graph import CourseGraph
from tools.quick import EXAMS, LESSONS, Command, described, stages, stages_of_lesson
from tools.selection import Selection, Selector

pytestmark = pytest.mark.slow

GRAPH = CourseGraph(ROOT)
SELECTOR = Selector(GRAPH)
LESSON, MODULE = "02_dot_product_self_attention", "dot_product_self_attention"
# What no test could notice: there is no such file.
UNNOTICED = "NEWS.md"


def needs(*paths: str) -> Selection:
    return SELECTOR.select(paths)


def committed() -> list[str]:
    command = ["git", "-C", str(ROOT), "ls-files"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.long
def test_every_file_is_noticed() -> None:
    assert {path for path in committed() if not needs(path).files} == set()


@pytest.mark.long
def test_every_module_is_run_where_it_is_noticed() -> None:
    """To be read as a text, as all modules are for the arrows between them, is not enough."""
    for path in committed():
        if path.endswith(".py") and path.startswith(("autograder/", "companion/", "solutions/")):
            made = needs(path)
            assert made.whole or made.lessons, path


@pytest.mark.long
def test_every_exam_is_tried() -> None:
    for path in committed():
        if path.startswith("solutions/exams/"):
            assert needs(path).exercises, path


@pytest.mark.parametrize("lesson", sample(GRAPH.lessons, 4))
def test_every_lesson_is_built_and_run(lesson: str) -> None:
    for path in (f"source/{lesson}.md", f"notebooks/{lesson}/checks.json"):
        made = needs(path)
        assert (made.lessons, made.exercises) == ({lesson}, set())
        assert "test_solved_lesson_passes" in made.about_lessons[LESSONS]


def test_one_exam() -> None:
    made = needs(f"solutions/exams/{MODULE}/attention_weights.py")
    assert (made.lessons, made.exercises) == ({LESSON}, {f"{LESSON}/attention_weights"})
    assert "test_unwritten_is_calm" in made.about_lessons[EXAMS]


def test_what_several_lessons_share() -> None:
    """Of a family those exercises that take something of its module, through whatever index."""
    made = needs("solutions/exams/families/masks.py")
    assert LESSON not in made.lessons
    assert {"03_trainable_weights", "04_causal_attention"} <= made.lessons
    assert 10 < len(made.exercises) < 40


@pytest.mark.parametrize(
    ("path", "file"),
    [
        # By an import, and by one within a function.
        ("autograder/checks/card/as_html.py", "tests/autograder/checks/card/test_as_html.py"),
        ("autograder/demo/demo.py", "tests/autograder/cli/test_program.py"),
        # By its name in quotes: a program, what the sandbox calls, and a class of nbgrader's.
        ("autograder/grading/jobs/worker.py", "tests/autograder/grading/jobs/test_workers.py"),
        ("autograder/student/rpc/student_side.py", "tests/whole/test_damage.py"),
        ("autograder/nbgrading/inbox/list_exchange.py", "tests/whole/test_formgrader.py"),
        ("tests/support/inside.py", "tests/autograder/student/sandbox/test_sandbox.py"),
        ("tests/support/on_a_processor.py", "tests/whole/test_processors.py"),
        # By the program's name.
        ("autograder/cli/program.py", "tests/whole/test_installed.py"),
        # By a fixture that the test takes.
        ("tests/support/installed.py", "tests/whole/test_shipped.py"),
        ("tests/support/lab.py", "tests/whole/test_browser.py"),
        ("tests/conftest.py", "tests/autograder/checks/source/test_cells.py"),
        # By what lies in its package and is no module.
        (
            "autograder/nbgrading/pages/templates/feedback.html.j2",
            "tests/autograder/nbgrading/pages/test_rendering.py",
        ),
        ("companion/pictures/attention_view.js", "tests/companion/pictures/test_attention_view.py"),
        ("companion/reader/reader.npz", "tests/companion/reader/test_reader.py"),
        ("companion/__init__.pyi", "tests/companion/test_companion.py"),
    ],
)
def test_ways_to_reach_a_module(path: str, file: str) -> None:
    assert file in needs(path).whole


@pytest.mark.parametrize(
    ("path", "file", "test"),
    [
        ("docs/errata.md", "tests/whole/test_errata.py", "test_entries_are_complete"),
        ("docs/glossary.md", "tests/autograder/authoring/build/tables/test_glossary.py", ""),
        ("constraints.txt", "tests/whole/test_setup.py", "test_constraints_are_exact_and_sorted"),
        ("benchmarks/attacks.json", "tests/whole/test_security.py", ""),
        ("course.toml", "tests/autograder/test_settings.py", "test_this_course"),
        (
            "tests/support/statistics_course/source/week1.md",
            "tests/whole/test_installed.py",
            "test_scores",
        ),
    ],
)
def test_files_that_a_test_reads(path: str, file: str, test: str) -> None:
    made = needs(path)
    assert test in {"", *made.reading[file]}
    assert file not in made.whole


def test_others_are_left_alone() -> None:
    assert (
        "tests/companion/drawing/test_sheet.py" not in needs("autograder/student/limits.py").files
    )
    assert "tests/whole/test_attacks.py" not in needs("companion/gpt/drawing.py").files
    assert needs("docs/errata.md").lessons == set()


def flat(found: list[list[Command]]) -> list[Command]:
    return [command for stage in found for command in stage]


def test_near_and_quick_first() -> None:
    made = needs("autograder/checks/exam/judge.py", f"source/{LESSON}.md")
    commands = flat(stages(made, "words", LONG))
    lint, near, build, slow, *_ = commands
    assert lint[-1] == "lint"
    assert build[1:3] == ["build", "00_foundations"]
    files = [word for word in near if word.startswith("tests/")]
    assert "tests/autograder/checks/exam/test_judge.py" in files[:5]
    assert EXAMS not in files
    assert EXAMS in slow


def test_side_by_side() -> None:
    made = needs("autograder/nbgrading/exports/canvas.py")
    ((lint, tests),) = stages(made, "", LONG)
    assert (lint[0], tests[5]) == ("make", "tests/autograder/nbgrading/exports/test_lms.py")
    assert stages(Selection(), "", LONG) == [[lint]]
    made = needs(f"solutions/exams/{MODULE}/attention_weights.py")
    _, (build, tried), _ = stages(made, "words", LONG)
    assert tried[1].endswith(f"={LESSON} 02-attention_weights 02-attentionweights")
    assert build[1:] == ["build", LESSON]
    assert {one.partition("::")[0] for one in tried if "::" in one} == {EXAMS}


def test_lessons_that_run_are_written_down() -> None:
    """`make test` then need not run each of them again: it compares what was written down."""
    selected = Selection(about_lessons={LESSONS: {"test_solved_lesson_passes"}}, lessons={LESSON})
    for found in (stages(selected, "", LONG), stages_of_lesson(LESSON)):
        (run,) = (one for one in flat(found) if any(LESSONS in word for word in one))
        assert run[0] == "env"
        assert f"{solved_runs.KEEPS}=1" in run


@pytest.mark.long
def test_words_are_for_what_is_concerned() -> None:
    """pytest knows the words, and takes of all lessons and exercises those that are meant."""
    made = needs(f"solutions/exams/{MODULE}/attention_weights.py")
    made.about_lessons = {path: made.about_lessons[path] for path in (EXAMS, LESSONS)}
    names = []
    commands = flat(stages(made, SELECTOR.words(made), LONG))
    for found in ([*one, "--collect-only"] for one in commands if "-k" in one):
        done = subprocess.run(found, cwd=ROOT, capture_output=True, text=True, check=False)
        names += [line.rpartition("::")[2] for line in done.stdout.splitlines() if "::" in line]
    assert {"test_unwritten_is_calm[02-attention_weights]", "test_exams_are_short"} <= {*names}
    assert f"test_every_lesson_has_its_shape[{LESSON}]" in names
    # A test of other exercises has nothing to try, which pytest calls so.
    assert {name.partition("[")[2].strip("]") for name in names} - {"NOTSET"} == {
        "",
        "02-attention_weights",
        LESSON,
    }


def test_what_is_said_before() -> None:
    paths = ["autograder/checks/exam/judge.py", UNNOTICED, "docs/check.png"]
    said = described(needs(*paths), {path: needs(path) for path in paths}).split("\n")
    assert re.fullmatch(rf"{paths[0]}: \d+ test files, \d+ exercises, 12 lessons", said[0])
    assert said[1] == f"{UNNOTICED}: nothing tests it"
    assert re.fullmatch(r"docs/check.png: \d+ test files", said[2])
    assert "  tests/autograder/checks/exam/test_judge.py" in said
    assert re.fullmatch(r"  and \d+ more", said[-1])
    many = described(needs(), {f"{number}.md": needs() for number in range(2000)}).split("\n")
    assert many[-2:] == ["and 1995 more changed files", "in all: nothing tests it"]


def test_one_lesson() -> None:
    commands = flat(stages_of_lesson(LESSON))
    assert commands[2][-3:] == [EXAMS, "-k", "[02- and not made_again"]
    assert f"tests/solutions/test_{MODULE}.py" in commands[1]
    assert commands[0][1:] == ["build", LESSON]


def test_what_begins_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    quick.run([[sys.executable, "-c", "print('done')"]])
    begun, ended, *said = capsys.readouterr().out.splitlines()
    assert (begun[:2], ended[:2], said) == ("… ", "→ ", ["done"])
    assert begun[2:] == ended[2:]


def test_unknown_lesson() -> None:
    command = [sys.executable, "-m", "tools.quick", "--lesson", "99"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("quick: no lesson is called '99': there are ")


def test_what_a_build_makes_is_not_asked_for_twice() -> None:
    exam = "solutions/exams/causal_attention/causal_mask.py"
    assert quick._by_hand([exam, quick.MADE]) == [exam]
    assert quick._by_hand([quick.MADE]) == [quick.MADE]
    assert quick._by_hand(["docs/errata.md", quick.MADE]) == ["docs/errata.md", quick.MADE]


def test_words_that_it_does_not_know_start_nothing() -> None:
    command = [sys.executable, "-m", "tools.quick", "--lisst"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "unrecognized arguments: --lisst" in done.stderr
