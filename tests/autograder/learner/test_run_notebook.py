"""A notebook that is run to its end, or until somebody ends the program that runs it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from jupyter_client.channels import HBChannel
from nbformat.v4 import new_code_cell, new_notebook

from autograder.errors import NotebookStopped
from autograder.learner.run_notebook import run
from tests.support.processes import descendants, eventually

PROGRAM = """
from pathlib import Path
from nbformat.v4 import new_code_cell, new_notebook
from autograder.learner.run_notebook import run

endless = "import pathlib, time; pathlib.Path('begun').touch(); time.sleep(600)"
try:
    run(new_notebook(cells=[new_code_cell(endless), new_code_cell("2")]), Path.cwd())
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_ends_it_is_heard(tmp_path: Path, number: signal.Signals) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, stdout=pipe, stderr=pipe, text=True
    ) as program:
        assert eventually((tmp_path / "begun").exists)
        kernels = descendants(program.pid)
        os.kill(program.pid, number)
        out, err = program.communicate()
    assert (out, err, program.returncode) == ("interrupted\n", "", 0)
    assert kernels
    assert eventually(lambda: not any(Path(f"/proc/{one}").exists() for one in kernels))


def test_no_thread_waits_for_a_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that asks for its heartbeat can be left waiting for ever, and whoever stops it too."""
    started: list[HBChannel] = []
    monkeypatch.setattr(HBChannel, "start", started.append)
    notebook = new_notebook(cells=[new_code_cell("print(6 * 7)")])
    assert run(notebook, tmp_path).cells[0].outputs[0].text == "42\n"
    assert not started


def test_kernel_that_ends_is_noticed_without(tmp_path: Path) -> None:
    notebook = new_notebook(cells=[new_code_cell("import os\nos._exit(1)")])
    with pytest.raises(NotebookStopped, match="ended the Python process"):
        run(notebook, tmp_path)
