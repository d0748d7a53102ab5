"""What nbgrader warns of for each student, though all is well, is information."""

import inspect
import logging

import pytest
from nbgrader.converters import BaseConverter, GenerateFeedback
from nbgrader.preprocessors import AssignLatePenalties, GetGrades

from autograder.nbgrading.pages.feedback import SafeFeedback
from autograder.nbgrading.routine import no_warnings_of_routine

ROUTINE = (
    "Removing existing assignment: feedback/ada/week1",
    "Removing existing notebook: feedback/ada/week1/week1.html",
    "Updating existing assignment: feedback/ada/week1",
    "Updating existing notebook: feedback/ada/week1/week1.html",
    "Late submission penalty: 0.0",
    "Late submission penalty: 1.5",
)
REAL = (
    "Removing failed assignment: feedback/ada/week1",
    "Could not update permissions of feedback to make it groupshared",
    "No notebooks were matched by 'x'",
)


@pytest.fixture(params=[False, True], ids=["logger", "adapter"])
def log(request: pytest.FixtureRequest) -> logging.Logger | logging.LoggerAdapter[logging.Logger]:
    log = logging.getLogger(f"{__name__}.{request.node.name}")
    log.setLevel(logging.INFO)
    for _ in range(2):
        no_warnings_of_routine(log)
    assert len(log.filters) == 1
    return logging.LoggerAdapter(log, {}) if request.param else log


def test_only_what_is_routine_is_none(
    log: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    no_warnings_of_routine(log)
    for text in (*ROUTINE, *REAL):
        log.warning(text)
        log.error(text)
    found = [(one.levelname, one.message) for one in caplog.records if one.levelname != "ERROR"]
    assert found == [("INFO", one) for one in ROUTINE] + [("WARNING", one) for one in REAL]
    assert sum(one.levelname == "ERROR" for one in caplog.records) == len(ROUTINE + REAL)


def test_nobody_is_told_who_asks_for_warnings_alone(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger(f"{__name__}.quiet")
    log.setLevel(logging.WARNING)
    no_warnings_of_routine(log)
    for text in (*ROUTINE, *REAL):
        log.warning(text)
    assert [one.message for one in caplog.records] == [*REAL]


def test_nbgrader_says_it_in_these_words() -> None:
    written = "".join(map(inspect.getsource, (BaseConverter, GetGrades, AssignLatePenalties)))
    for text in ROUTINE:
        assert text.partition(": ")[0] in written


def test_feedback_is_made_without_these_warnings(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def start(self: GenerateFeedback) -> None:
        for text in (*ROUTINE, *REAL):
            self.log.warning(text)

    monkeypatch.setattr(GenerateFeedback, "start", start)
    SafeFeedback().start()
    warned = [one.message for one in caplog.records if one.levelno == logging.WARNING]
    assert warned == [*REAL]
