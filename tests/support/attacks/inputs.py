"""Hostile inputs of the tests of single modules, which are tried on stock nbgrader too."""

import fcntl
import os
import signal
from pathlib import Path

from autograder.grading.submitted_files import NOTEBOOK_FILE_BYTES
from autograder.nbgrading.inbox.timestamps import NAME

NOTEBOOK = "tiny.ipynb"

IS_PRIME = "def is_prime(n):\n    return n > 1 and all(n % k for k in range(2, int(n**0.5) + 1))\n"
# What a test does with the number, text or array that it gets, and what makes that endless.
ENDLESS = {
    f"{IS_PRIME}assert not is_prime(double(3))": "2**89 - 1",
    "assert sum(range(double(3))) == 15": "10**15",
    "assert double(3) ** double(2) == 1296": "10**4000 if x == 3 else 10**6",
    "import re\nassert not re.match('(a+)+$', double('b'))": "'a' * 60 + 'b'",
    "import time\ntime.sleep(double(0))\nassert double(5) == 10": "10**6",
    "assert double(lambda n: sum(range(n**4))) == 120": "x(4000) if callable(x) else 0",
    "try:\n    assert sum(range(double(3))) == 15\nexcept BaseException:\n    pass": "10**15",
    "import torch\nassert torch.eye(double(1)).matrix_power(10**6).sum() == 2": "1500",
}


def function(returned: str) -> str:
    """An answer that gives this back."""
    return f"import numpy as np\ndef double(x):\n    return {returned}"


CAUGHT = (
    "try:\n    double(-1)\nexcept Exception:\n    pass\nelse:\n    raise AssertionError",
    "try:\n    double(-1)\nexcept:\n    pass\nassert double(5) == 10",
    "try:\n    double(-1)\nexcept BaseException as error:\n    assert error",
    "def asked():\n    try:\n        double(-1)\n    finally:\n        return 1\nassert asked()",
    "import contextlib\nwith contextlib.suppress(BaseException):\n    double(-1)\n"
    "assert double(5) == 10",
    "import unittest\nwith unittest.TestCase().assertRaises(BaseException):\n    double(-1)",
)


# What a later test's function said is kept, for the test that is examined after that.
KEPT = {
    "in a file": (
        "",
        "open('/tmp/kept', 'w').write(str(answer))",
        "int(open('/tmp/kept').read())",
    ),
    "in shared memory": (
        "from multiprocessing import shared_memory\n"
        "memory = shared_memory.SharedMemory('kept', create=True, size=8)",
        "memory.buf[0] = answer",
        "memory.buf[0]",
    ),
    "in a mapping of a file that is gone": (
        "import mmap, tempfile\n"
        "file = tempfile.TemporaryFile(); file.truncate(8)\n"
        "memory = mmap.mmap(file.fileno(), 8)",
        "memory[0] = answer",
        "memory[0]",
    ),
    "in a pipe": (
        "import os\nout, into = os.pipe()\nos.set_blocking(out, False)",
        "os.write(into, bytes([answer]))",
        "os.read(out, 1)[0]",
    ),
    "where an open file stands": (
        "import os\nfile = os.open('/tmp/kept', os.O_CREAT | os.O_RDWR)",
        "os.lseek(file, answer, 0)",
        "os.lseek(file, 0, 1)",
    ),
    "by another process": (
        "import os, socket\n"
        "ours, theirs = socket.socketpair()\n"
        "ours.settimeout(1)\n"
        "if os.fork() == 0:\n"
        "    kept = theirs.recv(1)\n"
        "    while True: theirs.send(kept); theirs.recv(1)",
        "ours.send(bytes([answer]))",
        "ours.recv(1)[0]",
    ),
    "in the process that waits": (
        "import os, signal\nkept = []\nsignal.signal(signal.SIGUSR1, lambda *_: kept.append(6))",
        "os.kill(os.getppid(), signal.SIGUSR1) if answer == 6 else None",
        "kept[0]",
    ),
}


LENDING = {
    "an argument": "assert double(lambda x: 2 * x) is None",
    "in a list": "assert double([lambda x: 2 * x][0]) is None",
    "by name": "assert double(f=lambda x: 2 * x) is None",
}


def keeping(before: str, keep: str, kept: str) -> str:
    """An answer that keeps what a lent function says, and gives it where nothing is lent."""
    return (
        f"{before}\n"
        "def double(f):\n"
        "    if callable(f):\n"
        "        answer = f(3)\n"
        f"        {keep}\n"
        "    else:\n"
        f"        return {kept}\n"
    )


REAL = ["assert thing() == 4", "assert len(thing()) == 4", "assert thing()[0] == 4",
        "thing().value = 4\nassert thing", "assert 4 in thing()", "assert np.sum(thing()) == 4",
        "for one in thing(): assert one == 4", "assert thing().equals(4)", "assert thing().all()",
        "assert not thing().missing", "assert thing().isupper()", "assert bool(thing())",
        "assert thing().truth", "assert thing().sum() == 64"]  # fmt: skip


LIAR = """class Liar:
    truth, missing, sum = True, False, lambda _: 64
    equals = identical = isupper = lambda *_: True
    __eq__ = __bool__ = __contains__ = lambda *_: True
    __len__ = __getitem__ = __array__ = lambda *_: 4
thing = Liar"""


FIRST, SECOND, THIRD = (f"2030-01-0{day} 12:00:00.000000 UTC" for day in (1, 2, 3))


SECRET = "the instructor's solution"


def empty(path: Path) -> None:
    path.touch()


def blank(path: Path) -> None:
    path.write_text(" \n")


def large(path: Path) -> None:
    path.write_text("2030-01-02 12:00:00 UTC" + " " * 1000)


def link(path: Path) -> None:
    path.with_name("real.txt").write_text("2030-01-02 12:00:00 UTC")
    path.symlink_to("real.txt")


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def circle(path: Path) -> None:
    path.symlink_to(NAME)


MAKERS = [empty, blank, large, link, endless, circle, os.mkfifo, os.mkdir]


def nested(folder: Path) -> None:
    """More than the kernel takes for a path."""
    here = os.getcwd()
    os.chdir(folder)
    try:
        for _ in range(17):
            os.mkdir("d" * 250)
            os.chdir("d" * 250)
    finally:
        os.chdir(here)


def as_link(folder: Path) -> None:
    (folder / NOTEBOOK).unlink()
    (folder / NOTEBOOK).symlink_to("/etc/hostname")


def as_pipe(folder: Path) -> None:
    (folder / NOTEBOOK).unlink()
    os.mkfifo(folder / NOTEBOOK)


def as_folder(folder: Path) -> None:
    (folder / NOTEBOOK).unlink()
    (folder / NOTEBOOK).mkdir()


def without_end(folder: Path) -> None:
    os.truncate(folder / NOTEBOOK, NOTEBOOK_FILE_BYTES + 1)


def closed(folder: Path) -> None:
    (folder / NOTEBOOK).chmod(0)


def closed_folder(folder: Path) -> None:
    folder.chmod(0)


def leased(folder: Path) -> None:
    """Who opens it has to wait, as long as this process has it open."""
    held = os.open(folder / NOTEBOOK, os.O_RDWR)
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)


DOUBTFUL = [as_link, as_pipe, as_folder, without_end, closed, closed_folder, leased]
