"""What people write is shown as it is; what keeps a browser busy for minutes is not."""

import json
import re
import sys
import time
import unicodedata

import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_notebook, new_output

from autograder.nbgrading.pages.letters import soon_set
from autograder.nbgrading.pages.page import Kind, page
from tests.support.samples import make_cell

ACCENTS, SCRIPTS = "a" + "\u0300" * 100_000, "aаあ漢ا" * 40_000
PEOPLE = {
    "Russian": "Внимание — это всё, что нужно. " * 2000,
    "Japanese": "モデルが単語の意味を学ぶ。" * 1200,
    "Chinese": "注意力机制的输出是值的加权平均。" * 3000,
    "Hindi": "ध्यान ही सब कुछ है। " * 2000,
    "Hebrew": "בְּרֵאשִׁית " * 2000,
    "Thai": "ที่นี่ไม่มีอะไร" * 2000,
    "Vietnamese": "chu\u0301 y\u0301 la\u0300 ta\u0302\u0301t ca\u0309 " * 2000,
    "a bar": "\r 42%|████▏     | 42/100" * 20_000,
    "a table": "│ 1.0 │ 2.0 │\n" * 20_000,
    "emoji": "👩‍🔬🏳️‍🌈" * 5000,
    "Arabic": "الانتباه هو كل ما تحتاجه. " * 2000,
    "Persian": "می\u200cخواهم " * 2000,
}
_TURNS = ("LEFT-TO-RIGHT", "RIGHT-TO-LEFT", "POP DIRECTIONAL", "FIRST STRONG", "ARABIC LETTER MARK")
# By their names in Unicode's own table.
TURNING = [
    letter
    for letter in map(chr, range(sys.maxunicode + 1))
    if unicodedata.category(letter) == "Cf" and unicodedata.name(letter, "").startswith(_TURNS)
]


@pytest.mark.parametrize("text", PEOPLE.values(), ids=PEOPLE)
def test_what_people_write_stays(text: str) -> None:
    assert soon_set(text) == text


def test_what_takes_long_goes() -> None:
    began = time.process_time()
    assert soon_set(ACCENTS) == ACCENTS[:21]
    shown = soon_set(SCRIPTS)
    assert len(shown) == len(SCRIPTS)
    assert shown.startswith("aаあ漢ا" * 5000)
    assert shown.endswith("a????" * 5000)
    assert time.process_time() - began < 5


def hostile(text: str) -> NotebookNode:
    """A page's cells, all of which a student has a hand in."""
    words = make_cell("markdown", text[:20_000], "why", solution=True, grade=True, points=1)
    code = make_cell("code", f"# {text[:20_000]}", "double", solution=True)
    test = make_cell("code", "assert double(1)", "double_check", grade=True, points=2)
    for cell in (code, test):
        printed = new_output("stream", text=text)
        raised = new_output("error", ename=text, evalue=text, traceback=[text])
        cell.outputs = [printed, raised, new_output("display_data", {"text/plain": text})]
    return new_notebook(cells=[code, test, words])


def test_letters_that_turn_others_are_shown() -> None:
    assert len(TURNING) == 12
    for letter in TURNING:
        assert soon_set(f"pay 100 {letter}001 שלום") == f"pay 100 ⟨U+{ord(letter):04X}⟩001 שלום"


PAGES = pytest.mark.parametrize(
    ("kind", "name"), [("formgrade", ""), ("feedback", ""), ("answer", "double_check"),
                       ("answer", "why")]
)  # fmt: skip


def page_of(text: str, kind: Kind, name: str, *, plain: bool) -> str:
    """A page's HTML, with this text wherever a student may have written or displayed it."""
    marks = {"score": 0.0, "max_score": 3.0, "late_penalty": 0.0}
    resources = {"index": 0, "total": 0, "nbgrader": marks, "name": name}
    made = page(kind, hostile(text), resources, plain=plain)
    return str(json.loads(made)["html"]) if kind == "answer" else made


@PAGES
@pytest.mark.parametrize("plain", [False, True])
def test_every_page_is_soon_set(kind: Kind, name: str, *, plain: bool) -> None:
    html = page_of(ACCENTS, kind, name, plain=plain)
    assert "a\u0300" in html
    assert not re.search("\u0300{21}", html)


@PAGES
@pytest.mark.parametrize("plain", [False, True])
def test_no_page_is_turned(kind: Kind, name: str, *, plain: bool) -> None:
    turning = "".join(TURNING)
    text = f"{turning} שלום $a {turning} b$ `{turning}` &#x202e; &rlm;"
    html = page_of(text, kind, name, plain=plain)
    assert "שלום" in html
    assert not set(TURNING) & set(html)
    assert not re.search("&(#x0*20[0-9a-f]{2}|#82[0-9]{2}|#1564|[rl]rm);", html, re.IGNORECASE)
    for letter in TURNING:
        assert f"⟨U+{ord(letter):04X}⟩" in html
