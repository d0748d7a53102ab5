"""Copies are found whatever they were hidden with, and nobody who is honest."""

from functools import cache

import pytest

from autograder.insight.similarity.pairs import Class
from autograder.insight.similarity.usual import usual_of
from tests.support.copied import KINDS, disguised, simulated_class, usual_ways, ways_of

pytestmark = pytest.mark.slow

LESSON = "04_causal_attention"
MEAN = "def mean(x):\n    return sum(x) / len(x)"
STRANGE = """\
def mean(x):
    total = 0
    for one in x:
        total += one
    return total * len(x) ** -1
"""


WAYS = cache(ways_of)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_five_copies_are_found_and_nobody_else(seed: int) -> None:
    written, copied = simulated_class(WAYS(LESSON), 60, seed, KINDS)
    found = Class(written, usual_ways(WAYS(LESSON)), {}).pairs()
    assert {pair.students for pair in found} == copied


@pytest.mark.long
@pytest.mark.parametrize("habit", [0.0, 0.6])
def test_an_honest_class_is_not_accused(habit: float) -> None:
    for seed in range(10, 14):
        written, _ = simulated_class(WAYS(LESSON), 40, seed, habit=habit)
        assert Class(written, usual_ways(WAYS(LESSON)), {}).pairs() == []


def test_the_reference_is_nothing_to_have_in_common() -> None:
    written = {
        f"s{n}": {name: one.right[0] for name, one in WAYS(LESSON).items()} for n in range(4)
    }
    pair = Class(written, usual_ways(WAYS(LESSON)), {}).pair("s0", "s1")
    assert (pair.weight, pair.alike) == (0.0, 1.0)


@pytest.mark.parametrize("students", [2, 12, 200])
def test_one_exercise_is_never_enough(students: int) -> None:
    written = {f"s{n}": {"mean": f"def mean(x):\n    return {n}"} for n in range(students)}
    written["s0"] = written["s1"] = {"mean": "def mean(x):\n    return np.mean(x)"}
    accepted = usual_of("", MEAN, ["def mean(x):\n    return np.mean(x)"])
    assert Class(written, {"mean": accepted}, {}).pairs() == []


def strangers(students: int) -> dict[str, dict[str, str]]:
    return {f"s{n:02}": {"mean": MEAN, "other": MEAN} for n in range(students)}


def test_what_is_rare_counts_more() -> None:
    written = strangers(20)
    for who in ("s00", "s01"):
        written[who] = {"mean": STRANGE, "other": MEAN}
    for who in ("s02", "s03", "s04", "s05", "s06", "s07"):
        written[who] = {"mean": "def mean(x):\n    return sum(x)", "other": MEAN}
    group = Class(written, {"mean": usual_of("", MEAN), "other": usual_of("", MEAN)}, {})
    rare, frequent = group.pair("s00", "s01"), group.pair("s02", "s03")
    assert rare.weight > frequent.weight > 0
    assert group.pair("s00", "s02").weight < 0


def test_a_mistake_in_common_counts_in_other_words() -> None:
    written = strangers(20)
    written["s00"]["mean"], written["s01"]["mean"] = (
        "def mean(x): return 1",
        "def mean(x): return 2",
    )
    known = {"mean": usual_of("", MEAN)}
    mistakes = {("s00", "mean"): "is_constant", ("s01", "mean"): "is_constant"}
    with_it = Class(written, known, mistakes).pair("s00", "s01")
    assert [one.mistake for one in with_it.common if not one.usual] == ["is_constant"]
    assert with_it.weight > Class(written, known, {}).pair("s00", "s01").weight


def test_lines_in_common_are_located() -> None:
    written = strangers(4)
    written["s00"]["mean"] = STRANGE
    written["s01"]["mean"] = disguised(STRANGE, "names+comments")
    pair = Class(written, {"mean": usual_of("def mean(x):", MEAN)}, {}).pair("s00", "s01")
    (mean,) = (one for one in pair.common if one.exercise == "mean")
    assert mean.lines == ((2, 3, 4, 5), (2, 3, 4, 5))


def test_a_class_without_answers() -> None:
    assert Class({}, {}, {}).pairs() == []
    assert Class({"ada": {}, "ben": {"mean": ""}, "cleo": {"mean": "#"}}, {}, {}).pairs() == []
