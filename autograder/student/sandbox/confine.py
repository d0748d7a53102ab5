"""What a process does to itself so that it can run student code: one function for each step.

`walled` processes take all of them, in the order they have here. A process without walls takes
only `limit_resources`, and what the machine does not know of that is left out.
"""

import ctypes
import math
import os
import resource
import sys
from collections.abc import Iterable
from pathlib import Path

from autograder.student.limits import Limits

HOME = "/student"
STUDENT = 1000  # the user and the group that a student is, inside

_LIBC = ctypes.CDLL(None, use_errno=True)
_LARGE_PAGE = 2 << 20
_MADV_COLLAPSE = 25

_CLONE_NEWNS, _CLONE_NEWCGROUP, _CLONE_NEWUTS = 0x00020000, 0x02000000, 0x04000000
_CLONE_NEWIPC, _CLONE_NEWUSER = 0x08000000, 0x10000000
_CLONE_NEWPID, _CLONE_NEWNET = 0x20000000, 0x40000000
_ALL_NAMESPACES = (
    _CLONE_NEWUSER
    | _CLONE_NEWNS
    | _CLONE_NEWPID
    | _CLONE_NEWNET
    | _CLONE_NEWIPC
    | _CLONE_NEWUTS
    | _CLONE_NEWCGROUP
)

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_O_PATH = 0o10000000

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_CAPABILITY_VERSION_3 = 0x20080522
_MOST_CAPABILITIES = 64

_FILES_PER_MEBIBYTE = 256
# They tell of the whole machine, or of the user's keys.
_HIDDEN_IN_PROC = ("cmdline", "config.gz", "kallsyms", "key-users", "keys", "locks", "timer_list")


def enter_namespaces() -> None:
    """Leave all that is shared with others; the next child is pid 1 of a process tree of its own.

    Raises:
        OSError: when the kernel refuses.
    """
    user, group = os.getuid(), os.getgid()
    _succeed(_LIBC.unshare(_ALL_NAMESPACES), "unshare")
    # The files below belong to root as long as this process can't be dumped.
    set_dumpable(True)
    # The kernel takes no gid_map from an ordinary user while setgroups is allowed.
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{STUDENT} {user} 1")
    _write("/proc/self/gid_map", f"{STUDENT} {group} 1")
    # When memory runs out, the kernel ends students first.
    _write("/proc/self/oom_score_adj", "1000")
    set_dumpable(False)


def mount_private_folders(disk_bytes: int, kept: Iterable[str]) -> None:
    """One new file system in memory for all that a student can write: HOME, /tmp and /dev/shm.

    Args:
        disk_bytes: its size.
        kept: folders beneath /tmp that are to be seen there all the same.

    Raises:
        OSError: when the kernel refuses.
    """
    _mount("none", "/", "", _MS_REC | _MS_PRIVATE)
    held = [(folder, os.open(folder, _O_PATH)) for folder in kept]
    inodes = max(1024, _FILES_PER_MEBIBYTE * disk_bytes >> 20)
    options = f"size={disk_bytes},nr_inodes={inodes},mode=0700"
    _mount("tmpfs", HOME, "tmpfs", _MS_NOSUID | _MS_NODEV, options)
    for name, place in (("tmp", "/tmp"), ("shm", "/dev/shm"), ("home", HOME)):
        os.mkdir(f"{HOME}/{name}")
        _mount(f"{HOME}/{name}", place, "", _MS_BIND)
    for folder, descriptor in held:
        os.makedirs(folder)
        _mount(f"/proc/self/fd/{descriptor}", folder, "", _MS_BIND | _MS_REC)
        os.close(descriptor)
    os.chdir(HOME)


def mount_own_proc() -> None:
    """Have /proc show this process tree alone, to read only.

    The kernel allows a new /proc only where the old one has nothing mounted over its files. Docker
    mounts over them unless it is told not to. Without a /proc nobody could count what a student's
    processes hold, so that is no place to grade.

    Raises:
        OSError: when the kernel refuses.
    """
    flags = _MS_RDONLY | _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    _mount("proc", "/proc", "proc", flags)
    for name in _HIDDEN_IN_PROC:
        if os.path.exists(f"/proc/{name}"):
            _mount("/dev/null", f"/proc/{name}", "", _MS_BIND)


def drop_privileges() -> None:
    """Give up every capability, for good.

    Raises:
        OSError: when the kernel refuses.
    """
    for capability in range(_MOST_CAPABILITIES):
        # Above the last one that this kernel knows, it says so.
        if _LIBC.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _succeed(_LIBC.capset(header, (ctypes.c_uint32 * 6)()), "capset")
    _succeed(_LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def limit_resources(limits: Limits, mapped_bytes: int, *, walled: bool) -> None:
    """Set what the kernel counts for each process.

    Args:
        limits: the numbers.
        mapped_bytes: how much memory the process had mapped before any student code ran.
        walled: whether the process is in a user namespace of its own; its processes can be counted
            there only.

    Raises:
        OSError, ValueError: when one can't be set; without walls, it is left out.
    """
    stack = 8 << 20
    cpu = math.ceil(limits.cpu_seconds)
    wanted = {
        resource.RLIMIT_AS: (mapped_bytes + limits.memory_bytes,) * 2,
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_FSIZE: (limits.file_bytes,) * 2,
        resource.RLIMIT_NOFILE: (limits.open_files,) * 2,
        resource.RLIMIT_STACK: (stack, stack),
        # With 0, the kernel still hands the dead process to a program that collects crashes.
        resource.RLIMIT_CORE: (1, 1),
    }
    if walled:
        # One more, for the process that watches. Before Linux 5.14 the kernel counts all that the
        # user runs on the machine, and a student may find that there is no room left.
        wanted[resource.RLIMIT_NPROC] = (limits.processes + 1,) * 2
        wanted[resource.RLIMIT_MSGQUEUE] = (0, 0)
        wanted[resource.RLIMIT_MEMLOCK] = (0, 0)
    for kind, numbers in wanted.items():
        _, highest = resource.getrlimit(kind)
        if highest != resource.RLIM_INFINITY:
            numbers = (min(numbers[0], highest), min(numbers[1], highest))
        try:
            resource.setrlimit(kind, numbers)
        except (OSError, ValueError):
            if walled:
                raise


def set_dumpable(dumpable: bool) -> None:
    """Whether others of the same user may look into this process, and its death leaves a dump."""
    if sys.platform == "linux":
        _succeed(_LIBC.prctl(_PR_SET_DUMPABLE, int(dumpable), 0, 0, 0), "dumpable")


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread ends that started it."""
    if sys.platform == "linux":
        _succeed(_LIBC.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0), "pdeathsig")


def mapped_bytes() -> int:
    """How much address space this process has mapped; 0 where there is no /proc."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0


def use_large_pages() -> None:
    """Put what this process has in memory into large pages, where the kernel offers that.

    A fork copies an entry for each page that is not a file's, and its end takes them down again.
    """
    maps = Path("/proc/self/maps")
    for line in maps.read_text().splitlines() if maps.exists() else ():
        place, rights, _, _, file, *_ = line.split()
        if file != "0" or rights != "rw-p":
            continue
        begin, end = (int(address, 16) for address in place.split("-"))
        begin = -(-begin // _LARGE_PAGE) * _LARGE_PAGE
        # One by one: the kernel stops at the first that it has no large page for.
        for page in range(begin, end - _LARGE_PAGE + 1, _LARGE_PAGE):
            _LIBC.madvise(ctypes.c_void_p(page), ctypes.c_size_t(_LARGE_PAGE), _MADV_COLLAPSE)


def memory_kills() -> int:
    """How many processes this machine's kernel has killed to get their memory."""
    counters = Path("/proc/vmstat")
    if counters.exists():
        for line in counters.read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    arguments = [text.encode() for text in (source, target, kind)]
    result = _LIBC.mount(*arguments, ctypes.c_ulong(flags), options.encode())
    _succeed(result, f"mount {target}")


def _write(path: str, text: str) -> None:
    # In one call, as the kernel wants it.
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _succeed(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
