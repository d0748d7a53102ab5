"""The exam of `causal_and_padding_mask`, lesson 04."""

import torch

from autograder import Draw, Exam
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import Pair, future
from solutions.exams.families import LOOP, MASK_VALUES

padding = Exam(reference.causal_and_padding_mask)


@padding.example
def three_sentences() -> torch.Tensor:
    """sentences of 2, 4 and 1 tokens"""
    return torch.tensor([2, 4, 1])


@padding.example
def an_empty_sentence() -> torch.Tensor:
    """an empty sentence, one of 3 tokens"""
    return torch.tensor([0, 3])


@padding.case
def any_lengths(draw: Draw) -> torch.Tensor:
    """lengths drawn at random"""
    lengths = torch.from_numpy(draw.integers("batch", below=8))
    lengths[0] = 8
    return lengths.flip(0)


@padding.case(times=1)
def one_full_sentence(draw: Draw) -> torch.Tensor:
    """one sentence, without padding"""
    return torch.tensor([draw.size("tokens")])


@padding.case(times=1)
def nothing_but_empty_sentences(draw: Draw) -> torch.Tensor:
    """a batch in which every sentence is empty"""
    return torch.zeros(draw.size("batch"), dtype=torch.int64)


@padding.case(times=1)
def many_sentences(draw: Draw) -> torch.Tensor:
    """a batch of 40 sentences"""
    return 1 + torch.from_numpy(draw.fix(batch=40).integers("batch", below=12))


@padding.case(times=1)
def long_sentences(draw: Draw) -> torch.Tensor:
    """sentences of more than a thousand tokens"""
    shorter, longest = sorted(draw.rng.choice(range(1025, 1050), 2, replace=False).tolist())
    return torch.tensor([shorter, longest])


padding.half_but_for("sentences of more than a thousand tokens", long_sentences)


def two_masks(lengths: torch.Tensor) -> Pair:
    """The future, (tokens, tokens), and the padding, (batch, tokens)."""
    tokens = int(lengths.max())
    return future(tokens), torch.arange(tokens) < tokens - lengths[:, None]


MASK_VALUES.apply(padding, called={"VisibleInstead": "true_for_visible"})


@padding.misconception
def padding_on_queries(lengths: torch.Tensor) -> torch.Tensor:
    """You hid the rows of the padding, so the other rows still see it. Hide the padded keys
    instead, which are the columns.
    """
    after, filler = two_masks(lengths)
    return after | filler[:, :, None]


@padding.misconception
def padding_at_the_end(lengths: torch.Tensor) -> torch.Tensor:
    """You hid the last positions. Here the padding comes first: a sentence of 2 tokens in 5
    positions has its padding at positions 0, 1 and 2.
    """
    after, _ = two_masks(lengths)
    return after | (torch.arange(len(after)) >= lengths[:, None])[:, None, :]


@padding.misconception
def length_of_the_padding(lengths: torch.Tensor) -> torch.Tensor:
    """You hid as many positions at the front as the sentence has real tokens. The rest is padding,
    tokens − length positions.
    """
    after, _ = two_masks(lengths)
    return after | (torch.arange(len(after)) < lengths[:, None])[:, None, :]


@padding.misconception
def future_only(lengths: torch.Tensor) -> torch.Tensor:
    """This hides the future only. Padding, at the front of the sentence, is hidden from every query
    as well.
    """
    after, filler = two_masks(lengths)
    return after.expand(len(filler), -1, -1).clone()


@padding.misconception
def padding_only(lengths: torch.Tensor) -> torch.Tensor:
    """This hides the padding only. A key that comes after the query is hidden as well: join the two
    masks with "or".
    """
    after, filler = two_masks(lengths)
    return filler[:, None, :].expand(-1, len(after), -1).clone()


@padding.misconception
def joined_with_and(lengths: torch.Tensor) -> torch.Tensor:
    """Your mask hides a key only if it is padding and in the future as well. One of the two is
    reason enough: join the two masks with "or".
    """
    after, filler = two_masks(lengths)
    return after & filler[:, None, :]


@padding.misconception
def padding_ends_too_early(lengths: torch.Tensor) -> torch.Tensor:
    """The last token of the padding is still visible. Positions count from 0: with 3 padded
    positions they are 0, 1 and 2.
    """
    after, filler = two_masks(lengths)
    shorter = filler & filler.roll(-1, dims=1)
    shorter[:, -1] = False
    return after | shorter[:, None, :]


@padding.misconception
def one_mask_turned(lengths: torch.Tensor) -> torch.Tensor:
    """The padding can be seen and the real tokens are hidden, as when one of two masks uses True
    for hidden, the other for visible. Use True for hidden in both.
    """
    after, filler = two_masks(lengths)
    return after | ~filler[:, None, :]


@padding.misconception
def diagonal_in_the_mask(lengths: torch.Tensor) -> torch.Tensor:
    """You hid the diagonal, so the first row of each sentence sees no token. A token may see
    itself. Or does your own `causal_mask` hide it? Run its check.
    """
    after, filler = two_masks(lengths)
    return future(len(after), 0) | filler[:, None, :]


@padding.misconception
def padding_in_two_axes(lengths: torch.Tensor) -> torch.Tensor:
    """This says which tokens are padding, (batch, tokens). The mask has a row for each query as
    well: (batch, queries, keys).
    """
    return two_masks(lengths)[1]


@padding.misconception
def padding_ends_too_late(lengths: torch.Tensor) -> torch.Tensor:
    """You hide one position too many, the first real token. Positions count from 0: with 3 padded
    positions they are 0, 1 and 2, those *below* 3.
    """
    after, _ = two_masks(lengths)
    return after | (torch.arange(len(after)) <= len(after) - lengths[:, None])[:, None, :]


@padding.misconception
def floats_joined(lengths: torch.Tensor) -> torch.Tensor:
    """`|` works on True and False, but one of your masks consists of floats: add .bool() or
    dtype=torch.bool.
    """
    after, filler = two_masks(lengths)
    return after.float() | filler[:, None, :]


@padding.misconception
def query_axis_missing(lengths: torch.Tensor) -> torch.Tensor:
    """Two shapes do not fit. Compare positions, (tokens), with lengths[:, None], (batch, 1); and
    before you join the padding, (batch, tokens), with the future, give it an axis for the queries,
    in the middle.
    """
    after, filler = two_masks(lengths)
    return after | filler


@padding.misconception
def query_axis_missing_in_front(lengths: torch.Tensor) -> torch.Tensor:
    """Two shapes do not fit. Compare lengths[:, None], (batch, 1), with positions, (tokens); and
    before you join the padding, (batch, tokens), with the future, give it an axis for the queries,
    in the middle.
    """
    after, filler = two_masks(lengths)
    return filler | after


@padding.misconception
def diagonal_kept_visible(lengths: torch.Tensor) -> torch.Tensor:
    """Your mask lets padding see itself. In this exercise padding is hidden from every query. The
    next exercise handles rows in which everything is hidden.
    """
    after, filler = two_masks(lengths)
    itself = torch.eye(len(after), dtype=torch.bool)
    return (after | filler[:, None, :]) & ~itself


@padding.misconception
def batch_for_tokens(lengths: torch.Tensor) -> torch.Tensor:
    """You used the number of sentences as the number of tokens. There are as many positions as the
    longest sentence has tokens: lengths.max().
    """
    places = torch.arange(len(lengths))
    return future(len(lengths)) | (places < len(lengths) - lengths[:, None])[:, None, :]


@padding.misconception
def first_length_for_tokens(lengths: torch.Tensor) -> torch.Tensor:
    """You took the first sentence to be the longest. There are as many positions as the longest
    sentence has tokens, wherever in the batch it is.
    """
    tokens = int(lengths[0])
    places = torch.arange(tokens)
    return future(tokens) | (places < tokens - lengths[:, None])[:, None, :]


@padding.misconception
def summed_as_floats(lengths: torch.Tensor) -> torch.Tensor:
    """Your mask is made of floats. Keep True and False, and join them with `|`."""
    after, filler = two_masks(lengths)
    return after.float() + filler[:, None, :].float()


@padding.misconception
def summed_as_numbers(lengths: torch.Tensor) -> torch.Tensor:
    """Your mask holds numbers. Keep True and False, and join them with `|`."""
    after, filler = two_masks(lengths)
    return after.int() + filler[:, None, :].int()


LOOP.apply(padding)


@padding.accepts
def padding_in_loops(lengths: torch.Tensor) -> torch.Tensor:
    """Loops."""
    tokens = int(lengths.max())
    result = torch.zeros(len(lengths), tokens, tokens, dtype=torch.bool)
    for b, length in enumerate(lengths):
        for query in range(tokens):
            result[b, query, query + 1 :] = True
            result[b, query, : tokens - int(length)] = True
    return result


@padding.accepts
def visible_then_turned(lengths: torch.Tensor) -> torch.Tensor:
    """What is visible, turned round."""
    tokens = int(lengths.max().item())
    seen = torch.tril(torch.ones(len(lengths), tokens, tokens)).bool()
    real = torch.arange(tokens, 0, -1)[None] <= lengths[:, None]
    return ~(seen & real.unsqueeze(1))


@padding.accepts
def padding_by_stacking(lengths: torch.Tensor) -> torch.Tensor:
    """One sentence at a time, stacked."""
    tokens = int(max(lengths))
    masks = []
    for length in lengths.tolist():
        one = torch.triu(torch.ones(tokens, tokens, dtype=torch.bool), diagonal=1)
        one[:, : tokens - length] = True
        masks.append(one)
    return torch.stack(masks)
