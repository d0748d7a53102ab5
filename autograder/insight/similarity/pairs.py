"""Pairs of students whose answers are alike in a way that is rare in their class.

A pair's figure is a likelihood ratio, as a logarithm: how much better one of them having seen the
other's answers explains what they wrote than chance does. For each exercise that both have tried:

- Both have the same answer, apart from names, layout and the order of lines: by chance the other
  one has it as often as the class does, and the rarer it is, the more that says.
- They have some unusual lines in common: the same for the rarest of these lines, and in part.
- The same mistake was found in both, in other words: half as much.
- They wrote something else: less likely, if one had copied.

The reference counts nothing, and another usual right answer only by how many have it: in a few
exercises that is never enough. More text that is neither usual nor a known mistake counts up to
twice.

A pair is shown where the sum is more than chance gives to some pair of so many. That takes
exercises for independent, which they are not where people have habits or learnt together. So a pair
must also stand far apart from the others of its class, and the figure is not shown as a
probability.

Pairs are many: 2 million in a class of 2,000. So a sum over all of them is made first, with an
index of who has what and a few operations on a matrix, and only the best are looked at closely.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, islice

import numpy as np
from rapidfuzz.distance import Indel

from autograder.insight.similarity.normal import NormalLine, normal_lines, size_of
from autograder.insight.similarity.usual import Usual

# What a pair has to have beyond what chance gives to some pair of a class.
_MARGIN = 1.0
# And so many times as far from the middle of the class as nearly all of its pairs are: where people
# have habits, or learnt together, any two are more alike.
_FAR = 3.0
# From how many pairs that is taken.
_LOOKED_AT = 2_000
# How much of their answers people take over who copy, as far as that is known.
_COPIED = 0.7
# So many unusual words and signs in common count twice as much as a few.
_MUCH = 60
# What it says that two have written something else.
_APART = math.log(1 - _COPIED)
# How many pairs for each student are looked at closely.
_CLOSELY = 20
_NOTHING = Usual()

# A whole answer, a line, or a mistake; and that in an exercise.
_What = frozenset[str] | str | tuple[str]
_Trait = tuple[str, _What]


@dataclass(frozen=True)
class InCommon:
    """What two students have in common in one exercise, and on which lines of each one's source.

    `usual` says that both have the same usual right answer, which is not the reference.
    """

    exercise: str
    weight: float
    lines: tuple[tuple[int, ...], tuple[int, ...]]
    mistake: str = ""
    usual: bool = False


@dataclass(frozen=True)
class Pair:
    """Two students, what they have in common, and how alike all of their answers are (0 to 1)."""

    students: tuple[str, str]
    weight: float
    needed: float
    alike: float
    common: Sequence[InCommon]

    @property
    def only_usual(self) -> bool:
        """Whether all that they have in common is right, and written in usual ways."""
        return all(one.usual for one in self.common)

    @property
    def times(self) -> float:
        """How many times what is needed to be shown: the pair's figure."""
        return self.weight / self.needed


@dataclass(frozen=True)
class _Answer:
    """An answer without its given lines. `form` is all of it, `unusual` what is not usual."""

    lines: tuple[NormalLine, ...]
    form: frozenset[str]
    unusual: frozenset[str]


class Class:
    """The answers of a class to one lesson, ready to be compared.

    Args:
        sources: what each student wrote, by exercise.
        usual: the usual lines of each exercise.
        mistakes: the mistake that was found in an answer, by student and exercise.
    """

    def __init__(
        self,
        sources: Mapping[str, Mapping[str, str]],
        usual: Mapping[str, Usual],
        mistakes: Mapping[tuple[str, str], str],
    ) -> None:
        self._usual = usual
        self._mistakes = mistakes
        read = lru_cache(maxsize=None)(self._answer)
        self._answers = {
            student: {name: read(name, source) for name, source in sources[student].items()}
            for student in sorted(sources)
        }
        # Who wrote something of their own in an exercise.
        self._tried = Counter(
            name for own in self._answers.values() for name, one in own.items() if one.lines
        )

    @cached_property
    def needed(self) -> float:
        """How much a pair must have in common to be shown, in this class."""
        students = [*self._answers]
        pairs = math.comb(len(students), 2)
        if not pairs:
            return _MARGIN
        step = max(1, pairs // _LOOKED_AT)
        some = islice(combinations(students, 2), 0, None, step)
        weights = [self._weighed(*pair)[0] for pair in some]
        middle, high = np.quantile(weights, [0.5, 0.95])
        return max(math.log(pairs) + _MARGIN, float(middle + _FAR * (high - middle)))

    def pairs(self) -> list[Pair]:
        """The pairs that have enough in common, those with the most first."""
        enough = (one for one in self._candidates() if self._weighed(*one)[0] >= self.needed)
        found = [self.pair(*students) for students in enough]
        return sorted(found, key=lambda pair: (-pair.weight, pair.students))

    def forms(self) -> dict[str, dict[str, frozenset[str]]]:
        """The lines that each student wrote, in their normal form, of what they answered."""
        return {
            student: {name: one.form for name, one in own.items() if one.lines}
            for student, own in self._answers.items()
        }

    def pair(self, one: str, other: str) -> Pair:
        """What two students have in common."""
        weight, common = self._weighed(one, other)
        return Pair((one, other), weight, self.needed, self._alike(one, other), common)

    def _weighed(self, one: str, other: str) -> tuple[float, list[InCommon]]:
        common, against = list[InCommon](), 0.0
        for name, first in self._answers[one].items():
            second = self._answers[other].get(name)
            if second is None or not (first.lines and second.lines):
                continue
            if found := self._in_common(name, (one, other), (first, second)):
                common.append(found)
            else:
                against += _apart(first.form, second.form) * _APART
        common = sorted((found for found in common if found.weight), key=lambda it: -it.weight)
        return sum(found.weight for found in common) + against, common

    def _answer(self, name: str, source: str) -> _Answer:
        usual = self._usual_of(name)
        lines = tuple(line for line in normal_lines(source) if line.text not in usual.given)
        form = frozenset(line.text for line in lines)
        return _Answer(lines, form, form - usual.right)

    def _usual_of(self, name: str) -> Usual:
        return self._usual.get(name, _NOTHING)

    @cached_property
    def _having(self) -> dict[_Trait, list[str]]:
        """Who has what: a whole answer, an unusual line or a mistake, in an exercise."""
        having = defaultdict[_Trait, list[str]](list)
        for student, own in self._answers.items():
            for name, answer in own.items():
                for trait in self._traits(student, name, answer):
                    having[trait].append(student)
        return having

    def _traits(self, student: str, name: str, answer: _Answer) -> Iterator[_Trait]:
        if answer.form:
            yield name, answer.form
        for text in answer.unusual:
            yield name, text
        if mistake := self._mistakes.get((student, name)):
            yield name, (mistake,)

    def _says(self, name: str, what: _What) -> float:
        """How much it says that two have this in common in an exercise.

        Who errs in one exercise does so in others, and there are fewer ways to err than students:
        what is not right is counted half among all, and half among those who are not right.
        """
        having = len(self._having[name, what])
        among_all = _ratio(having, self._tried[name])
        if isinstance(what, frozenset) and self._usual_of(name).is_right(what):
            return among_all
        return (among_all + _ratio(having, self._not_right[name])) / 2

    @cached_property
    def _not_right(self) -> Counter[str]:
        return Counter(
            name
            for own in self._answers.values()
            for name, one in own.items()
            if one.lines and not self._usual_of(name).is_right(one.form)
        )

    def _candidates(self) -> list[tuple[str, str]]:
        """The pairs with the most in common, by a sum over all pairs that is quickly made."""
        students = [*self._answers]
        place = {student: number for number, student in enumerate(students)}
        total = np.zeros((len(students), len(students)), np.float32)
        traits = defaultdict[str, list[tuple[float, list[int]]]](list)
        for (name, what), having in self._having.items():
            if len(having) > 1 and not self._is_reference(name, what):
                who = [place[student] for student in having]
                traits[name].append((self._says(name, what), who))
        for name, found in traits.items():
            tried = [place[one] for one, own in self._answers.items() if name in own]
            common = np.zeros_like(total)
            common[np.ix_(tried, tried)] = _APART / 2
            # The rarest of what two have in common is what remains.
            for weight, who in sorted(found):
                common[np.ix_(who, who)] = weight
            total += common
        first, second = np.triu_indices(len(students), k=1)
        sums = total[first, second]
        best = np.argsort(-sums, kind="stable")[: _CLOSELY * len(students)]
        return [(students[first[one]], students[second[one]]) for one in best if sums[one] > 0]

    def _is_reference(self, name: str, what: _What) -> bool:
        return isinstance(what, frozenset) and self._usual_of(name).is_reference(what)

    def _in_common(
        self, name: str, students: tuple[str, str], answers: tuple[_Answer, _Answer]
    ) -> InCommon | None:
        first, second = answers
        if first.form == second.form and self._usual_of(name).is_right(first.form):
            is_reference = self._usual_of(name).is_reference(first.form)
            weight = 0.0 if is_reference else self._says(name, first.form)
            return InCommon(name, weight, _where(answers, first.form), usual=True)
        lines = first.unusual & second.unusual
        mistake = self._mistakes.get((students[0], name), "")
        if mistake != self._mistakes.get((students[1], name)):
            mistake = ""
        weight = self._says(name, (mistake,)) / 2 if mistake else 0.0
        if first.form == second.form:
            weight, lines = max(weight, self._says(name, first.form)), first.form
        elif lines:
            part = _size(lines) / _size(first.unusual | second.unusual)
            weight = max(weight, part * max(self._says(name, text) for text in lines))
        own = (lines & first.unusual) - self._usual_of(name).wrong
        more = 1 + min(1.0, _size(own) / _MUCH)
        found = InCommon(name, weight * more, _where(answers, lines), mistake)
        return found if weight else None

    def _alike(self, one: str, other: str) -> float:
        """The share of all lines, given ones left out, that is the same in the same order."""
        texts = [
            [line.text for name in sorted(own) for line in own[name].lines]
            for own in (self._answers[one], self._answers[other])
        ]
        return Indel.normalized_similarity(*texts)


def _ratio(having: int, among: int) -> float:
    """How much better copying explains a second one than chance, if so many have it."""
    chance = min(1.0, max(1, having - 1) / max(1, among - 1))
    return math.log((_COPIED + (1 - _COPIED) * chance) / chance)


def _size(lines: Iterable[str]) -> int:
    return sum(map(size_of, lines))


def _apart(one: frozenset[str], other: frozenset[str]) -> float:
    """How much of two answers is not the other one's, from 0 to 1."""
    return 1 - len(one & other) / len(one | other)


def _where(
    answers: tuple[_Answer, _Answer], lines: frozenset[str]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    first, second = (
        tuple(sorted({line.number for line in one.lines if line.text in lines})) for one in answers
    )
    return first, second
