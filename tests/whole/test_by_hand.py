"""What somebody sends to formgrader by hand: names, numbers and text that no page of its sends.

Each of its handlers is tried, by their own table: none fails, none saves what can't be, and all of
them answer afterwards.
"""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from nbgrader.server_extensions.formgrader import apihandlers
from tornado.web import RequestHandler, StaticFileHandler

from autograder.nbgrading.pages.asked import SHOWN_TEXT
from autograder.nbgrading.reading.handlers import WITH_OURS
from tests.support.lab import taught_course
from tests.support.read_class import LESSON, WHY, answered_class, gradebook_at, row

TOKEN = "known-to-tutors"
CONFIGURATION = "from autograder import configure\n\nconfigure(get_config(), __file__)\n"
# None of them can name anything; the last one is a pattern that fits every lesson.
NAMES = ("..", "../etc", "a\0b", "x" * 10_000, "*")
METHODS = ("get", "post", "put", "delete")
ROUTES = [
    (str(pattern), handler)
    for pattern, handler, *_ in (*WITH_OURS, *apihandlers.default_handlers)
    if not issubclass(handler, StaticFileHandler)
]
# What the page of each handler that saves a row sends.
SENT: dict[str, dict[str, Any]] = {
    "GradeHandler": {"manual_score": "3", "extra_credit": None, "failed_tests": False},
    "CommentHandler": {"manual_comment": "Well said.", "auto_comment": None},
    "StudentHandler": {"last_name": "Lovelace", "first_name": None, "email": None},
    "AssignmentHandler": {"duedate_notimezone": "2030-01-02T10:00", "duedate_timezone": "UTC"},
    "AnswerHandler": {"points": 3, "comment": "", "digest": "", "seen": {}},
}
NOT_READ = {"failed_tests", "auto_comment"}
POINTS, DUE = ("manual_score", "extra_credit", "points"), "duedate_notimezone"
NUMBERS = ("NaN", "Infinity", "1e400", "1e308", "-5", "99", "true", '"x"', "[1]", "{}", "9" * 400)
TEXTS = (r'"\ud800"', r'"a\u0000b"', "3", "[]", "{}")
BODIES = (b"", b"null", b"[]", b'"x"', b"3", b"{", b"\xff\xfe", b"[" * 100_000, b"{}")
TIMES = ('"tomorrow"', '"9999-12-31T23:59"', '"0001-01-01T00:00"', '"2"')

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("browser"),
    pytest.mark.filterwarnings("ignore:Object of type .* not in session"),
]


@dataclass(frozen=True)
class SentTo:
    """A course with an answer to read, and the server at it."""

    root: Path
    address: str
    names: dict[str, str]

    def asked(
        self, method: str, path: str, content: bytes | None = None, **more: str
    ) -> tuple[int, bytes]:
        """How the server answers a request to formgrader, with more headers."""
        address = f"{self.address}/formgrader/{path}"
        headers = {"Authorization": f"token {TOKEN}", **more}
        try:
            with urlopen(Request(address, content, headers, method=method.upper())) as answered:
                return answered.status, answered.read()
        except HTTPError as error:
            with error:
                return error.code, error.read()

    def rows(self) -> list[str]:
        """All that the gradebook holds."""
        with closing(sqlite3.connect(self.root / "gradebook.db")) as gradebook:
            return list(gradebook.iterdump())

    def files(self) -> set[Path]:
        return {path for path in self.root.rglob("*") if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SentTo]:
    root = tmp_path_factory.mktemp("by_hand") / "course"
    root.mkdir()
    (root / "nbgrader_config.py").write_text(CONFIGURATION)
    (root / "course.toml").write_text('id = "course"\npreload = ["numpy"]\n')
    grades = answered_class(root, {"ada": "Because.", "ben": "Since."})
    with gradebook_at(root) as gradebook:
        comment = gradebook.find_comment(WHY, LESSON, LESSON, "ada").id
    names = {
        "GradeHandler": grades["ada"], "CommentHandler": comment, "StudentHandler": "ada",
        "AssignmentHandler": LESSON, "AnswerHandler": grades["ben"],
    }  # fmt: skip
    with taught_course(root, TOKEN) as address:
        yield SentTo(root, address, names)


def places(pattern: str, names: list[str]) -> str:
    """The path of a route, with names in its groups."""
    given = iter(names)
    path = re.sub(r"\(\?P<action>[^)]*\)", "next", pattern.removeprefix("/formgrader"))
    return re.sub(r"\([^)]*\)", lambda _: quote(next(given), safe=""), path).strip("/?")


def methods(handler: type) -> list[str]:
    unknown = RequestHandler._unimplemented_method
    return [one for one in METHODS if getattr(handler, one) is not unknown]


def test_names_that_name_nothing_are_not_found(taught: SentTo) -> None:
    before, rows, tried = taught.files(), taught.rows(), 0
    for pattern, handler in ROUTES:
        count = len(re.findall(r"\((?!\?P<action>)", pattern))
        for place, name, method in product(range(count), NAMES, methods(handler)):
            names = [name if one == place else LESSON for one in range(count)]
            content = None if method == "get" else b"{}"
            status, _ = taught.asked(method, places(pattern, names), content)
            assert status in (400, 404), (method, pattern, names)
            tried += 1
    assert tried > 150
    assert (taught.files() - before, taught.rows()) == (set(), rows)


def test_every_handler_that_saves_is_tried() -> None:
    assert set(SENT) == {one.__name__ for _, one in ROUTES if "put" in methods(one)}


@pytest.mark.parametrize("handler", SENT)
def test_nothing_hostile_is_saved(taught: SentTo, handler: str) -> None:
    path, fields = saved_by(taught, handler)
    before, tried = taught.rows(), 0
    for content in hostile(fields):
        status, said = taught.asked("put", path, content)
        assert status in (400, 409), content[:200]
        assert b"saved" in said
        assert b"<" not in said
        tried += 1
    assert taught.rows() == before
    assert tried > len(BODIES)
    assert taught.asked("put", path, json.dumps(fields).encode())[0] == 200
    assert taught.rows() != before


def test_lesson_that_nobody_could_hand_in_is_not_saved(taught: SentTo) -> None:
    (taught.root / "source" / "03_text.md").touch()
    before, rows = taught.files(), taught.rows()
    content = json.dumps(SENT["AssignmentHandler"]).encode()
    for name in ("a+b", ".making", "03_text.md"):
        status, said = taught.asked("put", f"api/assignment/{name}", content)
        assert (status, b"not saved" in said) == (400, True)
    assert (taught.files(), taught.rows()) == (before, rows)


@pytest.mark.parametrize("step", ["release", "unrelease", "collect", "assign"])
def test_lesson_that_nobody_could_hand_in_is_refused(taught: SentTo, step: str) -> None:
    before, rows = taught.files(), taught.rows()
    status, said = taught.asked("post", f"api/assignment/a+b/{step}", b"")
    assert (status, said.startswith(b"Nothing is done")) == (400, True)
    assert (taught.files(), taught.rows()) == (before, rows)


def test_who_writes_meanwhile_is_told_and_waited_for(taught: SentTo) -> None:
    path, fields = saved_by(taught, "CommentHandler")
    content = json.dumps(fields).encode()
    with closing(sqlite3.connect(taught.root / "gradebook.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        status, said = taught.asked("put", path, content)
    assert (status, b"another program writes" in said) == (500, True)
    assert taught.asked("put", path, content)[0] == 200


@pytest.mark.parametrize("handler", ["GradeHandler", "CommentHandler"])
def test_nothing_is_saved_for_another_text(taught: SentTo, handler: str) -> None:
    with gradebook_at(taught.root) as gradebook:
        (notebook,) = gradebook.find_submission(LESSON, "ada").notebooks
        shown = f"submissions/{notebook.id}/"
    path, fields = saved_by(taught, handler)
    content = json.dumps(fields).encode()

    def save() -> tuple[int, bytes]:
        return taught.asked("put", path, content, **{SHOWN_TEXT: digest})

    digest = digest_in(taught.asked("get", shown)[1])
    assert save()[0] == 200
    before = taught.rows()
    graded = taught.root / "autograded" / "ada" / LESSON / f"{LESSON}.ipynb"
    graded.write_text(graded.read_text().replace("Because", f"Because, {handler}"))
    status, said = save()
    assert (status, b"graded anew" in said, taught.rows()) == (409, True, before)
    digest = digest_in(taught.asked("get", shown)[1])
    assert save()[0] == 200


@pytest.mark.parametrize("handler", ["GradeHandler", "CommentHandler"])
def test_what_somebody_else_has_entered_stays(taught: SentTo, handler: str) -> None:
    path, fields = saved_by(taught, handler)
    row = json.loads(taught.asked("get", path)[1])
    seen = {name: row[name] for name in fields.keys() & {"manual_score", "manual_comment"}}
    (name,) = seen
    others = json.dumps({**fields, name: "2", "seen": seen}).encode()
    assert taught.asked("put", path, others)[0] == 200
    before = taught.rows()
    status, said = taught.asked("put", path, others)
    assert (status, b"somebody else" in said, taught.rows()) == (409, True, before)


def digest_in(page: bytes) -> str:
    """What a page of formgrader's sends with all that it saves."""
    found = re.search(f'<meta name="{SHOWN_TEXT}" content="([0-9a-f]+)">', page.decode())
    assert found is not None
    return found[1]


def saved_by(taught: SentTo, handler: str) -> tuple[str, dict[str, Any]]:
    """Where a handler is asked to save, and what its page would send there."""
    (pattern,) = (
        one for one, other in ROUTES if other.__name__ == handler and "put" in methods(other)
    )
    path = places(pattern, [taught.names[handler]])
    fields = dict(SENT[handler])
    if handler == "AnswerHandler":
        found = row(taught.root, "ben")
        fields["digest"] = json.loads(taught.asked("get", path)[1])["digest"]
        fields["seen"] = {"points": found["points"], "comment": found["comment"] or ""}
    return path, fields


def hostile(fields: dict[str, Any]) -> Iterator[bytes]:
    """What can't be saved: no fields, one too few, and each in a form that it can't have."""
    yield from BODIES
    for name in fields.keys() - NOT_READ:
        others = json.dumps({one: value for one, value in fields.items() if one != name})
        if fields.keys() - {name}:
            yield others.encode()
        long = (json.dumps("x" * 129),) if name.endswith(("_name", "email")) else ()
        # Extra credit has no bound.
        numbers = [one for one in NUMBERS if (name, one) != ("extra_credit", "99")]
        forms = numbers if name in POINTS else (*TEXTS, *long, *(TIMES if name == DUE else ()))
        for form in forms:
            yield f'{others[:-1]}{", " * (others != "{}")}"{name}": {form}}}'.encode()
