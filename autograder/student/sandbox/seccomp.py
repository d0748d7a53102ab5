"""The last wall: which system calls a student's process may not make.

The namespaces hide files, processes and networks; the filter takes away calls that could reach
around them, now or through the next defect found in the kernel. It is a list of refusals, not of
permissions: what NumPy, torch and the C library call differs between versions and machines, and an
honest submission must never fail on it. What a list of refusals would miss, calls that are newer
than the list, is refused as a whole: a number above `NEWEST` gives ENOSYS, as on an older kernel.

A refused call gives EPERM and the process goes on, so that a library which only tried takes its
other way; one that is not done gives 0, as if it had been. All calls of a foreign kind (32 bit; on
x86-64 also x32) are refused.

========================================================== =========================================
refused                                                    because
========================================================== =========================================
ptrace process_vm_readv process_vm_writev process_madvise  read and change other processes
process_mrelease kcmp pidfd_getfd
add_key request_key keyctl                                 keyrings belong to the user, not to the
                                                           process: the next student would find them
bpf perf_event_open userfaultfd seccomp                    programs and listeners in the kernel, the
                                                           source of many defects
io_uring_setup io_uring_enter io_uring_register            make other calls past this filter
mount umount2 pivot_root chroot open_tree move_mount       change or list what is mounted
fsopen fsconfig fsmount fspick mount_setattr statmount
listmount
unshare setns                                              a new user namespace would bring all
                                                           privileges back, within it
name_to_handle_at open_by_handle_at                        open files past all that is mounted
kexec_load kexec_file_load init_module finit_module        run the machine
delete_module swapon swapoff reboot quotactl quotactl_fd
acct settimeofday clock_settime clock_adjtime adjtimex
sethostname setdomainname syslog vhangup iopl ioperm
lookup_dcookie nfsservctl
personality modify_ldt uselib ustat sysfs _sysctl          old corners of the kernel, in no use
remap_file_pages vmsplice lsm_get_self_attr
lsm_set_self_attr lsm_list_modules
memfd_create memfd_secret shmget shmat shmctl semget       memory that no limit counts, or that
msgget mq_open io_setup                                    outlives its process
flock inotify_init inotify_init1 fanotify_init             watch or hold up neighbours by the
fanotify_mark cachestat                                    read-only files that all share
setpriority sched_setscheduler sched_setparam              slow down the process that watches
sched_setattr sched_setaffinity ioprio_set                 or pin it to a processor that is busy
mbind set_mempolicy set_mempolicy_home_node                place memory of the whole machine
migrate_pages move_pages
clone3 (ENOSYS)                                            its flags lie in memory, where a filter
                                                           can't look; the C library takes clone
clone, with a flag for a new namespace                     as unshare
setsid (not done)                                          kernels that share processors by session
                                                           would give each as much as a neighbour
socket socketpair, but for AF_UNIX                         the network; namespaces do not bind
                                                           AF_VSOCK
ioctl, with TIOCSTI or TIOCLINUX                           type into a terminal
mknod mknodat, of a device                                 a way to the disk
mmap, shared and of no file                                memory that is held when no process has
                                                           it any more
prlimit64, of another process                              the limits of the process that watches
fcntl, with F_SETLEASE or F_NOTIFY                         as flock and inotify
========================================================== =========================================
"""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.errors import IsolationUnavailable

# Each call's numbers on x86-64 and on aarch64; None where it does not exist.
_REFUSED: Mapping[str, tuple[int | None, int | None]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "seccomp": (317, 277),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "acct": (163, 89),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "ustat": (136, None),
    "sysfs": (139, None),
    "_sysctl": (156, None),
    "remap_file_pages": (216, 234),
    "vmsplice": (278, 75),
    "lsm_get_self_attr": (459, 459),
    "lsm_set_self_attr": (460, 460),
    "lsm_list_modules": (461, 461),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "io_setup": (206, 0),
    "flock": (73, 32),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "cachestat": (451, 451),
    "setpriority": (141, 140),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
    "ioprio_set": (251, 30),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}
_UNKNOWN: Mapping[str, tuple[int | None, int | None]] = {"clone3": (435, 435)}
# Whoever starts a program in a session of its own goes on, and has the same without one.
_NOT_DONE: Mapping[str, tuple[int | None, int | None]] = {"setsid": (112, 157)}


@dataclass(frozen=True)
class _Condition:
    """A call that is refused for some values of one argument, of which `mask` picks the bits."""

    call: str
    numbers: tuple[int | None, int | None]
    argument: int
    allowed: tuple[int, ...] = ()
    refused: tuple[int, ...] = ()
    mask: int = 0xFFFFFFFF


_NEW_NAMESPACE = 0x7E020000  # every CLONE_NEW… that clone knows
_AF_UNIX = 1
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_KIND, _CHARACTERS, _BLOCKS = 0o170000, 0o020000, 0o060000
_SHARED, _ANONYMOUS = 0x01, 0x20
_F_SETLEASE, _F_NOTIFY = 1024, 1026

_CONDITIONS = (
    _Condition("clone", (56, 220), 0, allowed=(0,), mask=_NEW_NAMESPACE),
    _Condition("socket", (41, 198), 0, allowed=(_AF_UNIX,)),
    _Condition("socketpair", (53, 199), 0, allowed=(_AF_UNIX,)),
    _Condition("ioctl", (16, 29), 1, refused=(_TIOCSTI, _TIOCLINUX)),
    _Condition("mknod", (133, None), 1, refused=(_CHARACTERS, _BLOCKS), mask=_KIND),
    _Condition("mknodat", (259, 33), 2, refused=(_CHARACTERS, _BLOCKS), mask=_KIND),
    _Condition("mmap", (9, 222), 3, refused=(_SHARED | _ANONYMOUS,), mask=_SHARED | _ANONYMOUS),
    _Condition("prlimit64", (302, 261), 0, allowed=(0,)),
    _Condition("fcntl", (72, 25), 1, refused=(_F_SETLEASE, _F_NOTIFY)),
)

NEWEST = 462  # mseal, of Linux 6.10

# The kernel's name for each machine: linux/audit.h.
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

# struct seccomp_data: the call's number, the machine, an address, then six arguments of 8 bytes
# each. The lower half of an argument comes first on both machines, and is all that the kernel
# reads of each argument that is looked at here.
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_EQUAL, _ABOVE = 0x15, 0x25
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2


class _Program(ctypes.Structure):
    """struct sock_fprog"""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def filter_program(machine: str | None = None) -> bytes:
    """The filter as the kernel takes it: a BPF program, 8 bytes an instruction.

    Args:
        machine: as `platform.machine()` names it; by default this one.

    Raises:
        IsolationUnavailable: for a machine whose calls are not known here.
    """
    machine = machine or platform.machine()
    if machine not in _MACHINES:
        raise IsolationUnavailable(
            f"Student code can't be walled in on a machine of the kind {machine!r}: grade on "
            f"{' or '.join(_MACHINES)}, or choose isolation 'none' on a machine without secrets."
        )
    return b"".join(_instructions(*_MACHINES[machine]))


def install(program: bytes) -> None:
    """Put the filter over this thread and all that it will start. There is no way back.

    Raises:
        OSError: when the kernel does not take it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    fprog = _Program(len(program) // 8, program)
    _succeed(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _succeed(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(fprog), 0, 0))


def _succeed(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _instructions(column: int, machine: int) -> Iterator[bytes]:
    refuse = _instruction(_RETURN, _ERROR | errno.EPERM)
    unknown = _instruction(_RETURN, _ERROR | errno.ENOSYS)
    not_done = _instruction(_RETURN, _ERROR)
    yield _instruction(_LOAD, _MACHINE)
    yield _instruction(_EQUAL, machine, if_true=1)
    yield refuse
    yield _instruction(_LOAD, _NUMBER)
    # The numbers of x32 calls begin at 2 ** 30.
    yield _instruction(_ABOVE, NEWEST, if_false=1)
    yield unknown
    for calls, answer in ((_REFUSED, refuse), (_UNKNOWN, unknown), (_NOT_DONE, not_done)):
        for numbers in calls.values():
            if (number := numbers[column]) is not None:
                yield _instruction(_EQUAL, number, if_false=1)
                yield answer
    for condition in _CONDITIONS:
        if (number := condition.numbers[column]) is not None:
            block = list(_decide(condition, refuse))
            yield _instruction(_EQUAL, number, if_false=len(block))
            yield from block
    yield _instruction(_RETURN, _ALLOW)


def _decide(condition: _Condition, refuse: bytes) -> Iterator[bytes]:
    """Allow or refuse by the condition's argument; nothing after this is reached."""
    allow = _instruction(_RETURN, _ALLOW)
    named, other = (allow, refuse) if condition.allowed else (refuse, allow)
    yield _instruction(_LOAD, _ARGUMENTS + 8 * condition.argument)
    yield _instruction(_AND, condition.mask)
    for value in condition.allowed or condition.refused:
        yield _instruction(_EQUAL, value, if_false=1)
        yield named
    yield other


def _instruction(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """struct sock_filter; `if_true` and `if_false` say how many instructions a jump skips."""
    return struct.pack("=HBBI", code, if_true, if_false, operand)
