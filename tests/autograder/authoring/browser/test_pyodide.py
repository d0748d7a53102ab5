"""A folder with Pyodide: what is in it, and what is said when something is not."""

import json
import re
from pathlib import Path

import pytest

from autograder.authoring.browser.pyodide import NotForBrowsers, Pyodide
from autograder.authoring.browser.wheels import pack
from tests.support.like_pyodide import FILES, like_pyodide


def test_package_comes_with_all_that_it_needs(tmp_path: Path) -> None:
    pyodide = Pyodide(like_pyodide(tmp_path / "pyodide"))
    assert pyodide.provider("dateutil") == ""
    assert pyodide.provider("python_dateutil") == "python-dateutil"
    found = ["matplotlib", "numpy", "python-dateutil", "six"]
    assert pyodide.with_needed(["matplotlib"]) == found


def test_copy_has_what_is_needed_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "six.py").touch()
    own = pack(tmp_path, "six", "9", {"six": tmp_path / "six.py"}, ["numpy"])
    Pyodide(like_pyodide(tmp_path / "pyodide")).copy(tmp_path / "small", ["micropip"], [own])
    names = {path.name for path in (tmp_path / "small").iterdir()}
    listed = json.loads((tmp_path / "small" / "pyodide-lock.json").read_text())["packages"]
    assert [*listed] == ["micropip", "numpy", "six"]
    assert listed["six"]["sha256"] == own.digest
    files = {package["file_name"] for package in listed.values()}
    assert names == {*FILES, "pyodide-lock.json", *files}


@pytest.mark.parametrize("file", [*FILES, "pyodide-lock.json"])
def test_folder_that_lacks_a_part(tmp_path: Path, file: str) -> None:
    folder = like_pyodide(tmp_path / "pyodide")
    (folder / file).unlink()
    said = f"{folder} has no {file}: unpack a release of Pyodide there, or run `python -m tools"
    with pytest.raises(NotForBrowsers, match=re.escape(said)):
        Pyodide(folder)


def test_package_that_is_not_there(tmp_path: Path) -> None:
    pyodide = Pyodide(like_pyodide(tmp_path / "pyodide", without=["six"]))
    for name, missing in (("matplotlib", "six"), ("scipy", "scipy")):
        with pytest.raises(NotForBrowsers, match=f"has no package {missing}, which lessons need"):
            pyodide.with_needed([name])
