"""Remind whoever commits a change that users see of a line in CHANGELOG.md.

    python tools/changelog.py

It looks at what is staged. `SKIP=changelog git commit` leaves the reminder out.
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = "CHANGELOG.md"
# What learners, students and instructors have before them.
SEEN = (
    "README.md",
    "autograder/__init__.pyi",
    "autograder/checks/card/as_html.py",
    "autograder/checks/card/as_text.py",
    "autograder/cli/",
    "companion/__init__.pyi",
    "docs/security.md",
    "environment.yml",
    "notebooks/",
    "source/",
)


def unmentioned(paths: Iterable[str]) -> list[str]:
    """The files that users see among those that changed, unless the changelog changed too."""
    changed = sorted(paths)
    return [] if CHANGELOG in changed else [path for path in changed if path.startswith(SEEN)]


def main() -> None:
    """Look at what is staged."""
    command = ["git", "-C", str(ROOT), "diff", "--cached", "--name-only"]
    staged = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    if found := unmentioned(staged):
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        sys.exit(
            f"{found[0]}{more}: users see this change, so {CHANGELOG} needs a line on it; "
            "if they don't, commit with SKIP=changelog."
        )


if __name__ == "__main__":
    main()
