"""What a hostile submission costs a class: seconds by the clock and of processor time.

    python benchmarks/hostile.py [part of an attack's name ...] [--most 90] [--busy 0]

Each attack of the suite that wastes time, memory, processes or output is graded once, with the
limits that a course has by default, then an honest submission. With --busy, so many endless loops
run beside it. One that takes longer than --most is broken off, and says so.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from autograder.grading.grade import Graded  # noqa: E402
from autograder.student.limits import Limits  # noqa: E402
from autograder.student.sandbox.processor_time import Meter  # noqa: E402
from autograder.student.sandbox.sandbox import Sandbox  # noqa: E402
from tests.support import attack_scene  # noqa: E402
from tests.support.attacks import ATTACKS, Attack  # noqa: E402

WASTEFUL = {14, 15, 16, 17, 18}
_LOOK = 0.05


class TooLong(BaseException):
    """It is not waited for any longer."""


def measured(do: Callable[[], object], most: int) -> None:
    """Print how long something takes by the clock, and how long this process and all below ran."""
    over, meter = threading.Event(), Meter()
    meter.follow(os.getpid())
    before = meter.read().running

    def look() -> None:
        while not over.wait(_LOOK):
            meter.read()

    looking = threading.Thread(target=look)
    started = time.monotonic()
    looking.start()
    try:
        signal.alarm(most)
        do()
    finally:
        signal.alarm(0)
        seconds = time.monotonic() - started
        over.set()
        looking.join()
        print(f"{seconds:7.1f} {meter.read().running - before:7.1f}  ", end="")


def submission(scene: attack_scene.Scene, box: Sandbox, attack: Attack) -> Graded:
    """Grade an attack as the tests do."""
    if not attack.tests:
        handed_in = attack_scene.lesson_with(scene, attack)
        return attack_scene.graded(scene, box, scene.source, handed_in, attack)
    source = attack_scene.plain_course(attack)
    handed_in = attack_scene.plain_with(scene, source, attack.answer)
    return attack_scene.graded(scene, box, source, handed_in, attack)


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many loops beside it, each in a session of its own as another user's would be."""
    command = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(command, start_new_session=True) for _ in range(loops)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def measure(attacks: list[Attack], most: int) -> None:
    """Print a line for each."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        os.environ["HOME"] = str(Path(folder, "home"))
        scene = attack_scene.make_scene(Path(folder, "course"), Path(folder, "home"))
        print("  clock    processor")
        for attack in [Attack("an honest wrong answer", ()), *attacks]:
            with Sandbox(Limits(), preload=attack_scene.MODULES) as box:
                box.spawn({}, 0).close()
                left = ""
                try:
                    measured(partial(submission, scene, box, attack), most)
                except TooLong:
                    left = ", not over by then"
                print(f"{attack.name}{left}", flush=True)


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooLong


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*")
    parser.add_argument("--most", type=int, default=90)
    parser.add_argument("--busy", type=int, default=0)
    chosen = parser.parse_args()
    signal.signal(signal.SIGALRM, _stop)
    attacks = [
        one
        for one in ATTACKS
        if WASTEFUL & set(one.classes) and not one.folder
        if not chosen.words or any(word in one.name for word in chosen.words)
    ]
    with busy(chosen.busy):
        measure(attacks, chosen.most)


if __name__ == "__main__":
    main()
