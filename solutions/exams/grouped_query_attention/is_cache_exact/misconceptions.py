"""The known wrong answers to `is_cache_exact`, lesson 07."""

import torch

from companion import Past
from solutions.exams.families import CLOSENESS, EXTENT, VERDICT, Comparison, Pairs
from solutions.exams.grouped_query_attention.is_cache_exact.exam import (
    StepFunction,
    agrees,
    every_size,
    exact,
    fed,
)


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
def nan_passes(step: StepFunction, inputs: torch.Tensor) -> bool:
    """NaN slips through, since `>` and `<` are False of it. So check that the difference is small,
    not whether it is large; and do not replace NaN by a number.
    """
    return agrees(
        step,
        inputs,
        every_size(inputs),
        lambda here, right: not bool(((here - right).abs() > 1e-5).any()),
    )


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
    """Even a right cache fails your test. The text starts again with every size: does its first
    chunk then get None, and each later chunk what the step returned for the one before? And are the
    contexts joined along the tokens, dim=1?
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
