"""Everything hostile at once, wherever formgrader and feedback show it: names, messages, answers,
files and stamps. No script runs, nothing is asked for, and no page fails.
"""

import json
import os
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request as Asking
from urllib.request import urlopen

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from playwright.sync_api import Browser, Page, Request, Response, expect

from autograder.nbgrading.configuration import nbgrader_api
from autograder.nbgrading.reading.handlers import WITH_OURS
from tests.support.injections import (
    MATH,
    Listener,
    assert_nothing_ran,
    displayed,
    hit,
    listening,
    quiet_page,
    written,
)
from tests.support.lab import PATIENCE, keep, menu, taught_course
from tests.support.processes import BACKSTOP, eventually
from tests.support.tiny_course import LESSON, answered, as_bytes, grade_id_of, hand_in, tiny_course

HOSTILE, FLOOD, UNGRADED = "mallory", "flood", "ivan"
# A folder's name holds no slash, and needs none.
IMAGE = "<img src=x onerror=window.__hit='folder'>"
ACTIVE = ("report.html", "report.xhtml", "report.svg", "report.js", "report.pdf", "report.xml")
# What each of formgrader's handlers is asked about, for those that answer with a page of a list.
ASKED_ABOUT = {
    "FormgraderHandler": (),
    "ManageAssignmentsHandler": (),
    "ManageSubmissionsHandler": (LESSON,),
    "GradebookAssignmentsHandler": (),
    "GradebookNotebooksHandler": (LESSON,),
    "GradebookNotebookSubmissionsHandler": (LESSON, LESSON),
    "ManageStudentsHandler": (),
    "ManageStudentsAssignmentsHandler": (HOSTILE,),
    "ManageStudentNotebookSubmissionsHandler": (HOSTILE, LESSON),
}
# A submission, and what test_reading.py tries, have tests of their own; the way from one to the
# next, and files, are no pages.
NO_LISTS = {
    "SubmissionHandler", "SubmissionNavigationHandler", "SubmissionFilesHandler",
    "StaticFileHandler", "QuestionsHandler", "AnswersHandler", "AnswerHandler", "CommentsHandler",
}  # fmt: skip
HANDLERS = {route[1].__name__: str(route[0]) for route in WITH_OURS}
LISTS = (
    "assignments", "students", f"submissions/{LESSON}", f"submitted_notebooks/{LESSON}/{LESSON}",
    f"student_submissions/{HOSTILE}", f"student_notebook_submissions/{HOSTILE}/{LESSON}",
)  # fmt: skip

# What a page loads without being asked to: the addresses of scripts, styles, pictures and frames.
LOADS = re.compile(
    r"<(?:script|link|img|iframe|object|embed)\b[^>]*\b(?:src|href|data)=\"([^\"]*)\""
)

# What takes long begins when the test has asked for something else.
CONFIGURATION = """
import functools
import inspect
import time
from pathlib import Path

from nbgrader.apps import NbGraderAPI

from autograder import configure

configure(get_config(), __file__)
held, begun = (Path(__file__).with_name(name) for name in ("held", "begun"))


def once_let_go(method):
    @functools.wraps(method)
    def begin(*arguments):
        if held.exists():
            begun.touch()
        while held.exists():
            time.sleep(0.01)
        return method(*arguments)

    return begin


for name in ("generate_feedback", "autograde"):
    setattr(NbGraderAPI, name, once_let_go(inspect.unwrap(getattr(NbGraderAPI, name))))
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("browser"),
    pytest.mark.filterwarnings("ignore:Object of type .* not in session"),
]


@dataclass
class Server:
    """A course of one tiny lesson whose students are hostile, and the server at it."""

    root: Path
    address: str
    submissions: dict[str, str] = field(default_factory=dict)

    def submission(self, student: str) -> str:
        return f"{self.address}/formgrader/submissions/{self.submissions[student]}/"


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with listening() as notes:
        yield notes


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, listener: Listener) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("way_out") / "course"
    root.mkdir()
    api = nbgrader_api(tiny_course(root))
    released = nbformat.read(root / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    hand_in_all(root, released, listener.address)
    submissions = {}
    for student in (HOSTILE, FLOOD):
        assert api.autograde(LESSON, student)["success"]
        outcome = api.generate_feedback(LESSON, student)
        assert outcome["success"], outcome
        with api.gradebook as gradebook:
            (notebook,) = gradebook.find_submission(LESSON, student).notebooks
            submissions[student] = notebook.id
            gradebook.update_or_create_student(IMAGE, first_name="x", last_name="y", email="z")
            name = f'<img src=x onerror="{hit(listener.address, "name")}">{MATH}'
            details = dict.fromkeys(("first_name", "last_name", "email"), f'"></a>{name}')
            gradebook.update_or_create_student(HOSTILE, **details)
    (root / "nbgrader_config.py").write_text(CONFIGURATION)
    (root / "course.toml").write_text('id = "tiny"\npreload = ["numpy"]\n')
    with taught_course(root) as address:
        yield Server(root, address, submissions)


def hand_in_all(root: Path, released: nbformat.NotebookNode, address: str) -> None:
    hostile, flood = answered(released), answered(released)
    message = f'<img src=x onerror="{hit(address, "message")}">{MATH}'
    for cell in hostile["cells"]:
        if grade_id_of(cell) == "why":
            cell["source"] = "\n\n".join(written(address).values())
        elif grade_id_of(cell) == "double":
            cell["source"] = (
                f"def double(x):\n    print({message!r})\n    raise OSError({message!r})"
            )
    hostile["cells"] += [new_code_cell(text) for text in displayed(address).values()]
    for cell in flood["cells"]:
        if grade_id_of(cell) == "why":
            cell["source"] = "$x$\n\n" + "\\begin{a}" * 20_000
    flood["cells"] += [new_code_cell(" \n" * 99_000)]
    for student, notebook in ((HOSTILE, hostile), (FLOOD, flood), (UNGRADED, hostile)):
        folder = hand_in(root, student, as_bytes(notebook))
        for name in (*ACTIVE, f"{LESSON}.html"):
            script = f"<script>{hit(address, 'file')}</script>"
            (folder / name).write_text(f"<html xmlns='http://www.w3.org/1999/xhtml'>{script}")
    hand_in(root, IMAGE, as_bytes(hostile))
    (root / "submitted" / HOSTILE / LESSON / "timestamp.txt").write_text(f"{message} 2030")
    os.mkfifo(root / "submitted" / UNGRADED / LESSON / "timestamp.txt")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with quiet_page(browser) as page:
        yield page


def watched(page: Page) -> tuple[list[str], list[str]]:
    """What the page asks for and should not, such as anything from elsewhere, and what it is
    refused.
    """
    asked, failed = list[str](), list[str]()

    def note(answer: Response) -> None:
        if answer.status >= 400:
            failed.append(f"{answer.status} {answer.url}")

    def look(request: Request) -> None:
        is_here = request.url.startswith(("http://127.0.0.1:", "data:"))
        if not is_here or "report" in request.url:
            asked.append(request.url)

    page.on("request", look)
    page.on("response", note)
    page.on("pageerror", lambda error: failed.append(str(error)))
    return asked, failed


def address_of(handler: str) -> str:
    """Where a page of formgrader's is, by the pattern in its table."""
    names = iter(ASKED_ABOUT[handler])
    return re.sub(r"\([^()]*\)", lambda _: next(names), HANDLERS[handler].removesuffix("/?"))


def test_every_page_of_formgrader_is_tried() -> None:
    assert HANDLERS.keys() == ASKED_ABOUT.keys() | NO_LISTS


@pytest.mark.parametrize("handler", ASKED_ABOUT)
def test_nothing_runs_in_a_list(
    server: Server, page: Page, listener: Listener, handler: str
) -> None:
    path = address_of(handler)
    asked, failed = watched(page)
    page.goto(f"{server.address}{path}", wait_until="networkidle")
    assert [one for one in LOADS.findall(page.content()) if "//" in one] == []
    expect(page.locator("#main-table")).not_to_contain_text("Loading", timeout=PATIENCE)
    expect(page.locator("img[src=x]")).to_have_count(0)
    assert_nothing_ran(page, listener)
    assert (asked, failed) == ([], [])
    keep(page, f"hostile{path.removeprefix('/formgrader').replace('/', '_')}")


def test_lists_show_what_is_wrong(server: Server, page: Page) -> None:
    page.goto(f"{server.address}/formgrader/manage_submissions/{LESSON}")
    rows = page.locator("#main-table tr")
    expect(rows).to_have_count(3)
    for student in (HOSTILE, UNGRADED):
        row = rows.filter(has=page.locator(f"td.student-id:text-is('{student}')"))
        expect(row.locator(".timestamp")).to_contain_text("timestamp.txt")


def test_nothing_runs_in_the_assignment_list(
    server: Server, page: Page, listener: Listener
) -> None:
    """What students see in JupyterLab, with hostile names wherever the exchange holds some."""
    exchange = server.root / "exchange" / "tiny"
    for folder in ("inbound", "outbound"):
        (exchange / folder).mkdir(parents=True, exist_ok=True)
    for name in (f"{IMAGE}+{LESSON}+2030-01-01 12:00:00 UTC", f"{HOSTILE}+{IMAGE}+{IMAGE}"):
        (exchange / "inbound" / name).mkdir(exist_ok=True)
    (exchange / "outbound" / IMAGE).mkdir(exist_ok=True)
    page.goto(f"{server.address}/lab")
    menu(page, "Nbgrader", "Assignment List")
    expect(page.locator("#released_assignments_list")).to_contain_text(IMAGE, timeout=PATIENCE)
    expect(page.locator("img[src=x]")).to_have_count(0)
    assert_nothing_ran(page, listener)
    keep(page, "hostile_assignment_list")


@pytest.mark.parametrize("path", LISTS)
def test_list_is_no_page(server: Server, path: str) -> None:
    """Opened by itself, what formgrader sends its scripts is text."""
    with urlopen(f"{server.address}/formgrader/api/{path}") as answer:
        assert answer.headers["Content-Type"].startswith("text/plain")
        assert answer.headers["Content-Security-Policy"].startswith("sandbox;")
        assert json.load(answer)


@pytest.mark.parametrize(
    "path",
    [
        "manage_students/%3Cimg%20src=x%20onerror=alert(1)%3E",
        "manage_students/%22%3Balert(1)%3B%22",
        "manage_students/a%5C/tiny",
        "gradebook/%3C%2Fscript%3E",
        "manage_submissions/x%0Aalert(1)",
        "api/student/%3Cscript%3E",
        "submissions/%3Cimg%20src=x%20onerror=alert(1)%3E/",
    ],
)
def test_link_is_no_way_in(server: Server, page: Page, listener: Listener, path: str) -> None:
    """A name in a link that somebody sends to the instructor."""
    answer = page.goto(f"{server.address}/formgrader/{path}")
    assert answer is not None
    assert answer.status == 404
    assert_nothing_ran(page, listener)


@pytest.mark.parametrize("student", [HOSTILE, FLOOD])
def test_nothing_runs_in_a_submission(
    server: Server, page: Page, listener: Listener, student: str
) -> None:
    asked, failed = watched(page)
    page.goto(server.submission(student), wait_until="networkidle")
    assert [one for one in LOADS.findall(page.content()) if "//" in one] == []
    assert_shows_nothing_live(page, listener)
    assert (asked, failed) == ([], [])
    keep(page, f"hostile_submission_{student}")


def test_nothing_runs_in_feedback(server: Server, page: Page, listener: Listener) -> None:
    folder = server.root / "feedback" / HOSTILE / LESSON
    assert sorted(path.name for path in folder.iterdir()) == ["timestamp.txt", f"{LESSON}.html"]
    listener.pages["/feedback"] = (folder / f"{LESSON}.html").read_bytes()
    asked, failed = watched(page)
    page.goto(f"{listener.address}/feedback", wait_until="networkidle")
    expect(page.locator("#exercise-0")).to_be_visible()
    expect(page.locator("script")).to_have_count(0)
    expect(page.locator(".answer a")).to_have_count(0)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert_nothing_ran(page, listener)
    assert (asked, failed) == ([], [])
    keep(page, "hostile_feedback")


def assert_shows_nothing_live(page: Page, listener: Listener) -> None:
    expect(page.locator(".nbgrader_cell").first).to_be_visible()
    # A heading of the student's would take the place of the field for a score.
    assert page.locator("[id=why]").count() <= 1
    expect(page.locator("#notebook-container .rendered_html a")).to_have_count(0)
    assert_nothing_ran(page, listener)


@pytest.mark.parametrize("name", ACTIVE)
def test_file_is_inert(server: Server, name: str) -> None:
    with pytest.raises(HTTPError, match="404"):
        urlopen(server.submission(HOSTILE) + name)
    with urlopen(f"{server.submission(HOSTILE)}{name}.txt") as answer:
        assert answer.headers["Content-Type"].startswith("text/plain")
        assert answer.headers["Content-Security-Policy"].startswith("sandbox;")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_server_answers_others(server: Server) -> None:
    """While feedback is made, and while a submission is graded."""
    held, begun = server.root / "held", server.root / "begun"
    for action in (
        f"assignment/{LESSON}/{FLOOD}/generate_feedback",
        f"submission/{LESSON}/{FLOOD}/autograde",
    ):
        held.touch()
        outcome: dict[str, object] = {}
        asking = threading.Thread(target=ask, args=(server, action, outcome))
        asking.start()
        assert eventually(begun.exists)
        for _ in range(3):
            status = f"{server.address}/formgrader/api/status"
            with urlopen(status, timeout=BACKSTOP) as answer:
                assert json.load(answer)["status"]
        assert not outcome
        begun.unlink()
        held.unlink()
        asking.join()
        assert outcome["success"], outcome


def ask(server: Server, action: str, outcome: dict[str, object]) -> None:
    request = Asking(f"{server.address}/formgrader/api/{action}", method="POST", data=b"")
    with urlopen(request) as answer:
        outcome |= json.load(answer)


def test_no_folder_is_taken_for_a_course(server: Server) -> None:
    """A link in a mail, or the menu of a browser that shows a submission, names any folder."""
    folder, ran = server.root / "submitted" / HOSTILE / LESSON, server.root / "ran"
    for name in ("nbgrader_config.py", "formgrade_config.py"):
        (folder / name).write_text(f"open({str(ran)!r}, 'w')\n")

    def asked(path: str | Path) -> int:
        try:
            with urlopen(f"{server.address}/formgrader?path={quote(str(path))}") as answered:
                return int(answered.status)
        except HTTPError as error:
            return error.code

    others = (f"submitted/{HOSTILE}/{LESSON}", folder, "/", "..", "x" * 10_000)
    assert [asked(path) for path in others] == [404] * len(others)
    assert [asked(path) for path in ("", ".", server.root)] == [200] * 3
    assert not ran.exists()
