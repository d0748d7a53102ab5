"""The same wrong answers in TorchCode's judge and in this course's check and exam.

    python benchmarks/rivals.py

It makes the tables in `benchmarks/rivals.md`, and ends with status 1 where a count differs from the
one that stood there. TorchCode's judge has to be installed, and is run as it is. The answers stand
in `mistakes/`, whose adapters give them the names and arguments that it asks for.
"""

import io
import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib import import_module, metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from autograder.checks import examples  # noqa: E402
from autograder.checks.card.as_text import lines_of  # noqa: E402
from autograder.checks.check import judged  # noqa: E402
from autograder.checks.exam.exam import exams_of  # noqa: E402
from autograder.checks.exam.report import Report, Verdict  # noqa: E402
from autograder.checks.locate.where import with_places  # noqa: E402
from autograder.course import Course  # noqa: E402
from benchmarks import rivals_table  # noqa: E402
from benchmarks.mistakes import adapters, functions, language, modules  # noqa: E402
from benchmarks.mistakes.answers import Answers  # noqa: E402
from benchmarks.rivals_table import BY_CHECK, BY_EXAM, LOCATED, NAMED, REFUSED, Said, Tried  # noqa: E402

VERSION = "0.1.1"
_INSTALL = (
    f"This table needs TorchCode's judge: install it with `pip install torch-judge=={VERSION}` (or "
    "`uv pip install`) into the environment that runs this program."
)
_COLOUR = re.compile(r"\x1b\[\d*m")
_FIRST_FAILED = re.compile(r"(?:❌|💥) \[\d+/\d+\] .*\n\s+(?P<message>.*)\n(?P<below>.*)")
_IN_LINE = re.compile(r"in your code, line (\d+):")


def all_answers() -> list[Answers]:
    """Of each exercise, in the order of the lessons."""
    found = [
        one
        for module in (functions, modules, language)
        for one in vars(module).values()
        if isinstance(one, Answers)
    ]
    return sorted(found, key=lambda one: one.lesson)


class TorchCode:
    """TorchCode's judge, as a notebook has it.

    Args:
        folder: where it may keep its user's progress.

    Raises:
        SystemExit: when this version of it is not installed.
    """

    def __init__(self, folder: Path) -> None:
        os.environ["PROGRESS_PATH"] = str(folder / "progress.json")
        try:
            found = metadata.version("torch-judge")
            self.check: Callable[[str], None] = import_module("torch_judge").check
            self.tasks: dict[str, dict[str, Any]] = import_module("torch_judge.tasks").TASKS
        except ImportError:
            found = ""
        if found != VERSION:
            raise SystemExit(_INSTALL)

    def said(self, task: str, answer: Callable[..., Any], changed: set[str]) -> tuple[Said, str]:
        """What becomes of an answer with a mistake in these lines, and all that is printed."""
        torch.manual_seed(0)  # Some of its tests draw without a seed.
        name = self.tasks[task]["function_name"]
        notebook = {name: getattr(adapters, task)(answer), "check": self.check, "task": task}
        printed = io.StringIO()
        with redirect_stdout(printed):
            # It looks for the answer in the names of its caller.
            exec("check(task)", notebook)
        text = _COLOUR.sub("", printed.getvalue())
        failed = _FIRST_FAILED.search(text)
        if not failed:
            return Said(), text
        # Below an exception's message stands the line that it comes from.
        how = LOCATED if failed["below"].strip() in changed else REFUSED
        return Said(how, failed["message"].strip()), text


def said_here(answers: Answers, answer: Callable[..., Any], changed: set[int]) -> tuple[Said, str]:
    """What becomes of an answer in this course's check and exam, and what the check shows."""
    printed, checked, _ = judged(answer, {}, examples.read(ROOT / "notebooks" / answers.lesson))
    if checked.verdict is not Verdict.PASSED and not checked.misconception:
        checked = with_places(checked, answer, printed.cases)
    exams = exams_of(Course(ROOT).exam_module(answers.lesson))
    examined = exams[answers.exercise].examine(answer)
    shown = "\n".join(lines_of(checked))
    refused = {
        name
        for name, report in ((BY_CHECK, checked), (BY_EXAM, examined))
        if report.verdict is not Verdict.PASSED
    }
    if not refused:
        return Said(), shown
    return Said(*_how(checked, examined, changed), by=frozenset(refused)), shown


def _how(checked: Report, examined: Report, changed: set[int]) -> tuple[str, str]:
    """Whether an answer's mistake is named, its line told, or neither; and in which words."""
    if hint := checked.hint or examined.hint:
        return NAMED, hint
    if checked.places:
        first = checked.places[0]
        told = f"line {first.line}: `{first.text.strip()}` ({first.about})"
        return (LOCATED if first.line in changed else REFUSED), told
    worse = examined if checked.verdict is Verdict.PASSED else checked
    details = " ".join(worse.finding.details) if worse.finding else ""
    line = _IN_LINE.search(details)
    return (LOCATED if line and int(line[1]) in changed else REFUSED), details


def tried(rival: TorchCode) -> Iterator[Tried]:
    """All wrong answers in both judges.

    Raises:
        RuntimeError: when a right answer is refused, so that an adapter must be wrong.
    """
    for answers in all_answers():
        right = answers.right_answer()
        there, printed = rival.said(answers.task, right, set())
        here, shown = said_here(answers, right, set())
        if there.refused or here.refused:
            raise RuntimeError(f"{answers.exercise}: a right answer is refused\n{printed}\n{shown}")
        for what, text in answers.wrong_texts():
            answer = answers.defined(text, what)
            changed = answers.changed_lines(text)
            lines = {text.strip().splitlines()[number - 1].strip() for number in changed}
            begun = time.process_time()
            there, printed = rival.said(answers.task, answer, lines)
            between = time.process_time()
            here, shown = said_here(answers, answer, changed)
            yield Tried(
                answers.exercise, answers.task, what, text, there, here, printed, shown,
                (between - begun, time.process_time() - between),
            )  # fmt: skip


def main() -> int:
    """Try them, write the page, and say what differs from it."""
    warnings.simplefilter("ignore")  # Wrong answers divide by zero.
    with TemporaryDirectory() as folder:
        seen = [*tried(TorchCode(Path(folder)))]
    page = ROOT / "benchmarks" / "rivals.md"
    text = page.read_text(encoding="utf-8")
    filled = rivals_table.filled(text, seen)
    page.write_text(filled, encoding="utf-8")
    before, after = map(rivals_table.counts_in, (text, filled))
    print(*after, f"{time.process_time():.0f} s of one processor", sep="\n")
    for row in sorted({*before} ^ {*after}):
        print(f"differs, {'was' if row in before else 'is'}: {row}", file=sys.stderr)
    return before != after


if __name__ == "__main__":
    sys.exit(main())
