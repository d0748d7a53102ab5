"""The examiner and the sandbox together: unchanged exams, and nothing believed but values."""

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.utils import determine_grade

from autograder.authoring.build.build import build_lesson
from autograder.checks.exam.exam import exams_of
from autograder.checks.exam.report import Verdict
from autograder.checks.source.cells import grade_id_of, has_role, is_test
from autograder.demo.classroom import names_above
from autograder.demo.standalone import standing_alone
from autograder.errors import GradingFailed
from autograder.grading.grade import Graded, grade
from autograder.learner.marking import with_hidden_tests
from autograder.learner.run_notebook import run
from autograder.nbgrading.preprocessor import _with_points
from autograder.site.lessons.colab import for_colab
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox, StudentProcess
from tests.support.attacks.inputs import KEPT, LENDING, LIAR, REAL, keeping
from tests.support.course import COURSE
from tests.support.sample import EVERYTHING, sample

LIMITS = Limits(cell_seconds=10, call_seconds=3)
# All lessons in all styles take minutes.
SHORT_LESSONS = ["00_foundations", "02_dot_product_self_attention"]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS, preload=COURSE.settings.preload) as sandbox:
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
        if has_role(one, "solution"):
            one.source = answer
    handed_in.cells[1:1] = [new_code_cell(text) for text in added]
    return nbformat.writes(handed_in).encode()


def verdicts(graded: Graded) -> list[Verdict]:
    return [one.verdict for one in graded.verdicts]


def test_plain_asserts_work(sandbox: Sandbox) -> None:
    source = plain_course(
        "assert np.allclose(double(np.ones(3)), 2)",
        "x = [1]\nassert double(x) == [1, 1]\nassert x == [1]",
        "assert double(3) == 6, 'twice three'",
        "try:\n    double(None)\nexcept TypeError as error:\n    assert 'None' in str(error)",
    )
    answer = "def double(x):\n    return 5 if type(x) is int and x == 3 else 2 * x"
    graded = grade(source, answered(source, answer), sandbox)
    passed, wrong = Verdict.PASSED, Verdict.WRONG
    assert verdicts(graded) == [passed, passed, wrong, passed]
    assert graded.verdicts[2].message == "twice three"


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
        f"def double(x): return 2 * x  {'#' * 200_000}": Verdict.NOT_GRADABLE,
    }
    for answer, verdict in ends.items():
        graded = grade(source, answered(source, answer), sandbox)
        assert verdicts(graded) == [verdict], answer
        assert graded.verdicts[0].points == 0


LONG = "#" * 200_001


@pytest.mark.parametrize(
    ("long", "expected"),
    [
        ("first", [Verdict.PASSED, Verdict.NOT_GRADABLE, Verdict.NOT_GRADABLE]),
        ("second", [Verdict.PASSED, Verdict.PASSED, Verdict.NOT_GRADABLE]),
        ("added", [Verdict.NOT_GRADABLE, Verdict.PASSED, Verdict.NOT_GRADABLE]),
        ("given", [Verdict.PASSED, Verdict.PASSED, Verdict.WRONG]),
    ],
)
def test_what_fails_below_a_cell_that_is_not_read_waits(
    sandbox: Sandbox, long: str, expected: list[Verdict]
) -> None:
    """A right answer may need what was not run, and nobody knows whether it was needed."""
    source = new_notebook(
        cells=[
            cell("import math"),
            cell("def zero():\n    return 0", "zero"),
            cell("assert zero() == 0", "test-zero", points=1),
            cell("def one():\n    return 1", "one"),
            cell("assert one() == 1", "test-one", points=1),
            cell("def two():\n    return 2 * one()", "two"),
            cell("assert two() == 2", "test-two", points=1),
        ]
    )
    own = deepcopy(source)
    by_id = {grade_id_of(one): one for one in own.cells}
    by_id["two"].source = "def two():\n    return 3"
    if long == "first":
        by_id["one"].source += LONG
    elif long == "second":
        by_id["two"].source += LONG
    elif long == "added":
        own.cells.insert(1, new_code_cell(f"x = 0  {LONG}"))
        by_id["zero"].source = "def zero():\n    return x"
    else:
        own.cells[0].source += LONG
    assert verdicts(grade(source, nbformat.writes(own).encode(), sandbox)) == expected


EXAMINED = "from autograder import hidden_check\n" + (
    "check = hidden_check('solutions.exams.dot_product_self_attention')\ncheck(pairwise_scores)"
)
WRONG_LINE = "inputs = np.asarray(inputs)\n    return inputs * inputs.T"
# As it stands it ends at once; what a small change of it does, no loop's turns can bound.
ENDLESS_IF_CHANGED = "return inputs.sum() if 1 > 0 else sum(1 for _ in iter(int, 1))"


@pytest.mark.parametrize(("body", "lines"), [(WRONG_LINE, [3]), (ENDLESS_IF_CHANGED, [])])
def test_place_to_look_at_is_found_in_the_sandbox(
    sandbox: Sandbox, body: str, lines: list[int]
) -> None:
    solution = "def pairwise_scores(inputs):\n    return inputs @ inputs.T"
    cells = [cell("import numpy as np"), cell(solution, "pairwise_scores")]
    source = new_notebook(cells=[*cells, cell(EXAMINED, "test-pairwise_scores", points=2)])
    wrong = f"def pairwise_scores(inputs):\n    {body}"
    (found,) = grade(source, answered(source, wrong), sandbox).verdicts
    assert found.verdict in (Verdict.WRONG, Verdict.EXCEPTION)
    assert found.report
    assert [place.line for place in found.report.places] == lines


HIDING = """\
def causal_attention_weights(scores):
    later = torch.ones_like(scores).triu(1).bool()
    return torch.softmax(scores.masked_fill(later, {}), {})
"""


def test_two_mistakes_are_told_as_in_a_check(sandbox: Sandbox) -> None:
    """What the search may know of misconceptions comes from here, in two steps."""
    module = COURSE.exam_module("04_causal_attention")
    cells = [
        cell("import torch"),
        cell(HIDING.format("-torch.inf", -1), "causal_attention_weights"),
    ]
    examined = EXAMINED.replace("pairwise_scores", "causal_attention_weights")
    test = cell(
        examined.replace("solutions.exams.dot_product_self_attention", module.__name__),
        "test-causal_attention_weights",
        points=2,
    )
    source = new_notebook(cells=[*cells, test])
    (found,) = grade(source, answered(source, HIDING.format(0, -2)), sandbox).verdicts
    assert found.report
    assert found.report.hint.startswith("Perhaps two things differ")
    hints = exams_of(module)["causal_attention_weights"].hints
    assert found.report.hint.endswith(hints["filled_with_zero"])
    assert [(place.line, place.alone) for place in found.report.places] == [(3, False)]


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
    answer = source.cells[1].source = "def double(x):\n    x *= 2"
    assert verdicts(grade(source, answered(source, answer), sandbox)) == [Verdict.PASSED]


def test_callbacks_ask_the_examiner(sandbox: Sandbox) -> None:
    source = plain_course("assert double(lambda x: x + 1) == 6")
    answer = "def double(f):\n    return f(2) + f(2)"
    assert verdicts(grade(source, answered(source, answer), sandbox)) == [Verdict.PASSED]


@pytest.mark.parametrize(("before", "keep", "kept"), KEPT.values(), ids=KEPT)
def test_what_a_lent_function_said_is_not_kept(
    sandbox: Sandbox, before: str, keep: str, kept: str
) -> None:
    answer = keeping(before, keep, kept)
    for lending in LENDING.values() if not before else ["assert double(lambda x: 2 * x) is None"]:
        source = plain_course("assert double(3) == 6", lending)
        first, second = grade(source, answered(source, answer), sandbox).verdicts
        assert second.verdict is Verdict.PASSED
        assert first.points == 0, first


def test_right_answers_are_right_after_a_lent_function(sandbox: Sandbox) -> None:
    source = plain_course(
        "assert double(3) == 6 and count == [1]",
        "assert double(lambda x: 2 * x) == 6",
        "assert double(lambda x: x + x) == 6",
    )
    answer = (
        "from pathlib import Path\ncount = globals().get('count', []) + [1]\n"
        "Path('here.txt').write_text('3')\n"
        "def double(f):\n    return f(int(Path('here.txt').read_text())) if callable(f) else 2 * f"
    )
    graded = grade(source, answered(source, answer), sandbox)
    assert verdicts(graded) == [Verdict.PASSED] * 3


@pytest.mark.long
def test_exams_that_lend_cost_no_second_run(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their inputs are drawn: what was said before answers none of them."""
    spawned = []
    spawn = Sandbox.spawn

    def counted(box: Sandbox, *args: Any) -> StudentProcess:
        spawned.append(box)
        return spawn(box, *args)

    monkeypatch.setattr(Sandbox, "spawn", counted)
    source, beside = instructors("02_dot_product_self_attention")
    solved = build_lesson(COURSE, "02_dot_product_self_attention").solved()
    graded = grade(source, nbformat.writes(solved).encode(), sandbox, files=beside)
    assert {one.verdict for one in graded.verdicts} == {Verdict.PASSED}
    assert len(spawned) == 1


def test_objects_stay_and_answer(sandbox: Sandbox) -> None:
    answer = (
        "class double:\n    def __init__(self, x):\n        self.value = 2 * x\n"
        "    def add(self, y):\n        return self.value + y"
    )
    test = "#test 1\ntwo = double(2)\nassert two.value == 4\nassert two.add(1) == 5"
    source = lesson(f"#answer double\n{answer}", test)
    assert verdicts(grade(source, answered(source, answer), sandbox)) == [Verdict.PASSED]


def test_lying_objects_do_not_pass(sandbox: Sandbox) -> None:
    source = plain_course("assert double(1) == 2")
    lie = "class Liar(int):\n    def __eq__(self, other):\n        return True\n"
    answer = f"{lie}def double(x):\n    return Liar(7)"
    assert verdicts(grade(source, answered(source, answer), sandbox)) == [Verdict.WRONG]


@pytest.mark.long
def test_same_seed_same_verdicts(sandbox: Sandbox) -> None:
    source = plain_course("assert double(1) == 2")
    answer = "import random\ndef double(x):\n    return 2 if random.random() < 0.5 else 3"
    submission = answered(source, answer)
    for seed in range(6):
        first, second = (grade(source, submission, sandbox, seed=seed) for _ in range(2))
        assert verdicts(first) == verdicts(second)


def test_record_is_complete(sandbox: Sandbox) -> None:
    source = plain_course("assert double(0) == 0", "assert double(1) == 2")
    record = grade(source, answered(source, "def double(x):\n    return 3 * x"), sandbox).record
    assert record.isolation.startswith("isolation full")
    assert [one.verdict for one in record.cells] == [Verdict.PASSED, Verdict.WRONG]
    assert [one.points for one in record.cells] == [1.0, 0.0]
    assert len(record.submission) == 64


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


@pytest.mark.slow
@pytest.mark.parametrize("lesson", COURSE.lessons() if EVERYTHING else sample(SHORT_LESSONS, 2))
def test_all_right_styles_earn_full_marks(lesson: str) -> None:
    source, beside = instructors(lesson)
    with Sandbox(Limits(), preload=COURSE.settings.preload) as sandbox:
        for submission in in_all_styles(lesson):
            graded = grade(source, nbformat.writes(submission).encode(), sandbox, files=beside)
            assert [one for one in graded.verdicts if one.verdict is not Verdict.PASSED] == []


@pytest.mark.long
@pytest.mark.parametrize("lesson", sample(SHORT_LESSONS, 2))
def test_all_right_styles_earn_full_marks_in_a_stock_run(lesson: str) -> None:
    source, _ = instructors(lesson)
    for submission in in_all_styles(lesson):
        stock = with_hidden_tests(submission, source)
        run(stock, COURSE.release_folder(lesson), path=COURSE.root, seconds_per_cell=600)
        tests = [one for one in stock.cells if is_test(one)]
        assert tests
        assert [one.source for one in tests if errors(one)] == []


def instructors(lesson: str) -> tuple[NotebookNode, dict[str, bytes]]:
    """The instructor's notebook, and what lies beside it."""
    built = build_lesson(COURSE, lesson)
    return built.source, {"checks.json": built.checks.encode()}


def in_all_styles(lesson: str) -> Iterator[NotebookNode]:
    """The solved lesson with the first accepted style of every exercise, then with the next, and
    so on where everything is tried.
    """
    exams, solved = exams_of(COURSE.exam_module(lesson)), build_lesson(COURSE, lesson).solved()
    styles = {
        name: [
            standing_alone(answer, name, names_above(solved, name))
            for answer in exam.accepted.values()
        ]
        for name, exam in exams.items()
    }
    standing = [bool(source) for sources in styles.values() for source in sources]
    # Of the last lessons, half of them are modules made of the lesson's other modules.
    assert sum(standing) > 0.4 * len(standing)
    rounds = max(map(len, styles.values())) if EVERYTHING else 1
    for style in range(rounds):
        submission = nbformat.reads(nbformat.writes(solved), as_version=4)
        for one in submission.cells:
            sources = styles.get(grade_id_of(one), [])
            if has_role(one, "solution") and sources[style:]:
                one.source = sources[style] or one.source
        yield submission


def errors(cell: NotebookNode) -> list[str]:
    return [one.evalue for one in cell.outputs if one.output_type == "error"]


def test_large_questions_are_refused(sandbox: Sandbox) -> None:
    source = plain_course("assert double(lambda x: np.outer(x, x).sum()) == 1")
    answer = source.cells[1].source = (
        "import numpy as np\ndef double(f):\n    try:\n        f(np.ones(100_000))\n"
        "    except ValueError as error:\n        return int('too large' in str(error))"
    )
    assert verdicts(grade(source, answered(source, answer), sandbox)) == [Verdict.PASSED]


def lesson(*cells: str) -> NotebookNode:
    """Cells by their beginning: "#answer <name>", "#test <points>", or given."""
    made = []
    for number, text in enumerate(cells):
        kind, _, rest = text.partition("\n")[0].partition(" ")
        if kind == "#answer":
            made.append(cell(text, rest))
        else:
            points = int(rest or 1) if kind == "#test" else 0
            made.append(cell(text, f"test-{number}" if points else "", points=points))
    return new_notebook(cells=made)


SOFTMAX = """#answer softmax
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)"""


def test_ordinary_tests(sandbox: Sandbox) -> None:
    source = lesson(
        "%matplotlib inline\nimport numpy as np\nrng = np.random.default_rng(0)",
        "x = rng.normal(size=(3, 4))\ny = 2 * x\ny[0] = 0",
        "def close(a, b):\n    return np.allclose(a, b)",
        SOFTMAX,
        "weights = softmax(x)",
        "#test 2\nassert np.allclose(softmax(x).sum(-1), 1)\nassert (softmax(x) > 0).all()",
        "#test 1\nnp.testing.assert_allclose(weights, softmax(x))\nassert weights.shape == (3, 4)",
        "#test 1\nassert close(softmax(y)[0], [0.25] * 4), 'equal scores, equal weights'",
        "#test 1\nexpected = np.exp(y) / np.exp(y).sum(-1, keepdims=True)\nresult = softmax(y)",
        "#test 1\nassert close(result, expected)",
    )
    right = SOFTMAX.partition("\n")[2]
    # The fourth compares nothing, so any answer passes it: it gives no points by itself.
    assert verdicts(grade(source, answered(source, right), sandbox)) == [
        Verdict.PASSED, Verdict.PASSED, Verdict.PASSED, Verdict.NOT_GRADABLE, Verdict.PASSED,
    ]  # fmt: skip
    wrong = "def softmax(x):\n    return np.ones_like(x) / x.size"
    graded = grade(source, answered(source, wrong), sandbox)
    assert verdicts(graded) == [
        Verdict.WRONG, Verdict.PASSED, Verdict.WRONG, Verdict.NOT_GRADABLE, Verdict.WRONG,
    ]  # fmt: skip
    assert [one.points for one in graded.verdicts] == [0, 1, 0, 0, 0]
    assert graded.verdicts[2].message == "equal scores, equal weights"


def test_given_names_are_the_instructors(sandbox: Sandbox) -> None:
    source = lesson(
        "import numpy as np\nx = np.ones(3)",
        "#answer softmax\ndef softmax(x): return x * 7 / 3",
        "#test 1\nassert softmax(x).sum() == 7",
    )
    answer = "x = None\nnp.ndarray = None\ndef softmax(x):\n    return x * 7 / 3"
    assert verdicts(grade(source, answered(source, answer), sandbox)) == [Verdict.PASSED]
    lazy = "x = np.full(3, 7 / 3)\ndef softmax(x):\n    return x"
    assert verdicts(grade(source, answered(source, lazy), sandbox)) == [Verdict.WRONG]


NUMBER = "def thing(): return np.full((4, 4), 4)"


def test_objects_do_not_answer_for_themselves(sandbox: Sandbox) -> None:
    """Nor is it the student's mistake where the instructor's solution does not pass."""
    tests = [f"#test 1\n{test}" for test in REAL]
    source = lesson("import numpy as np", f"#answer thing\n{NUMBER}", *tests)
    found = grade(source, answered(source, LIAR), sandbox)
    assert [one.points for one in found.verdicts] == [0] * len(REAL)
    assert set(verdicts(found)) == {Verdict.WRONG, Verdict.NOT_GRADABLE}
    in_array = REAL.index("assert 4 in thing()")
    assert "stays in the student's process: a test may call it" in found.verdicts[in_array].message
    asked = found.verdicts[REAL.index("assert thing().sum() == 64")].message
    assert "which no class of the instructor's solution has" in asked


def test_names_that_the_answer_lacks(sandbox: Sandbox) -> None:
    source = plain_course("assert double(1) == 2")
    (one,) = grade(source, answered(source, "def double(x): return two * x"), sandbox).verdicts
    assert one.verdict is Verdict.EXCEPTION
    assert one.message == "NameError: name 'two' is not defined"
    (one,) = grade(source, answered(source, "two = 2"), sandbox).verdicts
    assert one.verdict is Verdict.MISSING
    where = "the cell of double defines `two` in its place"
    assert one.message == f"name 'double' is not defined: {where}"
    (one,) = grade(source, answered(source, "1 + 1"), sandbox).verdicts
    assert one.message == "name 'double' is not defined"


def test_later_tests_are_reproducible(sandbox: Sandbox) -> None:
    source = plain_course(*["assert double(1) == 2"] * 6)
    answer = "import random\ndef double(x):\n    return 2 if random.random() < 0.5 else 3"
    first, second = (
        verdicts(grade(source, answered(source, answer), sandbox, seed=3)) for _ in range(2)
    )
    assert first == second
    assert len(set(first)) == 1


def test_one_test_does_not_see_another(sandbox: Sandbox) -> None:
    source = plain_course(*["assert double(1) == 2"] * 3)
    answer = "seen = []\ndef double(x):\n    seen.append(x)\n    return 2 * len(seen)"
    assert verdicts(grade(source, answered(source, answer), sandbox)) == [Verdict.PASSED] * 3


PARTIAL = """#test 3
from autograder.checks.card.as_html import show
from autograder.checks.check import settle
from autograder.checks.exam.exam import Exam
def double(x): return 2 * x
exam = Exam(double, forbids=("multiply",))
@exam.example
def one():
    "one"
    return np.ones(1)
@exam.case(times=2)
def positive(draw):
    "positive numbers"
    return np.abs(draw("n"))
@exam.case(times=2)
def negative(draw):
    "negative numbers"
    return -np.abs(draw("n"))
@exam.case(times=2)
def large(draw):
    "large numbers"
    return 1000 + np.abs(draw("n"))
exam.half_but_for("negative numbers", negative)
exam.half_but_for("large numbers", large)
settle(exam.examine(answer))
"""


@pytest.mark.parametrize(
    ("answer", "points"),
    [
        ("return 2 * x", 3),
        ("return 2 * np.abs(x)", 1.5),
        ("return np.minimum(2 * x, 100).astype(x.dtype)", 1.5),
        ("x *= 2\n    return x", 1.5),
        ("return (2 * x).astype(float)", 1.5),
        ("return np.minimum(2 * np.abs(x), 100).astype(x.dtype)", 0),
        ("return x", 0),
        ("return np.multiply(2, x).astype(x.dtype)", 0),
        ("raise NotImplementedError", 0),
    ],
)
def test_partial_credit(sandbox: Sandbox, answer: str, points: float) -> None:
    solution = "#answer double\ndef double(x): return 2 * x"
    source = lesson("import numpy as np", solution, "answer = double", PARTIAL)
    code = f"def double(x):\n    {answer}"
    graded = grade(source, answered(source, code), sandbox)
    (one,) = graded.verdicts
    assert one.points == points, one.message
    assert bool(graded.record.cells[0].right_but_for) == (points == 1.5)
    _with_points(graded.notebook, graded.record)
    test = next(one for one in graded.notebook.cells if one.get("id") == "test-3")
    score, _ = determine_grade(test)
    assert (3 if score is None else score) == points


@pytest.mark.parametrize(("points", "halves"), [(3, False), (2, True)])
def test_nothing_is_halved_of_few_points_or_where_the_course_wants_none(
    sandbox: Sandbox, points: int, halves: bool
) -> None:
    solution = "#answer double\ndef double(x): return 2 * x"
    test = PARTIAL.replace("#test 3", f"#test {points}")
    source = lesson("import numpy as np", solution, "answer = double", test)
    submission = answered(source, "def double(x): return 2 * np.abs(x)")
    graded = grade(source, submission, sandbox, halves=halves)
    (found,) = graded.record.cells
    assert (found.points, found.right_but_for) == (0, "")
    assert "half of the points" not in found.message
    shown = str([one.outputs for one in graded.notebook.cells if one.cell_type == "code"])
    assert "not yet right" in shown
    assert "half of the points" not in shown


def test_tests_find_files_beside_them(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "numbers.txt").write_text("1 2 3")
    (tmp_path / "expected_here.py").write_text("TWICE = [2, 4, 6]")
    source = plain_course("from expected_here import TWICE\nassert double(x).tolist() == TWICE")
    source.cells.insert(1, cell("x = np.loadtxt('numbers.txt')"))
    submission = answered(source, "def double(x): return 2 * x")
    files = {"numbers.txt": b"1 2 3"}
    graded = grade(source, submission, sandbox, files=files, folder=tmp_path)
    assert verdicts(graded) == [Verdict.PASSED]


def test_cells_import_what_lies_beside_them(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "beside_here.py").write_text("TWO = 2")
    source = plain_course("assert double(3) == 6")
    source.cells.insert(1, cell("import beside_here, statistics\nprint(statistics.mean([1, 3]))"))
    submission = answered(source, "def double(x): return beside_here.TWO * x")
    files = {"beside_here.py": b"TWO = 2", "statistics.py": b"mean = None"}
    graded = grade(source, submission, sandbox, files=files, folder=tmp_path)
    assert verdicts(graded) == [Verdict.PASSED]
    assert graded.notebook.cells[1].outputs[0].text == "2\n"


@pytest.mark.long
def test_what_some_lessons_need_is_imported_once() -> None:
    step = "weight = torch.zeros(1, requires_grad=True)\nweight.grad = torch.ones(1)\n"
    step += "torch.optim.SGD([weight], 0.5).step()\nassert double(weight.item()) == -1"
    source = plain_course(f"import torch\n{step}")
    answer = "def double(x):\n    return 2 * x"
    seen = "import sys\nprint('torch._dynamo' in sys.modules)"
    with Sandbox(LIMITS, preload=("numpy", "torch")) as box:
        printed = [
            next(
                one.outputs[0].text
                for one in grade(source, answered(source, answer, seen), box).notebook.cells
                if one.source == seen
            )
            for _ in range(2)
        ]
    assert printed == ["False\n", "True\n"]


def test_missing_module_is_the_instructors(sandbox: Sandbox) -> None:
    source = plain_course("import nowhere_to_be_found")
    with pytest.raises(GradingFailed, match="nowhere_to_be_found"):
        grade(source, answered(source, "def double(x): return 2 * x"), sandbox)


def test_given_cells_are_the_instructors(sandbox: Sandbox) -> None:
    """Whatever a student makes of the names of given cells, in cells of their own."""
    source = lesson(
        "pairs, expected = [], []\nfor n in range(3):\n    pairs.append((n, 2 * n))",
        "with open('/dev/null') as nowhere:\n    limit = 4\n%time most = 4",
        "#answer double\ndef double(x): return 2 * x",
        "made = []\nfor n in range(3):\n    made.append(double(n))",
        "#test 1\nfor n, m in pairs:\n    assert double(n) == m",
        "#test 1\nassert double(2) == limit == most",
        "#test 1\nfor n, m in zip(range(3), made):\n    assert m == 2 * n",
        "#test 1\nassert max(pairs)[1] == double(2)",
    )
    right = answered(source, "def double(x): return x + x")
    graded = grade(source, right, sandbox)
    assert verdicts(graded) == [Verdict.PASSED] * 4
    assert [one.made_with_answers for one in graded.record.cells] == [(), (), ("made",), ()]
    lie = (
        "def double(x): return 7\npairs = expected = made = []\nlimit = most = 7\n"
        "max = lambda *_: [0, 7]"
    )
    wrong = nbformat.reads(answered(source, lie).decode(), as_version=4)
    wrong.cells.insert(6, new_code_cell("made = pairs = []"))
    graded = grade(source, nbformat.writes(wrong).encode(), sandbox)
    assert verdicts(graded) == [Verdict.WRONG] * 4
    assert "with what your code has made: the test compared nothing" in graded.verdicts[2].message


def test_helper_of_a_student(sandbox: Sandbox) -> None:
    source = plain_course("assert double(3) == 6")
    answer = "from my_helper import double"
    files = {"my_helper.py": b"def double(x): return 2 * x"}
    assert verdicts(grade(source, answered(source, answer), sandbox, files=files)) == [
        Verdict.PASSED
    ]


def test_cell_that_installs_the_course_in_colab_does_nothing_here(sandbox: Sandbox) -> None:
    """What was worked on there is handed in with it, and is graded like any other."""
    source = plain_course("assert double(3) == 6")
    (install,) = for_colab(new_notebook(), "ada/course").cells
    answer = "def double(x):\n    return 2 * x"
    graded = grade(source, answered(source, answer, install.source), sandbox)
    assert verdicts(graded) == [Verdict.PASSED]
    (there,) = (one for one in graded.notebook.cells if one.source == install.source)
    assert there.outputs == []


def test_broken_syntax_is_named(sandbox: Sandbox) -> None:
    source = plain_course("assert double(3) == 6")
    (one,) = grade(source, answered(source, "def double(x:\n    return 2"), sandbox).verdicts
    assert one.verdict is Verdict.EXCEPTION
    assert one.message.startswith("SyntaxError in the cell of double, so nothing of it was run: ")


def test_given_cell_that_fails_is_ours(sandbox: Sandbox) -> None:
    source = plain_course("assert double(3) == six")
    source.cells.insert(1, cell("six = int('six')"))
    (one,) = grade(source, answered(source, "def double(x): return 7"), sandbox).verdicts
    assert one.verdict is Verdict.NOT_GRADABLE
    assert "the instructor's own cell fails at `six = int('six')` (ValueError" in one.message


LIES = """class double:
    def __new__(cls, x): return object.__new__(cls) if x else []
    def __eq__(self, other): return True
    def __len__(self): return 10 ** 9
    def __iter__(self): return iter(lambda: 7, 8)
    def __getitem__(self, at): return at * 2
    def __contains__(self, one): return True
    def __instancecheck__(self, one): return True
    __hash__ = lambda self: 5
def stream(n):
    while True: yield 0
"""


def test_empty_is_right_where_the_solution_is_empty(sandbox: Sandbox) -> None:
    """What a test compares with something empty may be nothing: then a human is to look."""
    tests = "assert list(double([])) == []", "assert all(n == 1 for n in double([1]))"
    source = plain_course(*tests, "assert double(np.ones((0, 2))).shape == (0, 2)")
    right = answered(source, "def double(x):\n    return 2 * x")
    assert verdicts(grade(source, right, sandbox)) == [Verdict.PASSED] * 3
    found = grade(source, answered(source, "def double(x):\n    return x[:0]"), sandbox)
    assert verdicts(found) == [Verdict.PASSED, Verdict.NOT_GRADABLE, Verdict.PASSED]
    assert found.verdicts[1].points == 0
    assert "what this code gave back is empty" in found.verdicts[1].message


SOLVED = """#answer results
def number(): return 4.0
def array(): return np.full(2, 4.0)
def parts(): return [np.full(2, 4.0)]
def tensor(): return torch.full((2,), 4.0)
def gap(): return np.array([np.nan, 4])
"""
NAN_PASSES = (
    "assert not abs(number() - 4) > 1e-9",
    "assert not np.any(np.abs(array() - 4) > 1e-9)",
    "for one in parts():\n    if np.abs(one - 4).max() > 1e-9: raise ValueError",
    "assert not (tensor() > 4).any()",
)


def test_nan_is_right_where_the_solution_has_it(sandbox: Sandbox) -> None:
    """No difference from it is too large."""
    tests = [f"#test 1\n{test}" for test in (*NAN_PASSES, "assert np.isnan(gap()).sum() == 1")]
    source = lesson("import numpy as np, torch", SOLVED, *tests)
    right = SOLVED.partition("\n")[2]
    assert verdicts(grade(source, answered(source, right), sandbox)) == [Verdict.PASSED] * 5
    found = grade(source, answered(source, right.replace("4.0", "np.nan")), sandbox)
    assert verdicts(found) == [Verdict.NOT_GRADABLE] * 4 + [Verdict.PASSED]


@pytest.mark.slow
def test_operators_that_lie(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the instructor's solution has no class, no operator of a student's is asked."""
    monkeypatch.setattr("autograder.student.rpc.session.MOST_VALUES", 1000)
    tests = ["assert double(2) == 4", "assert 4 in double([4])", "assert double([1])[0] == 1",
             "assert len(double([1])) == 2", "assert list(stream(3)) == [0, 2, 4]",
             "for n, m in zip(double([1, 2]), [1, 2]): assert n == m", "assert {double(2)} == {4}",
             "assert dict(a=double(2)) == dict(a=4)", "assert not double(0)"]  # fmt: skip
    solution = "def double(x): return 2 * x\ndef stream(n):\n    yield from range(0, 2 * n, 2)"
    source = lesson(f"#answer double\n{solution}", *(f"#test 1\n{test}" for test in tests))
    right = answered(source, solution)
    assert verdicts(grade(source, right, sandbox)) == [Verdict.PASSED] * len(tests)
    graded = grade(source, answered(source, LIES), sandbox)
    assert [one.verdict for one in graded.verdicts[:-1]] == [Verdict.WRONG] * (len(tests) - 1)
