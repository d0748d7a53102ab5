"""A report as a small card in a notebook, and in all forms that travel in a notebook's outputs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from typing import Any

from autograder.checks.card.as_text import HINT, OTHERS, as_text
from autograder.checks.card.tables import STYLE, comparison_as_html
from autograder.checks.exam.report import Finding, Place, Report, Verdict

REPORT_MIME = "application/vnd.autograder.report+json"

_STOPPED = ("!", "#b3261e", "#f2857b")
_LOOKS = {
    Verdict.PASSED: ("✓", "#1a7f37", "#3fb950"),
    Verdict.WRONG: ("✗", "#b35900", "#e3a04f"),
    Verdict.NOT_IMPLEMENTED: ("○", "#5f6b7a", "#9aa7b5"),
}
# What stands in one line beside a case; longer arguments wait to be opened.
_SHORT = 72
# What went wrong in a case, as far as it is seen at once.
_SEEN = 4
# Of what a learner's code says, by an exception, for instance.
_LONGEST = 2000

_OWN_LINE = re.compile(r"(in your code, line \d+: )(.+)")
_MARKED = re.compile(r"`([^`\n]+)`|(?<![\w*])\*([^\W\d_]+(?: [^\W\d_]+)*)\*(?![\w*])")

# JupyterLab's own variables where there are any, so that both of its themes are followed. The page
# of the feedback is light or dark as its reader's machine is, any other reads as light.
_STYLE = (
    """<style>
.ag-card{--ag:var(--ag-light);--ag-tint:rgba(179,89,0,.16);--ag-soft:#57606a;--ag-line:#c8cdd3;
--ag-paper:#fff;--ag-ink:#1f2328;--ag-block:#f3f4f6;
border:1px solid var(--jp-border-color2,var(--ag-line));border-left:4px solid var(--ag);
border-radius:4px;padding:8px 14px 10px;margin:4px 0;max-width:56em;box-sizing:border-box;
font-family:var(--jp-ui-font-family,system-ui,sans-serif);font-size:14px;line-height:1.5;
color:var(--jp-content-font-color1,var(--ag-ink));
background:var(--jp-layout-color1,var(--ag-paper));overflow-wrap:anywhere}
[data-jp-theme-light="false"] .ag-card{--ag:var(--ag-dark);--ag-tint:rgba(227,160,79,.28)}
@media (prefers-color-scheme:dark){.ag-page .ag-card{--ag:var(--ag-dark);
--ag-tint:rgba(227,160,79,.28);--ag-soft:#9aa7b5;--ag-line:#4a515a;--ag-paper:#1b1f24;
--ag-ink:#e6e9ec;--ag-block:#262b31}}
.ag-card .ag-head{font-weight:600}
.ag-card .ag-head b{color:var(--ag);margin-right:.5em}
.ag-card .ag-hint{margin:6px 0 2px;padding:8px 12px;border-radius:4px;
background:var(--jp-layout-color2,var(--ag-block))}
.ag-card .ag-place{margin-top:4px;white-space:pre-wrap}
.ag-card .ag-place span{color:var(--jp-content-font-color2,var(--ag-soft));margin-right:.6em}
.ag-card .ag-hint details{margin-top:6px}
.ag-card .ag-hint ul{margin:4px 0 0;padding-left:1.6em}
.ag-card .ag-case{margin-top:10px}
.ag-card.ag-card.ag-card :is(div,li,span)>code{font-size:13px;
font-family:var(--jp-code-font-family,ui-monospace,monospace);
background:none;padding:0;color:inherit;white-space:pre-wrap}
.ag-card .ag-call{margin:2px 0}
.ag-card .ag-detail{margin-top:8px;white-space:pre-wrap}
.ag-card .ag-passed{margin-top:10px;color:var(--jp-content-font-color2,var(--ag-soft))}
.ag-card .ag-below{margin-top:10px;padding-top:6px;
border-top:1px solid var(--jp-border-color2,var(--ag-line))}
.ag-card .ag-other{margin-top:8px}
.ag-card details{margin:2px 0}
.ag-card summary{cursor:pointer;color:var(--jp-content-font-color2,var(--ag-soft))}
.ag-card pre{font-family:var(--jp-code-font-family,ui-monospace,monospace);font-size:12.5px;
line-height:1.4;margin:4px 0 4px 14px;padding:0;background:none;border:0;color:inherit;
white-space:pre;overflow-x:auto;max-height:22em}"""
    + STYLE
    + "</style>"
)


_collected: ContextVar[list[Report] | None] = ContextVar("collected", default=None)


@contextmanager
def collect() -> Iterator[list[Report]]:
    """Have reports that are shown within collected, for whoever displays them otherwise."""
    reports: list[Report] = []
    token = _collected.set(reports)
    try:
        yield reports
    finally:
        _collected.reset(token)


def show(report: Report, below: str = "", others: Mapping[str, str] | None = None) -> None:
    """Display the report: a card in a notebook, text in a terminal.

    Args:
        report: what was found.
        below: a line to end with.
        others: the code of other right answers, each by what it does differently.
    """
    collected = _collected.get()
    if collected is not None:
        collected.append(report)
    elif _in_notebook():
        from IPython.display import display

        display(bundle(report, below, others), raw=True)
    else:
        print(as_text(report, below, others))


def bundle(
    report: Report, below: str = "", others: Mapping[str, str] | None = None
) -> dict[str, object]:
    """The report in every form that a front end may ask for."""
    return {
        "text/html": card(report, below, others),
        "text/plain": as_text(report, below, others),
        REPORT_MIME: report.as_json(),
    }


def report_in(data: Mapping[str, Any]) -> Report | None:
    """The report that `bundle` has put among an output's data, or None where there is none."""
    try:
        return Report.from_json(data[REPORT_MIME])
    except (KeyError, TypeError, ValueError):
        return None


def card(report: Report, below: str = "", others: Mapping[str, str] | None = None) -> str:
    """The report as HTML; everything in it that came from a learner's code is escaped."""
    sign, light, dark = _LOOKS.get(report.verdict, _STOPPED)
    body = [f'<div class="ag-head"><b>{sign}</b>{escape(report.headline)}</div>']
    body += _advice(report)
    if report.finding:
        body += _evidence(report.finding)
    if report.passed_in_words:
        body.append(f'<div class="ag-passed">{escape(report.passed_in_words)}</div>')
    if report.untried:
        body.append(f'<div class="ag-passed">{_prose(report.untried_in_words)}</div>')
    if below:
        body.append(f'<div class="ag-below">{escape(below)}</div>')
    if others:
        body.append(_unfolding(others))
    style = f"--ag-light:{light};--ag-dark:{dark}"
    # A learner's words are in it, which are no formulas.
    classes = "ag-card mathjax_ignore tex2jax_ignore"
    return f'{_STYLE}<div class="{classes}" role="status" style="{style}">{"".join(body)}</div>'


def _unfolding(others: Mapping[str, str]) -> str:
    """Other right answers, behind a fold: who has just found one may want to stay with it."""
    each = "".join(
        f'<div class="ag-other">{_prose(differs)}</div><pre>{escape(code)}</pre>'
        for differs, code in others.items()
    )
    return f"<details><summary>{OTHERS}</summary>{each}</details>"


def _advice(report: Report) -> Iterator[str]:
    """Where to look, before anything else: it is what the learner came for."""
    if report.hint:
        yield f'<div class="ag-hint"><b>{HINT}</b> {_prose(report.hint)}</div>'
    if report.places:
        yield f'<div class="ag-hint">{_prose(report.where_to_look)}{_listed(report.places)}</div>'
    elif report.nearest:
        yield f'<div class="ag-hint">{_prose(report.nearest)}</div>'


def _listed(places: Sequence[Place]) -> str:
    """The lines as their author wrote them; what narrows them down waits to be asked for."""
    lines = "".join(
        f'<div class="ag-place"><span>line {one.line}</span> <code>{escape(one.text)}</code></div>'
        for one in places
    )
    narrower = "".join(f"<li>line {one.line}: {_prose(one.more)}</li>" for one in places)
    return f"{lines}<details><summary>Narrow it down</summary><ul>{narrower}</ul></details>"


def _evidence(finding: Finding) -> Iterator[str]:
    """The case, what was called in it, and what came of that."""
    if finding.case:
        yield f'<div class="ag-case">{escape(finding.case)}</div>'
        yield from _called(finding)
    told = {place: one for one in finding.compared for place in one.details}
    found = []
    for place, detail in enumerate(finding.details):
        comparison = told.get(place)
        shown = ""
        if not (comparison and comparison.instead):
            shown = f'<div class="ag-detail">{_prose(_cut(detail))}</div>'
        if comparison and place == comparison.details[0]:
            shown += comparison_as_html(comparison)
        found += [shown] if shown else []
    yield from found[:_SEEN]
    if len(found) > _SEEN:
        rest = "".join(found[_SEEN:])
        yield f"<details><summary>and {len(found) - _SEEN} more</summary>{rest}</details>"


def _called(finding: Finding) -> Iterator[str]:
    if finding.call:
        yield f'<div class="ag-call"><code>{escape(finding.call)}</code></div>'
    if not finding.arguments and not finding.call and finding.inputs:
        yield f'<div class="ag-call"><code>{escape(finding.inputs)}</code></div>'
    elif finding.arguments and len(_texts(finding, ", ")) <= _SHORT:
        yield f'<div class="ag-call"><code>{escape(_texts(finding, ", "))}</code></div>'
    elif finding.arguments:
        names = ", ".join(name for name, _ in finding.arguments)
        yield f"<details><summary>with {escape(names)}</summary>"
        yield f"<pre>{escape(_texts(finding))}</pre></details>"


def _texts(finding: Finding, between: str = "\n") -> str:
    return between.join(f"{name} {text}" for name, text in finding.arguments)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _prose(text: str) -> str:
    """Escaped text as HTML, in which a line of the learner's own is code as a whole."""
    if own := _OWN_LINE.fullmatch(text):
        return f"{own[1]}<code>{escape(own[2])}</code>"
    return as_html(text)


def as_html(text: str) -> str:
    """Escaped text as HTML: code stands between backticks, and words with stress between stars."""
    return _MARKED.sub(_element, escape(text))


def _element(found: re.Match[str]) -> str:
    code, word = found.groups()
    return f"<code>{code}</code>" if code else f"<em>{word}</em>"


def _in_notebook() -> bool:
    from IPython import get_ipython

    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")
