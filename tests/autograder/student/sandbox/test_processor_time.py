import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from autograder.student.sandbox import processor_time
from autograder.student.sandbox.processor_time import Meter, Turns, process_of, tree
from tests.support.processes import eventually

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts turns")

# Takes its order from the first line of its input, and says when it has done it.
WORK = """
import os, subprocess, sys, time
def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
for line in sys.stdin:
    exec(line)
    print("done", flush=True)
"""


@contextmanager
def worker(processor: int | None = None) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", WORK]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        if processor is not None:
            os.sched_setaffinity(process.pid, {processor})
        order(process, "pass")
        yield process
        process.kill()


def order(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin
    assert process.stdout
    process.stdin.write(line + "\n")
    process.stdin.flush()
    assert process.stdout.readline() == "done\n"


def since(meter: Meter, before: Turns) -> Turns:
    now = meter.read()
    return Turns(now.running - before.running, now.waiting - before.waiting)


def test_running_is_counted() -> None:
    meter = Meter()
    with worker() as process:
        meter.follow(process.pid)
        before = meter.read()
        order(process, "spin(0.3)")
        assert 0.25 < since(meter, before).running < 0.6


def test_sleeping_is_neither() -> None:
    meter = Meter()
    with worker() as process:
        meter.follow(process.pid)
        before = meter.read()
        order(process, "time.sleep(0.5)")
        assert since(meter, before).running < 0.2


def test_waiting_is_counted() -> None:
    meter, processor = Meter(), min(os.sched_getaffinity(0))
    with ExitStack() as stack:
        one, other = (stack.enter_context(worker(processor)) for _ in range(2))
        meter.follow(one.pid)
        assert other.stdin
        other.stdin.write("spin(60)\n")
        other.stdin.flush()
        before = meter.read()
        order(one, "spin(0.5)")
        found = since(meter, before)
    # Two that are as good as each other take turns.
    assert found.waiting > 0.25


CROWD = (
    "for _ in range(55):\n"
    "    children.append(os.fork())\n"
    "    while not children[-1]: time.sleep(0.02 - time.time() % 0.02)\n"
)


def test_many_in_line_at_once_wait_no_longer_than_the_clock() -> None:
    meter, processor = Meter(), min(os.sched_getaffinity(0))
    with worker(processor) as process:
        meter.follow(process.pid)
        order(process, "children = []")
        # Fifty times a second, all of them stand in line behind each other.
        order(process, f"exec({CROWD!r})")
        before, began = meter.read(), time.monotonic()
        while time.monotonic() - began < 1:
            meter.read()
            time.sleep(0.05)
        found, passed = since(meter, before), time.monotonic() - began
        order(process, "for child in children: os.kill(child, 9)")
    assert 0 < found.waiting < 1.2 * passed


def test_what_was_started_counts_too() -> None:
    meter = Meter()
    with worker() as process:
        meter.follow(process.pid)
        before = meter.read()
        start = "p = subprocess.Popen([sys.executable, '-c', 'import time; x = 0\\n"
        order(process, start + "while time.process_time() < 0.3: x += 1\\ntime.sleep(60)'])")
        while since(meter, before).running < 0.25:
            assert len(tree(process.pid)) == 2
        order(process, "p.kill()")
        order(process, "p.wait()")
        assert tree(process.pid) == [process.pid]
        # What has ended is not taken back.
        assert since(meter, before).running >= 0.25


SWARM = (
    "import signal; signal.signal(signal.SIGCHLD, signal.{})\n"
    "for _ in range(30):\n"
    "    if not os.fork(): spin(0.02); os._exit(0)\n"
    "    try: os.wait()\n"
    "    except ChildProcessError: pass\n"
)


def test_who_has_ended_is_counted_by_who_waited() -> None:
    """No look falls between the beginning and the end of any of them."""
    meter = Meter()
    with worker() as process:
        meter.follow(process.pid)
        before = meter.read()
        order(process, f"exec({SWARM.format('SIG_DFL')!r})")
        assert 0.5 < since(meter, before).running < 1.5


def test_who_was_never_seen_has_a_price() -> None:
    """In a process tree of its own, whose numbers tell how many there were."""
    unshare = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    command = [*unshare, sys.executable, "-c", WORK]
    meter, pipe = Meter(), subprocess.PIPE
    try:
        subprocess.run([*unshare, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no process tree of one's own: {error}")
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        order(process, "pass")
        meter.follow(process.pid)
        before = meter.read()
        order(process, f"exec({SWARM.format('SIG_IGN')!r})")
        order(process, "p = subprocess.Popen(['sleep', '600'])")
        # A look that comes between two of the kernel's entries misses one.
        assert eventually(lambda: since(meter, before).running >= 0.29)
        assert since(meter, meter.read()).running < 0.1
        order(process, "p.kill()")
        process.kill()


def test_a_look_is_as_good_as_one_just_before() -> None:
    meter = Meter()
    with worker() as process:
        meter.follow(process.pid)
        before = meter.read()
        order(process, "spin(0.2)")
        assert meter.read(within=60) == before
        assert meter.read().running > before.running


def test_a_kernel_that_lists_no_children(monkeypatch: pytest.MonkeyPatch) -> None:
    with worker() as process:
        order(process, "p = subprocess.Popen(['sleep', '60'])")
        listed = tree(process.pid)

        def none(_: int) -> list[int]:
            raise FileNotFoundError

        monkeypatch.setattr(processor_time, "_children", none)
        assert tree(process.pid) == listed
        assert len(listed) == 2
        order(process, "p.kill()")


def test_what_the_list_leaves_out_once_is_not_counted_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    meter = Meter()
    with worker() as process:
        meter.follow(process.pid)
        order(process, "spin(0.3)")
        before = meter.read()
        with monkeypatch.context() as patch:
            patch.setattr(processor_time, "tree", lambda process: [])
            assert since(meter, before).running < 0.1
        assert since(meter, before).running < 0.1


def test_nothing_to_follow() -> None:
    meter = Meter()
    assert meter.read().running == 0
    meter.follow(None)
    assert meter.read().running == 0
    with worker() as process:
        meter.follow(process.pid)
    before = meter.read()
    assert since(meter, before).running == 0


def test_process_of_a_descriptor() -> None:
    descriptor = os.pidfd_open(os.getpid())
    try:
        assert process_of(descriptor) == os.getpid()
    finally:
        os.close(descriptor)
    with open(os.devnull) as other:
        assert process_of(other.fileno()) is None
