"""Each attack of the corpus earns what an honest wrong answer earns, and changes nothing else."""

import ast
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import nbformat
import pytest
from attacks import ATTACKS, LESSON, WRONG, WRONG_DOUBLE, Attack
from nbconvert import HTMLExporter
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.apps import NbGraderAPI
from support import make_cell

from autograder import walls
from autograder.build import build_lesson, solved_notebook
from autograder.course import Course
from autograder.errors import IsolationUnavailable
from autograder.exam import exams_of
from autograder.grading import Graded, grade
from autograder.limits import Limits
from autograder.record import RECORD_SUFFIX
from autograder.sandbox import Sandbox, available
from autograder.stock import configuration, nbgrader_api
from autograder.verdict import Verdict

LAYERS = available()
pytestmark = pytest.mark.skipif(bool(LAYERS.missing), reason=LAYERS.missing)

ROOT = Path(__file__).resolve().parents[1]
COURSE = Course(ROOT)
CANARY = "CANARY-5f1c9a"
TOKEN = f"token-{CANARY}"
CLASSES = 33
MODULES = ("numpy", "torch", "matplotlib.pyplot", "companion", "IPython", "autograder.student")
LIMITS = Limits(
    cell_seconds=3,
    call_seconds=2,
    submission_seconds=25,
    memory_bytes=512 << 20,
    disk_bytes=32 << 20,
    output_bytes=200_000,
    message_bytes=16 << 20,
)
TIGHT = replace(LIMITS, cell_seconds=1, call_seconds=1, submission_seconds=4)
SECONDS_OF_OURS = 4
MEMORY_OF_OURS = 400 << 20
NOTEBOOK_BYTES = 20 * LIMITS.output_bytes
SECRETS = (CANARY, "hidden_check(", "BREACH", "LOOT", "MARK SCHEME", "softmax(scores, axis=-1)")
ACTIVE = ("<script>alert", '="javascript:', "<img src=x")
# Enough of the lesson: exercises of each kind, and what they need.
KEPT = (
    *("shiny_by_hand", "attention_weights", "context_vector", "is_permutation_equivariant"),
    "what_it_cannot_do",
)
# What a submission finds in its process, where a neighbour might have left something.
LOOK_AROUND = (
    "import os, numpy, companion\n"
    "print(sorted(os.listdir('/tmp')), os.listdir('/dev/shm'), sorted(os.listdir()))\n"
    "print(len([p for p in os.listdir('/proc') if p.isdigit()]), sorted(os.environ))\n"
    "print(hasattr(numpy, 'note'), hasattr(companion, 'note'), numpy.allclose(1, 2))"
)

GRADED_HERE = [attack for attack in ATTACKS if not attack.folder]
HANDED_IN = [attack for attack in ATTACKS if attack.folder]


class Hung(BaseException):
    """The grader itself did not come to an end."""


@dataclass(frozen=True)
class Listeners:
    """Sockets of the host at which nothing must arrive."""

    tcp: socket.socket
    udp: socket.socket
    unix: socket.socket
    abstract: socket.socket

    def heard(self) -> list[str]:
        """Who was spoken to."""
        found = []
        for name in ("tcp", "unix", "abstract"):
            with suppress(BlockingIOError):
                getattr(self, name).accept()
                found.append(name)
        with suppress(BlockingIOError):
            self.udp.recv(99)
            found.append("udp")
        return found


@dataclass(frozen=True)
class Scene:
    """What there is to be attacked."""

    course: Path
    home: Path
    listeners: Listeners
    api: NbGraderAPI
    source: NotebookNode
    released: NotebookNode
    solved: NotebookNode
    checks: bytes

    def fill_in(self, text: str) -> str:
        """The words of an attack that stand for what its author has found out."""
        words = {
            "COURSE": self.course,
            "HOME": self.home,
            "ROOT": ROOT,
            "TCP": self.listeners.tcp.getsockname()[1],
            "UDP": self.listeners.udp.getsockname()[1],
            "UNIX": self.listeners.unix.getsockname(),
            "ABSTRACT": self.listeners.abstract.getsockname()[1:].decode(),
        }
        for word, value in words.items():
            text = text.replace(f"@{word}@", str(value))
        return text

    def digest(self) -> dict[str, str]:
        """All that lies in the course and at home, but for what grading `mal` may write."""
        found = {}
        for base in (self.course, self.home):
            for path in sorted(base.rglob("*")):
                if not {"mal", "gradebook.db"} & set(path.parts):
                    content = path.read_bytes() if path.is_file() else b""
                    found[str(path)] = hashlib.sha256(content).hexdigest()
        return found


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("scene")
    course, home = root / "course", root / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("JUPYTERHUB_API_TOKEN", TOKEN)
        made = _make_scene(course, home)
        yield made
    for name in ("tcp", "udp", "unix", "abstract"):
        getattr(made.listeners, name).close()
    Path(f"/tmp/listener-{os.getpid()}").unlink()


def _make_scene(course: Path, home: Path) -> Scene:
    files = build_lesson(COURSE, LESSON).files
    source, released = (
        _trimmed(nbformat.reads(files[folder / LESSON / f"{LESSON}.ipynb"], as_version=4))
        for folder in (COURSE.source, COURSE.notebooks)
    )
    checks = files[COURSE.source / LESSON / "checks.json"]
    for place in (course / "source" / LESSON, course / "solutions", home):
        place.mkdir(parents=True, exist_ok=True)
        (place / "secret.txt").write_text(CANARY)
    (course / "secret.txt").write_text(CANARY)
    nbformat.write(source, course / "source" / LESSON / f"{LESSON}.ipynb")
    (course / "source" / LESSON / "checks.json").write_text(checks)
    (course / "source" / LESSON / "secret.txt").unlink()
    shutil.copytree(ROOT / "solutions", course / "solutions", dirs_exist_ok=True)
    config = configuration(COURSE, course)
    config.GradeSafely.limits = {
        name: getattr(LIMITS, name)
        for name in ("cell_seconds", "call_seconds", "submission_seconds", "disk_bytes")
    }
    api = nbgrader_api(config)
    solved = _trimmed(solved_notebook(COURSE, LESSON))
    made = Scene(course, home, _listeners(course), api, source, released, solved, checks.encode())
    assert api.generate_assignment(LESSON)["success"]
    for student in ("ada", "mal"):
        _hand_in(made, student, solved)
        assert api.autograde(LESSON, student)["success"]
    for kept in ("gradebook.db", "autograded/mal"):
        kind = shutil.copytree if (course / kept).is_dir() else shutil.copy
        kind(course / kept, home / f"before-{Path(kept).name}.kept")
    return made


def _trimmed(notebook: NotebookNode) -> NotebookNode:
    """The lesson without most of its exercises, and without pictures."""
    notebook.cells = [cell for cell in notebook.cells if _is_kept(cell)]
    return notebook


def _is_kept(cell: NotebookNode) -> bool:
    name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    if name:
        return name.removesuffix("_check").removesuffix("_question") in KEPT
    return cell.cell_type == "code" and cell.source.startswith(("from", "words, inputs"))


def _listeners(course: Path) -> Listeners:
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    unix, abstract = (socket.socket(socket.AF_UNIX) for _ in range(2))
    # A short path: the kernel takes no longer one.
    place = f"/tmp/listener-{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(place)
    unix.bind(place)
    abstract.bind(f"\0listener-{os.getpid()}")
    for sock in (unix, abstract):
        sock.listen()
    for sock in (tcp, udp, unix, abstract):
        sock.setblocking(False)
    return Listeners(tcp, udp, unix, abstract)


@pytest.fixture(scope="module")
def sandbox(scene: Scene) -> Iterator[Sandbox]:
    with Sandbox(LIMITS, preload=MODULES) as opened:
        yield opened


@pytest.fixture(scope="module")
def tight(scene: Scene) -> Iterator[Sandbox]:
    with Sandbox(TIGHT, preload=MODULES) as opened:
        yield opened


# What is handed in


def lesson_with(scene: Scene, attack: Attack) -> bytes:
    """The lesson as released, with the attack in it."""
    answers = {"attention_weights": attack.answer or WRONG, **attack.others}
    notebook = nbformat.from_dict(json.loads(nbformat.writes(scene.released)))
    first = next(n for n, cell in enumerate(notebook.cells) if cell.metadata.get("nbgrader"))
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution") and marks.grade_id in answers:
            cell.source = scene.fill_in(answers[marks.grade_id])
    notebook.cells[first:first] = [new_code_cell(scene.fill_in(text)) for text in attack.added]
    notebook.cells += [new_code_cell(scene.fill_in(text)) for text in attack.after]
    if attack.whole:
        return attack.whole(json.loads(nbformat.writes(notebook)))
    return nbformat.writes(notebook).encode()


def plain_course(attack: Attack) -> NotebookNode:
    """An ordinary nbgrader notebook with an attack's tests."""
    cells = [new_code_cell(text, id=f"given-{n}") for n, text in enumerate(attack.given)]
    cells.append(make_cell("code", "def double(x):\n    return 2 * x", "double", solution=True))
    cells += [
        make_cell("code", test, f"test-{n}", grade=True, points=1)
        for n, test in enumerate(attack.tests)
    ]
    return new_notebook(cells=cells)


def plain_with(scene: Scene, source: NotebookNode, answer: str) -> bytes:
    notebook = nbformat.from_dict(json.loads(nbformat.writes(source)))
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = scene.fill_in(answer)
    return nbformat.writes(notebook).encode()


def neighbour(scene: Scene) -> bytes:
    """All exercises solved, and a look around."""
    notebook = nbformat.from_dict(json.loads(nbformat.writes(scene.solved)))
    notebook.cells.append(new_code_cell(LOOK_AROUND, id="look-around"))
    return nbformat.writes(notebook).encode()


def graded(
    scene: Scene, box: Sandbox, source: NotebookNode, submission: bytes, attack: Attack
) -> Graded:
    files = {
        "checks.json": scene.checks,
        **{
            name: scene.fill_in(content.decode("latin-1")).encode("latin-1")
            for name, content in attack.files.items()
        },
    }
    return grade(source, submission, box, files=files, seed=3)


def points(graded: Graded) -> dict[str, float]:
    return {one.grade_id: one.points for one in graded.verdicts}


def outputs(notebook: NotebookNode) -> str:
    return json.dumps([cell.get("outputs", []) for cell in notebook.cells], ensure_ascii=False)


@pytest.fixture(scope="module")
def calm(scene: Scene, sandbox: Sandbox) -> Graded:
    """The neighbour's submission, graded before there was any attack."""
    found = graded(scene, sandbox, scene.source, neighbour(scene), ATTACKS[0])
    assert [one.verdict for one in found.verdicts] == [Verdict.PASSED] * 4
    return found


@pytest.fixture(scope="module")
def honest(scene: Scene, sandbox: Sandbox) -> dict[str, float]:
    """What an honest wrong answer earns."""
    attack = Attack("none", ())
    found = graded(scene, sandbox, scene.source, lesson_with(scene, attack), attack)
    return points(found)


# What is looked at from outside


@contextmanager
def nothing_happens(scene: Scene, seconds: float, boxes: tuple[Sandbox, ...]) -> Iterator[None]:
    """Nothing outside changes, nothing is left running, and the grader stays small and quick."""
    before = scene.digest()
    for box in boxes:
        # Whoever was told to end before this one has ended then.
        box.spawn({}, 0).close()
    processes = {id(box): len(descendants(process_of(box))) for box in boxes}
    started, memory = time.monotonic(), _reset_peak()
    with _watchdog(int(seconds) + 2):
        yield
    elapsed = time.monotonic() - started
    assert scene.digest() == before
    assert scene.listeners.heard() == []
    for box in boxes:
        assert eventually(lambda box=box: len(descendants(process_of(box))) == processes[id(box)])
    assert elapsed < seconds, f"it took {elapsed:.1f} s where {seconds:g} s are the most"
    grown = _peak() - memory
    assert grown < MEMORY_OF_OURS, f"the grader grew by {grown >> 20} MiB"


@contextmanager
def _watchdog(seconds: int) -> Iterator[None]:
    def bark(number: int, frame: FrameType | None) -> None:
        raise Hung(f"the grader was still busy after {seconds} s")

    before = signal.signal(signal.SIGALRM, bark)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _reset_peak() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> int:
    return _status("VmHWM")


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{name}:"))


def process_of(box: Sandbox) -> int:
    assert box._launcher is not None
    return int(box._launcher._process.pid)


def descendants(process: int) -> set[int]:
    """All processes that this one started, and those that they did."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = status.read_text().rpartition(")")[2].split()[:2]
            if state not in "ZX":
                children.setdefault(int(parent), []).append(int(status.parent.name))
    found: set[int] = set()
    waiting = [process]
    while waiting:
        of_this = children.get(waiting.pop(), [])
        found.update(of_this)
        waiting += of_this
    return found


def eventually(holds: Any, seconds: float = 5) -> bool:
    """Whether it holds now, or soon."""
    end = time.monotonic() + seconds
    while not (found := holds()) and time.monotonic() < end:
        time.sleep(0.02)
    return bool(found)


def keeps_secrets(notebook: NotebookNode, record: Mapping[str, Any]) -> None:
    """Nothing in the outputs or in the record is for the grader alone, or too large to be kept."""
    written = nbformat.writes(notebook).encode()
    assert len(written) < NOTEBOOK_BYTES, f"the notebook has {len(written):,} bytes"
    text = outputs(notebook) + json.dumps(record)
    assert [secret for secret in SECRETS if secret in text] == []


def shows_one_case(notebook: NotebookNode) -> None:
    """Of the hidden inputs, none but those of the smallest failing case are in the outputs."""
    exam = exams_of(COURSE.exam_module(LESSON))["attention_weights"]
    printed = {case.label for case in exam.printed_cases()}
    hidden = {
        str(case.arguments["scores"].ravel()[0]): case.label  # type: ignore[attr-defined]
        for case in exam.hidden_cases()
        if case.label not in printed
    }
    text = outputs(notebook)
    assert len([number for number in hidden if number in text]) <= 1


def is_inert(notebook: NotebookNode) -> None:
    """No browser runs anything of the page that is made of it."""
    page, _ = HTMLExporter().from_notebook_node(notebook)  # type: ignore[no-untyped-call]
    assert [part for part in ACTIVE if part in page] == []


# The attacks


def test_corpus_is_complete() -> None:
    counted = Counter(number for attack in ATTACKS for number in attack.classes)
    assert set(counted) == set(range(1, CLASSES + 1))
    assert len(ATTACKS) >= 60
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)


def test_attacks_are_programs() -> None:
    """An attack with a slip of the pen would be turned away as what it is not."""
    for attack in ATTACKS:
        parts = (attack.answer, *attack.added, *attack.after, *attack.others.values())
        for source in (*parts, *attack.tests, *attack.given):
            ast.parse(re.sub("@[A-Z]+@", "1", source))


@pytest.mark.parametrize("attack", GRADED_HERE, ids=lambda attack: attack.name)
def test_attack_earns_nothing(
    attack: Attack,
    scene: Scene,
    sandbox: Sandbox,
    tight: Sandbox,
    calm: Graded,
    honest: dict[str, float],
) -> None:
    box, limits = (tight, TIGHT) if attack.tight else (sandbox, LIMITS)
    seconds = limits.submission_seconds + limits.cell_seconds + SECONDS_OF_OURS
    if attack.tests:
        source = plain_course(attack)
        submission = plain_with(scene, source, attack.answer or WRONG_DOUBLE)
        most = dict.fromkeys([f"test-{n}" for n in range(len(attack.tests))], 0.0)
    else:
        source, submission, most = scene.source, lesson_with(scene, attack), honest
    with nothing_happens(scene, seconds, (sandbox, tight)):
        found = graded(scene, box, source, submission, attack)
    earned = points(found)
    assert list(earned) == list(most)
    assert {name: earned[name] for name in most if earned[name] > most[name]} == {}
    assert [one["grade_id"] for one in found.record["cells"]] == list(most)
    keeps_secrets(found.notebook, found.record)
    shows_one_case(found.notebook)
    if 24 in attack.classes:
        is_inert(found.notebook)
    after = graded(scene, sandbox, scene.source, neighbour(scene), ATTACKS[0])
    assert points(after) == points(calm)
    assert outputs(after.notebook) == outputs(calm.notebook)


def _hand_in(scene: Scene, student: str, notebook: NotebookNode) -> Path:
    folder = scene.course / "submitted" / student / LESSON
    if folder.is_symlink():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{LESSON}.ipynb")
    (folder / "checks.json").write_bytes(scene.checks)
    return folder


def _as_before(scene: Scene) -> None:
    """Everybody has full marks."""
    kept = scene.home / "before-gradebook.db.kept"
    shutil.copy(kept, scene.course / "gradebook.db")
    folder = scene.course / "autograded" / "mal"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(scene.home / "before-mal.kept", folder)


def _score(scene: Scene, student: str) -> float:
    with scene.api.gradebook as gradebook:
        return float(gradebook.find_submission(LESSON, student).score)


@pytest.mark.parametrize("attack", HANDED_IN, ids=lambda attack: attack.name)
def test_folder_earns_nothing(attack: Attack, scene: Scene, honest: dict[str, float]) -> None:
    _as_before(scene)
    ada = _score(scene, "ada")
    assert _score(scene, "mal") == ada > 0
    wrong = nbformat.reads(lesson_with(scene, replace(attack, whole=None)), as_version=4)
    folder = _hand_in(scene, "mal", wrong)
    assert attack.folder is not None
    attack.folder(folder)
    seconds = LIMITS.cell_seconds + 3 * SECONDS_OF_OURS
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_status("VmSize") + (2 << 30), hard))
    try:
        with nothing_happens(scene, seconds, ()):
            outcome = scene.api.autograde(LESSON, "mal", force=True)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    assert _score(scene, "mal") == sum(honest.values())
    assert _score(scene, "ada") == ada
    assert outcome["success"], outcome["log"][-2000:]
    graded = scene.course / "autograded" / "mal" / LESSON
    record = json.loads((graded / f"{LESSON}{RECORD_SUFFIX}").read_text(encoding="utf-8"))
    assert [one["grade_id"] for one in record["cells"]] == list(honest)
    keeps_secrets(nbformat.read(graded / f"{LESSON}.ipynb", as_version=4), record)
    for path in graded.rglob("*"):
        assert not path.is_symlink()
        assert CANARY.encode() not in (path.read_bytes() if path.is_file() else b"")


def test_written_arguments_do_not_outlive(
    scene: Scene, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a student's code writes to its arguments is not there for the next student."""
    (tmp_path / "toy_words.py").write_text("import numpy as np\nWORDS = np.ones(3)\nLIST = [1]\n")
    monkeypatch.syspath_prepend(tmp_path)
    tests = ("assert double(WORDS).tolist() == [2, 2, 2]\nassert double(LIST) == [1, 1]",)
    attack = Attack("vandal", (25,), given=("from toy_words import LIST, WORDS",), tests=tests)
    source = plain_course(attack)
    vandal = plain_with(scene, source, "def double(x):\n    x[:] = [9] * len(x)\n    return 2 * x")
    right = plain_with(scene, source, "def double(x):\n    return 2 * x")
    for submission, earned in ((right, 1), (vandal, 0), (right, 1)):
        found = graded(scene, sandbox, source, submission, attack)
        assert points(found) == {"test-0": earned}


# What is no submission


@pytest.mark.parametrize("name", ["../../escape", "/etc/escape", "a/../../escape", "", "a\0b"])
def test_names_stay_inside(sandbox: Sandbox, scene: Scene, name: str) -> None:
    with pytest.raises(ValueError, match="does not stay"):
        grade(scene.source, b"{}", sandbox, files={name: b"x"})


def test_nothing_runs_without_walls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walls, "bubblewrap", lambda: None)
    with pytest.raises(IsolationUnavailable, match="not installed"), Sandbox(LIMITS):
        pass
    with pytest.raises(IsolationUnavailable, match="choose 'full' or 'none'"):
        Sandbox(LIMITS, isolation="off")  # type: ignore[arg-type]
