"""The images hold what the project's own lists name, and begin as they say: none is built here."""

import fnmatch
import json
import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from tests.support.course import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINNED = dict(
    re.findall(r"^([\w.-]+)==(.+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
)
# What tools/system-packages installs, by what it is asked for.
SYSTEM = {
    what: packages.split()
    for what, packages in re.findall(
        r'require (\w+)(?:\s|\\|"[^"]*")+([a-z][a-z0-9 -]*)\n',
        (ROOT / "tools/system-packages").read_text(),
    )
}
IGNORED = [
    line
    for line in (ROOT / ".containerignore").read_text().splitlines()
    if line and not line.startswith("#")
]
STAGES = ("engine", "grading", "student")


def stages() -> dict[str, list[tuple[str, str]]]:
    """The instructions of each stage, each with what follows its name."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Containerfile").read_text(), flags=re.MULTILINE)
    found: dict[str, list[tuple[str, str]]] = {}
    for line in filter(None, text.replace("\\\n", " ").splitlines()):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            found[rest.split(" AS ")[1]] = []
        [*found.values()][-1].append((word, " ".join(rest.split())))
    return found


def of_kind(kind: str, *names: str) -> list[str]:
    return [rest for name in names or STAGES for word, rest in stages()[name] if word == kind]


def installs() -> list[list[str]]:
    """The words of each call of pip, or of uv's."""
    calls = [call.strip() for run in of_kind("RUN") for call in run.split("&&")]
    return [shlex.split(call) for call in calls if "pip install" in call]


def test_stages_are_known() -> None:
    assert tuple(stages()) == STAGES


def test_python_is_one_that_the_project_allows() -> None:
    bases = [base.split(" AS ")[0] for base in of_kind("FROM")]
    outer = [base for base in bases if base not in STAGES]
    assert outer
    for base in outer:
        tag = re.fullmatch(r"docker\.io/library/python:(3\.\d+)-slim-\w+", base)
        assert tag[1] in SpecifierSet(PROJECT["requires-python"])


def test_system_packages_are_those_of_the_project() -> None:
    assert {"bubblewrap", "python"} <= set(SYSTEM)
    asked = {
        name: " ".join(re.findall(r"apt-get install -y --no-install-recommends ([^&]+)", run))
        for name in STAGES
        for run in [" && ".join(of_kind("RUN", name))]
    }
    assert asked["grading"].split() == SYSTEM["bubblewrap"]
    assert not asked["engine"] + asked["student"]
    assert sum(run.count("apt-get install") for run in of_kind("RUN")) == 1


def test_what_is_installed_is_pinned() -> None:
    assert len(installs()) == 3
    for words in installs():
        assert words[words.index("-c") + 1] == "constraints.txt"
        given = words[words.index("install") + 1 :]
        after = {"-c", "-b", "--torch-backend"}
        names = [
            word
            for before, word in zip(["", *given], given, strict=False)
            if not word.startswith("-") and before not in after
        ]
        assert names
        for name in names:
            if extra := re.fullmatch(r"\.\[(\w+)\]", name):
                assert extra[1] in PROJECT["optional-dependencies"]
            else:
                assert name in PINNED or name == "jupyterhub==$JUPYTERHUB"


def test_students_get_no_grader() -> None:
    (extras,) = (
        [w for w in words if w.startswith(".[")] for words in installs() if "nbgrader" in words
    )
    assert extras == [".[lessons]"]


@pytest.mark.parametrize("copied", of_kind("COPY"))
def test_copied_paths_are_there_and_reach_the_engine(copied: str) -> None:
    for path in copied.split()[:-1]:
        assert (ROOT / path).exists()
        assert f"!{path}" in IGNORED


def test_nothing_else_reaches_the_engine() -> None:
    """No solution and no grade: all is ignored but what is copied."""
    copied = {path for one in of_kind("COPY") for path in one.split()[:-1]}
    assert IGNORED[0] == "*"
    assert {line[1:] for line in IGNORED if line.startswith("!")} == copied
    assert not any(fnmatch.fnmatch("solutions", path) for path in copied)


@pytest.mark.parametrize("name", STAGES[1:])
def test_nobody_is_root_in_the_end(name: str) -> None:
    *_, user = of_kind("USER", name)
    assert user != "root"
    assert any(run.endswith(f" {user}") and "useradd" in run for run in of_kind("RUN", name))


@pytest.mark.parametrize(("walls", "does"), [(0, "looked\ngrades\n"), (1, "looked\n")])
def test_grading_begins_with_the_doctor(tmp_path: Path, walls: int, does: str) -> None:
    doctor = tmp_path / "autograder"
    doctor.write_text(f'#!/bin/sh\n[ "$*" = doctor ] || exit 9\necho looked\nexit {walls}\n')
    doctor.chmod(0o755)
    (entry,) = of_kind("ENTRYPOINT", "grading")
    done = subprocess.run(
        [*json.loads(entry), "echo", "grades"],
        env={"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == does
    assert done.returncode == walls
