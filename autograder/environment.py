"""What programs find that are begun here: variables, among them how many threads they use; and on
how many processors.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

# Exams call numerical libraries thousands of times on tiny arrays: there, threads wait for each
# other longer than they work, and on a busy machine many times longer.
THREADS = "OMP_NUM_THREADS"


@contextmanager
def variables(values: Mapping[str, str]) -> Iterator[None]:
    """Set some variables, and leave them as they were before, whatever happens within."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def one_thread() -> AbstractContextManager[None]:
    """Have libraries that are first imported within, and programs started within, use one thread.

    What a person has set stays.
    """
    return variables({THREADS: os.environ.get(THREADS, "1")})


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
