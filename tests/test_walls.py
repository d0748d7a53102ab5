"""What bubblewrap is told to show: the walls themselves are tried in test_sandbox.py."""

import sys
from pathlib import Path

import pytest

from autograder import walls

ROOT = Path(__file__).resolve().parents[1]


def places(command, option):
    """Where the mounts of one kind go, in their order."""
    return [command[at + 2] for at, part in enumerate(command) if part == option]


def command_of(around):
    command, descriptors = around.command("bwrap", ["true"])
    for descriptor in descriptors:
        walls.os.close(descriptor)
    return command


def test_packages_of_the_course_are_found():
    found = walls.own_packages(["autograder.limits", "companion"])
    assert found == {"autograder": ROOT / "autograder", "companion": ROOT / "companion"}


def test_installed_packages_are_where_they_are():
    assert walls.own_packages(["numpy", "torch.nn", "json"]) == {}


def test_missing_package_is_named():
    with pytest.raises(ModuleNotFoundError, match="no module 'nowhere'"):
        walls.own_packages(["nowhere.at_all"])


def test_all_that_is_shown_is_read_only():
    command = command_of(walls.Walls(walls.own_packages(["autograder"])))
    assert "--bind" not in command
    devices = {Path(place) for place in places(command, "--dev-bind")}
    assert {"null", "zero", "full", "random", "urandom"} <= {path.name for path in devices}
    assert devices - {Path("/proc"), Path("/dev")} == {
        Path("/dev", name) for name in ("null", "zero", "full", "random", "urandom")
    }
    assert command[command.index("--clearenv") - 2 : command.index("--clearenv")] == [
        "--remount-ro",
        "/",
    ]


def test_course_is_not_shown():
    shown = places(command_of(walls.Walls(walls.own_packages(["autograder"]))), "--ro-bind")
    assert "/packages/autograder" in shown
    assert sys.prefix in shown
    assert not any(ROOT.is_relative_to(place) for place in shown)


def test_folders_come_before_what_lies_in_them(monkeypatch, tmp_path):
    outer, hidden, inner = tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c"
    inner.mkdir(parents=True)
    monkeypatch.setattr(walls, "_user_packages", lambda: [str(inner), str(outer)])
    command = command_of(walls.Walls({}, hidden=[hidden, tmp_path / "elsewhere"]))
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
    monkeypatch.setattr(walls.Path, "read_text", lambda path: ranges)
    monkeypatch.setattr(walls.os, "getpid", lambda: 0)
    assert walls._user_of_its_own() == user
