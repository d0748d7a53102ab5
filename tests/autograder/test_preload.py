"""What an entry of `preload` imports, in the grader and in the sandbox."""

import os
import sys

import pytest

from autograder.preload import load, package_of
from autograder.student.limits import Limits
from autograder.student.sandbox.control import Link
from autograder.student.sandbox.sandbox import Sandbox

LAZY = """\
import importlib
__all__ = ["part"]
def __getattr__(name):
    if name in __all__:
        return importlib.import_module(f"gallery_of_parts.{name}")
    raise AttributeError(name)
"""


@pytest.fixture
def gallery(tmp_path, monkeypatch):
    """A package that imports its parts when they are first asked for."""
    folder = tmp_path / "gallery_of_parts"
    folder.mkdir()
    (folder / "__init__.py").write_text(LAZY)
    (folder / "part.py").touch()
    (tmp_path / "secret.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    yield "gallery_of_parts"
    for name in [name for name in sys.modules if package_of(name) == "gallery_of_parts"]:
        del sys.modules[name]


@pytest.mark.parametrize(("ending", "parts"), [("", set()), (".*", {"part"})])
def test_load(gallery, ending, parts):
    load(f"{gallery}{ending}")
    loaded = {name for name in sys.modules if package_of(name) == gallery}
    assert loaded == {gallery, *(f"{gallery}.{part}" for part in parts)}


def test_module_without_a_list_of_names(tmp_path, monkeypatch):
    (tmp_path / "plain_helper.py").write_text("one = 1\n_two = 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    load("plain_helper.*")
    assert sys.modules.pop("plain_helper").one == 1


@pytest.mark.parametrize("entry", ["a", "a.b", "a.*", "a.b.*"])
def test_package_of(entry):
    assert package_of(entry) == "a"


def test_students_find_it_imported_and_nothing_beside_it(gallery):
    entry = "tests.support.inside:obey"
    with (
        Sandbox(Limits(), preload=[f"{gallery}.*"], entry=entry) as sandbox,
        sandbox.spawn({}, 1) as student,
    ):
        link = Link(student.sock)
        for code in (
            f"import sys; '{gallery}.part' in sys.modules",
            "import importlib.util; importlib.util.find_spec('secret') is None",
        ):
            link.send({"code": code})
            assert link.receive() == {"value": "True"}


def test_no_variable_tells_what_others_needed(gallery, tmp_path, monkeypatch):
    monkeypatch.setenv("BEFORE", "there")
    (tmp_path / "setter.py").write_text("import os\nos.environ['AFTERWARDS'] = '1'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    load("setter")
    assert "AFTERWARDS" not in os.environ
    assert os.environ["BEFORE"] == "there"
