"""From cases and an answer to a report: what passed, the plainest case that failed, and why.

An answer is compared to what the reference did on each case, and, where it differs, to what each
known misconception did there. Only numbers are needed for that, so the same judge serves the
learner's check (numbers shipped beside the notebook) and the hidden exam (numbers made afresh).
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from autograder.checks.drivers.ways import WAYS
from autograder.checks.exam.arguments import (
    seen_by_the_answer,
)
from autograder.checks.exam.case import Case, are_yes_or_no
from autograder.checks.exam.habits import (
    ASPECTS,
    IN_PART,
    INVERTED,
    drops_unasked,
    exchanges,
    inverted,
    without_habits,
)
from autograder.checks.exam.nearness import Tried, how_far, rounded
from autograder.checks.exam.observation import (
    Observation,
    finding_of,
    likeness_to,
    none_is_meant,
    stops_too,
)
from autograder.checks.exam.report import Finding, Report, Verdict
from autograder.checks.exam.rules import while_it_runs
from autograder.checks.exam.two_slips import (
    explain,
    one_of_more,
    praises,
    said_of_two,
    two_slips,
)
from autograder.checks.values.compare import Difference
from autograder.checks.values.faults import is_mismatch, spoilt
from autograder.checks.values.outcome import (
    TOGETHER,
    Outcome,
    differs_from_call_to_call,
    observe,
    observe_each,
)
from autograder.checks.values.tensors import is_generator

_STUB = "put your code in place of `raise NotImplementedError()`, run its cell, and then this one"
_DROPPED = (
    "What differs is one call from the next, with the same inputs, as if something were dropped in "
    "them; this exercise asks for no dropout there."
)
_BY_CHANCE = (
    "Called twice with the same arguments, your function returned different results: it draws "
    "random numbers, remembers something from one call to the next, lets rounding errors grow, or "
    "reads what `torch.empty` or `np.empty` found in memory. This exercise asks for none of these."
)
_IN_THE_PRINTED = (
    " (This explains all that is wrong in the printed examples; in the other cases there may be "
    "more.)"
)
_NAMED = 4
# An answer that took long in one call would take as long again in each of the others.
_ASKED_AGAIN = 3


def judge(
    exercise: str,
    answer: object,
    cases: Sequence[Case],
    hints: Mapping[str, str],
    known: str = "",
    about: Collection[str] = (),
) -> Report:
    """Examine `answer`, a function or what the cases' driver makes use of, on every case.

    `hints` maps each misconception's name to its sentence, the likeliest first. An answer that is
    itself one of them is `known` by its name: what it does on each case need not be found twice.
    Nothing that the exercise is `about` is what an answer may have wrong and still earn half.
    """
    if not callable(answer):
        kind = type(answer).__name__
        wanted = "class or function" if any(case.use for case in cases) else "function"
        finding = Finding("the name itself", "", (f"expected a {wanted}, found a {kind}",))
        return Report(exercise, Verdict.WRONG, total=len(cases), finding=finding)
    observations = _observe(answer, cases, known)
    failed = [one for one in observations if one.wrong]
    passed = tuple(one.case.label for one in observations if not one.wrong)
    kinds = _kinds_passed(observations)
    if not failed:
        return Report(exercise, Verdict.PASSED, passed=passed, kinds=kinds, total=len(cases))
    unwritten = next((one for one in failed if _unwritten(one)), None)
    if unwritten:
        found = _what_is_missing(unwritten)
        return Report(
            exercise, Verdict.NOT_IMPLEMENTED, passed=passed, total=len(cases), finding=found
        )
    names, hint = _named(answer, observations, hints)
    told, right_but_for = names, _right_but_for(observations, about)
    printed = [one for one in observations if one.case.printed]
    if not hint and len(printed) < len(observations) and any(one.wrong for one in printed):
        # What a learner's check says is said here as well.
        told, hint = _named(answer, printed, hints)
        hint += _IN_THE_PRINTED if hint and not right_but_for else ""
    shown = min(failed, key=lambda one: (not _is_about(told, one), one.case.plainness))
    if are_yes_or_no(cases):
        # Which of them is shown must not hang on which of the others are wrong.
        shown = min(failed, key=lambda one: (not _stopped(one), one.case.plainness))
    return Report(
        exercise,
        Verdict.EXCEPTION if _stopped(shown) else Verdict.WRONG,
        passed=passed,
        kinds=kinds,
        total=len(cases),
        finding=finding_of(
            shown, exercise, is_none_meant=none_is_meant(answer, observations, exercise)
        ),
        misconception=names[0] if len(names) == 1 else "",
        hint=hint,
        right_but_for=right_but_for,
        nearest="" if names or praises(hint) else _how_far(observations),
    )


def _kinds_passed(observations: Sequence[Observation]) -> tuple[str, ...]:
    """The labels of which every case is right.

    The engine's ways say nothing of a kind: some of them ask only what a call leaves behind.
    """
    plain = [one for one in observations if not one.case.way]
    failed = {one.case.label for one in plain if one.wrong}
    return tuple(dict.fromkeys(one.case.label for one in plain if one.case.label not in failed))


def _named(
    answer: Callable[..., object], observations: Sequence[Observation], hints: Mapping[str, str]
) -> tuple[tuple[str, ...], str]:
    """The misconception that explains what is wrong, or two, and all that there is to say of it."""
    name = _diagnose(observations, hints)
    more = stops_too(name, observations)
    for dropout in (False, True):
        if not name:
            rest, more = _without_habits(observations, dropout)
            name = _diagnose(rest, hints)
    if not name:
        name, more = _diagnose(_inverted(observations), hints), INVERTED
    if name:
        return (name,), hints[name] + more
    if two := two_slips(observations, hints):
        return two, said_of_two(two, hints)
    if hint := one_of_more(observations, hints):
        return (), hint
    return (), _of_all(answer, [one for one in observations if one.wrong])


def _of_all(answer: Callable[..., object], failed: Sequence["Observation"]) -> str:
    """What there is to say where one thing alone is wrong, and always the same."""
    if all(one.case.way for one in failed):
        ways = [(WAYS[one.case.way], one) for one in failed]
        said = {way.about: way.hint(one.case.expected.value, one.outcome) for way, one in ways}
        return " And: ".join(said.values())
    if all(drops_unasked(one.case.expected, one.outcome) for one in failed):
        return _DROPPED
    if any(_is_by_chance(answer, one) for one in failed[:_ASKED_AGAIN]):
        return _BY_CHANCE
    plain = [one for one in failed if not one.case.way]
    return spoilt([part for one in failed for part in one.wrong]) or rounded(
        [(one.case.expected.value, one.outcome.value) for one in plain]
    )


def _is_by_chance(answer: Callable[..., object], observation: Observation) -> bool:
    """Whether an answer returns something else each time, in a case that is simply one call."""
    case = observation.case
    # With a generator, drawing is what is asked for. And what says yes or no must not find out, by
    # being called again, in which cases it is wrong.
    if type(case.expected.value) is bool or any(map(is_generator, case.arguments.values())):
        return False
    if case.driver or observation.outcome.raised or observation.outcome.changed:
        return False
    with while_it_runs():
        return differs_from_call_to_call(answer, case.arguments)


def _how_far(observations: Sequence["Observation"]) -> str:
    """How far an answer is right; of a worksheet, that stands in its numbers."""
    observations = [one for one in observations if not one.case.way]
    if not all(one.case.reveal for one in observations):
        return ""
    tried = [
        Tried(
            one.case.label,
            seen_by_the_answer(one.case.arguments, one.case.use, one.case.inputs),
            not one.wrong,
            None if one.outcome.raised else frozenset(part.part for part in one.wrong),
            one.case.use is not None,
        )
        for one in observations
        # Whoever refuses what is to be refused has computed nothing yet.
        if one.wrong or not one.case.expected.raised
    ]
    names = observations[0].case.names
    return how_far(tried, names, all_of_them=len(tried) == len(observations))


def _right_but_for(observations: Sequence["Observation"], about: Collection[str]) -> str:
    """The one thing in which alone an answer is wrong, as an aspect or a group of cases is called.

    What is printed earns nothing: at least half of the hidden cases have to be right but for it.
    """
    groups = dict.fromkeys(one.case.group for one in observations if one.case.group)
    things = [*dict.fromkeys([*ASPECTS, *groups])]
    for one in observations:
        # An axis may have a single entry in cases of a group, and whatever is wrong there is here.
        also = groups if one.case.group == "single" else ()
        if one.wrong:
            alone = one.alone.union(also).difference(about)
            things = [thing for thing in things if thing in alone]
    hidden = [one for one in observations if not one.case.printed]
    for thing in things:
        right = sum(not one.wrong or thing in IN_PART for one in hidden)
        if hidden and 2 * right >= len(hidden):
            return ASPECTS.get(thing, thing)
    return ""


def _observe(answer: Callable[..., object], cases: Sequence[Case], known: str) -> list[Observation]:
    if hasattr(type(answer), TOGETHER):
        # First all calls: of an answer that is in another process, these are few messages.
        observed = _together(answer, [case for case in cases if not case.here])
        outcomes = [
            _outcome(answer, case, known) if case.here else next(observed[case.driver])
            for case in cases
        ]
    else:
        outcomes = [_outcome(answer, case, known) for case in cases]
    return [_looked_at(answer, *one) for one in zip(cases, outcomes, strict=True)]


def _together(
    answer: Callable[..., object], cases: Sequence[Case]
) -> dict[Callable[..., object] | None, Iterator[Outcome]]:
    """What comes of each case, in their order, by the driver that has called the answer."""
    calls: dict[Callable[..., object] | None, list[Mapping[str, object]]] = {}
    for case in cases:
        calls.setdefault(case.driver, []).append(case.arguments)
    return {driver: iter(observe_each(answer, given, driver)) for driver, given in calls.items()}


def _outcome(answer: Callable[..., object], case: Case, known: str) -> Outcome:
    run = case.lookalikes.get(known) or partial(case.observe, answer)
    with while_it_runs():
        return run()


def _looked_at(answer: Callable[..., object], case: Case, outcome: Outcome) -> Observation:
    wrong = list(case.faults(outcome))
    if as_expected := not wrong:
        wrong = [
            Difference("", f"this does not hold: {sentence}")
            for sentence, holds in case.properties.items()
            # What is written to, that could be what it is compared with.
            if (seen := observe(answer, case.arguments, _yes_or_no(holds))).value is not True
            or seen.changed
        ]
    return Observation(case, outcome, wrong, as_expected)


def _yes_or_no(holds: Callable[..., object]) -> Callable[..., bool]:
    """A driver, so that an answer in another process draws the same random numbers as one here."""
    return lambda answer, *arguments: bool(holds(answer, *arguments))


def _unwritten(observation: Observation) -> bool:
    raised = observation.outcome.raised
    blank = all(difference.blank for difference in observation.wrong)
    return blank or (raised is not None and raised.is_blank)


def _what_is_missing(observation: Observation) -> Finding:
    blanks = [difference.part for difference in observation.wrong if difference.part]
    if not blanks:
        raised = observation.outcome.raised
        return Finding("", "", ((raised and raised.message) or _STUB,))
    more = f" and {len(blanks) - _NAMED} more" if len(blanks) > _NAMED else ""
    return Finding("", "", (f"still blank: {', '.join(blanks[:_NAMED])}{more}",))


def _stopped(observation: Observation) -> bool:
    return observation.outcome.raised is not None and not is_mismatch(observation.outcome)


def _diagnose(observations: Sequence[Observation], hints: Mapping[str, str]) -> str:
    """The misconception that explains all failed cases best and contradicts no passed one."""
    best, most = "", 0
    # Most misconceptions are ruled out by the first case that failed.
    observations = sorted(observations, key=lambda one: one.as_expected)
    asked = {name for one in observations if not one.as_expected for name in one.case.lookalikes}
    for name in hints:
        # What is wrong in the engine's own ways alone, no misconception explains.
        if name not in asked:
            continue
        explained = _explained(name, observations)
        if explained > most:
            best, most = name, explained
    return best


def _is_about(names: Collection[str], observation: Observation) -> bool:
    """Whether a hint, if there is one, says what came out of this case."""
    case = observation.case
    asked = [name for name in names if name in case.lookalikes]
    return not names or any(case.shows(one) and likeness_to(one, observation) for one in asked)


def _without_habits(
    observations: Sequence[Observation], dropout: bool = True
) -> tuple[list[Observation], str]:
    """What would have been observed of an answer without the habits that hide all else.

    A missing `dropout` is one of them only where no hint is about it.

    Returns:
        The observations, and a sentence about each habit; nothing of an answer without any.
    """
    rest: list[Observation] = []
    said: dict[str, None] = {}
    exchanged = any(exchanges(one.case.expected, one.outcome) for one in observations)
    for one in observations:
        outcome, sentences = without_habits(
            one.case.expected, one.outcome, dropout, exchanged=exchanged
        )
        said |= dict.fromkeys(sentences)
        if outcome is one.outcome:
            rest.append(one)
        elif outcome:
            wrong = list(one.case.faults(outcome))
            rest.append(Observation(one.case, outcome, wrong, not wrong))
    return (rest, "".join(said)) if said else ([], "")


def _inverted(observations: Sequence[Observation]) -> list[Observation]:
    """What would have been observed of an answer with True and False exchanged, if it is a mask.

    One that is right somewhere has not exchanged them everywhere.
    """
    turned: list[Observation] = []
    for one in observations:
        outcome = inverted(one.case.expected, one.outcome)
        if outcome is None or one.as_expected:
            return []
        wrong = list(one.case.faults(outcome))
        turned.append(Observation(one.case, outcome, wrong, not wrong))
    return turned


def explains(name: str, answer: Callable[..., object], cases: Sequence[Case]) -> bool:
    """Whether a misconception explains all that is wrong with an answer, if anything is."""
    seen = _observe(answer, cases, "")
    is_wrong = any(one.wrong for one in seen)
    return is_wrong and any(_explained(name, one) for one in (seen, _without_habits(seen)[0]))


def both_explain(two: Sequence[str], answer: Callable[..., object], cases: Sequence[Case]) -> bool:
    """Whether two misconceptions explain, between them, all that is wrong with an answer."""
    return explain(two, _observe(answer, cases, ""))


def _explained(name: str, observations: Sequence[Observation]) -> int:
    """2 for each failed case that is all as the misconception has it, 1 if it is so in part.

    0 if it leaves a failed case unexplained: then it may be true of one and false of the answer.
    A case that the answer can't even run says nothing, if there are others to go by.
    """
    explained = 0
    # Of another slip, which meets the same wall, the words of an exception may be the same.
    only_walls = all(one.outcome.raised for one in observations if not one.as_expected)
    for one in observations:
        if name not in one.case.lookalikes:
            continue
        mistaken = one.case.shows(name)
        likeness = likeness_to(name, one) if mistaken else 0
        unexplained = mistaken == one.as_expected or (mistaken and not likeness)
        # Where an exception is asked for, one that is raised is an answer.
        if unexplained and (one.as_expected or not one.outcome.raised or only_walls):
            return 0
        explained += likeness
    return explained
