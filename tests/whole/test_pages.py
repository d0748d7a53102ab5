"""Pages for developers name files that exist."""

import re
from pathlib import Path

import pytest

from tests.support.course import ROOT

PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "README.md"]
# `solutions/name.py`: any lesson's.
ANY = "name.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_modules_exist(page: Path) -> None:
    """A path begins at the root of the course or, for short, in autograder/."""
    named = set(re.findall(r"`([\w/]+/\w+\.py)`", page.read_text(encoding="utf-8")))
    places = (ROOT, ROOT / "autograder")
    missing = {name for name in named if not any((place / name).is_file() for place in places)}
    assert {name for name in missing if Path(name).name != ANY} == set()
