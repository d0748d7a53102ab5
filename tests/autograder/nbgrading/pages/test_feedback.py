"""What is kept back on a student's page, and what becomes of the page before it."""

import errno
import os
import re
import resource
import signal
from collections.abc import Callable, Iterator
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.converters import GenerateFeedback, NbGraderException
from nbgrader.coursedir import CourseDirectory

from autograder.authoring.lesson.release import settings
from autograder.grading.grade import Graded
from autograder.grading.rebuild import ADDED_ID
from autograder.grading.record import Record
from autograder.nbgrading import release
from autograder.nbgrading.inbox.take import Beside
from autograder.nbgrading.inbox.which_notebook import HandedIn
from autograder.nbgrading.pages import feedback, records
from autograder.nbgrading.pages.feedback import PREPROCESSORS, SafeFeedback
from autograder.nbgrading.pages.outline import is_students
from autograder.nbgrading.pages.rendering import WORKER
from autograder.nbgrading.release import SafeReleaseFeedback
from tests.support.samples import make_cell

KINDS = ("HIDDEN TESTS", "MARK SCHEME")
FORMS = {
    "begun": "# BEGIN {0}\nmine = 1",
    "ended": "mine = 1\n# END {0}",
    "both": "# BEGIN {0}\nmine = 1\n# END {0}\n",
    "twice": "# BEGIN {0}\n# BEGIN {0}\nmine = 1\n# END {0}",
    "within": "I would write BEGIN {0} here, and mine = 1",
}


def by_nbgrader(notebook: NotebookNode) -> list[str]:
    """The sources of the cells as nbgrader's way has them on a page, without the gradebook."""
    for step in PREPROCESSORS[1:]:
        notebook, _ = step(config=settings()).preprocess(notebook, {})
    return [cell.source for cell in notebook.cells]


def by_records(notebook: NotebookNode) -> list[str]:
    """The same of the way without a gradebook."""
    text = records._page(notebook, Record(), "tiny")
    return [cell.source for cell in nbformat.reads(text, as_version=4).cells]


@pytest.fixture(params=[by_nbgrader, by_records])
def shown(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[NotebookNode], list[str]]:
    monkeypatch.setattr(WORKER, "page", lambda kind, text, resources: text)
    return request.param  # type: ignore[no-any-return]


def written(text: str) -> Iterator[NotebookNode]:
    """A text in each kind of cell that a student writes."""
    for kind, grade in product(("code", "markdown"), (False, True)):
        points = 1 if grade else 0
        yield make_cell(kind, text, f"{kind}_{grade}", solution=True, grade=grade, points=points)
    yield new_code_cell(text, id=f"{ADDED_ID}3-0")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_marks_in_an_answer_are_text(
    kind: str, form: str, shown: Callable[[NotebookNode], list[str]]
) -> None:
    text = FORMS[form].format(kind)
    cells = [*written(text)]
    assert all(map(is_students, cells))
    assert shown(new_notebook(cells=cells)) == [text] * len(cells)


def given(text: str) -> Iterator[NotebookNode]:
    """A text in each kind of cell in which an instructor keeps something back."""
    task = make_cell("markdown", text, "task")
    task.metadata.nbgrader["task"] = True
    yield task
    yield make_cell("code", text, "test", grade=True, points=1)


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_instructor_keeps_back_is_not_shown(
    kind: str, shown: Callable[[NotebookNode], list[str]]
) -> None:
    text = f"Seen.\n### BEGIN {kind}\nkept back\n### END {kind}\nSeen."
    # nbgrader takes hidden tests in tests alone.
    cells = [one for one in given(text) if kind == "MARK SCHEME" or one.cell_type == "code"]
    if kind == "MARK SCHEME":
        cells += [make_cell("markdown", text, "question"), new_markdown_cell(text)]
    assert not any(map(is_students, cells))
    assert shown(new_notebook(cells=cells)) == ["Seen.\nSeen."] * len(cells)


PAGES = {"ada": "her new page", "ben": None, "cem": "his new page"}


@pytest.mark.parametrize("whole", [True, False], ids=["all notebooks", "one notebook"])
def test_an_earlier_page_stays_where_none_can_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, whole: bool
) -> None:
    for student in PAGES:
        for step, name in (("autograded", "tiny.ipynb"), ("feedback", "tiny.html")):
            path = tmp_path / step / student / "tiny" / name
            path.parent.mkdir(parents=True)
            path.write_text("earlier")
            path.with_name("old.txt").write_text("earlier")

    def convert(self: SafeFeedback, filename: str) -> None:
        student = Path(filename).parent.parent.name
        page = Path(self._format_dest("tiny", student)) / "tiny.html"
        assert not page.exists()
        page.write_text(PAGES[student] or "half of")
        if PAGES[student] is None:
            raise RuntimeError("no page")

    monkeypatch.setattr(WORKER, "start", lambda kind: None)
    monkeypatch.setattr(GenerateFeedback, "convert_single_notebook", convert)
    course = CourseDirectory(root=str(tmp_path), assignment_id="tiny")
    if not whole:
        course.notebook_id = "tiny"
    with pytest.raises(NbGraderException):
        SafeFeedback(coursedir=course, force=True).start()
    pages = {one: tmp_path / "feedback" / one / "tiny" for one in PAGES}
    found = {student: (page / "tiny.html").read_text() for student, page in pages.items()}
    assert found == {one: text or "earlier" for one, text in PAGES.items()}
    # What nbgrader removes for a page that could be made is not put back.
    kept = [student for student, page in pages.items() if (page / "old.txt").exists()]
    assert kept == (["ben"] if whole else [*PAGES])
    assert not [*(tmp_path / "feedback").rglob(".*")]


@pytest.mark.parametrize("whole", [True, False], ids=["all notebooks", "one notebook"])
def test_earlier_page_stays_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, whole: bool
) -> None:
    """Nothing can be written any more, neither the new page nor the earlier one once more."""
    graded = tmp_path / "autograded" / "ada" / "tiny" / "tiny.ipynb"
    graded.parent.mkdir(parents=True)
    nbformat.write(new_notebook(), graded)
    page_in(tmp_path).parent.mkdir(parents=True)
    page_in(tmp_path).write_text("earlier")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(WORKER, "start", lambda kind: None)
    monkeypatch.setattr(WORKER, "page", lambda *_: PAGE)
    monkeypatch.setattr(feedback, "write_whole", full)
    course = CourseDirectory(root=str(tmp_path), assignment_id="tiny")
    if not whole:
        course.notebook_id = "tiny"
    step = SafeFeedback(coursedir=course, force=True)
    step.preprocessors = []
    with pytest.raises(NbGraderException):
        step.start()
    assert page_in(tmp_path).read_text() == "earlier"


PAGE = "a new page, " * 1000
# What a file may hold when whoever writes it is killed.
_MOST_BYTES = 2000


def feedback_of_nbgrader(root: Path) -> None:
    """`nbgrader generate_feedback`, formgrader's button, and the demo."""
    step = SafeFeedback(coursedir=CourseDirectory(root=str(root), assignment_id="tiny"))
    step.preprocessors = []
    step.start()


def page_without_a_gradebook(root: Path) -> None:
    one = records.Submitted("ada", "tiny", root, page_in(root).parent)
    records._grade(one, None, HandedIn(), Beside())  # type: ignore[arg-type]


def released_page(root: Path) -> None:
    """What students fetch from the exchange."""
    step = SafeReleaseFeedback(coursedir=CourseDirectory(root=str(root), assignment_id="tiny"))
    step.dest_path = str(page_in(root).parent)
    step._release("ada", root / "made" / "tiny.html")


WRITERS = [feedback_of_nbgrader, page_without_a_gradebook, released_page]


def page_in(root: Path) -> Path:
    """Where each of them writes it."""
    return root / "feedback" / "ada" / "tiny" / "tiny.html"


def killed_halfway(write: Callable[[Path], None], root: Path) -> int | None:
    """How a process ends whose first large file takes more than it may write."""

    def in_process() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_BYTES, _MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        write(root)

    process = get_context("fork").Process(target=in_process)
    process.start()
    process.join(60)
    return process.exitcode


@pytest.mark.parametrize("is_there", [True, False], ids=["earlier page", "no page"])
@pytest.mark.parametrize("write", WRITERS)
def test_no_kill_leaves_half_a_page(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[Path], None],
    *,
    is_there: bool,
) -> None:
    graded = tmp_path / "autograded" / "ada" / "tiny" / "tiny.ipynb"
    graded.parent.mkdir(parents=True)
    nbformat.write(new_notebook(), graded)
    made = tmp_path / "made" / "tiny.html"
    page_in(tmp_path).parent.mkdir(parents=True)
    made.parent.mkdir()
    made.write_text(PAGE)
    made.with_name("submission_secret.txt").write_text("secret")
    page = page_in(tmp_path)
    if is_there:
        page.write_text("earlier")
        # nbgrader makes a page again for a newer hand-in.
        for folder, year in ((page.parent, 2030), (graded.parent, 2031)):
            (folder / "timestamp.txt").write_text(f"{year}-01-01 00:00:00 UTC")
    monkeypatch.setattr(WORKER, "start", lambda kind: None)
    monkeypatch.setattr(WORKER, "page", lambda *_: PAGE)
    monkeypatch.setattr(
        records, "grade_handed_in", lambda *_: Graded(new_notebook(), (), Record(), {})
    )
    monkeypatch.setattr(release, "notebook_hash", lambda **_: "tiny")

    assert killed_halfway(write, tmp_path) == -signal.SIGXFSZ
    kept = [page, page.parent.with_name(".tiny.earlier") / page.name]
    assert [one for one in kept if one.exists()] or not is_there
    assert not page.exists() or page.read_text() == "earlier"
    # Nobody has to ask for it by force, where the kill has left none.
    write(tmp_path)
    assert page.read_text() == PAGE


def test_every_writer_of_a_page_is_known() -> None:
    """What writes a file under its own name, and not through `write_whole`, is no page's writer."""
    package = Path(release.__file__).parent
    plain = re.compile(
        r"\b(?:write_text|write_bytes|shutil\.\w+|os\.fdopen|open)\((?!\)).*", re.MULTILINE
    )
    found = {
        (path.name, call[0].strip())
        for path in [*(package / "pages").glob("*.py"), package / "release.py"]
        for call in plain.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == {
        ("feedback.py", "shutil.copyfile(source / name, target / name, follow_symlinks=False)"),
        ("release.py", "shutil.copy(page, draft)"),
        # Between the processes that render.
        ("rendering.py", 'os.fdopen(writing, "wb") as answer:'),
        ("rendering.py", 'os.fdopen(reading, "rb") as answer:'),
    }
