"""The table of misconceptions has a row for each, and is kept in artefacts/ to be read."""

from autograder.authoring.build.tables.misconceptions import FILE, table
from autograder.checks.exam.exam import exams_of
from tests.support.course import COURSE, ROOT


def test_table_has_a_row_for_each() -> None:
    text = table(COURSE)
    kept = ROOT / "artefacts" / FILE.name
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(text, encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    exams = [
        exam
        for lesson in COURSE.lessons()
        for exam in exams_of(COURSE.exam_module(lesson)).values()
    ]
    assert len(rows) == sum(len(exam.misconceptions) for exam in exams)
    assert all("| yes |" in row or "| no: " in row for row in rows)
