"""Remove what the build has made in source/; what was edited there, or is somebody's own, stays."""

from contextlib import suppress
from pathlib import Path

from autograder.authoring.lesson.built import is_edited
from autograder.course import Course


def remove_built(course: Course) -> list[Path]:
    """Remove it; returns the notebooks that were edited."""
    edited = []
    for lesson in course.lessons():
        folder = course.source / lesson
        notebook = folder / f"{lesson}.ipynb"
        if is_edited(notebook, ""):
            edited.append(notebook)
            continue
        for path in (notebook, folder / "checks.json"):
            path.unlink(missing_ok=True)
        with suppress(OSError):  # there may be more in it
            folder.rmdir()
    return edited


if __name__ == "__main__":
    for left in remove_built(Course.find()):
        print(f"{left} was edited, and stays")
