import base64
import hashlib

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.grading.inert import cut_long_sources, inert_markdown, inert_outputs, whole_text
from autograder.grading.pictures import Room
from tests.support.samples import make_cell

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1 and the rest").decode()
SVG = base64.b64encode(b'<svg xmlns="http://www.w3.org/2000/svg"/>').decode()


MOST = 10_000_000


def displayed(**data: object) -> list[dict[str, object]]:
    named = {kind.replace("_", "/"): content for kind, content in data.items()}
    return inert_outputs(
        [{"output_type": "display_data", "data": named, "metadata": {"x": 1}}], MOST
    )


def test_text_stays() -> None:
    (output,) = displayed(text_plain="1 < 2")
    assert output["data"] == {"text/plain": "1 < 2"}
    assert output["metadata"] == {}


def test_pictures_stay() -> None:
    assert displayed(image_png=PNG)[0]["data"] == {"image/png": PNG}


@pytest.mark.parametrize("content", ["not base64!", base64.b64encode(b"<html>").decode(), 7, None])
def test_false_pictures_go(content: object) -> None:
    assert displayed(image_png=content) == []


@pytest.mark.parametrize(
    "kind",
    ["text_html", "image_svg+xml", "application_javascript", "text_markdown", "text_latex"],
)
def test_active_kinds_go(kind: str) -> None:
    assert displayed(**{kind: "<script>alert(1)</script>"}) == []


def test_companions_pictures_stay() -> None:
    html = (
        f'<style>img{{content:url(x)}}</style><img alt="a &quot;b&quot;" onerror="alert(1)" '
        f'src="data:image/svg+xml;base64,{SVG}"><script>alert(1)</script>'
    )
    page = str(displayed(text_html=html)[0]["data"])
    assert f"data:image/svg+xml;base64,{SVG}" in page
    assert "onerror" not in page
    assert "script" not in page
    assert "style>" not in page


@pytest.mark.parametrize(
    "source", ["https://x.test/a.png", "javascript:alert(1)", "data:text/html;base64,PHA+", ""]
)
def test_pictures_from_elsewhere_go(source: str) -> None:
    assert displayed(text_html=f'<img src="{source}">') == []


@pytest.mark.parametrize(
    "output", [None, 7, "text", [], {}, {"output_type": "pager"}, {"output_type": ["stream"]}]
)
def test_nonsense_goes(output: object) -> None:
    assert inert_outputs([output], MOST) == []


def test_streams_and_errors_are_text() -> None:
    stream = {"output_type": "stream", "name": "other", "text": "a\x00b"}
    error = {"output_type": "error", "ename": 7, "evalue": "x", "traceback": ["a", 8]}
    assert inert_outputs([stream, error], MOST) == [
        {"output_type": "stream", "name": "stdout", "text": "ab"},
        {"output_type": "error", "ename": "", "evalue": "x", "traceback": ["a", ""]},
    ]


@pytest.mark.parametrize(
    "output",
    [
        {"output_type": "stream", "text": "\n" * 60_000},
        {"output_type": "error", "ename": "E", "evalue": "", "traceback": ["a\n" * 60_000]},
        {"output_type": "display_data", "data": {"text/plain": "\n" * 60_000}},
    ],
)
def test_lines_of_a_page_have_bounds_together(output: dict[str, object]) -> None:
    """A browser takes ten seconds for a million lines, whatever is in them."""
    room = Room()
    first, second = (inert_outputs([output], 1_000_000, room) for _ in range(2))
    assert [one["output_type"] for one in first] == [output["output_type"]]
    (cut,) = second
    assert "cut off" in cut["text"]


def test_results_can_be_no_score() -> None:
    """nbgrader takes an execute_result for points: there is none in what we make."""
    (output,) = inert_outputs(
        [{"output_type": "execute_result", "data": {"text/plain": "10"}}], MOST
    )
    assert output["output_type"] == "display_data"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"),
        ("<!-- x -->", "&lt;!-- x -->"),
        (r"$\href{javascript:alert(1)}{x}$", r"$\text{javascript:alert(1)}{x}$"),
    ],
)
def test_markdown_shows_its_tags(text: str, made: str) -> None:
    assert inert_markdown(text) == made


LONG = "# a\n" * 10_000


def test_long_answer_is_cut_and_kept() -> None:
    cell = make_cell("code", LONG, "double", solution=True)
    whole = cut_long_sources(new_notebook(cells=[cell]), "added-")
    assert whole == {"double.whole.txt": LONG}
    assert whole_text(cell, whole) == LONG
    assert len(cell.source) < 21_000
    digest = hashlib.sha256(LONG[20_000:].encode()).hexdigest()[:12]
    assert cell.source.splitlines()[-1] == (
        f"# … 20,000 characters are cut here (SHA-256 {digest}…): all is in double.whole.txt"
    )


def test_many_cells_share_what_is_shown() -> None:
    cells = [new_code_cell("x" * 15_000, id=f"added-1-{n}") for n in range(200)]
    whole = cut_long_sources(new_notebook(cells=cells), "added-")
    assert sum(len(cell.source) for cell in cells) < 230_000
    assert all(len(whole.get(f"{cell.id}.whole.txt", cell.source)) == 15_000 for cell in cells)


def test_lesson_is_left_alone() -> None:
    cells = [new_code_cell(LONG, id="given"), make_cell("code", LONG, "test", grade=True)]
    assert cut_long_sources(new_notebook(cells=cells), "added-") == {}
    assert [cell.source for cell in cells] == [LONG, LONG]


def test_short_answer_stays() -> None:
    cell = make_cell("markdown", "because   \n", "why", solution=True, grade=True)
    assert cut_long_sources(new_notebook(cells=[cell]), "added-") == {}
    assert cell.source == "because   \n"
