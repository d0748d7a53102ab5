from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from autograder.checks.exam.case import Case, in_other_ways
from autograder.checks.exam.judge import explains, judge
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.values.outcome import observe
from autograder.checks.values.precision import TOLERANCES
from tests.support.samples import Affine, affine_exam, run_cell

WORDS = np.arange(10.0).reshape(5, 2)


def case(
    label: str,
    reference: Callable[..., object],
    *mistakes: Callable[..., object],
    names: tuple[str, ...] = (),
    holds: Mapping[str, Callable[..., object]] | None = None,
    **arguments: object,
) -> Case:
    lookalikes = {wrong.__name__: partial(observe, wrong, arguments) for wrong in mistakes}
    return Case(
        label, arguments, observe(reference, arguments), TOLERANCES["float64"],
        lookalikes, names, holds or {},
    )  # fmt: skip


def judged(answer: object, *cases: Case) -> Report:
    """A report in which each misconception's hint is its name in capitals."""
    hints = {name: name.upper() for one in cases for name in one.lookalikes}
    return judge("total", answer, cases, hints)


def details(report: Report) -> tuple[str, ...]:
    assert report.finding is not None
    return report.finding.details


def total(x):
    return x.sum(axis=0)


def over_rows(x):
    return x.sum(axis=1)


def doubled(x):
    return 2 * x.sum(axis=0)


def largest(x):
    return x.max(axis=0)


def parts(x):
    return x.sum(axis=0), x.mean(axis=0)


def test_all_passed():
    report = judged(total, case("five", total, x=WORDS), case("three", total, x=WORDS[:3]))
    both = ("five", "three")
    assert report == Report("total", Verdict.PASSED, passed=both, kinds=both, total=2)


def test_what_the_check_names_is_named_in_grading_as_well():
    def doubled_if_long(x):
        return doubled(x) if len(x) > 3 else x.min(axis=0)

    known = doubled, largest
    cases = [case("five", total, *known, x=WORDS), case("three", total, *known, x=WORDS[:3])]
    five, three = (replace(one, printed=one.label == "five") for one in cases)
    checked, graded = judged(doubled_if_long, five), judged(doubled_if_long, five, three)
    assert checked.misconception == "doubled"
    # Of the other case it is not true, so it is not counted as this mistake.
    assert not graded.misconception
    assert graded.hint.startswith(f"{checked.hint} (This explains all that is wrong in the printed")
    # What is said is shown, although the other case failed, too.
    assert graded.finding
    assert graded.finding.case == "five"
    # Nothing is said of printed examples that are right.
    assert not judged(lambda x: doubled_if_long(x) / (len(x) // 3 + 1), five, three).hint


DTYPE = "The dtype is not right either: keep that of what you are given."


@pytest.mark.parametrize("made", [np.array, torch.tensor, lambda x: (np.array(x), np.array(x))])
def test_wrong_dtype_hides_no_mistake(made):
    """What an answer gets wrong besides the dtype is named, with a sentence about the dtype."""

    def answer(change, dtype):
        def answered(x):
            found = made(change(x).tolist())
            cast = [one.astype(dtype) if type(one) is np.ndarray else one.to(getattr(torch, dtype))
                    for one in (found if type(found) is tuple else [found])]  # fmt: skip
            return tuple(cast) if type(found) is tuple else cast[0]

        answered.__name__ = change.__name__
        return answered

    right, wrong = answer(total, "float32"), answer(doubled, "float32")
    cases = [case(str(n), right, wrong, x=WORDS[:n].astype("float32")) for n in (2, 3)]
    assert judged(answer(doubled, "float32"), *cases).hint == "DOUBLED"
    also = judged(answer(doubled, "float64"), *cases)
    assert also.hint == f"DOUBLED {DTYPE}"
    assert also.misconception == "doubled"
    # Where the numbers are right, or nothing like a known mistake, the dtype alone is no mistake.
    assert not judged(answer(total, "float64"), *cases).hint
    assert not judged(answer(over_rows, "float64"), *cases).hint


def test_writing_hides_no_mistake():
    def answer(x):
        x -= 1
        return 2 * (x + 1).sum(axis=0)

    def right_but_for_writing(x):
        x -= 1
        return (x + 1).sum(axis=0)

    cases = [case(str(n), total, doubled, x=WORDS[:n]) for n in (2, 3)]
    report = judged(answer, *cases)
    assert report.hint == "DOUBLED And your code writes to what it is given: leave that as it is."
    spoilt = judged(right_but_for_writing, *cases)
    assert spoilt.hint.startswith("What you return is right, but your function writes to its arg")
    assert not spoilt.misconception
    assert not judged(lambda x: [x.sort(), 0], *cases).hint


def test_a_module_that_cannot_be_loaded_in_one_case_hides_no_mistake():
    class AffineMismatch(Exception):
        pass

    def answer(x):
        if len(x) == 2:
            raise AffineMismatch("a bias is missing")
        return 2 * x.sum(axis=0)

    cases = [case(str(n), total, doubled, x=WORDS[:n]) for n in (2, 3)]
    said = 'DOUBLED And on "2" there is more to mend: a bias is missing.'
    assert judged(answer, *cases).hint == said
    assert not judged(answer, cases[0]).hint


def test_smallest_failure_is_shown():
    cases = [case(str(n), total, x=WORDS[:n]) for n in (1, 4, 3, 5, 2)]
    report = judged(lambda x: x.sum(axis=0) + (len(x) > 2), *cases)
    assert report.verdict is Verdict.WRONG
    assert (report.passed, report.total) == (("1", "2"), 5)
    assert report.finding.case == "3"


def run(answer, x, calls=1, training=False):
    return answer(x)


def test_plainest_failure_is_shown():
    plain, printed = np.ones((6, 2)), replace(case("printed", total, x=WORDS), printed=True)
    cases = [
        replace(case("repeated", total, x=WORDS[:1], calls=32, training=True), use=run),
        replace(case("in training", total, x=WORDS[:1], calls=1, training=True), use=run),
        case("huge", total, x=100 * WORDS[:1]),
        case("hidden by infinity", total, x=np.array([[-np.inf, 0.0]])),
        case("with a batch", total, x=np.ones((1, 1, 1))),
        case("longer", total, x=np.ones((7, 2))),
        case("plain", total, x=plain),
    ]
    shown = [judged(lambda x: "wrong", *cases[n:]).finding.case for n in range(len(cases))]
    assert shown[:2] == ["plain", "plain"]
    assert {*shown[2:]} == {"plain"}
    assert judged(lambda x: "wrong", cases[0], cases[1]).finding.case == "in training"
    assert judged(lambda x: "wrong", cases[2], cases[4]).finding.case == "with a batch"
    assert judged(lambda x: "wrong", *cases, printed).finding.case == "printed"


def test_of_functions_the_first_failure_is_shown():
    cases = [case(name, lambda f, x: f(x), f=sum, x=WORDS[:n]) for name, n in (("a", 3), ("b", 1))]
    assert judged(lambda f, x: "wrong", *cases).finding.case == "a"


def test_shown_failure_is_what_the_hint_is_about():
    def answer(x):
        if len(x) == 1:
            raise ValueError("one is too few")
        return 2 * x.sum(axis=0)

    cases = [case(str(n), total, doubled, x=WORDS[:n]) for n in (1, 3, 2)]
    report = judged(answer, *cases)
    assert report.misconception == "doubled"
    assert report.hint == 'DOUBLED And on "1" your code stops: ValueError: one is too few.'
    assert report.finding.case == "2"


def test_record_of_a_driver_is_told_in_the_learners_terms():
    refused = "a ValueError, whose message names 3 and 2"

    def driver(answer, x):
        return answer(x)

    def told(expected, received):
        one = case("one", lambda x: expected, x=WORDS)
        return details(judged(lambda x: received, replace(one, use=driver)))

    record = {"output": WORDS, "gradient for x": None}
    assert told(refused, record) == (f"expected {refused}, but your code returned an output",)
    assert told(record, refused) == (f"expected an output, received {refused}",)
    assert told(WORDS, refused) == (f"expected an array of shape (5, 2), received {refused}",)
    (cut,) = told(record, "x\n" * 1000)
    assert len(cut) < 200
    assert "\n" not in cut


def test_inputs_in_words():
    def attend(x, attention, other, k, name):
        return 0

    report = judged(
        lambda *_: 1,
        case("one", attend, x=WORDS, attention=total, other=partial(total), k=2, name="a"),
    )
    assert report.finding.call == "total(x, total, other, k=2, name='a')"
    assert report.finding.inputs == (
        "x = [[0., 1.], [2., 3.], [4., 5.], [6., 7.], [8., 9.]], other = a function"
    )


def test_exception_in_answer():
    namespace = {}
    run_cell("def answer(x):\n    return x[7]\n", namespace)
    report = judged(namespace["answer"], case("five", total, x=WORDS))
    assert report.verdict is Verdict.EXCEPTION
    assert details(report) == (
        "IndexError: index 7 is out of bounds for axis 0 with size 5",
        "entries are counted from 0, so the last of 5 is number 4",
        "in your code, line 2: return x[7]",
    )


def divided(x, heads):
    if x % heads:
        raise ValueError(f"{heads} heads do not divide {x}")
    return x // heads


def test_expected_exception():
    def in_other_words(x, heads):
        if x % heads:
            raise ValueError("choose other sizes")
        return x // heads

    cases = case("8 by 2", divided, x=8, heads=2), case("8 by 3", divided, x=8, heads=3)
    assert judged(in_other_words, *cases).verdict is Verdict.PASSED


def test_exception_of_other_kind():
    def wrong_kind(x, heads):
        raise TypeError("no")

    report = judged(wrong_kind, case("8 by 3", divided, x=8, heads=3))
    assert details(report)[0] == "expected a ValueError, received TypeError: no"


def test_exception_did_not_come():
    report = judged(lambda x, heads: x // heads, case("8 by 3", divided, x=8, heads=3))
    assert report.verdict is Verdict.WRONG
    assert details(report) == ("expected a ValueError, but your function returned a value",)


def test_misconception_is_named():
    report = judged(lambda x: x @ np.ones(2), case("five", total, largest, over_rows, x=WORDS))
    assert (report.misconception, report.hint) == ("over_rows", "OVER_ROWS")


def test_no_misconception_fits():
    report = judged(lambda x: x.sum(axis=0) + 1, case("five", total, largest, over_rows, x=WORDS))
    assert report.verdict is Verdict.WRONG
    assert (report.misconception, report.hint) == ("", "")


def test_kind_has_passed_if_every_case_of_it_has():
    """Nor do the engine's ways say of a kind what is looked at in some of them alone."""
    cases = [case("drawn", total, x=WORDS[:n]) for n in (1, 2, 4)]
    report = judged(lambda x: x.sum(axis=0) + (len(x) > 3), *cases, case("one", total, x=WORDS[:1]))
    assert report.passed == ("drawn", "drawn", "one")
    assert report.passed_in_words == "passed: one"

    def called(answer, x):
        return answer(x)

    driven = [replace(one, use=called) for one in cases]
    ways = in_other_ways(driven, total, (), called)
    report = judged(lambda x: x.sum(axis=0) + 1, *driven, *ways)
    assert report.passed == ("drawn, and what PyTorch computes with afterwards",)
    assert not report.passed_in_words


def test_misconception_contradicted_by_pass():
    def wrong_once(x):
        return doubled(x) if len(x) == 5 else total(x)

    five, three = (case(str(n), total, doubled, x=WORDS[:n]) for n in (5, 3))
    assert judged(wrong_once, five).misconception == "doubled"
    assert judged(wrong_once, five, three).misconception == ""


def test_misconception_right_on_passed_case():
    alone = case("one word", total, largest, x=WORDS[:1])
    report = judged(largest, alone, case("five", total, largest, x=WORDS))
    assert report.passed == ("one word",)
    assert report.misconception == "largest"


def test_misconception_that_explains_most():
    def last_word(x):
        return x[-1]

    # WORDS grow, so that the last is the largest; turned round it is not.
    cases = [
        case("growing", total, last_word, largest, x=WORDS),
        case("shrinking", total, last_word, largest, x=WORDS[::-1]),
    ]
    assert judged(lambda x: x.max(axis=0), *cases).misconception == "largest"


def test_misconception_that_explains_some():
    """True of one case, it may be false of the answer."""
    cases = [
        case("growing", total, largest, x=WORDS),
        case("shrinking", total, largest, x=WORDS[::-1]),
    ]
    assert judged(lambda x: x[-1], *cases).misconception == ""


def test_misconception_that_is_right_where_the_answer_is_wrong():
    cases = [
        case("one word", total, largest, x=WORDS[1:2]),
        case("five", total, largest, x=WORDS),
    ]
    wrong = judged(lambda x: x.max(axis=0) + (len(x) == 1), *cases)
    assert wrong.misconception == ""


def test_likelier_misconception_first():
    def same_as_largest(x):
        return x.max(axis=0)

    assert judged(largest, case("a", total, largest, same_as_largest, x=WORDS)).hint == "LARGEST"
    report = judged(largest, case("a", total, same_as_largest, largest, x=WORDS))
    assert report.hint == "SAME_AS_LARGEST"


def mean_over_rows(x):
    return x.max(axis=0), x.mean(axis=1)


def both_from_rows(x):
    return x.sum(axis=1), x.mean(axis=1)


def mean_from_rows(x):
    return x.sum(axis=0), x.mean(axis=1)


def total_and_mean(*mistakes: Callable[..., object]) -> Case:
    return case("five", parts, *mistakes, x=WORDS, names=("total", "mean"))


def test_part_is_not_taken_for_the_whole():
    report = judged(mean_from_rows, total_and_mean(both_from_rows))
    assert report.misconception == ""
    assert details(report) == ("mean: expected shape (2,), received (5,)",)
    known = (both_from_rows, mean_over_rows)
    report = judged(mean_over_rows, total_and_mean(*known))
    assert report.misconception == "mean_over_rows"


def test_part_will_do_on_paper():
    """Of numbers that a learner finds one by one, a mistake may be made in some."""
    on_paper = replace(total_and_mean(both_from_rows), reveal=False)
    assert judged(mean_from_rows, on_paper).misconception == "both_from_rows"


def stops_at_five(x):
    if len(x) == 5:
        raise IndexError("too many words")
    return x.sum(axis=1)


def test_case_that_does_not_run_does_not_silence_the_others():
    cases = [case("five", total, over_rows, x=WORDS), case("two", total, over_rows, x=WORDS[:2])]
    assert judged(stops_at_five, *cases).misconception == "over_rows"
    # By itself it says nothing.
    assert judged(stops_at_five, cases[0]).misconception == ""
    assert explains("over_rows", over_rows, cases)
    assert not explains("over_rows", total, cases)
    assert not explains("over_rows", lambda x: 2 * x.sum(axis=1), cases)


def test_mask_that_is_inverted_as_well():
    def below(x):
        return x < 2

    def up_to(x):
        return x <= 2

    cases = [case("five", below, up_to, x=np.arange(n)) for n in (3, 5)]
    report = judged(lambda x: x > 2, *cases)
    assert report.misconception == "up_to"
    assert report.hint.endswith("invert what you return, with ~.")
    assert judged(lambda x: x > 3, *cases).misconception == ""


def test_mask_that_is_right_somewhere_is_not_inverted():
    def below(x):
        return x < 2

    def from_there_on(x):
        return x >= 2

    def small_ones_alone(x):
        assert len(x) < 4
        return x < 2

    cases = [case("five", below, from_there_on, x=np.arange(n)) for n in (3, 5)]
    assert judged(small_ones_alone, *cases).misconception == ""


def test_two_slips_in_different_entries_of_a_mask():
    """Neither is alone on any case, but what is wrong are the entries of the two."""

    def right(x):
        return (x > 1) & (x < len(x) - 1)

    def first_left_in(x):
        return (x > 0) & (x < len(x) - 1)

    def last_left_in(x):
        return x > 1

    def all_of_them(x):
        return x >= 0

    known = first_left_in, last_left_in, all_of_them
    cases = [replace(case("some", right, *known, x=np.arange(n)), printed=True) for n in (4, 6)]
    report = judged(lambda x: x > 0, *cases)
    assert report.hint.startswith("Two things differ.")
    assert "And then" in report.hint
    assert not judged(lambda x: x != 2, *cases).hint


def test_unlike_in_wrong_part():
    def both_from_rows(x):
        return x.sum(axis=1), x.mean(axis=1)

    report = judged(
        lambda x: (x.sum(axis=1), x.mean(axis=0) + 1), case("five", parts, both_from_rows, x=WORDS)
    )
    assert report.misconception == ""


def test_unlike_in_a_part_of_a_part():
    """A misconception with another number of scores is unlike any wrong score."""

    def right(x):
        return {"scores": [1.0, 2.0], "sum": 3.0}

    def one_too_many(x):
        return {"scores": [1.0, 2.0, 3.0], "sum": 3.0}

    slip = {"scores": [1.0, 7.0], "sum": 3.0}
    assert judged(lambda x: slip, case("two", right, one_too_many, x=WORDS)).misconception == ""


@pytest.mark.parametrize(("index", "named"), [(7, "out_of_range"), (9, "")])
def test_misconception_that_raises(index, named):
    def out_of_range(x):
        return x[7]

    report = judged(lambda x: x[index], case("five", total, out_of_range, x=WORDS))
    assert report.verdict is Verdict.EXCEPTION
    assert report.misconception == named


def test_value_is_unlike_exception():
    def out_of_range(x):
        return x[7]

    assert judged(largest, case("five", total, out_of_range, x=WORDS)).misconception == ""


def centred(x):
    return x - x.mean()


def in_place(x):
    x -= x.mean()
    return x


def test_writing_to_argument():
    report = judged(in_place, case("five", centred, in_place, x=WORDS))
    assert details(report) == ("arguments: your function writes to its argument `x`",)
    assert report.misconception == "in_place"


def test_writing_leaves_the_results_their_names():
    def halves(x):
        return x / 2, x / 2

    def halved(x):
        x /= 2
        return x, x + 1

    one = replace(case("five", halves, x=WORDS), names=("first", "second"))
    assert [text.partition(":")[0] for text in details(judged(halved, one))] == [
        "arguments",
        "second",
    ]


def test_writing_before_numbers():
    def halved(x):
        x /= 2
        return x

    first, second = details(judged(halved, case("five", centred, x=WORDS)))
    assert first.startswith("arguments")
    assert second.startswith("largest difference")


def test_right_numbers_are_not_in_place():
    report = judged(lambda x: x - x.max(), case("five", centred, in_place, x=WORDS))
    assert report.misconception == ""


def test_property_fails():
    def fickle(x):
        return x.sum(axis=0) if len(x) == 5 else 0

    holds = {"a word of zeros changes nothing": lambda f, x: (f(x) == f(pad(x))).all()}
    report = judged(fickle, case("five", total, x=WORDS, holds=holds))
    assert report.verdict is Verdict.WRONG
    assert details(report) == ("this does not hold: a word of zeros changes nothing",)


def test_property_holds():
    holds = {"a word of zeros changes nothing": lambda f, x: (f(x) == f(pad(x))).all()}
    assert judged(total, case("five", total, x=WORDS, holds=holds)).verdict is Verdict.PASSED


def test_property_raises():
    def particular(x):
        if len(x) != 5:
            raise ValueError
        return x.sum(axis=0)

    holds = {"any length will do": lambda f, x: f(pad(x)).all()}
    report = judged(particular, case("five", total, x=WORDS, holds=holds))
    assert details(report) == ("this does not hold: any length will do",)


def test_values_before_properties():
    holds = {"never": lambda f, x: False}
    (only,) = details(judged(largest, case("five", total, x=WORDS, holds=holds)))
    assert only.startswith("largest difference")


def pad(x):
    return np.vstack([x, np.zeros(2)])


def not_yet(x):
    raise NotImplementedError


@pytest.mark.parametrize("answer", [not_yet, lambda x: ...])
def test_not_implemented(answer):
    report = judged(answer, case("five", total, not_yet, x=WORDS))
    assert (report.verdict, report.passed, report.hint) == (Verdict.NOT_IMPLEMENTED, (), "")
    assert "`raise NotImplementedError()`" in report.finding.details[0]


def test_torch_can_not_is_no_blank():
    def refused(x):
        return torch.ones(2) | torch.ones(2, dtype=torch.bool)

    report = judged(refused, case("five", total, refused, x=WORDS))
    assert (report.verdict, report.misconception) == (Verdict.EXCEPTION, "refused")
    assert "not implemented for 'Float'" in details(report)[0]


def test_blank_function_that_is_called():
    namespace = {}
    run_cell("def helper(x):\n    raise NotImplementedError()\n", namespace)
    run_cell("def answer(x):\n    return helper(x)\n", namespace)
    five = case("five", total, x=WORDS)
    report = judged(namespace["answer"], five)
    assert report.verdict is Verdict.NOT_IMPLEMENTED
    assert details(report) == ("`helper`, which this calls, is not implemented yet",)
    assert "in place of" in details(judged(namespace["helper"], five))[0]


def test_partly_implemented():
    def for_one_word(x):
        return x[0] if len(x) == 1 else not_yet(x)

    cases = [case(str(n), total, x=WORDS[:n]) for n in (1, 5)]
    report = judged(for_one_word, *cases)
    assert (report.verdict, report.passed) == (Verdict.NOT_IMPLEMENTED, ("1",))


def worksheet():
    return {"scores": [0.25, 0.5], "context": [1.0, 2.0]}


@pytest.mark.parametrize(
    "blank",
    [{"scores": [..., ...], "context": [..., ...]}, {"scores": ..., "context": ...}, ...],
)
def test_blank_worksheet(blank):
    report = judged(lambda: blank, case("your numbers", worksheet))
    assert (report.verdict, report.passed, report.hint) == (Verdict.NOT_IMPLEMENTED, (), "")


def test_worksheet_partly_filled():
    filled = {"scores": [0.25, 0.75], "context": [1.0, ...]}
    report = judged(lambda: filled, case("your numbers", worksheet))
    assert report.verdict is Verdict.WRONG
    assert details(report) == (
        "scores[1]: expected 0.5000, received 0.7500",
        "context[1]: still blank",
    )
    assert report.finding.inputs == ""


def test_misconception_beside_blanks():
    def percentages():
        return {"scores": [25.0, 50.0], "context": [100.0, 200.0]}

    one = replace(case("your numbers", worksheet, percentages), reveal=False)
    half_done = {"scores": [25.0, 50.0], "context": [..., ...]}
    assert judged(lambda: half_done, one).misconception == "percentages"
    half_right = {"scores": [0.25, 0.5], "context": [..., 200.0]}
    assert judged(lambda: half_right, one).misconception == "percentages"
    neither = {"scores": [25.0, 5.0], "context": [..., ...]}
    assert judged(lambda: neither, one).misconception == ""


def test_filled_worksheet():
    assert judged(worksheet, case("your numbers", worksheet)).verdict is Verdict.PASSED


@pytest.mark.parametrize(("answer", "kind"), [(3, "int"), (None, "NoneType"), (WORDS, "ndarray")])
def test_answer_is_no_function(answer, kind):
    report = judged(answer, case("five", total, largest, x=WORDS))
    assert (report.verdict, report.passed, report.total) == (Verdict.WRONG, (), 1)
    assert details(report) == (f"expected a function, found a {kind}",)


def test_many_numbers_by_their_shape():
    report = judged(lambda x: 1, case("thirteen", lambda x: 0, x=np.arange(13.0)))
    assert report.finding.inputs == "x of shape (13,)"


def test_first_blanks_are_named():
    report = judged(lambda: {"a": [...] * 6}, case("numbers", lambda: {"a": [1.0] * 6}))
    assert report.finding.details == ("still blank: a[0], a[1], a[2], a[3] and 2 more",)


def test_expected_numbers_are_veiled():
    one = replace(case("numbers", lambda: {"a": [1.0, 2.0]}), reveal=False)
    report = judged(lambda: {"a": [1.0, 3.0]}, one)
    assert report.finding.details == ("a[1]: not right yet, received 3",)


def test_prints_are_shown():
    def talkative(x):
        print("the shape is", x.shape)
        return 0

    report = judged(talkative, case("two", lambda x: 1, x=np.zeros(2)))
    assert report.finding.details[-1] == "your code printed: the shape is (2,)"


def test_matrix_product_in_plain_words():
    report = judged(
        lambda x, y: x @ y, case("two", lambda x, y: 0, x=np.zeros(3), y=np.zeros((6, 3)))
    )
    assert any(detail.endswith("here 3 met 6") for detail in report.finding.details)


def test_likeness_needs_parts_to_compare():
    def both(x):
        return np.ones(3), np.zeros(2)

    def only_first(x):
        """Return two."""
        return np.ones(3)

    pair = case("pair", both, only_first, x=WORDS)
    report = judged(lambda x: (np.ones(3), np.array([5.0, 7.0])), pair)
    assert report.misconception == ""


def test_an_array_of_another_dtype_is_no_list():
    def as_a_list(x):
        """Your result is a list."""
        return x.astype(int).sum(axis=0).tolist()

    def whole(x):
        return x.astype(int).sum(axis=0)

    def narrow(x):
        return whole(x).astype(np.int32)

    for wrap in (lambda f: f, lambda f: lambda x: {"text": f(x)}):
        known = wrap(as_a_list)
        known.__name__ = "as_a_list"
        five = case("five", wrap(whole), known, x=WORDS)
        assert judged(known, five).misconception == "as_a_list"
        assert judged(wrap(narrow), five).misconception == ""


def test_what_is_right_is_counted_nowhere_as_wrong():
    """Who writes to an argument is right in few cases, and returns what is right in all."""

    def shifted_in_place(x, by):
        x += by
        return x

    by = {"not": 0.0, "not either": 0.0, "by 1": 1.0, "by 2": 2.0}
    cases = [case(label, lambda x, by: x + by, x=WORDS, by=by[label]) for label in by]
    report = judged(shifted_in_place, *cases)
    assert report.hint.startswith("What you return is right")
    assert report.nearest == ""


@pytest.mark.parametrize(
    ("left", "right", "sentence"),
    [
        (torch.ones(2, 3), torch.ones(4, 5), "here 3 met 4"),
        (
            torch.ones(2, 3),
            torch.ones(3, 5).double(),
            "float32 (torch's float) met float64 (double); new tensors have torch's default "
            "dtype, float32 unless you set another: dtype=…, or torch.zeros_like",
        ),
        (
            torch.ones(6, 2, 3),
            torch.ones(6, 3, 5).double(),
            "float32 (torch's float) met float64 (double); new tensors have torch's default "
            "dtype, float32 unless you set another: dtype=…, or torch.zeros_like",
        ),
    ],
)
def test_product_of_tensors_in_plain_words(left, right, sentence):
    report = judged(lambda x, y: x @ y, case("two", lambda x, y: 0, x=left, y=right))
    assert any(detail.endswith(sentence) for detail in details(report))


def test_long_message_is_read_no_further_than_it_can_matter():
    """A student may raise any text, and a search through all of it would find no end."""

    def answer(x):
        raise RuntimeError("float " * 200_000)

    report = judged(answer, case("one", lambda x: 0, x=1))
    assert report.verdict is Verdict.EXCEPTION
    assert not any("double" in detail for detail in details(report))


def test_tensors_in_words():
    def attend(x, other, weights, generator):
        return 0

    report = judged(
        lambda *_: 1,
        case(
            "one",
            attend,
            x=torch.tensor([[0.0, 1.0]]),
            other=torch.ones(4, 5),
            weights={"W": torch.ones(2, 2), "names": ["a", torch.ones(1)]},
            generator=torch.Generator().manual_seed(7),
        ),
    )
    assert report.finding.inputs == (
        "x = [[0., 1.]], other of shape (4, 5), "
        "weights = {'W': tensor of shape (2, 2), 'names': ['a', tensor of shape (1,)]}, "
        "generator seeded with 7"
    )


def test_long_settings_are_brief():
    def make(settings, weights, inputs):
        return 0

    report = judged(
        lambda *_: 1,
        case(
            "one",
            make,
            settings={"sizes": list(range(13)), "table": [[0.5] * 20] * 2, "few": (1, 2)},
            weights={"W": WORDS, **dict.fromkeys("abcdefghijkl", 1.0)},
            inputs=([1, 2],),
        ),
    )
    assert report.finding.inputs == (
        "settings = {'sizes': list of 13 numbers, "
        "'table': [list of 20 numbers, list of 20 numbers], 'few': (1, 2)}, "
        "weights = {'W': array of shape (5, 2), 'a': 1.0, 'b': 1.0, 'c': 1.0, and 9 more}, "
        "inputs = ([1, 2],)"
    )


def test_smallest_tensors_are_shown():
    cases = [
        case(str(n), lambda x: 0, x={"a": [torch.ones(n, 2)], "b": torch.ones(1)})
        for n in (3, 1, 2)
    ]
    assert judged(lambda x: 1, *cases).finding.case == "1"


def test_mismatch_is_a_sentence():
    class Renamed(Affine):
        def __init__(self, d_in, d_out, bias=False):
            super().__init__(d_in, d_out, bias)
            self.V = self.W
            del self.W

    report = affine_exam().preview(Renamed)
    assert report.verdict is Verdict.WRONG
    assert details(report) == (
        "looked for W: an nn.Linear(3, 2), or an nn.Parameter of shape (3, 2), found by its name; "
        "your module has V.weight (2, 3)",
    )


def test_gradients_of_a_wrong_output():
    class Doubled(Affine):
        def forward(self, x):
            return 2 * super().forward(x)

    (only,) = details(affine_exam().preview(Doubled))
    assert only.startswith("output: largest difference")


def test_outputs_of_a_wrong_number():
    def seen(number):
        return {"different outputs in 9 calls": number, "outputs seen in training": np.ones(number)}

    report = judged(lambda: seen(9), case("dropout", lambda: seen(2)))
    assert details(report) == ("different outputs in 9 calls: expected 2, received 9",)


def test_gradients_of_a_right_output():
    class Detached(Affine):
        def forward(self, x):
            return super().forward(x.detach())

    assert details(affine_exam().preview(Detached)) == (
        "gradient for inputs: expected a tensor of shape (2, 3), received nothing (None)",
    )


class NoInit(Affine):
    def __init__(self, d_in, d_out, bias=False):
        raise NotImplementedError()


class NoForward(Affine):
    def forward(self, x):
        raise NotImplementedError()


class NothingYet(torch.nn.Module):
    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        self.W = torch.nn.Linear(d_in, d_out, bias=bias)


@pytest.mark.parametrize("answer", [NoInit, NoForward, NothingYet])
def test_class_not_implemented(answer):
    assert affine_exam().preview(answer).verdict is Verdict.NOT_IMPLEMENTED


def test_no_class_at_all():
    assert details(affine_exam().preview(3)) == ("expected a class or function, found a int",)


def test_class_that_should_raise():
    class Halves:
        def __init__(self, number):
            if number % 2:
                raise ValueError("odd")

    class Careless(Halves):
        def __init__(self, number):
            pass

    def make(answer, number):
        answer(number)

    arguments = {"number": 3}
    odd = replace(
        case("odd", lambda number: None, number=3), expected=observe(Halves, arguments), use=make
    )
    assert judged(Halves, odd).verdict is Verdict.PASSED
    assert details(judged(Careless, odd)) == (
        "expected a ValueError, but your code returned a value",
    )


def test_driver_notices_writing():
    def call(answer, x):
        return answer(x)

    one = replace(case("five", centred, x=WORDS), use=call)
    assert details(judged(in_place, one)) == ("arguments: your code writes to the argument `x`",)


def test_one_expected_number_at_most():
    """What is shown of a case of a hidden exam must not add up to its answer."""

    def right(x):
        return {"a": 1.25, "b": -2.5, "c": x, "d": [3.75, float("inf"), 5], "e": x.sum(axis=0)}

    def wrong(x):
        return {"a": 7.0, "b": 8.0, "c": x + 1, "d": [9.0, 1.0, 6], "e": 3 * x.sum(axis=0)}

    report = judged(wrong, case("all", right, x=WORDS))
    assert len(details(report)) == 7
    assert sum("expected" in line for line in details(report)) == 1
    assert details(report)[0] == "a: expected 1.2500, received 7.0000"
    assert details(report)[1] == "b: not right yet, received 8"
    assert not any("difference" in line for line in details(report)[1:])


def test_printed_numbers_are_no_secret():
    """Whoever has the notebook has them in its checks.json; a worksheet's are for its learner."""
    one = case("all", lambda x: (x.sum(axis=0), x), x=WORDS, names=("sum", "all"))
    report = judged(lambda x: (x.sum(axis=0) + 1, x + 1), one)
    assert report.finding.compared == ()
    report = judged(lambda x: (x.sum(axis=0) + 1, x + 1), replace(one, printed=True))
    assert all("expected" in line for line in details(report))
    assert [found.details for found in report.finding.compared] == [(0,), (1,)]
    report = judged(lambda x: (x.sum(axis=0) + 1, x + 1), replace(one, printed=True, reveal=False))
    assert report.finding.compared == ()
    assert not any("expected" in line for line in details(report))


@pytest.mark.parametrize(
    ("right", "wrong"), [(True, False), (float("nan"), 1.0), (-float("inf"), 0.0), (10**20, 1)]
)
def test_second_number_is_veiled(right, wrong):
    report = judged(lambda x: (0.0, wrong), case("two", lambda x: (1.0, right), x=WORDS))
    assert "expected" in details(report)[0]
    assert "expected" not in details(report)[1]


def test_shapes_and_types_are_said_of_all():
    report = judged(
        lambda x: (x.sum(axis=1), x.mean(axis=1)), case("two", parts, x=WORDS, names=("a", "b"))
    )
    assert all("expected shape (2,)" in line for line in details(report))


def test_two_slips_are_named_as_two() -> None:
    """Where neither explains the answer alone, and both do between them."""

    def sizes(x, power):
        return x**power if power else x.sum(axis=0)

    def not_summed(x, power):
        return sizes(x, power) if power else x

    def one_more(x, power):
        return x ** (power + 1) if power else sizes(x, 0)

    def both(x, power):
        return not_summed(x, power) if not power else one_more(x, power)

    def another(x, power):
        return not_summed(x, power) if power < 2 else 7 * x

    cases = [
        replace(case("sizes", sizes, not_summed, one_more, x=WORDS, power=power), printed=True)
        for power in (0, 1, 2)
    ]
    assert judged(both, *cases).hint == "Two things differ. NOT_SUMMED And then: ONE_MORE"
    assert judged(both, *cases).misconception == ""
    assert judged(not_summed, *cases).hint == "NOT_SUMMED"
    assert "Two things" not in judged(another, *cases).hint


@pytest.mark.parametrize(("shared", "told"), [(1, True), (2, False), (3, False)])
def test_two_slips_explain_most_cases_one_by_one(shared: int, told: bool) -> None:
    """Where both make a difference, anything may have come out: that says nothing for them."""

    def kept(x, place):
        return x

    def doubled(x, place):
        return x if place == 1 else 2 * x

    def negative(x, place):
        return x if place == 0 else -x

    def something(x, place):
        return {0: 2 * x, 1: -x}.get(place, x + place)

    cases = [
        replace(case(f"{place}", kept, doubled, negative, x=WORDS, place=place), printed=True)
        for place in range(2 + shared)
    ]
    assert ("Two things" in judged(something, *cases).hint) is told


@pytest.mark.parametrize(("left", "told"), [(0.0, True), (0.5, False)])
def test_two_slips_are_told_apart_by_parts(left: float, told: bool) -> None:
    """Where both make a difference in all cases, but each in a part that the other leaves alone."""

    def right(x):
        return x.sum(axis=0), x.mean(axis=0), x

    def first(x):
        return x.sum(axis=0) + 1, x.mean(axis=0), -x

    def second(x):
        return x.sum(axis=0), x.mean(axis=0) + 1, 2 * x

    def both(x):
        return x.sum(axis=0) + 1, x.mean(axis=0) + 1 + left, -2 * x

    cases = [
        replace(
            case(str(n), right, first, second, x=WORDS[:n], names=("a", "b", "c")), printed=True
        )
        for n in (2, 3, 4)
    ]
    assert (judged(both, *cases).hint == "Two things differ. FIRST And then: SECOND") is told
    assert judged(first, *cases).hint == "FIRST"


def test_two_slips_may_cancel_out() -> None:
    """Where both make a difference, the answer may be right as well."""

    def right(x, place):
        return x

    def doubled(x, place):
        return x if place < 2 else 2 * x

    def halved(x, place):
        return x if 2 <= place < 4 else x / 2

    def both(x, place):
        return doubled(halved(x, place), place)

    cases = [
        replace(case(f"{place}", right, doubled, halved, x=WORDS, place=place), printed=True)
        for place in range(5)
    ]
    assert judged(both, *cases).hint == "Two things differ. DOUBLED And then: HALVED"
    assert judged(halved, *cases).hint == "HALVED"


def test_two_slips_contradict_no_right_case() -> None:
    def kept(x, power):
        return x**power

    def always_squared(x, power):
        return x**2

    def negative(x, power):
        return -(x**power) if power == 3 else x**power

    def wrong(x, power):
        return {1: x**2, 2: x**2, 3: -(x**3), 4: x**4}[power]

    cases = [
        replace(case("power", kept, always_squared, negative, x=WORDS, power=power), printed=True)
        for power in (1, 2, 3, 4)
    ]
    assert "Two things" not in judged(wrong, *cases).hint


def test_what_depends_on_chance_is_told_so():
    def drawn(x):
        return x.sum(axis=0) + np.random.default_rng().normal(size=2)

    def drawn_by_torch(x):
        return x.sum(axis=0) + torch.rand(2).numpy()

    for answer in (drawn, drawn_by_torch):
        report = judged(answer, case("five", total, x=WORDS))
        assert "your function returned different results" in report.hint
    before = torch.get_rng_state()
    judged(drawn_by_torch, case("five", total, x=WORDS))
    assert torch.equal(torch.get_rng_state(), before)


def test_what_is_always_the_same_does_not_depend_on_chance():
    def not_a_number(x):
        return float("nan")

    def made_anew(x):
        return object()

    for answer in (doubled, not_a_number, made_anew, lambda x: (x + np.nan, "text")):
        assert judged(answer, case("five", total, x=WORDS)).hint == ""


def test_with_a_generator_chance_is_what_is_asked_for():
    def drawn(generator):
        return torch.rand(3)

    def asked(generator):
        return torch.rand(3, generator=generator)

    report = judged(drawn, case("three", asked, generator=torch.Generator().manual_seed(1)))
    assert report.hint == ""


RETURN = ": is there a return at the end?"


def test_a_return_is_asked_for_where_nothing_came():
    def forgotten(x):
        x.sum(axis=0)

    assert details(judged(forgotten, case("five", total, x=WORDS)))[0].endswith(RETURN)


def test_no_return_is_asked_for_where_none_is_a_result():
    def first_row(x):
        return x[0] if len(x) > 3 else None

    cases = case("five", first_row, x=WORDS), case("three", first_row, x=WORDS[:3])
    (told,) = details(judged(lambda x: None, *cases))
    assert told.endswith("received nothing (None)")


@pytest.mark.parametrize("nothing", ["return None", "return"])
def test_no_return_is_asked_for_where_one_is_written(nothing: str):
    source = f"def total(x):\n    if len(x) > 3:\n        {nothing}\n    return x.sum(axis=0)\n"
    namespace: dict[str, object] = {}
    run_cell(source, namespace)
    (told,) = details(judged(namespace["total"], case("five", total, x=WORDS)))
    assert told.endswith("received nothing (None)")


# What NumPy has an array of, one of each kind.
OF_EACH_KIND = {
    array.dtype.kind: array
    for array in (
        *(np.zeros(2, dtype=one) for one in np.sctypeDict.values()),
        *(np.zeros(2, dtype=one) for one in ("U1", "S1", "M8[D]", "m8[s]", "f4,i4")),
    )
}
EXPECTED = (
    ["a", "b"], [1.0, 2.0], ("a", 1.0), {"a": "b"}, "a", True, 3, 0.5, None, np.ones(2),
    np.array([True, False]), np.array(["a", "b"]), torch.ones(2),
)  # fmt: skip


@pytest.mark.parametrize("kind", OF_EACH_KIND)
@pytest.mark.parametrize("expected", EXPECTED, ids=lambda value: repr(value).replace("\n", ""))
def test_arrays_of_whatever_kind_are_judged(kind, expected):
    """A right answer's array of text, say, where a list of texts is expected: no traceback."""
    received = OF_EACH_KIND[kind]
    report = judged(lambda x: received.copy(), case("five", lambda x: expected, x=WORDS))
    assert report.verdict is not Verdict.EXCEPTION
    assert type(expected) is not list or report.verdict is Verdict.WRONG


@pytest.mark.parametrize("kind", OF_EACH_KIND)
def test_arrays_of_whatever_kind_agree_with_themselves(kind):
    expected = OF_EACH_KIND[kind]
    assert judged(lambda x: expected.copy(), case("five", lambda x: expected, x=WORDS)).verdict is (
        Verdict.PASSED
    )


def test_text_in_an_array_is_told_by_its_place():
    report = judged(
        lambda x: np.array(["a", "c"]), case("five", lambda x: np.array(["a", "b"]), x=WORDS)
    )
    assert details(report) == ("the first wrong entry is at [1]: received c",)
