"""The tables of `rivals.py`: counts, what is counted as what, what each judge says of each answer.

They stand between marks in `rivals.md`, whose sentences are written by hand.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

_PART = re.compile(r"(<!-- made: (?P<name>\w+) -->\n)(?P<made>.*?)(<!-- end -->)", re.DOTALL)
ACCEPTED, REFUSED, LOCATED, NAMED = "accepted", "refused", "located", "named"
BY_CHECK, BY_EXAM = "check", "exam"
COLUMNS = (
    "exercise (TorchCode's problem)", "wrong answers",
    "TorchCode accepts", "TorchCode names", "TorchCode locates",
    "the check accepts", "check and exam accept", "they name", "they locate", "neither",
)  # fmt: skip
ALL = "all"

# The beginnings of TorchCode's messages that say in words what an answer lacks. All others say that
# values, shapes or numbers differ, or are an exception's.
IN_WORDS = (
    "NaN in output — not numerically stable",
    "Q.grad is None",
    "Changing future K/V affected past outputs",
    "Position 0 should output V[0]",
    "RoPE should preserve norms",
    "Cache should grow",
    "Incremental decode must match full forward",
    "Only ",
    "window=0: each position should output V[i]",
    "Large window should equal full attention",
    "Mismatch with non-aligned block size",
    "No zeros found during training",
    "Non-zeros should be scaled by 1/(1-p)",
    "Expected ~30",
    "eval mode should return input unchanged",
    "Future tokens affected past — not causal",
    "Inf with large logits",
    "Low temp should pick argmax",
    "top_k=1 should return argmax",
    "Perfect draft should accept all",
)
# Those that are not true of the answer that gets them, and why.
UNTRUE = {
    ("causal_attention_weights", "a token does not see itself"): "the first row is NaN",
    ("causal_attention_weights", "hidden scores are plus infinity"): "rows are NaN",
    ("dropout", "whole rows at once"): "other rows are dropped",
}
# One that both judges refuse, and one that shows what comes of refusing by properties alone.
SHOWN = (
    ("scaled_dot_product_attention", "softmax over the queries"),
    ("apply_rope", "i in the exponent for 2i"),
)


@dataclass(frozen=True)
class Said:
    """What becomes of an answer, in which words, and which parts of the judge refuse it."""

    how: str = ACCEPTED
    words: str = ""
    by: frozenset[str] = frozenset()

    @property
    def refused(self) -> bool:
        """Whether any part of the judge refuses it."""
        return self.how != ACCEPTED


@dataclass(frozen=True)
class Tried:
    """One wrong answer in both judges, with all that each shows, and how long each took."""

    exercise: str
    task: str
    what: str
    text: str
    there: Said
    here: Said
    printed: str
    shown: str
    seconds: tuple[float, float]

    @property
    def named_there(self) -> bool:
        """Whether TorchCode's message says in words, and truly, what the answer lacks."""
        told = self.there.words.startswith(IN_WORDS)
        return told and (self.exercise, self.what) not in UNTRUE


def filled(text: str, seen: Sequence[Tried]) -> str:
    """The page with all that is made between its marks.

    Raises:
        KeyError: for a mark that nothing is made for.
    """
    parts = {
        "counts": _counts,
        "examples": _examples,
        "better": _better_there,
        "messages": _messages,
        "answers": _all,
    }
    return _PART.sub(lambda found: f"{found[1]}\n{parts[found['name']](seen)}\n\n{found[4]}", text)


def counts_in(text: str) -> list[str]:
    """The rows with counts of a page."""
    counts = next(found["made"] for found in _PART.finditer(text) if found["name"] == "counts")
    return [line for line in counts.splitlines() if re.match(r"\| .*\d", line)]


def totals_in(text: str) -> dict[str, int]:
    """The counts of all exercises together, by their columns."""
    cells = [cell.strip(" *") for cell in counts_in(text)[-1].strip("|").split("|")]
    return dict(zip(COLUMNS[1:], map(int, cells[1:]), strict=True))


def _counts(seen: Sequence[Tried]) -> str:
    rows = [_row(COLUMNS), _row(["---", *["---:"] * (len(COLUMNS) - 1)])]
    for exercise, of_it in groupby(seen, key=lambda one: one.exercise):
        tried = [*of_it]
        rows.append(_row([f"`{exercise}` (`{tried[0].task}`)", *_numbers(tried)]))
    rows.append(_row([f"**{cell}**" for cell in (ALL, *_numbers(seen))]))
    there, here = (sum(one.seconds[judge] for one in seen) for judge in (0, 1))
    return "\n".join(rows) + (
        f"\n\nSeconds of one processor: {there:.0f} for TorchCode's judge, {here:.0f} for this "
        "course's check and exam."
    )


def _numbers(seen: Sequence[Tried]) -> list[str]:
    here = [one.here for one in seen]
    counts = (
        len(seen),
        sum(not one.there.refused for one in seen),
        sum(one.named_there for one in seen),
        sum(one.there.how == LOCATED for one in seen),
        sum(BY_CHECK not in one.by for one in here),
        *(sum(one.how == how for one in here) for how in (ACCEPTED, NAMED, LOCATED, REFUSED)),
    )
    return [*map(str, counts)]


def _examples(seen: Iterable[Tried]) -> str:
    found = {(one.exercise, one.what): one for one in seen}
    parts = []
    for key in SHOWN:
        one = found[key]
        parts += [
            f"The answer to `{one.exercise}`: {one.what}.",
            f"```python\n{one.text.strip()}\n```",
            f"TorchCode:\n\n```text\n{_without_times(one.printed)}\n```",
            f"This course, in words; the card in a notebook also has tables:\n\n"
            f"```text\n{one.shown.rstrip()}\n```",
        ]
    return "\n\n".join(parts)


def _without_times(printed: str) -> str:
    return re.sub(r" \(\d[\d.]*ms(?: total)?\)", "", printed).strip()


def _better_there(seen: Iterable[Tried]) -> str:
    lines = [
        f"- `{one.exercise}`, {one.what}: {told} ({_quoted(one.there.words)})."
        for one in seen
        if (told := _worse_here(one))
    ]
    return "\n".join(lines) or "- in none, as the checks are now."


def _worse_here(one: Tried) -> str:
    """In what this course is worse with an answer; nothing where it is not."""
    if one.there.refused and not one.here.refused:
        return "refused there, accepted here"
    exam_alone = ", and refused by the exam alone" if one.here.by == {BY_EXAM} else ""
    if one.named_there and one.here.how not in (NAMED, LOCATED):
        return f"named there, not named here{exam_alone}"
    return f"refused at once there{exam_alone}" if one.there.refused and exam_alone else ""


def _messages(seen: Sequence[Tried]) -> str:
    refused = [one for one in seen if one.there.refused]
    counted = sorted({one.there.words for one in refused if one.named_there})
    others = sorted({one.there.words for one in refused if not one.named_there} - {*counted})
    lines = ["Counted as named:", ""]
    lines += [f"- {_quoted(words)}" for words in counted]
    lines += ["", "Not counted:", "", *(f"- {_quoted(words)}" for words in others)]
    lines += ["", "Not counted for these answers, because it is not true of them:", ""]
    lines += [
        f"- `{one.exercise}`, {one.what}: {_quoted(one.there.words)} ({why})."
        for one in refused
        if (why := UNTRUE.get((one.exercise, one.what)))
    ]
    return "\n".join(lines)


def _all(seen: Iterable[Tried]) -> str:
    rows = [_row(("exercise", "mistake", "TorchCode", "this course")), _row(["---"] * 4)]
    for one in seen:
        there = f"**{NAMED}**: " if one.named_there else ""
        said = f"{there}{_quoted(one.there.words)}" if one.there.refused else f"**{ACCEPTED}**"
        alone = "" if one.here.by != {BY_EXAM} else " (in the exam alone)"
        here = f"**{one.here.how}**{alone}: {_escaped(one.here.words)}".removesuffix(": ")
        rows.append(_row((f"`{one.exercise}`", one.what, said, here)))
    return "\n".join(rows)


def _quoted(words: str) -> str:
    return f"“{_escaped(words)}”"


def _escaped(words: str) -> str:
    return words.replace("|", r"\|").replace("<", "&lt;")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
