"""A worker that stays between two gradings, and not for ever."""

from collections.abc import Callable, Iterator

import pytest

from autograder.checks.exam.report import Verdict
from autograder.errors import SandboxFailed
from autograder.grading.jobs import processes
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.warm import WarmWorker
from autograder.grading.jobs.workers import result_of
from tests.support.processes import eventually, workers_here


@pytest.fixture
def warm() -> Iterator[WarmWorker]:
    opened = WarmWorker()
    yield opened
    opened.close()


def passes(job: Job) -> bool:
    return result_of(job).record.cells[0].verdict is Verdict.PASSED


@pytest.mark.long
def test_same_worker_grades_again(job_of: Callable[..., Job], warm: WarmWorker) -> None:
    found = []
    for number in range(2):
        with warm.asked():
            assert passes(job_of(double=f"def double(x):\n    return 2 * x + 0 * {number}"))
            found.append(workers_here())
    assert found[0] == found[1] != []


def test_begun_before_it_is_asked_for(
    job_of: Callable[..., Job], warm: WarmWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_of()
    warm.begin(job.course, job.walls)
    warm.begin(job.course, job.walls)
    monkeypatch.setattr(processes, "_PROGRAM", "no.such.module")
    with warm.asked():
        assert passes(job)


@pytest.mark.long
def test_it_ends_when_nobody_asks(job_of: Callable[..., Job]) -> None:
    warm = WarmWorker(seconds=0.1)
    with warm.asked():
        assert passes(job_of())
        assert workers_here()
    assert eventually(lambda: not workers_here())
    with warm.asked():
        assert passes(job_of())
    warm.close()


def test_it_is_there_after_a_failure(job_of: Callable[..., Job], warm: WarmWorker) -> None:
    with pytest.raises(SandboxFailed), warm.asked():
        raise SandboxFailed("it broke")
    with warm.asked():
        assert passes(job_of())
