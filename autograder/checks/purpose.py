"""The variables that say what a notebook is run for: nbgrader's, which a check obeys, and ours."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "NBGRADER_EXECUTION"
# Set where a notebook is run from beginning to end, so that one doesn't run itself again.
WHOLE = "AUTOGRADER_RUNS_NOTEBOOK"


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
