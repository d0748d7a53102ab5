"""When whoever commits is reminded of the changelog, and how it tells what is new."""

import re

import pytest
import yaml

from tests.support.course import ROOT
from tools.changelog import CHANGELOG, SEEN, unmentioned

MOST_WORDS = 45


@pytest.mark.parametrize(
    "path",
    [
        "source/02_x.md",
        "autograder/cli/program.py",
        "autograder/checks/card/as_text.py",
        "README.md",
    ],
)
def test_what_users_see_is_mentioned(path: str) -> None:
    assert unmentioned([path, "tests/test_x.py"]) == [path]
    assert unmentioned([path, "CHANGELOG.md"]) == []


def test_what_they_do_not_see_needs_no_mention() -> None:
    assert (
        unmentioned(["tests/test_x.py", "autograder/checks/exam/judge.py", "docs/authoring.md"])
        == []
    )


def test_all_that_users_see_is_there() -> None:
    assert [path for path in SEEN if not (ROOT / path).exists()] == []


def test_hooks_are_local() -> None:
    """Nothing may be fetched from elsewhere, and each command is there."""
    configuration = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    (repository,) = configuration["repos"]
    assert repository["repo"] == "local"
    assert {hook["id"] for hook in repository["hooks"]} == {"lint", "changelog"}
    assert {hook["language"] for hook in repository["hooks"]} == {"system"}


def test_lines_are_short_and_stand_below_their_readers() -> None:
    text = (ROOT / CHANGELOG).read_text(encoding="utf-8")
    for release in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        before, *parts = re.split(r"^### For ", release, flags=re.MULTILINE)
        assert "\n- " not in before
        for line in re.findall(r"^- (.+)$", "\n".join(parts), re.MULTILINE):
            assert len(line.split()) <= MOST_WORDS, line
