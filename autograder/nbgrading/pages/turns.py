"""What nbgrader's handlers do one after the other, in a thread, while the server answers others.

It changes the process's folder while it works. Two of them at once would leave the server in the
other's folder, whose configuration the next one would run.
"""

import asyncio
import inspect
import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from nbgrader.server_extensions.assignment_list import handlers
from tornado import web

from autograder.nbgrading.pages.asked import is_plain_name

ONE_THREAD = ThreadPoolExecutor(1, "nbgrader")
# The line of a traceback that says what has happened; SQLAlchemy writes more below it.
_RAISED = re.compile(r"^(?:[\w.]+\.)?\w+: (.+)$", re.MULTILINE)
_NAMES = ("course_id", "assignment_id")
# How long somebody waits for a list, in minutes.
MINUTES = 30.0


def sentence_in(trace: str) -> str:
    """What a traceback says in the end; another text as it is."""
    said = _RAISED.findall(trace) if trace.startswith("Traceback") else []
    if not said:
        return trace
    if "database is locked" in said[-1]:
        return "Another program writes to the gradebook: wait for it, and try again."
    return str(said[-1])


def in_turn(handler: Callable[..., None]) -> Callable[..., Any]:
    """A handler of the list of assignments that waits for its turn, and fails in a sentence."""
    work = inspect.unwrap(handler)

    async def handle(self: Any, *names: str, **parts: str) -> None:
        asked = [self.get_argument(name, None) for name in _NAMES]
        if None in asked:
            # nbgrader looks for both there then.
            asked += _named_in(self.get_json_body())
        if not all(is_plain_name(one) for one in asked if one):
            raise web.HTTPError(400, "This names no course, or no lesson.")
        said: list[str] = []
        # An answer is written where the server runs, and nowhere else.
        self.finish = said.append
        doing = ONE_THREAD.submit(work, self, *names, **parts)
        try:
            await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(doing)), 60 * MINUTES)
        except TimeoutError:
            doing.cancel()
            raise web.HTTPError(
                503, "What was asked for before goes on: the server's log says what it does."
            ) from None
        except (KeyError, TypeError):
            raise web.HTTPError(400, "The course or the lesson is not named.") from None
        finally:
            del self.finish
        answer = json.loads(said[0])
        if isinstance(answer.get("value"), str):
            answer["value"] = sentence_in(answer["value"])
        self.finish(json.dumps(answer))

    guarded: Callable[..., Any] = web.authenticated(handle)
    return guarded


def _named_in(body: object) -> list[str]:
    """What JSON names; of what is no text, a name that nothing has."""
    named = body if isinstance(body, dict) else {}
    found = [named.get(name) for name in _NAMES]
    return [one if isinstance(one, str) else "/" for one in found if one is not None]


# By the class of the handler and its method.
LISTING = {
    "AssignmentListHandler.get": in_turn(handlers.AssignmentListHandler.get),
    "AssignmentActionHandler.post": in_turn(handlers.AssignmentActionHandler.post),
    "CourseListHandler.get": in_turn(handlers.CourseListHandler.get),
}
