"""A Dask scheduler and its workers, as processes of their own on this machine."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from tests.support.processes import eventually

# Workers of Dask's, with no page of their own, and without a process that starts them again.
WORKER = ["--nthreads=1", "--no-dashboard", "--no-nanny"]


class Dask:
    """A scheduler and its workers, on this machine."""

    def __init__(self, folder: Path) -> None:
        self._file, self._folder, self._stack = folder / "scheduler.json", folder, ExitStack()
        self._meet = ["--scheduler-file", str(self._file)]
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Dask":
        self._start("scheduler", "--port=0", "--no-dashboard", "--host=127.0.0.1")
        assert eventually(self._file.exists)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def address(self) -> str:
        return str(json.loads(self._file.read_text())["address"])

    def add_worker(self, **environment: str) -> None:
        self.workers.append(self._start("worker", *WORKER, **environment))

    def _start(
        self, program: str, *arguments: str, **environment: str
    ) -> "subprocess.Popen[bytes]":
        log = self._stack.enter_context((self._folder / f"{program}.log").open("ab"))
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{program}", *arguments, *self._meet],
            cwd=self._folder,
            env={**os.environ, **environment},
            stdout=log,
            stderr=log,
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process
