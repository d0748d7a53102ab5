"""The exam of `is_permutation_equivariant`, lesson 02."""

from collections.abc import Callable

import numpy as np

import companion
from autograder import Draw, Exam
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._specimens import (
    FAR_APART,
    FOUR_TIMES_THE_SAME,
    YOUR_JOURNEY,
    Pair,
)
from solutions.exams.families import (
    CLOSENESS,
    EXTENT,
    GENEROSITY,
    VERDICT,
    Comparison,
    Pairs,
)
from solutions.exams.spoiled import exchanging, late_place, place_in_turn, spoiled

Attention = Callable[[np.ndarray], np.ndarray]

equivariant = Exam(reference.is_permutation_equivariant, dtypes=("float64",))

CYCLE = np.array([1, 2, 3, 4, 5, 0])
SWAP = np.array([1, 0, 2, 3, 4, 5])
INNER_SWAP = np.array([0, 2, 1, 3, 4, 5])
# Here an echo and a copy change no number by more than some thousandths.
SHORT_WORDS = (YOUR_JOURNEY.vectors / 100).round(4)

equivariant.tries(
    (
        companion.plain_attention,
        companion.leave_as_is,
        companion.attention_with_positions,
        companion.copy_first_word,
        companion.reversed_attention,
        companion.attention_with_a_slip,
        companion.attention_with_an_echo,
    ),
    (YOUR_JOURNEY.vectors, CYCLE),
    on="the words moved round",
)
equivariant.tries(
    (companion.plain_attention, companion.reversed_attention),
    (FAR_APART, SWAP),
    on="two of six words far apart swapped",
)
equivariant.tries(
    [companion.reversed_attention], (YOUR_JOURNEY.vectors, INNER_SWAP), on="two inner words swapped"
)
equivariant.tries(
    (companion.plain_attention, companion.leave_as_is, companion.attention_with_positions),
    (YOUR_JOURNEY.vectors, np.arange(6)),
    on="nothing moved",
)
equivariant.tries(
    [companion.reversed_attention],
    (YOUR_JOURNEY.vectors[:3], np.array([1, 2, 0])),
    on="three words moved round",
)
equivariant.tries(
    [companion.plain_attention],
    (FOUR_TIMES_THE_SAME, np.array([2, 0, 3, 1])),
    on="the same word four times",
)
equivariant.tries(
    (companion.attention_with_an_echo, companion.copy_first_word),
    (SHORT_WORDS, np.array([4, 2, 0, 5, 1, 3])),
    on="words a hundredth as long",
)
equivariant.tries(
    [companion.attention_with_an_echo],
    (YOUR_JOURNEY.vectors, np.array([5, 4, 3, 2, 1, 0])),
    on="the words in reverse",
)


def average_for_all(inputs: np.ndarray, /) -> np.ndarray:
    """Every word gets the plain average: equivariant."""
    return np.broadcast_to(inputs.mean(axis=0), inputs.shape)


def twice_as_long(inputs: np.ndarray, /) -> np.ndarray:
    """Every word is doubled: equivariant."""
    return 2 * inputs


def average_so_far(inputs: np.ndarray, /) -> np.ndarray:
    """Every word averages the words before it: not equivariant."""
    return np.cumsum(inputs, axis=0) / np.arange(1, len(inputs) + 1)[:, None]


def second_word_forgotten(inputs: np.ndarray, /) -> np.ndarray:
    """The second position is left empty: not equivariant."""
    contexts = companion.plain_attention(inputs)
    contexts[1] = 0
    return contexts


def in_sorted_order(inputs: np.ndarray, /) -> np.ndarray:
    """The right contexts in an order of their own: not equivariant."""
    contexts = companion.plain_attention(inputs)
    return contexts[np.argsort(contexts[:, 0])]


def places_in_the_last_feature(inputs: np.ndarray, /) -> np.ndarray:
    """The position of each word leaks into its last feature: not equivariant."""
    contexts = companion.plain_attention(inputs)
    contexts[:, -1] += np.arange(len(inputs))
    return contexts


def faint_places(inputs: np.ndarray, /) -> np.ndarray:
    """The position of each word leaks, by some ten-thousandths: not equivariant."""
    return companion.plain_attention(inputs) + 0.0002 * np.arange(len(inputs))[:, None]


def five_words_moved(draw: Draw) -> Pair:
    """Words, and the positions that they come from."""
    return draw.fix(tokens=5)("tokens d_in"), np.array([2, 0, 4, 1, 3])


equivariant.tries(
    (
        average_for_all,
        twice_as_long,
        average_so_far,
        second_word_forgotten,
        in_sorted_order,
    ),
    five_words_moved,
)
equivariant.tries((places_in_the_last_feature, faint_places), five_words_moved, times=1)


def wrong_once_shuffled(draw: Draw, wrong: Attention) -> tuple[Attention, np.ndarray, np.ndarray]:
    """An attention that is right for the words in their order, and wrong in any other."""
    words = draw("tokens d_in")

    def attention(inputs: np.ndarray, /) -> np.ndarray:
        contexts = companion.plain_attention(inputs)
        return contexts if np.array_equal(inputs, words) else wrong(contexts)

    # No word stays where it is.
    return attention, words, np.roll(np.arange(len(words)), int(draw.rng.integers(1, len(words))))


@equivariant.case(times=5)
def one_number_is_wrong(draw: Draw) -> tuple[Attention, np.ndarray, np.ndarray]:
    """one number is wrong once the words are shuffled"""
    draw.fix(tokens=5, d_in=6)
    return wrong_once_shuffled(draw, spoiled(draw, *place_in_turn(draw, 5, 6)))


@equivariant.case(times=1)
def a_late_number_is_wrong(draw: Draw) -> tuple[Attention, np.ndarray, np.ndarray]:
    """of many words one of the last is wrong once they are shuffled"""
    tokens, d_in = (int(size) for size in draw.rng.integers(12, 18, size=2))
    draw.fix(tokens=tokens, d_in=d_in)
    return wrong_once_shuffled(draw, spoiled(draw, *late_place(draw, tokens, d_in)))


@equivariant.case(times=1)
def words_exchange(draw: Draw) -> tuple[Attention, np.ndarray, np.ndarray]:
    """two words exchange their contexts once they are shuffled"""
    return wrong_once_shuffled(draw.fix(tokens=5), exchanging(draw, 5))


@equivariant.case(times=1, dtypes=("float32",))
def rounded_in_single_precision(draw: Draw) -> tuple[Attention, np.ndarray, np.ndarray]:
    """contexts that only rounding changes, by a step of their precision"""
    words = draw.fix(tokens=5)("tokens d_in").astype(np.float32)

    def attention(inputs: np.ndarray, /) -> np.ndarray:
        contexts = companion.plain_attention(inputs.astype(np.float64)).astype(inputs.dtype)
        step = 0 if np.array_equal(inputs, words) else float(np.finfo(np.float32).eps)
        return contexts * (1 + step)

    return attention, words, np.array([2, 0, 4, 1, 3])


equivariant.half_but_for("rounding in single precision", rounded_in_single_precision)


class Compared(Comparison):
    """The outputs, shuffled as the inputs are, and those of the shuffled inputs."""

    def pairs(self, attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> Pairs:
        yield attention(inputs)[permutation], attention(inputs[permutation])


VERDICT.apply(equivariant, Compared)
(CLOSENESS + GENEROSITY).apply(equivariant, Compared)
EXTENT.apply(
    equivariant,
    Compared,
    called={"FirstRowOnly": "first_word_only", "LastRowOnly": "last_word_only"},
    says={
        "FirstRowOnly": "You compare too little: an attention function can be wrong in a single "
        "entry. All words and all features have to agree."
    },
    without=["FirstNumberOnly", "TotalsOnly"],
)


@equivariant.misconception
def close_in_double_precision(
    attention: Attention, inputs: np.ndarray, permutation: np.ndarray
) -> bool:
    """In single precision, results are rounded at the seventh digit, which your test takes for a
    difference: a bound such as 1e-12 is for double precision only. Allow for both, as `allclose`
    does with the tolerance that it has by default.
    """
    gap = np.abs(attention(inputs[permutation]) - attention(inputs)[permutation])
    return bool(gap.max() < 1e-12)


@equivariant.misconception
def invariance(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """You test whether shuffling changes nothing at all, which is invariance. Equivariance means
    that the outputs are shuffled in the same way as the inputs.
    """
    return bool(np.allclose(attention(inputs[permutation]), attention(inputs)))


@equivariant.misconception
def shuffled_back(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """The rows on the two sides of your comparison are in different orders, as when one side is
    moved by the inverse permutation, or when the permutation is applied a second time to undo it.
    That works when two words are swapped, but not when three words move in a cycle: the outputs
    have to move once, as the inputs did.
    """
    inverse = np.argsort(permutation)
    return bool(np.allclose(attention(inputs[permutation]), attention(inputs)[inverse]))


@equivariant.misconception
def only_shuffled_outputs(
    attention: Attention, inputs: np.ndarray, permutation: np.ndarray
) -> bool:
    """Both sides of your comparison use the unshuffled inputs. Shuffle the inputs of one side."""
    return bool(np.allclose(attention(inputs)[permutation], attention(inputs)))


@equivariant.misconception
def moved_twice(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """One side of your comparison is shuffled once more than the other. Shuffle once on each side:
    before the attention function on one, after it on the other.
    """
    twice = attention(inputs)[permutation][permutation]
    return bool(np.allclose(attention(inputs[permutation]), twice))


@equivariant.misconception
def compared_with_the_words(
    attention: Attention, inputs: np.ndarray, permutation: np.ndarray
) -> bool:
    """You compare contexts with the words that went in. Compare two results of the attention
    function: one with the words shuffled before it, one with its output shuffled.
    """
    return bool(np.allclose(attention(inputs[permutation]), inputs))


@equivariant.misconception
def compared_with_the_shuffled_words(
    attention: Attention, inputs: np.ndarray, permutation: np.ndarray
) -> bool:
    """You compare contexts with the words that went in, so only an attention function that leaves
    the words as they are can pass. Compare two results of the attention function.
    """
    return bool(np.allclose(attention(inputs[permutation]), inputs[permutation]))


@equivariant.misconception
def any_word(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """Your test is satisfied when one word agrees. All of them have to: in a loop, return True only
    after the last one.
    """
    first, last = attention(inputs[permutation]), attention(inputs)[permutation]
    return bool(np.isclose(first, last).all(axis=1).any())


@equivariant.misconception
def first_feature_only(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """Your test looks at the first feature only. Any of them can be wrong: compare all of them."""
    first, last = attention(inputs[permutation]), attention(inputs)[permutation]
    return bool(np.allclose(first[:, 0], last[:, 0]))


@equivariant.misconception
def same_rows_somewhere(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """Your comparison ignores the order of the contexts, as sorting both results does: the same
    contexts in any order pass. Compare word by word.
    """
    first, last = attention(inputs[permutation]), attention(inputs)
    return bool(np.allclose(sorted(first.tolist()), sorted(last.tolist())))


@equivariant.misconception
def totals_only(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """Your comparison ignores the order of the contexts, as a sum over the words does. Compare word
    by word, and allow for rounding only.
    """
    shuffled = attention(inputs[permutation]).sum(axis=0)
    return bool(np.allclose(shuffled, attention(inputs).sum(axis=0)))


@equivariant.misconception
def an_order_of_its_own(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """You reverse the words, whatever the permutation. Some attention functions pass for this order
    and fail for another: use the argument `permutation`.
    """
    return bool(np.allclose(attention(inputs[::-1]), attention(inputs)[::-1]))


@equivariant.misconception
def an_order_drawn(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """You shuffle the words in an order of your own, whatever the permutation. Some attention
    functions pass for one order and fail for another: use the argument `permutation`.
    """
    drawn = np.random.default_rng(0).permutation(len(inputs))
    return bool(np.allclose(attention(inputs[drawn]), attention(inputs)[drawn]))


@equivariant.misconception
def first_two_swapped(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """You shuffle the words in an order of your own, whatever the permutation. Some attention
    functions pass for one order and fail for another: use the argument `permutation`.
    """
    swapped = np.array([1, 0, *range(2, len(inputs))])
    return bool(np.allclose(attention(inputs[swapped]), attention(inputs)[swapped]))


@equivariant.accepts
def by_greatest_gap(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """The largest difference is small."""
    gap = np.abs(attention(inputs[permutation]) - attention(inputs)[permutation])
    return bool(gap.max() < 1e-6)


@equivariant.accepts
def by_permutation_matrix(
    attention: Attention, inputs: np.ndarray, permutation: np.ndarray
) -> np.bool_:
    """The permutation as a matrix."""
    P = np.eye(len(inputs))[permutation]
    return np.isclose(attention(P @ inputs), P @ attention(inputs)).all()


@equivariant.accepts
def word_by_word(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """A loop over the words."""
    straight, shuffled = attention(inputs), attention(inputs[permutation])
    return all(np.allclose(shuffled[i], straight[p]) for i, p in enumerate(permutation))
