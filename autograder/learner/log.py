"""What JupyterLab's server says in a learner's terminal: what goes wrong, and nothing else."""

import logging
from typing import Any

# Of a notebook that nobody has run on this machine, which is how every lesson begins.
_ROUTINE = "Notebook %s is not trusted"
SETTINGS: dict[str, dict[str, dict[str, Any]]] = {
    # How Jupyter asks whether a browser is still there, Tornado finds fault with; nobody can
    # change it.
    "loggers": {"tornado.general": {"level": "ERROR"}},
    "filters": {"routine": {"()": f"{__name__}.WithoutRoutine"}},
    "handlers": {"console": {"filters": ["routine"]}},
}


class WithoutRoutine(logging.Filter):
    """Leaves out what is the same each time, and no reason to do anything."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written."""
        return record.msg != _ROUTINE
