"""Which students of a graded class wrote alike, with both texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.checks.source.cell_code import lines_of
from autograder.course import Course
from autograder.insight.similarity.answers import Answers, read_answers
from autograder.insight.similarity.pairs import Class, InCommon, Pair
from autograder.insight.similarity.same import Same, same_code, same_words, together
from autograder.insight.similarity.usual import Usual, usual_forms
from autograder.insight.survey.classwork import Classwork

# Under this name stands what is found over several lessons together.
ALL = "all lessons"
# A page shows the texts of so many pairs, of so many exercises of each, and so many groups who
# handed in the same.
_PAIRS, _EXERCISES, _GROUPS = 20, 12, 40


@dataclass(frozen=True)
class Alike:
    """The pairs of a lesson that are alike, the answers that they wrote, and what is the same."""

    pairs: Sequence[Pair]
    answers: Answers
    same: Sequence[Same] = ()

    @property
    def same_shown(self) -> Sequence[Same]:
        """Those who handed in the same that a page names."""
        return self.same[:_GROUPS]

    @property
    def shown(self) -> Sequence[Pair]:
        """The pairs whose texts a page shows: those with the most in common."""
        return self.pairs[:_PAIRS]

    def texts(self, pair: Pair) -> list[tuple[InCommon, list[list[tuple[str, bool]]]]]:
        """What a pair has in common, each with both texts, line by line, and which lines are it."""
        return [
            (
                one,
                [
                    _marked(self.answers.sources[student][one.exercise], numbers)
                    for student, numbers in zip(pair.students, one.lines, strict=True)
                ],
            )
            for one in pair.common[:_EXERCISES]
        ]


@dataclass(frozen=True)
class _Material:
    """What is compared: answers, what is usual, and which mistakes were found."""

    answers: Answers
    usual: dict[str, Usual]
    mistakes: dict[tuple[str, str], str]

    def alike(self) -> Alike:
        """The pairs that are alike in it."""
        group = Class(self.answers.sources, self.usual, self.mistakes)
        words, code = same_words(self.answers.words), same_code(group.forms(), self.usual)
        return Alike(group.pairs(), self.answers, together([*words, *code]))


def read_alike(course: Course, works: Sequence[Classwork]) -> dict[str, Alike]:
    """The pairs that are alike, by lesson; with several lessons also over all of them together.

    Little in common in each of several lessons may be much.
    """
    material = {work.lesson: _material(course, work) for work in works}
    found = {lesson: one.alike() for lesson, one in material.items()}
    if len(works) > 1:
        found[ALL] = _together(material).alike()
    return found


def _material(course: Course, work: Classwork) -> _Material:
    mistakes = {
        (one.student, one.exercise): one.misconception or one.place
        for one in work.results
        if one.misconception or one.place
    }
    answers = read_answers(course, work.lesson, work.students)
    return _Material(answers, usual_forms(course, work.lesson), mistakes)


def _together(material: Mapping[str, _Material]) -> _Material:
    """Several lessons as one, whose exercises are called by their lesson too."""
    every = _Material(Answers(), {}, {})
    for lesson, one in material.items():
        for student, own in one.answers.sources.items():
            texts = every.answers.sources.setdefault(student, {})
            texts.update({f"{lesson}: {name}": text for name, text in own.items()})
        every.usual.update({f"{lesson}: {name}": usual for name, usual in one.usual.items()})
        for (student, name), mistake in one.mistakes.items():
            every.mistakes[student, f"{lesson}: {name}"] = mistake
    return every


def rows_of(alike: Mapping[str, Alike]) -> list[dict[str, Any]]:
    """A row for each exercise that a pair has in common."""
    return [
        {
            "lesson": lesson,
            "student": pair.students[0],
            "other": pair.students[1],
            "figure": round(pair.times, 2),
            "same_lines": round(pair.alike, 3),
            "exercise": one.exercise,
            "share_of_figure": round(one.weight / pair.needed, 2),
            "mistake": one.mistake,
            "usual": str(one.usual),
        }
        for lesson, found in alike.items()
        for pair in found.pairs
        for one in pair.common
    ]


def _marked(source: str, numbers: Sequence[int]) -> list[tuple[str, bool]]:
    return [(line, number in numbers) for number, line in enumerate(lines_of(source), start=1)]
