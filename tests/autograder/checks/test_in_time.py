"""What a learner reads of an answer that does not end, or that they stop."""

import json
import re
import signal
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from autograder import check
from autograder.authoring.build import shipping
from autograder.checks import examples, in_time, progress, purpose
from autograder.checks.card.as_html import bundle, report_in
from autograder.checks.check import ExerciseNotPassed
from autograder.checks.exam.report import Verdict
from autograder.checks.in_time import CheckInterrupted
from autograder.checks.progress import MANIFEST
from autograder.checks.stopping import VARIABLE
from tests.support.processes import BACKSTOP
from tests.support.samples import mixing_exam, run_cell

RIGHT = "def mix(weights, values):\n    return weights @ values\n"
ENDLESS = "def mix(weights, values):\n    while True:\n        pass\n"
AT_THE_SECOND = """\
calls = []
def mix(weights, values):
    calls.append(1)
    while len(calls) > 1:
        {}
    return weights @ values
"""
STOPS = "__import__('signal').raise_signal(2)"
RINGS = "__import__('signal').raise_signal(14)"

Cells = Callable[..., None]


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cells:
    """Runs cells in a notebook of a learner's folder."""
    lesson = tmp_path / "02_mixing"
    lesson.mkdir()
    (tmp_path / MANIFEST).write_text("{}")
    (lesson / examples.FILE).write_text(shipping.write({"mix": mixing_exam()}), encoding="utf-8")
    monkeypatch.chdir(lesson)
    monkeypatch.setenv(VARIABLE, "60")
    monkeypatch.delenv(purpose.VARIABLE, raising=False)
    namespace: dict[str, object] = {"check": check}

    def run(*cells: str) -> None:
        for cell in cells:
            run_cell(cell, namespace)

    return run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """By this clock, which no machine makes slower, each look is half a second later."""
    monkeypatch.setattr(in_time, "monotonic", partial(next, count(0.0, 0.5)))


def test_card_says_which_call_ran_for_how_long_and_what_to_do(
    notebook: Cells, clock: None, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook(AT_THE_SECOND.format(RINGS), "check(mix)")
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "mix: stopped, because it ran for too long"
    assert "A check may take 60 s." in said[1]
    assert f"run `%env {VARIABLE}=600` in a cell of your own" in said[1]
    assert said[2].startswith("  three words, two features, in float32: mix(weights, values), ")
    assert said[3] == "    this call had not returned after 0.5 s"
    assert re.fullmatch(r"    in your code, line 5: .+", said[4])
    assert said[5:] == ["    1 of 2 cases passed before it", "  passed: three words, two features"]


def test_whoever_needs_more_time_takes_it(
    notebook: Cells, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = "import time\n" + RIGHT.replace("    return", "    time.sleep(0.2)\n    return")
    monkeypatch.setenv(VARIABLE, "0.2")
    notebook(slow, "check(mix)")
    monkeypatch.setenv(VARIABLE, "60")
    notebook("check(mix)")
    said = capsys.readouterr().out
    assert "    this call had not returned after " in said
    assert "mix: passed, 2 cases" in said


def test_stop_shows_a_card_and_ends_in_a_line(
    notebook: Cells, clock: None, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook(AT_THE_SECOND.format(STOPS))
    with pytest.raises(CheckInterrupted) as error:
        notebook("check(mix)")
    assert error.value._render_traceback_() == ["KeyboardInterrupt: the check of mix was stopped"]
    said = capsys.readouterr().out
    assert said.startswith("mix: stopped by you\n  three words, two features, in float32: ")
    assert "this call was stopped after 0.5 s\n    in your code, line 5: " in said
    assert "    1 of 2 cases passed before it\n  passed: three words, two features\n" in said
    again = report_in(bundle(error.value.report))
    assert again
    assert again.verdict is Verdict.NOT_RUN


def test_stop_while_the_line_is_looked_for_shows_what_was_found(
    notebook: Cells, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "autograder.checks.locate.where.with_places", lambda *_: signal.raise_signal(signal.SIGINT)
    )
    notebook("def mix(weights, values):\n    return -(weights @ values)\n")
    with pytest.raises(CheckInterrupted):
        notebook("check(mix)")
    assert capsys.readouterr().out.startswith("mix: not yet right, 0 of 2 cases passed\n")


def test_validate_is_told_all(notebook: Cells, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(purpose.VARIABLE, "validate")
    with pytest.raises(ExerciseNotPassed) as clock:
        notebook(ENDLESS.replace("pass", RINGS), "check(mix)")
    with pytest.raises(CheckInterrupted) as stop:
        notebook(ENDLESS.replace("pass", STOPS), "check(mix)")
    for error in (clock.value, stop.value):
        lines = error._render_traceback_()
        assert any("in your code, line " in line for line in lines)
        assert all(len(line) <= 76 for line in lines)


def test_what_passed_before_is_still_done(
    notebook: Cells, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = tmp_path / "02_mixing"
    slow = "import time\nseconds = 0\n" + RIGHT.replace(
        "    return", "    time.sleep(seconds)\n    return"
    )
    notebook(slow, "check(mix)")
    before = progress.recall(lesson, "mix")
    assert before.passed
    monkeypatch.setenv(VARIABLE, "0.2")
    notebook("seconds = 1", "check(mix)")
    assert progress.recall(lesson, "mix") == before


@pytest.fixture(scope="module")
def kernel(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[BlockingKernelClient]:
    folder = tmp_path_factory.mktemp("lesson")
    (folder / examples.FILE).write_text(shipping.write({"mix": mixing_exam()}), encoding="utf-8")
    manager, client = start_new_kernel(cwd=str(folder), startup_timeout=BACKSTOP)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_stop_in_a_kernel_shows_a_card_and_one_line(
    kernel: BlockingKernelClient,
) -> None:
    shown: list[dict[str, object]] = []

    def hook(message: dict[str, Any]) -> None:
        if message["msg_type"] == "display_data":
            shown.append(message["content"]["data"])

    cell = f"from autograder import check\n{ENDLESS.replace('pass', STOPS)}\ncheck(mix)"
    reply = kernel.execute_interactive(cell, output_hook=hook, timeout=BACKSTOP)
    assert reply["content"]["status"] == "error"  # So that what waits to be run is not run.
    assert reply["content"]["traceback"] == ["KeyboardInterrupt: the check of mix was stopped"]
    assert "mix: stopped by you" in json.dumps(shown)
    after = kernel.execute_interactive("1", output_hook=hook, timeout=BACKSTOP)
    assert after["content"]["status"] == "ok"
