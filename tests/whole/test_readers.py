"""No text of a student's is read, parsed or drawn where it could stop the grader, or keep it busy.

What reads any text is found in the code. Whose texts a module reads, and within which bounds,
stands in a table here; a module that is not in it has to be thought about first.
"""

import ast
import re
import time
from collections.abc import Callable

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.checks.source.cell_code import TooMuch, statements_of
from autograder.grading.inert import cut_long_sources, inert_markdown, inert_outputs
from autograder.grading.pictures import Room, pictures_in, taken_by_svg
from autograder.grading.rebuild import ADDED_ID, rebuild
from autograder.insight.similarity.normal import LONGEST, normal_lines
from autograder.nbgrading.inbox.timestamps import time_in
from autograder.nbgrading.pages.rendering import WORKER
from tests.support.course import ROOT
from tests.support.hard_texts import HARD_FILES, HARD_TEXTS
from tests.support.sample import sample
from tests.support.samples import make_cell

# What makes something of a text, or a text of that, by the name under which it is called.
READERS = frozenset(
    {
        *("ast.parse", "ast.unparse", "compile", "json.loads", "json.load"),
        *("nbformat.read", "nbformat.reads"),
        *("TransformerManager", "HTMLParser", "MarkdownWithMath", "yaml.safe_load", "fromstring"),
        *("literal_eval", "tokenize", "generate_tokens", "b64decode", "decompress"),
    }
)

OURS = "reads what authors, instructors or this program itself have written"
LEARNERS = "runs beside the learner's own code, with the learner's own rights"
APART = "runs in a fork with a clock and bounds: `grading.apart`"
EXAMINER = "runs in the examiner, which the grader ends"
PAGE = "runs in the page renderer's fork, with a clock and bounds"
BOUNDED = "takes texts up to a length that it reads in no time"

WHERE = {
    "authoring.browser.lite": OURS,
    "authoring.browser.needs": OURS,
    "authoring.browser.pyodide": OURS,
    "authoring.browser.through_javascript": OURS,
    "authoring.build.incremental": OURS,
    "authoring.build.proofs": OURS,
    "authoring.build.shipping": OURS,
    "authoring.lesson.alt_text": OURS,
    "authoring.lesson.built": OURS,
    "authoring.lesson.kept_back": OURS,
    "authoring.lesson.leaks": OURS,
    "authoring.lesson.left_out": OURS,
    "authoring.lesson.reading": OURS,
    "authoring.lesson.reference": OURS,
    "checks.defined": LEARNERS,
    "checks.examples": LEARNERS,
    "checks.locate.families.change": LEARNERS,
    "checks.locate.in_sandbox": LEARNERS,
    "checks.locate.places": LEARNERS,
    "checks.locate.source": LEARNERS,
    "checks.locate.trials": LEARNERS,
    "checks.locate.where": EXAMINER,
    "checks.packed": LEARNERS,
    "checks.progress": LEARNERS,
    "checks.source.cell_code": f"{APART}, or {EXAMINER}",
    "checks.source.effects": f"{APART}, or {EXAMINER}",
    "checks.source.notebook_file": OURS,
    "checks.source.opening": LEARNERS,
    "demo.classroom": OURS,
    "demo.demo": OURS,
    "demo.standalone": OURS,
    "grading.allowed": OURS,
    "grading.apart": "reads what its own fork tells",
    "grading.examiner": OURS,
    "grading.jobs.own_code": OURS,
    "grading.jobs.sandboxes": OURS,
    "grading.jobs.work": OURS,
    "grading.ordinary.comparisons": OURS,
    "grading.ordinary.given": OURS,
    "grading.ordinary.instructor_names": OURS,
    "grading.pictures": BOUNDED,
    "grading.rebuild": APART,
    "grading.record": OURS,
    "import_graph": OURS,
    "insight.similarity.normal": BOUNDED,
    "insight.similarity.usual": "reads graded notebooks, which the grader has written",
    "learner.marking": LEARNERS,
    "learner.notebooks.work": LEARNERS,
    "learner.other_answers": LEARNERS,
    "learner.start_page": LEARNERS,
    "learner.status": LEARNERS,
    "nbgrading.pages.answers": PAGE,
    "nbgrading.pages.asked": "reads what a page of formgrader sends, two million bytes at most",
    "nbgrading.pages.feedback": OURS,
    "nbgrading.pages.given": "reads what its own fork tells",
    "nbgrading.pages.page": PAGE,
    "nbgrading.pages.rendering": PAGE,
    "nbgrading.pages.turns": "reads what nbgrader's own handler answers",
    "nbgrading.reading.comment_bank": OURS,
    "nbgrading.reading.texts": "reads what the page renderer has made",
    "own_modules": OURS,
    "site.lessons.outputs": OURS,
    "site.secrets": OURS,
    "site.site": OURS,
    "student.sandbox.control": OURS,
}


def test_who_reads_what_is_known() -> None:
    found = set()
    for path in sorted((ROOT / "autograder").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called = {_name(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        bases = {
            _name(base)
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            for base in node.bases
        }
        if any(_reads(name) for name in called | bases):
            module = path.relative_to(ROOT / "autograder").with_suffix("")
            found.add(".".join(module.parts).removesuffix(".__init__"))
    assert found == WHERE.keys()


def _reads(name: str) -> bool:
    return name != "re.compile" and bool({name, name.rpartition(".")[2]} & READERS)


def _name(node: ast.expr) -> str:
    return ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""


NOTEBOOK = new_notebook(
    cells=[
        new_code_cell("import numpy as np", metadata={"tags": ["scenery"]}),
        make_cell("code", "", "double", solution=True),
        make_cell("markdown", "", "why", solution=True, grade=True, points=3),
    ]
)


def handed_in(text: str) -> bytes:
    cells = [make_cell("code", text, "double", solution=True), new_code_cell(text)]
    cells.append(make_cell("markdown", text, "why", solution=True, grade=True, points=3))
    return nbformat.writes(new_notebook(cells=cells)).encode(errors="surrogatepass")


def read_statements(text: str) -> None:
    try:
        statements_of(text)
    except TooMuch:
        return


def graded_page(text: str) -> None:
    cells = [new_code_cell(text[:20_000]), new_markdown_cell(inert_markdown(text[:20_000]))]
    notebook = nbformat.writes(new_notebook(cells=cells))
    WORKER.page("feedback", notebook.encode(errors="replace").decode(), {"nbgrader": {}})


# Each takes any text of a student's, and these are all that do outside of a student's process.
TAKERS: dict[str, Callable[[str], object]] = {
    "a submission": lambda text: rebuild(NOTEBOOK, handed_in(text)),
    "a cell's code": read_statements,
    "an answer in words": inert_markdown,
    "what is displayed": lambda text: inert_outputs(
        [
            {"output_type": "stream", "name": "stdout", "text": text},
            {"output_type": "error", "ename": text, "evalue": text, "traceback": [text]},
            {"output_type": "display_data", "data": {"text/html": text, "image/png": text}},
        ],
        1_000_000,
    ),
    "HTML": lambda text: pictures_in(text, Room()),
    "an SVG": lambda text: taken_by_svg(text.encode(errors="surrogatepass")),
    "a time": time_in,
    "a cell compared with others": lambda text: normal_lines(text[:LONGEST]),
    "a cell that is too long": lambda text: cut_long_sources(
        new_notebook(cells=[new_code_cell(text, id=f"{ADDED_ID}0-0")]), ADDED_ID
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("taker", sample(list(TAKERS), 2))
def test_texts_stop_nobody(taker: str) -> None:
    for text in HARD_TEXTS:
        begun = time.process_time()
        TAKERS[taker](text)
        assert time.process_time() - begun < 5, text[:40]


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(HARD_FILES)))
def test_files_stop_nobody(number: int) -> None:
    begun = time.process_time()
    rebuilt = rebuild(NOTEBOOK, HARD_FILES[number])
    assert time.process_time() - begun < 5
    assert rebuilt.remarks or rebuilt.missing == {"double", "why"}


def test_no_notebook_is_read_from_its_file_without_its_name() -> None:
    """`read_source` knows no file, and what it raises names none."""
    callers = [
        path.name
        for path in (ROOT / "autograder").rglob("*.py")
        if re.search(r"read_source\([^)]*(?:read_bytes|read_text|open)\(", path.read_text("utf-8"))
    ]
    assert callers == ["work.py"]
