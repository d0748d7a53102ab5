"""One thread for numerical libraries: exams call them thousands of times on tiny arrays.

There, threads wait for each other longer than they work, and on a busy machine many times longer.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "OMP_NUM_THREADS"


@contextmanager
def one_thread() -> Iterator[None]:
    """Have libraries that are first imported within, and programs started within, use one thread.

    What a person has set stays.
    """
    before = os.environ.get(VARIABLE)
    os.environ.setdefault(VARIABLE, "1")
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
