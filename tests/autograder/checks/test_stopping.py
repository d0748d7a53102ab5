"""An answer that does not end is stopped, whatever it catches, and all is as it was before."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest

from autograder.checks.stopping import VARIABLE, Stopping, TimeIsUp, allowed
from autograder.errors import CheckError
from tests.support.samples import run_cell

Answer = Callable[[], object]

ENDLESS = {
    "a loop": """
while True:
    pass""",
    "a loop that catches everything": """
while True:
    try:
        while True:
            pass
    except:
        pass""",
    "loops in loops that catch everything": """
while True:
    try:
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
    except BaseException:
        pass""",
    "a loop that goes on in finally": """
while True:
    try:
        while True:
            pass
    finally:
        continue""",
    "a loop that waits": """
import time
while True:
    try:
        time.sleep(0.01)
    except BaseException:
        time.sleep(0.01)""",
    "a long wait": """
import time
time.sleep(1000)""",
    "an end when it is stopped": """
try:
    while True:
        pass
except BaseException:
    return 1""",
    "an error when it is stopped": """
try:
    while True:
        pass
except BaseException:
    raise ValueError""",
    "a loop in what is called": """
return max(range(10**9), key=lambda number: number)""",
}


@pytest.fixture(autouse=True)
def beside_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies below this folder is an answer's; this file is not."""
    monkeypatch.chdir(tmp_path)


def answer(body: str) -> Answer:
    """A function of a notebook's."""
    namespace: dict[str, object] = {}
    run_cell("def answer():\n" + "\n".join(f"    {line}" for line in body.splitlines()), namespace)
    made = namespace["answer"]
    assert callable(made)
    return made


def press_stop_after(seconds: float) -> None:
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def is_as_before() -> bool:
    return (
        signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    )


def work(seconds: float, then: Answer = lambda: None) -> None:
    """What the engine does itself, and then an answer."""
    until = monotonic() + seconds
    while monotonic() < until:
        pass
    then()


def in_time_and_then(first: Answer, second: Answer) -> None:
    with Stopping(60):
        first()
    second()


@pytest.mark.parametrize("body", ENDLESS.values(), ids=[*ENDLESS])
def test_answer_is_stopped_when_its_time_is_up(body: str) -> None:
    endless, started = answer(body), monotonic()
    with pytest.raises(TimeIsUp), Stopping(0.1):
        endless()
    assert monotonic() - started >= 0.1
    assert is_as_before()


@pytest.mark.parametrize("body", ENDLESS.values(), ids=[*ENDLESS])
def test_answer_is_stopped_by_whoever_presses_stop(body: str) -> None:
    endless = answer(body)
    press_stop_after(0.1)
    with pytest.raises(KeyboardInterrupt), Stopping(None):
        endless()
    assert is_as_before()


def test_what_ends_in_time_is_left_alone() -> None:
    with Stopping(60):
        assert answer("return 7")() == 7
    with pytest.raises(ValueError, match="own"), Stopping(60):
        answer("raise ValueError('own')")()
    assert is_as_before()


def test_nothing_is_raised_in_what_is_ours() -> None:
    """It waits until the answer is running again; if it never is, the time was enough."""
    with Stopping(0.05):
        work(0.2)
    with pytest.raises(TimeIsUp), Stopping(0.05):
        work(0.2, then=answer("while True: pass"))


def test_stop_in_what_is_ours_comes_at_the_end() -> None:
    press_stop_after(0.02)
    started = monotonic()
    with pytest.raises(KeyboardInterrupt), Stopping(60):
        work(0.2)
    assert monotonic() - started >= 0.2
    assert is_as_before()


def test_whoever_debugs_has_time_and_stop() -> None:
    before = sys.gettrace()
    try:
        with Stopping(0.05):
            answer("import sys, time\nsys.settrace(lambda *_: None)\ntime.sleep(0.2)")()
        with pytest.raises(KeyboardInterrupt), Stopping(60):
            answer("import signal\nsignal.raise_signal(signal.SIGINT)\nwhile True: pass")()
    finally:
        sys.settrace(before)


def test_timer_and_handlers_of_others_go_on() -> None:
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(TimeIsUp), Stopping(0.02):
            in_time_and_then(answer("return 1"), answer("while True: pass"))
        assert not rung
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 0.1
        signal.pause()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung


def test_elsewhere_than_in_the_main_thread_nothing_is_limited() -> None:
    found = []

    def run() -> None:
        with Stopping(0.01):
            answer("import time\ntime.sleep(0.1)")()
        found.append(signal.getsignal(signal.SIGALRM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [signal.SIG_DFL]


@pytest.mark.parametrize("platform", ["win32", "emscripten"])
def test_without_signals_nothing_is_limited(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.delattr(signal, "setitimer")
    monkeypatch.delattr(signal, "SIGALRM")
    with Stopping(0.01):
        answer("import time\ntime.sleep(0.1)")()


@pytest.mark.parametrize(
    ("text", "limit"), [("300", 300.0), ("0.5", 0.5), ("0", None), ("1e9", 1e9)]
)
def test_limit_is_what_the_environment_says(
    text: str, limit: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert allowed(30) == 30
    monkeypatch.setenv(VARIABLE, text)
    assert allowed(30) == limit


@pytest.mark.parametrize("text", ["", "soon", "-1", "nan", "inf", "1,5"])
def test_limit_that_is_none_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(CheckError, match=r"has to be a number of seconds, or 0 for no limit"):
        allowed(30)
