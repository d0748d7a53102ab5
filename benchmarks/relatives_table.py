"""The table of docs/security_appendix.md with the holes that we had, and the relatives of each."""

from pathlib import Path
from typing import Any

from benchmarks import attacks_table
from tests.support.attacks import ORDINARY
from tests.support.relatives import HOLES, Relative, all_relatives

BEGIN, END = "<!-- relatives: begin -->", "<!-- relatives: end -->"
# What of these is tried on stock nbgrader is an attack of the suite, or one of its tests.
OF_THE_SUITE = ("attack", "tests")


def key_of(relative: Relative) -> str:
    """Under which what stock nbgrader did is kept."""
    return f"{relative.stock}: {relative.case or relative.name}"


def write(page: Path, seen: dict[str, Any], attacks: dict[str, Any]) -> None:
    """Put the table between its marks in the page."""
    text = page.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(before + part(seen, attacks) + after, encoding="utf-8")


def part(seen: dict[str, Any], attacks: dict[str, Any]) -> str:
    """What stands between the marks, with them."""
    parts = (BEGIN, counts(seen, attacks), table(seen, attacks), END)
    return "\n\n".join(parts)


def counts(seen: dict[str, Any], attacks: dict[str, Any]) -> str:
    """How many there are, and for how many of them stock nbgrader is open."""
    relatives = all_relatives().values()
    tried = [on_stock(one, seen, attacks) for one in relatives if one.stock]
    return (
        f"{len(relatives)} relatives of {len(HOLES)} holes. {len(tried)} of them could be tried "
        f"on stock nbgrader 0.9.6, and **{sum(hole for _, hole in tried)}** found it open there. "
        "Each was tried once, on two busy processors, for 90 s by the clock at most. "
        "`python benchmarks/relatives.py` tries them, and makes this table."
    )


def table(seen: dict[str, Any], attacks: dict[str, Any]) -> str:
    """A row for each hole, and under it one for each relative."""
    rows = [
        "| | what happened, and what was tried after that | stock nbgrader 0.9.6 | ours | test |",
        "|--:|---|---|---|---|",
    ]
    relatives = all_relatives()
    for number, hole in enumerate(HOLES, 1):
        rows.append(f"| **{number}** | **{hole.name}** | | | |")
        for place in range(1, len(hole.relatives) + 1):
            one = relatives[f"{number}.{place}"]
            said, is_open = on_stock(one, seen, attacks) if one.stock else (f"– {hole.without}", 0)
            cells = (
                f"{number}.{place}", one.name, f"**{said}**" if is_open else said, one.ours,
                f"`{one.test.split('::')[1]}`",
            )  # fmt: skip
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def on_stock(relative: Relative, seen: dict[str, Any], attacks: dict[str, Any]) -> tuple[str, bool]:
    """What stock nbgrader did, and whether that is a hole."""
    if relative.stock == "attack":
        one = attacks[relative.case]["stock"]
        said = attacks_table.stock_cell(one).replace("**", "")
        return said, attacks_table.earned(one)
    if relative.stock == "tests":
        (attack,) = [one for one in ORDINARY if relative.case in one.tests]
        passed = attacks[attack.name]["stock"]["passed"][attack.tests.index(relative.case)]
        return ("passes" if passed else "does not pass"), passed
    found = seen[key_of(relative)]
    return found["said"], found["hole"]
