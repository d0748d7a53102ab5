"""The place to look at is that of the mistake, it is found safely, and no correction is told."""

import ast
import json
import sys
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Place, Report, Verdict
from autograder.checks.locate import clock
from autograder.checks.locate.calls import RIGHT
from autograder.checks.locate.cases_as_json import read
from autograder.checks.locate.search import _known, search
from autograder.checks.locate.where import searching_in, with_places
from autograder.checks.values.compare import is_telling
from autograder.checks.values.outcome import Outcome
from tests.support.samples import MEANS, mean_of_rows, means_in, places_in, uneven

LOOP = """\
# my answer
def mean_of_rows(x):
    total = np.zeros(len(x))
    for i in range(len(x)):
        total[i] = x[i].sum() / x.shape[1]
    return total
"""
ONE_LINE = "def mean_of_rows(x):\n    return x.sum(axis=1) / x.shape[1]\n"


@pytest.mark.parametrize(
    ("right", "wrong", "about"),
    [
        ("axis=1", "axis=0", "an axis"),
        ("x.sum(axis=1) / x.shape[1]", "x.shape[1] / x.sum(axis=1)", "the order of two things"),
        ("/ x.shape[1]", "* x.shape[1]", "an operator"),
        ("x.sum(axis=1) /", "x.T.sum(axis=1) /", "an axis"),
        ("x.sum(axis=1) / x.shape[1]", "x.sum(axis=1)", "a function"),
        ("x.sum", "x.max", "a function"),
        ("x.sum(axis=1)", 'np.einsum("rc->c", x)', "axes"),
    ],
)
def test_what_it_is_about(right: str, wrong: str, about: str) -> None:
    (found,) = places_in(ONE_LINE.replace(right, wrong))
    assert found.line == 2
    assert found.place().about == about


TWO_SLIPS = "def mean_of_rows(x):\n    total = x.sum(axis=0)\n    return total * x.shape[1]\n"
IN_ONE_LINE = "def mean_of_rows(x):\n    return x.sum(axis=0) * x.shape[1]\n"


@pytest.mark.parametrize(("text", "lines"), [(TWO_SLIPS, [2, 3]), (IN_ONE_LINE, [2])])
def test_two_changes_are_found_together(
    text: str, lines: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.checks.locate.search.SECONDS_FOR_TWO", 20.0)
    # The examples are of two and three rows.
    monkeypatch.setattr("autograder.checks.values.compare.TELLING", 2)
    found = places_in(text)
    assert [one.line for one in found] == lines
    assert all(one.half for one in found)
    report = Report("mean", Verdict.WRONG, places=tuple(one.place() for one in found))
    told = "one small change in each" if len(lines) > 1 else "two small changes there"
    assert f"with {told}, every example is right" in report.where_to_look


def test_two_changes_do_not_wait_for_an_answer_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.checks.values.compare.TELLING", 2)
    begun: list[float] = []

    def wait() -> None:
        begun.append(time.monotonic())
        time.sleep(0.05)

    # With three slips in it, every pair would be tried.
    text = TWO_SLIPS.replace("return ", "wait()\n    return 7 - ").replace("* x", "** x")
    assert search(means_in(text, wait=wait), MEANS.printed_cases(), seconds=0.05) == []
    # 0.2 s and 1 s by the clock; the processor time alone would last for hundreds.
    assert len(begun) < 60


def test_two_changes_are_not_tried_where_nothing_bounds_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "autograder.checks.locate.search.memory_limit", lambda _: nullcontext(False)
    )
    assert places_in(TWO_SLIPS) == []


@pytest.mark.skipif(sys.platform != "linux", reason="no other kernel refuses it")
def test_changed_answers_are_refused_much_memory() -> None:
    asked: list[bool] = []

    def ask_for_much() -> None:
        asked.append(False)
        np.empty(1 << 30, np.uint8)
        asked[-1] = True

    resource = pytest.importorskip("resource")
    # As it stands it has what it asks for: only what is changed is bounded, one change or two.
    text = TWO_SLIPS.replace("return ", "ask_for_much()\n    return ")
    before = resource.getrlimit(resource.RLIMIT_DATA)
    search(means_in(text, ask_for_much=ask_for_much), MEANS.printed_cases())
    as_it_stands = len(MEANS.printed_cases())
    assert all(asked[:as_it_stands])
    assert len(asked) > as_it_stands
    assert not any(asked[as_it_stands:])
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("x[i].sum", "x[0].sum", 5),
        ("range(len(x))", "range(1, len(x))", 4),
        ("total[i] =", "total[i] -=", 5),
        ("    return total", "        return total", 6),
        ("np.zeros(len(x))", "np.zeros(len(x), dtype=np.int64)", 3),
        ("x.shape[1]", "i", 5),
    ],
)
def test_first_line_is_that_of_the_mistake(right: str, wrong: str, line: int) -> None:
    first, *_ = places_in(LOOP.replace(right, wrong))
    assert first.line == line
    assert first.text == LOOP.replace(right, wrong).splitlines()[line - 1].strip()


def test_two_names_in_each_other_s_places() -> None:
    text = """\
def mean_of_rows(x):
    size = 0 * x[:, 0] + x.shape[1]
    total = x.sum(axis=1)
    return size * (1 / total) - (total - total)
"""
    first, *_ = places_in(text)
    assert (first.line, first.place().about) == (4, "the order of two things")


def test_one_more_of_what_is_counted() -> None:
    text = """\
def mean_of_rows(x):
    steps = x.shape[1]
    return x @ np.diff(np.linspace(0, 1, steps))
"""
    first, *_ = places_in(text)
    assert (first.line, first.place().more) == (3, "what `linspace` is given")


def test_place_quotes_the_learner_and_not_the_change() -> None:
    (found,) = places_in(ONE_LINE.replace("axis=1", "axis=0"))
    assert found.text == "return x.sum(axis=0) / x.shape[1]"
    assert found.place().more == "the axis that `sum` works on"


def test_right_answers_and_hopeless_ones_have_no_place() -> None:
    assert places_in(ONE_LINE) == []
    assert places_in("def mean_of_rows(x):\n    return 'no idea'\n") == []
    assert search(len, MEANS.printed_cases()) == []
    assert search(eval("lambda x: x"), MEANS.printed_cases()) == []


def test_slow_answer_is_stopped_and_not_changed() -> None:
    runs: list[int] = []
    text = """\
def mean_of_rows(x):
    for n in range(400):
        spend(n)
    return x.sum(axis=0)
"""

    def spend(n: int) -> None:
        runs.append(n)
        until = time.thread_time() + 0.002
        while time.thread_time() < until:
            pass

    assert search(means_in(text, spend=spend), MEANS.printed_cases(), seconds=0.1) == []
    assert runs == [*range(len(runs))]
    assert 0 < len(runs) < 100


def test_slow_call_is_not_begun_where_no_time_is_left_for_it() -> None:
    runs: list[int] = []
    text = "def mean_of_rows(x):\n    spend(x)\n    return x.sum(axis=0)\n"

    def spend(x: object) -> None:
        runs.append(1)
        until = time.thread_time() + 0.2
        while time.thread_time() < until:
            pass

    assert search(means_in(text, spend=spend), MEANS.printed_cases()[:1], seconds=0.3) == []
    assert runs == [1]


@pytest.mark.parametrize("library", [np, torch])
def test_answer_that_runs_out_of_memory_is_run_once_and_not_changed(library: Any) -> None:
    """A change of it could ask for almost all memory that there is, and fill that for minutes."""
    runs: list[int] = []
    text = """\
def mean_of_rows(x):
    runs.append(len(x))
    return x.sum(axis=0) + len(library.ones((10**6, 10**9)))
"""
    assert search(means_in(text, runs=runs, library=library), MEANS.printed_cases()) == []
    assert runs == [3]


def test_clock_where_a_thread_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a browser; the module chooses its clock when it is imported."""
    monkeypatch.delattr(time, "thread_time")
    spec = find_spec(clock.__name__)
    assert spec is not None
    assert spec.loader is not None
    again = module_from_spec(spec)
    spec.loader.exec_module(again)
    assert again.processor_time is time.process_time


def test_changed_loops_come_to_an_end() -> None:
    text = """\
def mean_of_rows(x):
    means, i = [], 0
    while i < len(x):
        means.append(x[i].sum())
        i = i + 1
    return np.array(means)
"""
    assert next(one.line for one in places_in(text)) in (4, 6)


@pytest.mark.long
def test_function_that_calls_itself_comes_to_an_end() -> None:
    """Python ends it after a thousand calls, of which each may take its time."""
    text = """\
def mean_of_rows(x):
    def sums(rows, depth):
        spend(depth)
        return [rows[:1].sum() / 2 + 1, *sums(rows[1:], depth + 1)] if len(rows) > 0 else []
    return np.array(sums(x, 0))
"""
    depths: list[int] = []

    def spend(depth: object) -> None:
        if isinstance(depth, int):
            depths.append(depth)
        until = time.thread_time() + 0.002
        while time.thread_time() < until:
            pass

    search(means_in(text, spend=spend), MEANS.printed_cases(), seconds=4)
    assert 5 < max(depths) < 400


def test_number_that_squares_itself_does_not_grow_for_ever() -> None:
    text = """\
def mean_of_rows(x):
    total = 2
    for _ in range(90):
        size = 7
        total = total * size
    return x * total
"""
    assert search(means_in(text), MEANS.printed_cases(), seconds=1) == []


def test_comprehension_over_a_huge_range_comes_to_an_end() -> None:
    text = """\
def mean_of_rows(x):
    n = 10 ** 12
    return np.array([n + len(x) for _ in range(len(x))])
"""
    assert search(means_in(text), MEANS.printed_cases(), seconds=60, most=900) == []


@pytest.mark.parametrize("grown", ["means.append(mean)", "means += [mean]"])
def test_no_list_is_put_into_itself(grown: str) -> None:
    seen: list[bool] = []

    def collected(means: list[Any]) -> np.ndarray:
        seen.append(any(one is means for one in means))
        # NumPy would take minutes and gigabytes for a list that holds itself.
        return np.array([0.0 if one is means else one for one in means])

    text = f"""\
def mean_of_rows(x):
    means = []
    for row in x:
        mean = row.sum()
        {grown}
    return -collected(means)
"""
    # With two mistakes in it, every change is tried.
    search(means_in(text, collected=collected), MEANS.printed_cases(), seconds=60, most=700)
    assert len(seen) > 100
    assert not any(seen)


@pytest.mark.parametrize(
    "reaching",
    [
        "open('notes').read()",
        "os.remove(x)",
        "os.replace(x, x)",
        "remove(x)",
        "Path(x).replace(x)",
        "np.save(x, x)",
        "exec(x)",
        "__import__('os')",
    ],
)
def test_what_reaches_files_is_never_run_changed(reaching: str) -> None:
    import os

    text = (
        f"def mean_of_rows(x):\n    if len(x) > 9:\n        {reaching}\n    return x.sum(axis=0)\n"
    )
    wrong = means_in(text, os=os, remove=os.remove, Path=Path)
    assert search(wrong, MEANS.printed_cases(), seconds=60, most=9) == []


def test_text_is_no_file() -> None:
    """`replace` is what answers about texts call most, and what moves a file is called so, too."""
    text = ONE_LINE.replace("return", 'assert "a".replace("a", "b")\n    return')
    (found,) = places_in(text.replace("axis=1", "axis=0"))
    assert found.line == 3


def report(text: str, exam: Exam = MEANS) -> Report:
    wrong = means_in(text)
    return with_places(exam.preview(wrong), wrong, exam.printed_cases())


def test_hint_comes_first_and_worksheets_are_left_alone() -> None:
    wrong = ONE_LINE.replace("axis=1", "axis=0")
    assert report(wrong).places
    assert not report(ONE_LINE).places
    hinting = Exam(mean_of_rows, dtypes=("float64",))
    hinting.example(uneven)
    hinting.misconception(over_rows)
    assert report(wrong, hinting).hint
    assert not report(wrong, hinting).places
    secret = Exam(mean_of_rows, reveal=False)
    secret.example(uneven)
    assert not report(wrong, secret).places


def over_rows(x: np.ndarray) -> np.ndarray:
    """You summed over the rows."""
    return np.asarray(x.sum(axis=0) / x.shape[1])


SUMS = Exam(mean_of_rows, dtypes=("float64",))
SUMS.example(uneven)


@SUMS.example
def four_rows() -> np.ndarray:
    """four rows of three numbers"""
    return np.arange(12.0).reshape(4, 3)


@SUMS.misconception
def of_squares(x: np.ndarray) -> np.ndarray:
    """You take the mean of the squares."""
    return np.asarray((x**2).mean(axis=1))


@SUMS.misconception
def nowhere(x: np.ndarray) -> np.ndarray:
    """You divide by zero."""
    return np.full(len(x), np.nan)


TWO_SLIPS = """\
def mean_of_rows(x):
    squares = x ** 2
    return squares.sum(axis=1)
"""


def looked_at(text: str, *, there: bool = False) -> Report:
    """The report on an answer that is searched here, or through what is written for elsewhere."""
    wrong = means_in(text)

    def tell(source: str) -> list[dict[str, str]]:
        (call,) = ast.parse(source).body
        assert isinstance(call, ast.Expr)
        assert isinstance(call.value, ast.Call)
        _, cases = map(ast.literal_eval, call.value.args)
        found = search(wrong, read(json.loads(cases)))
        return [{"text": json.dumps([asdict(one) for one in found])}]

    with searching_in(tell, [text]) if there else nullcontext():
        return with_places(SUMS.preview(wrong), wrong, SUMS.printed, SUMS.hints)


@pytest.mark.parametrize("there", [False, True])
def test_what_is_left_after_one_change_is_told_with_its_line(there: bool) -> None:
    found = looked_at(TWO_SLIPS, there=there)
    assert "Once one is mended, this is left. You take the mean of the squares." in found.hint
    assert found.places[0].line == 3
    assert "The one to mend first is then in lines 3 and 2: one small change" in found.where_to_look
    assert found.nearest == ""
    assert Report.from_json(found.as_json()) == found


@pytest.mark.parametrize(
    "text",
    [
        # One change makes all right: that comes before any two.
        TWO_SLIPS.replace("squares.sum", "x.sum"),
        # Whoever leaves out a step may have made the mistake there.
        "def mean_of_rows(x):\n    return np.tanh((x ** 2).mean(axis=1))\n",
        # Of nothing but NaN, nobody knows where it comes from.
        "def mean_of_rows(x):\n    wide = x * np.inf\n    return (wide - wide).sum(axis=1)[::-1]\n",
    ],
)
def test_nothing_is_said_of_two_where_there_may_be_one(text: str) -> None:
    assert "two things" not in looked_at(text).hint


BOTH = Exam(mean_of_rows, dtypes=("float64",))
BOTH.example(uneven)


@BOTH.example
def five_columns() -> np.ndarray:
    """four rows of five numbers"""
    return np.arange(20.0).reshape(4, 5) ** 2


@BOTH.misconception
def of_columns(x: np.ndarray) -> np.ndarray:
    """You take the mean of the columns."""
    return np.asarray(x.mean(axis=0))


@BOTH.misconception
def negative(x: np.ndarray) -> np.ndarray:
    """You take the mean off."""
    return np.asarray(-x.mean(axis=1))


def test_two_mistakes_are_both_named_where_each_is_left_by_a_change() -> None:
    text = "def mean_of_rows(x):\n    means = x.mean(axis=0)\n    return 1 - means - 1\n"
    wrong = means_in(text)
    found = with_places(BOTH.preview(wrong), wrong, BOTH.printed, BOTH.hints)
    assert found.hint.startswith(
        "Perhaps two things differ. Once either is mended, the other is left"
    )
    assert {sentence in found.hint for sentence in BOTH.hints.values()} == {True}
    assert sorted(place.line for place in found.places) == [2, 3]
    assert found.where_to_look.startswith("Then they are in lines ")
    assert Report.from_json(found.as_json()) == found


def test_what_praises_is_none_of_two() -> None:
    """It is true of the changed answer, and not of the one that was written."""
    praise = "The mean is right, but it is negative."
    wrong = means_in("def mean_of_rows(x):\n    means = x.mean(axis=0)\n    return 1 - means - 1\n")
    hints = {**BOTH.hints, "negative": praise}
    found = with_places(BOTH.preview(wrong), wrong, BOTH.printed, hints)
    assert praise not in found.hint
    assert "Once one is mended, this is left. You take the mean of the columns." in found.hint


def test_what_the_answer_has_right_is_no_mistake_of_its() -> None:
    """A change can lead to a mistake that nobody has made: here all rows but one are right."""
    text = TWO_SLIPS.replace("sum(axis=1)", "mean(axis=1) ** 0.5 * np.sign(x.mean(axis=1))")
    known = partial(_known, SUMS.printed)
    assert known([case.observe(means_in(text)) for case in SUMS.printed]) == [RIGHT, "of_squares"]
    assert known([case.observe(one_off) for case in SUMS.printed]) == [RIGHT]


@pytest.mark.parametrize(
    ("value", "tells"),
    [
        (np.arange(4.0), True),
        (np.arange(3.0), False),
        (np.full(9, np.nan), False),
        (True, False),
        (np.eye(4, dtype=bool), True),
        (np.eye(3, dtype=bool), False),
        (np.ones((4, 4), bool), False),
        (torch.eye(4).bool(), True),
        ([("a", "b"), ("ab", "c")], True),
        ([("a", "a")], False),
        (torch.tensor([[3, 1, 2, 0]]), True),
        (None, False),
    ],
)
def test_what_hardly_comes_about_for_another_reason(value: object, tells: bool) -> None:
    assert is_telling(value) == tells


@pytest.mark.parametrize("decorator", ["@np.errstate(all='ignore')", "@torch.no_grad()"])
def test_a_decorated_answer_is_searched(decorator: str) -> None:
    text = f"{decorator}\n{ONE_LINE.replace('axis=1', 'axis=0')}"
    (found, *_) = search(means_in(text, torch=torch), MEANS.printed_cases())
    assert found.line == 3


def one_off(x: np.ndarray) -> np.ndarray:
    return mean_of_rows(x) + (np.arange(len(x)) == 0)


@pytest.mark.parametrize(
    ("answer", "known"),
    [
        (one_off, [RIGHT]),
        (means_in(TWO_SLIPS), [RIGHT, "of_squares"]),
        (lambda x: object(), [RIGHT, "of_squares"]),
    ],
)
def test_what_is_wrong_in_more_numbers_is_not_what_a_change_leaves(
    answer: Any, known: list[str]
) -> None:
    assert _known(SUMS.printed, [case.observe(answer) for case in SUMS.printed]) == known


@pytest.mark.parametrize(
    "claims",
    [
        *("[]", "nothing", "[1]", "[" * 20_000, "[" + " " * 40_000 + "]", '[{"line": 1}]'),
        *({"line": line} for line in ("1", 0, 201, True)),
        *({"family": family} for family in (-1, 9999)),
        *({"quoted": quoted} for quoted in (99 * "x", "`", None)),
        *({"text": text} for text in ("", "x", "return x.sum(axis=0)", ONE_LINE)),
        {"besides": ["nobody"]},
    ],
    ids=lambda one: str(one)[:30],
)
def test_forged_claims_are_no_places(claims: Any) -> None:
    cell = ONE_LINE.replace("axis=1", "axis=0")
    honest = {"line": 2, "text": cell.splitlines()[1].strip(), "family": 0, "quoted": "x"}
    honest["besides"] = []

    def places(text: str) -> tuple[Place, ...]:
        with searching_in(lambda source: [{"text": text}], [cell]):
            wrong = means_in(cell)
            return with_places(MEANS.preview(wrong), wrong, MEANS.printed_cases()).places

    assert len(places(json.dumps([honest]))) == 1
    forged = json.dumps([honest | claims]) if isinstance(claims, dict) else claims
    assert places(forged) == ()


@pytest.mark.parametrize("outputs", [[], [None], 2 * [{"text": "[]"}]])
def test_what_no_search_prints_is_no_claim(outputs: list[Any]) -> None:
    wrong = means_in(ONE_LINE.replace("axis=1", "axis=0"))
    with searching_in(lambda source: outputs, [ONE_LINE]):
        assert with_places(MEANS.preview(wrong), wrong, MEANS.printed_cases()).places == ()


def test_a_claim_can_be_printed_and_kept() -> None:
    wrong = means_in(ONE_LINE.replace("axis=1", "axis=0"))
    line = "a\ud800\u202e\x1b[2J=b\x00"
    claim = {"line": 2, "text": line, "family": 0, "quoted": "b\x00", "besides": []}
    with searching_in(lambda source: [{"text": json.dumps([claim])}], [f"\n  {line}"]):
        (place,) = with_places(MEANS.preview(wrong), wrong, MEANS.printed_cases()).places
    assert place.text == "a   [2J=b "
    assert "`b `" in place.more


@pytest.mark.parametrize(
    ("quoted", "is_told"),
    [("x.sum(axis=0)", True), ("x.sum(0.25)", False), ("mean_of_rows", False), ("7915", False)],
)
def test_nothing_is_quoted_but_what_begins_in_the_line(quoted: str, is_told: bool) -> None:
    """A process that knows hidden inputs could tell its author of them."""
    cell = ONE_LINE.replace("x.sum(axis=1)", "(x.sum)(\n        axis=0)") + "digits = '7914_7915'\n"
    line = cell.splitlines()[1].strip()
    claim = {"line": 2, "text": line, "family": 0, "quoted": quoted, "besides": []}
    wrong = means_in(cell)
    with searching_in(lambda source: [{"text": json.dumps(2 * [claim])}], [cell]):
        (place,) = with_places(MEANS.preview(wrong), wrong, MEANS.printed_cases()).places
    assert (quoted in place.more) == is_told


def test_who_waits_is_not_searched_for_long() -> None:
    """It takes none of the processor time by which a search is bounded."""
    text = "def mean_of_rows(x):\n    time.sleep(0.05)\n    return np.tanh(x).sum(axis=0)\n"
    started = time.monotonic()
    search(means_in(text, time=time), MEANS.printed_cases(), seconds=0.1)
    assert time.monotonic() - started < 2


LEFT = {"line": 3, "text": "return squares.sum(axis=1)", "family": 0, "quoted": ""}


def test_few_misconceptions_are_computed_for_a_claim() -> None:
    """Whoever claims all has the grader compute them on every example."""
    names = [f"wrong_{number}" for number in range(12)]
    asked: list[str] = []

    def run(name: str) -> Outcome:
        asked.append(name)
        return Outcome(np.arange(4.0))

    wrong = means_in(TWO_SLIPS)
    report = SUMS.preview(wrong)
    lookalikes = {name: partial(run, name) for name in names}
    cases = [replace(case, lookalikes=lookalikes) for case in SUMS.printed]
    claim = {
        "line": 3,
        "text": "return squares.sum(axis=1)",
        "family": 0,
        "quoted": "",
        "besides": names,
    }
    with searching_in(lambda source: [{"text": json.dumps([claim])}], [TWO_SLIPS]):
        with_places(report, wrong, cases, dict.fromkeys(names, "a hint"))
    often = Counter(asked)
    assert sum(often[name] > often[names[-1]] for name in names) == 4
