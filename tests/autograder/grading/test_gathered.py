"""Parts from other lessons are stand-ins when grading, on either side of the wall."""

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.authoring.build import shipping
from autograder.checks import examples, purpose
from autograder.checks.exam.report import Verdict
from autograder.checks.gathering import gather
from autograder.grading.grade import grade
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.course import COURSE
from tests.support.samples import make_cell, mixing_exam

PARTS = """\
from dataclasses import dataclass
from autograder import gather

@dataclass
class Parts:
    mix: object

stand_ins = Parts(len)
gathered = gather(stand_ins)"""
USED = "def used():\n    return gather(stand_ins).parts.mix([0, 0])"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A lesson's folder, beside one whose answer leaves a trace when it is run."""
    mixing, here = tmp_path / "04_mixing", tmp_path / "10_whole"
    for one in (mixing, here):
        one.mkdir()
    (mixing / examples.FILE).write_text(shipping.write({"mix": mixing_exam()}), encoding="utf-8")
    trace = f"open({str(tmp_path / 'trace')!r}, 'w')"
    answer = f"{trace}\ndef mix(weights, values):\n    {trace}\n    return weights @ values"
    notebook = new_notebook(cells=[make_cell("code", answer, "mix", solution=True)])
    nbformat.write(notebook, mixing / "04_mixing.ipynb")
    return here


@pytest.mark.long
def test_no_other_lesson_is_run_when_grading(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [
        new_code_cell(PARTS),
        make_cell("code", USED, "used", solution=True),
        # Once at the examiner's, and once at the student's.
        make_cell(
            "code",
            f"{PARTS}\nassert gathered.parts.mix([0, 0]) == used()",
            "given",
            grade=True,
            points=1,
        ),
        make_cell("code", "assert used() == 2", "theirs", grade=True, points=1),
    ]
    for one in cells[1:]:
        one.id = one.metadata["nbgrader"]["grade_id"]
    source = new_notebook(cells=cells)
    handed_in = nbformat.writes(source).encode()
    monkeypatch.chdir(folder)
    with Sandbox(Limits(cell_seconds=20), preload=COURSE.settings.preload) as sandbox:
        graded = grade(source, handed_in, sandbox, folder=folder)
    assert [one.verdict for one in graded.verdicts] == [Verdict.PASSED] * 2, graded.verdicts
    assert not (folder.parent / "trace").exists()


def test_it_would_leave_a_trace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv(purpose.VARIABLE, raising=False)
    namespace: dict[str, object] = {"__name__": "__main__", "gather": gather}
    exec(PARTS, namespace)
    assert (folder.parent / "trace").exists()
