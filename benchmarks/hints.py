"""What becomes of wrong answers that nobody foresaw: are they caught, named, or located, and truly?

    python benchmarks/hints.py [lesson or exercise ...] [--wrong 1500] [--seed 0] [--list]

Wrong answers are made of right ones in three ways: one small change of the reference, one of an
accepted style, and two small changes of either. Each is given to the learner's check and to the
exam. A hint is confirmed on cases that neither had seen, for the answer or for one of its two
changes alone; one that is not true of them is listed. An answer that is right on all cases of many
seeds is taken for a right one, and left out. Another `--seed` draws others, and confirms them on
other cases.
"""

import argparse
import ast
import inspect
import linecache
import random
import re
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from autograder.authoring.build import shipping  # noqa: E402
from autograder.checks import examples  # noqa: E402
from autograder.checks.drivers.memory import memory_limit  # noqa: E402
from autograder.checks.exam.case import Case  # noqa: E402
from autograder.checks.exam.exam import Exam, exams_of  # noqa: E402
from autograder.checks.exam.judge import both_explain, explains, judge  # noqa: E402
from autograder.checks.exam.observation import MORE_TO_MEND  # noqa: E402
from autograder.checks.exam.report import Report, Verdict  # noqa: E402
from autograder.checks.exam.rules import broken  # noqa: E402
from autograder.checks.exam.two_slips import said_of_two, without_praise  # noqa: E402
from autograder.checks.locate.where import with_places  # noqa: E402
from autograder.course import Course, lesson_number  # noqa: E402
from benchmarks.idioms import around  # noqa: E402
from benchmarks.small_changes import Changed, one_step, two_steps  # noqa: E402

WAYS = ("reference, one step", "accepted style, one step", "two steps")
SEEDS = range(100, 104)  # of the cases that confirm; more for each seed of the draw
WORKSHEET = "_by_hand"
_LINE = re.compile(r"in your code, line (\d+):")
_NAMELESS = re.compile(r"(NameError|UnboundLocalError|AttributeError): ")
# What a driver says of a module's parameters, by their names.
_MISMATCH = re.compile(r"looked for |your module has a parameter that was not asked for")
COLUMNS = ("wrong", "by check", "by exam", "named", "located", "other place", "neither", "untrue")


@dataclass(frozen=True)
class Seen:
    """What became of one wrong answer."""

    exercise: str
    way: str
    text: str
    by_check: bool
    by_exam: bool
    hint: str
    lines: tuple[int, ...]  # which were changed
    told: tuple[int, ...]  # the lines that the check tells
    untrue: str  # a hint that other cases did not confirm
    seconds: float

    @property
    def column(self) -> str:
        """What the check, or else the exam, says of it."""
        if self.hint:
            return "named"
        # Of several lines that are told, a change in any one of them makes every example right.
        if {*self.told} & {*self.lines}:
            return "located"
        return "other place" if self.told else "neither"


def wrong_answers(
    exam: Exam, count: int, seed: int = 0
) -> Iterator[tuple[str, Changed, dict[str, Any]]]:
    """Small changes of an exam's right answers, drawn at random, with what they find around."""
    rng = random.Random(f"{exam.name} {seed}" if seed else exam.name)
    reference = _source(exam.reference)
    styles = [found for style in exam.accepted.values() if (found := _source(style))]
    if reference:
        changes = one_step(reference[0])
        yield from (
            (WAYS[0], one, reference[1]) for one in rng.sample(changes, min(count, len(changes)))
        )
    of_styles = [(one, known) for text, known in styles for one in one_step(text)]
    for one, known in rng.sample(of_styles, min(count, len(of_styles))):
        yield WAYS[1], one, known
    for _ in range(count):
        text, known = rng.choice([reference, *styles] if reference else styles)
        if two := two_steps(text, rng):
            yield WAYS[2], two, known


# A small change may ask for all that a machine has, and be ended with whatever else runs here.
@memory_limit(4 << 30)
def try_exercise(lesson: str, name: str, count: int, seed: int = 0) -> list[Seen]:
    """What becomes of an exercise's wrong answers."""
    exam = exams_of(Course(ROOT).exam_module(lesson))[name]
    shipped = _shipped(exam)
    seeds = [one + seed * len(SEEDS) for one in SEEDS]
    unseen = [case for one in seeds for case in exam.hidden_cases(one)]
    seen = []
    for number, (way, changed, known) in enumerate(wrong_answers(exam, count, seed)):
        answer = _in_a_notebook(changed.text, f"{name} {number}", known)
        if answer is None or broken(name, answer, exam.forbids):
            continue
        started = time.thread_time()
        checked = judge(name, answer, shipped.cases, shipped.hints)
        checked = with_places(checked, answer, shipped.cases, shipped.hints)
        seconds = time.thread_time() - started
        examined = exam.examine(answer)
        by_check, by_exam = (report.verdict is not Verdict.PASSED for report in (checked, examined))
        if not by_check and not by_exam and not _is_wrong(answer, exam, seeds):
            continue
        hint = checked.misconception or ("" if by_check else examined.misconception)
        hint = hint or checked.hint or _said_by_the_driver(checked)
        hint = hint or ("" if by_check else examined.right_but_for)
        names = {report.misconception for report in (checked, examined)} - {""}
        alone = [_in_a_notebook(text, f"{name} {number} alone", known) for text in changed.alone]
        answers = [answer, *(one for one in alone if one)]
        untrue = [
            one
            for one in sorted(names)
            if not any(_holds(one, exam, each, unseen) for each in answers)
        ]
        untrue += [
            one
            for one in {_one_of_more(report, exam) for report in (checked, examined)} - {""}
            if not _tells_again(one, exam, answer, unseen)
        ]
        untrue += [
            " and ".join(two)
            for two in {_two_of(report, exam) for report in (checked, examined)} - {()}
            if not both_explain(two, answer, unseen)
        ]
        seen.append(
            Seen(name, way, changed.text, by_check, by_exam, hint, changed.lines,
                 _told(checked, changed), ", ".join(untrue), seconds)
        )  # fmt: skip
    return seen


def _holds(name: str, exam: Exam, answer: Callable[..., Any], cases: Sequence[Case]) -> bool:
    """Whether a hint is true on these cases: some misconception that has it explains them, or they
    alone have the judge say so, as of one that is exchanged everywhere.
    """
    said = exam.hints[name]
    return (
        any(explains(one, answer, cases) for one, hint in exam.hints.items() if hint == said)
        or judge(exam.name, answer, cases, exam.hints).misconception == name
    )


def _one_of_more(report: Report, exam: Exam) -> str:
    """The hint of which a report says that it is not all that is wrong."""
    told = report.hint if MORE_TO_MEND in report.hint and not report.misconception else ""
    hints = map(without_praise, exam.hints.values())
    return next((hint for hint in hints if told.startswith(f"{hint} And")), "")


def _tells_again(hint: str, exam: Exam, answer: Callable[..., Any], cases: Sequence[Case]) -> bool:
    """Whether a hint is told again of these cases, as of printed examples."""
    told = [replace(case, printed=True) for case in cases if case.lookalikes and not case.way]
    return judge(exam.name, answer, told, exam.hints).hint.startswith(hint)


def _two_of(report: Report, exam: Exam) -> tuple[str, ...]:
    """The two misconceptions that a hint names, if it names two."""
    if report.misconception or not report.hint:
        return ()
    pairs = combinations(exam.hints, 2)
    return next((pair for pair in pairs if said_of_two(pair, exam.hints) == report.hint), ())


def _shipped(exam: Exam) -> examples.Printed:
    """What a learner's check knows of an exercise."""
    with TemporaryDirectory() as folder:
        (Path(folder) / examples.FILE).write_text(shipping.write({exam.name: exam}), "utf-8")
        return examples.read(Path(folder))[exam.name]


def _is_wrong(answer: Callable[..., Any], exam: Exam, seeds: Sequence[int]) -> bool:
    return any(exam.examine(answer, seed).verdict is not Verdict.PASSED for seed in seeds)


def _said_by_the_driver(report: Report) -> str:
    """The parameter that is wrong, in a driver's own words."""
    details = report.finding.details if report.finding else ()
    return next((one for one in details if _MISMATCH.search(one)), "")


def _told(report: Report, changed: Changed) -> tuple[int, ...]:
    """The lines that a card names, the one at which an exception ended the answer among them.

    Where a line is missing that gives something its name, the exception that says so is the place.
    """
    if report.places:
        return tuple(place.line for place in report.places)
    details = report.finding.details if report.finding else ()
    if "a line left out" in changed.what and any(map(_NAMELESS.match, details)):
        return changed.lines
    return tuple(int(found[1]) for one in details if (found := _LINE.match(one)))


def _source(function: Callable[..., Any]) -> tuple[str, dict[str, Any]] | None:
    """A function's or class's source, and what is around it; None where there is none to change."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
        first = ast.parse(text).body[0]
    except (OSError, TypeError, SyntaxError):
        return None
    if not isinstance(first, ast.FunctionDef | ast.ClassDef):
        return None
    return text, around(function)


def _in_a_notebook(text: str, name: str, known: dict[str, Any]) -> Callable[..., Any] | None:
    """The answer that a cell with this text defines."""
    file = f"/tmp/ipykernel_1/{name}.py".replace(" ", "_")
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {**known, "__name__": "__main__"}
    try:
        exec(compile(text, file, "exec"), namespace)
    except Exception:
        return None
    defined = ast.parse(text).body[0]
    assert isinstance(defined, ast.FunctionDef | ast.ClassDef)
    answer: Callable[..., Any] = namespace[defined.name]
    return answer


def exercises(words: Sequence[str]) -> list[tuple[str, str]]:
    """The lessons and exercises that are meant; all but worksheets without any words."""
    course = Course(ROOT)
    found = [
        (lesson, name)
        for lesson in course.lessons()
        for name in exams_of(course.exam_module(lesson))
        if not name.endswith(WORKSHEET)
    ]
    return [
        (lesson, name)
        for lesson, name in found
        if not words or name in words or {lesson, lesson_number(lesson)} & {*words}
    ]


def row(name: str, seen: Iterable[Seen]) -> str:
    """A line of the table."""
    seen = list(seen)
    columns = Counter(one.column for one in seen)
    numbers = {
        "wrong": len(seen),
        "by check": sum(one.by_check for one in seen),
        "by exam": sum(one.by_exam for one in seen),
        "untrue": sum(bool(one.untrue) for one in seen),
        **{name: columns[name] for name in COLUMNS[3:7]},
    }
    return f"{name:34}" + "".join(f"{numbers[column]:>12}" for column in COLUMNS)


def main() -> None:
    """Try them, and print the table."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("only", nargs="*", help="a lesson's number, or an exercise")
    options.add_argument("--wrong", type=int, default=1500, help="how many in all, about")
    options.add_argument("--seed", type=int, default=0, help="draws other answers, other cases")
    options.add_argument("--list", action="store_true", help="print what is not named or located")
    options.add_argument("--processes", type=int, default=2)
    given = options.parse_args()
    chosen = exercises(given.only)
    each = max(1, round(given.wrong / len(chosen) / len(WAYS)))
    seen: list[Seen] = []
    print(f"{'':34}" + "".join(f"{column:>12}" for column in COLUMNS))
    with ProcessPoolExecutor(given.processes, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(try_exercise, *one, each, given.seed): one for one in chosen}
        for done, future in enumerate(as_completed(waiting), 1):
            seen += future.result()
            # At once: who stops it after an hour keeps what it has found.
            print(row(waiting[future][1], future.result()), f"{done}/{len(waiting)}", flush=True)
    for way in WAYS:
        print(row(way, (one for one in seen if one.way == way)))
    print(row("all", seen))
    times = sorted((one.seconds, one.exercise, one.text) for one in seen)
    if times:
        middle, (longest, exercise, text) = times[len(times) // 2][0], times[-1]
        print(f"the check: {middle:.2f} s in the middle, {longest:.2f} s at most, in {exercise}")
        if given.list:
            print(text)
    for one in seen:
        told = f"tells {one.told}" if one.told else "tells no line"
        if one.untrue:
            print(f"\nUNTRUE {one.untrue}: {one.exercise}, lines {one.lines}\n{one.text}")
        elif not one.by_exam:
            print(f"\nNOT CAUGHT: {one.exercise}, lines {one.lines}\n{one.text}")
        elif given.list and one.column in ("neither", "other place"):
            print(f"\n{one.column}: {one.exercise}, lines {one.lines}, {told}\n{one.text}")


if __name__ == "__main__":
    main()
