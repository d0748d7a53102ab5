"""A wheel of what lies here: it can be installed, and its name changes with what is in it."""

import os
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from autograder.authoring.browser.wheels import is_pure, pack


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "gallery"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "old.pyc").touch()
    (folder / "__init__.py").write_text("ROOMS = 3\n")
    (folder / "weights.npz").write_text("many numbers")
    return folder


def test_what_is_packed_can_be_imported_and_is_listed(package: Path, tmp_path: Path) -> None:
    module = tmp_path / "sample_data.py"
    module.write_text("HEIGHTS = [1]\n")
    places = {"gallery": package, "sample_data": module}
    wheel = pack(tmp_path, "the-course", "1", places, ["numpy"], {package / "weights.npz"})
    assert (wheel.imports, wheel.depends) == (("gallery", "sample_data"), ("numpy",))
    with zipfile.ZipFile(wheel.path) as packed:
        packed.extractall(tmp_path / "installed")
    names = [path.name for path in (tmp_path / "installed").rglob("*") if path.is_file()]
    assert sorted(names) == ["METADATA", "RECORD", "WHEEL", "__init__.py", "sample_data.py"]
    (info,) = (tmp_path / "installed").glob("*.dist-info")
    installed = PathDistribution(info)
    assert (installed.name, installed.version) == ("the-course", wheel.version)
    for file in installed.files:
        assert file.hash is None or file.read_binary() == Path(file.locate()).read_bytes()


def test_name_tells_what_is_in_it_and_not_when_it_was_made(package: Path, tmp_path: Path) -> None:
    first = pack(tmp_path, "gallery", "1", {"gallery": package})
    before = first.digest
    os.utime(package / "__init__.py", (1e9, 1e9))
    again = pack(tmp_path, "gallery", "1", {"gallery": package})
    assert (again.path.name, again.digest) == (first.path.name, before)
    (package / "__init__.py").write_text("ROOMS = 4\n")
    assert pack(tmp_path, "gallery", "1", {"gallery": package}).path.name != first.path.name


def test_compiled_package_is_not_pure(package: Path) -> None:
    assert is_pure(package)
    (package / "fast.cpython-311.so").touch()
    assert not is_pure(package)
