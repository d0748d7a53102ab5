"""The same on every processor: what ships is current, right answers pass, mistakes are named.

Libraries choose their loops by the processor, and differ in the last digits from one to another;
the variables below make them choose as they would elsewhere. An exercise of each kind and one other
are tried as elsewhere, all of them on request; all other tests try the machine's own.
"""

import json
import os
import platform
import subprocess
import sys
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from autograder.checks.exam.case import Case
from autograder.checks.exam.judge import judge
from autograder.checks.examples import as_printed
from autograder.checks.values.compare import Tolerance
from autograder.checks.values.outcome import Outcome
from autograder.checks.values.rounding import current, with_numbers
from tests.support.course import ROOT, every_entry
from tests.support.sample import EVERYTHING, draw_number, sample

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
# Each run pretends to be one of them.
ELSEWHERE = sample(list(PROCESSORS), 2)


EXERCISES = every_entry()
# Two steps in which a worksheet's numbers ship.
STEPS = Tolerance(2e-6)
# A function of NumPy's, a module, and a function of torch's with mistakes in single precision.
OF_EACH_KIND = ("/attention_weights", "/SelfAttention_v2", "/causal_attention_weights")
ALWAYS = [one for one in EXERCISES if one.endswith(OF_EACH_KIND)]
TRIED = sample(list(EXERCISES), 150, ALWAYS)


@cache
def found_on(processor: str) -> dict[str, Any]:
    """What is found of the exercises that are tried under a processor's variables."""
    return run_on(processor, *TRIED, *["--misconceptions"] * EVERYTHING)


def run_on(processor: str, *words: str) -> dict[str, Any]:
    """What `tests.support.on_a_processor` prints under a processor's variables."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.on_a_processor", *words],
        cwd=ROOT,
        env=os.environ | PROCESSORS[processor] | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_what_goes_through_single_precision_is_always_tried() -> None:
    always = [as_printed(EXERCISES[one]) for one in ALWAYS]
    assert any(case.single for printed in always for case in printed.cases)


@pytest.mark.slow
@pytest.mark.parametrize("processor", ELSEWHERE)
def test_what_ships_is_current_everywhere(processor: str) -> None:
    assert found_on(processor)["differs"] == []


@pytest.mark.parametrize("processor", ELSEWHERE)
def test_right_answers_pass_elsewhere(processor: str) -> None:
    assert found_on(processor)["refused"] == []


@pytest.mark.skipif(not EVERYTHING, reason="takes minutes: make test-all")
@pytest.mark.parametrize("processor", ELSEWHERE)
def test_mistakes_are_named_elsewhere(processor: str) -> None:
    """With cases drawn anew, each misconception is caught there, and named."""
    assert found_on(processor)["lost"] == []


@pytest.mark.slow
@pytest.mark.parametrize("place", sample(list(EXERCISES), 60))
def test_no_hint_hangs_on_a_digit(place: str) -> None:
    """Of each wrong answer the same is said, whichever processor has made the shipped numbers."""
    printed, name = as_printed(EXERCISES[place]), place.partition("/")[2]
    draws = np.random.default_rng([int(draw_number()), *place.encode()])
    # Of what the engine asks in ways of its own, no hint is about.
    there_and_here = [case for case in printed.cases if not case.way]
    elsewhere = [as_elsewhere(case, draws) for case in there_and_here]
    for wrong in printed.hints:
        reports = []
        for cases in (there_and_here, elsewhere):
            # The answer does what it does here; what it is compared with was made elsewhere.
            asked = [
                replace(case, lookalikes={**case.lookalikes, "": here.lookalikes[wrong]})
                for case, here in zip(cases, there_and_here, strict=True)
                if wrong in here.lookalikes
            ]
            reports.append(judge(name, print, asked, printed.hints, known=""))
        here, there = reports
        assert (here.verdict, here.misconception) == (there.verdict, there.misconception), wrong
        assert here.passed == there.passed


def as_elsewhere(case: Case, draws: np.random.Generator) -> Case:
    """A case with every shipped number moved by as much as counts as the same."""

    def moved(outcome: Outcome, tolerance: Tolerance) -> Outcome:
        # A worksheet's numbers are made of few decimals in double precision: there, steps differ.
        by = current(tolerance) if case.reveal else STEPS

        def up_or_down(numbers: np.ndarray) -> np.ndarray:
            most = by.absolute + by.relative * np.abs(numbers)
            return numbers + draws.choice([-1.0, 1.0], size=numbers.shape) * np.nan_to_num(most)

        return replace(outcome, value=with_numbers(outcome.value, up_or_down))

    expected = moved(case.expected, case.tolerance)
    made = {
        name: moved(run(), case.tolerance_of(name)) if case.shows(name) else expected
        for name, run in case.lookalikes.items()
    }
    lookalikes = {name: partial(made.__getitem__, name) for name in made}
    return replace(case, expected=expected, lookalikes=lookalikes)


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="these processors are not pretended here"
)
@pytest.mark.skipif(not EVERYTHING, reason="one of them is tried: make test-all")
def test_processors_differ() -> None:
    """The pretence works: without rounding, no two of them would agree."""
    assert len({run_on(processor)["unrounded"] for processor in PROCESSORS}) == len(PROCESSORS)
