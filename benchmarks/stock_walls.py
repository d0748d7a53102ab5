"""The walls around stock nbgrader, and what runs inside them.

A file system that can only be read but for one scratch folder, private folders that hold nothing,
no network, no process but its own, a user who owns nothing, limits. When the command ends or has
used up its time, the kernel ends all that it started.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# What one process and one file may have, and how many processes there may be.
MEMORY = 4 << 30
FILE = 64 << 20
PROCESSES = 200
NOBODY = 2_000_000_001

# All that is to be seen of the machine, beside Python and this repository.
_SYSTEM = ("bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys", "usr")
# Where somebody listens.
TCP, UDP, UNIX, ABSTRACT = 4711, 4712, "/tmp/listener", "listener"
TOKEN = "token-CANARY-5f1c9a"

# Runs nbgrader inside the walls and says how that ended, what was heard, and what was left running.
DRIVER = f"""
import json, os, resource, socket, subprocess, sys, time
for name, most in ("AS", {MEMORY}), ("FSIZE", {FILE}), ("NPROC", {PROCESSES}), ("CORE", 0):
    resource.setrlimit(getattr(resource, "RLIMIT_" + name), (most, most))
tcp = socket.create_server(("127.0.0.1", {TCP}))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", {UDP}))
unix, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
unix.bind({UNIX!r})
abstract.bind("\\0{ABSTRACT}")
for one in (unix, abstract):
    one.listen()
for one in (tcp, udp, unix, abstract):
    one.setblocking(False)
def running():
    own = (1, 2, os.getpid())
    return [n for n in os.listdir("/proc") if n.isdigit() and int(n) not in own]
started = set(running())
code = "from nbgrader.apps.nbgraderapp import NbGraderApp; NbGraderApp.launch_instance()"
with open("nbgrader.log", "w") as log:
    done = subprocess.call([sys.executable, "-W", "ignore", "-c", code, *sys.argv[1:]],
                           stdout=log, stderr=log, stdin=subprocess.DEVNULL)
left = set(running()) - started
if left:
    time.sleep(2)
heard = []
for one in (tcp, unix, abstract):
    try: one.accept(); heard.append("connection")
    except OSError: pass
try: udp.recv(99); heard.append("datagram")
except OSError: pass
print(json.dumps({{"code": done, "heard": heard, "left": len(left)}}))
"""
# Reads the gradebook inside the walls as well: a student's code may have written that file.
READER = """
import json, sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute(
    "select a.student_id, c.name, g.auto_score from grade g join base_cell c on c.id = g.cell_id "
    "join submitted_notebook n on n.id = g.notebook_id "
    "join submitted_assignment a on a.id = n.assignment_id")
found = {}
for student, cell, score in rows:
    found.setdefault(student, {})[cell] = score
print(json.dumps(found))
"""


def _walls(place: Path) -> list[str]:
    # Root makes them without a user namespace, in which it could not become somebody else.
    program = shutil.which("bwrap")
    assert program, "bubblewrap is missing: nothing is run on stock nbgrader without it"
    binds: list[str | Path] = [ROOT, sys.prefix, sys.base_prefix]
    private = [str(one) for one in sorted(Path("/").iterdir()) if one.name not in _SYSTEM]
    root = os.geteuid() == 0
    apart = ("ipc", "pid", "net", "uts", "cgroup-try") if root else ("all",)
    become = (
        *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
        *("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"),
    )
    return [
        *(program, *(f"--unshare-{name}" for name in apart)),
        *("--die-with-parent", "--new-session", "--clearenv"),
        *("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", str(FILE), "--tmpfs", "/dev/shm"),
        *(word for folder in private if os.path.isdir(folder) and not os.path.islink(folder)
          for word in ("--perms", "1777", "--size", str(FILE), "--tmpfs", folder)),
        *(word for parent in _parents([*binds, place], private)
          for word in ("--perms", "0755", "--dir", parent)),
        *(word for bound in binds for word in ("--ro-bind", str(bound), str(bound))),
        *("--bind", str(place), str(place), "--chdir", str(place / "course")),
        *(word for pair in _variables(place).items() for word in ("--setenv", *pair)),
        *(become if root else ()),
    ]  # fmt: skip


def _parents(places: list[str | Path], private: list[str]) -> list[str]:
    """The folders above these that bubblewrap would make for root alone."""
    above = {parent for place in places for parent in Path(place).parents}
    inside = [one for one in above if any(Path(folder) in one.parents for folder in private)]
    return sorted(map(str, inside))


def _variables(place: Path) -> dict[str, str]:
    return {
        "HOME": str(place / "home"), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": f"{place / 'course'}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8",
        "MALLOC_ARENA_MAX": "2", "JUPYTERHUB_API_TOKEN": TOKEN,
    }  # fmt: skip


def run_nbgrader(place: Path, arguments: tuple[str, ...], seconds: int) -> dict[str, Any]:
    """Run nbgrader inside the walls; all that it started ends with it."""
    if os.geteuid() == 0:
        # Unlike Python's own ways, it gets to the end of folders too deep for a path.
        subprocess.run(["chown", "-Rh", f"{NOBODY}:{NOBODY}", place], check=True)
    return json.loads(run_python(place, DRIVER, arguments, seconds) or "{}")  # type: ignore[no-any-return]


def run_python(place: Path, code: str, arguments: tuple[str, ...], seconds: int) -> str:
    """The last line that a program prints inside the walls, or how it ended, as JSON."""
    command = [*_walls(place), sys.executable, "-c", code, *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=seconds, text=True,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return '{"stopped": true}'
    if not done.stdout:
        return json.dumps({"killed": done.returncode, "log": done.stderr[-2000:]})
    return done.stdout.splitlines()[-1]
