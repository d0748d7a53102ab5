"""Opens JupyterLab: for a learner in their own folder, for an instructor in the course.

Formgrader, Validate and nbgrader's other parts are server and lab extensions that come enabled when
nbgrader is installed. What formgrader still needs is nbgrader_config.py: it looks for it in the
folder where the server was started and on Jupyter's configuration path. A learner's folder has
none, on purpose: Validate works without, and the other parts are switched off there.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from autograder.course import Course
from autograder.errors import JupyterFailed, NotInstalled
from autograder.learner.work import writing

_OWN, _WORKSPACES = ".jupyter", "workspaces"
# Asks at every first start whether it may look for news and for updates.
_NEWS = "@jupyterlab/apputils-extension:announcements"
# Without an exchange and a gradebook, all they have for a learner is error messages.
_INSTRUCTORS = tuple(
    f"@jupyter/nbgrader:{part}"
    for part in ("assignment-list", "course-list", "create-assignment", "formgrader", "menu")
)


def open_lab(
    folder: Path, *, environment: Mapping[str, str] | None = None, options: Sequence[str] = ()
) -> None:
    """Run JupyterLab in a learner's folder until it is ended, by its menu or by Ctrl-C.

    Args:
        folder: where the notebooks are, and where the server runs.
        environment: variables to set, besides those that are set already.
        options: further options of `jupyter lab`.

    Raises:
        JupyterFailed: when it ends with an error.
        WorkFolderError: when the folder can't be written to.
    """
    with writing(folder):
        _prepare(folder, [_NEWS, *_INSTRUCTORS])
    _run(folder, [], environment or {}, options)


def open_course(
    course: Course, *, environment: Mapping[str, str] | None = None, options: Sequence[str] = ()
) -> None:
    """Run JupyterLab at the course's root, with formgrader and the exchange ready.

    Raises:
        JupyterFailed: when it ends with an error.
        WorkFolderError: when the course's folder can't be written to.
    """
    prepare_course(course)
    # The course's configuration is found from any folder then: nbgrader's assignment list looks
    # from within work/, a terminal from wherever it is.
    _run(course.root, [course.root], environment or {}, options)


def prepare_course(course: Course) -> None:
    """Make the folders that nbgrader expects: for its exchange, and for what is fetched.

    Raises:
        WorkFolderError: when the course's folder can't be written to.
    """
    with writing(course.root, "copy the course to where you may write, and teach there"):
        for folder in (course.root / "exchange", course.root / "work"):
            folder.mkdir(exist_ok=True)
        _prepare(course.root, [_NEWS])


def server_options(port: int | None, ip: str | None, *, browser: bool) -> list[str]:
    """Options of `jupyter lab` for where it can be reached; what is None stays JupyterLab's."""
    options = [] if browser else ["--no-browser"]
    options += [f"--ServerApp.port={port}"] if port is not None else []
    return options + ([f"--ServerApp.ip={ip}"] if ip is not None else [])


def _run(
    folder: Path,
    configurations: Iterable[Path],
    environment: Mapping[str, str],
    options: Sequence[str],
) -> None:
    if find_spec("jupyterlab") is None:
        raise NotInstalled("jupyterlab")
    own = folder / _OWN
    command = [
        *(sys.executable, "-m", "jupyterlab"),
        # The tabs to open again: those of this folder, not of whatever was open elsewhere.
        f"--LabApp.workspaces_dir={own / _WORKSPACES}",
        # Notebooks are saved as they are written, so one Ctrl-C is enough.
        "--ServerApp.answer_yes=True",
        *_as_root(),
        *options,
    ]
    variables = {
        **os.environ,
        "JUPYTER_CONFIG_PATH": _before("JUPYTER_CONFIG_PATH", [*configurations, own]),
        "PATH": _before("PATH", [Path(sys.executable).parent]),
        **environment,
    }
    with subprocess.Popen(command, cwd=folder, env=variables) as server:
        signal.signal(signal.SIGTERM, lambda *_: server.terminate())
        code = _wait(server)
    if code > 0:
        raise JupyterFailed(f"JupyterLab ended with code {code}: its last lines above say why.")


def _prepare(folder: Path, without: Iterable[str]) -> None:
    """Write what JupyterLab reads in a folder that is opened, and make room for what it writes."""
    page = folder / _OWN / "labconfig" / "page_config.json"
    for place in (page.parent, folder / _OWN / _WORKSPACES):
        place.mkdir(parents=True, exist_ok=True)
    content = {"disabledExtensions": dict.fromkeys(without, True)}
    page.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _before(variable: str, folders: Iterable[Path]) -> str:
    """The value of a search path, with folders put before what it has already."""
    already = os.environ.get(variable)
    return os.pathsep.join([*map(str, folders), *([already] if already else [])])


def _wait(server: subprocess.Popen[bytes]) -> int:
    while True:
        try:
            return server.wait()
        except KeyboardInterrupt:
            # Ctrl-C reaches the server as well, which then shuts down its kernels in order.
            continue


def _as_root() -> list[str]:
    # In a container the only user is often root, whom Jupyter refuses unless asked.
    return ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
