"""An exercise of one's own in a lesson of somebody else's: written into the folder `mine`."""

import keyword
from pathlib import Path

from autograder.authoring.begin.templating import filled_in
from autograder.authoring.lesson.lesson import Exercise, WrittenExercise
from autograder.authoring.lesson.personal import course_lesson
from autograder.authoring.lesson.reading import IS_NAME
from autograder.course import Course, lesson_number, module_name
from autograder.errors import LessonNameError
from autograder.whole_file import write_all


def new_exercise(
    course: Course, lesson: str, name: str, *, with_asserts: bool = False
) -> list[Path]:
    """Add an exercise with its reference and its exam, which build as they stand.

    Args:
        course: where it is added.
        lesson: the full name of the lesson.
        name: what the exercise, and its function, are called.
        with_asserts: whether its check has asserts, in place of an exam.

    Returns:
        The files that were made, or that have it below what they had before.

    Raises:
        LessonNameError: when no exercise can have the name, or one has it already.
    """
    if not IS_NAME.match(name) or keyword.iskeyword(name):
        raise LessonNameError(
            f"no exercise can be called {name!r}: write letters, digits and _, as in count_words"
        )
    as_written = course_lesson(course, lesson)
    for block in as_written.blocks:
        if isinstance(block, Exercise | WrittenExercise) and block.name == name:
            where = f"{as_written.file_of(block)}:{block.line}"
            raise LessonNameError(f"{where} is an exercise called {name} already: choose another")
    number, module = lesson_number(lesson), module_name(lesson)
    words = {
        "name": name,
        "number": number,
        "module": module,
        "with_asserts": "yes" if with_asserts else "",
    }
    written = {
        course.own_text(lesson) or course.own / f"{number}.md": ("", "own_text.md"),
        course.own_reference_file(lesson): ("own_reference_head.py", "own_reference.py"),
    }
    if not with_asserts:
        written[course.own / "exams" / f"{module}.py"] = ("own_exam_head.py", "own_exam.py")
    contents = {}
    for path, (head, body) in written.items():
        above = filled_in(head, words) if head else ""
        if path.is_file():
            above = path.read_text(encoding="utf-8")
        between = "\n\n" if path.suffix == ".py" else "\n"
        above = f"{above.rstrip()}\n{between}" if above.strip() else ""
        contents[path] = f"{above}{filled_in(body, words | {'above': above})}".encode()
    write_all(contents)
    return [*written]
