"""The glossary is what the lessons introduce, once each."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from autograder.authoring.build.tables.glossary import FILE, Term, glossary, terms_of
from autograder.authoring.lesson.reading import read_lesson
from autograder.course import Course
from autograder.errors import LessonError
from tests.support.course import COURSE
from tests.support.samples import FRONT_MATTER

HEAD = """\
# 1 · Words

**You need** nothing. **It takes** about 10 minutes.

## First steps
"""


def terms(tmp_path: Path, text: str) -> list[Term]:
    path = tmp_path / "1_words.md"
    path.write_text(f"{FRONT_MATTER}{HEAD}\n{text}", encoding="utf-8")
    return list(terms_of(read_lesson(path)))


def said(tmp_path: Path, text: str) -> dict[str, str]:
    return {term.name: term.said for term in terms(tmp_path, text)}


def test_glossary_is_current() -> None:
    assert (COURSE.root / FILE).read_text(encoding="utf-8") == glossary(COURSE)


def test_links_lead_to_sections() -> None:
    links = re.findall(r"^- .*\]\((\S+)#(\S+)\) in [^()]+\)$", glossary(COURSE), re.MULTILINE)
    assert len(links) > 50
    for path, section in links:
        notebook = (COURSE.root / FILE).parent / path
        text = COURSE.lesson_file(notebook.stem).read_text(encoding="utf-8")
        headings = re.findall(r"^##+ (.+)$", text, re.MULTILINE)
        assert unquote(section) in {re.sub(r"[`*]", "", one).replace(" ", "-") for one in headings}
        assert notebook.resolve().is_relative_to(COURSE.notebooks)


def test_a_term_in_code_stands_below_its_letter() -> None:
    headings = re.findall(r"^## (.+)$", glossary(COURSE), re.MULTILINE)
    assert all(re.fullmatch(r"\w", heading) for heading in headings)
    assert headings == sorted({*headings})


def test_sentence_that_introduces(tmp_path: Path) -> None:
    text = "One. Each word has a **vector** $v_i$, of shape `(d,)`. Three.\n"
    assert said(tmp_path, text) == {"vector": "Each word has a vector $v_i$, of shape `(d,)`."}


def test_where_it_stands(tmp_path: Path) -> None:
    (term,) = terms(tmp_path, "One.\n\n### Then\n\nTwo, in\na **list**.\n")
    assert (term.title, term.heading) == ("1 · Words", "Then")
    assert "**list**" in term.path.read_text(encoding="utf-8").split("\n")[term.line - 1]


@pytest.mark.parametrize(
    "text",
    [
        "**Before you run this:** what comes out?",
        "**1. Scores.** Multiply.",
        "**From here on, all of this is true** and stays so.",
        "An *emphasis*, and `**code**`.",
        "| **a** | b |\n| --- | --- |\n| **c** | d |",
        "### The **heading**",
        "```python\n# a **comment**\n```",
        "The formula $a **b** c$.",
    ],
)
def test_other_bold_is_no_term(tmp_path: Path, text: str) -> None:
    assert terms(tmp_path, f"{text}\n") == []


def test_sentence_that_points_back_brings_the_one_before(tmp_path: Path) -> None:
    text = "Zero. Shapes are aligned. Axes are repeated. This is called **broadcasting**. More."
    assert said(tmp_path, text) == {
        "broadcasting": "Axes are repeated. This is called broadcasting."
    }


def test_full_stop_in_code_ends_no_sentence(tmp_path: Path) -> None:
    text = 'A **driver** is called as `run. Now`, with 0.5 or "all." It returns nothing.'
    assert said(tmp_path, text) == {
        "driver": 'A driver is called as `run. Now`, with 0.5 or "all."',
    }


def test_formula_belongs_to_its_sentence(tmp_path: Path) -> None:
    text = (
        "The **sum** is:\n\n$$\na \\, b\n$$\n\nThe **list** is here.\n\n$$\nc\n$$\n\nA **word**:\n"
    )
    assert said(tmp_path, text) == {
        "sum": "The sum is: $a \\ b$.",
        "list": "The list is here.",
        "word": "A word.",
    }


def test_first_letter_is_small_but_in_names(tmp_path: Path) -> None:
    text = "**Hard attention** picks. **RoPE** turns. The **Jacobian** is large."
    assert list(said(tmp_path, text)) == ["hard attention", "RoPE", "Jacobian"]


def test_term_introduced_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    for name, text in [("1_one", "The **key** opens."), ("2_two", "Two.\n\nThe **keys** open.")]:
        path = tmp_path / "source" / f"{name}.md"
        path.write_text(f"{FRONT_MATTER}{HEAD}\n{text}\n", encoding="utf-8")
    with pytest.raises(LessonError, match=r"keys is in bold here and in 1_one\.md, line") as error:
        glossary(Course(tmp_path))
    lines = (tmp_path / "source" / "2_two.md").read_text(encoding="utf-8").split("\n")
    assert f"2_two.md:{lines.index('The **keys** open.') + 1}" in str(error.value)
