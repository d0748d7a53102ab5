"""Folders that a stranger has made: full of what would be run, if somebody looked for a module or a
setting there, or with files that nobody can read to their end.
"""

import json
import os
import re
from pathlib import Path

from jupyter_client.blocking.client import BlockingKernelClient

from tests.support.processes import BACKSTOP

HOSTILE = (
    ".jupyter/jupyter_server_config.py", ".jupyter/jupyter_config.py", "jupyter_server_config.py",
    "jupyter_config.py", "jupyter_lab_config.py", "nbgrader_config.py", "ipython_config.py",
    "ipython_kernel_config.py", ".ipython/profile_default/startup/first.py",
    "profile_default/startup/first.py", "profile_default/ipython_config.py",
    "ipykernel_launcher.py", "ipykernel/__init__.py", "jupyterlab.py", "jupyter_core.py",
    "nbgrader.py", "autograder.py", "companion.py", "numpy.py", "json.py", "sitecustomize.py",
    "usercustomize.py", "jupyter_server_config.d/hostile.py",
)  # fmt: skip


def hostile_folder(parent: Path) -> Path:
    """The folder; each of its files, when it is run, leaves one in `ran` beside the folder."""
    folder = parent / "folder"
    (parent / "ran").mkdir()
    for number, name in enumerate(HOSTILE):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        mark = parent / "ran" / f"{number} {path.name}"
        path.write_text(f"open({str(mark)!r}, 'w').close()\n")
    return folder


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _deep(path: Path) -> None:
    path.write_text("[" * 100_000)


def _half_a_letter(path: Path) -> None:
    """Half of an emoji stands in each text, as JSON can write it."""
    path.write_text(path.read_text().replace(': "', ': "\\ud83d'))


def _no_number(path: Path) -> None:
    path.write_text(re.sub(r": \d+(\.\d+)?", ": NaN", path.read_text()))


def _endless_words(path: Path) -> None:
    """Long, and of words at which what looks for a beginning looks for the end as well."""
    words = json.dumps("# " + "**You need** a " * 20_000)
    path.write_text(re.sub(r'("(?:source|mistake)": )(\[[^\]]*\]|"[^"]*")', rf"\1{words}",
                           path.read_text()))  # fmt: skip


# What the maker of a folder can do to a file that is read when somebody opens the folder.
DAMAGES = (_pipe, _folder, _deep, _half_a_letter, _no_number, _endless_words)


def what_ran(parent: Path) -> list[str]:
    return sorted(path.name.partition(" ")[2] for path in (parent / "ran").iterdir())


def printed(client: BlockingKernelClient, code: str) -> str:
    """What a cell prints in a kernel."""
    client.wait_for_ready(timeout=BACKSTOP)
    texts: list[str] = []
    client.execute_interactive(
        code,
        timeout=BACKSTOP,
        output_hook=lambda message: texts.append(message["content"].get("text", "")),
    )
    return "".join(texts).strip()
