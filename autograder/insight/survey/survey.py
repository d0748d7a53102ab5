"""The report on a graded class: a page, and the same for programs."""

from collections.abc import Sequence
from pathlib import Path

from autograder.course import Course, lesson_number
from autograder.errors import GradingFailed
from autograder.insight.survey import tables
from autograder.insight.survey.alike import read_alike
from autograder.insight.survey.classwork import WhyNobody, read_classwork
from autograder.insight.survey.page import page

FOLDER = "reports"


def write_report(
    course: Course,
    lessons: Sequence[str],
    folder: Path | None = None,
    why_nobody: WhyNobody = lambda _: "",
) -> list[Path]:
    """Write the report on these lessons as HTML, JSON and CSV; returns the files.

    Args:
        course: where they were graded.
        lessons: their full names.
        folder: where the files go, by default reports/ in the course.
        why_nobody: why a folder in submitted/ is no student's; "" where it is one's.

    Raises:
        GradingFailed: when a lesson is not graded, a record can't be read, or nothing can be
            written.
    """
    works = [read_classwork(course, lesson, why_nobody) for lesson in lessons]
    folder = folder or course.root / FOLDER
    stem = (
        lessons[0]
        if len(lessons) == 1
        else "_to_".join(map(lesson_number, (lessons[0], lessons[-1])))
    )
    alike = read_alike(course, works)
    texts = {
        ".html": page(works, alike),
        ".json": tables.as_json(works, alike),
        ".csv": tables.as_csv(works),
        "_alike.csv": tables.alike_as_csv(alike),
    }
    files = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for ending, text in texts.items():
            path = folder / f"{stem}{ending}"
            path.write_text(text, encoding="utf-8", newline="")
            files.append(path)
    except OSError as error:
        why = error.strerror or error
        raise GradingFailed(f"the report can't be written to {folder}: {why}") from error
    return files
