"""The known wrong answers to `is_causal`, lesson 04."""

from collections.abc import Callable

import torch

from solutions.exams.causal_attention.is_causal.exam import Attention, causal
from solutions.exams.families import CLOSENESS, EXTENT, VERDICT, Comparison, Pairs


def _unchanged(
    attention: Attention,
    inputs: torch.Tensor,
    now: int,
    close: Callable[[torch.Tensor, torch.Tensor], bool] = torch.allclose,
) -> bool:
    changed = inputs.clone()
    changed[:, now:] += 1
    return close(attention(changed)[:, :now], attention(inputs)[:, :now])


def _everywhere(
    attention: Attention,
    inputs: torch.Tensor,
    close: Callable[[torch.Tensor, torch.Tensor], bool] = torch.allclose,
) -> bool:
    return all(_unchanged(attention, inputs, now, close) for now in range(1, inputs.shape[1]))


class Compared(Comparison):
    """What stands before each position, before and after all that comes from there on has
    changed.
    """

    def pairs(self, attention: Attention, inputs: torch.Tensor) -> Pairs:
        for now in range(1, inputs.shape[1]):
            changed = inputs.clone()
            changed[:, now:] += 1
            yield attention(inputs)[:, :now], attention(changed)[:, :now]


VERDICT.apply(
    causal,
    Compared,
    called={"TurnedRound": "opposite_said"},
    says={
        "AlwaysTrue": "Your test passes every attention, the one without a mask as well. Do you "
        "pass it the changed sentence? Do you change words, on the middle axis, and by enough for "
        "torch.allclose to see?"
    },
    without=["ATableOfTruths"],
)
CLOSENESS.apply(causal, Compared)
EXTENT.apply(
    causal,
    Compared,
    called={"FirstRowOnly": "first_sentence_compared", "LastRowOnly": "last_sentence_compared"},
    says={
        "FirstRowOnly": "Your test looks at the first sentence of the batch only. Any sentence can "
        "leak: compare all of them.",
        "LastRowOnly": "Your test looks at the last sentence of the batch only. Any sentence can "
        "leak: compare all of them. If you do so in a loop, does the last pass overwrite what "
        "earlier ones found?",
        "TotalsOnly": "You compare totals or averages, or take the gradient of one, in which one "
        "entry can make up for another. Compare entry by entry.",
    },
)


@causal.misconception
def totals_of_the_first_sentence(attention: Attention, inputs: torch.Tensor) -> bool:
    """You look at the first sentence alone, and at sums of its entries, or their gradients, in
    which one entry can make up for another. Compare every sentence, entry by entry.
    """
    return _everywhere(attention, inputs, lambda a, b: torch.allclose(a[0].sum(), b[0].sum()))


@causal.misconception
def only_the_last_word_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change or leave out the last word only. An attention can leak from any other: do so with
    what comes after each position in turn. If that is what your loop does, does its last pass
    overwrite what earlier ones found?
    """
    return _unchanged(attention, inputs, inputs.shape[1] - 1)


@causal.misconception
def only_the_first_word_watched(attention: Attention, inputs: torch.Tensor) -> bool:
    """You watch the first word only. Others can see the future as well: watch all words before the
    change, for each position of the change. If you do so in a loop, does a `return` end it in the
    first pass?
    """
    return _unchanged(attention, inputs, 1)


@causal.misconception
def last_word_changed_first_watched(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change the last word and watch the first, and no other pair of words. An attention can
    leak between any two: change what comes after each position in turn, and watch all the words
    before it.
    """
    changed = inputs.clone()
    changed[:, -1] += 1
    return torch.allclose(attention(changed)[:, 0], attention(inputs)[:, 0])


@causal.misconception
def gradient_of_the_first_word(attention: Attention, inputs: torch.Tensor) -> bool:
    """You look at what the first word sees. Others can see the future as well, and
    in ways that no gradient tells of, as when words are counted: change the words after each
    position, and compare what comes before.
    """
    tracked = inputs.clone().requires_grad_()
    attention(tracked)[:, 0].sum().backward()  # type: ignore[no-untyped-call]
    assert tracked.grad is not None
    return bool((tracked.grad[:, 1:] == 0).all())


@causal.misconception
def only_in_the_middle(attention: Attention, inputs: torch.Tensor) -> bool:
    """You test one position only, in the middle: whether the first half of a sentence can see the
    second. A leak within one half goes unseen: test every position.
    """
    return _unchanged(attention, inputs, max(1, inputs.shape[1] // 2))


@causal.misconception
def only_the_next_word_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change one word and watch the one before it only. A word can see further ahead than that:
    watch all words before the change.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now] += 1
        before, after = attention(inputs)[:, now - 1], attention(changed)[:, now - 1]
        if not torch.allclose(before, after):
            return False
    return True


@causal.misconception
def second_word_never_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You never change the second word while you watch the first: `first_sees_second` gets through.
    Begin one position earlier.
    """
    return all(_unchanged(attention, inputs, now) for now in range(2, inputs.shape[1]))


@causal.misconception
def a_hundredth_allowed(attention: Attention, inputs: torch.Tensor) -> bool:
    """`leaks_faintly` gets through, which adds a thousandth of the future. Do you allow for more
    than rounding, or change the words by too little? Leave torch.allclose its own tolerances.
    """
    return _everywhere(attention, inputs, lambda a, b: torch.allclose(a, b, atol=1e-2))


@causal.misconception
def only_rounding_in_float64(attention: Attention, inputs: torch.Tensor) -> bool:
    """Your tolerance is too small for float32, whose numbers have about seven digits: there,
    rounding alone makes your test return False, and the larger the numbers, the more there is of
    it. Leave torch.allclose its own tolerances: `rtol` grows with the numbers.
    """
    return _everywhere(attention, inputs, lambda a, b: torch.allclose(a, b, rtol=0, atol=1e-12))


@causal.misconception
def future_set_to_zero(attention: Attention, inputs: torch.Tensor) -> bool:
    """Where the words to come are zeros already, you change nothing: 0 in place of 0, or 2 · 0. Put
    values there that differ from the old ones.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] = 0
        if not torch.allclose(attention(changed)[:, :now], attention(inputs)[:, :now]):
            return False
    return True


@causal.misconception
def one_feature_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change some features of the words to come and not all: `one_feature_leaks` gets through.
    Change all of them.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:, 0] += 1
        if not torch.allclose(attention(changed)[:, :now], attention(inputs)[:, :now]):
            return False
    return True


@causal.misconception
def compared_with_the_inputs(attention: Attention, inputs: torch.Tensor) -> bool:
    """You compare contexts with the inputs, so only what keeps each word as it is passes. Compare
    with what the attention function returns before the change.
    """
    return all(
        torch.allclose(attention(inputs)[:, :now], inputs[:, :now])
        for now in range(1, inputs.shape[1])
    )


@causal.misconception
def last_word_never_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You never change the last word: does a loop end one position too early?"""
    for now in range(1, inputs.shape[1] - 1):
        changed = inputs.clone()
        changed[:, now] += 1
        if not torch.allclose(attention(changed)[:, :now], attention(inputs)[:, :now]):
            return False
    return True


@causal.misconception
def last_place_left_out(attention: Attention, inputs: torch.Tensor) -> bool:
    """You never watch the last word but one, which can see the last: does a loop end one position
    too early?
    """
    return all(_unchanged(attention, inputs, now) for now in range(1, inputs.shape[1] - 1))


@causal.misconception
def future_reordered(attention: Attention, inputs: torch.Tensor) -> bool:
    """You put the words to come in another order. An attention that mixes them all may give the
    same for any order: replace them by other words.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] = inputs[:, now:].flip(1)
        if not torch.allclose(attention(changed)[:, :now], attention(inputs)[:, :now]):
            return False
    return True


@causal.misconception
def changed_words_watched_too(attention: Attention, inputs: torch.Tensor) -> bool:
    """You compare words that you have changed, in this round or in one before, and those may
    change. Compare only what stands before the change, and change a new copy in each round.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] += 1
        if not torch.allclose(attention(changed), attention(inputs)):
            return False
    return True


@causal.misconception
def one_place_too_far(attention: Attention, inputs: torch.Tensor) -> bool:
    """You compare one position too many: the first word that you changed is among those that you
    watch.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] += 1
        if not torch.allclose(attention(changed)[:, : now + 1], attention(inputs)[:, : now + 1]):
            return False
    return True


@causal.misconception
def changed_word_watched(attention: Attention, inputs: torch.Tensor) -> bool:
    """You compare one position too many: the word that you changed is among those that you watch,
    and it may change.
    """
    for now in range(inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now] += 1
        if not torch.allclose(attention(changed)[:, : now + 1], attention(inputs)[:, : now + 1]):
            return False
    return True


@causal.misconception
def one_place_too_few(attention: Attention, inputs: torch.Tensor) -> bool:
    """You leave out the word just before the change, where a leak by one would show."""
    for now in range(2, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] += 1
        if not torch.allclose(attention(changed)[:, : now - 1], attention(inputs)[:, : now - 1]):
            return False
    return True


@causal.misconception
def past_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You test whether later outputs depend on earlier words, which they may. Test whether earlier
    outputs depend on later words.
    """
    return _everywhere(lambda x: attention(x.flip(1)).flip(1), inputs.flip(1))


@causal.misconception
def change_expected(attention: Attention, inputs: torch.Tensor) -> bool:
    """You require a change from the changed word on, and do not look at the outputs before it.
    Those decide: none of them may change.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] += 1
        if torch.allclose(attention(changed)[:, now:], attention(inputs)[:, now:]):
            return False
    return True


@causal.misconception
def first_sentence_only(attention: Attention, inputs: torch.Tensor) -> bool:
    """You try the first sentence only. An attention can be causal there and leak in the others."""
    return _everywhere(attention, inputs[:1])


@causal.misconception
def own_sentences(attention: Attention, inputs: torch.Tensor) -> bool:
    """You try sentences of your own. Some attentions leak in one batch and not in another: try the
    `inputs` that you are given.
    """
    drawn = torch.randn(2, 6, inputs.shape[-1], generator=torch.Generator().manual_seed(0))
    return _everywhere(attention, drawn.to(inputs))


@causal.misconception
def own_sentence(attention: Attention, inputs: torch.Tensor) -> bool:
    """You try one sentence of your own. Some attentions leak in one batch and not in another: try
    the `inputs` that you are given.
    """
    drawn = torch.randn(1, 6, inputs.shape[-1], generator=torch.Generator().manual_seed(0))
    return _everywhere(attention, drawn.to(inputs))


@causal.misconception
def inputs_overwritten(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change the inputs themselves, which are the caller's sentences. Change a copy:
    inputs.clone().
    """
    original = inputs.clone()
    inputs[:, -1] += 1
    return _everywhere(attention, original)


@causal.misconception
def overwritten_in_the_loop(attention: Attention, inputs: torch.Tensor) -> bool:
    """You write into the caller's sentences, and the changes of one round are still there in the
    next. `changed = inputs` is a second name for them, not a copy: inputs.clone().
    """
    before = attention(inputs)
    for now in range(1, inputs.shape[1]):
        inputs[:, now:] += 1
        if not torch.allclose(attention(inputs)[:, :now], before[:, :now]):
            return False
    return True


@causal.misconception
def future_of_nan(attention: Attention, inputs: torch.Tensor) -> bool:
    """You replaced the future by NaN or ∞. A weight of 0 does not hide them: 0 · NaN is NaN.
    Replace it by ordinary numbers.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] = torch.nan
        if not torch.allclose(attention(changed)[:, :now], attention(inputs)[:, :now]):
            return False
    return True


@causal.misconception
def a_table_of_truths(attention: Attention, inputs: torch.Tensor) -> torch.Tensor:
    """This is an answer for every entry. Return a single True or False for all of them together."""
    changed = inputs.clone()
    changed[:, -1] += 1
    return torch.isclose(attention(changed)[:, :-1], attention(inputs)[:, :-1])
