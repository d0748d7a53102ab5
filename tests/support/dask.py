"""A Dask scheduler and its workers, as processes of their own on this machine."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import MappingProxyType

from tests.support.processes import eventually

# Workers of Dask's, with no page of their own, and without a process that starts them again.
WORKER = ["--nthreads=1", "--no-dashboard", "--no-nanny"]


class Dask:
    """A scheduler and its workers, on this machine."""

    def __init__(self, folder: Path, tls: Mapping[str, str] = MappingProxyType({})) -> None:
        """In this folder; with Dask's settings for a scheduler that is reached by TLS alone."""
        self._file, self._folder, self._stack = folder / "scheduler.json", folder, ExitStack()
        self._meet = ["--scheduler-file", str(self._file)]
        self._tls = tls
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Dask":
        named = {
            f"DASK_{name.upper().replace('.', '__').replace('-', '_')}": path
            for name, path in self._tls.items()
        }
        how = ["--protocol=tls"] if self._tls else []
        self.scheduler = self._start(
            "scheduler", "--port=0", "--no-dashboard", "--host=127.0.0.1", *how, **named
        )
        assert eventually(self._is_there)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _is_there(self) -> bool:
        """Whether the scheduler has written its file to the end."""
        with suppress(OSError, ValueError):
            return bool(self.address)
        return False

    @property
    def address(self) -> str:
        return str(json.loads(self._file.read_text())["address"])

    def kill_scheduler(self) -> None:
        assert self.scheduler is not None
        self.scheduler.kill()
        self.scheduler.wait()

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
