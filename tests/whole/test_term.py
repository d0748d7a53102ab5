"""A term as docs/teaching.md tells it: each of its commands as it stands, one after the other."""

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.checks.source.cells import grade_id_of
from autograder.cli.program import app
from autograder.course import Course
from tests.support.course import ROOT
from tests.support.retaken import let_vary

pytestmark = pytest.mark.long

LESSON, MODULE = "02_dot_product_self_attention", "dot_product_self_attention"
TEXT = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", TEXT, re.S) for line in block.splitlines()
]
ROSTER = re.findall(r"```text\n(id,.*?)```", TEXT, re.S)[0]
SPREAD = "def spread(values):\n    return values.max() - values.min()"
RIGHT = {"mean": "def mean(values):\n    return values.mean()", "spread": SPREAD}
# Wrong of large numbers, which the exam does not try at first.
WRONG = {
    "mean": "def mean(values):\n    return values.clip(-99, 99).mean()",
    "spread": SPREAD,
}
# What is said when somebody just grades on.
AFTER_MENDING = "after_mending.txt"
LARGE_NUMBERS = '''

@mean.case
def large_numbers(draw: Draw) -> np.ndarray:
    """numbers in the thousands"""
    return draw("numbers", scale=5000)
'''


def new_course(root: Path) -> None:
    """The course that `autograder new-course` writes, with a name of a lesson of ours."""
    run(root.parent, f"autograder new-course {root.name}")
    for old, new in (
        ("source/week1.md", f"source/{LESSON}.md"),
        ("solutions/week1.py", f"solutions/{MODULE}.py"),
        ("solutions/exams/week1.py", f"solutions/exams/{MODULE}.py"),
    ):
        text = (root / old).read_text(encoding="utf-8").replace("week1", MODULE)
        (root / old).unlink()
        (root / new).write_text(text, encoding="utf-8")


def run(folder: Path, command: str) -> str:
    """Run a command as a shell would, those of our program in this process, which is quicker."""
    words = shlex.split(command)
    if words[0] == "autograder":
        here = Path.cwd()
        os.chdir(folder)
        try:
            result = CliRunner().invoke(app, words[1:], catch_exceptions=False)
        finally:
            os.chdir(here)
        assert result.exit_code == 0, f"{command}: {result.output}"
        return result.output
    if words[0] == "nbgrader":
        words[:1] = [sys.executable, "-m", "nbgrader"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def write_roster(root: Path) -> None:
    (root / "students.csv").write_text(ROSTER, encoding="utf-8")


def hand_in(root: Path) -> None:
    """A zip as Moodle gives it: a second download, and a wrong answer."""
    path = root / "notebooks" / LESSON / f"{LESSON}.ipynb"
    with zipfile.ZipFile(root / "submissions.zip", "w") as archive:
        for student, name, answers in (
            ("Ada Lovelace_1", f"{LESSON} (1).ipynb", RIGHT),
            ("Ben Babbage, Jr._2", f"{LESSON}.ipynb", WRONG),
        ):
            notebook = nbformat.read(path, as_version=4)
            for cell in notebook.cells:
                cell.source = answers.get(grade_id_of(cell), cell.source)
            archive.writestr(f"{student}_assignsubmission_file_/{name}", nbformat.writes(notebook))


def mend(root: Path) -> None:
    """A human has given half a point; and the exam tries large numbers from now on."""
    with gradebook_of(root) as gradebook:
        grade = gradebook.find_grade("spread_check", LESSON, LESSON, "ben")
        grade.manual_score, grade.needs_manual_grade = 0.5, False
        gradebook.db.commit()
    with (root / "solutions" / "exams" / f"{MODULE}.py").open("a", encoding="utf-8") as exams:
        exams.write(LARGE_NUMBERS)
    (root / AFTER_MENDING).write_text(run(root, "autograder grade 02"), encoding="utf-8")


def vary(root: Path) -> None:
    """The exam says which of its numbers a retake has otherwise."""
    let_vary(root, MODULE)


BEFORE: dict[str, Callable[[Path], None]] = {
    "autograder roster": write_roster,
    "autograder collect": hand_in,
    "autograder grade 02 --dry-run": mend,
    "autograder variant": vary,
}


def gradebook_of(root: Path) -> Gradebook:
    return Gradebook(f"sqlite:///{root / 'gradebook.db'}", root.name)


@pytest.fixture(scope="module")
def term(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """What each command of the page says, in a course that is made for it."""
    root = tmp_path_factory.mktemp("term") / "course"
    new_course(root)
    said = {}
    for command in COMMANDS:
        for begins, prepare in BEFORE.items():
            if command.startswith(begins):
                prepare(root)
        if command == "autograder student ada":
            # What stands at the end of the term, before anybody leaves and it is moved away.
            shutil.copytree(root, root.with_name("at_the_end"))
        said[command] = run(root, command)
    return root, said


def test_every_command_ends_well(term) -> None:
    assert len(term[1]) == len(COMMANDS) > 10


def test_class_is_taken_in_and_graded(term) -> None:
    _, said = term
    assert (
        "2 students: 2 new, 0 changed, 1 with more time." in said["autograder roster students.csv"]
    )
    assert "2 taken, 0 set aside." in said["autograder collect 02 --zip submissions.zip"]
    table = said["autograder grade 02"]
    assert "2 of 2 graded" in table
    assert re.search(r"ada +│ +3 / 3 ", table)
    assert re.search(r"ben +│ +3 / 3 ", table)


def test_mended_exam_is_told_before_it_counts(term) -> None:
    root, said = term
    older = "of them were graded with exams that have changed since"
    assert f"2 {older}" in (root / AFTER_MENDING).read_text(encoding="utf-8")
    assert older not in said["autograder grade 02"] + said["autograder grade 02 --changed"]
    told = said["autograder grade 02 --dry-run"]
    assert "2 would be graded again, and the points of 1 would change. Nothing was saved." in told
    assert re.search(r"ben +│ mean +│ +2 │ +0 ", told)
    table = said["autograder grade 02 --changed"]
    assert re.search(r"ada +│ +3 / 3 ", table)
    assert re.search(r"ben +│ +0.5 / 3 ", table)


def test_retake_is_a_lesson_of_its_own(term) -> None:
    root, said = term
    told = said["autograder variant 02r_retake --of 02"]
    assert re.search(r"mean +2, 2 +2, [12]\.", told)
    assert "Points: 3 in the lesson, 2 here.\nIn the lesson alone: spread.\n" in told
    assert Course(root).lessons() == [LESSON, "02r_retake"]


def test_what_a_human_has_graded_is_final_in_the_end(term) -> None:
    root, _ = term
    at_the_end = root.with_name("at_the_end")
    with (at_the_end / "grades.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert [rows[name]["needs_manual_grade"] for name in ("ada", "ben")] == ["False", "False"]
    assert [float(rows[name]["score"]) for name in ("ada", "ben")] == [3.0, 0.5]


def test_who_leaves_takes_everything_along(term) -> None:
    root, said = term
    assert "removed submitted/eva" in said["autograder student eva --remove ../eva"]
    for copy, student in (("ada", "ada"), ("eva", "eva")):
        left = {path.name for path in (root.with_name(copy) / "submitted" / student).iterdir()}
        assert left == {LESSON}
        with (root.with_name(copy) / "grades.csv").open(newline="", encoding="utf-8") as file:
            assert sum(float(row["auto_score"]) for row in csv.DictReader(file)) == 3
    with (root.with_name("last_term") / "roster.csv").open(newline="", encoding="utf-8") as file:
        assert [row["id"] for row in csv.DictReader(file)] == ["ben"]


def test_nothing_is_lost_when_the_term_is_over(term) -> None:
    root, _ = term
    kept = {path.name for path in root.with_name("last_term").iterdir()}
    there = "gradebook.db exam_seed.txt roster.csv submitted feedback exchange"
    assert {*there.split()} <= kept
    assert not (root / "gradebook.db").exists()
