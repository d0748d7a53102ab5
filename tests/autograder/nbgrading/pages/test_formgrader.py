"""What formgrader does beside its server: each action has its time, and none is forgotten."""

import ast
import asyncio
import inspect
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from jinja2 import Environment, FileSystemLoader
from nbgrader.coursedir import CourseDirectory
from nbgrader.server_extensions.formgrader import apihandlers
from traitlets.config import Config

from autograder.grading.record import RECORD_SUFFIX, Record
from autograder.nbgrading.pages import formgrader
from autograder.nbgrading.pages.formgrader import ACTIONS, MINUTES, _in_time, render

THEIRS = Path(inspect.getfile(apihandlers)).parent / "templates"
PAGES = sorted(path.name for path in THEIRS.glob("*.tpl") if path.stem.startswith(("man", "grade")))


def test_every_action_of_nbgraders_has_its_time() -> None:
    """The actions, as nbgrader's own code has them: what its handlers do on the disk.

    The code is read, since another test may have had the handlers replaced.
    """
    handlers = ast.parse(inspect.getsource(apihandlers)).body
    theirs = {
        handler.name: found[1]
        for handler in handlers
        for method in getattr(handler, "body", ())
        if isinstance(handler, ast.ClassDef)
        and getattr(method, "name", "") == "post"
        and (found := re.search(r"self\.api\.(\w+)\(", ast.unparse(method)))
    }
    assert len(theirs) >= 9
    assert theirs == ACTIONS
    assert MINUTES.keys() == set(theirs.values())
    assert all(minutes > 0 for minutes in MINUTES.values())


@pytest.mark.parametrize("page", PAGES)
def test_menu_of_every_list_leads_to_the_answers(page: str) -> None:
    settings = {"nbgrader_jinja2_env": Environment(loader=FileSystemLoader(THEIRS))}
    shown = render(SimpleNamespace(settings=settings), page, base_url="/here")
    assert shown.count('<a href="/here/formgrader/reading">Written answers</a>') == 1


@pytest.mark.parametrize("why", ["", "two notebooks were handed in: only one can count"])
def test_success_is_not_said_of_what_waits_for_a_human(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    monkeypatch.setattr(formgrader, "_warm", SimpleNamespace(asked=nullcontext))
    directory = CourseDirectory(config=Config(CourseDirectory={"root": str(tmp_path)}))
    kept = tmp_path / "autograded" / "ada" / "02" / f"02{RECORD_SUFFIX}"
    kept.parent.mkdir(parents=True)
    kept.write_text(Record(not_graded=why).text())
    api = SimpleNamespace(
        coursedir=directory, autograde=lambda *_: {"success": True, "error": None, "log": ""}
    )
    done = formgrader._done(api, "autograde", "02", "ada")
    assert done["success"] == (not why)
    assert (done["error"] or "").endswith(why)


def test_action_without_an_end_is_told_and_so_is_what_waits_for_it() -> None:
    end = threading.Event()
    with ThreadPoolExecutor(1) as one_thread:
        endless, waiting = one_thread.submit(end.wait), one_thread.submit(int)
        late = asyncio.run(_in_time(endless, "release_feedback", 0.001))
        behind = asyncio.run(_in_time(waiting, "collect", 0.001))
        end.set()
        done = asyncio.run(_in_time(one_thread.submit(lambda: {"success": True}), "collect", 1))
    assert "release feedback has not come to an end" in late["error"]
    assert "collect was not begun" in behind["error"]
    assert not late["success"]
    assert not behind["success"]
    assert waiting.cancelled()
    assert done == {"success": True}
