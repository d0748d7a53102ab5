"""All answers to one question, in a real browser: graded by keyboard, nameless, inert, and never
over what somebody else has given.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.support.injections import FOLLOWED, TOUCH, Listener, listening, quiet_page, written
from tests.support.lab import PATIENCE, keep, taught_course
from tests.support.read_class import (
    BLANK,
    LESSON,
    MISTAKE,
    NAMES,
    WHY,
    answer,
    answered_class,
    gradebook_at,
    row,
)

TOKEN = "known-to-tutors"
CONFIGURATION = "from autograder import configure\n\nconfigure(get_config(), __file__)\n"
HOSTILE = "mallory"

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("browser"),
    pytest.mark.filterwarnings("ignore:Object of type .* not in session"),
]
expect.set_options(timeout=PATIENCE)


@dataclass(frozen=True)
class Taught:
    """A course whose answers wait, and the server at it; a browser needs the token once."""

    root: Path
    address: str
    grades: dict[str, str]

    @property
    def question(self) -> str:
        return f"{self.address}/formgrader/reading/{LESSON}/{LESSON}/{WHY}"

    def saved(self, student: str) -> tuple[float | None, str | None]:
        found = row(self.root, student)
        assert found["waits"] == (found["points"] is None)
        return found["points"], found["comment"]


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with listening() as notes:
        yield notes


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, listener: Listener) -> Iterator[Taught]:
    root = tmp_path_factory.mktemp("reading") / "course"
    root.mkdir()
    (root / "nbgrader_config.py").write_text(CONFIGURATION)
    (root / "course.toml").write_text('id = "course"\npreload = ["numpy"]\n')
    texts = {student: f"Because of {student[0]}." for student in NAMES}
    hostile = "\n\n".join(written(listener.address).values())
    grades = answered_class(root, {**texts, HOSTILE: hostile, "nora": BLANK})
    with taught_course(root, TOKEN) as address:
        yield Taught(root, address, grades)


@pytest.fixture(autouse=True)
def nothing_is_given(taught: Taught) -> None:
    with gradebook_at(taught.root) as gradebook:
        for student in taught.grades:
            grade = gradebook.find_grade(WHY, LESSON, LESSON, student)
            grade.manual_score, grade.needs_manual_grade = None, grade.auto_score is None
            gradebook.find_comment(WHY, LESSON, LESSON, student).manual_comment = None
        gradebook.db.commit()
    (taught.root / "comments.json").unlink(missing_ok=True)


@pytest.fixture
def page(browser: Browser, taught: Taught) -> Iterator[Page]:
    with quiet_page(browser) as page:
        page.goto(f"{taught.address}/api/status?token={TOKEN}")
        page.goto(taught.question)
        yield page


def article(page: Page, taught: Taught, student: str) -> str:
    """Where a student's answer stands on the page."""
    place = f"article[data-grade='{taught.grades[student]}']"
    expect(page.locator(f"{place} input")).to_be_enabled()
    return place


def student_at_hand(page: Page, taught: Taught) -> str:
    grade = page.locator("article[aria-current=true]").get_attribute("data-grade")
    return next(student for student, one in taught.grades.items() if one == grade)


def has_word(text: str, word: str) -> bool:
    """Whether it stands there as a word: "ada" is also a part of many a random identifier."""
    return re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", text) is not None


def all_shown(page: Page) -> None:
    expect(page.locator("article input:disabled")).to_have_count(0)


def all_saved(page: Page) -> None:
    expect(page.locator("article .unsaved, article .state:text('saving')")).to_have_count(0)


def test_three_answers_by_keyboard(page: Page, taught: Taught) -> None:
    """Points, a half, a comment; a comment kept and given again; and on to the next that waits."""
    all_shown(page)
    expect(page.locator("#progress")).to_have_text("1 of 5 done, 4 left")
    expect(page.locator("#mistakes")).to_have_text(f"1 double: {MISTAKE}")
    expect(page.locator("#mistakes code")).to_have_text("double")
    first = student_at_hand(page, taught)
    for key in ("3", ".", "c"):
        page.keyboard.press(key)
    page.keyboard.type("Say why 2 is a factor.")
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    expect(page.locator("#kept")).to_contain_text("Say why 2 is a factor.")
    page.keyboard.press("Enter")
    second = student_at_hand(page, taught)
    for key in ("2", "+", "+", "-", "r", "1", "2", "Escape", "Enter"):
        page.keyboard.press(key)
    third = student_at_hand(page, taught)
    for key in ("0", "n"):
        page.keyboard.press(key)
    assert len({first, second, third, student_at_hand(page, taught), "nora"}) == 5
    all_saved(page)
    expect(page.locator("#progress")).to_have_text("4 of 5 done, 1 left")
    keep(page, "reading_keyboard")
    mistake = f"`double`: {MISTAKE}"
    assert taught.saved(first) == (3.5, "Say why 2 is a factor.")
    assert taught.saved(second) == (2.5, f"Say why 2 is a factor.\n{mistake}")
    assert taught.saved(third) == (0.0, None)
    page.keyboard.press("k")
    page.keyboard.press("j")
    page.keyboard.press("ArrowUp")
    page.reload()
    all_shown(page)
    for student, points in ((first, "3.5"), (second, "2.5"), (third, "0")):
        expect(page.locator(f"{article(page, taught, student)} input")).to_have_value(points)


def test_formgrader_shows_what_was_given(page: Page, taught: Taught) -> None:
    place = article(page, taught, "ada")
    page.locator(f"{place} input").fill("1.25")
    page.locator(f"{place} textarea").fill("Well said.")
    page.locator(f"{place} textarea").blur()
    all_saved(page)
    with gradebook_at(taught.root) as gradebook:
        submission = gradebook.find_submission_notebook(LESSON, LESSON, "ada").id
    page.goto(f"{taught.address}/formgrader/submissions/{submission}/")
    expect(page.locator(f"#{WHY}")).to_have_value("1.25")
    expect(page.locator(f"#{WHY}-comment")).to_have_value("Well said.")


def test_formgrader_says_what_could_not_be_saved(page: Page, taught: Taught) -> None:
    """Where nbgrader's page would show nothing, until it is saved."""
    with gradebook_at(taught.root) as gradebook:
        submission = gradebook.find_submission_notebook(LESSON, LESSON, "ada").id
    # What is entered before nbgrader knows the grades is neither saved nor kept.
    address = f"{taught.address}/formgrader/submissions/{submission}/"
    page.goto(address, wait_until="networkidle")
    saying = page.get_by_role("alert")
    page.route("**/api/grade/*", lambda route: route.abort())
    page.locator(f"#{WHY}").fill("1")
    page.locator(f"#{WHY}-comment").fill("Well said.")
    expect(saying).to_have_text("Not saved: the server does not answer. Enter it again.")
    keep(page, "formgrader_not_saved")
    page.unroute("**/api/grade/*")
    page.locator(f"#{WHY}").fill("2")
    page.locator(f"#{WHY}").blur()
    expect(saying).to_have_count(0)
    assert taught.saved("ada") == (2, "Well said.")
    marks = {"id": taught.grades["ada"], "manual_score": 99, "extra_credit": None}
    page.evaluate("(marks) => void new Grade(marks).save()", marks)
    expect(saying).to_have_text("99 points are not saved: this question gives 0 to 4.")


def test_points_are_taken_back(page: Page, taught: Taught) -> None:
    all_shown(page)
    student = student_at_hand(page, taught)
    page.keyboard.press("4")
    expect(page.locator("#said")).to_contain_text("4 points")
    assert taught.saved(student) == (4, None)
    page.keyboard.press("Delete")
    expect(page.locator("#said")).to_contain_text("no points")
    assert taught.saved(student) == (None, None)


def test_too_many_points_are_refused(page: Page, taught: Taught) -> None:
    place = article(page, taught, "ada")
    page.locator(f"{place} input").fill("7")
    expect(page.locator(f"{place} .trouble")).to_have_text(
        "7 points are not saved: this question gives 0 to 4."
    )
    assert taught.saved("ada") == (None, None)
    page.locator(f"{place} input").fill("3")
    expect(page.locator(f"{place} .trouble")).to_be_hidden()
    assert taught.saved("ada") == (3, None)


@pytest.mark.parametrize("button", ["Keep theirs", "Save mine instead"])
def test_another_tutor_is_not_overwritten(page: Page, taught: Taught, button: str) -> None:
    place = article(page, taught, "ada")
    with gradebook_at(taught.root) as gradebook:
        grade = gradebook.find_grade(WHY, LESSON, LESSON, "ada")
        grade.manual_score, grade.needs_manual_grade = 1.0, False
        gradebook.find_comment(WHY, LESSON, LESSON, "ada").manual_comment = "theirs"
        gradebook.db.commit()
    page.locator(f"{place} input").fill("4")
    expect(page.locator(f"{place} .trouble")).to_contain_text("Theirs: 1 point, “theirs”")
    keep(page, "reading_conflict")
    assert taught.saved("ada") == (1, "theirs")
    page.locator(f"{place} .trouble").get_by_text(button).click()
    expect(page.locator(f"{place} .trouble")).to_be_hidden()
    all_saved(page)
    assert taught.saved("ada") == ((1, "theirs") if button == "Keep theirs" else (4, None))


def test_another_text_is_read_first(page: Page, taught: Taught) -> None:
    place = article(page, taught, "ben")
    answer(taught.root, "ben", "On second thoughts.")
    page.locator(f"{place} input").fill("4")
    expect(page.locator(f"{place} .trouble")).to_contain_text("its text is another one now")
    expect(page.locator(f"{place} .text")).to_have_text("On second thoughts.")
    assert taught.saved("ben") == (None, None)
    page.locator(f"{place} .trouble button").click()
    all_saved(page)
    assert taught.saved("ben") == (4, None)


def test_what_could_not_be_sent_is_sent_again(page: Page, taught: Taught) -> None:
    place = article(page, taught, "cleo")
    page.route("**/api/reading/answer/**", lambda route: route.abort())
    page.locator(f"{place} input").fill("2")
    expect(page.locator(f"{place} .trouble")).to_contain_text("sent again by itself")
    expect(page.locator(f"{place} .state")).to_have_text("saving …")
    page.unroute("**/api/reading/answer/**")
    expect(page.locator(f"{place} .trouble")).to_be_hidden()
    assert taught.saved("cleo") == (2, None)


def test_nothing_runs_and_nothing_is_asked_elsewhere(
    page: Page, taught: Taught, listener: Listener
) -> None:
    asked = list[str]()
    page.on("request", lambda one: asked.append(one.url))
    page.reload()
    all_shown(page)
    expect(page.locator(article(page, taught, HOSTILE))).to_contain_text("window.__hit")
    before = page.url
    page.evaluate(TOUCH.replace("#notebook-container", "#answers"))
    page.wait_for_timeout(250)
    assert page.url == before
    assert page.evaluate("window.__hit") is None
    assert page.evaluate(FOLLOWED.replace("#notebook-container", "#answers")) == []
    assert listener.asked == []
    assert [one for one in asked if not one.startswith(f"{taught.address}/formgrader/")] == []
    keep(page, "reading_injections", whole=True)


def test_page_without_names_has_none(page: Page, taught: Taught) -> None:
    all_shown(page)
    page.wait_for_load_state("networkidle")
    answers = list[Response]()
    page.on("response", lambda one: answers.append(one))
    page.reload()
    all_shown(page)
    page.wait_for_load_state("networkidle")
    sent = [one.text() for one in answers]
    names = [*taught.grades, *(part for both in NAMES.values() for part in both if part)]
    assert len(sent) > len(taught.grades)
    assert [name for name in names for text in sent if has_word(text, name)] == []
    page.get_by_text("Show names").click()
    titles = page.locator("article h2 bdi")
    expect(titles).to_have_text(["Jonson, Benjamin", "Lovelace, Augusta", "cleo", HOSTILE, "nora"])
    assert any(has_word(one.text(), "Jonson") for one in answers[len(sent) :])
    page.get_by_text("Hide names").click()
    expect(titles).to_have_count(0)


@pytest.mark.parametrize("taste", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 400])
def test_nothing_stands_beyond_the_edge(page: Page, taught: Taught, taste: str, width: int) -> None:
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if taste == "dark" else "light")
    all_shown(page)
    assert page.evaluate(wide) == 0
    keep(page, f"reading_{taste}_{width}")
    page.goto(f"{taught.address}/formgrader/reading")
    assert page.evaluate(wide) == 0
    keep(page, f"reading_list_{taste}_{width}")


def test_fields_and_marks_are_named(page: Page) -> None:
    """For whoever hears the page: each field has its label, and each answer its heading."""
    all_shown(page)
    expect(page.get_by_role("article")).to_have_count(5)
    expect(page.get_by_role("article", name="Answer 1")).to_be_visible()
    expect(page.get_by_label("Points")).to_have_count(5)
    expect(page.get_by_label("Comment", exact=True)).to_have_count(5)
    expect(page.get_by_role("region", name="Marking scheme")).to_contain_text("it has the factor 2")
    expect(page.locator("#answers > .question")).to_contain_text("even?")
    assert "MARK SCHEME" not in page.content()
    expect(page.get_by_role("status")).to_have_attribute("aria-live", "polite")


def test_formgrader_leads_there(page: Page, taught: Taught) -> None:
    for name in ("manage_assignments", "gradebook"):
        page.goto(f"{taught.address}/formgrader/{name}")
        page.get_by_role("link", name="Written answers").click()
        page.get_by_role("link", name=WHY).click()
        expect(page.get_by_role("article")).to_have_count(5)


def asked_by(taught: Taught, path: str, method: str, **headers: str) -> int:
    content = json.dumps({"points": 4, "comment": "", "digest": "", "seen": {}}).encode()
    address = f"{taught.address}/formgrader/{path}"
    request = Request(address, content if method != "GET" else None, headers, method=method)
    try:
        with urlopen(request) as answered:
            return int(answered.status) if "/login" not in answered.url else 403
    except HTTPError as error:
        return error.code


ASKED = [
    ("reading", "GET"), (f"reading/{LESSON}/{LESSON}/{WHY}", "GET"),
    ("api/reading/answer/{grade}", "GET"), ("api/reading/answer/{grade}", "PUT"),
    (f"api/reading/comments/{LESSON}/{WHY}", "GET"),
    (f"api/reading/comments/{LESSON}/{WHY}", "POST"),
    (f"api/reading/comments/{LESSON}/{WHY}", "DELETE"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "method"), ASKED)
def test_who_has_not_logged_in_is_refused(taught: Taught, path: str, method: str) -> None:
    where = path.format(grade=taught.grades["ada"])
    assert asked_by(taught, where, method) == 403
    assert asked_by(taught, where, method, Authorization=f"token {TOKEN}") in (200, 409)


@pytest.mark.parametrize(("path", "method"), [one for one in ASKED if one[1] != "GET"])
def test_request_from_another_page_is_refused(
    page: Page, taught: Taught, path: str, method: str
) -> None:
    """The tutor's browser sends its cookie along, and cannot know the word that stands in ours."""
    address = f"{taught.address}/formgrader/{path.format(grade=taught.grades['ada'])}"
    refused = page.request.fetch(address, method=method, data=json.dumps({"comment": "x"}))
    assert refused.status == 403
    assert not (taught.root / "comments.json").exists()


@pytest.mark.parametrize(
    "path",
    [f"reading/{LESSON}/{LESSON}/nothing", "reading/a/b/c", "reading/static/%2e%2e/handlers.py"],
)
def test_what_is_not_there_is_not_found(page: Page, taught: Taught, path: str) -> None:
    assert page.request.get(f"{taught.address}/formgrader/{path}").status == 404


@pytest.mark.parametrize(
    "sent",
    [None, [], {}, {"points": "4"}, {"points": 4, "comment": None, "digest": "", "seen": {}},
     {"points": 4, "comment": "", "digest": "", "seen": {"points": 4}}],
)  # fmt: skip
def test_what_is_not_understood_changes_nothing(taught: Taught, sent: object) -> None:
    address = f"{taught.address}/formgrader/api/reading/answer/{taught.grades['ada']}"
    headers = {"Authorization": f"token {TOKEN}"}
    request = Request(address, json.dumps(sent).encode(), headers, method="PUT")
    with pytest.raises(HTTPError, match="409") as refused:
        urlopen(request)
    assert "reload the page" in json.load(refused.value)["error"]
    assert taught.saved("ada") == (None, None)
