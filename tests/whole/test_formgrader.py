"""Formgrader in a real browser: its button grades safely, and nothing of a student's runs there."""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_output
from nbgrader.apps import NbGraderAPI
from playwright.sync_api import Browser, Dialog, Page, Response, expect

from autograder.grading.record import RECORD_SUFFIX
from autograder.lesson.build import build_lesson
from autograder.lesson.lesson import read_lesson
from autograder.nbgrading.configuration import configuration, nbgrader_api
from tests.support.course import COURSE, ROOT
from tests.support.lab import PATIENCE, keep, wait_for
from tests.support.processes import BACKSTOP, eventually

expect.set_options(timeout=PATIENCE)

LESSON = "02_dot_product_self_attention"
POINTS = sum(read_lesson(COURSE.lesson_file(LESSON)).points.values())
HONEST, HOSTILE = "ada", "mallory"
OPEN = """
import sys
from autograder.course import Course
from autograder.learner.jupyter import open_course
open_course(Course.find(), options=sys.argv[1:])
"""
# All that a mouse and a keyboard may do to what is on a page.
TOUCH = """() => {
    for (const element of document.querySelectorAll("#notebook-container *")) {
        for (const kind of ["mouseover", "mouseenter", "focus", "toggle", "pointerover", "begin"]) {
            element.dispatchEvent(new Event(kind, {bubbles: true}));
        }
    }
}"""
FOLLOWED = """() => [...document.querySelectorAll("#notebook-container *")].flatMap(element =>
    ["href", "xlink:href", "src", "action", "formaction", "data", "srcdoc"]
        .map(name => element.getAttribute(name) || "")
        .filter(value => /^\\s*(javascript:|data:(?!image\\/(png|jpeg|svg))|<)/i.test(value))
)"""

pytestmark = pytest.mark.xdist_group("browser")


@dataclass
class Listener:
    """A server that notes who asks it for what, and gives a page where it has one."""

    address: str = ""
    asked: list[str] = field(default_factory=list)
    pages: dict[str, bytes] = field(default_factory=dict)


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    notes = Listener()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path not in notes.pages:
                notes.asked.append(self.path)
            self.send_response(200 if self.path in notes.pages else 404)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(notes.pages.get(self.path, b""))

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    notes.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield notes
    server.shutdown()
    server.server_close()


def written(address: str) -> dict[str, str]:
    """Injections into a written answer, by name."""
    page = base64.b64encode(f"<script>{hit(address, 'data')}</script>".encode()).decode()
    return {
        "script": f"<script>{hit(address, 'script')}</script>",
        "onerror": f'<img src=x onerror="{hit(address, "onerror")}">',
        "link": f"[here](javascript:{hit(address, 'link').replace(' ', '')})",
        "autolink": f"<javascript:{hit(address, 'autolink').replace(' ', '')}>",
        "srcdoc": f'<iframe srcdoc="<script>{hit(address, "srcdoc")}</script>"></iframe>',
        "refresh": f'<meta http-equiv="refresh" content="0;url={address}/refresh">',
        "style": f"<style>body {{background: url({address}/style)}}</style>",
        "svg": f'<svg/onload="{hit(address, "svg")}"></svg>',
        "details": f'<details open ontoggle="{hit(address, "details")}">more</details>',
        "data": f"[here](data:text/html;base64,{page})",
        "form": f'<form action="javascript:{hit(address, "form")}"><button>x</button></form>',
        "pixel": f"![a picture]({address}/pixel.png)",
        "distant pixel": f"![a picture][far]\n\n[far]: {address}/distant.png",
        "mathjax": f"$\\href{{javascript:{hit(address, 'mathjax')}}}{{x}}$",
        "hidden mathjax": f"&#36;&#92;href{{javascript:{hit(address, 'hidden')}}}{{x}}&#36;",
    }


def displayed(address: str) -> dict[str, str]:
    """Injections by code that displays or raises something, by name."""
    html = f'<script>{hit(address, "shown")}</script><img src=x onerror="{hit(address, "img")}">'
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' onload=\"{hit(address, 'svg2')}\"></svg>"
    start = "from IPython.display import *\n"
    raw = "application/javascript", "text/html", "text/markdown", "image/svg+xml", "image/png"
    return {
        "HTML": f"{start}display(HTML({html!r}))",
        "Javascript": f"{start}display(Javascript({hit(address, 'javascript')!r}))",
        "SVG": f"{start}display(SVG({svg!r}))",
        "Markdown": f"{start}display(Markdown({html!r}))",
        "Latex": f"{start}display(Latex(r'$\\href{{javascript:{hit(address, 'latex')}}}{{x}}$'))",
        "IFrame": f"{start}display(IFrame('{address}/iframe', 100, 100))",
        "Image": f"{start}display(Image(url='{address}/image'))",
        "raw": f"{start}display(dict.fromkeys({raw!r}, {html!r}), raw=True)",
        "picture": f"{start}display(HTML('<img src=\"data:image/svg+xml;base64,"
        f'{base64.b64encode(svg.encode()).decode()}" alt="x" onload="alert(1)">\'))',
        "repr": f"class Shown:\n    def _repr_html_(self):\n        return {html!r}\n"
        f"    __repr__ = _repr_html_\nShown()",
        "print": f"import sys\nprint({html!r})\nprint({html!r}, file=sys.stderr)",
        "raise": f"raise ValueError({html!r})",
        "name": f"raise type({html!r}, (Exception,), {{}})({html!r})",
        "comment": f"# </script></pre>{html}",
    }


def answers(address: str) -> dict[str, str]:
    """Answers that carry an injection into what a test says of them."""
    html = f'<img src=x onerror="{hit(address, "said")}">'
    return {
        "attention_scores": f"def attention_scores(*args):\n    raise ValueError({html!r})",
        "attention_weights": f"def attention_weights(scores):\n    return {html!r}",
    }


def hit(address: str, name: str) -> str:
    return f"window.__hit='{name}';new Image().src='{address}/{name}'"


def hostile(address: str, solved: NotebookNode) -> NotebookNode:
    """A submission full of injections, with forged outputs besides."""
    html = f"<script>{hit(address, 'forged')}</script>"
    data = {"text/html": html, "application/javascript": hit(address, "js"), "text/plain": html}
    texts = "\n\n".join(written(address).values())
    for cell in solved.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution"):
            cell.source = texts if cell.cell_type == "markdown" else cell.source
            cell.source = answers(address).get(marks.grade_id, cell.source)
        if cell.cell_type == "code":
            cell.outputs = [new_output("display_data", data)]
    solved.cells += [new_code_cell(text) for text in displayed(address).values()]
    return solved


@dataclass(frozen=True)
class Classroom:
    """A copy of the course with a class of two, and the server at it."""

    root: Path
    api: NbGraderAPI
    address: str

    @property
    def formgrader(self) -> str:
        return f"{self.address}/formgrader"

    def graded(self, student: str) -> Path:
        return self.root / "autograded" / student / LESSON / f"{LESSON}.ipynb"

    def record(self, student: str) -> dict[str, Any]:
        path = self.graded(student).with_name(f"{LESSON}{RECORD_SUFFIX}")
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return record


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory, listener: Listener) -> Iterator[Classroom]:
    root = tmp_path_factory.mktemp("taught") / "course"
    for folder in ("autograder", "companion", "solutions"):
        shutil.copytree(ROOT / folder, root / folder)
    for name in ("nbgrader_config.py", "course.toml"):
        shutil.copy(ROOT / name, root)
    built = build_lesson(COURSE, LESSON)
    for path, text in built.files.items():
        copy = root / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8", newline="\n")
    api = nbgrader_api(configuration(COURSE, root))
    assert api.generate_assignment(LESSON)["success"]
    hand_in(root, HONEST, built.solved())
    hand_in(root, HOSTILE, hostile(listener.address, built.solved()))
    with lab(root) as address:
        yield Classroom(root, api, address)


def hand_in(root: Path, student: str, notebook: NotebookNode) -> None:
    folder = root / "submitted" / student / LESSON
    shutil.copytree(root / "notebooks" / LESSON, folder)
    nbformat.write(notebook, folder / f"{LESSON}.ipynb")


class lab:  # noqa: N801  a context manager, used as a function
    """JupyterLab at a course, as `autograder teach` opens it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __enter__(self) -> str:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        home = self.root.parent / "home"
        home.mkdir()
        places = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "DATA", "RUNTIME")}
        options = [
            "--no-browser", f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
            "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True",
        ]  # fmt: skip
        log = home / "log"
        with log.open("w") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-c", OPEN, *options],
                cwd=self.root,
                env={**os.environ, **places},
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        address = f"http://127.0.0.1:{port}"
        try:
            wait_for(address, self.process, log)
        except BaseException:
            self.__exit__()
            raise
        return address

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(timeout=BACKSTOP)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that reaches this machine alone, and on which a dialog is a failure."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.route(
        lambda url: not url.startswith(("http://127.0.0.1", "data:", "about:")),
        lambda route: route.abort(),
    )
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    yield page
    context.close()
    assert dialogs == []


def press(page: Page, classroom: Classroom, student: str, button: str) -> None:
    """Press a button in a student's row of formgrader's list, and wait for its success."""
    page.goto(f"{classroom.formgrader}/manage_submissions/{LESSON}")
    row(page, student).locator(f".{button} a").click()
    dialog = page.locator("#success-modal, #error-modal")
    expect(dialog).to_contain_text("Successfully", timeout=PATIENCE)
    dialog.get_by_text("OK").or_(dialog.get_by_text("Close")).last.click()


def row(page: Page, student: str) -> Any:
    return page.locator("tr", has=page.locator(f"td.student-id:text-is('{student}')"))


def submission_page(classroom: Classroom, student: str) -> str:
    with classroom.api.gradebook as gradebook:
        (notebook,) = gradebook.find_submission(LESSON, student).notebooks
        return f"{classroom.formgrader}/submissions/{notebook.id}"


def assert_nothing_ran(page: Page, listener: Listener) -> None:
    before = page.url.split("?")[0]
    page.evaluate(TOUCH)
    page.wait_for_timeout(1000)
    assert page.url.split("?")[0] == before
    for frame in page.frames:
        assert frame.evaluate("window.__hit") is None
    assert page.evaluate(FOLLOWED) == []
    assert listener.asked == []


def test_injections_would_run(page: Page, listener: Listener) -> None:
    """The same injections, on a page that does nothing against them."""
    texts = [text for name, text in written(listener.address).items() if name != "refresh"]
    listener.pages["/raw"] = "\n".join(texts).encode()
    page.goto(f"{listener.address}/raw")
    wanted = {"script", "onerror", "srcdoc", "style", "svg", "details"}
    page.wait_for_function("window.__hit")
    assert eventually(
        lambda: wanted <= {path.strip("/") for path in listener.asked},
        wait=lambda: page.wait_for_timeout(20),
    )
    listener.asked.clear()


def test_twenty_injections() -> None:
    assert len(written("x")) + len(displayed("x")) + len(answers("x")) >= 20


@pytest.mark.parametrize("student", [HONEST, HOSTILE])
def test_button_grades_safely(classroom: Classroom, page: Page, student: str) -> None:
    press(page, classroom, student, "autograde")
    record = classroom.record(student)
    assert record["isolation"].startswith("isolation full")
    lost = [cell["grade_id"] for cell in record["cells"] if cell["verdict"] != "passed"]
    assert bool(lost) == (student == HOSTILE)
    earned = sum(cell["points"] for cell in record["cells"])
    expect(row(page, student).locator(".score")).to_have_text(f"{earned:g} / {POINTS}")
    expect(row(page, student).locator(".status")).to_have_text("needs manual grading")
    keep(page, f"formgrader_{student}")


@pytest.mark.parametrize("command", [("nbgrader", "autograde"), ("autograder", "grade")])
def test_all_ways_of_grading_agree(classroom: Classroom, command: tuple[str, str]) -> None:
    """The commands give what the button has given: the same scores, the same records."""
    by_button = [outcome(classroom, student) for student in (HONEST, HOSTILE)]
    times = [graded.stat().st_mtime_ns for graded in map(classroom.graded, (HONEST, HOSTILE))]
    program = str(Path(sys.executable).with_name(command[0]))
    done = subprocess.run(
        [program, command[1], LESSON, "--force"],
        cwd=classroom.root, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for student, time in zip((HONEST, HOSTILE), times, strict=True):
        assert classroom.graded(student).stat().st_mtime_ns > time
    assert [outcome(classroom, student) for student in (HONEST, HOSTILE)] == by_button


def outcome(classroom: Classroom, student: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A student's scores in the gradebook, and the record but for how long it took."""
    record = classroom.record(student)
    cells = [{name: cell[name] for name in cell if name != "seconds"} for cell in record["cells"]]
    with classroom.api.gradebook as gradebook:
        (notebook,) = gradebook.find_submission(LESSON, student).notebooks
        scores = {grade.name: grade.auto_score for grade in notebook.grades}
    return scores, {**record, "cells": cells, "seconds": None}


def test_nothing_runs_in_formgrader(classroom: Classroom, page: Page, listener: Listener) -> None:
    page.goto(submission_page(classroom, HOSTILE))
    expect(page.locator("#notebook-container").first).to_contain_text("window.__hit")
    assert_nothing_ran(page, listener)
    page.locator(".text_cell_render", has_text="window.__hit").first.scroll_into_view_if_needed()
    keep(page, "formgrader_injections")


def test_nothing_runs_in_feedback(classroom: Classroom, page: Page, listener: Listener) -> None:
    press(page, classroom, HOSTILE, "generate-feedback")
    path = classroom.root / "feedback" / HOSTILE / LESSON / f"{LESSON}.html"
    listener.pages["/feedback"] = path.read_bytes()
    page.goto(f"{listener.address}/feedback")
    expect(page.locator("#notebook-container").first).to_contain_text("window.__hit")
    assert_nothing_ran(page, listener)
    keep(page, "feedback_injections")


def test_mathjax_is_safe(classroom: Classroom, page: Page) -> None:
    """No MathJax can be loaded here; the page must ask for it with its filter of links."""
    page.goto(submission_page(classroom, HOSTILE))
    (source,) = page.evaluate(
        "[...document.scripts].map(s => s.src).filter(s => s.includes('mathjax'))"
    )
    assert ",Safe" in source


def test_manual_grade_survives(classroom: Classroom, page: Page) -> None:
    press(page, classroom, HONEST, "autograde")
    page.goto(submission_page(classroom, HONEST))
    score = page.locator(".nbgrader_cell", has=page.locator(".text_cell_render")).locator(
        "input.score"
    )
    # What is typed before formgrader has read the scores and comments is overwritten by them.
    page.wait_for_load_state("networkidle")
    with page.expect_response(lambda answer: is_saved(answer, "grade")):
        score.first.fill("1")
        score.first.blur()
    comment = page.locator("textarea.comment").first
    with page.expect_response(lambda answer: is_saved(answer, "comment")):
        comment.fill("A comment by hand")
        comment.blur()
    before = by_hand(classroom)
    assert before
    keep(page, "formgrader_by_hand")
    press(page, classroom, HONEST, "autograde")
    assert by_hand(classroom) == before


def is_saved(answer: Response, what: str) -> bool:
    """Whether formgrader's server has answered that it saved a grade or a comment."""
    return answer.request.method == "PUT" and f"/api/{what}/" in answer.url


def by_hand(classroom: Classroom) -> dict[str, object]:
    """What an instructor gave: scores and comments, by cell."""
    with classroom.api.gradebook as gradebook:
        (notebook,) = gradebook.find_submission(LESSON, HONEST).notebooks
        grades = {g.name: g.manual_score for g in notebook.grades if g.manual_score is not None}
        comments = {c.name: c.manual_comment for c in notebook.comments if c.manual_comment}
    assert list(grades.values()) == [1]
    assert list(comments.values()) == ["A comment by hand"]
    return {**grades, **{f"comment of {name}": text for name, text in comments.items()}}
