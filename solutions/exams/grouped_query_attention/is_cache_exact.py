"""The exam of `is_cache_exact`, lesson 07."""

from collections.abc import Callable

import torch

import companion.specimens.cached_steps as specimens
from autograder import Draw, Exam
from companion import Past
from solutions import grouped_query_attention as reference
from solutions.exams.families import CLOSENESS, EXTENT, VERDICT, Comparison, Pairs
from solutions.exams.grouped_query_attention import _drawn_steps as drawn
from solutions.exams.grouped_query_attention._specimens import TWO_TEXTS
from solutions.exams.spoiled import (
    cancelling,
    exchanging,
    late_place,
    place_in_turn,
    spoiled,
)

exact = Exam(reference.is_cache_exact, dtypes=("float64",))

StepFunction = drawn.StepFunction
Tried = tuple[StepFunction, torch.Tensor]

exact.tries(
    (
        specimens.attends_to_its_cache,
        specimens.recomputes_everything,
        specimens.running_average,
        specimens.only_itself,
        specimens.doubles_each_token,
        specimens.mask_from_the_start,
        specimens.no_mask_in_the_chunk,
        specimens.sees_its_chunk_only,
        specimens.keeps_the_last_chunk,
        specimens.trims_before_attending,
        specimens.pads_odd_chunks,
        specimens.keeps_three_of_a_chunk,
        specimens.largest_of_its_chunk,
        specimens.smallest_of_its_chunk,
        specimens.shortcut_for_one,
        specimens.first_text_only,
        specimens.last_text_only,
        specimens.cancelling_features,
        specimens.cancelling_tokens,
        specimens.rounds_its_cache,
    ),
    TWO_TEXTS,
    on="two texts of six words",
)
exact.tries([specimens.first_text_only], TWO_TEXTS[:1], on="one text")
exact.tries(
    (specimens.pads_odd_chunks, specimens.shortcut_for_one), TWO_TEXTS[:, :2], on="two words"
)
exact.tries([specimens.only_itself], TWO_TEXTS[:, :1], on="one word, of which there is one chunk")


def five_texts(draw: Draw) -> torch.Tensor:
    """Five texts of seven words, of six features."""
    return draw.fix(batch=5, tokens=7, d_in=6).tensor("batch tokens d_in")


exact.tries(
    (
        drawn.sums_so_far,
        drawn.largest_so_far,
        drawn.smallest_in_the_chunk,
        drawn.the_word_before,
        drawn.word_before_in_the_chunk,
        drawn.counts_places_anew,
        drawn.forgets_the_first,
        drawn.average_of_the_chunk,
        drawn.last_feature_is_new,
        drawn.faintly_different,
        drawn.a_little_louder,
        specimens.keeps_the_last_chunk,
        specimens.keeps_three_of_a_chunk,
    ),
    five_texts,
    times=1,
)


def wrong_in_size(draw: Draw, size: int) -> StepFunction:
    """A step that is wrong in one number of five texts, in chunks of one size."""
    text, feature = place_in_turn(draw, 5, 6)
    return drawn.wrong_in_chunks_of(
        size, spoiled(draw, text, int(draw.rng.integers(size)), feature)
    )


@exact.case(times=6)
def one_number_is_wrong(draw: Draw) -> Tried:
    """one number is wrong, in chunks of one size alone"""
    inputs = five_texts(draw)
    return wrong_in_size(draw, draw.in_turn(range(1, 7))), inputs


@exact.case(times=3)
def large_chunks_are_wrong(draw: Draw) -> Tried:
    """one number of a long text is wrong, in large chunks of one size alone"""
    inputs = draw.fix(batch=5, tokens=16, d_in=6).tensor("batch tokens d_in")
    return wrong_in_size(draw, draw.in_turn(range(7, 16))), inputs


@exact.case(times=2)
def largest_chunks_are_wrong(draw: Draw) -> Tried:
    """one of the last numbers of still larger chunks is wrong, in those of one size alone"""
    # A function that is lent is given no more than 4,096 numbers, those of its cache among them: so
    # in one turn there are many texts and features, and in the other many words.
    least_sizes = draw.in_turn(((11, 18, 11), (3, 40, 4)))
    batch, tokens, d_in = (int(draw.rng.integers(least, least + 3)) for least in least_sizes)
    inputs = draw.fix(batch=batch, tokens=tokens, d_in=d_in).tensor("batch tokens d_in")
    size = int(draw.rng.integers(tokens - 4, tokens))
    return drawn.wrong_in_chunks_of(
        size, spoiled(draw, *late_place(draw, batch, size, d_in))
    ), inputs


@exact.case(times=1)
def texts_cancel(draw: Draw) -> Tried:
    """with a cache, one text's contexts are too large, and another's too small by as much"""
    return drawn.wrong_with_a_cache(lambda contexts: cancelling(contexts, 0)), five_texts(draw)


@exact.case(times=1)
def texts_exchange(draw: Draw) -> Tried:
    """with a cache, two texts exchange their contexts"""
    return drawn.wrong_with_a_cache(exchanging(draw, 5)), five_texts(draw)


@exact.case(times=1)
def tokens_exchange(draw: Draw) -> Tried:
    """with a cache, the contexts of each chunk are in reverse"""
    return drawn.wrong_with_a_cache(lambda contexts: contexts.flip(1)), five_texts(draw)


@exact.case(times=1)
def one_word_is_one_chunk(draw: Draw) -> Tried:
    """a text of one word, of which there is one chunk"""
    return specimens.mask_from_the_start, draw.fix(tokens=1).tensor("batch tokens d_in")


@exact.case(times=1)
def two_words_one_by_one(draw: Draw) -> Tried:
    """a text of two words, of which a second chunk can't see itself"""
    return specimens.shortcut_for_one, draw.fix(tokens=2).tensor("batch tokens d_in")


@exact.case(times=1)
def long_text_is_forgotten(draw: Draw) -> Tried:
    """a cache that holds five tokens, on a text of 20"""
    return drawn.forgets_the_first, draw.fix(tokens=20).tensor("batch tokens d_in")


def fed(function: StepFunction, inputs: torch.Tensor, size: int) -> torch.Tensor:
    """The contexts of a text, in chunks of one size."""
    past: Past = None
    contexts = []
    for start in range(0, inputs.shape[1], size):
        context, past = function(inputs[:, start : start + size], past)
        contexts.append(context)
    return torch.cat(contexts, dim=1)


def agrees(
    function: StepFunction,
    inputs: torch.Tensor,
    sizes: range,
    close: Callable[[torch.Tensor, torch.Tensor], bool] = torch.allclose,
) -> bool:
    whole = function(inputs, None)[0]
    return all(close(fed(function, inputs, size), whole) for size in sizes)


def every_size(inputs: torch.Tensor) -> range:
    return range(1, inputs.shape[1])


class Compared(Comparison):
    """The contexts of the whole text, and those of its chunks, of every size."""

    def pairs(self, step: StepFunction, inputs: torch.Tensor) -> Pairs:
        for size in every_size(inputs):
            yield step(inputs, None)[0], fed(step, inputs, size)


VERDICT.apply(
    exact,
    Compared,
    called={"AlwaysTrue": "compared_with_itself", "AlwaysFalse": "nobody_passes"},
    says={
        "AlwaysTrue": "Every step passes your test. Compare the whole text at once with its "
        "chunks, and return False if they differ for any size.",
        "AlwaysFalse": "Not even `only_itself` passes your test, although it returns each token "
        "as it is. Look at what you compare, and at what you return.",
    },
    without=["ATableOfTruths"],
)
CLOSENESS.apply(
    exact,
    Compared,
    called={"ToTheLastBit": "compared_exactly", "FallsOverlooked": "signs_kept"},
    says={
        "ToTheLastBit": "You compare to the last bit, as `==` and `torch.equal` do, but "
        "`running_average` differs in its last bits. Allow for that, with torch.allclose.",
        "TooGenerous": "`rounds_its_cache` slips through. Do you allow for more than rounding "
        "errors? Leave torch.allclose its own tolerances.",
        "FallsOverlooked": "Your differences keep their signs, and those of "
        "`largest_of_its_chunk` all have the same one. Take abs() first.",
    },
)
EXTENT.apply(
    exact,
    Compared,
    called={
        "AnyNumber": "any_number_will_do",
        "FirstRowOnly": "first_text_compared",
        "LastRowOnly": "last_text_compared",
    },
    says={
        "FirstRowOnly": "You compare only the first text of the batch. `first_text_only` is right "
        "there: compare all of them.",
        "LastRowOnly": "You compare only the last text of the batch. `last_text_only` is right "
        "there: compare all of them.",
    },
)


@exact.misconception
def a_thousandth_allowed(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You allow for a thousandth, more than rounding. Leave torch.allclose its own tolerances."""
    return agrees(step, inputs, every_size(inputs), lambda a, b: torch.allclose(a, b, rtol=1e-3))


@exact.misconception
def single_tokens_only(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Only the smallest chunks count in your test: `pads_odd_chunks`, which is right for single
    tokens and pairs, gets through. Try every size. If you do so in a loop, does it return in its
    first pass?
    """
    return agrees(step, inputs, range(1, 2))


@exact.misconception
def pairs_only(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You feed chunks of two only. `shortcut_for_one` gets these right: try every size."""
    return agrees(step, inputs, range(2, 3))


@exact.misconception
def half_the_text_at_most(step: StepFunction, inputs: torch.Tensor) -> bool:
    """`keeps_three_of_a_chunk` goes wrong in the rest of a text after a chunk of four or five. Try
    these sizes, and compare the rest, even if it is not a full chunk.
    """
    return agrees(step, inputs, range(1, inputs.shape[1] // 2 + 1))


@exact.misconception
def no_single_tokens(step: StepFunction, inputs: torch.Tensor) -> bool:
    """In a text of two words you never compare single tokens with the whole, and `shortcut_for_one`
    is wrong only there. The sizes go from 1 to one less than there are tokens: does your range
    start too late, or end too early?
    """
    return agrees(step, inputs, range(2, inputs.shape[1]))


@exact.misconception
def halves_only(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Only a text that is cut in two counts in your test: `keeps_the_last_chunk`, which needs a
    third chunk to show what it lost, gets through. Try every size. If you do so in a loop, does the
    last pass overwrite what earlier ones found?
    """
    whole = step(inputs, None)[0]
    for place in range(1, inputs.shape[1]):
        first, past = step(inputs[:, :place], None)
        second, _ = step(inputs[:, place:], past)
        if not torch.allclose(torch.cat([first, second], dim=1), whole):
            return False
    return True


@exact.misconception
def last_token_only(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You compare only the end of a text. `no_mask_in_the_chunk` gets that right: compare all its
    tokens.
    """
    return agrees(step, inputs, every_size(inputs), lambda a, b: torch.allclose(a[:, -1], b[:, -1]))


@exact.misconception
def last_after_single_tokens(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Only the last context after single tokens counts in your test: `no_mask_in_the_chunk` and
    `pads_odd_chunks`, which get that right, get through. Compare all contexts, with every size.
    """
    return agrees(step, inputs, range(1, 2), lambda a, b: torch.allclose(a[:, -1], b[:, -1]))


@exact.misconception
def past_not_passed_on(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Even a right cache fails your test as soon as there is a second chunk. Does each later chunk
    get what the step returned for the one before, and the first None, because the text starts again
    with every size? And are the contexts joined along the tokens, dim=1?
    """
    whole = step(inputs, None)[0]
    for size in every_size(inputs):
        chunks = [inputs[:, i : i + size] for i in range(0, inputs.shape[1], size)]
        parts = [step(chunk, None)[0] for chunk in chunks]
        if not torch.allclose(torch.cat(parts, dim=1), whole):
            return False
    return True


@exact.misconception
def compared_with_the_inputs(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You compare the contexts with the inputs, so only `only_itself` passes. Compare with what the
    step returns for the whole text at once.
    """
    return all(torch.allclose(fed(step, inputs, size), inputs) for size in every_size(inputs))


@exact.misconception
def first_chunk_only(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Only the first chunk of a text counts in your test, and it has no past yet. If you have a
    loop, is `return` inside it? Return True only at the end, when nothing has differed.
    """
    first, _ = step(inputs[:, :1], None)
    return torch.allclose(first, step(inputs, None)[0][:, :1])


@exact.misconception
def number_for_size(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Your chunks of six words have two or three tokens, never one, four or five. `torch.chunk`
    takes the number of pieces, `torch.split` the length of each of them.
    """
    whole = step(inputs, None)[0]
    for number in every_size(inputs):
        past: Past = None
        contexts = []
        for chunk in torch.chunk(inputs, number, dim=1):
            context, past = step(chunk, past)
            contexts.append(context)
        if not torch.allclose(torch.cat(contexts, dim=1), whole):
            return False
    return True


@exact.misconception
def past_kept_between_sizes(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Some chunk gets a past that the step did not return for the chunk before it. The text starts
    again with every size, with None; each later chunk gets what the step has just returned.
    """
    whole, past = step(inputs, None)[0], None
    for size in every_size(inputs):
        contexts = []
        for chunk in torch.split(inputs, size, dim=1):
            context, past = step(chunk, past)
            contexts.append(context)
        if not torch.allclose(torch.cat(contexts, dim=1), whole):
            return False
    return True


@exact.misconception
def one_size_is_enough(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Your test already passes when chunks of one size give the right contexts. Every size has to
    give them: use `all`, not `any`, or return False at the first that does not.
    """
    whole = step(inputs, None)[0]
    return any(torch.allclose(fed(step, inputs, size), whole) for size in every_size(inputs))


@exact.misconception
def tokens_averaged(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You add or average over the tokens before you compare: in `cancelling_tokens`, the error of
    one makes up for that of another. Compare entry by entry.
    """
    return agrees(
        step, inputs, every_size(inputs), lambda a, b: torch.allclose(a.mean(dim=1), b.mean(dim=1))
    )


@exact.misconception
def features_averaged(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You add or average over the features before you compare: in `cancelling_features`, the error
    of one makes up for that of another. Compare entry by entry.
    """
    return agrees(
        step, inputs, every_size(inputs), lambda a, b: torch.allclose(a.mean(dim=2), b.mean(dim=2))
    )


@exact.misconception
def split_along_the_batch(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You split the batch into texts. Split each text along its tokens, dim=1."""
    whole = step(inputs, None)[0]
    for size in every_size(inputs):
        past: Past = None
        contexts = []
        for texts in torch.split(inputs, size):
            context, past = step(texts, past)
            contexts.append(context)
        if not torch.allclose(torch.cat(contexts), whole):
            return False
    return True


@exact.misconception
def a_table_of_truths(step: StepFunction, inputs: torch.Tensor) -> torch.Tensor:
    """This gives an answer for every entry. Return a single True or False for all of them
    together.
    """
    return torch.isclose(fed(step, inputs, 1), step(inputs, None)[0])


@exact.accepts
def all_sizes_at_once(step: StepFunction, inputs: torch.Tensor) -> bool:
    """The largest difference over all sizes."""
    whole = step(inputs, None)[0]
    gaps = [(fed(step, inputs, size) - whole).abs().max() for size in every_size(inputs)]
    return not gaps or bool(torch.stack(gaps).max() < 1e-6)


@exact.accepts
def against_single_tokens(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Every size, the whole text among them, against token by token."""
    slow = fed(step, inputs, 1)
    sizes = range(1, inputs.shape[1] + 1)
    return all(torch.allclose(fed(step, inputs, size), slow, atol=1e-7) for size in sizes)


@exact.accepts
def while_tokens_are_left(step: StepFunction, inputs: torch.Tensor) -> bool:
    """A loop over what is left, comparing chunk by chunk."""
    whole = step(inputs, None)[0]
    for size in range(1, inputs.shape[1]):
        past: Past = None
        done = 0
        while done < inputs.shape[1]:
            context, past = step(inputs[:, done : done + size], past)
            if (context - whole[:, done : done + size]).abs().max() > 1e-6:
                return False
            done += size
    return True
