"""The student's IPython, in the sandbox: runs cells and keeps what they display, up to a limit."""

import contextlib
import functools
import io
import sys
from collections.abc import Iterator
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

_CUT = "… the rest was cut off: a cell may print and display no more"


class Outputs:
    """What a cell has displayed so far, in the form of a notebook's outputs."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left = limit
        self._list: list[dict[str, Any]] = []

    def take(self) -> list[dict[str, Any]]:
        """All of it; what comes next begins anew."""
        taken, self._list, self._left = self._list, [], self._limit
        return taken

    def stream(self, name: str, text: str) -> None:
        """Add printed text."""
        text = self._within(text)
        last = self._list[-1] if self._list else {}
        if text and last.get("name") == name:
            last["text"] += text
        elif text:
            self._list.append({"output_type": "stream", "name": name, "text": text})

    def display(self, data: dict[str, Any], **more: object) -> None:
        """Add something displayed, if there is room for it."""
        texts = {str(kind): part for kind, part in data.items() if isinstance(part, str)}
        size = sum(map(len, texts.values()))
        if size > self._left:
            self.stream("stdout", f"\n{_CUT}\n")
            return
        self._left -= size
        self._list.append({"output_type": "display_data", "data": texts, "metadata": {}, **more})

    def error(self, kind: str, message: str, traceback: list[str]) -> None:
        """Add an exception."""
        lines = [self._within(str(line)) for line in traceback]
        self._list.append(
            {
                "output_type": "error",
                "ename": str(kind)[:200],
                "evalue": str(message)[:2000],
                "traceback": lines,
            }
        )

    def _within(self, text: str) -> str:
        if len(text) > self._left:
            text, self._left = text[: self._left] + f"\n{_CUT}\n" * (self._left > 0), 0
        else:
            self._left -= len(text)
        return text


class _Stream(io.TextIOBase):
    def __init__(self, name: str, outputs: Outputs) -> None:
        self.name = name
        self._outputs = outputs

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._outputs.stream(self.name, text)
        return len(text)


class _Publisher(DisplayPublisher):
    def publish(self, data: dict[str, Any], *_: object, **__: object) -> None:
        _outputs_of(self.shell).display(data)


class _Hook(DisplayHook):
    def write_output_prompt(self) -> None:
        """Notebooks number their results themselves."""

    def write_format_data(self, format_dict: dict[str, Any], *_: object, **__: object) -> None:
        _outputs_of(self.shell).display(
            format_dict, output_type="execute_result", execution_count=None
        )


class Shell(InteractiveShell):
    """IPython without a terminal, a history or threads."""

    display_pub_class = Type(_Publisher)
    displayhook_class = Type(_Hook)
    outputs: Outputs

    def enable_gui(self, gui: str | None = None) -> None:
        """Nothing: `%matplotlib inline` asks for it, and is in many notebooks' first cell."""

    def run(self, source: str) -> list[dict[str, Any]]:
        """Run a cell and return its outputs."""
        before = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (_Stream(name, self.outputs) for name in ("stdout", "stderr"))
        try:
            self.run_cell(source, store_history=False)  # type: ignore[no-untyped-call]
        except BaseException as error:
            # Even SystemExit and KeyboardInterrupt of the student's end a cell, not the process.
            self.outputs.error(type(error).__name__, str(error), [])
        finally:
            sys.stdout, sys.stderr = before
        return self.outputs.take()

    @contextlib.contextmanager
    def hushed(self) -> Iterator[io.StringIO]:
        """Keep what is printed during a call apart from the cells' outputs."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            yield printed
        self.outputs.take()

    def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
        self.outputs.error(etype.__name__, str(evalue), list(stb))


def _outputs_of(shell: Any) -> Outputs:
    outputs: Outputs = shell.outputs
    return outputs


@functools.cache
def the_shell(output_bytes: int) -> Shell:
    """The one shell of this process; made before the fork, it is there at once."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = Shell.instance(config=config)
    shell.outputs = Outputs(output_bytes)
    return shell
