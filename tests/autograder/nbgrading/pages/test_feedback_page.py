"""The page that a student gets back: what is at its top, and that nothing is lost."""

import base64
from dataclasses import replace
from typing import TYPE_CHECKING

import nbformat
import pytest
from bs4 import BeautifulSoup, Tag
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder.authoring.lesson.reference import read_reference, words
from autograder.checks.card.as_html import bundle
from autograder.checks.exam.exam import exams_of
from autograder.checks.exam.report import Finding, Report, Verdict
from autograder.checks.source.cells import UNANSWERED, grade_id_of
from autograder.checks.source.scenery import NOT_RUN, SCENERY
from autograder.grading.rebuild import NOT_GRADED, NOTICES
from autograder.nbgrading.pages.outline import parts_of
from autograder.nbgrading.pages.page import page
from tests.support.course import COURSE, ROOT
from tests.support.samples import make_cell

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PASSED = Report("double", Verdict.PASSED, passed=("one",), total=1)
FINDING = Finding("two words", "x = 1", ("weights: wrong",))
WRONG = Report(
    "triple",
    Verdict.WRONG,
    passed=(),
    total=4,
    finding=FINDING,
    misconception="axis",
    hint="Take the `other` axis.",
)
PARTLY = Report("half", Verdict.WRONG, total=4, finding=FINDING, right_but_for="the dtype")
MARKS = {"score": 5.25, "max_score": 17.0, "late_penalty": 1.5, "notebook": "tiny"}
LIVE = {"script", "iframe", "form", "object", "embed", "base", "link", "svg", "input", "button"}
PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
ATTACK = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def answer(name: str, source: str, comment: str = "") -> NotebookNode:
    cell = make_cell("code", source, name, solution=True)
    cell.metadata.nbgrader["comment"] = comment or None
    return cell


def graded_by(name: str, score: float, points: int, *outputs: NotebookNode) -> NotebookNode:
    cell = make_cell("code", f"check({name})", f"{name}_check", grade=True, points=points)
    cell.metadata.nbgrader["score"] = score
    cell.outputs = list(outputs)
    return cell


def shown(report: Report) -> NotebookNode:
    return new_output("display_data", bundle(report))


def error(kind: str, text: str) -> NotebookNode:
    lines = [f"\x1b[31m{kind}\x1b[39m: {text}"]
    return new_output("error", ename=kind, evalue=text, traceback=lines)


def written(text: str, score: float, comment: str) -> NotebookNode:
    cell = make_cell("markdown", text, "why", solution=True, grade=True, points=3)
    cell.metadata.nbgrader |= {"score": score, "comment": comment, "waits": True}
    return cell


def task(comment: str) -> NotebookNode:
    cell = make_cell("markdown", "Draw it.", "drawing", points=2)
    cell.metadata.nbgrader |= {"task": True, "points": 2, "score": 2.0, "comment": comment}
    return cell


def graded_notebook() -> NotebookNode:
    figure = new_code_cell("heatmap(weights)")
    figure.outputs = [new_output("display_data", {"image/png": PICTURE, "text/plain": "Figure"})]
    added = new_code_cell("print('tried')", id="added-3-0")
    added.outputs = [new_output("stream", name="stdout", text=f"tried {ATTACK}")]
    return new_notebook(
        cells=[
            new_markdown_cell("# Attention, $\\alpha$\n\n| a | b |\n|---|---|\n| 1 | $x_1$ |"),
            answer("double", "def double(x):\n    return 2 * x"),
            graded_by("double", 2.0, 2, shown(PASSED)),
            figure,
            answer("triple", f"def triple(x):\n    return x  # {ATTACK}", "See [this](https://a.b)."),
            graded_by("triple", 0.0, 3, shown(WRONG), error("Wrong", WRONG.headline)),
            added,
            answer("half", "half = 1"),
            graded_by("half", 1.25, 4, shown(PARTLY)),
            answer("other_half", "other_half = 1"),
            graded_by("other_half", 2.0, 4, shown(PARTLY)),
            answer("plain", "plain = 1"),
            graded_by("plain", 0.0, 2, error("AssertionError", f"no {ATTACK}")),
            graded_by("plain_again", 1.0, 1),
            written(f"Because {ATTACK} $\\frac12$.", 1.5, "Half of it."),
            task("Nice."),
            answer("free", "free = 1", "A remark about nothing that gives points."),
        ]
    )  # fmt: skip


@pytest.fixture(scope="module")
def made() -> BeautifulSoup:
    return BeautifulSoup(render(graded_notebook()), "html.parser")


def render(notebook: NotebookNode, *, plain: bool = False) -> str:
    notebook = nbformat.reads(nbformat.writes(notebook), as_version=4)
    return page("feedback", notebook, {"nbgrader": MARKS}, plain=plain)


def rows(made: BeautifulSoup) -> list[list[str]]:
    table = made.find("table")
    assert isinstance(table, Tag)
    found = [[" ".join(one.get_text(" ").split()) for one in row("td")] for row in table("tr")]
    return found[1:]


def article(made: BeautifulSoup, name: str) -> Tag:
    (found,) = (one for one in made("article") if one.h3.get_text().startswith(f"{name} "))
    return found


def test_summary_comes_first(made: BeautifulSoup) -> None:
    assert made.h1.get_text() == "Attention, $\\alpha$"
    assert made.select_one(".total").get_text() == "5.25 of 17 points"
    assert made.select_one(".total + p").get_text().startswith("These points are not final")
    assert "1.5 points were taken off" in made.get_text()
    assert rows(made) == [
        ["double", "2 / 2", "passed, 1 case"],
        ["triple", "0 / 3",
         "not yet right, 0 of 4 cases passed · with a comment Take the other axis."],
        ["half", "1.25 / 4",
         "right but for the dtype; points given by hand weights: wrong"],
        ["other_half", "2 / 4", "right but for the dtype, half of the points weights: wrong"],
        ["plain", "0 / 2", f"no {ATTACK}"],
        ["plain_again", "1 / 1", "passed"],
        ["why", "1.5 / 3", "waits to be read by a human · with a comment"],
        ["drawing", "2 / 2", "read by a human · with a comment"],
        ["free", "–", "not graded · with a comment"],
    ]  # fmt: skip


def test_question_without_an_answer_was_not_read() -> None:
    blank = written(f"{UNANSWERED}\n", 0.0, "No response.")
    blank.metadata.nbgrader["waits"] = False
    (part,) = parts_of(new_notebook(cells=[blank]))
    assert part.found == "not answered"
    blank.metadata.nbgrader["score"] = 1.0
    assert part.found == "read by a human"


def test_what_stands_as_it_was_given_is_named_once() -> None:
    """No comment of nbgrader's, no card and no answer of its own, and full points for nobody."""
    blank = Report("triple", Verdict.NOT_IMPLEMENTED, finding=FINDING)
    cells = [
        new_markdown_cell("# Attention"),
        answer("triple", "def triple(x):\n    raise NotImplementedError()", "No response."),
        graded_by("triple", 0.0, 3, shown(blank)),
        answer("half", "half = ...", "No response."),
        answer("whole", "whole = 1"),
        graded_by("half", 0.0, 4, shown(WRONG)),
    ]
    made = BeautifulSoup(render(new_notebook(cells=cells)), "html.parser")
    assert rows(made) == [
        ["triple", "0 / 3", "not answered"],
        ["half", "0 / 4", "not yet right, 0 of 4 cases passed Take the other axis."],
    ]
    assert [one.h3.get_text().split()[0] for one in made("article")] == ["half"]
    assert "No response" not in made.get_text()
    assert "With full points" not in made.get_text()
    assert "raise NotImplementedError" in made.select_one(".lesson").get_text()


def test_what_could_not_be_read_is_one_sentence() -> None:
    cell = graded_by("triple", 0.0, 3)
    cell.metadata.nbgrader["waits"] = True
    notebook = new_notebook(cells=[answer("triple", "triple = 1"), cell])
    notebook.metadata[NOT_GRADED] = "it breaks off"
    made = BeautifulSoup(render(notebook), "html.parser")
    assert "Not graded yet: it breaks off." in made.main.get_text()
    assert not made(["table", "article", "details"])


@pytest.mark.parametrize("problem", ["holds no time that can be read", "is empty, or not a small"])
def test_what_only_the_lecturer_can_mend_is_not_told(problem: str) -> None:
    own, others = "the cell of why is missing", f"timestamp.txt {problem}: it counts as on time"
    notebook = new_notebook(cells=[answer("triple", "triple = 1"), graded_by("triple", 0.0, 3)])
    notebook.metadata[NOTICES] = [others, own]
    text = BeautifulSoup(render(notebook), "html.parser").main.get_text()
    assert f"Noticed: {own}." in text
    assert "timestamp" not in text


def test_links_lead_to_the_exercises(made: BeautifulSoup) -> None:
    for link in made.select("main > table a"):
        assert made.select_one(str(link["href"])).h3.get_text().startswith(f"{link.get_text()} ")


def test_what_lost_points_or_has_a_comment_is_open(made: BeautifulSoup) -> None:
    seen = [one.h3.get_text().split()[0] for one in made.select("main > article")]
    assert seen == ["triple", "half", "other_half", "plain", "why", "drawing", "free"]
    rest = [one.h3.get_text().split()[0] for one in made.select("main > details > article")]
    assert rest == ["double", "plain_again"]
    assert not made.select("details[open]")


def test_exercise_shows_answer_card_and_comment(made: BeautifulSoup) -> None:
    triple = article(made, "triple")
    assert "return x" in triple.select_one(".answer").get_text()
    assert "Take the other axis." in triple.select_one(".ag-card").get_text()
    assert triple.select_one(".comment a")["href"] == "https://a.b"
    # The error that ends the cell says nothing that the card does not.
    assert triple.get_text().count(WRONG.headline) == 1
    assert "AssertionError" in article(made, "plain").get_text()
    assert "plain = 1" in article(made, "plain_again").get_text()


def test_comments_are_never_lost(made: BeautifulSoup) -> None:
    found = [" ".join(one.get_text().split()) for one in made.select(".comment")]
    assert found == [
        "CommentSee this.",
        "CommentHalf of it.",
        "CommentNice.",
        "CommentA remark about nothing that gives points.",
    ]


def test_the_rest_is_there(made: BeautifulSoup) -> None:
    lesson = made.select_one(".lesson")
    assert lesson.find_parent("details") is not None
    assert lesson.select_one(".prose table math msub")
    assert "print('tried')" in lesson.get_text()
    assert f"tried {ATTACK}" in lesson.get_text()
    assert lesson.select_one("img")["src"] == f"data:image/png;base64,{PICTURE}"
    assert "heatmap" not in made.get_text()


@pytest.mark.parametrize("plain", [False, True])
def test_nothing_is_live_or_asked_for(plain: bool) -> None:
    html = render(graded_notebook(), plain=plain)
    made = BeautifulSoup(html, "html.parser")
    assert {tag.name for tag in made.find_all(True)} & LIVE == set()
    handlers = {name for tag in made.find_all(True) for name in tag.attrs if name[:2] == "on"}
    assert handlers == set()
    assert {one["src"][:5] for one in made("img")} == {"data:"}
    linked = {one["href"][0] for one in made("a")}
    assert linked <= {"#", "h"}
    assert made.select_one("meta[http-equiv]")["content"].startswith("default-src 'none'")
    assert "@import" not in html
    assert ("it is shown as plain text" in html) == plain
    assert made.get_text().count(ATTACK) >= 4


def test_no_line_of_the_reference_is_shown() -> None:
    """Neither on a card nor on the page, but for lines that the answer has itself."""
    for lesson in ("00_foundations", "02_dot_product_self_attention"):
        name = lesson[3:]
        exams = exams_of(COURSE.exam_module(lesson))
        sources = read_reference(ROOT / "solutions" / f"{name}.py")
        notebook = nbformat.read(COURSE.release_folder(lesson) / f"{lesson}.ipynb", as_version=4)
        cells = {grade_id_of(cell): cell for cell in notebook.cells}
        for exercise, exam in exams.items():
            reports = [exam.preview(wrong) for wrong in list(exam.misconceptions.values())[:4]]
            cells[f"{exercise}_check"].outputs = [shown(own_lines_left_out(one)) for one in reports]
        found = words(BeautifulSoup(render(notebook), "html.parser").get_text())
        secrets = {line for source in sources.values() for line in source.solution}
        told = [line for line in secrets if len(words(line)) >= 16 and words(line) in found]
        # What the lesson itself tells its reader is no secret.
        given = words("\n".join(cell.source for cell in notebook.cells))
        assert [line for line in told if words(line) not in given] == []
        assert len(secrets) > 15


def own_lines_left_out(report: Report) -> Report:
    if report.finding is None:
        return report
    kept = tuple(one for one in report.finding.details if not one.startswith("in your code"))
    return replace(report, finding=replace(report.finding, details=kept, compared=()))


def test_what_was_not_run_is_folded_up() -> None:
    notebook = graded_notebook()
    given = new_code_cell("heatmap(scores)", metadata={"tags": [SCENERY]})
    printed = new_code_cell("print('that')", id="added-3-1")
    for cell in (given, printed):
        cell.outputs = [new_output("stream", name="stdout", text=NOT_RUN)]
        notebook.cells.append(cell)
    found = BeautifulSoup(render(notebook), "html.parser")
    (folded,) = found.select("details.scenery")
    assert "no point depends on it" in folded.text
    assert "heatmap(scores)" in folded.text
    assert NOT_RUN.strip() in found.text.replace(folded.text, "")


@pytest.mark.parametrize("name", ["double", "simple_self_attention_batch_of_sentences"])
def test_nothing_stands_beyond_the_edge_of_a_phone(name: str, browser: "Browser") -> None:
    cells = [answer(name, "x = 1"), graded_by(name, 1.0, 2), *graded_notebook().cells]
    shown = browser.new_page(viewport={"width": 320, "height": 900})
    shown.set_content(render(new_notebook(cells=cells)))
    assert shown.evaluate("document.documentElement.scrollWidth") == 320
    assert shown.locator("main > table tbody tr").first.inner_text().split() == [
        *(name, "1", "/", "2", "passed", "in", "part"),
    ]
    shown.close()
