"""What can become of a test cell. All but one earn nothing, and each says something else."""

from enum import Enum


class Verdict(Enum):
    """The outcome of one test cell."""

    PASSED = "passed"
    WRONG = "wrong"
    EXCEPTION = "stopped by an exception"
    NOT_IMPLEMENTED = "not implemented yet"
    TIMEOUT = "ran for too long"
    MEMORY = "took too much memory"
    KILLED = "ended its own process"
    MISSING = "missing"
    NOT_RUN = "not run"

    @property
    def ename(self) -> str:
        """The name of the error that a graded notebook shows for it."""
        return self.name.title().replace("_", "")
