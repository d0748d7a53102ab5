"""What CONTRIBUTING.md says is somewhere, is there."""

import re
from pathlib import Path

import pytest

from tests.support.course import ROOT

# Rows of two columns, without those that lead to a command.
ROWS = re.findall(
    r"^\| ([^|]+) \| ([^|]+) \|$", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE
)
PATHS = re.compile(r"`([\w./]+(?:/|\.py|\.pyi|\.js|\.toml))`")


def test_rows_are_found() -> None:
    assert len(ROWS) > 20


@pytest.mark.parametrize(("what", "where"), ROWS)
def test_each_file_is_there(what: str, where: str) -> None:
    """A name without a folder stands for a file beside the one before it."""
    folder = ROOT
    for path in PATHS.findall(where):
        found = next((one for one in (ROOT / path, folder / path) if one.exists()), None)
        # A course's own folder, which this one need not have.
        if found is None and not path.startswith("mine/"):
            beside = folder.relative_to(ROOT)
            pytest.fail(f"CONTRIBUTING.md, {what!r}: there is no {path}, here or in {beside}/")
        folder = Path(found or folder)
        folder = folder if folder.is_dir() else folder.parent
