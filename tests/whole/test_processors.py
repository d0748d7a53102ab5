"""The same on every processor: what the build makes, to the byte, and what exams decide.

Libraries choose their loops by the processor, and differ in the last digits from one to another;
the variables below make them choose as they would elsewhere. The two processors that differ most
from each other (in thousands of numbers, as measured before they were rounded) are pretended,
and one of them is enough unless more is asked for; all other tests try the machine's own.
"""

import hashlib
import json
import os
import platform
import subprocess
import sys
from functools import cache
from typing import Any

import numpy as np
import pytest

from autograder.lesson.tables.misconceptions import FILE
from tests.support.course import BUILT_ELSEWHERE, COURSE, EVERY_PROCESSOR, ROOT

# What NumPy's own loops use of this processor.
FOUND = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])  # type: ignore[index, call-overload]
WIDEST = [feature for feature in FOUND if "512" in feature or "V4" in feature]

PROCESSORS = {
    "without AVX": {
        "OPENBLAS_CORETYPE": "Prescott",
        "MKL_CBWR": "COMPATIBLE",
        "ATEN_CPU_CAPABILITY": "default",
        "NPY_DISABLE_CPU_FEATURES": ",".join(FOUND),
    },
    "with AVX2": {
        "OPENBLAS_CORETYPE": "Haswell",
        "MKL_CBWR": "AVX2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "NPY_DISABLE_CPU_FEATURES": ",".join(WIDEST),
    },
}
# Where all exams are tried too.
EXAMINED = "without AVX"
# Both build, and one tries all misconceptions, only where that is asked for: it takes minutes.
BUILDING = list(PROCESSORS) if EVERY_PROCESSOR else [EXAMINED]
BUILT = COURSE.lessons() if EVERY_PROCESSOR else BUILT_ELSEWHERE


@cache
def found_on(processor: str) -> dict[str, Any]:
    """What `tests.support.on_a_processor` finds under a processor's variables."""
    command = [sys.executable, "-m", "tests.support.on_a_processor"]
    command += ["--build"] * (processor in BUILDING)
    command += ["--examine"] * (processor == EXAMINED)
    command += ["--misconceptions"] * (processor == EXAMINED and EVERY_PROCESSOR)
    command += ["--all"] * EVERY_PROCESSOR
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | PROCESSORS[processor] | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("processor", BUILDING)
def test_committed_files_are_made_everywhere(processor: str) -> None:
    made = found_on(processor)["built"]
    assert len(made) == 2 * len(BUILT)
    for path, digest in made.items():
        assert hashlib.sha256((ROOT / path).read_bytes()).hexdigest() == digest, path


def test_right_answers_pass_elsewhere() -> None:
    assert found_on(EXAMINED)["refused"] == []


@pytest.mark.skipif(not EVERY_PROCESSOR, reason="takes minutes: set AUTOGRADER_PROCESSORS=1")
def test_committed_table_is_made_elsewhere() -> None:
    """With cases drawn anew, each misconception is caught there, and named, as the table says."""
    assert found_on(EXAMINED)["misconceptions"] == (ROOT / FILE).read_text(encoding="utf-8")


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="these processors are not pretended here"
)
def test_processors_differ() -> None:
    """The pretence works: without rounding, no two of them would agree."""
    assert len({found_on(processor)["unrounded"] for processor in PROCESSORS}) == len(PROCESSORS)
