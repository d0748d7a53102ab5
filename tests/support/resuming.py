"""A run of everything goes on where an interrupted one stopped, as long as no file has changed.

It takes hours. What has passed stands, name by name, in a file of `artefacts/passed/`, whose name
is a digest of the commit, of what differs from it, and of how the attacks are tried.
"""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

FOLDER = Path("artefacts") / "passed"
# Where it stands, and how much of it was there when the run began: all processes leave out the
# same, whenever they begin.
_BEFORE = "AUTOGRADER_PASSED_BEFORE"
_ASKED = "AUTOGRADER_RESUMES"
_BY = "AUTOGRADER_ATTACKS_BY"


def begin(config: pytest.Config) -> None:
    """Keep what passes from now on, where this was asked for: by AUTOGRADER_RESUMES=1."""
    if os.environ.pop(_ASKED, ""):
        config.pluginmanager.register(_Resuming(config.rootpath))


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take away what had passed when the run began."""
    before = _passed_before()
    if before:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in before])
        items[:] = [item for item in items if item.nodeid not in before]


class _Resuming:
    """A plugin of pytest for the process that hears from all others."""

    def __init__(self, root: Path) -> None:
        self._failed = set[str]()
        state = _state_of(root)
        self._kept = root / FOLDER / f"{state}.txt" if state else None
        if self._kept:
            self._kept.parent.mkdir(parents=True, exist_ok=True)
            self._kept.touch()
            os.environ[_BEFORE] = f"{self._kept.stat().st_size} {self._kept}"

    def pytest_report_header(self) -> list[str]:
        """How many are left out, and how to try them again."""
        before = len(_passed_before())
        said = f"{before} tests have passed before and are left out, as {self._kept} says"
        return [said] if before else []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what has passed, or was skipped, once all of it is over."""
        if report.failed:
            self._failed.add(report.nodeid)
        if self._kept and report.when == "teardown" and report.nodeid not in self._failed:
            with self._kept.open("a", encoding="utf-8") as kept:
                kept.write(f"{report.nodeid}\n")

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """That nothing was left to try is no failure."""
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and _passed_before():
            session.exitstatus = pytest.ExitCode.OK


def _passed_before() -> set[str]:
    """The tests that had passed when this run began."""
    size, _, path = os.environ.get(_BEFORE, "").partition(" ")
    if not path:
        return set()
    return {*Path(path).read_bytes()[: int(size)].decode().splitlines()}


def _state_of(root: Path) -> str:
    """A digest of all files that git knows or should; "" where there is no git."""
    digest = hashlib.sha256(os.environ.get(_BY, "").encode())
    new = ["ls-files", "--others", "--exclude-standard", "-z"]
    for words in (["rev-parse", "HEAD"], ["diff", "HEAD"], new):
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, check=False)
        if done.returncode:
            return ""
        digest.update(done.stdout)
    # Of these, git has told the names alone.
    for name in filter(None, os.fsdecode(done.stdout).split("\0")):
        if (root / name).is_file():
            digest.update(hashlib.sha256((root / name).read_bytes()).digest())
    return digest.hexdigest()[:16]
