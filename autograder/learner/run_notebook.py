"""Running a notebook from beginning to end in a kernel of its own."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat.notebooknode import NotebookNode
from traitlets import Type

from autograder.checks import purpose
from autograder.environment import variables
from autograder.errors import NotebookStopped

SECONDS_PER_CELL = 60
# Every kernel warns on the terminal that it talks over the local network interface, and one that is
# ended while a cell runs prints a traceback.
QUIET_KERNEL = ["--HistoryManager.hist_file=:memory:", "--log-level=CRITICAL"]


def run(
    notebook: NotebookNode,
    folder: Path,
    *,
    path: Path | None = None,
    seconds_per_cell: float | None = SECONDS_PER_CELL,
    progress: Callable[[int, int], None] = lambda done, cells: None,
) -> NotebookNode:
    """Execute every cell, errors included, and return the notebook with its outputs.

    Args:
        notebook: what to run; it is changed in place.
        folder: the working directory, where `checks.json` lies.
        path: put first on the kernel's module search path.
        seconds_per_cell: a cell that takes longer is interrupted, and the next one runs; with None,
            none is.
        progress: called after each code cell with how many are done of how many.

    Raises:
        NotebookStopped: when the kernel dies or can't be interrupted.
        KeyboardInterrupt: when this process is told to end, by Ctrl-C or SIGTERM.
    """
    done, cells = 0, sum(cell.cell_type == "code" for cell in notebook.cells)

    def count(**_: object) -> None:
        nonlocal done
        done += 1
        progress(done, cells)

    client = NotebookClient(
        notebook,
        timeout=seconds_per_cell,
        interrupt_on_timeout=True,
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
        on_cell_complete=count,
        extra_arguments=QUIET_KERNEL,
        kernel_manager_class=_Manager,
    )
    with variables(_environment(path)), _told_to_end(client):
        try:
            client.execute()
        except DeadKernelError as error:
            raise NotebookStopped(
                "a cell ended the Python process, so nothing after it could run"
            ) from error
        except CellTimeoutError as error:
            raise NotebookStopped(
                f"a cell ran for more than {seconds_per_cell:g} s and could not be interrupted"
            ) from error
    return notebook


class _WithoutHeartbeat(AsyncKernelClient):
    """Starts no thread that asks the kernel for its heartbeat, since its process can be looked at.

    Such a thread can wait for a kernel that has just ended, and be waited for in turn, for ever.
    """

    def start_channels(
        self,
        shell: bool = True,
        iopub: bool = True,
        stdin: bool = True,
        hb: bool = False,
        control: bool = True,
    ) -> None:
        super().start_channels(shell, iopub, stdin, hb, control)


class _Manager(AsyncKernelManager):
    client_factory = Type(_WithoutHeartbeat, klass=AsyncKernelClient)


@contextmanager
def _told_to_end(client: NotebookClient) -> Iterator[None]:
    """A signal is nbclient's while it runs: it ends the kernel, and goes on until it misses it."""
    try:
        yield
    except Exception:
        if not hasattr(client, "_async_cleanup_kernel_future"):
            raise
        raise KeyboardInterrupt from None


def _environment(path: Path | None) -> dict[str, str]:
    found = {purpose.WHOLE: "1"}
    if path:
        more = os.environ.get("PYTHONPATH")
        found["PYTHONPATH"] = os.pathsep.join([str(path), more] if more else [str(path)])
    return found
