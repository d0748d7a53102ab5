"""A table of values that are values to whoever opens it.

Spreadsheets take a text that begins with `=` for a formula, which may fetch a page or start a
program, and a name that holds a comma would move all scores behind it. So text is quoted, and a
quote mark stands in front of what would be calculated. OWASP, "CSV Injection":
https://owasp.org/www-community/attacks/CSV_Injection
"""

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

_FORMULA = re.compile(r"[\s\x00-\x1f]*[=+\-@|%]")


def as_text(value: Any) -> Any:
    """A value as a cell that nobody calculates."""
    if isinstance(value, str) and _FORMULA.match(value):
        return f"'{value}"
    return "" if value is None else value


def write_table(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as CSV: text in quotes, numbers without."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        table.writerows([as_text(value) for value in row] for row in rows)
