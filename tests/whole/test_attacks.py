"""Each attack of the corpus earns what an honest wrong answer earns, and changes nothing else."""

import ast
import os
import re
import resource
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode

from autograder.checks.exam.report import Verdict
from autograder.errors import IsolationUnavailable
from autograder.grading.grade import Graded, grade
from autograder.grading.record import RECORD_SUFFIX, Record
from autograder.student.sandbox import bubblewrap
from autograder.student.sandbox.processor_time import number_within
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.attack_scene import (
    CANARY,
    LIMITS,
    MODULES,
    NOTEBOOK_BYTES,
    SECRETS,
    TIGHT,
    TOKEN,
    Scene,
    as_before,
    get_ready,
    graded,
    hand_in,
    is_inert,
    lesson_with,
    make_scene,
    neighbour,
    outputs,
    plain_course,
    plain_with,
    points,
    score_of,
    shows_one_case,
)
from tests.support.attacks import ATTACKS, LESSON, ORDINARY, SEARCHED, WRONG_DOUBLE, Attack
from tests.support.elsewhere import GRADED_BY, crew_in
from tests.support.processes import Stopwatch, descendants, eventually
from tests.support.sample import sample
from tests.support.walls import layers

CLASSES = 33
# Where an attack has a test ask without an end, each question costs the grader about as long as the
# answer costs the student, whose seconds alone are counted.
SECONDS_OF_OURS = 6
MEMORY_OF_OURS = 400 << 20

# Each run tries a twelfth of them, others each time.
GRADED_HERE = sample([attack for attack in (*ATTACKS, *SEARCHED) if not attack.folder], 12)
# After these the neighbour is graded: what outlives an attack outlives the next ones as well.
FOLLOWED = GRADED_HERE[::-4]
HANDED_IN = sample([attack for attack in ATTACKS if attack.folder], 12)


class Hung(BaseException):
    """The grader itself did not come to an end."""


@pytest.fixture(scope="module", autouse=True)
def walls() -> None:
    if layers().missing:
        pytest.skip(layers().missing)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("scene")
    course, home = root / "course", root / "home"
    with pytest.MonkeyPatch.context() as patch, ExitStack() as crews:
        patch.setenv("HOME", str(home))
        patch.setenv("JUPYTERHUB_API_TOKEN", TOKEN)
        made = make_scene(course, home, crews.enter_context(crew_in(root)))
        yield made
    for name in ("tcp", "udp", "unix", "abstract"):
        getattr(made.listeners, name).close()
    Path(f"/tmp/listener-{os.getpid()}").unlink()


@pytest.fixture(scope="module")
def sandbox(scene: Scene) -> Iterator[Sandbox]:
    with Sandbox(LIMITS, preload=MODULES) as opened:
        get_ready(scene, opened)
        yield opened


@pytest.fixture(scope="module")
def tight(scene: Scene) -> Iterator[Sandbox]:
    with Sandbox(TIGHT, preload=MODULES) as opened:
        get_ready(scene, opened)
        yield opened


@pytest.fixture(scope="module")
def calm(scene: Scene, sandbox: Sandbox) -> Graded:
    """The neighbour's submission, graded before there was any attack."""
    found = graded(scene, sandbox, scene.source, neighbour(scene), ATTACKS[0])
    assert {one.verdict for one in found.verdicts} == {Verdict.PASSED}
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
    # One that leads to the first student may still be ending: it need not be there afterwards.
    there = _behind_walls()
    memory = _reset_peak()
    with _watchdog(int(LIMITS.patience * seconds)), Stopwatch() as watch:
        yield
    assert scene.digest() == before
    assert scene.listeners.heard() == []
    assert eventually(lambda: _behind_walls() <= there)
    assert watch.seconds < seconds, f"{watch.seconds:.1f} s where {seconds:g} s are the most"
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


def _behind_walls() -> set[int]:
    """All that runs in another process tree than this one: in a sandbox, whoever has opened it."""
    return {one for one in descendants(os.getpid()) if number_within(f"/proc/{one}")}


def keeps_secrets(notebook: NotebookNode, record: str) -> None:
    """Nothing in the outputs or in the record is for the grader alone, or too large to be kept."""
    written = nbformat.writes(notebook).encode()
    assert len(written) < NOTEBOOK_BYTES, f"the notebook has {len(written):,} bytes"
    text = outputs(notebook) + record
    assert [secret for secret in SECRETS if secret in text] == []


# The attacks


def test_corpus_is_complete() -> None:
    counted = Counter(number for attack in ATTACKS for number in attack.classes)
    assert set(counted) == set(range(1, CLASSES + 1))
    assert len(ATTACKS) >= 60
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)


def test_attacks_are_programs() -> None:
    """An attack with a slip of the pen would be turned away as what it is not."""
    for attack in (*ATTACKS, *SEARCHED):
        parts = (attack.answer, *attack.added, *attack.after, *attack.others.values())
        for source in (*parts, *attack.tests, *attack.given):
            ast.parse(re.sub("@[A-Z]+@", "1", source))


def test_what_is_left_running_is_seen(sandbox: Sandbox) -> None:
    sandbox.wait_until_ready()
    before = _behind_walls()
    with sandbox.spawn({}, 0) as student:
        assert student.process in _behind_walls() - before
    assert eventually(lambda: _behind_walls() <= before)


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
    assert [one.grade_id for one in found.record.cells] == list(most)
    keeps_secrets(found.notebook, found.record.text())
    shows_one_case(found.notebook)
    if 24 in attack.classes:
        is_inert(found.notebook)
    if attack in FOLLOWED:
        after = graded(scene, sandbox, scene.source, neighbour(scene), ATTACKS[0])
        assert points(after) == points(calm)
        assert outputs(after.notebook) == outputs(calm.notebook)


def test_place_is_found_where_the_answer_is(scene: Scene, sandbox: Sandbox) -> None:
    """What the attacks on the search attack is there."""
    answer = (
        "import numpy as np\n\ndef attention_weights(scores):\n"
        "    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
        "    return shares / (1 + shares.sum(axis=-1, keepdims=True))\n"
    )
    wrong = Attack("none", (), answer=answer)
    found = graded(scene, sandbox, scene.source, lesson_with(scene, wrong), wrong)
    assert "Look at line 5" in outputs(found.notebook)


@pytest.mark.parametrize("attack", ORDINARY, ids=lambda attack: attack.name)
def test_right_answer_passes(attack: Attack, scene: Scene, sandbox: Sandbox) -> None:
    """What earns nothing here is the attack, and not whoever is attacked."""
    source = plain_course(attack)
    right = plain_with(scene, source, "def double(x):\n    return 2 * x")
    assert set(points(graded(scene, sandbox, source, right, attack)).values()) == {1.0}


@pytest.mark.parametrize("attack", HANDED_IN, ids=lambda attack: attack.name)
def test_folder_earns_nothing(attack: Attack, scene: Scene, honest: dict[str, float]) -> None:
    as_before(scene)
    ada = score_of(scene, "ada")
    assert score_of(scene, "mal") == ada > 0
    wrong = nbformat.reads(lesson_with(scene, replace(attack, whole=None)), as_version=4)
    folder = hand_in(scene, "mal", wrong)
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
    assert score_of(scene, "mal") == sum(honest.values())
    assert score_of(scene, "ada") == ada
    assert outcome["success"], outcome["log"][-2000:]
    graded = scene.course / "autograded" / "mal" / LESSON
    path = graded / f"{LESSON}{RECORD_SUFFIX}"
    assert [one.grade_id for one in Record.read(path).cells] == list(honest)
    notebook = nbformat.read(graded / f"{LESSON}.ipynb", as_version=4)
    keeps_secrets(notebook, path.read_text(encoding="utf-8"))
    for path in graded.rglob("*"):
        assert not path.is_symlink()
        assert CANARY.encode() not in (path.read_bytes() if path.is_file() else b"")


@pytest.mark.skipif(bool(GRADED_BY), reason="another process does not see this one's modules")
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
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    with pytest.raises(IsolationUnavailable, match="not installed"), Sandbox(LIMITS):
        pass
    with pytest.raises(IsolationUnavailable, match="choose 'full' or 'none'"):
        Sandbox(LIMITS, isolation="off")  # type: ignore[arg-type]
