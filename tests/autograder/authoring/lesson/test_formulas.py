"""Formulas are set without a network, and nothing of them is live."""

import re

import pytest
from bs4 import BeautifulSoup

from autograder.authoring.lesson.formulas import as_mathml
from tests.support.course import ROOT

FORMULA = re.compile(r"(?<!\\)\$\$(.+?)\$\$|(?<![$\\])\$([^$]+?)\$", re.DOTALL)


def test_every_formula_of_the_lessons() -> None:
    count = 0
    for path in sorted((ROOT / "source").glob("*.md")):
        text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text("utf-8"), flags=re.DOTALL)
        for block, inline in FORMULA.findall(text):
            html = as_mathml(block or inline, block=bool(block))
            assert html.startswith("<math display="), (path.name, block or inline)
            shown = BeautifulSoup(html, "html.parser").get_text()
            # A command or an alignment that the library does not know comes out as it went in.
            assert not re.search(r"\\[A-Za-z]|&|mathrm", shown), (path.name, block or inline)
            count += 1
    assert count > 200


def test_words_are_whole() -> None:
    assert "<mi>softmax</mi>" in as_mathml(r"\mathrm{softmax}(x)", block=False)


def test_lines_are_aligned() -> None:
    html = as_mathml(r"\begin{aligned} a &= b \\ c &= d \end{aligned}", block=True)
    assert html.count("<mtr>") == 2
    assert 'display="block"' in html


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{<img src=x onerror=alert(1)>}",
        r"a<script>alert(1)</script>",
        r"\text{&lt;script&gt;}",
        r"\href{javascript:alert(1)}{x}",
        r"\class{a' onclick='alert(1)}{x} \style{background:url(x)}{y} \unicode{60}script>",
        r"\color{red\" onclick=\"alert(1)}{x}",
        r"\hspace{1em' onclick='x}",
        "\\frac{" * 400,
        "\\begin{a}" * 999,
        "}{",
        "^_&\\\\",
        "",
    ],
)
def test_nothing_is_live(tex: str) -> None:
    page = BeautifulSoup(as_mathml(tex, block=False), "html.parser")
    tags = {tag.name for tag in page.find_all(True)}
    assert all(tag in ("math", "code") or tag.startswith("m") for tag in tags)
    names = {name for tag in page.find_all(True) for name in tag.attrs}
    assert not names & {"href", "style", "class", "id", "onclick", "src"}
