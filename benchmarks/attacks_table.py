"""The tables of docs/security_appendix.md: each attack and what came of it, each class of them."""

from pathlib import Path
from typing import Any

from benchmarks.attacked_stock import CELL_SECONDS, HARD_SECONDS
from benchmarks.stock_walls import FILE, MEMORY
from tests.support.attacks import ATTACKS, Attack

BEGIN, END = "<!-- attacks: begin -->", "<!-- attacks: end -->"
SEPARATED = "the tests run in another process"
CLASSES = {
    1: ("source of later cells is transformed", SEPARATED),
    2: ("tests are tagged to be skipped", "the instructor's notebook is graded, not the student's"),
    3: ("a result is shown before the test fails", "outputs of the student's cells earn nothing"),
    4: ("the kernel, or what speaks for it, is replaced",
        "replies are typed, bounded and asked for one by one; they hold values, no verdicts"),
    5: ("objects answer for themselves",
        "values are rebuilt as plain ones, types are exact; what is empty or no number is held "
        "against the solution"),
    6: ("comparisons are patched",
        f"{SEPARATED}; what is written to arguments is held against the solution"),
    7: ("hidden tests are read from files", "the sandbox holds no file of the course"),
    8: ("the reference is run", "the sandbox holds no reference"),
    9: ("frames and memory are searched", "reference and cases are in another process; no tracing"),
    10: ("the gradebook is written", "the sandbox holds no gradebook, and ends with all in it"),
    11: ("a file of results is written", "the grader writes the record, to a place of its own"),
    12: ("the score is printed", "what is printed is no verdict"),
    13: ("a pickle runs code in the grader", "the codec knows no pickles"),
    14: ("the process or the file ends early", "what did not run earned nothing"),
    15: ("no end of time", "clocks for each cell, call and submission; the process is killed"),
    16: ("no end of memory", "memory limits; messages are bounded before they are read"),
    17: ("processes that stay or multiply", "a limit of processes; all end with their namespace"),
    18: ("no end of output", "output is cut where it arises, and again in the grader"),
    19: ("the network is used", "a network namespace with nothing in it; UNIX sockets only"),
    20: ("links in a submission", "only regular files are taken"),
    21: ("names that lead elsewhere", "names are checked; the sandbox can write to its own folder"),
    22: ("archives and many files", "sizes and numbers are limited; nothing is unpacked"),
    23: ("modules are shadowed", "the grader imports nothing from a submission"),
    24: ("scripts in what is shown", "outputs are text and pictures; Markdown loses its HTML"),
    25: ("other students' data", "each student has an own view of files and processes"),
    26: ("the time of handing in", "it is read as text, from a regular file; see what remains"),
    27: ("hidden tests leave in the feedback", "no source of a test is in outputs or feedback"),
    28: ("the inputs are learnt by trying",
         "only one failing case is shown, a printed example if one fails, and cells run before "
         "tests; see what remains"),
    29: ("side channels between students", "own namespaces; system calls are filtered"),
    30: ("the marks of cells are changed", "marks come from the instructor's notebook"),
    31: ("shipped checks tell the answers", "`checks.json` holds visible examples, no exam"),
    32: ("tokens and variables are read", "the environment is empty"),
    33: ("it is configured away",
         "a submission configures nothing; without walls nothing runs "
         "(`test_nothing_runs_without_walls`)"),
}  # fmt: skip


def write(page: Path, seen: dict[str, Any]) -> None:
    """Put the tables between their marks in the page."""
    text = page.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    parts = [BEGIN, counts(seen), attack_table(seen), INTRODUCTION, class_table(), END]
    page.write_text(before + "\n\n".join(parts) + after, encoding="utf-8")


INTRODUCTION = "By class, with the numbers of the attacks above:"


def counts(seen: dict[str, Any]) -> str:
    """How many submissions there are, and what became of them."""
    stock, ours = ([one[side] for one in seen.values()] for side in ("stock", "ours"))
    ran = [one for one in stock if "not_run" not in one]
    spoilt = [one for one in ran if not earned(one) and _harm(one)]
    classes = {number for attack in ATTACKS for number in attack.classes}
    return (
        f"{len(seen)} submissions attack, over {len(classes)} of {len(CLASSES)} classes. "
        f"{len(ran)} of them were run on stock nbgrader 0.9.6 as well. There "
        f"**{sum(map(earned, ran))}** earned more than an honest wrong answer "
        f"({sum(map(_kept, ran))} of these by keeping the marks of an earlier submission), and "
        f"{len(spoilt)} others did harm: a submission or a batch was lost, a secret read, "
        "somebody else's work changed, or what else the table says. "
        f"On ours **{sum(map(earned, ours))}** earned more, and "
        f"{sum(bool(_harm(one)) for one in ours)} did harm.\n\n"
        "Stock nbgrader ran with its own preprocessors and the reference on its path, behind walls "
        f"that the benchmark put around all of it: {MEMORY >> 30} GiB of memory for a process, "
        f"{FILE >> 20} MiB for a file, {CELL_SECONDS} s for a cell, {HARD_SECONDS} s for a batch. "
        "Each was run once. Most attack one exercise, worth 3 of the 12 points of their notebook; "
        "some attack a small notebook of their own. Attacks on our own protocol find nothing to "
        "attack on stock nbgrader. "
        "`python benchmarks/attacks.py` makes these tables."
    )


def attack_table(seen: dict[str, Any]) -> str:
    """A row for each attack of the suite."""
    rows = [
        "| | attack | classes | stock nbgrader 0.9.6 | ours | test |",
        "|--:|---|---|---|---|---|",
    ]
    for number, attack in enumerate(ATTACKS, 1):
        one = seen[attack.name]
        classes = ", ".join(map(str, attack.classes))
        cells = (number, attack.name, classes, stock_cell(one["stock"]), our_cell(one["ours"]))
        rows.append(f"| {' | '.join(map(str, cells))} | `{_test(attack)}` |")
    return "\n".join(rows)


def class_table() -> str:
    """A row for each class of attacks."""
    rows = ["| | class | attacks | who stops it here |", "|--:|---|---|---|"]
    for number, (name, stops) in CLASSES.items():
        numbers = [n for n, attack in enumerate(ATTACKS, 1) if number in attack.classes]
        rows.append(f"| {number} | {name} | {', '.join(map(str, numbers))} | {stops} |")
    return "\n".join(rows)


def stock_cell(one: dict[str, Any]) -> str:
    """What stock nbgrader did, in a few words."""
    if "not_run" in one:
        return f"not run: {one['not_run']}"
    return _cell(one)


def our_cell(one: dict[str, Any]) -> str:
    """What ours did, in a few words."""
    return _cell(one)


def _cell(one: dict[str, Any]) -> str:
    harm = _harm(one)
    if _kept(one):
        return "; ".join(["**full marks from before kept**", *harm])
    if earned(one):
        whole = one["points"] >= one["most"]
        harm.insert(0, "full marks" if whole else f"{one['points']:g} of {one['most']:g} points")
        return f"**{harm[0]}**" + "".join(f"; {word}" for word in harm[1:])
    if one["points"] < one["honest"]:
        harm.insert(0, "less than an honest wrong answer")
    lost = {"submission lost", "batch aborted", _STOPPED, _LIMITED} & set(harm)
    return "; ".join(harm if lost else ["as an honest wrong answer", *harm])


_STOPPED = f"ran for more than {HARD_SECONDS} s and was stopped"
_LIMITED = "filled the disk up to the benchmark's limit"


def earned(one: dict[str, Any]) -> bool:
    """Whether it earned more than an honest wrong answer."""
    # What only a limit of the benchmark's has ended might have ended otherwise.
    return bool(one["points"] > one["honest"] and not one.get("limited"))


def _kept(one: dict[str, Any]) -> bool:
    """Whether the marks are those of an earlier, honest submission."""
    return bool(one.get("kept") and earned(one))


def _harm(one: dict[str, Any]) -> list[str]:
    if one.get("stopped"):
        return [_STOPPED, *one["signs"]]
    if one.get("limited"):
        return [_LIMITED, *one["signs"]]
    words = {"aborted": "batch aborted", "lost": "submission lost"}
    # An aborted batch has lost the submission as well.
    ends = [word for key, word in words.items() if one.get(key)][:1]
    return [*ends, *one["signs"]]


def _test(attack: Attack) -> str:
    return "test_folder_earns_nothing" if attack.folder else "test_attack_earns_nothing"
