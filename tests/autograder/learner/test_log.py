"""What a learner's terminal is spared, and that all else is said."""

import inspect
import io
import logging
import logging.config

import pytest
from jupyter_server.services.contents import manager

from autograder.learner import log


@pytest.mark.parametrize(
    ("message", "is_said"),
    [("Notebook %s is not trusted", False), ("Notebook %s can't be saved", True)],
)
def test_routine_is_not_said_and_what_goes_wrong_is(message: str, is_said: bool) -> None:
    said = io.StringIO()
    handler = log.SETTINGS["handlers"]["console"] | {"class": "logging.StreamHandler"}
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": log.SETTINGS["filters"],
            "handlers": {"console": {**handler, "stream": said}},
            "loggers": {"a server's": {"handlers": ["console"], "propagate": False}},
        }
    )
    logging.getLogger("a server's").warning(message, "start.ipynb")
    assert bool(said.getvalue()) == is_said


def test_it_is_what_jupyter_says() -> None:
    assert '"Notebook %s is not trusted"' in inspect.getsource(manager)
