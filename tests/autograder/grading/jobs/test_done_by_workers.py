"""Jobs done by two processes: what comes out, whatever they have done before."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from autograder.checks.exam.report import Verdict
from autograder.errors import GradingFailed
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.work import CHANGED, work
from autograder.grading.jobs.workers import ahead, result_of, room_ahead, workers
from tests.support.graded import as_plain
from tests.support.processes import eventually, workers_here

ANSWERS = [
    {},
    {"double": "def double(x):\n    return 7"},
    {"double": "import os\nos._exit(1)"},
    {"fourfold": "def fourfold(x):\n    raise NotImplementedError"},
]


# A mark that lies in its memory is in the text of neither part, nor are both together in this one.
LOOKS_FOR = """
import re

def lies_in_memory(end):
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps.readlines():
            low, high = (int(one, 16) for one in line.split()[0].split("-"))
            try:
                memory.seek(low)
                read = memory.read(high - low) if " r" in line else b""
            except (OSError, OverflowError, ValueError):
                continue
            if any(one[1] == end for one in re.finditer(b"planted-(....)", read)):
                return True
    return False

its_own = "planted-" + str(5000 + 555)

def double(x):
    if not lies_in_memory(b"5555"):
        raise RuntimeError("what lies there is not found")
    return 7 if lies_in_memory(b"3141") else 2 * x
"""


@pytest.fixture(scope="module", autouse=True)
def two() -> Iterator[None]:
    """The same two for all tests: to start them takes longer than what each asks of them."""
    assert eventually(lambda: not workers_here()), "those of another file"
    with workers(2):
        yield


@pytest.mark.long
def test_workers_find_what_is_found_here(job_of: Callable[..., Job]) -> None:
    jobs = [job_of(**answers) for answers in ANSWERS]
    for job in jobs:
        ahead(job)
    for job in jobs:
        assert as_plain(result_of(job)) == as_plain(work(job))
    assert len(workers_here()) == 2


def test_workers_within_workers_are_the_same() -> None:
    room = room_ahead()
    with workers(4):
        assert room_ahead() == room
    assert room_ahead() == room


def test_no_solution_lies_in_a_student_s_memory(job_of: Callable[..., Job]) -> None:
    job = job_of(double=LOOKS_FOR)
    planted = job.notebook.replace(b"return 2 * x", b"return 2 * x  # planted-3141")
    assert planted != job.notebook
    cells = result_of(replace(job, notebook=planted)).record.cells
    assert [cell.verdict for cell in cells[:2]] == [Verdict.PASSED] * 2, cells[0]


def test_failure_of_a_worker_is_the_same_sentence(job_of: Callable[..., Job]) -> None:
    with pytest.raises(GradingFailed, match=CHANGED):
        result_of(replace(job_of(), code="of another day"))


def test_worker_of_another_version_grades_nothing(job_of: Callable[..., Job]) -> None:
    with pytest.raises(GradingFailed, match="another version of autograder"):
        result_of(replace(job_of(), engine="of another day"))


def test_defect_of_a_worker_tells_where(job_of: Callable[..., Job]) -> None:
    with pytest.raises(RuntimeError, match="NotJSONError: ") as caught:
        result_of(replace(job_of(), notebook=b"no notebook"))
    assert "Traceback" in caught.value.__notes__[0]
