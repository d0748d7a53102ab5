"""A folder with Pyodide and packages for it: what there is, and a smaller one of what is needed.

Such a folder is an unpacked release of Pyodide's, or what tools/fetch_pyodide.py makes.
"""

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autograder.authoring.browser.wheels import Wheel
from autograder.errors import CourseError

ENTRY, LOCK = "pyodide.mjs", "pyodide-lock.json"
_RUNTIME = (ENTRY, "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")


class NotForBrowsers(CourseError):
    """A lesson, or this machine, lacks what it takes to run lessons in a browser."""


class Pyodide:
    """What lies in such a folder.

    Args:
        folder: where it lies.

    Raises:
        NotForBrowsers: when it is not there, or lacks a part.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if missing := [name for name in (*_RUNTIME, LOCK) if not (folder / name).is_file()]:
            raise NotForBrowsers(
                f"{folder} has no {missing[0]}: unpack a release of Pyodide there, or run "
                "`python -m tools.fetch_pyodide` in the course's repository"
            )
        self._lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
        self._packages: dict[str, dict[str, Any]] = self._lock["packages"]

    def provider(self, module: str) -> str:
        """The package that a module is imported from, or nothing when there is none."""
        names = (name for name, one in self._packages.items() if module in one["imports"])
        return next(names, "")

    def with_needed(self, names: Iterable[str]) -> list[str]:
        """These packages and all that they need, sorted.

        Raises:
            NotForBrowsers: when there is no such package, or its file is missing.
        """
        found, waiting = set[str](), {*names}
        while waiting:
            found |= waiting
            needed = {one for name in waiting for one in self._package(name)["depends"]}
            waiting = {_as_listed(one) for one in needed} - found
        return sorted(found)

    def copy(self, folder: Path, names: Iterable[str], wheels: Iterable[Wheel]) -> None:
        """Write a smaller one into a folder: some packages with all that they need, and wheels.

        Raises:
            NotForBrowsers: as `with_needed`.
        """
        own = {wheel.name: wheel for wheel in wheels}
        wanted = {*names, *(one for wheel in own.values() for one in wheel.depends)}
        kept = {name: self._package(name) for name in self.with_needed(wanted - own.keys())}
        folder.mkdir(parents=True)
        for file in (*_RUNTIME, *(package["file_name"] for package in kept.values())):
            shutil.copyfile(self.folder / file, folder / file)
        for wheel in own.values():
            shutil.copyfile(wheel.path, folder / wheel.path.name)
        listed = kept | {name: _entry(wheel) for name, wheel in own.items()}
        lock = {**self._lock, "packages": dict(sorted(listed.items()))}
        (folder / LOCK).write_text(json.dumps(lock), encoding="utf-8")

    def _package(self, name: str) -> dict[str, Any]:
        package = self._packages.get(name)
        if package is None or not (self.folder / package["file_name"]).is_file():
            raise NotForBrowsers(
                f"{self.folder} has no package {name}, which lessons need in a browser: take the "
                "whole release of Pyodide"
            )
        return package


def _as_listed(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _entry(wheel: Wheel) -> dict[str, Any]:
    return {
        "name": wheel.name,
        "version": wheel.version,
        "file_name": wheel.path.name,
        "install_dir": "site",
        "sha256": wheel.digest,
        "package_type": "package",
        "imports": [*wheel.imports],
        "depends": [*wheel.depends],
        "unvendored_tests": False,
    }
