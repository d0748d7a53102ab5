"""What nbgrader warns of for each student, though all is well: told, and not as a warning.

In a class of 300, a warning that somebody has to read would be lost among these.
"""

import logging
from typing import Any

# It was asked for, with --force or by handing in anew; and a penalty, 0 too, stands on the page.
_ROUTINE = ("Removing existing ", "Updating existing ", "Late submission penalty: ")


class _AsInfo(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno != logging.WARNING or not str(record.msg).startswith(_ROUTINE):
            return True
        record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
        return logging.getLogger(record.name).isEnabledFor(logging.INFO)


_AS_INFO = _AsInfo()


def no_warnings_of_routine(log: Any) -> None:
    """Have what is routine logged as information. Calling this again changes nothing.

    Args:
        log: a logger, or what traitlets puts in front of one.
    """
    getattr(log, "logger", log).addFilter(_AS_INFO)
