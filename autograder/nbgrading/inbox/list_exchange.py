"""Listing an exchange, for `nbgrader list` and the server extensions."""

import os
from pathlib import Path

from nbgrader.exchange.default import ExchangeList

from autograder.grading.submitted_files import is_notebook, megabytes, opened, raise_if_ours, shown
from autograder.nbgrading.inbox.arrivals import arrivals, report
from autograder.nbgrading.inbox.secret import SECRET, secret_in

_MOST_WITHOUT_SECRET = 10_000_000


class SafeList(ExchangeList):  # type: ignore[misc]
    """Lists what can be a submission, and says what can't.

    nbgrader's own gives up where one name can't be read, and reads the files of every submission:
    it waits for a pipe among them, and follows a link.
    """

    def init_dest(self) -> None:
        """Find what there is, and set aside what is no submission."""
        super().init_dest()
        self.assignments: list[str]
        if not (self.inbound or self.cached):
            return
        found, aside = arrivals(map(Path, self.assignments))
        self.assignments = []
        for one in found:
            if reason := _unreadable(one.path):
                aside.append(f"{one.path.name} is set aside: {reason}")
            else:
                self.assignments.append(str(one.path))
        report(aside, self.log)


def _unreadable(path: Path) -> str:
    """Why not all that nbgrader reads of a submission can be read; "" if it can."""
    try:
        with opened(path) as folder:
            for name in sorted(os.listdir(path)):
                reason = folder.refusal(name) if is_notebook(name) else ""
                if reason:
                    return f"{shown(name)} can't be read: {reason}"
            if folder.is_missing(SECRET):
                # nbgrader makes up for it by reading the notebooks.
                read = (one for one in os.scandir(path) if is_notebook(one.name))
                size = sum(one.stat(follow_symlinks=False).st_size for one in read)
                if size > _MOST_WITHOUT_SECRET:
                    return f"it has no {SECRET}, and {megabytes(size)} of notebooks"
            elif not secret_in(path):
                return f"{SECRET} holds no secret"
    except OSError as error:
        raise_if_ours(error)
        return "it can't be opened by who lists"
    return ""
