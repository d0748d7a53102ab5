"""What somebody has who installs the wheel: it, and the libraries it needs, in an environment.

Nothing is downloaded: the environment's libraries are this one's, linked file by file, without the
editable install that leads back to this tree.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterable
from importlib.metadata import distribution, entry_points
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.course import ROOT

_PACKED = ("autograder", "companion")
_NEEDED_TO_PACK = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
# Not copied: this tree's own install, and large libraries that another course does not need.
_LEFT_OUT = ("__editable__*", "attention_course*", "torch*", "functorch", "sympy", "playwright")
_COURSES = ("__editable__", "attention_course")
_PROGRAMS = ("nbgrader", "alembic")
# What `autograder.checks` needs, and all that a bare environment has besides what these need.
_BARE = ("numpy", "ipython", "nbformat", "lazy_loader")
_SCRIPT = "#!{python}\nimport sys\nfrom {module} import {name}\nsys.exit({name}())\n"


def with_needed(names: Iterable[str]) -> set[str]:
    """Packages that are installed here, and all that they need, in the names of indexes."""
    found, waiting = set[str](), {*map(canonicalize_name, names)}
    while waiting:
        found |= waiting
        needed = [Requirement(one) for name in waiting for one in distribution(name).requires or ()]
        here = (one for one in needed if not one.marker or one.marker.evaluate({"extra": ""}))
        waiting = {canonicalize_name(one.name) for one in here} - found
    return found


def build_wheel(folder: Path) -> Path:
    """Build the wheel in a folder, where nothing of an earlier build lies."""
    tree = folder / "tree"
    for name in _PACKED:
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "notebooks", tree / "notebooks")
    # Packages that are not named where it is said what is packed, as solutions/ is not.
    (tree / "others").mkdir()
    (tree / "others" / "__init__.py").touch()
    for name in _NEEDED_TO_PACK:
        shutil.copy(ROOT / name, tree)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "-w", folder, tree], check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


class Environment:
    """An environment of its own in a folder, with a wheel installed in it."""

    def __init__(self, folder: Path, wheel: Path | None) -> None:
        self.folder = folder
        self.programs = folder / "bin"
        self.python = self.programs / "python"
        self.libraries = folder / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)
        venv.create(folder, symlinks=True)
        self._bring_libraries()
        if wheel:
            self._install("--no-deps", "--no-index", wheel)

    def run(self, program: str, *arguments: str | Path, folder: Path | None = None) -> str:
        """What a program of this environment prints, in a folder; it must succeed."""
        path = os.pathsep.join([str(self.programs), "/usr/bin", "/bin"])
        kept = {name: os.environ.get(name, "1") for name in ("HOME", "OMP_NUM_THREADS")}
        done = subprocess.run(
            [self.programs / program, *arguments],
            cwd=folder or self.folder,
            env=kept | {"PATH": path},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{program}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def _bring_libraries(self) -> None:
        shutil.copytree(
            sysconfig.get_path("purelib"),
            self.libraries,
            ignore=shutil.ignore_patterns(*_LEFT_OUT),
            copy_function=_link,
            dirs_exist_ok=True,
        )
        templates = Path("share", "jupyter", "nbconvert")
        shutil.copytree(sys.prefix / templates, self.folder / templates)
        for name in _PROGRAMS:
            (program,) = entry_points(group="console_scripts", name=name)
            self._write(name, program.module, program.attr)

    def _install(self, *what: str | Path) -> None:
        command = [sys.executable, "-m", "pip", "--python", self.python, "install", "-q", *what]
        # What lies on that path would count as installed already.
        others = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(command, env=others, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def _write(self, program: str, module: str, name: str) -> None:
        script = self.programs / program
        script.write_text(_SCRIPT.format(python=self.python, module=module, name=name))
        script.chmod(0o755)


class BareEnvironment(Environment):
    """One that has what checks need and nothing else."""

    def _bring_libraries(self) -> None:
        for name in with_needed(_BARE):
            for file in distribution(name).files or ():
                if ".." not in file.parts:
                    target = self.libraries / file
                    target.parent.mkdir(parents=True, exist_ok=True)
                    _link(str(file.locate()), str(target))


class EnvironmentWithoutCourse(Environment):
    """One that has pip and every library that is here, and nothing of the course, as in Colab."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, None)

    def _bring_libraries(self) -> None:
        for entry in Path(sysconfig.get_path("purelib")).iterdir():
            if not entry.name.startswith(_COURSES):
                (self.libraries / entry.name).symlink_to(entry)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        # The other end lies on another file system.
        shutil.copy(source, target)
