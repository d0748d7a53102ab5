"""Each wall of the sandbox is tried from inside, by code that wants to get past it."""

import ast
import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from autograder.errors import IsolationUnavailable, SandboxFailed
from autograder.student.limits import Limits
from autograder.student.sandbox import bubblewrap, seccomp
from autograder.student.sandbox.control import Link
from autograder.student.sandbox.launcher import Launcher, StepFailed
from autograder.student.sandbox.sandbox import Ending, Layers, Sandbox, available
from tests.support.course import ROOT
from tests.support.processes import BACKSTOP, descendants, eventually, running
from tests.support.walls import layers

ROOTED = os.getuid() == 0
LIMITS = Limits()
SMALL = Limits(
    cpu_seconds=1,
    memory_bytes=128 << 20,
    processes=16,
    open_files=64,
    file_bytes=1 << 20,
    disk_bytes=8 << 20,
)


@pytest.fixture(scope="module", autouse=True)
def walls() -> None:
    """What the kernel does not allow can't be helped; what is not installed can, and fails."""
    if layers().missing and "not installed" not in layers().missing:
        pytest.skip(layers().missing)


class Inside:
    """A student's process that does what a test tells it."""

    def __init__(self, student):
        self.student = student
        self.link = Link(student.sock)
        student.sock.settimeout(BACKSTOP)

    def __call__(self, code):
        """The value of the code's last expression, or the error it raised."""
        self.tell(code)
        return self.hear()

    def tell(self, code):
        self.link.send({"code": code})

    def hear(self):
        answer = self.link.receive()
        if "error" in answer:
            return answer["error"]
        try:
            return ast.literal_eval(answer["value"])
        except (SyntaxError, ValueError):
            return answer["value"]

    def ending(self):
        """How it ended, which it does by itself."""
        return self.student.ended(BACKSTOP)

    def hear_nothing(self):
        """Wait for its end."""
        with pytest.raises((EOFError, ConnectionError)):
            self.hear()


@contextmanager
def open_sandbox(limits=LIMITS, **options):
    with Sandbox(
        limits, **{"entry": "tests.support.inside:obey", "preload": (), **options}
    ) as opened:
        yield opened


@contextmanager
def student_in(opened, files=None, seed=1):
    with opened.spawn(files or {}, seed) as student:
        yield Inside(student)


@pytest.fixture(scope="module")
def warm():
    """A sandbox as it is used."""
    with open_sandbox(preload=("numpy", "torch", "matplotlib.pyplot", "companion")) as opened:
        yield opened


@pytest.fixture(scope="module")
def tight():
    """A sandbox whose limits are soon reached."""
    with open_sandbox(SMALL) as opened:
        yield opened


@pytest.fixture(scope="module")
def inside(warm):
    """A student who tries this and that, and survives it."""
    with student_in(warm, {"data.csv": b"1,2", "images/cat.png": b"\x89PNG"}) as told:
        yield told


@pytest.fixture(scope="module")
def unfiltered():
    """A student whose calls nothing filters: the namespaces alone must hold."""
    allow_all = seccomp._instruction(seccomp._RETURN, seccomp._ALLOW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seccomp, "filter_program", lambda: allow_all)
        with open_sandbox() as opened, student_in(opened) as told:
            # All other sandboxes of this file have their filter.
            patch.undo()
            yield told


@pytest.fixture
def bomber(tight):
    with student_in(tight) as told:
        yield told


def zygote_of(opened):
    """Of the processes that run its module, the one that started all others."""
    opened._launcher.wait_until_ready()
    started = descendants(opened._launcher._process.pid)
    module = "autograder.student.sandbox.zygote"
    return next(p for p in started if module in command_of(p) and "bwrap" not in command_of(p))


def command_of(process):
    return Path(f"/proc/{process}/cmdline").read_text()


# What a student finds


def test_all_walls_stand(warm):
    assert warm.layers == available() == Layers(True, True, True, True)
    assert warm.layers.record == (
        "isolation full: bubblewrap, user namespaces, nested namespaces, seccomp"
    )


def test_files_are_there(inside):
    assert inside("open('data.csv').read()") == "1,2"
    assert inside("open('images/cat.png', 'rb').read()") == b"\x89PNG"
    assert inside("import os; sorted(os.listdir())") == ["data.csv", "images"]
    assert inside("os.getcwd(), os.path.expanduser('~')") == ("/student", "/student")


def test_environment_holds_nothing(warm, monkeypatch):
    monkeypatch.setenv("JUPYTERHUB_API_TOKEN", "secret")
    with open_sandbox() as opened, student_in(opened) as told:
        environment = told("import os; dict(os.environ)")
    ours = bubblewrap.environment(bubblewrap.PACKAGES, "/student", "/tmp")
    # It is for the zygote alone.
    del ours[bubblewrap.LARGE_PAGES]
    assert environment == ours | {"PWD": environment["PWD"]}
    assert str(Path.home()) not in str([v for k, v in environment.items() if k != "PATH"])


def test_one_socket_is_open(inside):
    # The last one is the list's own.
    files = inside("import os; sorted(map(int, os.listdir('/proc/self/fd')))")[:-1]
    names = inside(f"[os.readlink(f'/proc/self/fd/{{file}}') for file in {files}]")
    assert names[:3] == ["/dev/null"] * 3
    assert [name.split(":")[0] for name in names[3:]] == ["socket"]


def test_no_privileges(inside):
    status = inside("open('/proc/self/status').read()")
    fields = dict(line.split(":\t", 1) for line in status.splitlines())
    assert {fields[f"Cap{kind}"] for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")} == {"0" * 16}
    assert (fields["NoNewPrivs"], fields["Seccomp"]) == ("1", "2")
    assert fields["Uid"].split() == ["1000"] * 4


def test_limits_are_passed_on(warm):
    limits = replace(LIMITS, open_files=99)
    with open_sandbox(limits) as opened, student_in(opened) as told:
        assert told("limits.open_files") == 99
        assert told("import resource; resource.getrlimit(resource.RLIMIT_NOFILE)") == (99, 99)


def test_every_namespace_is_ones_own(warm):
    kinds = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
    look = f"[os.readlink('/proc/self/ns/' + kind) for kind in {kinds}]"
    with student_in(warm) as first, student_in(warm) as second:
        seen = [told(f"import os\n{look}") for told in (first, second)] + [eval(look)]
    assert len({name for names in seen for name in names}) == 3 * len(kinds)


def test_random_numbers_follow_the_seed(warm):
    code = """
import random, numpy, torch
random.random(), numpy.random.rand(), torch.rand(1).item()
"""
    drawn = []
    for seed in (5, 5, 6, 2**40):
        with student_in(warm, seed=seed) as told:
            drawn.append(told(code))
    assert drawn[0] == drawn[1]
    assert len({number for numbers in drawn for number in numbers}) == 9


@pytest.mark.long
def test_sets_have_one_order():
    orders = []
    for _ in range(2):
        with open_sandbox() as opened, student_in(opened) as told:
            orders.append(told("list({f'word{n}' for n in range(50)})"))
    assert orders[0] == orders[1]


# What an honest student does


def test_torch_computes(inside):
    code = """
import torch
A = torch.arange(6.0).reshape(2, 3).requires_grad_()
(A @ A.T).sum().backward()
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.GELU(), torch.nn.Linear(4, 1))
losses = []
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(20):
    loss = (net(A.detach()) - 1).square().mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    losses.append(loss.item())
A.grad.tolist(), losses[-1] < losses[0] / 10
"""
    assert inside(code) == ([[6.0, 10.0, 14.0], [6.0, 10.0, 14.0]], True)


def test_attention_computes(inside):
    code = """
x = torch.randn(2, 5, 8)
attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
attention(x, x, x)[0].shape == x.shape and bool(torch.isfinite(attention(x, x, x)[0]).all())
"""
    assert inside("import torch\n" + code) is True


def test_numpy_computes(inside):
    code = "import numpy as np; np.linalg.inv(np.diag([2.0, 4.0])).tolist()"
    assert inside(code) == [[0.5, 0.0], [0.0, 0.25]]


def test_figures_are_drawn(inside):
    code = """
import io, matplotlib.pyplot as plt
figure, axes = plt.subplots(); axes.plot([1, 2]); axes.set_title('α → β')
file = io.BytesIO(); figure.savefig(file); file.getvalue()[:4]
"""
    assert inside(code) == b"\x89PNG"


def test_companion_is_there(inside):
    assert inside("import companion; companion.__file__") == "/packages/companion/__init__.py"


def test_temporary_files_work(inside):
    code = "import tempfile; f = tempfile.TemporaryFile(); f.write(b'x'), tempfile.gettempdir()"
    assert inside(code) == (1, "/tmp")


def test_threads_work(inside):
    code = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool: total = sum(pool.map(abs, range(-5, 5)))
total
"""
    assert inside(code) == 25


def test_programs_run(inside):
    code = "import subprocess; subprocess.run(['id', '-un'], capture_output=True, text=True).stdout"
    assert inside(code) == "student\n"


def test_workers_are_bounded(inside):
    code = """
import multiprocessing
with multiprocessing.Pool(2) as pool: squares = pool.map(abs, [-1, -2])
squares
"""
    assert inside(code) == [1, 2]


def test_callbacks_from_c_work(inside):
    assert inside("import ctypes; ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 5)()") == 5


# Reading what is not theirs


def test_course_is_not_there(inside):
    inside("import os, importlib.util")
    for path in ("solutions/__init__.py", "pyproject.toml", "source", "tests"):
        assert (ROOT / path).exists()
        assert inside(f"os.path.exists({str(ROOT / path)!r})") is False
    assert inside("importlib.util.find_spec('solutions')") is None


def test_other_submissions_are_not_there(inside, tmp_path):
    theirs = tmp_path / "answer.ipynb"
    theirs.write_text("{}")
    assert inside(f"open({str(theirs)!r})").startswith("FileNotFoundError")


def test_home_is_not_there(inside):
    # On the way to Python itself, folders of these names are there, empty but for the way.
    home = Path.home()
    ways = {Path(place) for place in (sys.prefix, sys.base_prefix)}
    ways |= {parent for way in ways for parent in way.parents}
    beside = [path for path in home.iterdir() if path not in ways] if os.access(home, 4) else []
    assert [str(path) for path in beside if inside(f"os.path.lexists({str(path)!r})")] == []


@pytest.mark.parametrize(
    "path", ["/etc/shadow", "/etc/machine-id", "/var", "/run", "/home", "/dev/vda"]
)
def test_system_is_not_there(inside, path):
    assert inside(f"import os; os.path.lexists({path!r})") is path.startswith(str(Path.home()))


def test_users_are_not_listed(inside):
    assert inside("open('/etc/passwd').read()") == "student:x:1000:1000::/student:/bin/sh\n"


def test_no_other_process_is_seen(inside):
    assert inside("[int(name) for name in os.listdir('/proc') if name.isdigit()]") == [1, 2]
    assert inside(f"os.kill({os.getpid()}, 0)").startswith("ProcessLookupError")


def test_watcher_is_closed(inside):
    for name in ("mem", "environ", "fd", "maps", "root"):
        assert inside(f"list(os.scandir('/proc/1/{name}')), 1").startswith("PermissionError") or (
            inside(f"open('/proc/1/{name}').read()").startswith("PermissionError")
        ), name


@pytest.mark.parametrize("name", ["keys", "key-users", "locks", "cmdline"])
def test_machine_tells_little(inside, name):
    assert inside(f"open('/proc/{name}').read()") == ""


def test_mounts_do_not_tell_where_the_course_is(inside):
    python = tuple({os.path.realpath(place) for place in (sys.prefix, sys.base_prefix)})
    seen = [line.split()[3] for line in inside("open('/proc/self/mountinfo').read()").splitlines()]
    assert [path for path in seen if path.startswith(str(ROOT))] == [
        path for path in seen if path.startswith(str(ROOT)) and path.startswith(python)
    ]


def test_hidden_folders_are_not_there(monkeypatch):
    share = Path(sys.prefix, "share")
    with open_sandbox(hidden=[share]) as opened, student_in(opened) as told:
        assert list(share.iterdir())
        assert told(f"import os; os.listdir({str(share)!r})") == []
        assert told(f"open({str(share / 'x')!r}, 'w')").startswith("OSError: [Errno 30]")


def test_packages_in_tmp_are_there(monkeypatch, tmp_path):
    (tmp_path / "handy.py").write_text("ANSWER = 42")
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "_user_packages", lambda: [str(tmp_path)])
    with open_sandbox() as opened, student_in(opened) as told:
        assert told("import handy; handy.ANSWER") == 42
        assert told("open('/tmp/own', 'w').write('x')") == 1
        assert told(f"open({str(tmp_path / 'x')!r}, 'w')").startswith("OSError: [Errno 30]")


# Writing where others read


@pytest.mark.parametrize(
    "folder",
    [
        "/",
        "/usr/lib",
        "/packages",
        "/packages/autograder",
        "/etc",
        "/dev",
        "/sys",
        sys.prefix,
        "/proc",
    ],
)
def test_nothing_else_can_be_written(inside, folder):
    said = inside(f"open({folder!r} + '/planted', 'w')")
    assert said.startswith(("OSError: [Errno 30]", "PermissionError", "FileNotFoundError")), said


def test_file_modes_stay(inside):
    assert inside("os.chmod('/packages/autograder/student/limits.py', 0o777)").startswith(
        "OSError: [Errno 30]"
    )


def test_next_student_finds_nothing(warm):
    places = ("/student", "/tmp", "/dev/shm")
    with student_in(warm) as first, student_in(warm) as beside:
        for place in places:
            first(f"open('{place}/note', 'w').write('the answer')")
        look = f"['note' in __import__('os').listdir(place) for place in {places}]"
        assert first(look) == [True, True, True]
        assert beside(look) == [False, False, False]
        first.student.kill()
        with student_in(warm) as after:
            assert after(look) == [False, False, False]


def test_shared_memory_is_not_left(warm):
    code = """
from multiprocessing import shared_memory
shared_memory.SharedMemory('answer', create=True, size=100).name
"""
    with student_in(warm) as first:
        assert first(code) == "answer"
        with student_in(warm) as second:
            assert second(code) == "answer"


def test_modules_are_not_changed_for_others(warm):
    with student_in(warm) as first:
        first("import numpy; numpy.allclose = lambda *a: True")
    with student_in(warm) as second:
        assert second("import numpy; bool(numpy.allclose(1, 2))") is False


# The network


@pytest.fixture(scope="module")
def listener():
    """Somebody on this machine who would take whatever a student sends."""
    with socket.create_server(("0.0.0.0", 0)) as server:
        server.setblocking(False)
        yield server


def own_address():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return probe.getsockname()[0]


@pytest.mark.parametrize("who", ["inside", "unfiltered"])
def test_listener_hears_nothing(request, listener, who):
    told = request.getfixturevalue(who)
    for host in ("127.0.0.1", own_address()):
        said = told(
            f"import socket; socket.create_connection(({host!r}, {listener.getsockname()[1]}), 2)"
        )
        assert said.startswith(("PermissionError", "OSError: [Errno 101]")), said
    with pytest.raises(BlockingIOError):
        listener.accept()


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK"])
def test_families_are_refused(inside, family):
    code = f"import socket; socket.socket(socket.{family}, socket.SOCK_DGRAM)"
    assert inside(code) == "PermissionError: [Errno 1] Operation not permitted"


def test_no_network_but_ones_own(unfiltered):
    assert unfiltered("import socket; socket.if_nameindex()") == [(1, "lo")]


def test_sockets_by_name_end_at_the_wall(warm):
    with student_in(warm) as first, student_in(warm) as second:
        bind = "import socket; s = socket.socket(socket.AF_UNIX); s.bind('\\0meet'); s.listen()"
        first(bind)
        connect = "import socket; socket.socket(socket.AF_UNIX).connect('\\0meet')"
        assert first(connect) is None
        assert second(connect).startswith("ConnectionRefusedError")


# The kernel


CALL = """
import ctypes, errno
def call(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(number, *arguments) >= 0 or errno.errorcode[ctypes.get_errno()]
"""
COLUMN = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def number(name):
    return seccomp._REFUSED[name][COLUMN]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ptrace", "16, 1, 0, 0"),
        ("process_vm_readv", "1, 0, 0, 0, 0, 0"),
        ("add_key", "b'user', b'name', b'answer', 6, -4"),
        ("keyctl", "0, -4, 0"),
        ("io_uring_setup", "8, ctypes.create_string_buffer(120)"),
        ("bpf", "0, 0, 0"),
        ("perf_event_open", "0, 0, 0, 0, 0"),
        ("userfaultfd", "1"),
        ("unshare", "0x10000000"),
        ("setns", "0, 0"),
        ("mount", "b'none', b'/student', b'tmpfs', 0, 0"),
        ("umount2", "b'/proc', 2"),
        ("pivot_root", "b'/', b'/'"),
        ("chroot", "b'/'"),
        ("open_by_handle_at", "0, 0, 0"),
        ("name_to_handle_at", "-100, b'/', 0, 0, 0"),
        ("personality", "-1"),
        ("memfd_create", "b'x', 0"),
        ("shmget", "0, 100, 0o1600"),
        ("flock", "0, 1"),
        ("inotify_init1", "0"),
        ("sethostname", "b'x', 1"),
        ("pidfd_getfd", "0, 0, 0"),
        ("io_setup", "8, ctypes.create_string_buffer(8)"),
        ("sched_setaffinity", "1, 8, b'\\1' + bytes(7)"),
        ("sched_setaffinity", "0, 8, b'\\1' + bytes(7)"),
    ],
)
def test_call_is_refused(inside, name, arguments):
    assert inside(f"{CALL}\ncall({number(name)}, {arguments})") == "EPERM"


def test_new_namespaces_are_refused(inside):
    clone = seccomp._CONDITIONS[0].numbers[COLUMN]
    assert inside(f"{CALL}\ncall({clone}, 0x10000000 | 17, 0, 0, 0, 0)") == "EPERM"
    assert inside(f"{CALL}\ncall(435, 0, 0)") == "ENOSYS"


def test_devices_cannot_be_made(inside):
    assert inside(
        "import stat; os.mknod('disk', stat.S_IFBLK | 0o600, os.makedev(8, 0))"
    ).startswith("PermissionError")


def test_limits_cannot_be_raised(inside):
    code = "import resource; resource.setrlimit(resource.RLIMIT_{0}, ({1}, {1}))"
    for name in ("AS", "NPROC", "NOFILE", "FSIZE", "CPU"):
        assert inside(code.format(name, 1 << 40)).startswith("ValueError"), name
    assert inside("resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))").startswith("PermissionError")


def test_memory_order_cannot_be_changed(inside):
    assert inside("open('/proc/self/oom_score_adj').read()") == "1000\n"
    assert inside("open('/proc/self/oom_score_adj', 'w').write('0')").startswith(
        "OSError: [Errno 30]"
    )


def test_no_session_is_begun(inside):
    same = "import os; before = os.getsid(0); os.setsid(); os.getsid(0) == before"
    assert inside(same) is True
    started = "import subprocess; subprocess.run(['true'], start_new_session=True).returncode"
    assert inside(started) == 0


BUSY = """
import os, time
made = []
for _ in range({count}):
    made.append(os.fork())
    while not made[-1]: pass
def seen():
    return [(os.sched_getscheduler(one), os.getpriority(os.PRIO_PROCESS, one)) for one in made]
end = time.monotonic() + {seconds}
while time.monotonic() < end and not all({stepped_back} for kind, level in seen()):
    time.sleep(0.01)
seen()
"""


@pytest.mark.parametrize(
    ("count", "seconds", "stepped_back", "kind", "levels"),
    [
        (1, 0.5, "level > {usual}", os.SCHED_OTHER, range(1)),
        (6, 60, "level > {usual}", os.SCHED_OTHER, range(1, 8)),
        (20, 60, "kind == os.SCHED_IDLE", os.SCHED_IDLE, range(20)),
    ],
    ids=["one", "some", "very many"],
)
def test_busy_processes_step_back(warm, count, seconds, stepped_back, kind, levels):
    """Where few of them want to run none does, however busy the machine is."""
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    until = stepped_back.format(usual=usual)
    with student_in(warm) as told:
        found = told(BUSY.format(count=count, seconds=seconds, stepped_back=until))
    assert {one for one, _ in found} == {kind}
    assert {level - usual for _, level in found} <= set(levels)
    with student_in(warm) as told:
        own = told("import os; os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)")
    assert own == (os.SCHED_OTHER, usual)


def test_zygote_is_out_of_reach(unfiltered):
    # Without the filter, too: what can't be named can't be traced or killed.
    assert unfiltered(f"{CALL}\ncall({number('ptrace')}, 16, 1, 0, 0)") == "EPERM"
    assert unfiltered("import os; os.kill(1, 9), os.getpid()") == (None, 2)
    assert unfiltered("os.kill(1, 2), os.getppid()") == (None, 1)


# Taking too much


def test_forks_that_wait_are_counted_apart(tight):
    """Beside them a process can start as many as ever, and a bomb is no larger for them."""
    code = """
import os, time
children = []
try:
    while len(children) < 99:
        children.append(os.fork() or time.sleep(600))
except BlockingIOError:
    pass
len(children), [os.kill(child, 9) for child in children][:0]
"""

    def started(waiting):
        with tight.spawn({}, 1, waiting) as student:
            return Inside(student)(code)

    def has_room(waiting):
        found, expected = started(waiting), (SMALL.processes + waiting - 1, [])
        assert found <= expected
        return found == expected

    for waiting in (0, 5):
        # Whoever ran before may still be ending, which leaves less room, and never more.
        assert eventually(partial(has_room, waiting))


def test_memory_bomb(bomber):
    assert bomber("x = bytearray(1 << 30)") == "MemoryError: "
    assert bomber("x = []\nwhile True: x.append(bytearray(1 << 20))") == "MemoryError: "
    assert bomber("x = None; 1") == 1


def test_memory_bomb_of_many(bomber):
    bomber.tell("""
import os, time
for _ in range(8):
    if os.fork() == 0:
        x = bytearray(b'x') * (30 << 20)
        time.sleep(600)
time.sleep(600)
""")
    bomber.hear_nothing()
    assert bomber.ending() == Ending(
        signal=9, out_of_memory=True, cpu_seconds=bomber.ending().cpu_seconds
    )


def test_memory_bomb_in_files():
    roomy = replace(SMALL, disk_bytes=1 << 30, file_bytes=1 << 30)
    with open_sandbox(roomy) as opened, student_in(opened) as told:
        told.tell("f = open('/dev/shm/bomb', 'wb')\nwhile True: f.write(bytes(1 << 20))")
        told.hear_nothing()
        assert told.ending().reason == "took more memory than is allowed"


def test_memory_bomb_in_sockets(bomber):
    bomber.tell("""
import os, socket
try:
    while os.fork(): pass
except OSError: pass
pairs = []
while True:
    try: pairs.append(socket.socketpair())
    except OSError: break
for one, other in pairs:
    one.setblocking(False)
    try:
        while True: one.send(bytes(1 << 16))
    except OSError: pass
__import__('time').sleep(600)
""")
    bomber.hear_nothing()
    assert bomber.ending().out_of_memory


COPIES = """
import ctypes, os, time
def copy_all():
    for line in open('/proc/self/maps').read().splitlines():
        if ' rw-p ' in line:
            start, end = (int(at, 16) for at in line.split()[0].split('-'))
            for page in range(start, end, 4096): ctypes.memmove(page, page, 1)
"""
# Each holds more than the limit of `tight`, and nothing in it that the kernel counts by process.
HIDDEN_BOMBS = {
    "copies of what was inherited": "if not all(os.fork() for _ in range(14)): copy_all(); wait()",
    "copies by forks of forks": "for _ in range(14):\n    if os.fork(): copy_all(); wait()",
    "copies where nobody may look": (
        "if not all(os.fork() for _ in range(14)):\n"
        "    ctypes.CDLL(None).prctl(4, 0); copy_all(); wait()"
    ),
    "memory that was inherited and given to another": (
        "big = bytearray(b'x') * (20 << 20)\n"
        "for _ in range(14):\n"
        "    if os.fork() == 0: big = bytearray(big); wait()"
    ),
    "processes that stop each other": (
        "for _ in range(14):\n"
        "    if os.fork() == 0:\n"
        "        x = bytearray(b'x') * (30 << 20)\n"
        "        while True: os.kill(os.getpid(), 19)"  # whoever counts lets them go on
    ),
}


@pytest.mark.parametrize("bomb", HIDDEN_BOMBS.values(), ids=HIDDEN_BOMBS)
def test_memory_bomb_that_hides(bomber, bomb):
    bomber.tell(f"{COPIES}\ndef wait():\n    while True: time.sleep(600)\n{bomb}\nwait()")
    bomber.hear_nothing()
    assert bomber.ending().out_of_memory


def test_memory_that_no_process_has(bomber):
    # It would stay when it is unmapped, as long as the mapping it was made for does.
    assert bomber("import mmap; mmap.mmap(-1, 1 << 20)").startswith("PermissionError")
    assert bomber("open('/dev/zero')").startswith("FileNotFoundError")
    # With a file it counts among the files.
    code = "f = open('m', 'w+b'); f.truncate(1 << 20); mmap.mmap(f.fileno(), 0)[:1]"
    assert bomber(code) == b"\0"


def test_inherited_memory_counts_once(warm):
    code = """
import os, time
waiting, go = os.pipe()
workers = [os.fork() or (os.close(go), os.read(waiting, 1), os._exit(0)) for _ in range(20)]
time.sleep(0.4)
os.close(go)
[os.waitpid(worker, 0)[1] for worker in workers]
"""
    with student_in(warm) as told:
        # Each has all of torch, which together is more than the limit.
        assert told(code) == [0] * 20


def test_disk_bomb(bomber):
    write = "f = open('{}', 'wb')\nwhile True: f.write(bytes(1 << 16)); f.flush()"
    assert bomber(write.format("big")) == "OSError: [Errno 27] File too large"
    many = """
import os
for number in range(10_000):
    with open(f'/tmp/{number}', 'wb') as f: f.write(bytes(1 << 19))
"""
    assert "Errno 28" in bomber(many)
    assert bomber("sum(f.stat().st_size for p in ('.', '/tmp') for f in os.scandir(p)) >> 20") == 8


def test_file_name_bomb(bomber):
    code = "import os\nfor n in range(100_000): open(f'/tmp/{n}', 'w').close()"
    assert "Errno 28" in bomber(code)


def test_too_many_files(bomber):
    assert bomber("f = [open('/dev/null') for _ in range(100)]").startswith("OSError: [Errno 24]")


def test_fork_bomb(bomber):
    code = """
import os, time
made = 0
try:
    while True:
        if os.fork() == 0:
            try:
                while True: os.fork()
            except OSError: time.sleep(600)
            os._exit(0)
        made += 1
except OSError as error: print(error)
made < 17, sum(name.isdigit() for name in os.listdir('/proc')) <= 17
"""
    assert bomber(code) == (True, True)


def test_thread_bomb(bomber):
    code = """
import threading, time
for _ in range(100): threading.Thread(target=time.sleep, args=[600], daemon=True).start()
"""
    assert bomber(code).startswith("RuntimeError: can't start new thread")


def test_processor_time_runs_out(bomber):
    bomber.tell("while True: pass")
    bomber.hear_nothing()
    ending = bomber.ending()
    assert ending.reason == "took more processor time than is allowed"
    assert 0.5 < ending.cpu_seconds < 5


def test_neighbours_go_on(tight):
    with student_in(tight) as neighbour, student_in(tight) as attacker:
        attacker.tell("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass")
        assert neighbour("import os; os.waitpid(os.fork() or os._exit(3), 0)[1] >> 8") == 3


# Ending


def test_endless_loop_is_killed(warm):
    code = """
import signal, os
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
"""
    with student_in(warm) as told:
        assert told(code) is None
        told.tell("while True: pass")
        told.student.kill()
        assert told.ending() == Ending(signal=9, killed=True)
        assert told.ending().reason == "was killed"


@pytest.mark.parametrize("cause", ["exit", "kill"])
def test_daemons_end_with_their_student(warm, cause):
    code = """
import os, time, signal
for _ in range(3):
    if os.fork() == 0:
        os.setsid(); signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
for _ in range(3): os.wait()
"""
    zygote = zygote_of(warm)
    before = set(descendants(zygote))
    with student_in(warm) as told:
        assert told(code) is None
        daemons = set(descendants(zygote)) - before
        assert len(daemons) >= 5
        if cause == "exit":
            told.tell("os._exit(3)")
            told.hear_nothing()
            assert told.ending() == Ending(code=3, cpu_seconds=told.ending().cpu_seconds)
        else:
            told.student.kill()
        assert not any(map(running, daemons))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise SystemExit", "ended with exit code"),
        ("os._exit(7)", "ended with exit code 7"),
        ("os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
        ("os.abort()", "was ended by SIGABRT"),
        ("ctypes.string_at(0)", "was ended by SIGSEGV"),
    ],
)
def test_ending_is_told(warm, code, reason):
    with student_in(warm) as told:
        told.tell(f"import os, ctypes; {code}")
        if reason == "ended with exit code":
            # The code catches this one, as student code could.
            assert told.hear() == "SystemExit: "
            told.student.sock.shutdown(socket.SHUT_RDWR)
            reason = "ended with exit code 0"
        else:
            told.hear_nothing()
        assert told.ending().reason == reason


def test_one_may_end_before_anybody_looks():
    with open_sandbox(entry="tests.support.ends_first:nothing") as opened:
        student = opened.spawn({}, 1)
        assert student.ended(BACKSTOP).code == 0


def test_one_who_will_not_end_is_ended(warm):
    with student_in(warm) as told:
        told.tell("sock.close(); import time; time.sleep(600)")
        told.hear_nothing()
        assert told.student.ended(0.1) == Ending(signal=9, killed=True)


def test_end_is_told_after_a_kill_too(warm):
    with student_in(warm) as told:
        told.tell("import os; os._exit(4)")
        told.hear_nothing()
        assert eventually(lambda: not running(told.student.process))
        told.student.kill()
        ending = told.ending()
        assert (ending.code, ending.signal, ending.killed) == (4, None, False)
        assert told.ending() == ending


def test_nothing_is_left_behind(tight):
    zygote = zygote_of(tight)

    def count():
        mounts = [len(Path(f"/proc/{p}/mountinfo").read_text()) for p in ("self", zygote)]
        files = [
            len(os.listdir(f"/proc/{p}/fd")) for p in ("self", zygote) if p == "self" or ROOTED
        ]
        return descendants(os.getpid()), mounts, files

    before = count()
    for seed in range(50):
        with student_in(tight, {"a": b"1"}, seed) as told:
            if seed % 5 == 0:
                told("import os; os.fork() or os.fork() or __import__('time').sleep(600)")
    assert eventually(lambda: count() == before), (before, count())


@pytest.mark.skipif(not ROOTED, reason="only root can look into a process that hides itself")
def test_zygote_holds_one_socket(tight):
    held = [os.readlink(file) for file in Path(f"/proc/{zygote_of(tight)}/fd").iterdir()]
    assert [name.split(":")[0] for name in held if name != "/dev/null"] == ["socket"]


GRADER = """
import sys, time
from autograder.student.limits import Limits
from autograder.student.sandbox.control import Link
from autograder.student.sandbox.launcher import Launcher, StepFailed
from autograder.student.sandbox.sandbox import Sandbox
with Sandbox(Limits(), preload=(), entry="tests.support.inside:obey") as sandbox:
    for seed in range(2):
        student = sandbox.spawn({}, seed)
        link = Link(student.sock)
        link.send({"code": "import os, time; os.fork() or (os.setsid(), time.sleep(600))"})
        link.receive()
        globals()[f"keep{seed}"] = student
    print("ready", flush=True)
    time.sleep(600)
"""


def test_killed_grader_leaves_no_process():
    grader = subprocess.Popen(
        [sys.executable, "-c", GRADER],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    with grader:
        assert grader.stdout.readline() == b"ready\n"
        started = descendants(grader.pid)
        assert len(started) >= 7
        grader.kill()
    assert eventually(lambda: not any(map(running, started)))


@pytest.mark.long
def test_death_of_any_link_ends_all():
    links, link = 1, 0
    while link < links:
        with open_sandbox() as opened, student_in(opened):
            first = opened._launcher._process.pid
            all_of_it = [first, *descendants(first)]
            links = all_of_it.index(zygote_of(opened)) + 1
            os.kill(all_of_it[link], signal.SIGKILL)
            assert eventually(lambda: not any(map(running, all_of_it))), link  # noqa: B023
        link += 1
    assert links >= 2


# When the sandbox itself breaks


def test_dead_zygote_is_replaced(warm):
    with open_sandbox() as opened:
        with student_in(opened) as told:
            kill_zygote(opened)
            told.hear_nothing()
            assert told.ending() == Ending(lost=True)
            assert told.ending().reason == "was lost with its sandbox"
        with student_in(opened) as told:
            assert told("1 + 1") == 2


def kill_zygote(opened):
    os.kill(zygote_of(opened), signal.SIGKILL)


@pytest.mark.long
def test_two_deaths_in_a_row_are_our_failure(monkeypatch):
    with open_sandbox() as opened:
        launcher = opened._opened

        def broken():
            found = launcher()
            kill_zygote(opened)
            return found

        monkeypatch.setattr(opened, "_opened", broken)
        with pytest.raises(SandboxFailed, match="broke twice in a row"):
            opened.spawn({}, 1)
        monkeypatch.undo()
        with student_in(opened) as told:
            assert told("2") == 2


@pytest.mark.long
def test_sandbox_that_can_make_no_student_is_closed(monkeypatch):
    with open_sandbox() as opened:
        with student_in(opened) as told:
            assert told("1") == 1
        broken = opened._launcher
        monkeypatch.setattr(broken, "spawn", raising(StepFailed("mounts", "no")))
        with pytest.raises(StepFailed):
            opened.spawn({}, 1)
        assert broken.is_gone()
        with student_in(opened) as told:
            assert told("2") == 2


def raising(error):
    def fail(*_):
        raise error

    return fail


@pytest.mark.long
def test_launcher_that_fails_leaves_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(bubblewrap, "program", lambda: str(tmp_path / "gone"))
    files = len(os.listdir("/proc/self/fd"))
    with pytest.raises(FileNotFoundError):
        Launcher(LIMITS, (), "tests.support.inside:obey", walled=True)
    assert (list(tmp_path.iterdir()), len(os.listdir("/proc/self/fd"))) == ([], files)


@pytest.mark.long
def test_entry_that_does_not_exist():
    with (
        pytest.raises(SandboxFailed, match="no attribute 'obeys'"),
        open_sandbox(entry="tests.support.inside:obeys") as opened,
    ):
        opened.spawn({}, 1)


def test_module_that_starts_threads_is_refused(tmp_path, monkeypatch):
    (tmp_path / "threading_module.py").write_text(
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=[600], daemon=True).start()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with (
        pytest.raises(SandboxFailed, match="started 1 threads, so it can't be forked"),
        open_sandbox(preload=["threading_module"]) as opened,
    ):
        opened.spawn({}, 1)


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "", ".", "a\0b"])
def test_files_stay_inside(tight, name):
    with pytest.raises(ValueError, match="does not stay in the student's folder"):
        tight.spawn({name: b""}, 1)


@pytest.mark.parametrize(
    "files", [{"a": b"", "a/b": b""}, {"n" * 300: b""}, {"big": bytes(9 << 20)}]
)
def test_files_that_cannot_be_laid_out(tight, files):
    with pytest.raises(ValueError, match="can't be laid out"):
        tight.spawn(files, 1)


# Where walls can't be had, or are not wanted


def test_missing_bubblewrap_stops(monkeypatch):
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    assert available().names == ()
    with pytest.raises(IsolationUnavailable, match="not installed: install it"), open_sandbox():
        pass


def nothing_is_run():
    with open_sandbox() as opened:
        opened.spawn({}, 1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("says", "remedy"),
    [
        ("No permissions to create new namespace", "user namespaces"),
        ("Cannot mount proc on /newroot/proc: not permitted", "systempaths=unconfined"),
    ],
)
def test_missing_namespaces_stop(monkeypatch, tmp_path, says, remedy):
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\necho 'bwrap: {says}' >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "program", lambda: str(program))
    assert available().names == ("bubblewrap",)
    with pytest.raises(IsolationUnavailable, match=f"{says}.*{remedy}.*choose isolation"):
        nothing_is_run()


@pytest.mark.long
def test_missing_nested_namespaces_stop(monkeypatch):
    monkeypatch.setattr(bubblewrap, "_NAMESPACES", (*bubblewrap._NAMESPACES, "--disable-userns"))
    assert available().names == ("bubblewrap", "user_namespaces")
    with pytest.raises(IsolationUnavailable, match="namespaces: OSError"):
        nothing_is_run()


@pytest.mark.long
def test_missing_proc_stops(monkeypatch):
    mounts = bubblewrap.Walls._mounts

    def masked(self, data):
        return [*mounts(self, data), "--ro-bind", "/dev/null", "/proc/cmdline"]

    monkeypatch.setattr(bubblewrap.Walls, "_mounts", masked)
    assert available().names == ("bubblewrap", "user_namespaces")
    with pytest.raises(IsolationUnavailable, match=r"mount /proc: .*systempaths=unconfined"):
        nothing_is_run()


def test_missing_filter_stops(monkeypatch):
    monkeypatch.setattr(seccomp, "filter_program", lambda: b"nonsense")
    assert available().names == ("bubblewrap", "user_namespaces", "nested_namespaces")
    with pytest.raises(IsolationUnavailable, match="seccomp: OSError"):
        nothing_is_run()


def test_other_machines_stop(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(IsolationUnavailable, match="Only Linux"):
        open_sandbox().__enter__()


def test_isolation_is_full_or_none():
    with pytest.raises(IsolationUnavailable, match="no isolation 'some'"):
        Sandbox(LIMITS, isolation="some")  # type: ignore[arg-type]


def test_none_warns_and_is_recorded():
    with pytest.warns(UserWarning, match="student code runs as you"):
        opened = Sandbox(SMALL, "none", preload=(), entry="tests.support.inside:obey").__enter__()
    try:
        assert opened.layers.record == "isolation none: limits only"
        with student_in(opened, {"data.csv": b"1"}) as told:
            assert told("open('data.csv').read()") == "1"
            assert told("import os; os.environ.get('JUPYTERHUB_API_TOKEN')") is None
            assert told("x = bytearray(1 << 30)") == "MemoryError: "
            folder = told("os.getcwd()")
            assert Path(folder).is_dir()
            told.tell("while True: pass")
            told.student.kill()
            assert told.ending().killed
        assert not Path(folder).exists()
    finally:
        opened.__exit__(None, None, None)
    assert not Path(folder).parent.exists()


@pytest.mark.skipif(not ROOTED, reason="all tests run as an ordinary user already")
def test_ordinary_user_has_all_walls():
    program = bubblewrap.program()
    assert program
    around = bubblewrap.Walls(bubblewrap.own_packages(["autograder"]))
    code = (
        "import os; from autograder.student.sandbox.sandbox import available\n"
        "print(os.getuid() > 0, available())"
    )
    command = [*around._from_root(program), sys.executable, "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, env={"PYTHONPATH": str(bubblewrap.PACKAGES)}
    )
    assert done.stderr == ""
    assert done.stdout == f"True {Layers(True, True, True, True)}\n"
