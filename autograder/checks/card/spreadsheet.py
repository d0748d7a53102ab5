"""A table of values that are values to whoever opens it.

Spreadsheets take a text that begins with `=` for a formula, which may fetch a page or start a
program, and a name that holds a comma would move all scores behind it. So text is quoted, and a
quote mark stands in front of what would be calculated. Where the comma separates decimals, a
spreadsheet looks for semicolons, and reads no quotes behind a comma: there, what stands behind a
semicolon or at the beginning of a line begins a cell as well, and in some languages the letters of
double width begin a formula. OWASP, "CSV Injection":
https://owasp.org/www-community/attacks/CSV_Injection
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from autograder.whole_file import write_whole

_SIGNS = r"=+\-@|%\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(rf"[\s\x00-\x1f\ufeff]*[{_SIGNS}]")
_WITHIN = re.compile(rf"([;\n\r][\s\"]*)(?=[{_SIGNS}])")


def as_text(value: Any) -> Any:
    """A value as a cell that nobody calculates."""
    if not isinstance(value, str):
        return "" if value is None else value
    text = _WITHIN.sub(r"\1'", value)
    return f"'{text}" if _FORMULA.match(text) else text


def write_table(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as CSV, all of them or none: text in quotes, numbers without."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    table.writerows([as_text(value) for value in row] for row in rows)
    # A link is to lead to the new table, and not to be replaced by it.
    write_whole(path.resolve(), text.getvalue().encode())
