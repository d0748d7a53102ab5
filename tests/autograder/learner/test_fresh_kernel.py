"""What a learner reads who runs a check before the cells above it."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel
from nbformat.v4 import new_code_cell, new_notebook
from packaging.utils import canonicalize_name

from autograder.learner.fresh_kernel import in_words
from autograder.learner.jupyter import open_lab
from tests.support.installed import with_needed
from tests.support.processes import BACKSTOP

OURS = "attention-course"
ANSWER = "def mix(one: torch.Tensor) -> net.Module:\n    return one + size + os.path + x + gone"
RUN_ABOVE = "run the cells above and then this one, with the button"


@pytest.mark.parametrize("name", ["check", "mix"])
@pytest.mark.parametrize("cell", ["check(mix)", "print(1)\ncheck(mix)", "%time check(mix)"])
def test_missing_name_of_a_check_says_what_to_run(name: str, cell: str) -> None:
    assert in_words(name, cell).startswith(f"{name} is not defined in this kernel yet: {RUN_ABOVE}")


@pytest.mark.parametrize(
    ("name", "cell"),
    [("mix", "mix(1)"), ("other", "check(mix)\nother"), ("mix", "check(mix"), ("", "check(mix)")],
)
def test_other_missing_names_are_as_python_says(name: str, cell: str) -> None:
    assert in_words(name, cell) == ""


def test_name_that_a_cell_above_defines_says_what_to_run(tmp_path: Path) -> None:
    """Whoever comes back runs their answer first, and the lesson has imported torch above it."""
    notebook = tmp_path / "lesson.ipynb"
    first = "import torch\nfrom torch import nn as net\nsize = 3\ndef size_of(): gone = 1"
    cells = [first, "import os.path", "not Python", ANSWER, "x = 1"]
    nbformat.write(new_notebook(cells=[new_code_cell(one) for one in cells]), notebook)
    said = "is not defined in this kernel yet: " + RUN_ABOVE
    for name in ("torch", "net", "size", "os"):
        assert in_words(name, ANSWER, notebook).startswith(f"{name} {said}")
    # JupyterLab saves now and then, and what was written since is no cell of the file.
    edited = "def mix(one: torch.Tensor) -> net.Module:\n    return 2 * one"
    assert in_words("torch", edited, notebook).startswith(f"torch {said}")
    assert in_words("torch", "def another(one: torch.Tensor): ...", notebook) == ""
    # What is defined below, or nowhere, or is not used here, is as Python says.
    for name in ("x", "gone", "path"):
        assert in_words(name, ANSWER, notebook) == ""
    assert in_words("torch", "torch.ones(2)", notebook) == ""
    assert in_words("torch", ANSWER, tmp_path / "other.ipynb") == ""
    notebook.write_text("{")
    assert in_words("torch", ANSWER, notebook) == ""


def test_browser_has_all_that_it_imports() -> None:
    """There, an import that fails is heard of by nobody, and no name is explained."""
    names = with_needed(["ipython", "numpy", "lazy_loader"])
    lacking = [
        module
        for module, packages in packages_distributions().items()
        if not {*map(canonicalize_name, packages)} & {*names, OURS}
    ]
    assert {"nbformat", "torch"} <= {*lacking}
    without = f"import sys\nsys.modules.update(dict.fromkeys({lacking!r}))\n"
    use = f"import {in_words.__module__} as it\nprint(it.in_words('x', 'x', it.Path('x.ipynb')))"
    done = subprocess.run([sys.executable, "-c", without + use], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "\n"


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingKernelClient]:
    """A kernel as `autograder lab` starts it."""
    folder, read = tmp_path_factory.mktemp("learner"), list[Path]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_DATA_DIR", str(folder / "data"))
        patch.setattr(
            "autograder.learner.jupyter._run",
            lambda folder, begin, configurations, *rest: read.extend(configurations),
        )
        open_lab(folder)
        patch.setenv("JUPYTER_PATH", str(read[-1]))
        manager, client = start_new_kernel(cwd=str(folder), startup_timeout=BACKSTOP)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_kernel_of_autograder_lab_knows_other_answers(kernel: BlockingKernelClient) -> None:
    cell = "from autograder.checks import after_a_pass\nprint(len(after_a_pass._tellers))"
    shown: list[str] = []
    kernel.execute_interactive(
        cell, output_hook=lambda one: shown.append(one["content"].get("text")), timeout=BACKSTOP
    )
    assert "1\n" in shown


@pytest.mark.parametrize(
    ("cell", "explained"),
    [
        ("check(mix)", True),
        ("check = print\ncheck(mix)", True),
        ("del check\nmix", False),
        ("def check(answer): return gone\ncheck(1)", False),
    ],
)
def test_kernel_of_autograder_lab_explains(
    kernel: BlockingKernelClient, cell: str, explained: bool
) -> None:
    displayed: list[str] = []

    def hook(message: dict[str, Any]) -> None:
        if message["msg_type"] == "display_data":
            displayed.append(message["content"]["data"]["text/html"])

    reply = kernel.execute_interactive(cell, output_hook=hook, timeout=BACKSTOP)
    content = reply["content"]
    assert content["ename"] == "NameError"
    shown = " ".join(content["traceback"])
    assert (RUN_ABOVE in shown) == explained
    assert ("Traceback" in shown) != explained
    assert ["run-with-cells-above" in one for one in displayed] == [True] * explained
