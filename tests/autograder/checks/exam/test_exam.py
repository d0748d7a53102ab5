import re
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.card.as_text import lines_of
from autograder.checks.exam.case import Case
from autograder.checks.exam.draw import Draw
from autograder.checks.exam.exam import Exam, exams_of
from autograder.checks.exam.report import Verdict
from autograder.checks.exam.rules import Written, looking_at
from autograder.checks.exam.trials import OTHER_FUNCTIONS
from autograder.checks.values.compare import Tolerance, identical
from autograder.checks.values.precision import TOLERANCES
from autograder.errors import ExamError
from tests.support.samples import Affine, affine_exam, mix, mixing_exam

AXES = ("batch", "tokens", "d_in", "d_out", "heads", "keys")
SEEDS = pytest.mark.parametrize("seed", range(20))


def labels(cases) -> list[str]:
    return [case.label for case in cases]


def documented(*_):
    """a sentence"""


def undocumented(*_):
    return 1


def blank(*_):
    """ """


@pytest.fixture
def exam() -> Exam:
    return mixing_exam()


@SEEDS
def test_sizes_are_distinct(seed):
    shape = Draw((seed,)).shape(" ".join(AXES))
    assert sorted(shape) == [2, 3, 4, 5, 6, 7]


def test_axis_keeps_its_size():
    draw = Draw((1, 2))
    queries, keys = draw("tokens d_in"), draw("tokens d_out")
    assert len(queries) == len(keys) == draw.size("tokens")
    assert draw("d_out d_in").shape == (keys.shape[1], queries.shape[1])


def test_same_seed_same_numbers():
    first, second = Draw((1, 2)), Draw((1, 2))
    for _ in range(2):
        assert np.array_equal(first("tokens d_in"), second("tokens d_in"))


def test_other_seed_other_numbers():
    draws = [Draw((turn,)).fix(a=3)("a") for turn in range(5)]
    assert all(not np.array_equal(one, other) for one, other in combinations(draws, 2))


@SEEDS
def test_fixed_sizes(seed):
    draw = Draw((seed,)).fix(tokens=1, d_in=4)
    assert draw.shape("tokens d_in") == (1, 4)
    others = draw.shape("a b c d e")
    assert sorted(others) == [2, 3, 5, 6, 7]


@SEEDS
def test_fixed_sizes_leave_as_many(seed):
    """A product that is fixed, such as heads times their width, is no axis less to be drawn."""
    draw = Draw((seed,)).fix(heads=2, d_head=4).fix(d_out=8).fix(keys=9)
    shape = draw.shape("a b c d e f")
    assert set(shape[:4]) == {3, 5, 6, 7}
    assert set(shape[4:]) == {10, 11}


def test_fixed_after_drawn():
    draw = Draw((0,)).fix(b=1).fix(c=3)
    draw("a b")
    with pytest.raises(ExamError, match=r"^a case fixes d after a was drawn: fix sizes first$"):
        draw.fix(d=2)


def test_too_many_axes():
    draw = Draw((0,))
    draw.shape(" ".join(AXES))
    with pytest.raises(ExamError, match=r"more than 6 axes: .*'keys', 'one_more'"):
        draw("tokens one_more")


def test_numbers_of_order_one():
    numbers = Draw((0,)).fix(a=400)("a")
    assert numbers.dtype == np.float64
    assert numbers.min() < -1 < 1 < numbers.max()
    assert 0.8 < numbers.std() < 1.2


def test_scale():
    assert np.array_equal(Draw((0,))("a b", scale=1000), 1000 * Draw((0,))("a b"))


def test_weights():
    weights = Draw((0,)).weights("queries keys")
    assert weights.ndim == 2
    assert (weights > 0).all()
    assert np.allclose(weights.sum(axis=1), 1)
    assert not np.allclose(weights.sum(axis=0), 1)


def test_integers():
    numbers = Draw((0,)).fix(a=100).integers("a", below=3)
    assert set(numbers.tolist()) == {0, 1, 2}


def test_exam_is_named_after_reference(exam):
    assert exam.name == "mix"
    assert exam.parameters == ("weights", "values")


def test_where_it_is_declared():
    exam = Exam(mix)
    path, line = exam.where
    assert path == Path(__file__)
    assert path.read_text(encoding="utf-8").splitlines()[line - 1] == "    exam = Exam(mix)"


def test_printed_cases(exam):
    assert labels(exam.printed_cases()) == [
        "three words, two features",
        "three words, two features, in float32",
    ]


def test_hidden_cases(exam):
    words = "a mixture drawn at random"
    drawn = 2 * [words, f"{words}, in float32"]
    single = [f"{words}, with {axis} = 1" for axis in ("tokens", "d_in")]
    others = [f"{words}, with another `{name}`" for name in ("weights", "values")]
    assert labels(exam.hidden_cases()) == [
        *labels(exam.printed_cases()), *drawn, *others, *single,
    ]  # fmt: skip


def test_hidden_cases_are_reproducible(exam):
    for one, other in zip(exam.hidden_cases(seed=7), mixing_exam().hidden_cases(7), strict=True):
        assert np.array_equal(one.arguments["values"], other.arguments["values"])


def test_each_drawn_case_is_fresh(exam):
    drawn = [c.arguments["weights"].tolist() for s in (1, 2) for c in exam.hidden_cases(s)[2:6:2]]
    assert all(one != other for one, other in combinations(drawn, 2))


def test_every_dtype(exam):
    for case, dtype in zip(exam.printed_cases(), ("float64", "float32"), strict=True):
        assert {value.dtype.name for value in case.arguments.values()} == {dtype}
        assert case.expected.value.dtype.name == dtype
        assert case.tolerance == TOLERANCES[dtype]


def test_case_in_one_dtype():
    def twice(a):
        return 2 * a

    exam = Exam(twice)

    @exam.case(times=2, dtypes=("float32",))
    def drawn(draw):
        """a row"""
        return draw("n")

    cases = [case for case in exam.hidden_cases() if not case.way]
    words = "a row, in float32"
    more = [f"{words}, with another `a`", f"{words}, with n = 1"]
    assert [case.label for case in cases] == [words, words, *more]
    assert {case.arguments["a"].dtype.name for case in cases} == {"float32"}


def cases_on(arguments: object, **settings: Any) -> list[Case]:
    """The printed cases of an exam on `first(a, b)` with this example."""

    def first(a=0, b=0):
        return a

    exam = Exam(first, **settings)

    @exam.example
    def example():
        """an example"""
        return arguments

    return exam.printed_cases()


def test_floats_within_are_cast():
    value = [np.ones(2), (np.zeros(1), np.arange(3)), 0.5]
    double, single = cases_on((value, "word"))
    assert identical(double.arguments["a"], value)
    expected = [np.ones(2, "float32"), (np.zeros(1, "float32"), np.arange(3)), 0.5]
    assert identical(single.arguments["a"], expected)


def test_no_tolerance_for_dtype():
    with pytest.raises(ExamError, match=r"^the exam of first needs a tolerance for float16$"):
        cases_on(np.ones(2), dtypes=("float64", "float16"))


def test_no_tolerance_for_the_dtype_of_a_case():
    def first(a=0):
        return a

    with pytest.raises(ExamError, match=r"^the exam of first needs a tolerance for float16$"):
        Exam(first).case(dtypes=("float16",))


def test_tolerance_for_dtype():
    (case,) = cases_on(np.ones(2), dtypes=("float16",), tolerance=Tolerance(absolute=1e-2))
    assert case.arguments["a"].dtype == np.float16


@pytest.mark.parametrize("words", [("a",), ("a", "b", "c")])
def test_wrong_number_of_words(words):
    with pytest.raises(ExamError, match=rf"{len(words)} words in returns, .* returns 2 values"):
        cases_on(([1, 2],), returns=words)


@pytest.mark.parametrize("value", [np.arange(3), 2, "word", [0.5, 1.5]])
def test_only_arrays_of_floats_are_cast(value):
    (case,) = cases_on(value)
    assert identical(list(case.arguments.values()), [value])


def test_no_arguments():
    (case,) = cases_on(())
    assert case.arguments == {}
    assert case.expected.value == 0


def test_whole_numbers_beside_floats():
    _, single = cases_on((np.arange(3), np.ones(2)))
    assert single.arguments["a"].dtype.kind == "i"
    assert single.arguments["b"].dtype == np.float32


def test_one_dtype():
    (case,) = cases_on(np.ones(2), dtypes=("float32",))
    assert case.label == "an example"
    assert case.arguments["a"].dtype == np.float32


def test_own_tolerance():
    loose = Tolerance(absolute=0.5)
    assert [case.tolerance for case in cases_on(np.ones(2), tolerance=loose)] == [loose, loose]


def exam_on(scale: float, **settings: Any) -> Exam:
    """The exam of a softmax of words' scores, on words drawn as large as that."""

    def weights(words):
        scores = words @ words.T
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    exam = Exam(weights, **settings)

    @exam.case(times=1)
    def words(draw):
        """words drawn at random"""
        return draw.fix(tokens=5, d_in=7)("tokens d_in", scale)

    return exam


def in_single_precision(words):
    """One step of it, and back."""
    scores = (words.astype(np.float32) @ words.T.astype(np.float32)).astype(words.dtype)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("dtypes", [("float64",), ("float32",), ("float64", "float32")])
@pytest.mark.parametrize("scale", [1, 3, 10])
def test_a_step_in_single_precision_is_right(scale, dtypes):
    exam = exam_on(scale, dtypes=dtypes)
    for seed in range(20):
        report = exam.examine(in_single_precision, seed)
        assert report.verdict is Verdict.PASSED, (seed, lines_of(report))


def test_printed_examples_have_what_ships_with_them():
    for case in mixing_exam().printed_cases():
        assert not case.tolerance.parts


def test_noise_is_seen_in_each_dtype():
    double, single, *_ = (case.tolerance for case in exam_on(2).hidden_cases())
    assert TOLERANCES["float64"].absolute < double.of("").absolute <= single.of("").absolute


def test_words_for_parts():
    (case,) = cases_on(1, returns=["contexts", "weights"])
    assert case.names == ("contexts", "weights")


def test_too_many_arguments():
    with pytest.raises(ExamError, match="gives 3 arguments, but the function takes 2"):
        cases_on((1, 2, 3))


@pytest.mark.parametrize("silent", [undocumented, blank])
@pytest.mark.parametrize("word", ["example", "case", "holds", "misconception"])
def test_docstring_is_required(exam, word, silent):
    with pytest.raises(ExamError, match=f"{silent.__name__} needs a docstring"):
        getattr(exam, word)(silent)


def test_docstring_of_case_with_times(exam):
    with pytest.raises(ExamError, match="undocumented needs a docstring"):
        exam.case(times=1)(undocumented)


def test_right_answer_needs_no_docstring(exam):
    assert exam.accepts(undocumented) is undocumented


@pytest.mark.parametrize("word", ["example", "case", "holds", "misconception", "accepts"])
def test_declared_functions_stay(exam, word):
    assert getattr(exam, word)(documented) is documented


@pytest.mark.parametrize("first", ["misconception", "accepts"])
@pytest.mark.parametrize("second", ["misconception", "accepts"])
def test_doubled_names(exam, first, second):
    getattr(exam, first)(documented)
    with pytest.raises(ExamError, match="the exam of mix declares documented twice"):
        getattr(exam, second)(documented)


def test_doubled_statement(exam):
    exam.holds(documented)
    with pytest.raises(ExamError, match="exam of mix declares twice what holds: a sentence"):
        exam.holds(documented)


def test_hints_are_sentences(exam):
    assert exam.hints == {
        "unweighted": "This is the plain average. Multiply each value by its weight first.",
        "over_features": "You added over the features.",
    }


def test_right_answers_pass(exam):
    for right in (mix, *exam.accepted.values()):
        assert exam.examine(right).verdict is Verdict.PASSED
        assert exam.preview(right).verdict is Verdict.PASSED


def test_misconceptions_are_named(exam):
    for name, wrong in exam.misconceptions.items():
        for report in (exam.examine(wrong), exam.preview(wrong)):
            assert report.verdict is Verdict.WRONG
            assert report.misconception == name


def test_preview_knows_examples_alone(exam):
    def by_rote(weights, values):
        return mix(weights, values) if values.shape == (3, 2) else values[0]

    assert exam.preview(by_rote).verdict is Verdict.PASSED
    assert exam.examine(by_rote).verdict is Verdict.WRONG


def test_properties_of_drawn_cases(exam):
    @exam.holds
    def never(answer, weights, values):
        """what never holds"""
        return False

    report = exam.examine(mix)
    assert report.finding.case.startswith("a mixture drawn at random")
    assert report.finding.details == ("this does not hold: what never holds",)
    assert exam.preview(mix).verdict is Verdict.PASSED


def test_float32_answer_to_float64(exam):
    def rounded(weights, values):
        return mix(weights, values).astype("float32")

    report = exam.preview(rounded)
    assert report.passed == ("three words, two features, in float32",)
    assert report.finding.details == ("expected numbers of type float64, received float32",)


def module(**contents: object) -> ModuleType:
    made = ModuleType("solutions.exams.words")
    vars(made).update(contents)
    return made


def test_exams_of_module():
    one, two = Exam(mix), Exam(documented)
    found = exams_of(module(two=two, np=np, one=one, again=one))
    assert list(found.items()) == [("documented", two), ("mix", one)]


def test_two_exams_for_one_exercise():
    with pytest.raises(ExamError, match=r"solutions\.exams\.words declares two exams for mix"):
        exams_of(module(one=Exam(mix), two=Exam(mix)))


def test_tensors_are_drawn():
    tensor, array = (Draw((0,)) for _ in range(2))
    drawn = tensor.tensor("tokens d_in", scale=30)
    assert drawn.dtype == torch.float64
    assert np.array_equal(drawn.numpy(), array("tokens d_in", scale=30))
    assert np.array_equal(tensor("tokens"), array("tokens"))


def test_tensors_within_are_cast():
    value = {"W": torch.ones(2), "ids": [torch.arange(3), (torch.zeros(1), np.ones(1))]}
    double, single = cases_on((value, 0.5))
    for case, dtype in ((double, "float64"), (single, "float32")):
        given = case.arguments["a"]
        floats = [given["W"], given["ids"][1][0]]
        assert {value.dtype for value in floats} == {getattr(torch, dtype)}
        assert given["ids"][1][1].dtype == dtype
        assert given["ids"][0].dtype == torch.int64


def test_whole_tensors_are_not_cast():
    (case,) = cases_on(torch.arange(3))
    assert case.arguments["a"].dtype == torch.int64


def test_class_and_driver():
    exam = affine_exam()
    assert exam.name == "Affine"
    optional = ("training", "calls", "buffer", "before")
    assert exam.parameters == ("settings", "weights", "inputs", *optional)
    assert list(exam.printed_cases()[0].arguments) == ["settings", "weights", "inputs"]


@pytest.mark.parametrize("seed", [0, 2026])
def test_classes_are_examined(seed):
    exam = affine_exam()
    for right in (Affine, *exam.accepted.values()):
        report = exam.examine(right, seed)
        assert report.verdict is Verdict.PASSED, lines_of(report)
    for name, wrong in exam.misconceptions.items():
        report = exam.examine(wrong, seed)
        assert report.verdict is Verdict.WRONG
        assert report.misconception == name


def test_hint_of_class_is_its_own():
    with pytest.raises(ExamError, match="Silent needs a docstring"):

        @affine_exam().misconception
        class Silent(Affine):
            pass


def test_property_of_class():
    class Mixed(Affine):
        def forward(self, x):
            return super().forward(x) + (len(x) if x.shape[1] == 1 else 0)

    exam = affine_exam()
    exam.unasked["single"] = "a case with a single word would tell as well"
    report = exam.examine(Mixed)
    assert report.finding.details == ("this does not hold: each word is mapped by itself",)


def test_what_holds_is_asked_where_the_driver_is_here():
    """In one draw of each kind, in both dtypes: each question is a message."""
    drawn = [case for case in affine_exam().hidden_cases() if not (case.printed or case.way)]
    assert [case.label for case in drawn if case.properties] == [
        "words drawn at random",
        "words drawn at random, in float32",
    ]
    assert all(case.here for case in drawn if case.properties)


def test_case_without_hints_asks_no_misconception():
    exam = mixing_exam()

    @exam.case(times=1, hints=False)
    def long_mixture(draw):
        """a mixture that takes long"""
        return draw.weights("tokens"), draw("tokens d_in")

    asked = {case.label: set(case.lookalikes) for case in exam.hidden_cases() if not case.way}
    assert asked["a mixture that takes long"] == set()
    assert asked["a mixture drawn at random"] == set(exam.misconceptions)


def test_too_many_arguments_for_driver():
    def first(x):
        return x

    def called_with(answer, x):
        return answer(x)

    exam = Exam(first, use=called_with)

    @exam.example
    def two():
        """two"""
        return 1, 2

    with pytest.raises(ExamError, match="gives 2 arguments, but called_with takes 1"):
        exam.printed_cases()


def test_generator_as_argument():
    def shuffled(words, generator):
        return words[torch.randperm(len(words), generator=generator)]

    def drawn_twice(words, generator):
        """Draw once."""
        torch.rand(1, generator=generator)
        return shuffled(words, generator)

    exam = Exam(shuffled)
    exam.misconception(drawn_twice)

    @exam.example
    def ten():
        """ten words"""
        return torch.arange(10), torch.Generator().manual_seed(7)

    assert exam.preview(shuffled).verdict is Verdict.PASSED
    report = exam.preview(drawn_twice)
    assert report.misconception == "drawn_twice"
    assert report.finding.inputs.endswith(", generator seeded with 7")


def test_cases_are_made_once():
    drawn = []
    exam = mixing_exam()

    @exam.case(times=1)
    def counted(draw):
        """counted"""
        drawn.append(draw)
        return draw.weights("tokens"), draw("tokens d_in")

    for answer in (mix, *exam.misconceptions.values()):
        exam.examine(answer)
        exam.preview(answer)
    once = len(drawn)
    exam.examine(mix, seed=7)
    assert len(drawn) == 2 * once


def test_what_is_declared_later_counts(exam):
    def negative(weights, values):
        """Turn the sign round."""
        return -mix(weights, values)

    assert exam.examine(negative).misconception == exam.preview(negative).misconception == ""
    exam.misconception(negative)
    assert (
        exam.examine(negative).misconception == exam.preview(negative).misconception == "negative"
    )

    @exam.example
    def one_word():
        """one word"""
        return np.ones(1), np.ones((1, 2))

    assert exam.preview(mix).total == 4


def tells_apart(function, a, b):
    """A test that learners write: does the function depend on its second argument?"""
    return function(a, b) != function(a, 0)


def sums(a, b):
    """The sum: it does."""
    return a + b


def forgets(a, b):
    """Only ITS first
    argument counts: it does not.
    """
    return a


def test_trials_that_are_printed():
    exam = Exam(tells_apart)
    exam.tries((sums, forgets), (1, 2))
    exam.tries([sums], (1, 0), on="nothing to add")
    cases = exam.printed_cases()
    assert labels(cases) == ["sums", "forgets", "sums, nothing to add"]
    assert [tuple(case.arguments.values()) for case in cases] == [
        (sums, 1, 2),
        (forgets, 1, 2),
        (sums, 1, 0),
    ]
    assert [case.expected.value for case in cases] == [True, False, False]
    assert labels(exam.hidden_cases()) == labels(cases)


def test_trials_that_are_drawn():
    def given(draw):
        return 1, float(draw.rng.normal())

    exam = Exam(tells_apart, dtypes=("float64",))
    exam.tries((sums, forgets), given, times=2)
    exam.tries([sums], given, on="another time", times=1)
    assert exam.printed_cases() == []
    cases = exam.hidden_cases()
    assert labels(cases) == [
        *["the sum"] * 2,
        *["only its first argument counts"] * 2,
        "the sum, another time",
    ]
    assert [case.arguments["function"] for case in cases] == [sums, sums, forgets, forgets, sums]
    assert len({case.arguments["b"] for case in cases}) == 5
    assert [case.expected.value for case in cases] == [True, True, False, False, True]


def test_trials_of_one_more_argument():
    def applied(function, x):
        return function(x)

    exam = Exam(applied, dtypes=("float64",))
    exam.tries([documented], np.zeros(3))
    exam.tries([documented], lambda draw: draw("tokens"), times=1)
    printed, drawn = exam.hidden_cases()
    assert printed.arguments["x"].shape == (3,)
    assert drawn.label == "a sentence"
    assert drawn.arguments["x"].ndim == 1


def test_drawn_trials_need_a_sentence():
    with pytest.raises(ExamError, match=r"^undocumented needs a docstring"):
        Exam(tells_apart).tries([undocumented], lambda draw: (1, 2))


def yes_or_no_exam() -> Exam:
    """Four printed trials and 16 drawn ones, of functions that are right or wrong."""
    exam = Exam(tells_apart, dtypes=("float64",))
    exam.tries((sums, forgets), (1, 2))
    exam.tries((sums, forgets), lambda draw: (1, float(draw.rng.normal())), times=9)
    return exam


@pytest.mark.parametrize(
    ("right", "told"),
    [(0.1, "fewer than a quarter"), (0.3, "fewer than half"), (0.6, "half"), (0.9, "three quart")],
)
def test_yes_or_no_is_told_in_quarters(right, told):
    exam = Exam(tells_apart)
    for number in range(10):
        exam.tries([sums], (number, 2), on=f"{number}")
    exam.tries((sums, forgets), lambda draw: (100, float(draw.rng.normal())), times=9)

    def says(function, a, b):
        return tells_apart(function, a, b) is (a < right * 10)

    report = exam.examine(says)
    assert report.verdict is Verdict.WRONG
    assert told in report.nearest
    assert (report.passed, report.total) == ((), 0)


def test_no_share_of_yes_or_no_hangs_on_a_hidden_case():
    """Whoever gets some printed examples wrong on purpose could else ask about one case each time.

    And who gets them all right could do so, where there are more hidden cases than printed ones.
    """

    def told(printed, hidden):
        asked = []

        def says(function, a, b):
            known = tells_apart(function, a, b)
            if b == 2:
                return known is (function is sums or printed == 2)
            asked.append(b)
            return known is (len(asked) <= hidden)

        return yes_or_no_exam().examine(says).nearest

    for printed in (1, 2):
        assert len({told(printed, hidden) for hidden in range(18)}) == 1


def test_hidden_yes_or_no_names_no_case():
    report = yes_or_no_exam().examine(lambda function, a, b: b == 2 and function is sums)
    assert report.finding.case == OTHER_FUNCTIONS
    assert report.finding.details == ("it is wrong about at least one of them",)


def test_printed_yes_or_no_is_shown():
    report = yes_or_no_exam().examine(lambda function, a, b: b != 2 and tells_apart(function, a, b))
    assert report.finding.case == "sums"


def stopped(function, a, b):
    raise ValueError(b)


def unwritten(function, a, b):
    raise NotImplementedError


def test_yes_or_no_that_gave_no_answer_says_why():
    """What is said of all cases tells nothing of one."""
    assert yes_or_no_exam().examine(unwritten).verdict is Verdict.NOT_IMPLEMENTED
    assert "raise NotImplementedError" in yes_or_no_exam().examine(unwritten).finding.details[0]
    assert yes_or_no_exam().examine(5).finding.details == ("expected a function, found a int",)
    report = yes_or_no_exam().examine(stopped)
    assert report.verdict is Verdict.EXCEPTION
    assert report.finding.case == "sums"


def test_exception_tells_nothing_of_another_case():
    """Whoever raises in all cases but one would else be told whether that one is right."""

    def told(guess):
        asked = []

        def says(function, a, b):
            if b == 2:
                return tells_apart(function, a, b)
            asked.append(b)
            if len(asked) > 1:
                raise ValueError("not this one")
            return guess

        return yes_or_no_exam().examine(says)

    with looking_at(Written([("tells_apart", "x = 1")])):
        assert told(guess=True) == told(guess=False)
        assert told(guess=True).verdict is Verdict.EXCEPTION


def test_order_of_yes_or_no_hangs_on_what_is_handed_in():
    def asked_for(text, beside=""):
        found = []

        def notes(function, a, b):
            found.append((function, b))
            return True

        with looking_at(Written([("tells_apart", text)], {"helper.py": beside})):
            yes_or_no_exam().examine(notes)
        return found

    first, other = asked_for("x = 1"), asked_for("x = 2")
    assert first == asked_for("x = 1")
    assert first != other
    assert first != asked_for("x = 1", "y = 2")
    assert sorted(map(str, first)) == sorted(map(str, other))


def doubling_exam(**settings: Any) -> Exam:
    """An exam on `double(a)`: numbers drawn in order, and two cases that go together."""

    def double(a):
        if a < 0:
            raise ValueError
        return 2 * a

    exam = Exam(double, dtypes=("float64",), **settings)

    @exam.example
    def zero():
        """zero"""
        return 0.0

    @exam.case
    def below_ten(draw):
        """numbers below ten"""
        return float(draw.rng.integers(1, 10))

    @exam.case(times=1)
    def a_hundred(draw):
        """a hundred"""
        return 100.0

    @exam.case(times=1)
    def below_zero(draw):
        """a number below zero"""
        return -1.0

    exam.half_but_for("zero and a hundred", zero, a_hundred)
    assert exam.halves == {"zero and a hundred": ["zero", "a hundred"]}
    return exam


def doubling_but(*wrong: float, refuses: bool = True):
    def double(a):
        if a < 0 and refuses:
            raise ValueError
        return None if a in wrong else 2 * a

    return double


@pytest.mark.parametrize(
    ("answer", "but_for"),
    [
        (doubling_but(100), "zero and a hundred"),
        (doubling_but(0), "zero and a hundred"),
        (doubling_but(0, 100), "zero and a hundred"),
        (doubling_but(refuses=False), "the errors that it should raise"),
        (doubling_but(100, refuses=False), ""),
        (doubling_but(100, *range(1, 10)), ""),
        (doubling_but(*range(1, 10)), ""),
        (lambda a: 0.0, ""),
        (lambda a: 1 / 0, ""),
        (doubling_but(), ""),
    ],
)
def test_right_but_for_one_thing(answer, but_for):
    assert doubling_exam().examine(answer).right_but_for == but_for


def test_what_an_exercise_is_about_is_never_the_one_thing():
    exam = doubling_exam(about=("errors",))
    assert exam.examine(doubling_but(refuses=False)).right_but_for == ""
    assert exam.examine(doubling_but(100)).right_but_for == "zero and a hundred"


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("about", ("style",), "about='style': it can be one of dtype, gradients"),
        ("unasked", {"gradient": "x"}, "unasked='gradient': it can be one of dtype, gradients"),
        ("forbids", "var", "forbids='var': write forbids=(\"var\",), with the comma"),
        ("returns", "mean", "returns='mean': write returns=(\"mean\",), with the comma"),
        ("about", "dtype", "about='dtype': write about=(\"dtype\",), with the comma"),
        ("dtypes", "float64", "dtypes='float64': write dtypes=(\"float64\",), with the comma"),
        ("dtypes", (np.float64,), 'write dtypes=("…",), with the comma'),
        ("allows", ["var"], """allows=['var']: write allows={"…": "the reason"}"""),
        ("unasked", ["dtype"], """unasked=['dtype']: write unasked={"…": "the reason"}"""),
        ("tolerance", 1e-3, "tolerance=0.001: write tolerance=Tolerance(0.001)"),
    ],
)
def test_option_that_would_mean_something_else_is_refused(option, value, said):
    with pytest.raises(ExamError, match=re.escape(said)):
        Exam(documented, **{option: value})


def test_half_is_given_for_cases_of_this_exam():
    exam = doubling_exam()
    with pytest.raises(ExamError, match='but for "tables", and no case is named: name functions'):
        exam.half_but_for("tables")
    with pytest.raises(ExamError, match='but for "tables", and documented is no case of this exam'):
        exam.half_but_for("tables", documented)


def test_half_needs_what_nobody_can_learn_by_heart():
    exam = doubling_exam()

    @exam.example
    def ten():
        """ten"""
        return 10.0

    with pytest.raises(ExamError, match='but for "ten", and all of that is printed'):
        exam.half_but_for("ten", ten)


@pytest.mark.parametrize("options", [range(7), "ab", [None]])
def test_each_turn_has_an_option_of_its_own(options):
    for place in range(5):
        turns = [Draw((2026, place, turn)).in_turn(options) for turn in range(2 * len(options))]
        assert turns[: len(options)] == turns[len(options) :]
        assert {*turns} == {*options}
    orders = {
        tuple(Draw((seed, 0, turn)).in_turn(range(7)) for turn in range(7)) for seed in range(9)
    }
    assert len(orders) == 9


def test_what_holds_is_asked_of_what_nobody_wrote_to():
    """Else an answer chooses the numbers with which what comes of it is compared."""

    def doubled(numbers):
        return 2 * numbers

    exam = Exam(doubled, dtypes=("float64",))

    @exam.case(times=1)
    def some(draw):
        """some numbers"""
        return draw.fix(n=3)("n")

    @exam.holds
    def as_it_should(answer, numbers):
        """numbers ten times as large are doubled"""
        return np.array_equal(answer(10 * numbers), 10 * doubled(numbers))

    @exam.holds
    def twice_the_same(answer, numbers):
        """a second call returns the same"""
        return np.array_equal(answer(numbers), doubled(numbers))

    calls = []

    def emptied(numbers):
        calls.append(numbers)
        if len(calls) > 3:
            numbers *= 0
        return 2 * numbers

    report = exam.examine(emptied)
    assert report.finding.details == ("this does not hold: a second call returns the same",)


def test_printed_examples_alone_earn_nothing():
    assert doubling_exam().preview(doubling_but(0)).right_but_for == ""
    exam = doubling_exam()
    exam.half_but_for("all that is drawn", *(function for function, *_ in exam._cases))
    assert exam.examine(doubling_but(*range(1, 10))).right_but_for == ""


def test_nothing_is_earned_by_what_is_not_written():
    def stub(a):
        if a == 100:
            raise NotImplementedError
        return doubling_but()(a)

    report = doubling_exam().examine(stub)
    assert (report.verdict, report.right_but_for) == (Verdict.NOT_IMPLEMENTED, "")


def test_half_with_an_exception():
    def fails(a):
        return 1 / 0 if a == 100 else doubling_but()(a)

    report = doubling_exam().examine(fails)
    assert (report.verdict, report.right_but_for) == (Verdict.EXCEPTION, "zero and a hundred")


def test_property_that_fails_in_a_group_costs_half():
    exam = doubling_exam()

    @exam.holds
    def not_two_hundred(answer, a):
        """it is not 200"""
        return a < 0 or answer(a) != 200

    assert exam.examine(doubling_but()).right_but_for == "zero and a hundred"

    @exam.holds
    def nothing(answer, a):
        """nothing"""
        return False

    assert exam.examine(doubling_but()).right_but_for == ""


def test_a_case_of_a_group_is_one_however_it_is_asked():
    def doubled(x):
        return 2 * x

    exam = Exam(doubled)

    @exam.case(times=1)
    def above_a_hundred(draw):
        """above a hundred"""
        return 100 + draw.tensor("rows columns").abs()

    @exam.case(times=6)
    def drawn(draw):
        """drawn"""
        return draw.tensor("rows columns")

    exam.half_but_for("large numbers", above_a_hundred)
    assert "drawn, with rows = 1" in labels(exam.hidden_cases())
    assert {case.way for case in exam.hidden_cases() if case.group} >= {"", "gradients"}
    limited = exam.examine(lambda x: 2 * x.clamp(max=100))
    assert limited.right_but_for == "large numbers"


def test_an_axis_with_a_single_entry_costs_half():
    exam = mixing_exam()
    report = exam.examine(lambda weights, values: mix(weights, values).squeeze())
    assert report.right_but_for == "axes with a single entry"
    exam = Exam(mix, unasked={"single": "a mixture of one is none"})

    @exam.case
    def drawn(draw):
        """drawn"""
        return draw.weights("tokens"), draw("tokens d_in")

    assert not any("= 1" in label for label in labels(exam.hidden_cases()))


class Cut(Affine):
    """Right forward; no gradient flows back."""

    def forward(self, inputs):
        return super().forward(inputs).detach()


class CutAndTwice(Affine):
    def forward(self, inputs):
        return 2 * super().forward(inputs).detach()


def test_gradients_alone_are_told_from_wrong_outputs():
    assert affine_exam().examine(Cut).right_but_for == "the gradients"
    assert affine_exam().examine(CutAndTwice).right_but_for == ""


def first_exam(**settings: Any) -> Exam:
    def first(a):
        return a

    exam = Exam(first, dtypes=("float64",), **settings)

    @exam.example
    def zero():
        """an example"""
        return 0.0

    return exam


@pytest.mark.parametrize("method", ["examine", "preview"])
def test_forbidden_names(method):
    def by_hand(a):
        """Without round."""
        return a

    def with_round(a):
        return round(a) * 1.0

    exam = first_exam(forbids=("round",))
    assert getattr(exam, method)(by_hand).verdict is Verdict.PASSED
    report = getattr(exam, method)(with_round)
    assert (report.verdict, report.right_but_for, report.total) == (Verdict.WRONG, "", 0)
    assert report.headline == "first: not yet right"
    assert "without `round`" in report.finding.details[0]
    assert report.finding.details[1].endswith("return round(a) * 1.0")
    assert getattr(first_exam(), method)(with_round).verdict is Verdict.PASSED
