"""What becomes of a written answer on a page."""

import re

import pytest
from bs4 import BeautifulSoup

from autograder.nbgrading.pages.answers import answer_to_html, is_plain_formula

LIVE = {"a", "img", "script", "style", "iframe", "svg", "form", "base", "meta", "object", "input"}
FORMULA = r"\frac{1}{\sqrt{d_k}} \sum_{i=1}^{n} \alpha_i \mathbf{v}_i \le 1"


def formulas(answer: str) -> list[str]:
    page = BeautifulSoup(answer_to_html(answer), "html.parser")
    return [one.get_text() for one in page.find_all("math")]


@pytest.mark.parametrize(
    "answer",
    [
        "[here](http:report.html)",
        "[here][far]\n\n[far]: http:report.html",
        "<http:report.html> and <someone@example.org>",
        "https://example.org/report.html www.example.org",
        "![picture](report.svg) ![picture][far]\n\n[far]: report.svg",
        "![x](attachment:none.png)",
        "<script>alert(1)</script>",
        "a <b onclick='alert(1)'>b</b>",
        "<svg/onload=alert(1)>\n\n<iframe srcdoc='<script>alert(1)</script>'>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "| [a](javascript:alert(1)) | <img src=x onerror=alert(1)> |\n|---|---|\n| x | y |",
        "# <a name=why>heading</a>",
        "```html\" onclick=\"alert(1)\n<script>alert(1)</script>\n```",
        "```mermaid\ngraph TD; A[<img src=x onerror=alert(1)>]\n```",
        "- [ ] <input onfocus=alert(1) autofocus>",
        "`<img src=x onerror=alert(1)>`",
        "$<img src=x onerror=alert(1)>$",
    ],
)  # fmt: skip
def test_nothing_is_live(answer: str) -> None:
    page = BeautifulSoup(answer_to_html(answer), "html.parser")
    assert {tag.name for tag in page.find_all(True)} & LIVE == set()
    attributes = {name for tag in page.find_all(True) for name in tag.attrs}
    assert attributes <= {"display", "stretchy"}


@pytest.mark.parametrize("address", ["http:report.html", "https://example.org", "report.svg"])
def test_address_is_shown(address: str) -> None:
    for answer in (f"[here]({address})", f"see {address}", f"![here]({address})"):
        assert address in BeautifulSoup(answer_to_html(answer), "html.parser").get_text()


def test_text_keeps_its_form() -> None:
    html = answer_to_html("# One\n\n- *two*\n- `x < y`\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    for tag in ("<h1>One</h1>", "<em>two</em>", "<code>x &lt; y</code>", "<td>1</td>"):
        assert tag in html


@pytest.mark.parametrize(
    "answer",
    [
        f"so ${FORMULA}$", f"$${FORMULA}$$", f"\\\\[{FORMULA}\\\\]",
        f"\\begin{{align}}{FORMULA}\\end{{align}}",
    ],
)  # fmt: skip
def test_formula_is_set(answer: str) -> None:
    (formula,) = formulas(answer)
    assert "∑" in formula
    assert "≤" in formula


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{http:report.html}{x}",
        r"\\href{http:report.html}{x}",
        r"\text{\href{http:report.html}{x}}",
        r"\style{position:fixed}{x}",
        r"\class{modal}{x}",
        r"\cssId{why}{x}",
        r"\data{x}{y}",
        r"\def\a{\href}\a{http:report.html}{x}",
        r"\let\frac\href \frac{http:report.html}{x}",
        r"\newcommand{\frac}[2]{\href{#1}{#2}}",
        r"\renewcommand{\sum}{x}",
        r"\require{html}",
        r"\unicode{x41}",
        r"\mmlToken{mi}[href=report.html]{x}",
        r"\label{why} \eqref{why}",
        r"\begin{xy}\end{xy}",
        r"\begin{align}x\end",
        r"\begin {foo}x\end{align}",
        r"\rule{99em}{99em}",
        r"\color{red}{x}",
        r"\includegraphics{report.svg}",
        "&#92;href{http:report.html}{x}",
        "{" * 50 + "x" + "}" * 50,
        "x" * 5000,
    ],
)
def test_formula_that_could_do_more_is_text(tex: str) -> None:
    assert not is_plain_formula(tex.replace("&#92;", "\\"))
    for answer in (f"${tex}$", f"$${tex}$$", f"$x$ \\\\({tex}\\\\)"):
        assert [one for one in formulas(answer) if one != "x"] == []


@pytest.mark.parametrize(
    "answer", ["\\\\[" * 2000, "[a](" * 5000, "**a" * 6000, "\\begin{a}" * 1000, "> " * 9000]
)
def test_long_answers_lose_nothing(answer: str) -> None:
    """A parser that is quadratic takes a second or so for what is shown of an answer at most."""
    text = BeautifulSoup(answer_to_html(answer), "html.parser").get_text()
    assert len(re.findall(r"\w", text)) >= len(re.findall(r"\w", answer)) // 2
