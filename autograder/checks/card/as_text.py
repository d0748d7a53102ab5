"""A report as plain text, for terminals, screen readers and whoever exports a notebook."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from autograder.checks.exam.report import Finding, Report

# What stands before the sentence of a misconception, here and on the card.
HINT = "Hint:"
# Of a dialog that does not break lines, such as nbgrader's Validate.
_WIDTH = 76
_TABLE = 6 * " "
# And what stands before other right answers.
OTHERS = "Other right answers"


def as_text(report: Report, below: str = "", others: Mapping[str, str] | None = None) -> str:
    """The whole result, a line to end with, and other right answers by what they do differently."""
    lines = [*lines_of(report), *([f"  {below}"] if below else [])]
    if others:
        lines.append(f"  {OTHERS}:")
    for differs, code in (others or {}).items():
        lines += [f"    {differs}", textwrap.indent(code, " " * 6)]
    return "\n".join(lines)


def lines_of(report: Report) -> list[str]:
    """The whole result, a line each."""
    return [report.headline, *_below(report)]


def broken(lines: Sequence[str]) -> list[str]:
    """The lines with long sentences in several, each as far to the right as it was."""
    return [part for line in lines for part in _broken(line)]


def _broken(line: str) -> list[str]:
    if line.startswith(_TABLE):
        return [line]  # Its columns stand one below the other.
    indent = line[: len(line) - len(line.lstrip())]
    parts = textwrap.wrap(line, _WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    return parts or [line]


def _below(report: Report) -> Iterator[str]:
    if report.hint:
        yield f"  {HINT} {report.hint}"
    if report.places:
        yield f"  {report.where_to_look}"
        yield from (f"    line {one.line}: {one.text}" for one in report.places)
    elif report.nearest:
        yield f"  {report.nearest}"
    if report.finding:
        yield from _lines_of_finding(report.finding)
    if report.passed_in_words:
        yield f"  {report.passed_in_words}"
    if report.untried:
        yield f"  {report.untried_in_words}"


def _lines_of_finding(finding: Finding) -> Iterator[str]:
    if finding.case:
        where = ", ".join(filter(None, (finding.call, finding.inputs)))
        yield f"  {finding.case}: {where}" if where else f"  {finding.case}"
    for place, detail in enumerate(finding.details):
        yield f"    {detail}"
        for one in finding.compared:
            if place == one.details[-1]:
                yield from (f"{_TABLE}{line}" for line in one.lines())
