"""The relatives of holes that we had, on stock nbgrader; the table in the docs.

    python benchmarks/relatives.py [number of a hole or of a relative, or kind of trial ...]
    python benchmarks/relatives.py --table

Stock nbgrader runs behind the walls of `stock_walls`. What was seen is kept in
benchmarks/relatives.json, and docs/security_appendix.md gets its table from there; with `--table`,
that is all that is done. All of them take about half an hour. What is an attack of the suite is
tried by benchmarks/attacks.py.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tornado.web import StaticFileHandler  # noqa: E402

from benchmarks import relatives_table  # noqa: E402
from benchmarks.attacked_stock import Seen, StockScene, attack_stock  # noqa: E402
from benchmarks.attacks import SEEN as ATTACKS_SEEN  # noqa: E402
from benchmarks.attacks import both  # noqa: E402
from benchmarks.stock_walls import NOBODY, run_python  # noqa: E402
from tests.support.attacks import LESSON, Attack, inputs  # noqa: E402
from tests.support.relatives import Relative, all_relatives  # noqa: E402

SEEN = ROOT / "benchmarks" / "relatives.json"
PAGE = ROOT / "docs" / "security_appendix.md"
# Longer than any page or list may take.
SECONDS = 90
WAYS = "from benchmarks.ways_of_stock import main; main()"


def plain(
    scene: StockScene, answer: str, *tests: str, **more: Any
) -> tuple[Seen, tuple[bool, ...]]:
    """What came of an ordinary notebook, and which of its tests were passed."""
    seen = attack_stock(scene, Attack("", (), answer=answer, tests=tests, **more))
    return seen, seen.passed


def once(scene: StockScene, *parts: str) -> tuple[Seen, tuple[bool, ...]]:
    """The same for tests that are tried in one notebook: it is graded once."""
    if parts not in _TRIED:
        _TRIED[parts] = plain(scene, *parts, given=("import numpy as np",))
    return _TRIED[parts]


_TRIED: dict[tuple[str, ...], tuple[Seen, tuple[bool, ...]]] = {}


def in_words(seen: Seen, passed: bool) -> dict[str, Any]:
    """What a test of stock nbgrader's came to."""
    if passed:
        return {"said": "passes", "hole": True}
    ends = {"ran for more than 90 s and was stopped": seen.stopped, "batch aborted": seen.aborted,
            "submission lost": seen.lost}  # fmt: skip
    return {"said": next((said for said, so in ends.items() if so), "does not pass"), "hole": False}


def whole_text(case: str, texts: Iterable[str]) -> str:
    """The one of these in which the case stands."""
    (found,) = {text for text in texts if case in text}
    return found


def objects(scene: StockScene, case: str) -> dict[str, Any]:
    seen, passed = once(scene, inputs.LIAR, *inputs.REAL)
    return in_words(seen, passed[inputs.REAL.index(case)])


def endless(scene: StockScene, case: str) -> dict[str, Any]:
    tests = inputs.ENDLESS
    test = next(text for text in tests if text.endswith(case))
    answer = inputs.function(f"{tests[test]} if x != 5 else 10")
    seen, (passed,) = plain(scene, answer, test, given=("import numpy as np",))
    return in_words(seen, passed)


def caught(scene: StockScene, case: str) -> dict[str, Any]:
    answer = "import os\ndef double(x):\n    return os._exit(1) if x < 0 else 2 * x"
    tests = inputs.CAUGHT
    seen, passed = once(scene, answer, *tests)
    return in_words(seen, passed[tests.index(whole_text(case, tests))])


def lent(scene: StockScene, case: str) -> dict[str, Any]:
    """The point is there before the function is lent, and after that."""
    asks, lends = "assert double(3) == 6", inputs.LENDING["an argument"]
    answer = inputs.keeping(*inputs.KEPT[case])
    seen, (first, _, last) = plain(scene, answer, asks, lends, asks)
    return in_words(seen, first or last)


def file(scene: StockScene, case: str) -> dict[str, Any]:
    """What formgrader calls the file that it serves."""
    plain(scene, "", "assert double(2) == 4", files={case: b"<script>alert(1)</script>"})
    kept = scene.course / "autograded" / "mal" / LESSON / case
    if not kept.exists():
        return {"said": "not kept", "hole": False}
    kind = StaticFileHandler.get_content_type(SimpleNamespace(absolute_path=str(kept)))  # type: ignore[arg-type]
    return {"said": f"kept and served as {kind}", "hole": kind != "text/plain"}


def deep(scene: StockScene, case: str) -> dict[str, Any]:
    seen = attack_stock(scene, Attack("", (), folder=inputs.nested))
    kept = seen.points > 0 and not seen.limited
    if kept:
        return {"said": "full marks from before kept", "hole": True}
    said = "submission lost" if seen.lost else "as an honest wrong answer"
    return {"said": said, "hole": False}


GRADED: dict[str, Callable[[StockScene, str], dict[str, Any]]] = {
    "objects": objects, "endless": endless, "caught": caught, "lent": lent, "file": file,
    "nested": deep,
}  # fmt: skip


def on_a_way(relative: Relative) -> dict[str, Any]:
    """What stock nbgrader did where it collects, lists or renders."""
    with tempfile.TemporaryDirectory(prefix="way-") as folder:
        place = Path(folder) / "now"
        for name in ("course", "home"):
            (place / name).mkdir(parents=True)
        place.parent.chmod(0o755)
        if os.geteuid() == 0:
            for path in (place, *place.iterdir()):
                shutil.chown(path, NOBODY, NOBODY)
        asked = json.dumps([relative.stock, relative.case])
        found: dict[str, Any] = json.loads(run_python(place, WAYS, (asked,), SECONDS) or "{}")
    if "stopped" in found:
        return {"said": f"no answer within {SECONDS} s", "hole": True}
    assert "said" in found, found
    return found


def measure(chosen: dict[str, Relative]) -> None:
    """Try these, and keep what was seen after each."""
    with both() as (scene, _):
        for number, relative in chosen.items():
            started = time.monotonic()
            key = relatives_table.key_of(relative)
            graded = GRADED.get(relative.stock)
            found = graded(scene, relative.case) if graded else on_a_way(relative)
            # Another run may have written to it meanwhile.
            kept = json.loads(SEEN.read_text(encoding="utf-8")) if SEEN.exists() else {}
            kept[key] = found
            keys = [relatives_table.key_of(one) for one in all_relatives().values()]
            text = {key: kept[key] for key in dict.fromkeys(keys) if key in kept}
            lines = json.dumps(text, indent=1, ensure_ascii=False)
            SEEN.write_text(lines + "\n", encoding="utf-8")
            took = time.monotonic() - started
            print(f"{took:5.1f} s  {number} {relative.name}: {found['said']}", flush=True)


def main() -> None:
    """Measure what was asked for, and write the table."""
    words = [word for word in sys.argv[1:] if word != "--table"]
    if "--table" not in sys.argv:
        of_their_own = {
            number: one
            for number, one in all_relatives().items()
            if one.stock and one.stock not in relatives_table.OF_THE_SUITE
            and (not words or {number, number.split(".")[0], one.stock} & set(words))
        }  # fmt: skip
        measure(of_their_own)
    seen, attacks = (json.loads(path.read_text("utf-8")) for path in (SEEN, ATTACKS_SEEN))
    relatives_table.write(PAGE, seen, attacks)


if __name__ == "__main__":
    main()
