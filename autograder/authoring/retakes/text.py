"""The text of a retake, made of the `_retake.md` that stands beside the lesson's exams.

That is a lesson's text with a place for each exercise, `{{ ask("context_vector") }}`, and one for
each number that was drawn, `{{ FIVE_WORDS[0] }}`.
"""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from jinja2 import Environment, StrictUndefined, TemplateError

from autograder.authoring.lesson.lesson import Exercise, Lesson
from autograder.course import Course
from autograder.errors import CourseError

_TEXT = "_retake.md"
_ASKED = """\
```{{exercise}} {name}
:difficulty: {difficulty}
:minutes: {minutes}
```

```{{check}} {name}
:points: {points}
```"""


class NoRetake(CourseError):
    """A lesson of which no retake can be made, or not of this number."""


def template_of(course: Course, lesson: str, examined: ModuleType) -> Path:
    """Where it is.

    Args:
        course: the course.
        lesson: the full name of the lesson.
        examined: the module, or the package, with its exams.

    Raises:
        NoRetake: when it is missing.
    """
    file = Path(str(examined.__file__))
    is_package = file.name == "__init__.py"
    path = file.with_name(_TEXT if is_package else f"{file.stem}{_TEXT}")
    if not path.is_file():
        raise NoRetake(
            f"no retake can be made of {lesson}, as {path.relative_to(course.root)} is missing, "
            "which a retake's text is made of: see docs/authoring.md"
        )
    return path


def filled(template: Path, lesson: Lesson, specimens: Mapping[str, object]) -> str:
    """The retake's text.

    Args:
        template: what it is made of.
        lesson: the one that is asked again.
        specimens: what was drawn, by name.

    Raises:
        NoRetake: when it names what was not drawn, or leaves an exercise out.
    """
    points, asked = lesson.points, set[str]()
    exercises = {one.name: one for one in lesson.exercises if one.name not in lesson.with_tests}

    def ask(name: str) -> str:
        asked.add(name)
        one: Exercise = exercises[name]
        return _ASKED.format(
            name=name, difficulty=one.difficulty, minutes=one.minutes, points=points[name]
        )

    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    try:
        made = environment.from_string(template.read_text(encoding="utf-8"))
        text = made.render(specimens, ask=ask, lesson=lesson.name)
    except (TemplateError, KeyError) as error:
        raise NoRetake(f"{template} can't be filled in: {error}") from error
    if left := ", ".join(sorted(exercises.keys() - asked)):
        raise NoRetake(f'{template} does not ask for {left}: write {{{{ ask("NAME") }}}}')
    return text
