import json
import sys

import pytest

from autograder import check
from autograder.authoring.build import shipping
from autograder.checks import examples
from autograder.checks.check import ExerciseNotPassed, name_of, say_once
from autograder.errors import CheckError
from tests.support.samples import affine_exam, mix, mixing_exam, run_cell

RIGHT = "def mix(weights, values):\n    return weights @ values\n"
WRONG = "def mix(weights, values):\n    return values.mean(axis=0)\n"
UNTRIED = "  The full exam also tries hidden cases: a mixture drawn at random."
UNWRITTEN = "def mix(weights, values):\n    raise NotImplementedError()\n"
KNOWN = ["scores", "weights", "context"]


def scores():
    """A function with the name of an exercise."""


def context():
    """Another one."""


def helper():
    """A function with no exercise's name."""


class weights:  # noqa: N801
    """A class with the name of an exercise."""


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    """Runs cells in one notebook, beside the printed examples of the exercise `mix`."""
    (tmp_path / examples.FILE).write_text(shipping.write({"mix": mixing_exam()}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    namespace: dict[str, object] = {"check": check}

    def run(*cells):
        for cell in cells:
            run_cell(cell, namespace)

    return run


@pytest.mark.parametrize(
    ("answer", "namespace", "name"),
    [
        (scores, {"scores": scores}, "scores"),
        (scores, {}, "scores"),
        (weights, {"weights": weights}, "weights"),
        (weights, {}, "weights"),
        (weights, {"scores": weights}, "scores"),
        (scores, {"weights": scores}, "weights"),
        (scores, {"weights": scores, "scores": scores}, "scores"),
        (scores, {"weights": scores, "scores": helper}, "weights"),
        (context, {"weights": context, "context": context}, "context"),
        (helper, {"context": helper, "helper": helper}, "context"),
        (helper, {"context": helper, "weights": helper}, "weights"),
        (7, {"context": 7}, "context"),
    ],
)
def test_name_of_answer(answer, namespace, name):
    assert name_of(answer, KNOWN, namespace) == name


@pytest.mark.parametrize(("answer", "shown"), [(helper, "helper"), (print, "print")])
def test_unknown_answer(answer, shown):
    with pytest.raises(CheckError) as error:
        name_of(answer, KNOWN, {"helper": helper})
    assert str(error.value) == (
        f"{shown} is not an exercise of this lesson; "
        "call check with one of: scores, weights, context"
    )


def test_right_answer_is_shown(notebook, capsys):
    notebook(RIGHT, "check(mix)")
    assert capsys.readouterr().out == f"mix: passed, 2 cases\n{UNTRIED}\n"


def test_wrong_answer_is_shown(notebook, capsys):
    notebook(WRONG, "check(mix)", "after = 1")
    said = capsys.readouterr().out
    assert said.startswith("mix: not yet right, 0 of 2 cases passed\n")
    assert "Hint: This is the plain average." in said


def test_corrected_answer(notebook, capsys):
    notebook(WRONG, "check(mix)", RIGHT, "check(mix)")
    assert capsys.readouterr().out.endswith(f"mix: passed, 2 cases\n{UNTRIED}\n")


def test_answer_under_another_name(notebook, capsys):
    notebook("mix = lambda weights, values: weights @ values", "check(mix)")
    assert capsys.readouterr().out.startswith("mix: passed")


def test_exception_in_answer(notebook, capsys):
    notebook("def mix(weights, values):\n    return weights[7]\n", "check(mix)")
    assert "line 2: return weights[7]" in capsys.readouterr().out


def test_no_exercise(notebook):
    with pytest.raises(CheckError, match=r"print is not an exercise .* one of: mix"):
        notebook("check(print)")


def test_no_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckError, match=r"checks\.json is not in"):
        check(mix)


ELSEWHERE = "There is no checks.json beside this notebook, so its checks are those of lesson 02 in "


@pytest.fixture
def away(notebook, tmp_path, monkeypatch):
    """A notebook without anything beside it, whose lesson the installed package has."""
    folder = tmp_path / "lessons"
    folder.mkdir()
    beside = tmp_path / examples.FILE
    written = json.loads(beside.read_text(encoding="utf-8")) | {"lesson": "02"}
    (folder / "02_x.json").write_text(json.dumps(written), encoding="utf-8")
    beside.unlink()
    monkeypatch.setattr(examples, "INSTALLED", folder)
    for kept in (examples.installed, say_once):
        kept.cache_clear()
    yield notebook
    examples.installed.cache_clear()


def test_installed_examples_are_said_once(away, capsys):
    away(RIGHT, "check(mix)", WRONG, "check(mix)")
    shown = capsys.readouterr().out
    assert shown.startswith(
        f"{ELSEWHERE}the installed {examples.installed_version()}.\nmix: passed"
    )
    assert shown.count("There is no") == 1
    assert "another version" not in shown
    assert "Hint" in shown


def test_nothing_is_said_of_a_missing_file_in_a_browser(away, capsys, monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    away(RIGHT, "check(mix)")
    assert capsys.readouterr().out.startswith("mix: passed")


def test_notebook_whose_exercise_took_something_else(away, capsys):
    away("def mix(shares, values):\n    return shares @ values", "check(mix)")
    assert capsys.readouterr().out.splitlines()[1] == (
        f"In {examples.installed_version()}, mix takes weights, and here it does not: unless you "
        "have changed its parameters, this notebook is of another version."
    )


def test_notebook_whose_exercise_is_gone(away):
    with pytest.raises(CheckError, match="has no exercise called old: keep the file"):
        away("def old(x):\n    return x", "check(old)")


@pytest.mark.parametrize("wrong", ["7", "'mix'", "mix(np.ones(2), np.ones((2, 3)))"])
def test_not_the_function_away_from_the_clone(away, wrong):
    with pytest.raises(CheckError, match=r"as in check\(mix\)$"):
        away("import numpy as np", RIGHT, f"check({wrong})")


def test_yours_away_from_the_clone(away, capsys):
    away("from autograder import yours", RIGHT, "mine = yours(mix, otherwise=max)")
    assert "Your mix has passed its check" in capsys.readouterr().out


@pytest.mark.parametrize("execution", ["validate", "autograde"])
def test_right_answer_when_graded(notebook, monkeypatch, capsys, execution):
    monkeypatch.setenv("NBGRADER_EXECUTION", execution)
    notebook(RIGHT, "check(mix)")
    assert capsys.readouterr().out == f"mix: passed, 2 cases\n{UNTRIED}\n"


@pytest.mark.parametrize("answer", [WRONG, UNWRITTEN, "mix = 7"])
@pytest.mark.parametrize("execution", ["validate", "autograde"])
def test_raises_when_graded(notebook, monkeypatch, capsys, execution, answer):
    monkeypatch.setenv("NBGRADER_EXECUTION", execution)
    with pytest.raises(ExerciseNotPassed) as error:
        notebook(answer, "check(mix)")
    shown = capsys.readouterr().out.splitlines()
    assert str(error.value) == shown[0]
    # Validate shows nothing but the traceback.
    whole = shown if execution == "validate" else shown[:1]
    rendered = error.value._render_traceback_()
    assert " ".join(rendered).split() == " ".join(whole).split()
    assert all(len(line) <= 76 for line in rendered)


@pytest.mark.parametrize("answer", [7, "scores", None])
def test_not_the_function_itself(answer):
    with pytest.raises(CheckError, match=r"without brackets or quotes, as in check\(scores\)"):
        name_of(answer, KNOWN, {})


def test_what_a_class_makes():
    with pytest.raises(CheckError, match=r"the class itself.*write check\(weights\), without"):
        name_of(weights(), KNOWN, {"weights": weights})


CLASS = """\
import torch
from torch import nn


class Affine(nn.Module):
    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        self.W = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x):
        return {}
"""


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ("self.W(x)", "Affine: passed, 3 cases\n"),
        ("self.W(x.detach())", "\n  Hint: The input learns nothing here. Leave out `detach`.\n"),
        ("x @ self.W.weight", "about a transpose.\n    line 11: return x @ self.W.weight\n"),
    ],
)
def test_class_is_checked(notebook, tmp_path, capsys, result, shown):
    (tmp_path / examples.FILE).write_text(
        shipping.write({"Affine": affine_exam()}), encoding="utf-8"
    )
    notebook(CLASS.format(result), "check(Affine)")
    assert shown in capsys.readouterr().out


def forbid(folder, exam, *names):
    exam.forbids = names
    (folder / examples.FILE).write_text(shipping.write({exam.name: exam}), encoding="utf-8")


def test_forbidden_in_a_function(notebook, tmp_path, capsys):
    forbid(tmp_path, mixing_exam(), "dot", "einsum")
    notebook(RIGHT, "check(mix)")
    assert capsys.readouterr().out.startswith("mix: passed")
    notebook("import numpy as np\n\ndef mix(weights, values):\n    return np.dot(weights, values)")
    notebook("check(mix)")
    said = capsys.readouterr().out
    assert said.startswith("mix: not yet right\n")
    assert "this exercise is to be solved without `dot`" in said
    assert "in your code, line 4: return np.dot(weights, values)" in said


def test_forbidden_in_a_class(notebook, tmp_path, capsys):
    forbid(tmp_path, affine_exam(), "addmm")
    notebook("__name__ = '__main__'", CLASS.format("self.W(x)"), "check(Affine)")
    assert capsys.readouterr().out.startswith("Affine: passed")
    notebook(CLASS.format("torch.addmm(x, x)"), "check(Affine)")
    said = capsys.readouterr().out
    assert "without `addmm`" in said
    assert "in your code, line 11: return torch.addmm(x, x)" in said


def test_forbidden_when_graded(notebook, tmp_path, monkeypatch):
    forbid(tmp_path, mixing_exam(), "mean")
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    with pytest.raises(ExerciseNotPassed) as error:
        notebook(WRONG, "check(mix)")
    assert "without `mean`" in "".join(error.value._render_traceback_())
