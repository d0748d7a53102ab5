"""The secret of a submission: under its hash nbgrader releases the feedback page."""

from pathlib import Path

from autograder.grading.submitted_files import read_regular

SECRET = "submission_secret.txt"
SECRET_BYTES = 1000


def secret_in(folder: Path) -> str:
    """What `nbgrader submit` put into a folder; "" where that is missing or can't be read."""
    try:
        return read_regular(folder / SECRET, SECRET_BYTES).decode("utf-8")
    except UnicodeDecodeError:
        return ""
