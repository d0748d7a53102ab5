"""A notebook that is run to its end, or until somebody ends the program that runs it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

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
