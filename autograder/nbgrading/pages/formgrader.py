"""Formgrader's pages, lists and files, made safe for whoever opens them.

Formgrader serves a student's files from the server's own address, writes names into pages as they
are, sends its lists as if they were pages, and renders a submission while everybody waits. It has
no setting for any of this, so its handlers are changed where they stand.

Whatever a student can name or write passes one of three: an id that `nbgrading.inbox.student_ids`
allows, an escape, or a page of `page`, which is made in another process.
"""

import asyncio
import json
import os
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, Template
from jupyter_server.base.handlers import JupyterHandler
from markupsafe import Markup
from nbgrader.api import MissingEntry
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.server_extensions.formgrader import handlers
from tornado import web
from traitlets import TraitError

from autograder.errors import CourseError
from autograder.grading.jobs.warm import WarmWorker
from autograder.grading.record import RECORD_SUFFIX, Record
from autograder.nbgrading.inbox.student_ids import is_student_id
from autograder.nbgrading.pages.asked import (
    MARKUP,
    SHOWN_TEXT,
    digest_of,
    graded_path,
    guarded,
    is_plain_name,
    read_graded,
    refuse_lesson,
)
from autograder.nbgrading.pages.rendering import WORKER
from autograder.nbgrading.pages.turns import ONE_THREAD, sentence_in
from autograder.nbgrading.preprocessor import GradeSafely

_OURS = Path(__file__).parent / "templates"
# A file of a student's, opened by itself: no script, no form, nothing loaded, nobody's cookies.
FILE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
_STUDENTS = NbGraderAPI.get_students


# What takes long, by the handler that is asked for it and the method of nbgrader's that does it.
ACTIONS = {
    "AssignHandler": "generate_assignment",
    "UnReleaseHandler": "unrelease",
    "ReleaseHandler": "release_assignment",
    "CollectHandler": "collect",
    "AutogradeHandler": "autograde",
    "GenerateAllFeedbackHandler": "generate_feedback",
    "ReleaseAllFeedbackHandler": "release_feedback",
    "GenerateFeedbackHandler": "generate_feedback",
    "ReleaseFeedbackHandler": "release_feedback",
}
# How long somebody waits for one of them, in minutes. To grade may take what a submission may take,
# on a machine that others keep busy, and once more for what had too little time.
MINUTES = dict.fromkeys(ACTIONS.values(), 30.0) | {"autograde": 240.0}
_LATE = (
    "{what} has not come to an end within {minutes:g} minutes, and goes on: the server's log says "
    "what it does. Nothing else is begun before its end; if there is none, start the server anew"
)
_NOT_BEGUN = (
    "{what} was not begun within {minutes:g} minutes, since what was asked for before goes on: the "
    "server's log says what that does. If it has no end, start the server anew"
)
_warm = WarmWorker()


def students(self: NbGraderAPI) -> list[dict[str, Any]]:
    """Those in the gradebook whose ids can be written into a page, and into a link."""
    return [student for student in _STUDENTS(self) if is_student_id(student["id"])]


async def prepare(self: Any) -> None:
    """Refuse names that no page can hold."""
    await JupyterHandler.prepare(self)
    WORKER.start("formgrade")
    if isinstance(self, handlers.ManageSubmissionsHandler):
        ONE_THREAD.submit(_get_ready, self.coursedir)
    if not all(map(is_plain_name, filter(None, (*self.path_args, *self.path_kwargs.values())))):
        raise web.HTTPError(404)


def _get_ready(directory: CourseDirectory) -> None:
    """Have a worker there when somebody who looks at the submissions has one graded."""
    # What fails here fails again, and is told, when there is something to grade.
    with suppress(CourseError, TraitError):
        grading = GradeSafely(parent=directory.parent)
        _warm.begin(grading.course_folder, grading.walls)


def render(self: Any, name: str, **values: Any) -> str:
    """A page of which every value is escaped, but for those that may stand in a script as well."""
    environment: Environment = self.settings["nbgrader_jinja2_env"]
    if not environment.autoescape:
        environment.autoescape = True
        if environment.cache is not None:
            environment.cache.clear()
    written = {
        one: Markup(value) if isinstance(value, str) and not MARKUP.search(value) else value
        for one, value in values.items()
    }
    not_saved = Markup((_OURS / "not_saved.html.j2").read_text(encoding="utf-8"))
    any_other = _ours(environment, "any_other")
    page = _ours(environment, name) if (_OURS / _file_of(name)).is_file() else any_other
    return page.render(nbgraders=name, any_other=any_other, not_saved=not_saved, **written)


def _ours(environment: Environment, name: str) -> Template:
    return environment.from_string((_OURS / _file_of(name)).read_text(encoding="utf-8"))


def _file_of(name: str) -> str:
    """Ours that extends nbgrader's page of this name."""
    return f"{Path(name).stem}.html.j2"


def as_data(self: Any) -> None:
    """Send names and messages as text, which no browser takes for a page."""
    JupyterHandler.set_default_headers(self)
    # As JSON, the scripts that parse it themselves would be given it parsed.
    self.set_header("Content-Type", "text/plain; charset=utf-8")
    self.set_header("Content-Security-Policy", FILE_POLICY)


def beside_others(method: str) -> Callable[..., Any]:
    """A handler in which a method of nbgrader's runs while the server answers others."""

    async def post(self: Any, *names: str) -> None:
        refuse_lesson(names[0])
        self.coursedir.parent.load_config_file()
        # Its own, since a step sets in it which lesson and student it is about.
        directory = CourseDirectory(parent=self.coursedir.parent)
        directory.root = self.coursedir.root
        api = NbGraderAPI(directory, self.authenticator, parent=self.coursedir.parent)
        doing = ONE_THREAD.submit(_done, api, method, *names)
        self.write(json.dumps(await _in_time(doing, method, MINUTES[method])))

    return guarded(post)


async def _in_time(doing: Future[Any], method: str, minutes: float) -> Any:
    """What an action gives or, where it does not end, what to say of it: no thread can be ended."""
    try:
        return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(doing)), 60 * minutes)
    except TimeoutError:
        said = _NOT_BEGUN if doing.cancel() else _LATE
        what = method.replace("_", " ")
        return {"success": False, "error": said.format(what=what, minutes=minutes), "log": ""}


def _done(api: NbGraderAPI, method: str, *names: str) -> Any:
    # What the end of a sandbox hangs on is the thread that has opened it: always this one.
    with _warm.asked() if method == "autograde" else nullcontext():
        done = getattr(api, method)(*names)
    if done.get("error"):
        done["error"] = sentence_in(done["error"])
    elif method == "autograde" and (why := _why_not_graded(api.coursedir, *names)):
        return {**done, "success": False, "error": f"Nothing is scored, it waits for you: {why}"}
    return done


def _why_not_graded(directory: CourseDirectory, lesson: str, student: str) -> str:
    """Why a human has to look at what was graded just now; "" if it was scored."""
    folder = directory.format_path(directory.autograded_directory, student, lesson)
    with suppress(CourseError, OSError):
        return Record.read(Path(folder, f"{lesson}{RECORD_SUFFIX}")).not_graded
    return ""


async def _submission(self: Any, submission_id: str) -> None:
    """Show a graded notebook; the server answers others while it is rendered."""
    try:
        submission = self.gradebook.find_submission_notebook_by_id(submission_id)
    except MissingEntry:
        raise web.HTTPError(404, f"Invalid submission: {submission_id}") from None
    if os.path.basename(self.request.path) == submission_id:
        # Links in the page are to files beside the notebook.
        query = f"?{self.request.query}" if self.request.query else ""
        self.redirect(f"{self.request.path}/{query}", permanent=True)
        return
    lesson, name = submission.assignment.assignment.name, submission.notebook.name
    directory, path = self.coursedir, graded_path(self.coursedir, submission)
    notebook = read_graded(directory, submission)
    if not notebook:
        raise web.HTTPError(404, f"not graded yet, or graded anew and failed: {path}")
    indices = self.api.get_notebook_submission_indices(lesson, name)
    relative = os.path.relpath(path, directory.root)
    resources = {
        "assignment_id": lesson,
        "notebook_id": name,
        "submission_id": submission.id,
        "base_url": self.base_url,
        "student": submission.student.id,
        "last_name": submission.student.last_name,
        "first_name": submission.student.first_name,
        "notebook_path": f"{self.url_prefix}/{relative}",
    }
    shown: dict[str, Any] = {one: escape(text or "") for one, text in resources.items()}
    shown |= {"index": indices.get(submission.id, -2), "total": len(indices)}
    page = await asyncio.to_thread(WORKER.page, "formgrade", notebook.decode(), shown)
    shown_text = f'<meta name="{SHOWN_TEXT}" content="{digest_of(notebook)}">'
    self.write(page.replace("</head>", f"{shown_text}</head>", 1))


submission = guarded(_submission)


def _first_page(self: Any) -> None:
    """Formgrader's first page, of the course that the server was started for.

    nbgrader's would take any folder for a course that an address names, and run the configuration
    in it: a link, or its menu in the folder of a submission, would run a student's file.
    """
    root, path = Path(self.coursedir.root).resolve(), self.get_argument("path", "")
    try:
        is_here = not path or Path(path).resolve() == root
    except (OSError, ValueError):
        is_here = False
    if not is_here:
        raise web.HTTPError(
            404, f"This server was started for the course in {root}, and shows no other."
        )
    self.redirect(f"{self.base_url}/formgrader/manage_assignments")


first_page = guarded(_first_page)


async def prepare_file(self: Any) -> None:
    """Let a file be called as its student has called it, as long as it can be a file."""
    await JupyterHandler.prepare(self)
    if any("\0" in (part or "") for part in self.path_args):
        raise web.HTTPError(404)
