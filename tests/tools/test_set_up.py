"""What a newcomer's first command does: it finds a Python, makes .venv, and calls uv."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.course import ROOT

pytestmark = pytest.mark.slow

# What the scripts call, besides Python and uv.
NEEDED = (
    *("bash", "cat", "dirname", "echo", "env", "grep", "id", "make", "mkdir", "rm", "tail", "tee"),
    *("setsid", "sleep", "touch", "uname"),
)
UV = """\
case "$*" in
*--help | "python find"*) ;;
"cache dir") echo "$HOME" ;;
*)
    echo "uv $*"
    echo "links $UV_FIND_LINKS, torch $UV_TORCH_BACKEND"
    echo " + numpy==2.4.6"
    exit ${UV_FAILS:-0}
    ;;
esac"""
ASKED = "--python .venv/bin/python -c constraints.txt -b constraints.txt -e .[test]"
PINNED = re.search(r"^uv==(.*)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)[1]


class Newcomer:
    """A clone, on a machine with little on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clone = folder / "clone"
        self.programs = folder / "programs"
        self.programs.mkdir()
        shutil.copytree(ROOT / "tools", self.clone / "tools")
        shutil.copy(ROOT / "constraints.txt", self.clone)
        for name in NEEDED:
            (self.programs / name).symlink_to(str(shutil.which(name)))

    def has(self, name: str, text: str) -> None:
        program = self.programs / name
        # What stands for the system's own is a link to it, and writing would go through.
        program.unlink(missing_ok=True)
        program.write_text(f"#!/bin/bash\n{text}\n")
        program.chmod(0o755)

    def has_python(self, name: str = "python3") -> None:
        self.has(name, f'exec {sys.executable} "$@"')

    def run(self, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        own = {"PATH": str(self.programs), "HOME": str(self.folder), "PIP_CONFIG_FILE": "/dev/null"}
        return subprocess.run(
            command.split(),
            cwd=self.clone,
            env=own | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def left(self) -> set[str]:
        """The marks in .venv, and what somebody has put there."""
        return {path.name for path in (self.clone / ".venv").glob("*[edk]") if path.is_file()}


@pytest.fixture
def newcomer(tmp_path: Path) -> Newcomer:
    return Newcomer(tmp_path)


def refusing(version: str) -> str:
    """A Python of another version, as far as it is asked."""
    return f"echo {version} >&2; exit 1"


def test_python_that_fits(newcomer):
    newcomer.has("python3", refusing("3.14.0"))
    newcomer.has_python("python3.12")
    found = newcomer.run("tools/find-python")
    assert found.returncode == 0
    assert Path(found.stdout.strip()).samefile(Path(sys.executable).resolve())


def test_python_of_uv(newcomer):
    newcomer.has("uv", f'[ "$1 $2" != "python find" ] || echo {sys.executable}')
    assert newcomer.run("tools/find-python").returncode == 0


def test_python_that_was_asked_for(newcomer):
    newcomer.has_python()
    newcomer.has("mine", refusing("3.10.12"))
    assert (
        "but mine here is 3.10.12: please"
        in newcomer.run("tools/find-python", PYTHON="mine").stdout
    )


@pytest.mark.parametrize(
    ("python", "says"),
    [
        (None, "there is no python3 here"),
        (refusing("3.10.12"), "python3 here is 3.10.12"),
        (refusing("3.11.2 without its venv module"), "is 3.11.2 without its venv module"),
    ],
)
def test_one_sentence_where_no_python_fits(newcomer, python, says):
    if python:
        newcomer.has("python3", python)
    done = newcomer.run("tools/set-up")
    assert done.returncode != 0
    assert says in done.stdout
    assert "uv python install 3.12" in done.stdout
    assert done.stdout.count("\n") == 1


@pytest.mark.long
def test_set_up_ends_well_wherever_it_was_stopped(newcomer):
    newcomer.has_python()
    newcomer.has("uv", UV)
    venv = newcomer.clone / ".venv"
    venv.mkdir()
    (venv / ".unmade").touch()
    (venv / "half").touch()
    links = {"PIP_FIND_LINKS": str(newcomer.folder)}

    failed = newcomer.run("tools/set-up", UV_FAILS="3", **links)
    made, says, *rest = failed.stdout.splitlines()
    assert failed.returncode == 3
    assert made.startswith("Making .venv with Python 3.")
    assert says.startswith("Installing PyTorch")
    # Not one line for each package.
    assert rest[:-1] == [f"uv pip install {ASKED}", f"links {newcomer.folder}, torch "]
    assert rest[-1].startswith("uv says above what stopped it.")
    assert newcomer.left() == {".unfinished"}

    # The environment stands now, so what somebody puts into it stays.
    (venv / "added").touch()
    again = newcomer.run("tools/set-up", **links)
    assert f"uv pip install --reinstall {ASKED}" in again.stdout
    last = again.stdout.splitlines()[-1]
    assert re.fullmatch(r"Set up in \d+ s \(processor: \d+ s, and \d+ s of the system\)", last)
    assert newcomer.left() == {".installed", "added"}

    assert f"uv pip install {ASKED}" in newcomer.run("tools/set-up", **links).stdout
    assert newcomer.left() == {".installed", "added"}


def test_who_interrupts_set_up_reads_one_sentence(newcomer):
    """Ctrl-C reaches all that the terminal has begun, and venv's Python answers by a traceback."""
    answers = ("-c) echo python3", "--version) echo Python 3.11")
    venv = "-m) echo Traceback >&2; kill -INT 0; sleep 1; exit 130"
    newcomer.has("python3", f'case "$1" in {answers[0]};; {answers[1]};; {venv};; esac')
    newcomer.has("uv", UV)
    result = newcomer.run("setsid tools/set-up")
    assert result.returncode == 130
    made, said = result.stdout.splitlines()
    assert made == "Making .venv with Python 3.11"
    assert said == "Interrupted: the same command goes on where this one stopped."
    newcomer.has_python()
    assert "Set up in" in newcomer.run("tools/set-up").stdout


@pytest.mark.long
def test_uv_comes_in_its_pinned_version(newcomer):
    newcomer.has_python()
    newcomer.has("program", UV)
    newcomer.has("uv", "exit 2")  # too old
    with zipfile.ZipFile(newcomer.folder / f"uv-{PINNED}-py3-none-any.whl", "w") as wheel:
        about = f"uv-{PINNED}.dist-info"
        wheel.write(newcomer.programs / "program", f"uv-{PINNED}.data/scripts/uv")
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: uv\nVersion: {PINNED}\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    done = newcomer.run("tools/set-up", PIP_FIND_LINKS=str(newcomer.folder), PIP_NO_INDEX="1")
    assert f"uv pip install {ASKED}\n" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize("brings", [True, False])
def test_apt_get_is_quiet_until_it_fails(newcomer, brings):
    newcomer.has("id", "echo 0")
    installs = f"ln -s /bin/true {newcomer.programs}/bwrap" if brings else "exit 1"
    newcomer.has("apt-get", f"PATH=/bin; echo W: warned >&2; [ $1 = update ] || {installs}")
    done = newcomer.run("tools/system-packages bubblewrap")
    says, *rest = done.stdout.splitlines()
    assert says.startswith("Installing bubblewrap with apt-get, for the walls")
    assert rest[:1] == ([] if brings else ["W: warned"])
    assert (done.returncode == 0) is brings


def in_ci(newcomer, demo, test="echo '3 passed in 1.00s'"):
    shutil.copytree(ROOT / ".ci", newcomer.clone / ".ci")
    (newcomer.clone / "Makefile").write_text(f"demo:\n\t@{demo}\ntest:\n\t@{test}\n")
    return newcomer.run(".ci/run")


def test_ci_keeps_what_was_printed(newcomer):
    done = in_ci(newcomer, "echo 'Set up in 40 s'; echo a table >&2")
    lines = done.stdout.splitlines()
    assert lines[:4] == ["Set up in 40 s", "a table", "3 passed in 1.00s", "Set up in 40 s"]
    assert [line.split(" took ")[0] for line in lines[4:6]] == ["make demo", "make test"]
    assert lines[6:] == ["3 passed in 1.00s"]
    kept = newcomer.clone / "artefacts"
    assert (kept / "demo.log").read_text() == "Set up in 40 s\na table\n"
    assert (kept / "test.log").read_text() == "3 passed in 1.00s\n"
    assert done.returncode == 0


def test_ci_fails_as_a_command_does(newcomer):
    done = in_ci(newcomer, "exit 3")
    assert done.returncode == 2  # make's
    assert "passed" not in done.stdout


def test_ci_fails_for_a_warning(newcomer):
    done = in_ci(newcomer, "echo one", "echo 'hint: two' >&2")
    assert done.returncode == 1
    assert "artefacts/test.log:1:hint: two" in done.stdout


def wonders(line):
    """Whether a newcomer would wonder about a line."""
    command = ["grep", "-Eiq", "-f", str(ROOT / ".ci" / "warnings")]
    return subprocess.run(command, input=line, text=True, check=False).returncode == 0


@pytest.mark.parametrize(
    "line",
    [
        "WARNING: Location 'file:///wheels' is ignored: it is neither a file nor a directory.",
        "WARNING: Running pip as the 'root' user can result in broken permissions",
        "[notice] A new release of pip is available: 23.2.1 -> 25.3",
        "  DEPRECATION: Building 'x' using the legacy setup.py bdist_wheel mechanism",
        "warning: Failed to hardlink files; falling back to full copy.",
        "debconf: delaying package configuration, since apt-utils is not installed",
        "dpkg-preconfigure: unable to re-open stdin: No such file or directory",
        "invoke-rc.d: could not determine current runlevel",
        "W: Download is performed unsandboxed as root",
        "N: Ignoring file 'x' in directory '/etc/apt'",
        "hint: Using 'master' as the name for the initial branch.",
        "fatal: detected dubious ownership in repository at '/course'",
        "perl: warning: Setting locale failed.",
        "make: warning: Clock skew detected.",
        "/x.py:3: DeprecationWarning: invalid escape sequence",
        "<string>:1: SyntaxWarning: invalid decimal literal",
        "Exception ignored in: <function x>",
        "=============== warnings summary ===============",
        "3 passed, 1 warning in 0.10s",
    ],
)
def test_newcomer_wonders(line):
    assert wonders(line)


@pytest.mark.parametrize(
    "line",
    [
        "Making .venv with Python 3.11.7",
        "Resolved 167 packages in 2.66s",
        "   Building attention-course @ file:///course",
        "Downloading playwright (51.0MiB)",
        "Set up in 40 s (processor: 12 s, and 13 s of the system)",
        "Installing Chromium with apt-get, for the tests that open JupyterLab in a browser",
        "All checks passed!",
        "Success: no issues found in 600 source files",
        "3000 passed, 2 skipped in 600.00s (0:10:00)",
        "| ada | 12 | nothing to warn about |",
    ],
)
def test_newcomer_does_not_wonder(line):
    assert not wonders(line)
