"""What a submission may take follows from the instructor's own solution, and what it leaves running
is ended.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder.checks.exam.report import Verdict
from autograder.grading import allowed, grade
from autograder.grading.allowed import Allowed, Kept, Taken, without_solution
from autograder.grading.grade import Graded, forget_solutions
from autograder.grading.run import Run
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.processes import Stopwatch
from tests.support.samples import make_cell

LIMITS = Limits(
    least_seconds=3, least_cell_seconds=0.5, submission_seconds=40, cell_seconds=20, call_seconds=20
)
SPIN = """
import time
def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
"""
SLOW = "spin({})\ndef double(x):\n    spin({})\n    return 2 * x"
RIGHT = "def double(x):\n    return 2 * x"
ENDLESS = "def double(x):\n    while True: pass"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS, preload=()) as opened:
        yield opened


@pytest.fixture(autouse=True)
def nothing_is_known() -> None:
    forget_solutions()


def notebook(answer: str, *added: str, tests: int = 1) -> NotebookNode:
    cells = [new_code_cell(SPIN, id="given"), make_cell("code", answer, "double", solution=True)]
    cells[1:1] = [new_code_cell(text) for text in added]
    cells += [
        make_cell("code", f"assert double({n}) == {2 * n}", f"test-{n}", grade=True, points=1)
        for n in range(1, tests + 1)
    ]
    for cell in cells:
        # Known again in the next notebook, but for those that a student has added.
        cell.id = cell.metadata.get("nbgrader", {}).get("grade_id", cell.id)
    return new_notebook(cells=cells)


def graded(
    box: Sandbox,
    answer: str,
    *added: str,
    solution: str = RIGHT,
    tests: int = 1,
    kept: Kept | None = None,
) -> Graded:
    handed_in = nbformat.writes(notebook(answer, *added, tests=tests)).encode()
    return grade.grade(notebook(solution, tests=tests), handed_in, box, kept=kept)


def verdicts(found: Graded) -> list[Verdict]:
    return [one.verdict for one in found.verdicts]


def printed(found: Graded) -> list[str]:
    outputs = [output for cell in found.notebook.cells for output in cell.get("outputs", [])]
    return [output.text for output in outputs if output.output_type == "stream"]


# How much that is


@pytest.mark.parametrize(
    ("solution", "seconds"), [(None, 45), (Taken(0.1), 45), (Taken(4), 80), (Taken(100), 600)]
)
def test_so_many_times_the_solution(solution: Taken | None, seconds: float) -> None:
    assert Allowed(Limits(), solution).seconds == seconds
    assert Allowed(Limits(submission_seconds=30), solution).seconds == 30


def test_cells_and_calls_follow_too() -> None:
    limits = Allowed(Limits(), Taken(4, cell=3, call=0.01)).limits()
    assert (limits.cell_seconds, limits.call_seconds, limits.test_seconds) == (60, 10, 60)
    # Four answers without an end leave something for the others.
    limits = Allowed(Limits()).limits(rest=8)
    assert (limits.cell_seconds, limits.call_seconds, limits.test_seconds) == (2, 2, 4)
    assert without_solution(Limits()).limits() == Limits()


def test_what_a_solution_takes_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "solutions"
    assert Kept(folder, "code").find("one") is None
    Kept(folder, "code").keep("one", Taken(3, 2, 1))
    allowed.forget()
    assert Kept(folder, "code").find("one") == Taken(3, 2, 1)
    # What is allowed does not change with the weather.
    Kept(folder, "code").keep("one", Taken(9, 9, 9))
    assert Kept(folder, "code").find("one") == Taken(3, 2, 1)
    assert Kept(folder, "other exams").find("one") is None
    assert Kept(folder, "code").find("two") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"submission": "x", "cell": 1, "call": 1}'])
def test_what_can_not_be_read_is_not_known(tmp_path: Path, text: str) -> None:
    Kept(tmp_path).keep("one", Taken(3))
    allowed.forget()
    (file,) = tmp_path.iterdir()
    file.write_text(text)
    assert Kept(tmp_path).find("one") is None


def test_where_nothing_can_be_written_it_is_kept_here(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    kept = Kept(tmp_path / "file")
    kept.keep("one", Taken(3))
    assert kept.find("one") == Taken(3)


# What comes of it


def test_nobody_waits_for_the_solution(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing fails, it is not run."""

    def run(*_: Any, **__: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(grade, "_with_solution", run)
    found = graded(sandbox, RIGHT)
    assert verdicts(found) == [Verdict.PASSED]
    time = found.record.time
    assert 0 < time["used"] < time["allowed"] == 3
    assert time["solution"] is None


@pytest.mark.long
def test_who_trains_for_long_passes_where_the_solution_does(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = list[Allowed]()
    began = Run.__init__

    def begin(self: Run, *args: Any, **named: Any) -> None:
        runs.append(args[-1])
        began(self, *args, **named)

    monkeypatch.setattr(Run, "__init__", begin)
    kept = Kept(tmp_path)
    solution, answer = SLOW.format(0.4, 0.2), SLOW.format(2, 1.5)
    found = graded(sandbox, answer, solution=solution, kept=kept)
    assert verdicts(found) == [Verdict.PASSED]
    time = found.record.time
    assert time["solution"] > 0.5
    assert 3 < time["used"] < time["allowed"] <= 40
    # The first time as everybody, then the solution, then with what follows from it.
    assert [one.solution is None for one in runs] == [True, False, False]
    assert runs[1] == without_solution(LIMITS)
    runs.clear()
    allowed.forget()
    again = graded(sandbox, answer, solution=solution, kept=kept)
    assert verdicts(again) == [Verdict.PASSED]
    assert again.record.time["allowed"] == time["allowed"]
    assert len(runs) == 1


@pytest.mark.long
def test_answers_without_an_end_cost_no_others() -> None:
    """However many they are, there is time left for what is quick."""
    limits = Limits(least_seconds=9, least_cell_seconds=2)
    ends = "def double(x):\n    while x < 6: pass\n    return 2 * x"
    with Sandbox(limits, preload=()) as box:
        found = graded(box, ends, "while True: pass", "while True: pass", tests=6)
    *endless, quick = verdicts(found)
    assert quick is Verdict.PASSED
    # On a busy machine the last of them, which is the first test, may find no time at all.
    assert set(endless) - {Verdict.NOT_RUN} == {Verdict.TIMEOUT}


@pytest.mark.long
def test_many_short_cells_are_one_long_one(sandbox: Sandbox) -> None:
    found = graded(sandbox, RIGHT, *["spin(0.03)"] * 180)
    assert verdicts(found) == [Verdict.NOT_RUN]
    assert found.record.time["used"] == pytest.approx(3, abs=1)


# What is left running

DETACHED = """
import os, signal, time
if not os.fork():
    os.setsid()
    if not os.fork():
        for number in range(1, 65):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        {}
    os._exit(0)
os.wait();
"""
RENAMED = (
    "import ctypes; ctypes.CDLL(None).prctl(15, b'<b>&\\x1b[2J'); os.write(there, b' '); "
    "time.sleep(600)"
)
COUNT = "import os; print(len([name for name in os.listdir('/proc') if name.isdigit()]))"
SAID = "what this cell had left running was ended with it: "


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import subprocess; p = subprocess.Popen(['sleep', '600'])", "1 process (sleep)"),
        (DETACHED.format("while True: pass"), "1 process (python)"),
        (DETACHED.format("time.sleep(0.3)\n        while True: pass"), "1 process (python)"),
        ("import os\nfor _ in range(5):\n    os.fork() or os.execlp('sleep', 'sleep', '600')",
         "5 processes ("),
        (f"import os; here, there = os.pipe(){DETACHED.format(RENAMED)}os.read(here, 1)",
         "1 process (b2J)"),
    ],
    ids=["started", "detached", "asleep at first", "several", "with a name of its own"],
)  # fmt: skip
def test_what_a_cell_leaves_running_ends_with_it(sandbox: Sandbox, code: str, said: str) -> None:
    found = graded(sandbox, RIGHT, code, COUNT)
    assert verdicts(found) == [Verdict.PASSED]
    assert printed(found)[0].startswith(f"{SAID}{said}")
    # Two processes, and those of one's own that have ended.
    assert int(printed(found)[1]) <= 2 + int(said.split()[0])
    (remark,) = found.record.remarks
    assert "left running" in remark


def test_threads_stay(sandbox: Sandbox) -> None:
    start = (
        "import threading, time\nt = threading.Thread(target=time.sleep, args=(0.3,))\nt.start()"
    )
    found = graded(sandbox, RIGHT, start, "print(t.is_alive()); t.join()")
    assert printed(found) == ["True\n"]
    assert found.record.remarks == ()


def test_who_takes_long_to_leave_was_not_left_running(sandbox: Sandbox) -> None:
    """As one does on a busy machine, whose memory takes the kernel a while."""
    slowly = "import os, time\nend = os._exit\nos._exit = lambda code: (time.sleep(0.5), end(code))"
    found = graded(sandbox, f"{slowly}\n{RIGHT}", tests=3)
    assert verdicts(found) == [Verdict.PASSED] * 3
    assert found.record.remarks == ()


def test_what_a_test_leaves_running_ends_with_it(sandbox: Sandbox) -> None:
    answer = (
        "import os, time\ndef runs(name):\n"
        "    try: stat = open(f'/proc/{name}/stat').read()\n"
        "    except OSError: return False\n"
        "    return stat.rpartition(')')[2].split()[0] != 'Z'\n"
        "def double(x):\n    if not os.fork(): time.sleep(600)\n"
        "    running = [runs(name) for name in os.listdir('/proc') if name.isdigit()]\n"
        "    return 2 * x if sum(running) == {'1': 3, '2': 4, '3': 5}[str(x)] else 0"
    )
    found = graded(sandbox, answer, tests=3)
    # pid 1, those that wait for tests, the one that is called, and its child.
    assert verdicts(found) == [Verdict.PASSED] * 3


@pytest.mark.long
@pytest.mark.parametrize("hidden", [0, 1], ids=["told", "untold"])
def test_swarms_are_paid_for(hidden: int) -> None:
    """Each ends before it is seen, and nobody waits for it."""
    swarm = (
        "import os, signal, time\n"
        f"if {hidden}: signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "def burn():\n"
        "    end = time.process_time() + 0.01\n"
        "    while time.process_time() < end: pass\n"
        "    os._exit(0)\n"
        "for _ in range(3):\n"
        "    if not os.fork():\n"
        "        while True:\n"
        "            children = [os.fork() or burn() for _ in range(2)]\n"
        "            try:\n"
        "                for _ in children: os.wait()\n"
        "            except ChildProcessError: pass\n"
        "while True: pass"
    )
    limits = Limits(least_seconds=4, least_cell_seconds=4, patience=100)
    with Sandbox(limits, preload=()) as box, Stopwatch() as watch:
        found = graded(box, RIGHT, swarm)
    assert verdicts(found)[0] in (Verdict.NOT_RUN, Verdict.PASSED)
    assert found.record.time["used"] < 10
    assert watch.seconds < 20
