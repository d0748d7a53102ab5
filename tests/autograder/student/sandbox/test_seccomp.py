"""The filter, run by an interpreter of its own kind here, and by this machine's kernel."""

import errno
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.errors import IsolationUnavailable
from autograder.student.sandbox import seccomp

MACHINES = ("x86_64", "aarch64")
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# What any program needs, and calls that only look like refused ones.
HARMLESS = {
    "x86_64": {"read": 0, "mmap": 9, "fork": 57, "execve": 59, "kill": 62, "openat": 257},
    "aarch64": {"read": 63, "mmap": 222, "execve": 221, "kill": 129, "openat": 56},
}
ALLOWED = 0x7FFF0000


def decide(program, machine, number, arguments=()):
    """What the kernel would do: run the program on one call."""
    arguments = [*arguments, *(0,) * (6 - len(arguments))]
    data = struct.pack("=iIQ6Q", number, machine, 0, *arguments)
    steps = list(struct.iter_unpack("=HBBI", program))
    at = value = 0
    while True:
        code, if_true, if_false, operand = steps[at]
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("=I", data, operand)
        elif code == 0x54:
            value &= operand
        elif code in (0x15, 0x25):
            holds = value == operand if code == 0x15 else value > operand
            at += if_true if holds else if_false
        elif code == 0x06:
            if operand == ALLOWED:
                return "allowed"
            return errno.errorcode.get(operand & 0xFFFF, "not done")
        else:
            raise AssertionError(f"instruction {code:#x}")


@pytest.fixture(params=MACHINES)
def ask(request):
    """What happens to a call, by name or number, on each kind of machine."""
    program = seccomp.filter_program(request.param)
    column = MACHINES.index(request.param)
    known = seccomp._REFUSED | seccomp._UNKNOWN | seccomp._NOT_DONE
    numbers = {name: both[column] for name, both in known.items()}
    numbers |= {condition.call: condition.numbers[column] for condition in seccomp._CONDITIONS}
    numbers |= HARMLESS[request.param]

    def answer(call, *arguments, machine=AUDIT[request.param]):
        number = numbers[call] if isinstance(call, str) else call
        return decide(program, machine, number, arguments)

    answer.numbers = numbers  # type: ignore[attr-defined]
    return answer


def test_harmless_calls_are_allowed(ask):
    names = HARMLESS["x86_64"].keys() & ask.numbers.keys()
    assert {name: ask(name) for name in names} == dict.fromkeys(names, "allowed")


def test_listed_calls_are_refused(ask):
    names = [name for name in seccomp._REFUSED if ask.numbers[name] is not None]
    assert {name: ask(name) for name in names} == dict.fromkeys(names, "EPERM")
    assert len(names) > 60


def test_only_what_is_listed_is_refused(ask):
    listed = set(ask.numbers.values())
    others = set(range(seccomp.NEWEST + 1)) - listed
    assert {ask(number) for number in others} == {"allowed"}


@pytest.mark.parametrize("number", [seccomp.NEWEST + 1, 600, 1 << 30, (1 << 30) + 101])
def test_unlisted_new_call_is_unknown(ask, number):
    assert ask(number) == "ENOSYS"


@pytest.mark.parametrize("machine", [0x40000003, 0x40000028, 0])
def test_foreign_machine_is_refused(ask, machine):
    assert ask("read", machine=machine) == "EPERM"


@pytest.mark.parametrize("flag", [1 << 17, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30])
def test_clone_makes_no_namespace(ask, flag):
    signal_on_end = 17
    assert ask("clone", flag | signal_on_end) == "EPERM"


def test_clone_makes_threads_and_children(ask):
    assert ask("clone", 0x3D0F00) == "allowed"
    assert ask("clone", 0x1200011) == "allowed"


def test_clone3_is_unknown(ask):
    assert ask("clone3") == "ENOSYS"


def test_sessions_are_not_begun_and_nobody_is_told(ask):
    assert ask("setsid") == "not done"


@pytest.mark.parametrize("call", ["socket", "socketpair"])
def test_only_unix_sockets(ask, call):
    families = {family: ask(call, family) for family in range(46)}
    assert {family for family, answer in families.items() if answer == "allowed"} == {1}


@pytest.mark.parametrize(
    ("call", "refused", "allowed"),
    [
        ("ioctl", (0, 0x5412), (0, 0x5401)),
        ("ioctl", (0, 0x541C), (0, 0x541B)),
        ("mknodat", (0, 0, 0o020666), (0, 0, 0o010666)),
        ("mknodat", (0, 0, 0o060666), (0, 0, 0o140666)),
        ("prlimit64", (1,), (0,)),
        ("mmap", (0, 4096, 3, 0x21), (0, 4096, 3, 0x22)),
        ("mmap", (0, 4096, 3, 0x4023), (0, 4096, 3, 0x01)),
        ("fcntl", (0, 1024), (0, 1030)),
        ("fcntl", (0, 1026), (0, 6)),
    ],
)
def test_call_is_refused_for_one_argument(ask, call, refused, allowed):
    assert ask(call, *refused) == "EPERM"
    assert ask(call, *allowed) == "allowed"


def test_old_mknod_makes_no_device():
    program, machine = seccomp.filter_program("x86_64"), AUDIT["x86_64"]
    kinds = {kind: decide(program, machine, 133, (0, kind << 12)) for kind in (1, 2, 4, 6, 8, 12)}
    assert {kind for kind, answer in kinds.items() if answer == "EPERM"} == {2, 6}


def test_upper_half_of_an_argument_hides_nothing(ask):
    # The kernel takes an int of these, and so cuts off what lies above.
    assert ask("ioctl", 0, (1 << 32) | 0x5412) == "EPERM"
    assert ask("socket", (1 << 32) | 2) == "EPERM"


def test_table_names_what_is_refused():
    rows = seccomp.__doc__.split("=\n")[2:-1]
    column = [line[:58] for line in "".join(rows).splitlines()]
    named = set(re.findall(r"\b[a-z_]\w+", re.sub(r",.*|\(.*\)", "", "\n".join(column))))
    conditions = {condition.call for condition in seccomp._CONDITIONS}
    listed = seccomp._REFUSED | seccomp._UNKNOWN | seccomp._NOT_DONE
    assert named == listed.keys() | conditions


@pytest.mark.parametrize(
    ("column", "header"),
    [
        (0, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        (1, "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_numbers_are_those_of_linux(column, header):
    if not Path(header).exists():
        pytest.skip(f"{header} is not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text())
    official = {name: int(number) for name, number in reversed(found)}
    listed = seccomp._REFUSED | seccomp._UNKNOWN | seccomp._NOT_DONE
    ours = {name: both[column] for name, both in listed.items()}
    ours |= {condition.call: condition.numbers[column] for condition in seccomp._CONDITIONS}
    # A header that is older than a call does not name it.
    assert {n: number for n, number in ours.items() if official.get(n, number) != number} == {}


def test_other_machines_are_named():
    with pytest.raises(IsolationUnavailable, match=r"'riscv64'.*x86_64 or aarch64"):
        seccomp.filter_program("riscv64")


INSTALL = """
import errno, os, socket, subprocess, threading
from autograder.student.sandbox import seccomp
seccomp.install(seccomp.filter_program())
def refused(run):
    try:
        run()
    except OSError as error:
        return errno.errorcode[error.errno]
thread = threading.Thread(target=print, args=["threads run"])
thread.start(); thread.join()
print(subprocess.run(["echo", "programs run"], capture_output=True, text=True).stdout.strip())
print(refused(socket.socket), refused(socket.socketpair))
print(refused(lambda: os.memfd_create("x")), refused(lambda: os.chroot("/")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such filters")
def test_kernel_takes_the_filter():
    done = subprocess.run([sys.executable, "-c", INSTALL], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.split("\n") == [
        "threads run",
        "programs run",
        "EPERM None",
        "EPERM EPERM",
        "",
    ]
