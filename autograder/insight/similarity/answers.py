"""The solution cells of a graded class: code as texts, and of words what tells the same ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.course import Course
from autograder.grading.inert import inert_markdown
from autograder.insight.similarity.normal import is_too_long
from autograder.insight.similarity.same import digest_of_words, plain_words
from autograder.insight.similarity.usual import answers_of, must_be_whole, prose_of

# The pairs of so many take 100 MB.
MOST = 5_000


@dataclass(frozen=True)
class Answers:
    """What each student wrote, by exercise.

    `words` has the digest of each answer in words, "" of one that is not compared. `too_long` are
    the answers, by student and exercise, that are not compared, and `not_read` the students whose
    notebooks can't be read or who are too many.
    """

    sources: dict[str, dict[str, str]] = field(default_factory=dict)
    too_long: list[tuple[str, str]] = field(default_factory=list)
    not_read: list[str] = field(default_factory=list)
    words: dict[str, dict[str, str]] = field(default_factory=dict)


def read_answers(course: Course, lesson: str, students: Sequence[str]) -> Answers:
    """The answers of these students, from their graded notebooks.

    Raises:
        GradingFailed: when the notebook that they were given can't be read.
    """
    found = Answers()
    released = course.release_folder(lesson) / f"{lesson}.ipynb"
    must_be_whole(released)
    given = _as_graded(prose_of(released))
    stubs = {name: _as_graded(text) for name, text in answers_of(released)[1].items()}
    for number, student in enumerate(sorted(students)):
        path = course.root / "autograded" / student / lesson / f"{lesson}.ipynb"
        try:
            cells, words = answers_of(path) if number < MOST else ({}, {})
        except (OSError, ValueError, KeyError, TypeError):
            cells, words = {}, {}
        if words:
            found.words[student] = {
                name: digest_of_words(text, given, stubs.get(name, ""))
                for name, text in words.items()
            }
        if not cells:
            if not words:
                found.not_read.append(student)
            continue
        long = {name for name, text in cells.items() if is_too_long(text)}
        found.too_long.extend((student, name) for name in cells if name in long)
        found.sources[student] = {name: text for name, text in cells.items() if name not in long}
    return found


def _as_graded(text: str) -> str:
    """A lesson's words as they are in a graded notebook, where nothing in them is live."""
    return plain_words(inert_markdown(text))
