"""A question with its marking scheme, and an answer as text of which nothing is live."""

from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbgrader.coursedir import CourseDirectory

from autograder.errors import RenderingFailed
from autograder.grading.rebuild import NOT_GRADED
from autograder.nbgrading.reading.mistakes import named_mistakes
from autograder.nbgrading.reading.questions import Question, find_question
from autograder.nbgrading.reading.texts import Texts
from tests.support.injections import displayed, written
from tests.support.read_class import (
    LESSON,
    MISTAKE,
    TEST,
    WHY,
    answer,
    answered_class,
    gradebook_at,
    source_notebook,
    write,
)

pytestmark = pytest.mark.filterwarnings("ignore:Object of type .* not in session")
INJECTIONS = written("http://127.0.0.1:9")
LIVE = {"a", "img", "script", "style", "iframe", "svg", "form", "base", "meta", "object", "details"}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("course")
    answered_class(root, {"ada": "Because $2x$.", "ben": "x"})
    return root


@pytest.fixture(scope="module")
def texts(course: Path) -> Texts:
    directories = CourseDirectory()
    directories.root = str(course)
    return Texts(directories)


@pytest.fixture(scope="module")
def why(course: Path) -> Question:
    with gradebook_at(course) as gradebook:
        found = find_question(gradebook, LESSON, LESSON, WHY)
    assert found
    return found


def test_question_and_scheme_are_apart(texts: Texts, why: Question) -> None:
    asked = texts.question(why, ["ada"])
    assert "<math" in asked.text
    assert "even?" in asked.text
    assert "<li>2 points: it has the factor 2." in asked.scheme
    assert "MARK SCHEME" not in asked.text + asked.scheme
    assert "points" not in asked.text


def test_question_is_found_in_a_graded_notebook(course: Path, texts: Texts, why: Question) -> None:
    """Where the instructor's is not there, or asks something else by now."""
    file = course / "source" / LESSON / f"{LESSON}.ipynb"
    before = file.read_bytes()
    changed = source_notebook()
    del changed.cells[-2:]
    for now in (None, nbformat.writes(changed).encode()):
        file.write_bytes(now) if now else file.unlink()
        assert "even?" in texts.question(why, ["nobody", "ada"]).text
    assert texts.question(why, []).text == ""
    file.write_bytes(before)


def test_answer_is_kept_until_its_file_changes(course: Path, texts: Texts, why: Question) -> None:
    answer(course, "ben", "One.")
    first = texts.answer(why, "ben")
    assert first == texts.answer(why, "ben")
    assert "<p>One.</p>" in first.html
    answer(course, "ben", "Two.")
    second = texts.answer(why, "ben")
    assert "<p>Two.</p>" in second.html
    assert second.digest != first.digest
    answer(course, "ben", "One.")
    assert texts.answer(why, "ben") == first


@pytest.mark.parametrize("name", INJECTIONS)
def test_nothing_of_an_answer_is_live(course: Path, texts: Texts, why: Question, name: str) -> None:
    answer(course, "ada", INJECTIONS[name])
    page = BeautifulSoup(texts.answer(why, "ada").html, "html.parser")
    assert {tag.name for tag in page.find_all(True)} & LIVE == set()
    attributes = {name for tag in page.find_all(True) for name in tag.attrs}
    assert attributes <= {"display", "stretchy"}


@pytest.mark.parametrize("name", displayed("x"))
def test_nothing_of_an_answer_in_code_is_live(course: Path, texts: Texts, name: str) -> None:
    """A test that waits for a human shows the code that it examines, and what it said."""
    notebook = source_notebook()
    code = displayed("http://127.0.0.1:9")[name]
    notebook.cells[1].source = code
    notebook.cells[2].outputs = [
        nbformat.v4.new_output("error", ename="NotGradable", evalue=code, traceback=[code])
    ]
    write(course / "autograded" / "cleo" / LESSON, notebook)
    test = Question(LESSON, LESSON, TEST, "test", 2, "", "", 1, 0)
    html = texts.answer(test, "cleo").html
    page = BeautifulSoup(html, "html.parser")
    assert {tag.name for tag in page.find_all(True)} & LIVE == set()
    assert {name for tag in page.find_all(True) for name in tag.attrs} <= {"class"}
    assert "Write <code>double</code>" in texts.question(test, []).text


def test_without_a_graded_notebook_there_is_a_sentence(texts: Texts, why: Question) -> None:
    with pytest.raises(RenderingFailed, match="grade this submission again"):
        texts.answer(why, "nobody")


def test_what_was_not_graded_is_no_empty_answer(course: Path, texts: Texts, why: Question) -> None:
    notebook = source_notebook()
    notebook.metadata[NOT_GRADED] = "tiny<.ipynb breaks off"
    write(course / "autograded" / "cleo" / LESSON, notebook)
    shown = texts.answer(why, "cleo").html
    assert BeautifulSoup(shown, "html.parser").get_text() == (
        "Not graded, and nothing was read of it: tiny<.ipynb breaks off."
    )


def test_mistakes_are_named_once(course: Path, texts: Texts, why: Question) -> None:
    answer(course, "ada", "Because.")
    assert named_mistakes(texts.record(why, "ada")) == [f"`double`: {MISTAKE}"]


@pytest.mark.parametrize("record", [None, "", "{}", '{"version": 99}'])
def test_without_a_record_no_mistake_is_named(tmp_path: Path, record: str | None) -> None:
    if record is not None:
        (tmp_path / "x").write_text(record)
    assert named_mistakes(tmp_path / "x") == []
