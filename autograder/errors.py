"""All errors that are somebody's mistake, or a broken set-up, rather than a defect of this program.

CourseError
├── CourseNotFound      no course in this folder or above it
├── NotInstalled        a part of the program needs what is not installed
├── LessonNotFound      a name stands for no lesson, or for several
├── SettingError        a setting in course.toml that can't be
├── LessonNameError     a text in source/ has a name that no lesson can have
├── NotebookEdited      an instructor's notebook is no longer what was built
├── WorkFolderError     lessons can't be copied to, or opened in, the folder that was chosen
├── NotebookStopped     a notebook could not be run to its end
├── RosterError         a table of students that says what can't be
├── GradingFailed       nbgrader did not do its part
├── RenderingFailed     a graded notebook can't be shown as a page
├── NotSaved            what a tutor gave for an answer, or a comment to reuse
│   ├── MarkedMeanwhile somebody else has graded the answer
│   ├── AnswerChanged   the answer's text is another one
│   └── GradebookBusy   the gradebook is written to by others
├── JupyterFailed       JupyterLab did not start, or did not end well
├── ReferenceNotFound   a lesson has no module in solutions/ or solutions/exams/
├── SourceError         a line in a file that the course's authors wrote
│   ├── LessonError    in source/
│   └── SolutionError  in solutions/
├── ExamError           an exam that contradicts itself
├── CheckError          a check called on what it does not know, or without its examples
├── IsolationUnavailable  this machine can't wall student code in
├── SandboxFailed       the sandbox itself failed, which is nobody's mistake but ours
└── LimitError          a limit that does not exist, or a number that can't be one

ExchangeError           the grader and a student's process could not exchange a value
├── ValueTooLarge       what was to be sent is beyond the limits
├── ReplyNotUnderstood  what came is not a message, or beyond the limits
│   └── ReplyTooLarge       what came is more than one test may take
├── StudentGone         the other process has ended, or hung up
└── StudentTooSlow      the other process did not answer, or did not listen, in time

The second tree is no `Exception`: a test may well catch what a student's code raises, and must not
take the end of the student's process for it.

Each message is one sentence: what was wrong, where, what to do. The command line prints it without
a traceback and ends with the class's exit code.
"""

from pathlib import Path
from typing import Self


class CourseError(Exception):
    """The base of them all."""

    exit_code = 2

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows in place of a traceback through this program."""
        return [f"{type(self).__name__}: {self}"]


class CourseNotFound(CourseError):
    """There is no course in this folder or above it."""


class NotInstalled(CourseError):
    """A part of the program needs what is not installed."""

    def __init__(self, module: str) -> None:
        """Say what brings a module."""
        package = module.partition(".")[0]
        super().__init__(
            f"{package} is not installed, which this needs: in a clone of the course, "
            f"`pip install -c constraints.txt '.[{EXTRAS[package]}]'` brings it"
        )

    @classmethod
    def of(cls, error: ImportError) -> Self | None:
        """About a module that one of the extras brings; None for any other."""
        package = (error.name or "").partition(".")[0]
        return cls(package) if package in EXTRAS else None


# Modules that not everybody has, with the extra of this package that brings each.
EXTRAS = {
    **dict.fromkeys(("ipykernel", "jupyterlab", "matplotlib", "nbclient", "torch"), "lessons"),
    **dict.fromkeys(("dateutil", "filelock", "ijson", "jupytext", "latex2mathml"), "grading"),
    **dict.fromkeys(("nbconvert", "nbgrader", "rapidfuzz", "sqlalchemy", "yaml"), "grading"),
    "distributed": "cluster",
}


class LessonNotFound(CourseError):
    """A name stands for no lesson of the course, or for several."""


class SettingError(CourseError):
    """A setting of the course has a name, or a value, that can't be."""


class LessonNameError(CourseError):
    """A text in source/ has a name that no lesson can have."""


class NotebookEdited(CourseError):
    """An instructor's notebook is no longer what was built, and would be overwritten."""


class WorkFolderError(CourseError):
    """Lessons can't be copied to, or opened in, the folder that was chosen."""


class NotebookStopped(CourseError):
    """A notebook could not be run to its end."""


class RosterError(CourseError):
    """A table of students says what can't be."""


class GradingFailed(CourseError):
    """nbgrader did not do its part."""


class NewerRecord(GradingFailed):
    """A record is of a newer version of this program, which has found what it tells of."""


class RenderingFailed(CourseError):
    """A graded notebook can't be shown as a page."""


class NotSaved(CourseError):
    """What a tutor gave for an answer, or a comment that is to be reused, is not saved."""


class MarkedMeanwhile(NotSaved):
    """Somebody else has graded the answer since the tutor has seen it."""


class AnswerChanged(NotSaved):
    """The answer has another text than the one that the tutor has read."""


class GradebookBusy(NotSaved):
    """The gradebook is written to by others for so long that this could not be saved yet."""


class JupyterFailed(CourseError):
    """JupyterLab did not start, or did not end well."""


class ReferenceNotFound(CourseError):
    """A lesson has no module in solutions/ or solutions/exams/."""


class SourceError(CourseError):
    """Something is wrong in a line of a file that the course's authors wrote."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line
        self._message = message

    def __reduce__(self) -> tuple[type[Self], tuple[Path, int, str]]:
        """So that it can be told by another process."""
        return type(self), (self.path, self.line, self._message)


class LessonError(SourceError):
    """Something is wrong in a lesson's text."""


class SolutionError(SourceError):
    """Something is wrong in the reference."""


class ExamError(CourseError):
    """An exam contradicts itself, or asks for what can't be shipped."""


class CheckError(CourseError):
    """A check was called on what it does not know, or without its printed examples."""


class LimitError(CourseError):
    """A limit does not exist, or its number can't be one."""


class IsolationUnavailable(CourseError):
    """This machine can't wall student code in, so none of it is run."""


class SandboxFailed(CourseError):
    """The sandbox itself failed: our own failure, never the student's."""


class ExchangeError(BaseException):
    """The grader and a student's process could not exchange a value."""


class ValueTooLarge(ExchangeError):
    """What was to be sent is beyond the limits; nothing of it was sent."""


class ReplyNotUnderstood(ExchangeError):
    """What came from the other process is not a message, or is beyond the limits."""


class ReplyTooLarge(ReplyNotUnderstood):
    """What came, with all that came before it in one test, is more than that may take."""


class StudentGone(ExchangeError):
    """The process at the other end has ended, or hung up."""


class StudentTooSlow(ExchangeError):
    """The process at the other end did not answer, or did not listen, in time."""
