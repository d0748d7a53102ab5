"""The examiner and the sandbox together: unchanged exams, and nothing believed but values."""

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder.build import build_lesson, solved_notebook
from autograder.classroom import standing_alone
from autograder.course import Course
from autograder.exam import exams_of
from autograder.grading import Graded, grade
from autograder.limits import Limits
from autograder.sandbox import Sandbox
from autograder.verdict import Verdict

COURSE = Course(Path(__file__).resolve().parents[1])
MODULES = ("numpy", "torch", "matplotlib.pyplot", "companion", "IPython", "autograder.student")
LIMITS = Limits(cell_seconds=10, call_seconds=3)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS, preload=MODULES) as sandbox:
        yield sandbox


def cell(source: str, grade_id: str = "", *, points: int = 0) -> NotebookNode:
    made = new_code_cell(source, id=grade_id or None) if grade_id else new_code_cell(source)
    if grade_id:
        made.metadata["nbgrader"] = {
            "grade_id": grade_id, "grade": points > 0, "solution": points == 0, "points": points,
            "locked": points > 0, "schema_version": 3, "task": False, "cell_type": "code",
        }  # fmt: skip
    return made


def plain_course(*tests: str) -> NotebookNode:
    """An ordinary nbgrader notebook: no exam, tests of plain asserts."""
    cells = [cell("import numpy as np"), cell("def double(x):\n    return 2 * x", "double")]
    cells += [cell(test, f"test-{n}", points=1) for n, test in enumerate(tests)]
    return new_notebook(cells=cells)


def answered(source: NotebookNode, answer: str, *added: str) -> bytes:
    handed_in = nbformat.reads(nbformat.writes(source), as_version=4)
    for one in handed_in.cells:
        if one.metadata.get("nbgrader", {}).get("solution"):
            one.source = answer
    handed_in.cells[1:1] = [new_code_cell(text) for text in added]
    return nbformat.writes(handed_in).encode()


def verdicts(graded: Graded) -> list[Verdict]:
    return [one.verdict for one in graded.verdicts]


def test_plain_asserts_work(sandbox: Sandbox) -> None:
    source = plain_course(
        "assert np.allclose(double(np.ones(3)), 2)",
        "x = [1]\nassert double(x) == [1, 1]\nassert x == [1]",
        "assert double(2) == 5, 'two and two'",
        "try:\n    double(None)\nexcept TypeError as error:\n    assert 'None' in str(error)",
    )
    graded = grade(source, answered(source, "def double(x):\n    return 2 * x"), sandbox)
    passed, wrong = Verdict.PASSED, Verdict.WRONG
    assert verdicts(graded) == [passed, passed, wrong, passed]
    assert graded.verdicts[2].message == "two and two"


def test_each_end_has_its_verdict(sandbox: Sandbox) -> None:
    source = plain_course("assert double(1) == 2")
    ends = {
        "def double(x): return 3": Verdict.WRONG,
        "def double(x): raise ValueError('no')": Verdict.EXCEPTION,
        "def double(x): raise NotImplementedError()": Verdict.NOT_IMPLEMENTED,
        "def double(x):\n    while True: pass": Verdict.TIMEOUT,
        "def double(x):\n    import os\n    os._exit(0)": Verdict.KILLED,
        "import os\nos._exit(0)": Verdict.KILLED,
        "def triple(x): return 3 * x": Verdict.MISSING,
    }
    for answer, verdict in ends.items():
        graded = grade(source, answered(source, answer), sandbox)
        assert verdicts(graded) == [verdict], answer
        assert graded.verdicts[0].points == 0


def test_memory_is_limited(sandbox: Sandbox) -> None:
    source = plain_course("assert double(1) == 2")
    answer = "def double(x):\n    return 2 if bytearray(3 * 1024**3) else 3"
    (verdict,) = verdicts(grade(source, answered(source, answer), sandbox))
    assert verdict in (Verdict.MEMORY, Verdict.EXCEPTION)


def test_crash_costs_its_cell(sandbox: Sandbox) -> None:
    source = plain_course(
        "assert double(1) == 2", "assert double(-1) == -2", "assert double(3) == 6"
    )
    answer = "def double(x):\n    import os\n    return 2 * x if x > 0 else os._exit(1)"
    graded = grade(source, answered(source, answer), sandbox)
    assert verdicts(graded) == [Verdict.PASSED, Verdict.KILLED, Verdict.PASSED]


def test_written_arguments_are_seen(sandbox: Sandbox) -> None:
    source = plain_course("x = np.ones(2)\ndouble(x)\nassert x.tolist() == [2, 2]")
    answer = "def double(x):\n    x *= 2"
    assert verdicts(grade(source, answered(source, answer), sandbox)) == [Verdict.PASSED]


def test_callbacks_ask_the_examiner(sandbox: Sandbox) -> None:
    source = plain_course("assert double(lambda x: x + 1) == 6")
    answer = "def double(f):\n    return f(2) + f(2)"
    assert verdicts(grade(source, answered(source, answer), sandbox)) == [Verdict.PASSED]


def test_objects_stay_and_answer(sandbox: Sandbox) -> None:
    source = plain_course("two = double(2)\nassert two.value == 4\nassert two.add(1) == 5")
    answer = (
        "class double:\n    def __init__(self, x):\n        self.value = 2 * x\n"
        "    def add(self, y):\n        return self.value + y"
    )
    assert verdicts(grade(source, answered(source, answer), sandbox)) == [Verdict.PASSED]


def test_lying_objects_do_not_pass(sandbox: Sandbox) -> None:
    source = plain_course("assert double(1) == 2")
    lie = "class Liar(int):\n    def __eq__(self, other):\n        return True\n"
    answer = f"{lie}def double(x):\n    return Liar(7)"
    assert verdicts(grade(source, answered(source, answer), sandbox)) == [Verdict.WRONG]


def test_same_seed_same_verdicts(sandbox: Sandbox) -> None:
    source = plain_course("assert double(1) == 2")
    answer = "import random\ndef double(x):\n    return 2 if random.random() < 0.5 else 3"
    submission = answered(source, answer)
    for seed in range(6):
        first, second = (grade(source, submission, sandbox, seed=seed) for _ in range(2))
        assert verdicts(first) == verdicts(second)


def test_record_is_complete(sandbox: Sandbox) -> None:
    source = plain_course("assert double(1) == 2", "assert double(1) == 3")
    record = grade(source, answered(source, "def double(x):\n    return 2 * x"), sandbox).record
    assert record["version"] == 1
    assert record["isolation"].startswith("isolation full")
    assert [one["verdict"] for one in record["cells"]] == ["passed", "wrong"]
    assert [one["points"] for one in record["cells"]] == [1.0, 0.0]
    assert len(record["submission"]) == 64


def test_outputs_are_bounded_and_shown(sandbox: Sandbox) -> None:
    source = plain_course("assert double(1) == 2")
    flood = "for _ in range(100_000):\n    print('x' * 100)"
    graded = grade(
        source, answered(source, "def double(x): return 2", "print('hi')", flood), sandbox
    )
    texts = [o.text for one in graded.notebook.cells for o in one.get("outputs", []) if "text" in o]
    assert "hi\n" in texts
    assert sum(map(len, texts)) < 2 * LIMITS.output_bytes
    assert verdicts(graded) == [Verdict.PASSED]


@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_all_right_styles_earn_full_marks(sandbox: Sandbox, lesson: str) -> None:
    files = build_lesson(COURSE, lesson).files
    source = nbformat.reads(files[COURSE.source / lesson / f"{lesson}.ipynb"], as_version=4)
    beside = {"checks.json": files[COURSE.source / lesson / "checks.json"].encode()}
    exams, solved = exams_of(COURSE.exam_module(lesson)), solved_notebook(COURSE, lesson)
    known = {"np", "softmax", "torch_softmax", "Callable"}
    styles = max(len(exam.accepted) for exam in exams.values())
    for style in range(styles):
        handed_in = nbformat.reads(nbformat.writes(solved), as_version=4)
        for one in handed_in.cells:
            name = one.metadata.get("nbgrader", {}).get("grade_id", "")
            answers = list(exams[name].accepted.values()) if name in exams else []
            if one.metadata.get("nbgrader", {}).get("solution") and style < len(answers):
                one.source = standing_alone(answers[style], name, known) or one.source
        graded = grade(source, nbformat.writes(handed_in).encode(), sandbox, files=beside)
        lost = [one for one in graded.verdicts if one.verdict is not Verdict.PASSED]
        assert lost == []


def test_large_questions_are_refused(sandbox: Sandbox) -> None:
    source = plain_course("assert double(lambda x: np.outer(x, x).sum()) == 1")
    answer = (
        "import numpy as np\ndef double(f):\n    try:\n        f(np.ones(100_000))\n"
        "    except RuntimeError as error:\n        return int('too large' in str(error))"
    )
    assert verdicts(grade(source, answered(source, answer), sandbox)) == [Verdict.PASSED]
