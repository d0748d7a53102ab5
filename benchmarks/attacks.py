"""Every submission of the attack suite on stock nbgrader and on ours; the table in the docs.

    python benchmarks/attacks.py [part of an attack's name ...]
    python benchmarks/attacks.py --table

Stock nbgrader runs behind walls of this script's own, see `attacked_stock`. What was seen is kept
in benchmarks/attacks.json, and docs/security_appendix.md gets its tables from there; with
`--table`, that is all that is done. All attacks, one submission at a time, take about 20 minutes on
a quiet machine.
"""

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import nbformat  # noqa: E402
from nbformat.notebooknode import NotebookNode  # noqa: E402

from autograder.grading.grade import Graded  # noqa: E402
from autograder.student.sandbox.sandbox import Sandbox  # noqa: E402
from benchmarks import attacks_table  # noqa: E402
from benchmarks.attacked_stock import (  # noqa: E402
    NOT_RUN,
    StockScene,
    attack_stock,
    signs_in,
    stock_scene,
)
from tests.support import attack_scene  # noqa: E402
from tests.support.attacks import ATTACKS, LESSON, WRONG_DOUBLE, Attack  # noqa: E402

SEEN = ROOT / "benchmarks" / "attacks.json"
HONEST = Attack("an honest wrong answer", ())


def on_stock(scene: StockScene, attack: Attack, honest: dict[str, Any]) -> dict[str, Any]:
    """What stock nbgrader did, beside what it does with an honest wrong answer."""
    if attack.name in NOT_RUN:
        return {"not_run": NOT_RUN[attack.name]}
    seen = attack_stock(scene, attack)
    signs = set(seen.signs) - set(honest.get("signs", ()))
    changed = sorted(seen.changed - set(honest.get("changed", ())))
    return {
        "points": seen.points,
        "most": float(len(attack.tests)) or seen.most,
        "honest": 0.0 if attack.tests else honest.get("points", 0.0),
        "stopped": seen.stopped,
        "aborted": seen.aborted,
        "lost": seen.lost,
        "kept": seen.kept,
        "limited": seen.limited,
        "signs": sorted(signs | ({"wrote outside"} if changed else set())),
        "changed": changed[:5],
        **({"passed": seen.passed} if attack.tests else {}),
    }


class Ours:
    """The same submissions on ours, in the scene of the tests."""

    def __init__(self, scene: attack_scene.Scene, box: Sandbox, tight: Sandbox) -> None:
        self._scene, self._box, self._tight = scene, box, tight
        # What an honest wrong answer earns, and what the neighbour has before any attack.
        self._honest = attack_scene.points(self._grade(HONEST, box))
        self._calm = self._neighbour()
        self._most = sum(attack_scene.points(self._calm).values())

    def attack(self, attack: Attack) -> dict[str, Any]:
        """What came of it, and what changed beside it."""
        digest = self._scene.digest()
        if attack.folder:
            points, notebook = self._folder(attack)
            most, honest = self._most, sum(self._honest.values())
        else:
            found = self._grade(attack, self._tight if attack.tight else self._box)
            points, notebook = sum(attack_scene.points(found).values()), found.notebook
            most = float(len(attack.tests)) or self._most
            honest = 0.0 if attack.tests else sum(self._honest.values())
        signs = {*signs_in(notebook)} - {*signs_in(self._calm.notebook)}
        signs |= {"wrote outside"} if self._scene.digest() != digest else set()
        signs |= {"reached the network"} if self._scene.listeners.heard() else set()
        after = self._neighbour()
        same = attack_scene.outputs(after.notebook) == attack_scene.outputs(self._calm.notebook)
        if not same or attack_scene.points(after) != attack_scene.points(self._calm):
            signs.add("neighbour changed")
        return {"points": points, "most": most, "honest": honest, "signs": sorted(signs)}

    def _grade(self, attack: Attack, box: Sandbox) -> Graded:
        scene = self._scene
        source, submission = scene.source, b""
        if attack.tests:
            source = attack_scene.plain_course(attack)
            submission = attack_scene.plain_with(scene, source, attack.answer or WRONG_DOUBLE)
        return attack_scene.graded(
            scene, box, source, submission or attack_scene.lesson_with(scene, attack), attack
        )

    def _neighbour(self) -> Graded:
        scene = self._scene
        return attack_scene.graded(
            scene, self._box, scene.source, attack_scene.neighbour(scene), HONEST
        )

    def _folder(self, attack: Attack) -> tuple[float, NotebookNode]:
        scene = self._scene
        attack_scene.as_before(scene)
        wrong = nbformat.reads(attack_scene.lesson_with(scene, HONEST), as_version=4)
        folder = attack_scene.hand_in(scene, "mal", wrong)
        assert attack.folder is not None
        attack.folder(folder)
        scene.api.autograde(LESSON, "mal", force=True)
        graded = scene.course / "autograded" / "mal" / LESSON / f"{LESSON}.ipynb"
        return attack_scene.score_of(scene, "mal"), nbformat.read(graded, as_version=4)


@contextmanager
def both() -> Iterator[tuple[StockScene, Ours]]:
    """Two courses to be attacked, and a home that nobody lives in."""
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder:
        os.environ["HOME"] = str(Path(folder, "home"))
        os.environ["JUPYTERHUB_API_TOKEN"] = attack_scene.TOKEN
        scene = attack_scene.make_scene(Path(folder, "course"), Path(folder, "home"))
        try:
            with (
                Sandbox(attack_scene.LIMITS, preload=attack_scene.MODULES) as box,
                Sandbox(attack_scene.TIGHT, preload=attack_scene.MODULES) as tight,
                stock_scene(scene) as stock,
            ):
                yield stock, Ours(scene, box, tight)
        finally:
            with suppress(OSError):
                Path(scene.listeners.unix.getsockname()).unlink()


def measure(chosen: list[Attack]) -> None:
    """Run these attacks, and keep what was seen after each."""
    kept = json.loads(SEEN.read_text(encoding="utf-8")) if SEEN.exists() else {}
    with both() as (stock, ours):
        seen = attack_stock(stock, HONEST)
        honest = {"points": seen.points, "signs": seen.signs, "changed": seen.changed}
        for attack in chosen:
            started = time.monotonic()
            kept[attack.name] = {
                "stock": on_stock(stock, attack, honest),
                "ours": ours.attack(attack),
            }
            names = [one.name for one in ATTACKS if one.name in kept]
            text = json.dumps({name: kept[name] for name in names}, indent=1, ensure_ascii=False)
            SEEN.write_text(re.sub(r"\n {3,}|\n +\]", " ", text) + "\n", encoding="utf-8")
            what = attacks_table.stock_cell(kept[attack.name]["stock"])
            print(f"{time.monotonic() - started:5.1f} s  {attack.name}: {what}", flush=True)


def main() -> None:
    """Measure what was asked for, and write the tables."""
    words = [word for word in sys.argv[1:] if word != "--table"]
    if "--table" not in sys.argv:
        measure([one for one in ATTACKS if not words or any(word in one.name for word in words)])
    attacks_table.write(ROOT / "docs" / "security_appendix.md", json.loads(SEEN.read_text("utf-8")))


if __name__ == "__main__":
    main()
