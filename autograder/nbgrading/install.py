"""Our classes in the place of nbgrader's, wherever nbgrader makes one."""

import dis
import inspect
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from types import ModuleType

from nbgrader.converters import (
    Autograde,
    GenerateAssignment,
    GenerateFeedback,
    NbGraderException,
)

from autograder.errors import GradingFailed
from autograder.nbgrading import assignments
from autograder.nbgrading.converter import SafeAutograde, SafeCommand
from autograder.nbgrading.generate import SafeGenerate
from autograder.nbgrading.inbox import lists
from autograder.nbgrading.pages import formgrader
from autograder.nbgrading.pages.feedback import SafeFeedback
from autograder.nbgrading.transaction import share_gradebook

_ANOTHER = (
    "nbgrader {} does not work by {} as we know it, and would run student code without a sandbox, "
    "or show what it wrote as it is: install a version that the course's pyproject.toml allows"
)
_START = Autograde.start


@contextmanager
def or_nothing_is_graded() -> Iterator[None]:
    """Have nbgrader refuse to grade when what is done within fails.

    nbgrader only warns of what its configuration raises, and goes on without: with no sandbox.
    """
    Autograde.start = _START
    try:
        yield
    except Exception as failure:
        Autograde.start = _refusing(failure)
        raise


def install() -> None:
    """Have nbgrader's commands, its interface and formgrader grade with `SafeAutograde`, and make
    feedback with `SafeFeedback`.

    nbgrader has no setting for it. Calling this again changes nothing.

    Raises:
        GradingFailed: when nbgrader is not made as we know it, and would grade without a sandbox.
    """
    from nbgrader.apps import api, autogradeapp, generateassignmentapp, generatefeedbackapp

    makers = (
        (api, "NbGraderAPI.autograde", Autograde, SafeAutograde),
        (autogradeapp, "AutogradeApp.start", Autograde, SafeCommand),
        (api, "NbGraderAPI.generate_assignment", GenerateAssignment, SafeGenerate),
        (
            generateassignmentapp,
            "GenerateAssignmentApp.start",
            GenerateAssignment,
            SafeGenerate,
        ),
        (api, "NbGraderAPI.generate_feedback", GenerateFeedback, SafeFeedback),
        (generatefeedbackapp, "GenerateFeedbackApp.start", GenerateFeedback, SafeFeedback),
    )
    for module, maker, usual, safe in makers:
        if not _makes(module, maker, usual, safe):
            raise GradingFailed(_ANOTHER.format(metadata.version("nbgrader"), maker))
    try:
        share_gradebook()
    except (AttributeError, ModuleNotFoundError) as error:
        raise GradingFailed(_ANOTHER.format(metadata.version("nbgrader"), error)) from error
    for module, _, usual, safe in makers:
        setattr(module, usual.__name__, safe)
    lists.install()
    assignments.install()
    formgrader.install()


def _makes(module: ModuleType, maker: str, usual: type, safe: type) -> bool:
    """Whether a function of nbgrader's looks up a class of its own where we can put another."""
    try:
        function = inspect.unwrap(operator.attrgetter(maker)(module))
        known = getattr(module, usual.__name__) in (usual, safe)
    except AttributeError:
        return False
    steps = dis.get_instructions(function)
    return known and any(
        step.opname == "LOAD_GLOBAL" and step.argval == usual.__name__ for step in steps
    )


def _refusing(failure: Exception) -> Callable[[Autograde], None]:
    def start(self: Autograde) -> None:
        self.log.error("Nothing is graded: %s", failure)
        raise NbGraderException(f"nothing is graded: {failure}") from failure

    return start
