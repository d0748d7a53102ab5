"""What docs/where_it_runs.md gives to be copied does what the page says of it."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import yaml
from nbformat.notebooknode import NotebookNode
from typer.testing import CliRunner

from autograder.checks.source.cells import grade_id_of
from autograder.cli.program import app
from autograder.learner.jupyter import NOT_BESIDE_SUBMISSIONS
from tests.support.course import ROOT

PAGE = (ROOT / "docs" / "where_it_runs.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n\n((?:.*\n)*?)(?=^## |\Z)", PAGE, re.MULTILINE))
LESSON = "week1"
SOLVED = {
    "mean": "def mean(values):\n    return values.mean()",
    "spread": "def spread(values):\n    return values.max() - values.min()",
}


def blocks(section: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", SECTIONS[section], re.S)


@pytest.mark.parametrize("section", ["GitHub Actions", "Gradescope"])
def test_what_is_lost_is_said_first(section: str) -> None:
    assert SECTIONS[section].startswith("**What is lost:**")


def test_images_are_those_of_the_containerfile() -> None:
    targets = set(re.findall(r"--target (\w+)", PAGE))
    assert targets == {"grading", "student"}
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert targets <= set(re.findall(r"^FROM .* AS (\w+)$", text, re.MULTILINE))
    assert set(re.findall(r"--build-arg (\w+=\S+)", PAGE)) <= set(
        re.findall(r"^ARG (.+)$", text, re.MULTILINE)
    )


def test_workflow_calls_what_is_there() -> None:
    (text,) = blocks("GitHub Actions", "yaml")
    (job,) = yaml.safe_load(text)["jobs"].values()
    commands = [shlex.split(step["run"]) for step in job["steps"] if "run" in step]
    ours = [words[1:] for words in commands if words[0] == ".venv/bin/autograder"]
    assert [words[0] for words in ours] == ["doctor", "build", "grade"]
    for words in ours:
        known = CliRunner().invoke(app, [words[0], "--help"], env={"COLUMNS": "200"}).output
        assert [word for word in words if word.startswith("--") and word not in known] == []
    assert (ROOT / "tools" / "system-packages").is_file()


def test_lecturer_alone_begins_in_the_course() -> None:
    *_, text = blocks("JupyterHub with nbgrader's exchange", "python")
    config = SimpleNamespace(Spawner=SimpleNamespace())
    exec(text, {"get_config": lambda: config})
    begun = {}
    shared = {"LANG": "C"}
    for name in ("lecturer", "ada"):
        spawner = SimpleNamespace(
            user=SimpleNamespace(name=name), environment=shared, notebook_dir=""
        )
        config.Spawner.pre_spawn_hook(spawner)
        begun[name] = spawner
    course = begun["lecturer"].notebook_dir
    assert begun["lecturer"].environment == {"LANG": "C", "JUPYTER_CONFIG_PATH": course}
    assert (begun["ada"].notebook_dir, begun["ada"].environment) == ("", {"LANG": "C"})


def test_lecturer_has_no_button_that_runs_what_students_wrote() -> None:
    """The page switches off at a hub what `autograder teach` does."""
    (text,) = blocks("JupyterHub with nbgrader's exchange", "json")
    off = {f"nbgrader.server_extensions.{one.replace('-', '_')}" for one in NOT_BESIDE_SUBMISSIONS}
    assert json.loads(text)["ServerApp"]["jpserver_extensions"] == dict.fromkeys(off, False)


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gradescope's folders, with a built course and the page's program."""
    here = tmp_path_factory.mktemp("gradescope")
    course = here / "source" / "course"
    for command in (["new-course", str(course)], ["build"]):
        done = subprocess.run(
            [sys.executable, "-m", "autograder.cli", *command],
            cwd=course if course.exists() else ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    (here / "results").mkdir()
    (text,) = blocks("Gradescope", "python")
    text = text.replace('"/autograder"', repr(str(here)))
    text = text.replace("02_dot_product_self_attention", LESSON)
    (here / "run_autograder").write_text(text, encoding="utf-8")
    return here


def handed_out(container: Path) -> NotebookNode:
    path = container / "source" / "course" / "notebooks" / LESSON / f"{LESSON}.ipynb"
    return nbformat.read(path, as_version=4)


def graded(container: Path, submission: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """What comes of these files, each by its name, in a new container."""
    for name in ("submission", "work", "out"):
        shutil.rmtree(container / name, ignore_errors=True)
    (container / "results" / "results.json").unlink(missing_ok=True)
    (container / "submission").mkdir()
    for name, text in submission.items():
        (container / "submission" / name).write_text(text, encoding="utf-8")
    command = [sys.executable, str(container / "run_autograder")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_gradescope_gets_the_points_of_the_record(container: Path) -> None:
    notebook = handed_out(container)
    for cell in notebook.cells:
        if grade_id_of(cell) == "mean":
            cell.source = SOLVED["mean"]
    done = graded(container, {"my answers.ipynb": nbformat.writes(notebook)})
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((container / "results" / "results.json").read_text(encoding="utf-8"))
    points = {test["name"]: (test["score"], test["max_score"]) for test in results["tests"]}
    assert points["mean"][0] == points["mean"][1] > 0
    assert points["spread"][0] == 0 < points["spread"][1]


@pytest.mark.long
def test_gradescope_gets_no_0_for_what_is_not_graded(container: Path) -> None:
    notebook = handed_out(container)
    submission = {}
    for name, answer in SOLVED.items():
        for cell in notebook.cells:
            if grade_id_of(cell) == name:
                cell.source = answer
        submission[f"{name}.ipynb"] = nbformat.writes(notebook)
    done = graded(container, submission)
    assert done.returncode == 1
    assert "mean.ipynb" in done.stderr
    assert not (container / "results" / "results.json").exists()
