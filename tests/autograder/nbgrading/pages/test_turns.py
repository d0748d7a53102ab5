"""What changes the server's folder comes one after the other, and fails in a sentence."""

import ast
import asyncio
import inspect
import json
import re
import threading
from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from nbgrader.server_extensions.assignment_list import handlers
from tornado import web

from autograder.nbgrading.pages import turns
from autograder.nbgrading.pages.turns import LISTING, ONE_THREAD, in_turn, sentence_in

LOCKED = """Traceback (most recent call last):
  File "engine.py", line 1, in execute
    cursor: Any
sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) database is locked
[SQL: SELECT 1]
(Background on this error at: https://sqlalche.me/e/20/e3q8)
"""
MISSING = """Traceback (most recent call last):
  File "collect.py", line 3, in init_src
    self.fail(what)
nbgrader.exchange.abc.ExchangeError: Course not found: /exchange/c/inbound
"""


def handled(
    work: Any,
    body: object = None,
    parts: Mapping[str, str] = MappingProxyType({}),
    **arguments: str,
) -> tuple[SimpleNamespace, list[str]]:
    said: list[str] = []
    handler = SimpleNamespace(
        current_user="ada",
        get_argument=lambda name, _: arguments.get(name),
        get_json_body=lambda: body,
    )
    # What tornado has in the class, so that it can be hidden for a while.
    asked = type("Asked", (SimpleNamespace,), {"finish": lambda self, text: said.append(text)})()
    vars(asked).update(vars(handler))
    asyncio.run(in_turn(work)(asked, **parts))
    return asked, said


def test_every_handler_that_changes_the_folder_is_here() -> None:
    """As nbgrader's own code has them: all that ask what its manager does in another folder."""
    tree = ast.parse(inspect.getsource(handlers)).body
    theirs = {
        f"{one.name}.{method.name}"
        for one in tree
        if isinstance(one, ast.ClassDef)
        for method in one.body
        if isinstance(method, ast.FunctionDef) and "self.manager." in ast.unparse(method)
    }
    assert theirs == LISTING.keys()


def test_a_list_waits_for_its_turn() -> None:
    begun, end, where = threading.Event(), threading.Event(), list[int]()

    def first() -> None:
        begun.set()
        end.wait()

    def work(self: Any) -> None:
        where.append(threading.get_ident())
        self.finish(json.dumps({"success": True, "value": []}))

    doing = ONE_THREAD.submit(first)
    begun.wait()
    threading.Timer(0.2, end.set).start()
    _, said = handled(work)
    assert doing.done()
    assert where == [ONE_THREAD.submit(threading.get_ident).result()]
    assert json.loads(said[0]) == {"success": True, "value": []}


def test_list_that_has_no_turn_in_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    end, done = threading.Event(), list[object]()
    monkeypatch.setattr(turns, "MINUTES", 0.001)
    ONE_THREAD.submit(end.wait)
    try:
        with pytest.raises(web.HTTPError, match="goes on"):
            handled(done.append)
    finally:
        end.set()
    ONE_THREAD.submit(int).result()
    assert done == []


def test_failure_is_a_sentence() -> None:
    answer = {"success": False, "value": MISSING}
    asked, said = handled(lambda self: self.finish(json.dumps(answer)))
    assert json.loads(said[0])["value"] == "Course not found: /exchange/c/inbound"
    assert "finish" not in vars(asked)


@pytest.mark.parametrize("name", ["..", "a/b", "a\0b", "*"])
def test_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(web.HTTPError, match="names no course"):
        handled(lambda self: self.finish("{}"), assignment_id=name)
    with pytest.raises(web.HTTPError, match="names no course"):
        handled(lambda self: self.finish("{}"), {"course_id": "c", "assignment_id": name})


@pytest.mark.parametrize("name", [7, ["02"], {"a": 1}])
def test_what_is_no_text_names_nothing(name: object) -> None:
    with pytest.raises(web.HTTPError, match="names no course"):
        handled(lambda self: self.finish("{}"), {"course_id": name})


@pytest.mark.parametrize("handler", sorted(LISTING))
def test_handler_takes_what_tornado_finds_in_the_address(handler: str) -> None:
    """Named parts of nbgrader's own addresses come by their names, the others by their places."""
    name, method = handler.split(".")
    theirs = getattr(handlers, name)
    (address,) = (pattern for pattern, one in handlers.default_handlers if one is theirs)
    pattern = re.compile(address)
    parts = dict.fromkeys(pattern.groupindex, "fetch")
    others = ["x"] * (pattern.groups - len(parts))
    inspect.signature(getattr(theirs, method)).bind(None, *others, **parts)
    for asked in (LISTING[handler], inspect.unwrap(LISTING[handler])):
        inspect.signature(asked).bind(None, *others, **parts)


def test_action_is_done() -> None:
    did: list[str] = []

    def work(self: Any, action: str) -> None:
        did.append(action)
        self.finish(json.dumps({"success": True}))

    handled(work, parts={"action": "submit"})
    assert did == ["submit"]


def test_what_is_not_named_is_said() -> None:
    with pytest.raises(web.HTTPError, match="is not named"):
        handled(lambda _: {}["course_id"])


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        (LOCKED, "Another program writes to the gradebook: wait for it, and try again."),
        (MISSING, "Course not found: /exchange/c/inbound"),
        ("All is well: nothing to do.", "All is well: nothing to do."),
        ("Traceback without an end", "Traceback without an end"),
    ],
)
def test_what_a_traceback_says(trace: str, said: str) -> None:
    assert sentence_in(trace) == said
