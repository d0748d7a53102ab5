"""The scene of the attacks: a course with something to steal, what is handed in, what is seen."""

import hashlib
import json
import os
import shutil
import socket
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.apps import NbGraderAPI

from autograder.authoring.build.build import build_lesson
from autograder.checks.exam.exam import exams_of
from autograder.grading.grade import Graded, grade
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.attacks import LESSON, WRONG, Attack
from tests.support.course import COURSE, ROOT
from tests.support.elsewhere import Crew, job_like
from tests.support.samples import make_cell

CANARY = "CANARY-5f1c9a"
TOKEN = f"token-{CANARY}"
MODULES = COURSE.settings.preload
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


SEED = 3


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
    crew: Crew | None = None  # who grades, if not this process

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
        """All that lies in the course and at home, but for what grading may write."""
        found = {}
        for base in (self.course, self.home):
            for path in sorted(base.rglob("*")):
                if not {"mal", "gradebook.db", "cache"} & set(path.parts):
                    content = path.read_bytes() if path.is_file() else b""
                    found[str(path)] = hashlib.sha256(content).hexdigest()
        return found


def make_scene(course: Path, home: Path, crew: Crew | None = None) -> Scene:
    built = build_lesson(COURSE, LESSON)
    source, released = map(_trimmed, (built.source, built.student))
    checks = built.checks
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
    solved = _trimmed(built.solved())
    made = Scene(
        course, home, _listeners(course), api, source, released, solved, checks.encode(), crew
    )
    assert api.generate_assignment(LESSON)["success"]
    for student in ("ada", "mal"):
        hand_in(made, student, solved)
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
    if scene.crew:
        return scene.crew.grade(
            job_like(box, scene.course, LESSON, source, submission, files, SEED)
        )
    return grade(source, submission, box, files=files, seed=SEED)


def get_ready(scene: Scene, box: Sandbox) -> None:
    """Have whoever grades open what this sandbox stands for: no attack is charged with that."""
    if scene.crew:
        graded(scene, box, scene.source, neighbour(scene), Attack("none", ()))


def points(graded: Graded) -> dict[str, float]:
    return {one.grade_id: one.points for one in graded.verdicts}


def outputs(notebook: NotebookNode) -> str:
    return json.dumps([cell.get("outputs", []) for cell in notebook.cells], ensure_ascii=False)


# What came of it


def shows_one_case(notebook: NotebookNode) -> None:
    """Of the hidden inputs, none but those of the failing case that is shown are in the outputs."""
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


# Through nbgrader


def hand_in(scene: Scene, student: str, notebook: NotebookNode) -> Path:
    folder = scene.course / "submitted" / student / LESSON
    if folder.is_symlink():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{LESSON}.ipynb")
    (folder / "checks.json").write_bytes(scene.checks)
    return folder


def as_before(scene: Scene) -> None:
    """Everybody has full marks."""
    kept = scene.home / "before-gradebook.db.kept"
    shutil.copy(kept, scene.course / "gradebook.db")
    folder = scene.course / "autograded" / "mal"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(scene.home / "before-mal.kept", folder)


def score_of(scene: Scene, student: str) -> float:
    with scene.api.gradebook as gradebook:
        return float(gradebook.find_submission(LESSON, student).score)
