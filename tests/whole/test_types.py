"""All that is annotated fits together, beside all other tests: that takes half a minute."""

import subprocess
import sys

from tests.support.course import ROOT


def test_types_hold() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
