"""The variable by which nbgrader says what a notebook is run for, and which a check obeys."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "NBGRADER_EXECUTION"


@contextmanager
def kept() -> Iterator[None]:
    """Leave the variable as it was before, whatever happens within."""
    before = os.environ.get(VARIABLE)
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)
        if before is not None:
            os.environ[VARIABLE] = before
