"""A test is ended where it finds no end, or takes too much, with what a student's code returned."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder.checks.exam.report import Verdict
from autograder.checks.exam.rules import Written
from autograder.errors import SandboxFailed
from autograder.grading import examiner_process
from autograder.grading.examiner_process import examiner_for
from autograder.grading.grade import Graded, failing_with_solution, grade
from autograder.student.limits import Limits
from autograder.student.sandbox.own_fork import peak
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.attacks.inputs import CAUGHT, ENDLESS, function
from tests.support.processes import descendants, eventually, running
from tests.support.samples import make_cell

pytestmark = pytest.mark.slow

LIMITS = replace(
    Limits(),
    call_seconds=1,
    submission_seconds=120,
    test_seconds=0.4,
    test_memory_bytes=128 << 20,
    test_message_bytes=32 << 20,
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def patient() -> Iterator[Sandbox]:
    with Sandbox(replace(LIMITS, test_seconds=60)) as sandbox:
        yield sandbox


SOLUTION = """
def double(x):
    if type(x) is int and x < 0:
        raise ValueError("negative")
    return x(2) if callable(x) else 2 * x
"""


def course(*tests: str) -> NotebookNode:
    cells = [
        new_code_cell("import numpy as np"),
        make_cell("code", SOLUTION, "double", solution=True),
    ]
    cells += [
        make_cell("code", test, f"test-{n}", grade=True, points=1) for n, test in enumerate(tests)
    ]
    return new_notebook(cells=cells)


def answered(source: NotebookNode, answer: str) -> bytes:
    handed_in = nbformat.reads(nbformat.writes(source), as_version=4)
    handed_in.cells[1].source = answer
    return nbformat.writes(handed_in).encode()


def graded(sandbox: Sandbox, answer: str, *tests: str) -> Graded:
    source = course(*tests)
    return grade(source, answered(source, answer), sandbox)


def verdicts(graded: Graded) -> list[Verdict]:
    return [one.verdict for one in graded.verdicts]


LAST = "assert double(5) == 10"
LARGE = {
    "assert 2 ** double(3) == 64": "10**12",
    "assert not np.zeros(double(3)).any()": "10**9",
    "import torch\nassert not torch.zeros(double(3)).any()": "10**9",
    "assert 'x' * double(3) == 'xxxxxx'": "10**9",
    "assert not double(np.zeros((1, 2))).sum(axis=0).any()": "np.zeros((0, 50_000_000), np.int8)",
    "assert [double(0) for _ in range(100)] == [0] * 100": "np.zeros(500_000)",
    "assert [double(0) for _ in range(3)] == [0] * 3": "'\\U0001f600' * 4_000_000 + 'x'",
    "assert list(range(double(3))) == [0, 1, 2, 3, 4, 5]": "10**9",
}


@pytest.mark.parametrize(("test", "returned"), ENDLESS.items(), ids=range(len(ENDLESS)))
def test_endless_test_is_ended(sandbox: Sandbox, test: str, returned: str) -> None:
    found = graded(sandbox, function(f"{returned} if x != 5 else 10"), test, LAST)
    assert verdicts(found) == [Verdict.TIMEOUT, Verdict.PASSED]
    assert found.verdicts[0].message == "the test took too long with what your code returned"


@pytest.mark.long
def test_large_tests_are_ended(patient: Sandbox) -> None:
    """Each costs itself; all of them together are no more than the grader can bear."""
    before = memory_of(os.getpid())
    for test, returned in LARGE.items():
        answer = function(f"{returned} if type(x) is not int or x != 5 else 10")
        found = graded(patient, answer, test, LAST)
        assert verdicts(found) == [Verdict.MEMORY, Verdict.PASSED], test
    assert memory_of(os.getpid()) - before < 50 << 20


# What one test receives, keeps and computes with: the test, and what is given back to it.
COSTLY = (
    (
        "kept = [double(X + n) for n in range(128)]\nassert kept[0] == 2 * X",
        "np.arange(1 << 19) + x",
    ),
    (
        "kept = [double(X + n) for n in range(8)]\nassert kept[0] == 2 * X",
        "'\\U0001f600' + 15_000_000 * 'x'",
    ),
    ("assert np.sum(double(X), axis=0) == 2 * X", "np.zeros((0, 64_000_000), np.int8)"),
    ("assert not np.zeros(Grid(X).shape).any()", "(2**40, 2)"),
    ("assert not np.zeros(double(X)).any()", "np.int64(2**40)"),
    ("assert len('x' * double(X)) == 2 * X", "np.uint64(2**40)"),
    ("import torch\nassert len(torch.zeros(double(X))) == 2 * X", "np.int32(2**31 - 1)"),
)
GRID = "import numpy as np\nclass Grid:\n    def __init__(self, x):\n        self.shape = {}\n"


@pytest.mark.long
def test_costly_tests_take_less_than_300_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the grader's own memory, under the limits as they are, and each costs itself."""
    # The peak that is looked at here is that of all tests.
    monkeypatch.setattr(examiner_process, "begin_peak", peak)
    tests = [test.replace("X", f"{n}000") for n, (test, _) in enumerate(COSTLY, 1)]
    source = course(*tests, LAST)
    source.cells[1].source = GRID.format("(x, 2)") + SOLUTION
    returned = ", ".join(f"lambda x: {value}" for _, value in COSTLY)
    answer = (
        f"values = [lambda x: 10, {returned}]\n"
        "def double(x):\n    return values[x // 1000](x)\n" + GRID.format("double(x)")
    )
    with Sandbox(Limits()) as box:
        assert failing_with_solution(source, box) == {}
        process = examiner_for(box, source, None, Written(())).process
        before, grader = memory_of(process), memory_of(os.getpid())
        found = grade(source, answered(source, answer), box)
        assert memory_of(process, "VmHWM") - before < 300_000_000
        assert memory_of(os.getpid()) - grader < 50_000_000
    assert verdicts(found) == [Verdict.MEMORY] * len(COSTLY) + [Verdict.PASSED]
    assert all("too much" in one.message for one in found.verdicts[:-1])


def test_memory_is_counted_for_each_test(patient: Sandbox) -> None:
    test = "kept = [double(np.ones(600_000)) for _ in range(3)]\nassert kept[0].sum() == 1_200_000"
    found = graded(patient, function("2 * x"), *(test.replace("kept", f"k{n}") for n in range(9)))
    assert verdicts(found) == [Verdict.PASSED] * 9


KEEPING = "np.kept = [*getattr(np, 'kept', ()), np.ones(8_000_000)]\nassert double(3) == 6"
SHORT = "big = np.ones(12_000_000)\ndel big\nassert double(3) == 6"


@pytest.mark.parametrize(("test", "served"), [(KEEPING, 3), (SHORT, 1)])
def test_process_serves_until_it_was_short_of_memory(
    patient: Sandbox, test: str, served: int
) -> None:
    """What is kept may grow to what one test may take, and no test may have taken half of that."""
    source, answer = course(test), function("2 * x")
    first, count = examiner_for(patient, source, None, Written(())), 0
    while examiner_for(patient, source, None, Written(())) is first:
        grade(source, answered(source, answer), patient)
        count += 1
    assert count == served


# What a test catches


# What a test makes of an object that can't be asked.
SWALLOWED = (
    "try:\n    same = double(3) == 6\nexcept:\n    same = True\nassert same",
    "try:\n    same = len(double(3))\nexcept BaseException as error:\n    same = 1\nassert same",
    "def same():\n    try:\n        return double(3).equals(6)\n    finally:\n        return True\n"
    "assert same()",
    "import contextlib\nwith contextlib.suppress(BaseException):\n    assert double(3) < 7\n",
    "import unittest\nwith unittest.TestCase().assertRaises(BaseException):\n"
    "    float(double(3))\n    raise KeyError",
    "import threading\nfound = []\n"
    "thread = threading.Thread(target=lambda: found.append(double(3) == 6))\n"
    "thread.start()\nthread.join()\nassert found in ([], [True]) and callable(double)",
    "score = 0\ntry:\n    score += double(3) == 6\nexcept:\n    score += 1\nscore",
    "try:\n    np.asarray(double(3))\nexcept:\n    pass\nassert double(5) == 10",
)


def test_what_can_not_be_asked_is_no_pass_however_it_is_caught(sandbox: Sandbox) -> None:
    six = (
        "class Six:\n    def __eq__(self, other): return True\n    def __len__(self): return 1\n"
        "    def equals(self, other): return True\n"
        "def double(x):\n    return Six() if x == 3 else 2 * x"
    )
    found = graded(sandbox, six, *SWALLOWED, LAST)
    assert verdicts(found) == [Verdict.WRONG] * len(SWALLOWED) + [Verdict.PASSED]
    said = [one.message for one in found.verdicts[:-1]]
    assert [one for one in said if "in the student's process" not in one] == []


def test_what_can_not_be_asked_of_the_solution_is_not_gradable(sandbox: Sandbox) -> None:
    shell = "try:\n    found = !ls\nexcept:\n    assert double(2) == 4"
    source = course(*SWALLOWED[:3], shell, LAST)
    source.cells[
        1
    ].source = "class Six: pass\ndef double(x):\n    return Six() if x == 3 else 2 * x"
    found = grade(source, answered(source, source.cells[1].source), sandbox)
    assert verdicts(found) == [Verdict.NOT_GRADABLE] * 4 + [Verdict.PASSED]
    assert "stays in the student's process" in found.verdicts[0].message
    assert "runs a command of the shell" in found.verdicts[3].message


@pytest.mark.parametrize(
    ("end", "verdict"),
    [
        ("os._exit(1)", Verdict.KILLED),
        ("os.kill(os.getpid(), 9)", Verdict.KILLED),
        ("time.sleep(60)", Verdict.TIMEOUT),
        ("'\\U0001f600' * 9_000_000", Verdict.MEMORY),
    ],
    ids=["exit", "kill", "sleep", "flood"],
)
def test_end_of_a_process_is_no_exception(sandbox: Sandbox, end: str, verdict: Verdict) -> None:
    answer = f"import os, time\ndef double(x):\n    return {end} if x < 0 else 2 * x"
    tests = CAUGHT if verdict is Verdict.KILLED else CAUGHT[:2]
    found = graded(sandbox, answer, *tests, LAST)
    assert verdicts(found) == [verdict] * len(tests) + [Verdict.PASSED]


def test_exception_of_the_students_may_be_caught(sandbox: Sandbox) -> None:
    answer = "def double(x):\n    raise ValueError('no')"
    assert verdicts(graded(sandbox, answer, *CAUGHT[:1])) == [Verdict.PASSED]


# What a test does to the grader


HARMFUL = {
    "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)": "it ended its own process",
    "import sys\nsys.exit(double(2))": "SystemExit: 4",
    "raise KeyboardInterrupt": "the test broke down with what your code returned",
    "assert double(2) == 5, 10**5000": "(its message can't be shown)",
    "assert double(2) == 5, '\\ud800'": "?",
}


def test_tests_that_break_down(sandbox: Sandbox) -> None:
    found = graded(sandbox, function("2 * x"), *HARMFUL, LAST)
    assert [one.verdict is Verdict.PASSED for one in found.verdicts] == [False] * 5 + [True]
    for one, message in zip(found.verdicts, HARMFUL.values(), strict=False):
        assert message in one.message


def test_folder_and_signals_stay_as_they_are(sandbox: Sandbox) -> None:
    here = Path.cwd()
    test = "import os, signal\nos.chdir('/')\nsignal.alarm(1)\nos.environ['X_LEFT'] = '1'"
    assert verdicts(graded(sandbox, function("2 * x"), f"{test}\nassert double(2) == 4"))
    assert Path.cwd() == here
    assert "X_LEFT" not in os.environ


# One process for a class


def test_process_serves_a_class_until_it_may_be_spoilt(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "answers_of_ours.py").write_text("FOUR = 4")
    source = course("from answers_of_ours import FOUR\nassert double(2) == FOUR")

    def serving(answer: str) -> tuple[int, Verdict]:
        (one,) = grade(source, answered(source, answer), sandbox, folder=tmp_path).verdicts
        return examiner_for(sandbox, source, tmp_path, Written(())).process, one.verdict

    right = "def double(x):\n    return 2 * x"
    first, passed = serving(right)
    assert passed is Verdict.PASSED
    assert serving(right) == (first, Verdict.PASSED)
    # What is wrong is forgotten; what a test has imported is read anew when it has changed.
    (tmp_path / "answers_of_ours.py").write_text("FOUR = 2 + 3")
    second, verdict = serving(right)
    assert second != first
    assert verdict is not Verdict.PASSED
    # Who was near the limit is not asked again.
    source = course("assert len(bytearray(b'x') * double(2))")
    third = examiner_for(sandbox, source, tmp_path, Written(())).process
    fourth, passed = serving("def double(x):\n    return 100_000_000")
    assert passed is Verdict.PASSED
    assert fourth not in (first, second, third)
    assert eventually(lambda: not any(map(running, (first, second, third))))


def test_process_ends_with_its_sandbox() -> None:
    source = course("assert double(2) == 4")
    with Sandbox(LIMITS) as box:
        grade(source, answered(source, "def double(x):\n    return 2 * x"), box)
        process = examiner_for(box, source, None, Written(())).process
        assert running(process)
        assert descendants(process) == []
    del box
    assert eventually(lambda: not running(process))


def test_killed_by_somebody_else_is_our_failure(sandbox: Sandbox) -> None:
    """The grading is tried again, and nothing is scored."""
    source = course("import os\nos.kill(os.getpid(), 9)")
    with pytest.raises(SandboxFailed, match="was killed"):
        grade(source, answered(source, "def double(x): return 1"), sandbox)


def test_waiting_for_the_student_is_no_time_of_the_test(sandbox: Sandbox) -> None:
    slow = "import time\ndef double(x):\n    time.sleep(0.3)\n    return 2 * x"
    found = graded(sandbox, slow, "for n in range(4):\n    assert double(n) == 2 * n")
    assert verdicts(found) == [Verdict.PASSED]


def memory_of(process: int, which: str = "VmRSS") -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{which}:"))
