"""What bubblewrap is told to show: the walls themselves are tried in test_sandbox.py."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from autograder.errors import IsolationUnavailable, SettingError
from autograder.student.sandbox import bubblewrap
from tests.support.course import ROOT


def places(command, option):
    """Where the mounts of one kind go, in their order."""
    return [command[at + 2] for at, part in enumerate(command) if part == option]


def command_of(around):
    command, descriptors = around.command("bwrap", ["true"])
    for descriptor in descriptors:
        os.close(descriptor)
    return command


def test_packages_of_the_course_are_found():
    found = bubblewrap.own_packages(["autograder.student.limits", "companion"])
    assert found == {"autograder": ROOT / "autograder", "companion": ROOT / "companion"}


def test_installed_packages_are_where_they_are():
    assert bubblewrap.own_packages(["numpy", "torch.nn", "json"]) == {}


def test_missing_package_is_named():
    with pytest.raises(SettingError, match="no module 'nowhere' to preload: install it"):
        bubblewrap.own_packages(["nowhere.at_all"])


def test_folder_that_is_no_package_is_refused(tmp_path, monkeypatch):
    (tmp_path / "submitted").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SettingError, match=r"submitted can't be preloaded: .* an __init__\.py"):
        bubblewrap.own_packages(["submitted"])


def test_module_beside_others_is_shown_alone(tmp_path, monkeypatch):
    for name in ("own_helper.py", "other_helper.py"):
        (tmp_path / name).touch()
    monkeypatch.syspath_prepend(tmp_path)
    found = bubblewrap.own_packages(["own_helper"])
    assert found == {"own_helper": tmp_path / "own_helper.py"}
    shown = places(command_of(bubblewrap.Walls(found)), "--ro-bind")
    assert "/packages/own_helper.py" in shown
    assert not any(str(tmp_path) in place for place in shown)


def test_course_in_a_folder_that_is_shown_is_hidden(tmp_path, monkeypatch):
    monkeypatch.setattr(bubblewrap, "_user_packages", lambda: [str(tmp_path)])
    course = tmp_path / "course"
    course.mkdir()
    (tmp_path / "link").symlink_to(course)
    for name in (course, tmp_path / "link"):
        command = command_of(bubblewrap.Walls({}, hidden=[name]))
        assert ("--tmpfs", str(course)) in pairwise(command)


def test_course_that_is_an_environment_itself_is_refused():
    with pytest.raises(IsolationUnavailable, match="can't be hidden from students' code"):
        bubblewrap.Walls({}, hidden=[Path(sys.prefix)])


def test_all_that_is_shown_is_read_only():
    command = command_of(bubblewrap.Walls(bubblewrap.own_packages(["autograder"])))
    assert "--bind" not in command
    devices = {Path(place) for place in places(command, "--dev-bind")}
    assert {"null", "full", "random", "urandom"} <= {path.name for path in devices}
    assert devices - {Path("/proc"), Path("/dev")} == {
        Path("/dev", name) for name in ("null", "full", "random", "urandom")
    }
    assert command[command.index("--clearenv") - 2 : command.index("--clearenv")] == [
        "--remount-ro",
        "/",
    ]


def test_course_is_not_shown():
    shown = places(
        command_of(bubblewrap.Walls(bubblewrap.own_packages(["autograder"]))), "--ro-bind"
    )
    assert "/packages/autograder" in shown
    assert sys.prefix in shown
    assert not any(ROOT.is_relative_to(place) for place in shown)


def test_folders_come_before_what_lies_in_them(monkeypatch, tmp_path):
    outer, hidden, inner = tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c"
    inner.mkdir(parents=True)
    monkeypatch.setattr(bubblewrap, "_user_packages", lambda: [str(inner), str(outer)])
    command = command_of(bubblewrap.Walls({}, hidden=[hidden, tmp_path / "elsewhere"]))
    # Root's command has two bubblewraps; the last one is what students see.
    last = "\n".join(command[len(command) - command[::-1].index("--unshare-user") :])
    steps = [f"--ro-bind\n{outer}\n", f"--tmpfs\n{hidden}\n", f"--ro-bind\n{inner}\n"]
    order = [last.index(step) for step in [*steps, f"--remount-ro\n{hidden}\n"]]
    assert order == sorted(order)
    assert str(tmp_path / "elsewhere") not in command


@pytest.mark.parametrize(
    ("ranges", "user"),
    [("0 0 4294967295\n", 2_000_000_000), ("0 100000 65536\n", 65534)],
)
def test_user_is_one_that_exists_here(monkeypatch, ranges, user):
    monkeypatch.setattr(Path, "read_text", lambda path: ranges)
    monkeypatch.setattr(os, "getpid", lambda: 0)
    assert bubblewrap._user_of_its_own() == user


def test_python_is_started_from_elsewhere():
    folder = Path(sys.executable).parent
    roundabout = folder / ".." / folder.name / Path(sys.executable).name
    code = (
        "from autograder.student.sandbox import bubblewrap\n"
        "shown = [str(place) for place in bubblewrap._system()]\n"
        "print(any('..' in place for place in (bubblewrap.python_command(3)[0], *shown)))"
    )
    done = subprocess.run([roundabout, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "False\n", done.stderr
