import json
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import pytest

from autograder.checks.card.as_html import REPORT_MIME, bundle, card, collect, report_in, show
from autograder.checks.card.as_text import lines_of
from autograder.checks.exam.report import Finding, Place, Report, Verdict
from autograder.checks.values.comparison import Comparison, Row, Table

PASSED = Report("mix", Verdict.PASSED, passed=("one", "two"), total=2)
FINDING = Finding("two words", "x of shape (2, 3)", ("weights: wrong", "context: wrong"))
WRONG = Report(
    "mix", Verdict.WRONG, passed=("one word",), kinds=("one word",), total=3, finding=FINDING,
    misconception="over_rows", hint="Take the other axis.",
)  # fmt: skip
TABLES = (
    Table("expected", ("0", "1"), (Row("0", ("0.5", "2")),), ("queries", "keys")),
    Table("received", ("0", "1"), (Row("0", ("0.5", "<3>"), (1,)),), ("queries", "keys")),
)
COMPARED = replace(
    WRONG,
    finding=replace(
        FINDING,
        call="mix(x, k=2)",
        arguments=(("x", "of shape (2, 3)\n[[1., 2.]]"), ("k" * 80, "= 1")),
        compared=(
            Comparison((0,), TABLES, "in [1]"),
            Comparison((1,), (Table("shape", ("axis 0",), ()),), instead=True),
        ),
    ),
)
EXCEPTION = Report(
    "mix", Verdict.EXCEPTION, total=1, finding=Finding("two", "", ("ValueError: no",))
)
UNWRITTEN = Report("mix", Verdict.NOT_IMPLEMENTED, total=1)
EVERY = pytest.mark.parametrize("report", [PASSED, WRONG, EXCEPTION, UNWRITTEN, COMPARED])
WRITTEN: Any = bundle(PASSED)[REPORT_MIME]
ATTACK = "<script>alert(1)</script><img src=x onerror='alert(1)'>&amp;\"</div>"


class Reader(HTMLParser):
    """The tags of a card and what a reader sees."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.seen = ""
        self.feed(html.split("</style>", 1)[1])

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.seen += data + "\n"


@pytest.mark.parametrize("report", [PASSED, WRONG, EXCEPTION, UNWRITTEN])
def test_card_shows_report(report):
    """The same words in the same order, but for punctuation between blocks."""
    seen = Reader(card(report)).seen.splitlines()
    assert seen[1] == report.headline
    assert words(seen[2:]) == words(lines_of(report)[1:])


def words(lines):
    return " ".join(lines).replace(":", "").split()


def test_hint_comes_first():
    seen = Reader(card(WRONG)).seen
    assert seen.index("Take the other axis") < seen.index("two words") < seen.index("passed: one")


def test_numbers_in_tables():
    html = card(COMPARED)
    reader = Reader(html)
    assert reader.tags.count("table") == 3
    assert reader.tags.count("caption") == 3
    assert '<th class="ag-axis" scope="colgroup" colspan="2">keys</th>' in html
    assert '<th class="ag-axis" scope="col">queries</th>' in html
    assert html.count('<th scope="row">0</th>') == 2
    # Not by colour alone: a mark for those who see it, a word for those who hear it.
    assert html.count('ag-wrong">') == html.count("✗</span>") == html.count("(differs)") == 1
    assert "&lt;3&gt;" in html
    assert "in [1]" in reader.seen
    assert "weights: wrong" in reader.seen
    assert "context: wrong" not in reader.seen


def test_long_arguments_wait_to_be_opened():
    html = card(COMPARED)
    assert "<code>mix(x, k=2)</code>" in html
    assert f"<details><summary>with x, {'k' * 80}</summary><pre>x of shape (2, 3)\n[[1." in html
    short = replace(FINDING, arguments=(("x", "of shape (2, 3)"), ("k", "= 1")))
    html = card(replace(COMPARED, finding=short))
    assert "<code>x of shape (2, 3), k = 1</code>" in html
    assert "<summary" not in html


def test_many_details_wait_to_be_opened():
    finding = Finding("two", "", tuple(f"part {n}" for n in range(9)))
    html = card(replace(WRONG, finding=finding))
    assert html.index("part 3") < html.index("<summary>and 5 more</summary>") < html.index("part 4")


def test_long_messages_are_cut():
    finding = Finding("two", "", ("ValueError: " + "a" * 100_000,))
    assert len(card(replace(WRONG, finding=finding))) < 10_000


def test_own_line_is_code():
    finding = Finding("two", "", ("in your code, line 2: return x`1` < 3",))
    assert "in your code, line 2: <code>return x`1` &lt; 3</code>" in card(
        replace(WRONG, finding=finding)
    )


def test_states_differ():
    signs = [Reader(card(report)).seen[0] for report in (PASSED, WRONG, EXCEPTION, UNWRITTEN)]
    assert len(set(signs)) == 4


def test_screen_reader_is_told():
    assert 'role="status"' in card(PASSED)


def test_learner_text_is_escaped():
    finding = Finding(ATTACK, ATTACK, (ATTACK, f"ValueError: {ATTACK}"))
    html = card(
        Report(
            ATTACK,
            Verdict.EXCEPTION,
            passed=(ATTACK,),
            kinds=(ATTACK,),
            total=2,
            finding=finding,
            misconception=ATTACK,
            hint=ATTACK,
        )
    )
    reader = Reader(html)
    assert set(reader.tags) == {"div", "b", "code"}
    assert reader.seen.count(ATTACK) == 7
    assert "<script" not in html


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Divide by its square *root*.", "Divide by its square <em>root</em>."),
        ("Hide what is *not seen*, `x`.", "Hide what is <em>not seen</em>, <code>x</code>."),
        ("`a *b* c`, then 2 * x * y and x*y*z", "<code>a *b* c</code>, then 2 * x * y and x*y*z"),
        ("f(*names, *others, **more)", "f(*names, *others, **more)"),
        ("*<b>*", "*&lt;b&gt;*"),
    ],
)
def test_stress_in_hint(written: str, shown: str) -> None:
    assert shown in card(replace(WRONG, hint=written))


def test_code_in_hint():
    report = Report(
        "mix",
        Verdict.WRONG,
        passed=(),
        total=1,
        finding=Finding("two", "", ("`x < 1` fails",)),
        misconception="",
        hint=ATTACK,
    )
    assert "<code>x &lt; 1</code> fails" in card(report)
    attacked = replace(report, hint=f"`{ATTACK}`")
    assert set(Reader(card(attacked)).tags) == {"div", "b", "code"}


def test_plain_text():
    assert bundle(WRONG)["text/plain"] == (
        "mix: not yet right, 1 of 3 cases passed\n"
        "  Hint: Take the other axis.\n"
        "  two words: x of shape (2, 3)\n"
        "    weights: wrong\n"
        "    context: wrong\n"
        "  passed: one word"
    )


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (PASSED, "mix: passed, 2 cases"),
        (EXCEPTION, "mix: stopped by an exception\n  two\n    ValueError: no"),
        (UNWRITTEN, "mix: not implemented yet"),
        (Report("mix", Verdict.PASSED, passed=("one",), total=1), "mix: passed, 1 case"),
    ],
)
def test_other_plain_texts(report, text):
    assert bundle(report)["text/plain"] == text


def test_few_kinds_are_listed():
    kinds = ("a", "b", "c", "d", "e", "f")
    report = Report(
        "mix", Verdict.WRONG, kinds=kinds, total=8, finding=Finding("g", "", ("wrong",))
    )
    assert lines_of(report)[-1] == "  passed: a · b · c · d and 2 more"


@EVERY
def test_bundle(report):
    made = bundle(report)
    assert list(made) == ["text/html", "text/plain", REPORT_MIME]
    assert made["text/html"] == card(report)
    assert json.loads(json.dumps(made)) == made


def test_report_for_machines():
    assert bundle(WRONG)[REPORT_MIME] == {
        "exercise": "mix",
        "verdict": "wrong",
        "passed": ["one word"],
        "kinds": ["one word"],
        "total": 3,
        "right_but_for": "",
        "misconception": "over_rows",
        "hint": "Take the other axis.",
        "finding": {
            "case": "two words",
            "inputs": "x of shape (2, 3)",
            "details": ["weights: wrong", "context: wrong"],
            "call": "",
            "arguments": [],
            "compared": [],
        },
        "places": [],
        "nearest": "",
        "untried": [],
    }


@EVERY
def test_report_comes_back_whole(report: Report) -> None:
    assert report_in(json.loads(json.dumps(bundle(report)))) == report
    places = (Place(4, "x.sum(axis=0)", "an axis", "the axis that `sum` works on"),)
    located = replace(report, right_but_for="the gradients", places=places)
    assert report_in(bundle(located)) == located


def test_how_far_it_is_right_stands_where_nothing_else_does() -> None:
    far = replace(
        WRONG, hint="", nearest="Of the cases tried, it is right in those in which `x` has 1 axis."
    )
    assert "<code>x</code> has 1 axis" in card(far)
    assert lines_of(far)[1] == f"  {far.nearest}"
    place = Place(4, "x", "an axis", "an axis")
    assert "1 axis" not in card(replace(far, places=(place,)))


def test_what_is_untried_stands_below_what_passed() -> None:
    passed = Report(
        "mix", Verdict.PASSED, passed=("two words",), total=1, untried=("one word", "`d = 1`")
    )
    assert lines_of(passed)[1:] == [f"  {passed.untried_in_words}"]
    assert passed.untried_in_words.endswith("hidden cases: one word · `d = 1`.")
    assert "one word · <code>d = 1</code>." in card(passed)
    assert report_in(bundle(passed)) == passed


def test_places_say_where_and_not_what():
    one = Place(4, "scores = <b> @ keys", "a transpose", "a transpose that is not there, in `keys`")
    other = Place(6, "return scores", "an axis", "the axis that `sum` works on")
    located = replace(WRONG, hint="", misconception="", places=(one,))
    assert lines_of(located)[1:3] == [
        "  Look at line 4: one small change there makes every example right. "
        "The change is about a transpose.",
        "    line 4: scores = <b> @ keys",
    ]
    shown = card(located)
    assert "&lt;b&gt;" in shown
    assert "<b> @" not in shown
    assert shown.index("&lt;b&gt;") < shown.index("<details>") < shown.index("two words")
    assert "not there, in <code>keys</code>" in shown
    both = replace(located, places=(one, other)).where_to_look
    assert both.startswith("Look at lines 4 and 6: one small change in any one of them makes")
    assert both.endswith("The change is about a transpose or an axis.")


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"text/plain": "mix: passed, 2 cases"},
        {REPORT_MIME: "passed"},
        {REPORT_MIME: {"verdict": "passed"}},
        {REPORT_MIME: {**WRITTEN, "verdict": "splendid"}},
    ],
)
def test_what_is_no_report(data: dict[str, object]) -> None:
    assert report_in(data) is None


def test_collected_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    with collect() as reports:
        show(WRONG)
        show(PASSED)
    assert reports == [WRONG, PASSED]
    assert capsys.readouterr().out == ""


def test_shown_in_terminal(capsys):
    show(WRONG)
    assert capsys.readouterr().out == "\n".join(lines_of(WRONG)) + "\n"


def test_shown_in_notebook(monkeypatch, capsys):
    displayed = []
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(kernel=None))
    monkeypatch.setattr("IPython.display.display", lambda data, raw: displayed.append((data, raw)))
    show(WRONG)
    assert displayed == [(bundle(WRONG), True)]
    assert capsys.readouterr().out == ""


def test_shown_in_ipython_terminal(monkeypatch, capsys):
    monkeypatch.setattr("IPython.get_ipython", SimpleNamespace)
    show(PASSED)
    assert capsys.readouterr().out == "mix: passed, 2 cases\n"
