"""JupyterLab in a folder from anywhere: what lies there is opened, and never read as settings."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from autograder.course import Course
from autograder.errors import WorkFolderError
from autograder.learner.jupyter import open_course, open_lab, prepare_course
from tests.support.hostile import HOSTILE, hostile_folder, printed, what_ran
from tests.support.lab import end_server, free_port, wait_for
from tests.support.processes import BACKSTOP, eventually

USES = "import json, numpy, autograder, companion, helper; print(numpy.arange(helper.answer)[-1])"
OPEN = """
import sys
from pathlib import Path
from autograder.learner.jupyter import open_lab
open_lab(Path(sys.argv[1]), options=sys.argv[2:])
"""


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    folder = hostile_folder(tmp_path)
    (folder / "helper.py").write_text("answer = 42\n")
    return folder


@contextmanager
def opened(folder: Path) -> Iterator[str]:
    """The address of the server that `autograder lab` starts there."""
    home, port = folder.parent / "home", free_port()
    home.mkdir()
    places = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    command = [
        sys.executable, "-c", OPEN, str(folder), "--no-browser", f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0", "--IdentityProvider.token=",
        "--ServerApp.disable_check_xsrf=True",
    ]  # fmt: skip
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            command,
            env={**os.environ, **places, "SHELL": "/bin/sh"},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(address, process, home / "log")
            yield address
        finally:
            end_server(process)


def ask(address: str, content: dict[str, Any] | None = None) -> Any:
    data = None if content is None else json.dumps(content).encode()
    with urllib.request.urlopen(address, data, timeout=BACKSTOP) as answer:
        return json.load(answer)


@pytest.mark.long
def test_folder_sets_nothing(hostile: Path) -> None:
    with opened(hostile) as address:
        listed = {one["name"] for one in ask(f"{address}/api/contents")["content"]}
        assert "helper.py" in listed
        ask(f"{address}/nbgrader_version?version=0")
        kernel = {"name": "python3"}
        session = {"path": "x.ipynb", "name": "x", "type": "notebook", "kernel": kernel}
        started = ask(f"{address}/api/sessions", session)["kernel"]["id"]
        file = hostile.parent / "home" / "RUNTIME" / f"kernel-{started}.json"
        client = BlockingKernelClient(connection_file=str(file))
        client.load_connection_file()
        # Without heartbeats: on a busy machine one that comes late would count as the kernel's end.
        client.start_channels(hb=False)
        assert printed(client, USES) == "41"
        client.stop_channels()
        # Without a place, a terminal begins in the folder as well.
        ask(f"{address}/api/terminals", {})
        assert eventually(lambda: in_folder(hostile, "sh"))
    assert what_ran(hostile.parent) == []


def in_folder(folder: Path, argument: str) -> bool:
    """Whether a program of this name runs there."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            name = (process / "cmdline").read_bytes().split(b"\0")[0].decode()
            if Path(name).name == argument and (process / "cwd").resolve() == folder.resolve():
                return True
    return False


@pytest.fixture(params=[open_lab, lambda folder: open_course(Course(folder))])
def prepared(
    hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Path:
    """The folder, once opened by a server that is not started."""
    read: list[Path] = []
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(
        "autograder.learner.jupyter._run",
        lambda folder, begin, configurations, *rest: read.extend(configurations),
    )
    request.param(hostile)
    monkeypatch.setenv("JUPYTER_PATH", str(read[-1]))
    return hostile


def test_kernel_finds_the_folders_modules_last(prepared: Path) -> None:
    kernel, client = start_new_kernel(cwd=str(prepared), startup_timeout=BACKSTOP)
    try:
        assert printed(client, USES) == "41"
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    assert what_ran(prepared.parent) == []


def test_what_jupyters_own_kernel_runs(hostile: Path) -> None:
    """Which shows that the files above would have been run."""
    plain = {**os.environ, "JUPYTER_PATH": ""}
    done = subprocess.run(
        [sys.executable, "-m", "ipykernel_launcher", "--version"], cwd=hostile, env=plain
    )
    assert done.returncode == 0
    assert what_ran(hostile.parent) == ["ipykernel_launcher.py"]


def test_nothing_is_written_to_the_folder(prepared: Path) -> None:
    files = [path.relative_to(prepared) for path in prepared.rglob("*") if path.is_file()]
    assert sorted(map(str, files)) == sorted([*HOSTILE, "helper.py"])


def data(folder: Path) -> None:
    (folder / "data").touch()
    open_lab(folder)


def exchange(folder: Path) -> None:
    (folder / "exchange").touch()
    prepare_course(Course(folder))


@pytest.mark.parametrize(
    ("opens", "otherwise"), [(data, "set JUPYTER_DATA_DIR"), (exchange, "copy the course")]
)
def test_file_in_the_way(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opens: Callable[[Path], None],
    otherwise: str,
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    sentence = rf"{opens.__name__}.* can't be used \(.*\): .*{otherwise}"
    with pytest.raises(WorkFolderError, match=sentence):
        opens(tmp_path)


def test_other_scripts_have_another_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a browser, which keeps them for a year, would go on with those from before an update."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr("autograder.learner.jupyter._run", lambda *_: None)
    (tmp_path / "work").mkdir()
    loaded = set()
    for scripts in (("ticks.js",), ("ticks.js", "guesses.js")):
        monkeypatch.setattr("autograder.learner.front.extension._SCRIPTS", scripts)
        open_lab(tmp_path / "work")
        (package,) = tmp_path.rglob("package.json")
        load = json.loads(package.read_text())["jupyterlab"]["_build"]["load"]
        assert (package.parent / load).is_file()
        loaded.add(load)
    assert len(loaded) == 2


@pytest.mark.parametrize("opens", [open_lab, lambda folder: open_course(Course(folder))])
def test_only_a_learner_begins_exercises_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opens: Callable[[Path], None]
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr("autograder.learner.jupyter._run", lambda *_: None)
    opens(tmp_path)
    (script,) = tmp_path.rglob("extension.*.js")
    has_command = 'parts.push({ name: "begin-anew"' in script.read_text("utf-8")
    has_button = any(tmp_path.rglob("begin-anew.json"))
    assert (has_command, has_button) == (opens is open_lab,) * 2
