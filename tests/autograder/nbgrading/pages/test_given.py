"""What pages have in common is rendered once, and handed from a fork to the next."""

import json

import pytest

from autograder.nbgrading.pages import given


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "_rendered", {})


def test_rendered_once() -> None:
    calls: list[str] = []

    def render(text: str) -> str:
        calls.append(text)
        return f"<p>{text}</p>"

    assert [given.once("prose", "a", render) for _ in range(2)] == ["<p>a</p>"] * 2
    given.once("code", "a", render)
    given.once("prose", "b", render)
    assert calls == ["a", "a", "b"]


def test_fork_hands_over_what_is_new() -> None:
    given.once("prose", "a", str.upper)
    known = given.count()
    given.once("prose", "b", str.upper)
    assert json.loads(given.since(known)) == [["prose", "b", "B"]]
    given.keep(json.dumps([["prose", "c", "kept"]]).encode())
    assert given.once("prose", "c", str.upper) == "kept"


def test_not_more_than_some_lessons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "_MOST", 2)
    for text in "abc":
        given.keep(json.dumps([["prose", text, "kept"]]).encode())
    assert given.once("prose", "c", str.upper) == "kept"
    assert given.once("prose", "a", str.upper) == "A"
