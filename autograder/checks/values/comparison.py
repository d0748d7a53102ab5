"""What was expected and what was received, as small tables of short texts.

Nothing here knows of arrays: a comparison travels in a report, from where an answer was examined to
the card, the record and the feedback page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MARK = "✗"


@dataclass(frozen=True)
class Row:
    """A row of a table; `wrong` holds the places of those entries that are not as expected."""

    label: str
    entries: tuple[str, ...]
    wrong: tuple[int, ...] = ()


@dataclass(frozen=True)
class Table:
    """Entries with a heading for each column, and the names of what rows and columns count."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    axes: tuple[str, str] = ("", "")

    def lines(self) -> list[str]:
        """The table as plain text, in columns of one width."""
        rows = [Row("", self.columns), *self.rows]
        heads = max(len(row.label) for row in rows)
        width = max((len(entry) for row in rows for entry in row.entries), default=0)
        shown = [f"{row.label:>{heads}}  {_line(row, width)}".rstrip() for row in rows]
        named = ", ".join(filter(None, self.axes))
        title = f"{self.title} ({named})" if named else self.title
        return [title.strip(), *shown] if title else shown


@dataclass(frozen=True)
class Comparison:
    """One part of an answer beside what was expected of it.

    `details` are the places, in the finding, of the sentences that it belongs to; with `instead`,
    it says all that they say. `where` names the slice that is shown of a larger whole.
    """

    details: tuple[int, ...]
    tables: tuple[Table, ...]
    where: str = ""
    instead: bool = False

    def lines(self) -> list[str]:
        """The comparison as plain text; nothing where sentences say it already."""
        if self.instead:
            return []
        return [*([self.where] if self.where else []), *(x for t in self.tables for x in t.lines())]


def comparison_from(written: Mapping[str, Any]) -> Comparison:
    """The comparison that was written as plain data."""
    tables = tuple(
        Table(
            table["title"],
            tuple(table["columns"]),
            tuple(
                Row(row["label"], tuple(row["entries"]), tuple(row["wrong"]))
                for row in table["rows"]
            ),
            (table["axes"][0], table["axes"][1]),
        )
        for table in written["tables"]
    )
    return Comparison(tuple(written["details"]), tables, written["where"], written["instead"])


def _line(row: Row, width: int) -> str:
    """A row's entries below those of other rows, with a mark behind each that is wrong."""
    marks = (MARK if n in row.wrong else "" for n in range(len(row.entries)))
    pairs = zip(row.entries, marks, strict=True)
    return " ".join(f"{entry:>{width}} {mark:<1}" for entry, mark in pairs)
