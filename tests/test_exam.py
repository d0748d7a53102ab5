from itertools import combinations
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from support import mix, mixing_exam

from autograder.compare import TOLERANCES, Tolerance, identical
from autograder.errors import ExamError
from autograder.exam import Draw, Exam, exams_of
from autograder.judge import Case
from autograder.report import State

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
    drawn = ["a mixture drawn at random", "a mixture drawn at random, in float32"]
    assert labels(exam.hidden_cases()) == [*labels(exam.printed_cases()), *drawn, *drawn]


def test_hidden_cases_are_reproducible(exam):
    for one, other in zip(exam.hidden_cases(seed=7), mixing_exam().hidden_cases(7), strict=True):
        assert np.array_equal(one.arguments["values"], other.arguments["values"])


def test_each_drawn_case_is_fresh(exam):
    drawn = [c.arguments["weights"].tolist() for s in (1, 2) for c in exam.hidden_cases(s)[2::2]]
    assert all(one != other for one, other in combinations(drawn, 2))


def test_every_dtype(exam):
    for case, dtype in zip(exam.printed_cases(), ("float64", "float32"), strict=True):
        assert {value.dtype.name for value in case.arguments.values()} == {dtype}
        assert case.expected.value.dtype.name == dtype
        assert case.tolerance == TOLERANCES[dtype]


def cases_on(arguments: object, **settings: object) -> list[Case]:
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
        assert exam.examine(right).state is State.PASSED
        assert exam.preview(right).state is State.PASSED


def test_misconceptions_are_named(exam):
    for name, wrong in exam.misconceptions.items():
        for report in (exam.examine(wrong), exam.preview(wrong)):
            assert report.state is State.WRONG
            assert report.misconception == name


def test_preview_knows_examples_alone(exam):
    def by_rote(weights, values):
        return mix(weights, values) if values.shape == (3, 2) else values[0]

    assert exam.preview(by_rote).state is State.PASSED
    assert exam.examine(by_rote).state is State.WRONG


def test_properties_of_drawn_cases(exam):
    @exam.holds
    def never(answer, weights, values):
        """what never holds"""
        return False

    report = exam.examine(mix)
    assert report.finding.case.startswith("a mixture drawn at random")
    assert report.finding.details == ("this does not hold: what never holds",)
    assert exam.preview(mix).state is State.PASSED


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
