"""Jobs done by several processes: what comes out, and what becomes of the processes."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.checks.exam.report import Verdict
from autograder.environment import processors
from autograder.errors import SandboxFailed, SettingError
from autograder.grading.jobs import processes
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.work import work
from autograder.grading.jobs.workers import (
    _asked,
    ahead,
    result_of,
    room_ahead,
    workers,
)
from tests.support.course import ROOT
from tests.support.graded import as_plain
from tests.support.hostile import hostile_folder, what_ran
from tests.support.processes import descendants, eventually, parent_of, workers_here

pytestmark = pytest.mark.slow

ASLEEP = "import time\ndef double(x):\n    time.sleep(0.5)\n    return 2 * x"


@pytest.fixture
def two() -> Iterator[None]:
    assert eventually(lambda: not workers_here()), "those of another test"
    with workers(2):
        yield


def test_without_workers_nothing_is_begun(job_of: Callable[..., Job]) -> None:
    with workers(0):
        assert room_ahead() == 0
        ahead(job_of())
        assert not workers_here()


def test_one_worker_is_a_process_as_well(job_of: Callable[..., Job]) -> None:
    with workers(1):
        assert room_ahead()
        assert as_plain(result_of(job_of())) == as_plain(work(job_of()))
        assert len(workers_here()) == 1


def test_workers_are_forked_from_one_process(job_of: Callable[..., Job], two: None) -> None:
    for job in (job_of(double=f"def double(x):\n    return {number}") for number in range(4)):
        ahead(job)
    parents = eventually(
        lambda: [*map(parent_of, found)] if len(found := workers_here()) == 2 else []
    )
    assert len(parents) == 2
    assert len({*parents}) == 1


def test_what_keeps_a_worker_busy_is_left_to_a_human(
    job_of: Callable[..., Job], two: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_SECONDS_BETWEEN_LOOKS", 0.1)
    with monkeypatch.context() as impatient:
        impatient.setattr(processes, "_MOST_SECONDS", -1.0)
        graded = result_of(job_of(double=ASLEEP))
    assert {cell.verdict for cell in graded.record.cells} == {Verdict.NOT_GRADABLE}
    assert "still reading" in graded.record.not_graded
    assert result_of(job_of(double=ASLEEP)).record.cells[0].verdict is Verdict.PASSED


@pytest.mark.long
def test_what_they_are_forked_from_is_replaced(job_of: Callable[..., Job], two: None) -> None:
    ahead(job_of(double=ASLEEP))
    first = eventually(workers_here)
    os.kill(parent_of(first[0]), signal.SIGKILL)
    assert result_of(job_of(double=ASLEEP)).record.cells[0].verdict is Verdict.PASSED
    assert not set(first) & set(workers_here())


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_lost_worker_is_replaced(job_of: Callable[..., Job], two: None, number: int) -> None:
    job = job_of(double=ASLEEP)
    ahead(job)
    (first,) = eventually(workers_here)
    assert eventually(lambda: descendants(first))
    os.kill(first, number)
    assert [cell.verdict for cell in result_of(job).record.cells][:2] == [Verdict.PASSED] * 2
    assert first not in workers_here()


def test_workers_that_are_always_lost(
    job_of: Callable[..., Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_PROGRAM", "no.such.module")
    with workers(2), pytest.raises(SandboxFailed, match="3 workers were lost"):
        result_of(job_of())


def test_worker_that_can_not_start_says_so_when_it_is_asked(
    job_of: Callable[..., Job], two: None
) -> None:
    job = job_of()
    walls = replace(job.walls, preload=("no_such_module",))
    with pytest.raises(SettingError, match="no_such_module"):
        result_of(replace(job, walls=walls))
    assert result_of(job).verdicts


def test_leaving_ends_what_is_under_way(job_of: Callable[..., Job]) -> None:
    with workers(2):
        for seconds in range(5):
            ahead(job_of(double=f"import time\ntime.sleep({1000 + seconds})"))
        assert eventually(lambda: len(workers_here()) == 2)
    assert eventually(lambda: not workers_here())
    assert not [one for one in threading.enumerate() if one.name.startswith("worker")]


def test_nothing_is_left_on_the_disk(
    job_of: Callable[..., Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_of()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with workers(2):
        assert result_of(job).verdicts
        assert [*tmp_path.iterdir()]
    assert not [*tmp_path.iterdir()]


STARTS = """\
import sys
from pathlib import Path
from autograder.grading.jobs.sandboxes import SandboxSettings
from autograder.grading.jobs.workers import fork_server
fork_server(Path(sys.argv[1]), SandboxSettings("full", "{}", (), ()))
"""


def test_program_that_asks_for_no_worker_leaves_nothing_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    done = subprocess.run([sys.executable, "-c", STARTS, str(ROOT)], check=False)
    assert done.returncode == 0
    assert eventually(lambda: not [*tmp_path.iterdir()])


def test_server_that_is_killed_leaves_nothing(
    job_of: Callable[..., Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_of()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with workers(1):
        assert result_of(job).verdicts
        os.kill(parent_of(eventually(workers_here)[0]), signal.SIGKILL)
    assert not [*tmp_path.iterdir()]


@pytest.mark.long
def test_what_nobody_asks_for_is_forgotten(job_of: Callable[..., Job]) -> None:
    with workers(2):
        for number in range(30):
            ahead(job_of(double=f"def double(x):\n    return {number}"))
        assert len(_asked[0].begun) <= 2 * room_ahead() + 1


def test_processors_are_those_that_may_be_used() -> None:
    assert processors() == len(os.sched_getaffinity(0))


def test_worker_imports_nothing_from_where_it_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, job_of: Callable[..., Job]
) -> None:
    monkeypatch.chdir(hostile_folder(tmp_path))
    several = processes.Processes()
    try:
        several.get_ready(job_of())
    finally:
        several.close()
    assert what_ran(tmp_path) == []
