"""What Codespaces and Binder are told agrees with the project's own lists: none is started here."""

import json
import re
import tomllib

import pytest
from packaging.specifiers import SpecifierSet

from tests.support.course import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONTAINER = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
BINDER = ROOT / "binder"
ASKED = [line for line in (BINDER / "requirements.txt").read_text().splitlines() if line[:1] != "#"]


@pytest.mark.parametrize(
    "place", [CONTAINER["image"], (BINDER / "runtime.txt").read_text()], ids=["container", "binder"]
)
def test_python_is_one_that_the_project_allows(place: str) -> None:
    (version,) = re.findall(r"python[:-](3\.\d+)", place)
    assert version in SpecifierSet(PROJECT["requires-python"])


def test_container_is_set_up_as_any_other_machine() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    asked = [CONTAINER["postCreateCommand"], *re.findall(r"make [a-z]+", str(CONTAINER))]
    assert len(asked) == 3
    assert {command.removeprefix("make ") for command in asked} <= {*targets}
    settings = CONTAINER["customizations"]["vscode"]["settings"]
    assert settings["python.defaultInterpreterPath"].endswith("/.venv/bin/python")


def test_binder_has_what_a_student_installs() -> None:
    (constraints,) = [line.removeprefix("-c ") for line in ASKED if line.startswith("-c ")]
    assert (BINDER / constraints).resolve() == ROOT / "constraints.txt"
    (extra,) = [line for line in ASKED if line.startswith(".")]
    assert extra == ".[lessons]"
    assert "lessons" in PROJECT["optional-dependencies"]
    # A loose requirement met with no PyTorch installed pulls the gigabytes for GPUs.
    assert any(line.startswith("--extra-index-url") and line.endswith("/cpu") for line in ASKED)
