"""Attacks by the folder that is handed in; they go through nbgrader."""

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.attacks.attack import LESSON, Attack, Folder
from tests.support.attacks.notebooks import delete_tests, edited, many_cells, surrogates


def _notebook_of_a_neighbour(folder: Path) -> None:
    notebook = folder / f"{LESSON}.ipynb"
    notebook.unlink()
    notebook.symlink_to(folder.parents[1] / "ada" / LESSON / notebook.name)


def _folder_of_a_neighbour(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    folder.symlink_to(folder.parents[1] / "ada" / LESSON)


def _links(folder: Path) -> None:
    course = folder.parents[2]
    (folder / "grades.txt").symlink_to(course / "gradebook.db")
    (folder / "notes.txt").symlink_to(course / "secret.txt")
    (folder / "all").symlink_to(course)
    (folder / "endless").symlink_to("/dev/zero")


def _pipe(name: str) -> Folder:
    return lambda folder: os.mkfifo(folder / name)


def _endless_timestamp(folder: Path) -> None:
    (folder / "timestamp.txt").symlink_to("/dev/zero")


def _bad_timestamp(folder: Path) -> None:
    (folder / "timestamp.txt").write_bytes(b"\xff9999-99-99 the day after tomorrow")


def _digits(folder: Path) -> None:
    (folder / "timestamp.txt").write_text("1" * 400)


def _closed(folder: Path) -> None:
    (folder / "closed.txt").touch()
    (folder / "closed.txt").chmod(0)


def _folder_for_a_file(folder: Path) -> None:
    (folder / "checks.json").unlink()
    (folder / "checks.json").mkdir()
    (folder / "checks.json" / "x.txt").touch()


def _folder_for_the_record(folder: Path) -> None:
    record = folder / f"{LESSON}.verdicts.json"
    record.mkdir()
    (record / "x").write_text("mine")


def _forged_files(folder: Path) -> None:
    verdict = {"grade_id": "attention_weights_check", "verdict": "passed", "points": 3.0}
    (folder / f"{LESSON}.verdicts.json").write_text(json.dumps({"cells": [verdict]}))
    (folder / "checks.json").write_text("{}")
    (folder / "solutions").mkdir()
    for name in ("numpy", "autograder", "companion", "solutions/__init__", "sitecustomize"):
        shadow = f"open({str(folder.parents[2] / 'breach')!r}, 'w').close()\n"
        (folder / f"{name}.py").write_text(shadow)
    (folder / "nbgrader_config.py").write_text("c.Autograde.autograde_preprocessors = []")


def _large_files(folder: Path) -> None:
    for number in range(8):
        with open(folder / f"{number}.bin", "wb") as file:
            file.truncate(9_000_000)


def _many_files(folder: Path) -> None:
    for number in range(500):
        (folder / f"{number}.txt").touch()


def _odd_names(folder: Path) -> None:
    for name in ("..%2f..%2fescape", "..\\..\\escape", "a\nb", "-rf", "\udcff", "~", "x" * 250):
        (folder / name).touch()
    (folder / "other.ipynb").write_text("{}")
    (folder / "tests").mkdir()
    (folder / "tests" / f"{LESSON}.ipynb").write_text("{}")


def _archives(folder: Path) -> None:
    content = bytes(5_000_000)
    for _ in range(3):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(10):
                archive.writestr(f"../../{number}.zip", content)
        content = packed.getvalue()
    (folder / "submission.zip").write_bytes(content)


def _rewrite(change: Callable[[dict[str, Any]], bytes]) -> Folder:
    """The folder with its notebook's file changed."""

    def folder(path: Path) -> None:
        notebook = path / f"{LESSON}.ipynb"
        notebook.write_bytes(change(json.loads(notebook.read_text(encoding="utf-8"))))

    return folder


FOLDERS = (
    Attack("notebook is a link to a neighbour's", (20, 25), folder=_notebook_of_a_neighbour),
    Attack("folder is a link to a neighbour's", (20, 25), folder=_folder_of_a_neighbour),
    Attack("links to the gradebook and secrets", (20,), folder=_links),
    Attack("a pipe among the files", (20, 15), folder=_pipe("data.csv")),
    Attack("timestamp is a pipe", (26, 15), folder=_pipe("timestamp.txt")),
    Attack("timestamp is a link to no end of zeros", (26, 16), folder=_endless_timestamp),
    Attack("timestamp that can't be read", (26, 14), folder=_bad_timestamp),
    Attack("a folder in the place of the record", (11, 14), folder=_folder_for_the_record),
    Attack("forged record, configuration and modules", (11, 23, 33), folder=_forged_files),
    Attack("more files than fit", (22, 14), folder=_large_files),
    Attack("five hundred files", (22,), folder=_many_files),
    Attack("archives in archives", (22, 21), folder=_archives),
    Attack("names that lead elsewhere", (21,), folder=_odd_names),
    Attack("surrogates through nbgrader", (14,), folder=_rewrite(edited(surrogates))),
    Attack("tests deleted after full marks", (14, 30), folder=_rewrite(edited(delete_tests))),
    Attack("three hundred thousand cells", (15, 14), folder=_rewrite(many_cells)),
    Attack("timestamp of 400 digits", (26, 14), folder=_digits),
    Attack("a file that nobody may read", (14,), folder=_closed),
    Attack("a folder in the place of a file of the course's", (14, 23), folder=_folder_for_a_file),
)
