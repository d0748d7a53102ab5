"""What goes wrong in `is_held_out`."""

from typing import Any

import torch
from torch import Tensor

from solutions import your_gpt as reference
from solutions.exams.families import VERDICT, Comparison
from solutions.exams.your_gpt.is_held_out.exam import held_out

Run = tuple[int, ...]


def runs(text: Tensor, n: int, step: int = 1) -> list[Run]:
    """All runs of n tokens, or every one that begins at a multiple of `step`."""
    ids = text.tolist()
    return [tuple(ids[start : start + n]) for start in range(0, len(ids) - n + 1, step)]


class Compared(Comparison):
    """The runs of the test text that are looked for, and those in which they are looked for."""

    def answer(self, *arguments: Any) -> Any:
        learned, test, n = arguments
        known = set(runs(learned, n))
        return not any(run in known for run in runs(test, n))


VERDICT.apply(
    held_out,
    Compared,
    says={
        "AlwaysTrue": "Your test says True to everything, even where a run is in both texts. If "
        "you look for tensors in a set or in a list of other objects, they are never found: "
        "compare the ids themselves, which `tolist()` gives you.",
        "AlwaysFalse": "Your test says False to everything, even of texts without a token in "
        "common. Look at what it returns in the end, when no run was found.",
        "TurnedRound": "Your answer is the wrong way round: True is for a text that shares no run.",
    },
    without=("ATableOfTruths",),
)


@held_out.misconception
def single_tokens(learned: Tensor, test: Tensor, n: int) -> bool:
    """A single token in common is enough for your test to say False. Only n tokens in a row count:
    compare runs.
    """
    return not set(learned.tolist()) & set(test.tolist())


@held_out.misconception
def shared_tokens_counted(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test counts how many tokens the two texts share, wherever they stand. Only n tokens in a
    row, in the same order, make a shared run: compare runs.
    """
    return len(set(learned.tolist()) & set(test.tolist())) < n


@held_out.misconception
def joined_without_a_gap(learned: Tensor, test: Tensor, n: int) -> bool:
    """You write the ids of a run one behind the other, so that 1, 12 and 11, 2 become the same
    text. Compare tuples of ids, or put something between them.
    """
    known = {"".join(map(str, run)) for run in runs(learned, n)}
    return known.isdisjoint("".join(map(str, run)) for run in runs(test, n))


@held_out.misconception
def known_tokens_in_a_row(learned: Tensor, test: Tensor, n: int) -> bool:
    """For your test, n tokens in a row are enough of which each was learned somewhere. They have to
    be learned as a run: in the same order, one behind the other.
    """
    known = set(learned.tolist())
    return not any(known.issuperset(run) for run in runs(test, n)) or len(learned) < n


@held_out.misconception
def every_token_known(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test asks whether all single tokens of the text were learned. Ask whether a run of n
    tokens was.
    """
    return not set(test.tolist()) <= set(learned.tolist())


@held_out.misconception
def whole_text_only(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test says False only if all of the test text occurs in a row in what is learned. A run
    of n tokens is enough.
    """
    return tuple(test.tolist()) not in runs(learned, len(test))


@held_out.misconception
def equal_texts(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test says False only if both texts are the same. Look for runs of n tokens of one in the
    other.
    """
    return not torch.equal(learned, test)


@held_out.misconception
def aligned_runs(learned: Tensor, test: Tensor, n: int) -> bool:
    """You cut both texts into runs that do not overlap, so a run that begins in between is never
    found. Runs begin at every token: go on by one token at a time, not by n.
    """
    return not set(runs(learned, n, n)) & set(runs(test, n, n))


@held_out.misconception
def aligned_in_the_test(learned: Tensor, test: Tensor, n: int) -> bool:
    """You cut the test text into runs that do not overlap. A copied run may begin at any token of
    it: go on by one token at a time.
    """
    return not set(runs(learned, n)) & set(runs(test, n, n))


@held_out.misconception
def aligned_in_the_learned(learned: Tensor, test: Tensor, n: int) -> bool:
    """You cut the text that is learned into runs that do not overlap. A run may begin at any token
    of it: go on by one token at a time.
    """
    return not set(runs(learned, n, n)) & set(runs(test, n))


@held_out.misconception
def first_run_only(learned: Tensor, test: Tensor, n: int) -> bool:
    """Only the first run of the test text counts in your test. Go through all of them; if you
    already do, return True only after the loop.
    """
    return not set(runs(learned, n)) & set(runs(test, n)[:1])


@held_out.misconception
def last_run_only(learned: Tensor, test: Tensor, n: int) -> bool:
    """Only the last run of the test text counts in your test. If you have a loop, does each round
    overwrite what the one before has found?
    """
    return not set(runs(learned, n)) & set(runs(test, n)[-1:])


@held_out.misconception
def first_learned_run_only(learned: Tensor, test: Tensor, n: int) -> bool:
    """Only the first run of what is learned counts in your test. Collect all of its runs."""
    return not set(runs(learned, n)[:1]) & set(runs(test, n))


@held_out.misconception
def last_learned_run_only(learned: Tensor, test: Tensor, n: int) -> bool:
    """Only the last run of what is learned counts in your test. If you have a loop, does each round
    overwrite what the ones before have found?
    """
    return not set(runs(learned, n)[-1:]) & set(runs(test, n))


@held_out.misconception
def all_runs_known(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test says False only if every run of the test text was learned. A single one is enough:
    `any` in place of `all`.
    """
    return not set(runs(test, n)) <= set(runs(learned, n))


@held_out.misconception
def same_places(learned: Tensor, test: Tensor, n: int) -> bool:
    """You compare runs that are at the same place in both texts. A run may have been copied from
    anywhere: compare each run of one with all runs of the other.
    """
    pairs = zip(runs(learned, n), runs(test, n), strict=False)
    return not any(one == other for one, other in pairs)


@held_out.misconception
def last_run_missing(learned: Tensor, test: Tensor, n: int) -> bool:
    """The last run of the test text is never looked for. A text of t tokens has t − n + 1 runs."""
    return not set(runs(learned, n)) & set(runs(test, n)[:-1])


@held_out.misconception
def last_learned_run_missing(learned: Tensor, test: Tensor, n: int) -> bool:
    """The last run of what is learned is missing in your comparison. A text of t tokens has
    t − n + 1 runs.
    """
    return not set(runs(learned, n)[:-1]) & set(runs(test, n))


@held_out.misconception
def both_last_runs_missing(learned: Tensor, test: Tensor, n: int) -> bool:
    """The last run of each text is missing in your comparison. A text of t tokens has t − n + 1
    runs: does your range end one too soon?
    """
    return not set(runs(learned, n)[:-1]) & set(runs(test, n)[:-1])


@held_out.misconception
def first_run_missing(learned: Tensor, test: Tensor, n: int) -> bool:
    """The first run of the test text is never looked for. Begin at token 0."""
    return not set(runs(learned, n)) & set(runs(test, n)[1:])


@held_out.misconception
def one_token_longer(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your runs have n + 1 tokens, so a copied run of n tokens is not found."""
    return not set(runs(learned, n + 1)) & set(runs(test, n + 1))


@held_out.misconception
def one_token_longer_but_at_the_end(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your runs are one token longer than n, all but the last of each text. A slice that begins at
    i and ends before i + n has n tokens.
    """

    def cut(text: Tensor) -> set[Run]:
        ids = text.tolist()
        return {tuple(ids[start : start + n + 1]) for start in range(len(ids) - n + 1)}

    return not cut(learned) & cut(test)


@held_out.misconception
def one_token_shorter(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your runs have n − 1 tokens, which is why shorter copies count as well. The end of a slice is
    not part of it.
    """
    return not set(runs(learned, n - 1)) & set(runs(test, n - 1))


@held_out.misconception
def tails_as_runs(learned: Tensor, test: Tensor, n: int) -> bool:
    """The ends of the texts, which are shorter than n tokens, count as runs in your test. The last
    run begins n tokens before the end: slices beyond it are shorter.
    """

    def cut(text: Tensor) -> set[Run]:
        ids = text.tolist()
        return {tuple(ids[start : start + n]) for start in range(len(ids))}

    return not cut(learned) & cut(test)


@held_out.misconception
def as_sets(learned: Tensor, test: Tensor, n: int) -> bool:
    """The order of the tokens in a run makes no difference in your test. Compare runs as tuples or
    lists, which are equal only in the same order; sets are not.
    """
    known = {frozenset(run) for run in runs(learned, n)}
    return not any(frozenset(run) in known for run in runs(test, n))


@held_out.misconception
def sorted_runs(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test compares which tokens runs have, and how often, but not their order. Leave the
    tokens of a run in the order in which they are.
    """
    known = {tuple(sorted(run)) for run in runs(learned, n)}
    return not any(tuple(sorted(run)) in known for run in runs(test, n))


@held_out.misconception
def sums_of_runs(learned: Tensor, test: Tensor, n: int) -> bool:
    """Different runs with the same sum count as equal in your test. Compare them token by token."""
    return not {sum(run) for run in runs(learned, n)} & {sum(run) for run in runs(test, n)}


@held_out.misconception
def any_token_of_a_run(learned: Tensor, test: Tensor, n: int) -> bool:
    """One equal token makes two runs equal in your test. All n of them have to agree: `all` in
    place of `any`. (`run in runs` asks for any equal number, too, if `runs` is a tensor.)
    """
    known = runs(learned, n)
    return not any(
        any(a == b for a, b in zip(run, other, strict=True))
        for run in runs(test, n)
        for other in known
    )


@held_out.misconception
def first_token_of_a_run(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test looks at the first token of a run alone. Compare all n."""
    return not {run[0] for run in runs(learned, n)} & {run[0] for run in runs(test, n)}


@held_out.misconception
def digits_in_a_row(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test looks for digits: joined into a text, 1 and 12 are the same as 11 and 2. Compare
    the ids as numbers, in tuples or lists.
    """
    text = "".join(map(str, learned.tolist()))
    return not any("".join(map(str, run)) in text for run in runs(test, n))


@held_out.misconception
def part_of_a_text(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test looks for text in text, and finds 5, 12 in 15, 12 or 12, 3 in 12, 30. Compare the
    ids as numbers, in tuples or lists.
    """
    text = str(learned.tolist())[1:-1]
    return not any(str(list(run))[1:-1] in text for run in runs(test, n))


def in_order(run: Run, ids: list[int]) -> bool:
    """Whether a run's tokens appear in this order, with others in between or without."""
    left = iter(ids)
    return all(token in left for token in run)


@held_out.misconception
def gaps_in_the_learned(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test finds runs in what is learned even if other tokens are between theirs. They have to
    follow each other directly.
    """
    ids = learned.tolist()
    return not any(in_order(run, ids) for run in runs(test, n))


@held_out.misconception
def gaps_in_the_test(learned: Tensor, test: Tensor, n: int) -> bool:
    """Tokens of the test text count as a run in your test even if there are others between them.
    They have to follow each other directly.
    """
    ids = test.tolist()
    return not any(in_order(run, ids) for run in runs(learned, n))


@held_out.misconception
def backwards_too(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test also finds runs that are backwards in the other text. The tokens have to be
    in the same order.
    """
    known = set(runs(learned, n))
    return not any({run, run[::-1]} & known for run in runs(test, n))


@held_out.misconception
def roles_exchanged_whole(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test asks whether all runs of what is learned are in the test text. One is enough."""
    return not set(runs(learned, n)) <= set(runs(test, n))


@held_out.misconception
def short_texts_cut(learned: Tensor, test: Tensor, n: int) -> bool:
    """In a text that is shorter than n, your test looks for a shorter run. Such a text has no run
    at all, so it is held out.
    """
    n = min(n, len(learned), len(test))
    return not set(runs(learned, n)) & set(runs(test, n))


@held_out.misconception
def short_texts_refused(learned: Tensor, test: Tensor, n: int) -> bool:
    """For a text that is shorter than n your test says False. It has no run of n tokens that it
    could share, so return True.
    """
    if min(len(learned), len(test)) < n:
        return False
    return not set(runs(learned, n)) & set(runs(test, n))


@held_out.misconception
def bytes_within_bytes(learned: Tensor, test: Tensor, n: int) -> bool:
    """Your test looks for the bytes of a run at every byte, and 8 of them make an id: from the
    second byte on, 256 looks like 1. Compare whole ids.
    """
    known = learned.numpy().tobytes()
    return not any(test[i : i + n].numpy().tobytes() in known for i in range(len(test) - n + 1))


@held_out.misconception
def short_texts_unfolded(learned: Tensor, test: Tensor, n: int) -> bool:
    """`unfold` stops at a text that is shorter than n. Such a text has no run: return True before
    that.
    """
    known = {tuple(run) for run in learned.unfold(0, n, 1).tolist()}
    return not any(tuple(run) in known for run in test.unfold(0, n, 1).tolist())


@held_out.misconception
def short_tests_unfolded(learned: Tensor, test: Tensor, n: int) -> bool:
    """`unfold` stops at a test text that is shorter than n. Such a text has no run: return True
    before that.
    """
    known = set(runs(learned, n))
    return not any(tuple(run) in known for run in test.unfold(0, n, 1).tolist())


@held_out.misconception
def short_learned_unfolded(learned: Tensor, test: Tensor, n: int) -> bool:
    """`unfold` stops at a text to learn from that is shorter than n. Such a text has no run: return
    True before that.
    """
    known = {tuple(run) for run in learned.unfold(0, n, 1).tolist()}
    return not any(run in known for run in runs(test, n))


@held_out.misconception
def number_of_runs(learned: Tensor, test: Tensor, n: int) -> int:
    """This is how many runs both texts share. Return True if there are none, otherwise False."""
    return len(set(runs(learned, n)) & set(runs(test, n)))


@held_out.misconception
def nothing_at_the_end(learned: Tensor, test: Tensor, n: int) -> Any:
    """Your test says False where it should, and returns nothing where it should say True. Add
    `return True` at the end.
    """
    return None if reference.is_held_out(learned, test, n) else False


@held_out.misconception
def nothing_if_shared(learned: Tensor, test: Tensor, n: int) -> Any:
    """Your test says True where it should, and returns nothing where a run is shared. Return False
    there.
    """
    return True if reference.is_held_out(learned, test, n) else None
