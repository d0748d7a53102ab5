"""The outer walls: the bubblewrap command that builds them around the zygote.

Inside there is what Python needs, to read only, and nothing else of the machine: no home folder, no
course, no network, no device but /dev/null and its like, no process but the zygote's own.
"""

import importlib.util
import os
import shutil
import site
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from autograder.errors import IsolationUnavailable, SettingError
from autograder.preload import package_of
from autograder.student.sandbox import confine

PACKAGES = Path("/packages")
LARGE_PAGES = "GLIBC_TUNABLES"

# Programs and libraries; where the linker finds them, which of several is meant, where fonts are;
# and what torch wants to know of the processor.
_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/fonts"),
    "/sys/devices/system/cpu",
)
# Where Python and pip put modules; a course may lie elsewhere in Python's own folder.
_LIBRARIES = ("stdlib", "platstdlib", "purelib", "platlib")
# Not /dev/zero: what is mapped of it is memory that is held when no process has it any more.
_DEVICES = ("null", "full", "random", "urandom")
_DATA = {
    "/etc/passwd": f"student:x:{confine.STUDENT}:{confine.STUDENT}::{confine.HOME}:/bin/sh\n",
    "/etc/group": f"student:x:{confine.STUDENT}:\n",
    "/etc/hosts": "127.0.0.1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}

_NAMESPACES = (
    *("--unshare-user", "--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1"),
    *("--uid", str(confine.STUDENT), "--gid", str(confine.STUDENT), "--hostname", "student"),
)

# Run by root inside the first of two bubblewraps: becomes a user that nobody else is, and goes on.
# One process stays root, for when its parent dies: the kernel kills a process with its parent only
# if that parent might have killed it, and the bubblewrap above has given up all its rights.
_BECOME = """\
import os, sys
if child := os.fork():
    os.closerange(3, 1 << 16)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255)
user = int(sys.argv[1])
os.setgroups([])
os.setresgid(user, user, user)
os.setresuid(user, user, user)
os.execv(sys.argv[2], sys.argv[2:])
"""
# Where it was started from may be written into the way to it, as in ../.venv/bin/python.
_PYTHON = os.path.normpath(sys.executable)
# Above what any system gives to users, services or containers.
_FIRST_FREE_USER = 2_000_000_000
_NOBODY = 65534


def environment(packages: Path, home: str, tmp: str) -> dict[str, str]:
    """All variables that the zygote and its students have."""
    programs = [os.path.dirname(_PYTHON), "/usr/bin", "/bin"]
    return {
        "PATH": os.pathsep.join(programs),
        "HOME": home,
        "TMPDIR": tmp,
        "USER": "student",
        "LC_ALL": "C.UTF-8",
        # One thread, so that the zygote can be forked and a student takes one processor.
        **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMEXPR")},
        # Memory in large pages: a fork copies the tables of pages, which else takes it 15 ms.
        LARGE_PAGES: "glibc.malloc.hugetlb=1",
        # Each arena takes 64 MiB of the address space that is limited.
        "MALLOC_ARENA_MAX": "2",
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": f"{tmp}/matplotlib",
        "IPYTHONDIR": f"{tmp}/ipython",
        "PYTHONPATH": os.pathsep.join([str(packages), *_user_packages()]),
        # The order of a set of words must be the same in each grading.
        "PYTHONHASHSEED": "0",
    }


def python_command(descriptor: int) -> list[str]:
    """The zygote's own command: no user's packages, nothing from the current folder.

    It is found by its name, because the engine is installed beside the other libraries, or shown at
    `PACKAGES`.
    """
    return [_PYTHON, "-P", "-s", "-B", "-m", "autograder.student.sandbox.zygote", str(descriptor)]


def own_packages(modules: Iterable[str]) -> dict[str, Path]:
    """Where the packages are that these modules belong to, unless Python itself has them.

    A course's own packages, and in an editable install the engine, lie beside what must not be
    seen; so each is shown at a place of its own.

    Raises:
        SettingError: for a module that does not exist, or a folder that is no package.
    """
    installed = [*map(sysconfig.get_path, _LIBRARIES), *site.getsitepackages(), *_user_packages()]
    found = {}
    for name in sorted(set(map(package_of, modules))):
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise SettingError(
                f"there is no module {name!r} to preload: install it, or leave it out of preload"
            )
        places = spec.submodule_search_locations or [spec.origin or ""]
        place = Path(next(iter(places)))
        if not place.exists() or any(place.is_relative_to(folder) for folder in installed):
            continue
        if spec.origin is None:
            # It might be any folder of the course: that of the submissions, for one.
            raise SettingError(
                f"{place} can't be preloaded: it is a package only once it holds an __init__.py"
            )
        found[name] = place
    return found


def program() -> str | None:
    """The program, or None where it is not installed."""
    return shutil.which("bwrap")


class Walls:
    """What is to be seen inside, and the command that arranges it."""

    def __init__(
        self,
        packages: Mapping[str, Path],
        hidden: Iterable[Path] = (),
        copies: Mapping[str, Path] | None = None,
    ) -> None:
        """Plan the walls.

        Args:
            packages: what is to be seen at `PACKAGES`, by name.
            hidden: folders that must not be seen even where a visible one holds them. The user's
                home and the folders that packages lie in are always hidden.
            copies: what is shown in the packages' place, so that nothing tells where they lie.

        Raises:
            IsolationUnavailable: where a folder that must not be seen is one that must be.
        """
        shown = packages if copies is None else copies
        self._shown = _system() | {PACKAGES / place.name: place for place in shown.values()}
        hidden = [Path(os.path.realpath(folder)) for folder in hidden]
        for folder in hidden:
            if folder in self._shown:
                raise IsolationUnavailable(
                    f"{folder} can't be hidden from students' code, which needs what is installed "
                    "there: move the course, or Python's environment, to a folder of its own."
                )
        self._hidden = [
            folder
            for folder in (*hidden, *_private(packages.values()))
            if any(folder.is_relative_to(shown) for shown in self._shown if shown != folder)
        ]

    @property
    def kept(self) -> list[str]:
        """The folders beneath /tmp that are seen."""
        return [str(path) for path in self._shown if path.is_relative_to("/tmp")]

    def command(self, program: str, inner: Sequence[str]) -> tuple[list[str], list[int]]:
        """What runs `inner` within the walls, and the descriptors it reads, for you to close."""
        data = {path: _pipe(text) for path, text in _DATA.items()}
        command = [program, *_NAMESPACES, *self._mounts(data), "--clearenv"]
        for name, value in environment(PACKAGES, confine.HOME, "/tmp").items():
            command += ["--setenv", name, value]
        command += ["--", *inner]
        return (self._from_root(program) if os.getuid() == 0 else []) + command, [*data.values()]

    def _mounts(self, data: Mapping[str, int]) -> list[str]:
        from_root = os.getuid() == 0
        steps = {
            path: _show(path if from_root else source, path) for path, source in self._shown.items()
        }
        steps |= {folder: ["--tmpfs", str(folder)] for folder in self._hidden}
        for name in _DEVICES:
            steps[Path("/dev", name)] = ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
        for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
            steps[Path("/dev", name)] = ["--symlink", f"/proc/self/fd{target}", f"/dev/{name}"]
        for path, descriptor in data.items():
            steps[Path(path)] = ["--ro-bind-data", str(descriptor), path]
        steps[Path("/tmp")] = ["--tmpfs", "/tmp"]
        steps[Path("/proc")] = ["--proc", "/proc"]
        for path in ("/dev/shm", confine.HOME):
            steps[Path(path)] = ["--dir", path]
        mounts = [part for path in sorted(steps) for part in (*_parents(path), *steps[path])]
        # Whatever is in memory here would pass from one student to the next.
        for path in (*map(str, self._hidden), "/"):
            mounts += ["--remount-ro", path]
        return mounts

    def _from_root(self, program: str) -> list[str]:
        """A first bubblewrap, in which root shows what it may read and then stops being root.

        The kernel exempts root from some limits, and a defect would hand a student all rights.
        Only root can show folders within its home to another user, so that comes first.
        """
        steps = {path: _show(source, path) for path, source in self._shown.items()}
        steps[Path("/tmp")] = ["--perms", "1777", "--dir", "/tmp"]
        for path in ("/proc", "/dev"):
            steps[Path(path)] = ["--dev-bind", path, path]
        program = os.path.realpath(program)
        steps[Path(program)] = _show(Path(program), Path(program))
        mounts = [part for path in sorted(steps) for part in (*_parents(path), *steps[path])]
        become = [_PYTHON, "-I", "-S", "-c", _BECOME, str(_user_of_its_own())]
        return [program, "--die-with-parent", *mounts, "--", *become]


def _system() -> dict[Path, Path]:
    """Python and the system's libraries and programs, each where it is."""
    prefixes = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
    python = [os.path.normpath(prefix) for prefix in prefixes]
    places = [*_SYSTEM, *python, *map(os.path.realpath, python), *_user_packages()]
    return {Path(place): Path(place) for place in places if os.path.lexists(place)}


def _user_packages() -> list[str]:
    """The folder that pip's --user installs to, if this Python uses one."""
    folder = site.getusersitepackages()
    return [folder] if site.ENABLE_USER_SITE and os.path.isdir(folder) else []


def _private(packages: Iterable[Path]) -> Iterable[Path]:
    yield Path(os.path.expanduser("~"))
    for place in packages:
        yield place.parent


def _show(source: Path, path: Path) -> list[str]:
    if path.is_symlink():
        return ["--symlink", os.readlink(path), str(path)]
    return ["--ro-bind", str(source), str(path)]


def _parents(path: Path) -> Iterable[str]:
    """Folders on the way to a mount, which bubblewrap makes for their owner alone if not told."""
    for parent in reversed(path.parents[:-1]):
        yield from ("--perms", "0755", "--dir", str(parent))


def _pipe(text: str) -> int:
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    return reading


def _user_of_its_own() -> int:
    """A user id for this grader's students that no other process on the machine has."""
    user = _FIRST_FREE_USER + os.getpid()
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        first, _, count = map(int, line.split())
        if first <= user < first + count:
            return user
    return _NOBODY
