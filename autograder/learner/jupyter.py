"""Opens JupyterLab: for a learner in their own folder, for an instructor in the course.

Formgrader, Validate and nbgrader's other parts are server and lab extensions that come enabled when
nbgrader is installed. What formgrader still needs is nbgrader_config.py: it looks for it in the
folder where the server was started and on Jupyter's configuration path. A learner's folder has
none, on purpose: Validate works without, and the other parts are switched off there.

What is opened may come from anybody. So a learner's server starts, and all that is set for either
server lies, in a folder of Jupyter's own data; and a kernel looks for modules beside the notebook
last: no file there is run before a cell asks for it.
"""

import hashlib
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
from autograder.learner import log
from autograder.learner.front.extension import NAME, write_for_a_course, write_for_a_lab
from autograder.learner.notebooks.work import writing
from autograder.learner.start_page import START
from autograder.settings import CONFIG
from autograder.whole_file import write_whole

_WORKSPACES = "workspaces"
_WITHOUT = "set JUPYTER_DATA_DIR to a folder that can be written to"
# What `python -m ipykernel_launcher` does, but that it would be looked for beside the notebook.
# Where we are installed for editing, a finder of its own knows us: it has to be asked first.
_KERNEL = """
import sys
from importlib.machinery import PathFinder
from ipykernel.kernelapp import launch_new_instance
sys.meta_path.sort(key=lambda finder: finder is PathFinder)
sys.path.append("")
launch_new_instance()
"""
# A kernel warns that it is spoken to over TCP, on this machine alone; nobody can do anything there.
_KERNELS_OPTIONS = [
    "--IPKernelApp.log_level=ERROR",
    *(
        f"--IPKernelApp.extra_extensions=autograder.learner.{name}"
        for name in ("fresh_kernel", "other_answers")
    ),
]
# A terminal begins where the server does, unless it is asked for another place.
_TERMINAL = """test "$(pwd -P)" = "$0" && cd "$1"; exec "${SHELL:-sh}" -l"""
# Asks at every first start whether it may look for news and for updates.
_NEWS = "@jupyterlab/apputils-extension:announcements"
# Without an exchange and a gradebook, all they have for a learner is error messages.
_INSTRUCTORS = ("assignment-list", "course-list", "create-assignment", "formgrader", "menu")
# Validate runs a notebook as whoever presses it, a student's as well, in the server's own folder.
NOT_BESIDE_SUBMISSIONS = ("course-list", "validate-assignment")
# What the file browser does not list: what Jupyter leaves out, and what checks read.
_OUT_OF_SIGHT = ("__pycache__", "*.pyc", "*.pyo", ".DS_Store", "*~", "checks.json")


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
        WorkFolderError: when Jupyter's own data can't be written.
    """
    own = _prepared(folder, learners=True)
    begin = [f"--LabApp.default_url=/lab/tree/{START}"] if (folder / START).is_file() else []
    _run(folder, own, [own], environment or {}, [*begin, *options])


def open_course(
    course: Course, *, environment: Mapping[str, str] | None = None, options: Sequence[str] = ()
) -> None:
    """Run JupyterLab at the course's root, with formgrader open and the exchange ready.

    Raises:
        JupyterFailed: when it ends with an error.
        WorkFolderError: when the course's folder, or Jupyter's own data, can't be written to.
    """
    prepare_course(course)
    own = _prepared(course.root, learners=False)
    # The course's configuration is found from any folder then: nbgrader's assignment list looks
    # from within work/, a terminal from wherever it is.
    _run(course.root, course.root, [course.root, own], environment or {}, options)


def prepare_course(course: Course) -> None:
    """Make the folders that nbgrader expects: for its exchange, and for what is fetched.

    Raises:
        WorkFolderError: when the course's folder can't be written to.
    """
    with writing(course.root, "copy the course to where you may write, and teach there"):
        for folder in (course.root / "exchange", course.root / "work"):
            folder.mkdir(exist_ok=True)


def server_options(port: int | None, ip: str | None, *, browser: bool) -> list[str]:
    """Options of `jupyter lab` for where it can be reached; what is None stays JupyterLab's."""
    options = [] if browser else ["--no-browser"]
    options += [f"--ServerApp.port={port}"] if port is not None else []
    return options + ([f"--ServerApp.ip={ip}"] if ip is not None else [])


def _run(
    folder: Path,
    begin: Path,
    configurations: Sequence[Path],
    environment: Mapping[str, str],
    options: Sequence[str],
) -> None:
    own = configurations[-1]
    command = [
        # Nothing is imported from where it begins.
        *(sys.executable, "-P", "-m", "jupyterlab"),
        f"--ServerApp.root_dir={folder.resolve()}",
        # The tabs to open again: those of this folder, not of whatever was open elsewhere.
        f"--LabApp.workspaces_dir={own / _WORKSPACES}",
        # Notebooks are saved as they are written, so one Ctrl-C is enough.
        "--ServerApp.answer_yes=True",
        *_as_root(),
        *options,
    ]
    variables = {
        **os.environ,
        "JUPYTER_CONFIG_PATH": _before("JUPYTER_CONFIG_PATH", configurations),
        "JUPYTER_PATH": _before("JUPYTER_PATH", [own]),
        "PATH": _before("PATH", [Path(sys.executable).parent]),
        **environment,
    }
    with subprocess.Popen(command, cwd=begin, env=variables) as server:
        signal.signal(signal.SIGTERM, lambda *_: server.terminate())
        code = _wait(server)
    if code > 0:
        raise JupyterFailed(f"JupyterLab ended with code {code}: its last lines above say why.")


def _prepared(folder: Path, *, learners: bool) -> Path:
    """Where what JupyterLab reads and writes for a folder that is opened lies: outside of it."""
    if find_spec("jupyterlab") is None:
        raise NotInstalled("jupyterlab")
    from jupyter_core.paths import jupyter_data_dir

    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]
    own = Path(jupyter_data_dir(), "autograder", name).resolve()
    shell = ["sh", "-c", _TERMINAL, str(own), str(folder.resolve())]
    kernel = [sys.executable, "-P", "-c", _KERNEL, "-f", "{connection_file}"]
    kernel += _KERNELS_OPTIONS
    without = _INSTRUCTORS if learners else NOT_BESIDE_SUBMISSIONS
    lab = [_NEWS, *(f"@jupyter/nbgrader:{part}" for part in without)]
    servers = [f"nbgrader.server_extensions.{part.replace('-', '_')}" for part in without]
    server = {"jpserver_extensions": dict.fromkeys(servers, False)}
    files = {"hide_globs": [*_OUT_OF_SIGHT]} if learners else {}
    # A learner looks for the address, which is said at every level.
    told = {"logging_config": log.SETTINGS} | ({"log_level": "WARN"} if learners else {})
    terminals = {} if os.name == "nt" else {"terminado_settings": {"shell_command": shell}}
    settings = {
        "labconfig/page_config.json": {"disabledExtensions": dict.fromkeys(lab, True)},
        "jupyter_server_config.json": {
            "Application": told,
            "ServerApp": server | terminals,
            "ContentsManager": files,
        },
        "kernels/python3/kernel.json": {
            "argv": kernel,
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "metadata": {"debugger": True},
        },
    }
    with writing(own, _WITHOUT):
        (own / _WORKSPACES).mkdir(parents=True, exist_ok=True)
        for file, content in settings.items():
            write_whole(own / file, f"{json.dumps(content, indent=1)}\n".encode())
        if learners:
            # nbgrader warns where it finds none, and a learner has nothing to set.
            write_whole(own / CONFIG, b"# Nothing is set here.\n")
        write = write_for_a_lab if learners else write_for_a_course
        write(own / "labextensions" / NAME)
    return own


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
