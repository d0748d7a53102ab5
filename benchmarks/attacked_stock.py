"""Stock nbgrader under attack: one submission at a time, between two neighbours.

What stock nbgrader runs has all that its user may do. So the whole of it (nbgrader, kernel, course,
gradebook and home) is put where there is nothing to lose, see `stock_walls`.
"""

import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.nbgrading.configuration import configuration, nbgrader_api
from benchmarks.stock_walls import (
    ABSTRACT,
    FILE,
    READER,
    TCP,
    UDP,
    UNIX,
    run_nbgrader,
    run_python,
)
from tests.support.attack_scene import (
    CANARY,
    NOTEBOOK_BYTES,
    SECRETS,
    Listeners,
    Scene,
    is_inert,
    lesson_with,
    outputs,
    plain_course,
    plain_with,
    shows_one_case,
)
from tests.support.attacks import LESSON, WRONG_DOUBLE, Attack
from tests.support.course import COURSE, ROOT

HARD_SECONDS = 90
CELL_SECONDS = 10
UNSTOPPED = "nothing but a limit of ours would stop it"
NOT_RUN = {
    "fork bomb": UNSTOPPED,
    "busy fork bomb": UNSTOPPED,
    "bomb whose processes detach": UNSTOPPED,
    "bomb that sleeps and wakes when its cell is over": UNSTOPPED,
    "bomb in each call, each process in a session of its own": UNSTOPPED,
    "swarm of processes that end before they are seen": UNSTOPPED,
    "pool that starts its processes anew": UNSTOPPED,
    "memory bomb by many processes and files": "3 GB, and nothing but limits of ours to stop it",
    "every added cell prints all it may": "600 MB in the grader's memory and on its disk",
}
SETTINGS = f"""
c = get_config()
c.CourseDirectory.root = {{root!r}}
c.CourseDirectory.course_id = "attention"
c.ExecutePreprocessor.timeout = {CELL_SECONDS}
"""


@dataclass(frozen=True)
class Seen:
    """What came of one batch in which `mal` attacked.

    Attributes:
        points: what `mal` has.
        most: what there is to be had.
        stopped: whether it had to be stopped.
        aborted: whether who came after `mal` was not graded.
        lost: whether there is no graded notebook of `mal`.
        kept: whether the points are of an earlier submission, for no test was graded in this one.
        limited: whether it wrote until the limit of a file's size.
        passed: of an ordinary notebook, which tests were passed.
        signs: what else could be seen.
        changed: files that are not as they were.
        log: the end of what nbgrader said.
    """

    points: float
    most: float
    stopped: bool
    aborted: bool
    lost: bool
    kept: bool
    limited: bool
    passed: tuple[bool, ...]
    signs: frozenset[str]
    changed: frozenset[str]
    log: str


@dataclass(frozen=True)
class StockScene(Scene):
    """A course to be attacked, of which the words in an attack speak as well."""

    place: Path = field(default_factory=Path)

    def fill_in(self, text: str) -> str:
        """The words of an attack that stand for what its author has found out."""
        words = {
            "COURSE": self.course, "HOME": self.home, "ROOT": ROOT, "TCP": TCP, "UDP": UDP,
            "UNIX": UNIX, "ABSTRACT": ABSTRACT,
        }  # fmt: skip
        for word, value in words.items():
            text = text.replace(f"@{word}@", str(value))
        return text


@contextmanager
def stock_scene(ours: Scene) -> Iterator[StockScene]:
    """The same course as ours, where nbgrader's own settings hold."""
    with tempfile.TemporaryDirectory(prefix="stock-") as folder:
        place = Path(folder) / "now"
        nowhere = Listeners(*[None] * 4)  # type: ignore[arg-type]
        yield StockScene(
            place / "course", place / "home", nowhere, ours.api, ours.source, ours.released,
            ours.solved, ours.checks, place=place,
        )  # fmt: skip


def attack_stock(scene: StockScene, attack: Attack) -> Seen:
    """Grade a batch with the attacker in it; where folders are attacked, `mal` had full marks."""
    source = plain_course(attack) if attack.tests else scene.source
    right = _right(scene, source, attack)
    _fresh(scene, source, right, attack)
    # Who comes next shows whether the batch goes on; her work need be whole only where an attack
    # might change what comes of it.
    _submit(scene, "zoe", right if {25, 29} & set(attack.classes) else b"{")
    _submit(scene, "mal", _attacking(scene, source, attack), attack)
    if attack.folder:
        attack.folder(scene.course / "submitted" / "mal" / LESSON)
        # As after a new submission: what was graded before is to be graded again.
        shutil.rmtree(scene.course / "autograded" / "mal", ignore_errors=True)
    digest, grades = _digest(scene), _grades(scene)
    ran = _autograde(scene)
    return _look(scene, ran, digest, grades, len(attack.tests))


def _fresh(scene: StockScene, source: NotebookNode, right: bytes, attack: Attack) -> None:
    """Have all as it was before any attack: `ada` is graded."""
    kept = scene.place.parent / ("folders" if attack.folder else "lesson")
    shutil.rmtree(scene.place, ignore_errors=True)
    if not attack.tests and kept.exists():
        shutil.copytree(kept, scene.place, symlinks=True)
        return
    _make(scene, source)
    _submit(scene, "ada", right)
    if attack.folder:
        _submit(scene, "mal", right)
    _must(_autograde(scene))
    if not attack.tests:
        shutil.copytree(scene.place, kept, symlinks=True)


def _right(scene: StockScene, source: NotebookNode, attack: Attack) -> bytes:
    if attack.tests:
        return plain_with(scene, source, "def double(x):\n    return 2 * x")
    return str(nbformat.writes(scene.solved)).encode()


def _attacking(scene: StockScene, source: NotebookNode, attack: Attack) -> bytes:
    if attack.tests:
        return plain_with(scene, source, attack.answer or WRONG_DOUBLE)
    return lesson_with(scene, replace(attack, whole=None) if attack.folder else attack)


def _make(scene: StockScene, source: NotebookNode) -> None:
    """The course and a home as before any attack, released, with the reference beside it."""
    scene.place.parent.chmod(0o755)
    folder = scene.course / "source" / LESSON
    for place in (folder, scene.home):
        place.mkdir(parents=True)
    nbformat.write(source, folder / f"{LESSON}.ipynb")
    (folder / "checks.json").write_bytes(scene.checks)
    for place in (scene.course, scene.home):
        (place / "secret.txt").write_text(CANARY)
    shutil.copytree(
        ROOT / "solutions", scene.course / "solutions", ignore=lambda *_: ["__pycache__"]
    )
    config = configuration(COURSE, scene.course)
    # What it says of tests that our own grader can't judge is not asked here.
    config.TrySolution.enabled = False
    assert nbgrader_api(config).generate_assignment(LESSON)["success"]
    (scene.course / "nbgrader_config.py").write_text(SETTINGS.format(root=str(scene.course)))


def _submit(scene: StockScene, student: str, notebook: bytes, attack: Attack | None = None) -> None:
    folder = scene.course / "submitted" / student / LESSON
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / f"{LESSON}.ipynb").write_bytes(notebook)
    (folder / "checks.json").write_bytes(scene.checks)
    for name, content in (attack.files if attack else {}).items():
        text = scene.fill_in(content.decode("latin-1"))
        (folder / name).write_bytes(text.encode("latin-1"))


def _autograde(scene: StockScene) -> dict[str, Any]:
    return run_nbgrader(scene.place, ("autograde", LESSON), HARD_SECONDS)


def _must(ran: dict[str, Any]) -> None:
    assert ran.get("code") == 0, f"stock nbgrader does not grade honest work: {ran}"


def _grades(scene: StockScene) -> dict[str, dict[str, float | None]]:
    found = json.loads(
        run_python(scene.place, READER, (str(scene.course / "gradebook.db"),), 20) or "{}"
    )
    return {} if "killed" in found or "stopped" in found else found


def _sum(grades: dict[str, dict[str, float | None]], student: str) -> float:
    return sum(score or 0.0 for score in grades.get(student, {}).values())


def _digest(scene: StockScene) -> dict[str, str]:
    """All regular files of the course and the home, but for what grading these two may write."""
    found = {}
    for base in (scene.course, scene.home):
        for at, _, names in os.walk(base):
            for name in names:
                path = Path(at, name)
                status = path.lstat()
                if stat.S_ISREG(status.st_mode) and status.st_size <= FILE:
                    content = hashlib.sha256(path.read_bytes()).hexdigest()
                    found[str(path.relative_to(scene.place))] = content
    skipped = ("gradebook.db", "nbgrader.log", "/mal/", "/zoe/", "__pycache__")
    return {name: one for name, one in found.items() if not any(part in name for part in skipped)}


def _look(
    scene: StockScene, ran: dict[str, Any], digest: dict[str, str],
    grades: dict[str, dict[str, float | None]], tests: int,
) -> Seen:  # fmt: skip
    after, now = _grades(scene), _digest(scene)
    graded = scene.course / "autograded"
    notebook = graded / "mal" / LESSON / f"{LESSON}.ipynb"
    signs = set(_signs(notebook)) if notebook.is_file() and not notebook.is_symlink() else set()
    signs |= {"reached the network"} if ran.get("heard") else set()
    signs |= {"left processes running"} if ran.get("left") else set()
    signs |= {"destroyed the gradebook"} if not after else set()
    if after and after.get("ada") != grades.get("ada"):
        signs.add("neighbour changed")
    if (graded / "zoe" / LESSON).exists() and _sum(after, "zoe") != _sum(grades, "ada"):
        signs.add("neighbour changed")
    file = scene.course / "nbgrader.log"
    log = file.read_text(errors="replace") if file.is_file() else ""
    return Seen(
        points=_sum(after, "mal"),
        most=_sum(grades, "ada"),
        stopped="stopped" in ran,
        aborted="stopped" not in ran and "/submitted/zoe/" not in log,
        lost=not notebook.exists(),
        kept=_sum(grades, "mal") > 0 and not (notebook.is_file() and _has_tests(notebook)),
        limited="File too large" in log,
        passed=tuple(bool(after.get("mal", {}).get(f"test-{n}")) for n in range(tests)),
        signs=frozenset(signs),
        changed=frozenset(
            name for name in digest.keys() | now.keys() if digest.get(name) != now.get(name)
        ),
        log=json.dumps(ran) + log[-1500:],
    )


def _has_tests(path: Path) -> bool:
    marks = [cell.metadata.get("nbgrader", {}) for cell in nbformat.read(path, as_version=4).cells]
    return any(one.get("grade") and not one.get("solution") for one in marks)


def _signs(path: Path) -> Iterator[str]:
    if path.stat().st_size > FILE:
        yield "output flood kept"
        return
    try:
        notebook = nbformat.read(path, as_version=4)
    except Exception:
        yield "a notebook that can't be shown"
        return
    yield from signs_in(notebook)


def signs_in(notebook: NotebookNode) -> Iterator[str]:
    """What the graded notebook's outputs and its page tell of the attack."""
    text = outputs(notebook)
    if len(text) > NOTEBOOK_BYTES:
        yield "output flood kept"
        return
    if "BREACH" in text or "LOOT" in text:
        yield "got what it tried"
    if CANARY in text:
        yield "read secrets"
    if any(secret in text for secret in SECRETS if secret not in ("BREACH", "LOOT", CANARY)):
        yield "showed hidden tests"
    try:
        shows_one_case(notebook)
    except AssertionError:
        yield "showed hidden inputs"
    try:
        is_inert(notebook)
    except AssertionError:
        yield "script in the page"
    except Exception:
        yield "a notebook that can't be shown"
