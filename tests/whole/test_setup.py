"""The files that set the project up agree with each other and with what is installed."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import (
    PackageNotFoundError,
    metadata,
    packages_distributions,
    requires,
    version,
)
from pathlib import Path

import pytest
import yaml
from nbgrader.apps import api
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version
from traitlets.config.loader import PyFileConfigLoader

from autograder.errors import EXTRAS
from tests.support.course import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# What is asked for by whom: nothing more for the checks, or one of the extras.
ASKED = {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
PYTHON = PROJECT["requires-python"]
OURS = canonicalize_name(PROJECT["name"])
EVERYTHING = [
    one for texts in ASKED.values() for one in map(Requirement, texts) if one.name != OURS
]
# It comes with every environment, and is nothing that we choose.
UNPINNED = {"pip"}


def pins(lines):
    """Versions by name, from lines such as numpy==2.4.6."""
    exact = (re.fullmatch(r"([\w.-]+)==([\w.]+)", line.strip()) for line in lines)
    return {canonicalize_name(found[1]): found[2] for found in exact if found}


CONSTRAINTS = pins((ROOT / "constraints.txt").read_text().splitlines())


def conda():
    return yaml.safe_load((ROOT / "environment.yml").read_text())


def conda_pip():
    (found,) = [part["pip"] for part in conda()["dependencies"] if isinstance(part, dict)]
    return found


def needed(requirements):
    """Names of all distributions that these requirements bring here, themselves included."""
    found, waiting = set(), [(r.name, frozenset(r.extras)) for r in requirements]
    while waiting:
        name, extras = key = waiting.pop()
        if key not in found:
            found.add(key)
            for text in requires(name) or ():
                wanted = Requirement(text)
                marker = wanted.marker
                if not marker or any(marker.evaluate({"extra": e}) for e in extras | {""}):
                    waiting.append((wanted.name, frozenset(wanted.extras)))
    return {canonicalize_name(name) for name, _ in found}


def test_constraints_are_exact_and_sorted():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    names = [line.split("==")[0].lower() for line in lines if not line.startswith("#")]
    assert names == sorted(names)
    assert len(names) == len(CONSTRAINTS)


@pytest.mark.parametrize("requirement", EVERYTHING, ids=lambda r: r.name)
def test_direct_dependency_is_pinned(requirement):
    pinned = CONSTRAINTS[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(pinned)


@pytest.mark.parametrize("requirement", EVERYTHING, ids=lambda r: r.name)
def test_lower_bound_only(requirement):
    # We replace a part of nbgrader, which a later one may have changed.
    both = [">=", "<"] if requirement.name == "nbgrader" else [">="]
    assert sorted(clause.operator for clause in requirement.specifier) == sorted(both)


def test_all_that_is_needed_is_pinned():
    assert needed(EVERYTHING) - UNPINNED <= set(CONSTRAINTS)


def test_installed_versions_are_the_pinned():
    installed = {}
    for name in CONSTRAINTS:
        try:
            installed[name] = Version(version(name)).public
        except PackageNotFoundError:
            continue
    assert installed.keys() >= {canonicalize_name(r.name) for r in EVERYTHING}
    assert installed == {name: CONSTRAINTS[name] for name in installed}


def test_pins_run_on_debians_python():
    # Debian 12 has 3.11.2: a package that asks for a later 3.11 makes `make setup` fail there.
    asked = {
        name: metadata(name).get("Requires-Python")  # type: ignore[attr-defined]
        for name in needed(EVERYTHING)
    }
    assert {
        n: asks for n, asks in asked.items() if asks and "3.11.2" not in SpecifierSet(asks)
    } == {}


def brought_by(extra):
    """The names of all that an extra brings, of this project's own extras what these bring."""
    names, asked = set(), [Requirement(text) for text in [*ASKED[""], *ASKED[extra]]]
    while ours := [one for one in asked if one.name == OURS]:
        asked = [one for one in asked if one.name != OURS]
        asked += [Requirement(text) for one in ours for name in one.extras for text in ASKED[name]]
    names |= needed(asked)
    return names


def test_students_need_no_grader():
    assert not brought_by("lessons") & {"nbgrader", "sqlalchemy", "jupytext", "distributed"}
    assert not brought_by("") & {"torch", "matplotlib", "jupyterlab", "nbgrader", "ipykernel"}
    assert {"nbgrader", "jupyterlab", "torch"} <= brought_by("grading")


def test_what_is_missing_is_said_with_what_brings_it():
    """Each module that an extra brings is named with that extra where it is missing."""
    distributions = packages_distributions()
    for module, extra in EXTRAS.items():
        names = {canonicalize_name(one) for one in distributions[module]}
        asked = {canonicalize_name(Requirement(text).name) for text in ASKED[extra]}
        assert names & asked, module
    named = {canonicalize_name(one) for module in EXTRAS for one in distributions[module]}
    optional = [text for extra in ("lessons", "grading", "cluster") for text in ASKED[extra]]
    assert {canonicalize_name(Requirement(text).name) for text in optional} - {OURS} <= named


def test_versions_stand_in_one_place():
    assert {"uv", "setuptools"} <= set(CONSTRAINTS)
    assert conda_pip() == ["-c constraints.txt", "-e .[grading]"]
    pinned = re.compile(rf"\b({'|'.join(CONSTRAINTS)})==[0-9]", re.IGNORECASE)
    places = (*ROOT.glob("*"), *ROOT.glob("tools/*"), *ROOT.glob("docs/*.md"), ROOT / ".ci" / "run")
    texts = {path.name: path.read_text(errors="replace") for path in places if path.is_file()}
    # What Pyodide is taken from has the versions of that Pyodide.
    elsewhere = {name for name, text in texts.items() if pinned.search(text)} - {"pyodide.txt"}
    assert elsewhere == {"constraints.txt"}


def test_pythons_are_the_same_everywhere():
    allowed = [f"3.{minor}" for minor in range(30) if f"3.{minor}.5" in SpecifierSet(PYTHON)]
    listed = [line for line in PROJECT["classifiers"] if " :: Python :: 3." in line]
    assert listed == [f"Programming Language :: Python :: {version}" for version in allowed]
    first, last = (tuple(map(int, version.split("."))) for version in (allowed[0], allowed[-1]))
    finds = (ROOT / "tools" / "find-python").read_text()
    assert f"{first} <= sys.version_info[:2] <= {last}" in finds
    assert f"'{PYTHON}'" in finds
    assert " ".join(f"python{version}" for version in reversed(allowed)) in finds
    (conda_python,) = [p for p in conda()["dependencies"] if str(p).startswith("python=")]
    assert conda_python.removeprefix("python=") in allowed


def test_solutions_are_not_packaged():
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert setup["packages"] == {"find": {"include": ["autograder*", "companion*"]}}


def test_nothing_that_is_ignored_is_committed():
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == ""


def test_every_target_is_explained():
    makefile = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split()
    assert re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE) == phony


def test_what_is_compiled_is_kept():
    asks = ["--eval", "asked: ; @echo $${PYTHONDONTWRITEBYTECODE-kept}", "asked"]
    done = subprocess.run(
        ["make", "--no-print-directory", *asks],
        cwd=ROOT,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "kept\n"


def load(folder):
    """The course's configuration, as nbgrader reads it in some folder."""
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    return PyFileConfigLoader("nbgrader_config.py", path=str(folder)).load_config()


@pytest.fixture(autouse=True)
def search_paths(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["one", "two"]))
    monkeypatch.setenv("PATH", os.environ["PATH"])


def test_config_stays_in_the_course(tmp_path):
    config = load(tmp_path)
    root = tmp_path.resolve()
    assert config.CourseDirectory.root == str(root)
    for place in (config.Exchange.root, config.Exchange.cache, config.Exchange.assignment_dir):
        assert Path(place).parent == root
    assert list(tmp_path.iterdir()) == [tmp_path / "nbgrader_config.py"]


def test_config_changes_one_preprocessor(tmp_path):
    ours = [step.__name__ for step in load(tmp_path).GenerateAssignment.preprocessors]
    stock = [step.__name__ for step in GenerateAssignment.preprocessors.default()]
    assert ours[stock.index("ClearSolutions")] == "LeaveGivenLines"
    ours[stock.index("ClearSolutions")] = "ClearSolutions"
    assert ours == stock


def test_config_grades_safely(tmp_path):
    config = load(tmp_path)
    converter = api.Autograde(coursedir=CourseDirectory(config=config), config=config)
    steps = [*converter.sanitize_preprocessors, *converter.autograde_preprocessors]
    assert "GradeSafely" in [step.__name__ for step in steps]
    assert "Execute" not in [step.__name__ for step in steps]
    assert "isolation" not in config.GradeSafely


def test_config_extends_search_paths_once(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    programs = os.environ["PATH"].split(os.pathsep)
    for _ in range(2):
        load(tmp_path)
        assert sys.path.count(str(tmp_path.resolve())) == 1
        beside = str(Path(sys.executable).parent)
        rest = [folder for folder in programs if folder not in (beside, "")]
        assert os.environ["PATH"].split(os.pathsep) == [beside, *rest]
