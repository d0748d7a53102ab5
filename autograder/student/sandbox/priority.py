"""However many processes a submission starts, they leave its neighbours their share of the machine.

A kernel that shares processors among threads would give sixty busy ones nearly all. So the more of
them want to run at the same moment, the lower is their priority, and they get together what two
would; if there are very many, they run only when nobody else wants to. That is never taken back:
the kernel lets nobody raise a priority. A submission that has the machine to itself is no slower.

Some kernels share among sessions first, each with its own threads (sched(7), autogroup): that no
student's process begins one is the filter's part (`seccomp`).
"""

import math
import os
from collections.abc import Iterator
from contextlib import suppress

from autograder.student.sandbox.memory import processes, stat_of

_AS_MANY = 2
_VERY_MANY = 8
# From one level to the next, the kernel gives a thread a fifth less: sched(7), the nice value.
_PER_LEVEL = 1.25
_RUNNING = "R"


def share_as_few() -> None:
    """Lower the priority of all processes that pid 1 of a tree sees, if many want to run."""
    # This tree has no more of them than the whole machine.
    if _running_anywhere() <= _AS_MANY:
        return
    threads = list(_threads())
    running = sum(stat_of(path)[0] == _RUNNING for path in threads)
    if running <= _AS_MANY:
        return
    level = math.ceil(math.log(running / _AS_MANY, _PER_LEVEL))
    for path in threads:
        thread = int(path.rpartition("/")[2])
        with suppress(OSError):  # it has ended, or its priority is lower already
            if running > _VERY_MANY:
                os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))
            else:
                os.setpriority(os.PRIO_PROCESS, thread, level)


def _running_anywhere() -> int:
    """How many threads run on this machine, or wait for a processor."""
    with suppress(OSError, ValueError, IndexError), open("/proc/loadavg") as line:
        return int(line.read().split()[3].partition("/")[0])
    return _AS_MANY + 1


def _threads() -> Iterator[str]:
    for process in processes():
        with suppress(OSError):
            yield from (f"{process}/task/{one}" for one in os.listdir(f"/proc/{process}/task"))
