"""The pages on which all answers to a question are read, and what their script asks and saves.

They are two more of formgrader's: under its address, behind its login, and guarded as its own are.
What is read and rendered for them, others don't wait for.
"""

import asyncio
import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape
from nbgrader.api import Gradebook
from nbgrader.server_extensions.formgrader import base, handlers
from tornado import web

from autograder.errors import (
    AnswerChanged,
    CourseError,
    GradebookBusy,
    MarkedMeanwhile,
    NotSaved,
    RenderingFailed,
)
from autograder.nbgrading.gradebook.transaction import gradebook_of
from autograder.nbgrading.pages.asked import guarded, sent
from autograder.nbgrading.reading.comment_bank import CommentBank
from autograder.nbgrading.reading.entries import Entry, Marks, entries, find_entry
from autograder.nbgrading.reading.mistakes import named_mistakes
from autograder.nbgrading.reading.questions import (
    NotGraded,
    Question,
    find_question,
    not_graded,
    questions,
)
from autograder.nbgrading.reading.saving import save
from autograder.nbgrading.reading.texts import Asked, Texts

_HERE = Path(__file__).parent
# Scripts and styles of ours alone; pictures are within a student's graded notebook.
_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "style-src 'self' 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
_NOT_UNDERSTOOD = "This was not understood, and nothing is saved: reload the page."

Found = TypeVar("Found")
# The fields that are sent, each with what it can be.
_Fields = Mapping[str, type | tuple[type, ...]]


class _Reading(base.BaseHandler):  # type: ignore[misc]
    """What both pages and both handlers of their script share."""

    async def in_gradebook(self, look: Callable[[Gradebook], Found]) -> Found:
        """What is found in the gradebook; the server answers others meanwhile."""

        def opened() -> Found:
            with gradebook_of(self.coursedir) as gradebook:
                return look(gradebook)

        return await asyncio.to_thread(opened)

    @property
    def texts(self) -> Texts:
        """The course's texts."""
        return Texts(self.coursedir)

    @property
    def bank(self) -> CommentBank:
        """The course's comments to reuse."""
        return CommentBank(Path(self.coursedir.root))


class _ReadingPage(_Reading):
    content_security_policy = _POLICY

    def page(self, name: str, **values: Any) -> None:
        """Send a page of ours."""
        root = f"{self.base_url}/formgrader"
        token = self.xsrf_token.decode()
        self.write(_templates().get_template(name).render(root=root, xsrf=token, **values))


class QuestionsHandler(_ReadingPage):
    """All questions of the course, and how much of each is read."""

    @guarded
    async def get(self) -> None:
        """Show the list."""

        def look(gradebook: Gradebook) -> tuple[list[Question], list[NotGraded]]:
            return questions(gradebook), not_graded(gradebook)

        found, waiting = await self.in_gradebook(look)
        why = await asyncio.to_thread(lambda: [self.texts.why_not(one) for one in waiting])
        listed = [*zip(waiting, why, strict=True)]
        self.page("questions.html.j2", questions=found, not_graded=listed)


class AnswersHandler(_ReadingPage):
    """All answers to one question."""

    @guarded
    async def get(self, lesson: str, notebook: str, name: str) -> None:
        """Show the page; its script asks for the answers, one after the other."""
        named = self.get_argument("names", "") == "shown"

        def look(gradebook: Gradebook) -> tuple[Question, list[Entry]] | None:
            found = find_question(gradebook, lesson, notebook, name)
            return (found, entries(gradebook, found, named=named)) if found else None

        found = await self.in_gradebook(look)
        if found is None:
            raise web.HTTPError(404, "the gradebook has no such question with answers to read")
        question, answers = found
        self.page(
            "answers.html.j2",
            question=question,
            answers=answers,
            asked=await asyncio.to_thread(self._asked, question, answers),
            named=named,
        )

    def _asked(self, question: Question, answers: list[Entry]) -> Asked:
        try:
            return self.texts.question(question, [one.student for one in answers])
        except RenderingFailed:
            return Asked("", "")


class _ReadingData(_Reading, base.BaseApiHandler):  # type: ignore[misc]
    def given(self, names: _Fields) -> dict[str, Any]:
        """What the script sent, if it is of this form."""
        found = sent(self.request.body)
        _must_fit(found, names)
        return found

    def refuse(self, error: CourseError, **more: Any) -> None:
        """Say why something is not done, as the script shows it."""
        self.set_status(409)
        self.write(json.dumps({"error": str(error), **more}))


class AnswerHandler(_ReadingData):
    """One answer: its text, and what is given for it."""

    @guarded
    async def get(self, grade: str) -> None:
        """Send the text, with comments that the student's own mistakes suggest."""
        try:
            question, entry = await self.in_gradebook(lambda one: find_entry(one, grade))
            answer = await asyncio.to_thread(self.texts.answer, question, entry.student)
        except CourseError as error:
            self.refuse(error)
            return
        record = self.texts.record(question, entry.student)
        mistakes = await asyncio.to_thread(named_mistakes, record)
        self.write(json.dumps({**asdict(answer), "mistakes": mistakes}))

    @guarded
    async def put(self, grade: str) -> None:
        """Save points and a comment."""
        try:
            given, seen, digest = self._sent()
            saving = functools.partial(
                save,
                grade=grade,
                given=given,
                seen=seen,
                is_same_text=lambda question, entry: self._is_text(question, entry, digest),
            )
            saved = await self.in_gradebook(saving)
        except MarkedMeanwhile as error:
            _, entry = await self.in_gradebook(lambda one: find_entry(one, grade))
            self.refuse(error, now=_as_json(entry))
        except CourseError as error:
            changed, busy = isinstance(error, AnswerChanged), isinstance(error, GradebookBusy)
            self.refuse(error, another_text=changed, again=busy)
        else:
            self.write(json.dumps(_as_json(saved)))

    def _sent(self) -> tuple[Marks, Marks, str]:
        marks: _Fields = {"points": (int, float, type(None)), "comment": str}
        found = self.given({**marks, "digest": str, "seen": dict})
        _must_fit(found["seen"], marks)
        return _given(found), _given(found["seen"]), found["digest"]

    def _is_text(self, question: Question, entry: Entry, digest: str) -> bool:
        return self.texts.answer(question, entry.student).digest == digest


class CommentsHandler(_ReadingData):
    """The comments that are kept for a question, to be given again."""

    @guarded
    async def get(self, lesson: str, name: str) -> None:
        """Send them."""
        await self._do(lambda: self.bank.of(f"{lesson}/{name}"))

    @guarded
    async def post(self, lesson: str, name: str) -> None:
        """Keep one more."""
        await self._do(lambda: self.bank.keep(f"{lesson}/{name}", self._comment()))

    @guarded
    async def delete(self, lesson: str, name: str) -> None:
        """Keep one no longer."""
        await self._do(lambda: self.bank.forget(f"{lesson}/{name}", self._comment()))

    def _comment(self) -> str:
        return str(self.given({"comment": str})["comment"])

    async def _do(self, what: Callable[[], list[str]]) -> None:
        try:
            self.write(json.dumps({"comments": await asyncio.to_thread(what)}))
        except CourseError as error:
            self.refuse(error)


def _must_fit(found: dict[str, Any], names: _Fields) -> None:
    for name, wanted in names.items():
        given = found.get(name, ...)
        # To Python, true is a number.
        if isinstance(given, bool) or not isinstance(given, wanted):
            raise NotSaved(_NOT_UNDERSTOOD)


def _given(found: dict[str, Any]) -> Marks:
    points = found["points"]
    return Marks(None if points is None else float(points), found["comment"])


def _as_json(entry: Entry) -> dict[str, Any]:
    return {**asdict(entry.given), "waits": entry.waits}


@functools.cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"), autoescape=True, trim_blocks=True
    )
    environment.filters["points"] = lambda number: f"{round(number, 2):g}"
    environment.filters["html"] = Markup
    environment.filters["breakable"] = lambda name: escape(name).replace("_", Markup("_<wbr>"))
    environment.filters["in_link"] = lambda name: quote(name, safe="")
    return environment


# Ours first: formgrader's last one answers whatever is left.
WITH_OURS = [
    (r"/formgrader/reading/?", QuestionsHandler),
    (r"/formgrader/reading/static/(.*)", web.StaticFileHandler, {"path": str(_HERE / "static")}),
    (r"/formgrader/reading/([^/]+)/([^/]+)/([^/]+)/?", AnswersHandler),
    (r"/formgrader/api/reading/answer/([^/]+)", AnswerHandler),
    (r"/formgrader/api/reading/comments/([^/]+)/([^/]+)", CommentsHandler),
    *handlers.default_handlers,
]
