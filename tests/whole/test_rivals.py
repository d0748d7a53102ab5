"""The comparison with another judge: what the README says of it is what its table says."""

import re

import pytest

from autograder.checks.exam.report import Verdict
from benchmarks.mistakes import functions, language, modules
from benchmarks.mistakes.answers import Answers
from benchmarks.rivals_table import counts_in, totals_in
from tests.support.course import ROOT, every_exam

TABLE = (ROOT / "benchmarks" / "rivals.md").read_text(encoding="utf-8")
ANSWERS = [
    one
    for module in (functions, modules, language)
    for one in vars(module).values()
    if isinstance(one, Answers)
]


def test_readme_has_the_totals_of_the_table() -> None:
    told = (ROOT / "README.md").read_text(encoding="utf-8").partition("## How it compares")[2]
    totals = totals_in(TABLE)
    wrong = totals["wrong answers"]
    there = [totals[f"TorchCode {name}"] for name in ("accepts", "names", "locates")]
    columns = ("check and exam accept", "they name", "they locate", "neither")
    here = [totals[name] for name in columns]
    assert re.search(rf"\b{wrong} wrong answers to {len(counts_in(TABLE)) - 1} exercises\b", told)
    assert row_of("TorchCode", told) == [*there, wrong - sum(there)]
    assert row_of("this course", told) == here
    assert sum(here) == wrong


def row_of(judge: str, text: str) -> list[int]:
    """The numbers in a judge's row."""
    found = re.search(rf"^\| {judge}[^|]*\|(.*)\|$", text, re.MULTILINE)
    return [int(cell) for cell in found[1].split("|")]


def test_table_counts_the_answers_that_stand_beside_it() -> None:
    """And each mistake fits the right answer that it changes."""
    written = {one.exercise: len([*one.wrong_texts()]) for one in ANSWERS}
    *rows, last = ([cell.strip() for cell in row.split("|")[1:]] for row in counts_in(TABLE))
    assert {row[0].split("`")[1]: int(row[1]) for row in rows} == written
    assert int(last[1].strip("*")) == sum(written.values())


@pytest.mark.parametrize("answers", ANSWERS, ids=lambda one: one.exercise)
def test_right_answer_is_one(answers: Answers) -> None:
    """The command would end where one is not."""
    exam = every_exam()[f"{answers.lesson}/{answers.exercise}"]
    assert exam.examine(answers.right_answer()).verdict is Verdict.PASSED
