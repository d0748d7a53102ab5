"""What stock nbgrader does with one hostile input on a way in or out; runs inside `stock_walls`.

    python -c "from benchmarks.ways_of_stock import main; main()" '["kind", "case"]'

The inputs are those of the tests that hold our own ways. What is printed last is JSON: what was
seen in words, and whether that is a hole.
"""

import csv
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from nbconvert.exporters import HTMLExporter
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.plugins import CsvExportPlugin
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import Config

from tests.support.attacks import inputs
from tests.support.samples import make_cell

Said = tuple[str, bool]

LESSON, FIRST, SECOND = "tiny", inputs.FIRST, inputs.SECOND
NOTEBOOK = f"{LESSON}.ipynb"
# From here on it is no page that anybody waits for.
LONG_SECONDS = 10
LONG: dict[str, Callable[[], NotebookNode]] = {
    "test_blanks_cost_nothing": lambda: new_code_cell(" \n" * 99_000 + "x = 1"),
    "a.": lambda: new_code_cell("a." * 50_000),
    "\\\\[": lambda: _answer("\\\\[" * 33_000),
    "[a](": lambda: _answer("[a](" * 25_000),
    "**a": lambda: _answer("**a" * 33_000),
    "\\begin{a}": lambda: _answer("\\begin{a}" * 11_000),
}  # fmt: skip
LIVE = {"a", "img", "script", "style", "iframe", "svg", "form", "base", "meta", "object", "input"}


# Ways in


def _api() -> NbGraderAPI:
    config, here = Config(), Path.cwd()
    config.CourseDirectory.root = str(here)
    config.CourseDirectory.course_id = "course"
    config.Exchange.root = str(here / "exchange")
    for folder in (f"source/{LESSON}", "exchange/course/inbound", "submitted"):
        (here / folder).mkdir(parents=True)
    (here / "source" / LESSON / NOTEBOOK).write_text(inputs.SECRET)
    api = NbGraderAPI(config=config)
    with api.gradebook as gradebook:
        gradebook.add_assignment(LESSON)
    return api


def _hand_in(name: str, content: str) -> Path:
    folder = Path("exchange/course/inbound", name)
    folder.mkdir()
    (folder / NOTEBOOK).write_text(content)
    return folder


def _collected() -> dict[str, str]:
    found = Path("submitted").glob(f"*/{LESSON}/{NOTEBOOK}")
    return {path.parent.parent.name: _read(path) for path in found}


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return "nothing"


def _arrives(name: str) -> Said:
    api = _api()
    _hand_in(f"ada+{LESSON}+{FIRST}", "ada's")
    _hand_in(name, "mal's")
    before = set(os.listdir())
    outcome = api.collect(LESSON)
    found = _collected()
    if "ada" not in found:
        return "nobody is collected", True
    if outside := set(os.listdir()) - before - {"submitted", "nbgrader.log", ".nbgrader.log"}:
        return f"written beside `submitted/`, to `{min(outside)}/`", True
    if len(found) > 1:
        return "collected as a student's work", True
    return ("left out" if outcome["success"] else "left out; collecting fails"), False


def folder_named(case: str) -> Said:
    return _arrives(f"{case}+{LESSON}+{FIRST}")


def time_named(case: str) -> Said:
    said, _ = _arrives(f"mal+{LESSON}+{case}")
    # Work with an odd time is work; what it must not do is stop the others'.
    return said, said.startswith("nobody")


def newer(case: str) -> Said:
    """Ada has handed in; then comes a newer folder of hers that is changed."""
    api = _api()
    _hand_in(f"ada+{LESSON}+{FIRST}", "first")
    assert api.collect(LESSON)["success"]
    folder = _hand_in(f"ada+{LESSON}+{SECOND}", "second")
    change: Callable[[Path], None] = getattr(inputs, case, lambda _: None)
    change(folder)
    outcome = api.collect(LESSON)
    words = {"first": "ada's work stays", "second": "ada's work is replaced, with a warning",
             "nothing": "what can't be read takes the place of ada's work"}  # fmt: skip
    found = _collected().get("ada")
    if found is None:
        return "ada's earlier work is gone", True
    said = words.get(found, "the file that the link names is collected")
    return (said if outcome["success"] else f"{said}; collecting fails"), found != "first"


def linked(case: str) -> Said:
    """A folder, or a notebook in it, that is a link to somebody else's."""
    api = _api()
    ada = _hand_in(f"ada+{LESSON}+{FIRST}", "ada's").absolute()
    if case == "folder":
        Path(f"exchange/course/inbound/mal+{LESSON}+{FIRST}").symlink_to(ada)
    else:
        folder = _hand_in(f"mal+{LESSON}+{FIRST}", "")
        (folder / NOTEBOOK).unlink()
        (folder / NOTEBOOK).symlink_to(Path("source", LESSON, NOTEBOOK).absolute())
    api.collect(LESSON)
    found = _collected().get("mal")
    words = {"ada's": "ada's work is collected as another's",
             inputs.SECRET: "the instructor's notebook is collected"}  # fmt: skip
    return words.get(str(found), "left out"), found is not None


def listed(case: str) -> Said:
    api = _api()
    Path("submitted", case, LESSON).mkdir(parents=True)
    named = [one["student"] for one in api.get_submissions(LESSON)]
    return ("listed as a student" if case in named else "not listed"), case in named


def stamp(case: str) -> Said:
    """The list of a class in which one timestamp is odd."""
    api = _api()
    for student in ("ada", "mal"):
        Path("submitted", student, LESSON).mkdir(parents=True)
    Path("submitted", "ada", LESSON, "timestamp.txt").write_text(FIRST)
    path = Path("submitted", "mal", LESSON, "timestamp.txt")
    makers = {make.__name__: make for make in inputs.MAKERS}
    if case in makers:
        makers[case](path)
    else:
        path.write_bytes(case.encode("latin-1"))
    try:
        shown = {one["student"]: one for one in api.get_submissions(LESSON)}
    except Exception as error:
        return f"the list fails for the whole class ({type(error).__name__})", True
    time_shown = shown["mal"]["display_timestamp"]
    return ("shown without a time" if time_shown is None else f"shown as {time_shown}"), False


# Ways out


def _answer(text: str) -> NotebookNode:
    return make_cell("markdown", text, "why", solution=True, grade=True, points=1)


def _page(cell: NotebookNode) -> str:
    settings = {"template_name": "formgrade", "extra_template_basedirs": [handlers.template_path]}
    exporter = HTMLExporter(**settings)  # type: ignore[no-untyped-call]
    cell.id = "why"
    resources = {
        "assignment_id": LESSON, "notebook_id": LESSON, "submission_id": "1", "student": "ada",
        "base_url": "", "index": 0, "total": 1, "mathjax_url": "", "my_assignment_id": LESSON,
        "last_name": "", "first_name": "", "notebook_path": "", "keyword": "", "my_notebook_id": "",
    }  # fmt: skip
    html, _ = exporter.from_notebook_node(new_notebook(cells=[cell]), resources)
    return str(html)


def _live(cell: NotebookNode) -> Said:
    """What of a cell is live on formgrader's page of it."""
    plain = _parts(_page(_answer("Because.")))
    tags, attributes, text = _parts(_page(cell))
    found = [f"a live `<{name}>`" for name in sorted((tags - plain[0]) & LIVE)]
    found += [f"a live `{name}`" for name in sorted(attributes - plain[1]) if name[:2] == "on"]
    orders = ("\\href", "\\style", "\\cssId", "\\def", "\\class", "\\require")
    found += [f"`{order}` reaches MathJax" for order in orders if order in text]
    return ", ".join(found) or "shown as text", bool(found)


def _parts(html: str) -> tuple[set[str], set[str], str]:
    container = BeautifulSoup(html, "html.parser").find(id="notebook-container")
    assert container is not None, "formgrader's page has another form"
    tags = container.find_all(True)
    ignored = {"script", "noscript", "style", "textarea", "pre", "code"}
    texts = [
        str(one)
        for one in container.find_all(string=True)
        if not ignored & {up.name for up in one.parents}
    ]
    return {tag.name for tag in tags}, {name for tag in tags for name in tag.attrs}, "".join(texts)


def answer(case: str) -> Said:
    return _live(_answer(case))


def formula(case: str) -> Said:
    return _live(_answer(f"${case}$"))


def shown_html(case: str) -> Said:
    """HTML that code has displayed; a page must come of it, whatever it is."""
    cell = make_cell("code", "", "double", solution=True)
    cell.outputs = [new_output("display_data", {"text/html": case, "text/plain": "x"})]
    try:
        kept = case in _page(cell)
    except Exception as error:
        return f"formgrader's page of it fails ({type(error).__name__})", True
    return ("put into the page as it is" if kept else "shown otherwise"), kept


def message(case: str) -> Said:
    cell = make_cell("code", "", "double", solution=True)
    cell.outputs = [new_output("error", ename="OSError", evalue=case, traceback=[case])]
    return _live(cell)


def long_cell(case: str) -> Said:
    started = time.process_time()
    _page(LONG[case]())
    seconds = time.process_time() - started
    slow = seconds > LONG_SECONDS
    return (f"a page after {seconds:.0f} s" if slow else "a page in time"), slow


def exported(case: str) -> Said:
    _api()
    with Gradebook(f"sqlite:///{Path.cwd() / 'gradebook.db'}", "course") as gradebook:
        gradebook.add_student("ada", first_name=case)
        CsvExportPlugin(to="grades.csv").export(gradebook)
    with open("grades.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if len(rows) != 1 or None in rows[0] or rows[0]["first_name"] != case:
        return "breaks the table", True
    formula = case.lstrip()[0] in "=+-@"
    return ("written as a formula" if formula else "written as it is"), formula


KINDS: dict[str, Callable[[str], Said]] = {
    kind.__name__: kind
    for kind in (folder_named, time_named, newer, linked, listed, stamp, answer, formula,
                 shown_html, message, long_cell, exported)
}  # fmt: skip


def main() -> None:
    """Try one input, and print what came of it."""
    kind, case = json.loads(sys.argv[1])
    found: dict[str, Any] = dict(zip(("said", "hole"), KINDS[kind](case), strict=True))
    print("\n" + json.dumps(found), flush=True)
    # What hangs at the end is no part of what was asked.
    os._exit(0)
