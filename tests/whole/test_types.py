"""All that is annotated fits together, beside all other tests: that takes half a minute."""

import subprocess
import sys

import pytest

from tests.support.course import ROOT
from tests.support.sample import EVERYTHING

# The tests are most of it, and `make lint`, which `make quick` begins with, looks at them.
PARTS = {"what is installed": ["autograder", "companion", "tools"], "everything": []}


@pytest.mark.parametrize("part", list(PARTS) if EVERYTHING else list(PARTS)[:1])
def test_types_hold(part: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *PARTS[part]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
