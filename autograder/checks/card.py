"""A report as a learner sees it, a small card in a notebook and plain text elsewhere, and as it
travels in a notebook's outputs.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from typing import Any

from autograder.exam.report import Finding, Place, Report, Verdict

REPORT_MIME = "application/vnd.autograder.report+json"

_STOPPED = ("!", "#b3261e", "#f2857b")
_LOOKS = {
    Verdict.PASSED: ("✓", "#1a7f37", "#3fb950"),
    Verdict.WRONG: ("✗", "#b35900", "#e3a04f"),
    Verdict.NOT_IMPLEMENTED: ("○", "#5f6b7a", "#9aa7b5"),
}

# JupyterLab's own variables where there are any, so that both of its themes are followed; a page
# without them (the feedback) reads as light.
_STYLE = """<style>
.ag-card{--ag:var(--ag-light);border:1px solid var(--jp-border-color2,#d5d9de);
border-left:4px solid var(--ag);border-radius:4px;padding:8px 14px;margin:4px 0;max-width:52em;
font-family:var(--jp-ui-font-family,system-ui,sans-serif);font-size:14px;line-height:1.5;
color:var(--jp-content-font-color1,#1f2328);background:var(--jp-layout-color1,#fff)}
[data-jp-theme-light="false"] .ag-card{--ag:var(--ag-dark)}
.ag-card .ag-head{font-weight:600}
.ag-card .ag-head b{color:var(--ag);margin-right:.5em}
.ag-card .ag-passed{color:var(--jp-content-font-color2,#57606a)}
.ag-card .ag-case{margin-top:4px}
.ag-card .ag-detail{font-family:var(--jp-code-font-family,monospace);font-size:13px;
white-space:pre-wrap;margin:2px 0 0 1.4em}
.ag-card .ag-hint{margin-top:6px;padding:6px 10px;border-radius:4px;
background:var(--jp-layout-color2,#f3f4f6)}
</style>"""


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


def show(report: Report) -> None:
    """Display the report: a card in a notebook, text in a terminal."""
    collected = _collected.get()
    if collected is not None:
        collected.append(report)
    elif _in_notebook():
        from IPython.display import display

        display(bundle(report), raw=True)
    else:
        print("\n".join(report.lines()))


def bundle(report: Report) -> dict[str, object]:
    """The report in every form that a front end may ask for."""
    return {
        "text/html": card(report),
        "text/plain": "\n".join(report.lines()),
        REPORT_MIME: to_json(report),
    }


def report_in(data: Mapping[str, Any]) -> Report | None:
    """The report that `bundle` has put among an output's data, or None where there is none."""
    try:
        return from_json(data[REPORT_MIME])
    except (KeyError, TypeError, ValueError):
        return None


def to_json(report: Report) -> dict[str, object]:
    """The report as plain data."""
    finding = report.finding
    return {
        "exercise": report.exercise,
        "state": report.verdict.value,
        "passed": len(report.passed),
        "passed_cases": list(report.passed),
        "total": report.total,
        "credit": report.credit,
        "misconception": report.misconception,
        "hint": report.hint,
        "failed_case": finding.case if finding else None,
        "failed_inputs": finding.inputs if finding else "",
        "details": list(finding.details) if finding else [],
        "places": [vars(place) for place in report.places],
    }


def from_json(written: Mapping[str, Any]) -> Report:
    """The report that `to_json` has written."""
    case, inputs, details = (written[key] for key in ("failed_case", "failed_inputs", "details"))
    return Report(
        written["exercise"],
        Verdict(written["state"]),
        tuple(written["passed_cases"]),
        written["total"],
        None if case is None else Finding(case, inputs, tuple(details)),
        written["misconception"],
        written["hint"],
        written["credit"],
        tuple(Place(**place) for place in written["places"]),
    )


def card(report: Report) -> str:
    """The report as HTML; everything in it that came from a learner's code is escaped."""
    sign, light, dark = _LOOKS.get(report.verdict, _STOPPED)
    body = [f'<div class="ag-head"><b>{sign}</b>{escape(report.headline)}</div>']
    if report.passed_in_words:
        body.append(f'<div class="ag-passed">{escape(report.passed_in_words)}</div>')
    if report.finding:
        where = f": {report.finding.inputs}" if report.finding.inputs else ""
        if report.finding.case:
            body.append(f'<div class="ag-case">{escape(report.finding.case + where)}</div>')
        body += [f'<div class="ag-detail">{_prose(text)}</div>' for text in report.finding.details]
    if report.hint:
        body.append(f'<div class="ag-hint"><b>Hint:</b> {_prose(report.hint)}</div>')
    if report.places:
        body.append(f'<div class="ag-hint">{_prose(report.where_to_look)}{_listed(report)}</div>')
    style = f"--ag-light:{light};--ag-dark:{dark}"
    # A learner's words are in it, which are no formulas.
    classes = "ag-card mathjax_ignore tex2jax_ignore"
    return f'{_STYLE}<div class="{classes}" role="status" style="{style}">{"".join(body)}</div>'


def _listed(report: Report) -> str:
    lines = "".join(
        f'<div class="ag-detail">line {one.line}: {escape(one.text)}</div>' for one in report.places
    )
    narrower = "".join(f"<li>line {one.line}: {_prose(one.more)}</li>" for one in report.places)
    return f"{lines}<details><summary>Narrow it down</summary><ul>{narrower}</ul></details>"


def _prose(text: str) -> str:
    """Escaped text, with what stands between backticks as code."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text))


def _in_notebook() -> bool:
    from IPython import get_ipython

    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")
