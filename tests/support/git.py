"""Git in a folder of a test's own."""

import os
import subprocess
from pathlib import Path

_WHO = ("NAME", "EMAIL")


def git(folder: Path, *words: str, fails: bool = False) -> str:
    """One of git's commands, whatever whoever runs the tests has set."""
    names = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in _WHO}
    unset = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    ended = subprocess.run(
        ["git", "-C", str(folder), *words],
        env={**os.environ, **names, **unset},
        capture_output=True,
        text=True,
        check=False,
    )
    assert bool(ended.returncode) == fails, ended.stderr
    return ended.stdout
