"""The exam of `next_token_examples`, lesson 04."""

import torch

from autograder import Draw, Exam
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import Pair
from solutions.exams.families import PAIR

# How many ids the tokenizer of GPT-2 has, more than 16 bits with a sign can hold.
_GPT_2 = 50_257

prefixes = Exam(
    reference.next_token_examples,
    returns=("inputs", "targets"),
    unasked={"single": "a text of one token has no next one"},
)


@prefixes.example
def one_text() -> torch.Tensor:
    """five tokens"""
    return torch.tensor([7, 1, 4, 4, 2])


@prefixes.example
def two_texts() -> torch.Tensor:
    """a batch of two texts"""
    return torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]])


@prefixes.case
def any_text(draw: Draw) -> torch.Tensor:
    """a text"""
    return torch.from_numpy(draw.integers("tokens", below=50))


@prefixes.case
def any_batch(draw: Draw) -> torch.Tensor:
    """a batch of texts"""
    return torch.from_numpy(draw.integers("batch tokens", below=_GPT_2))


@prefixes.case(times=1)
def batches_of_texts(draw: Draw) -> torch.Tensor:
    """several batches of texts, along two axes"""
    return torch.from_numpy(draw.integers("rows columns batch tokens", below=_GPT_2))


@prefixes.case(times=1)
def shortest_text(draw: Draw) -> torch.Tensor:
    """a text of two tokens"""
    return torch.from_numpy(draw.fix(tokens=2).integers("tokens", below=50))


@prefixes.misconception
def targets_not_shifted(tokens: torch.Tensor) -> Pair:
    """Your targets are the inputs themselves: the model would only have to copy. The target is the
    token that follows.
    """
    return tokens[..., :-1], tokens[..., :-1]


@prefixes.misconception
def whole_text_twice(tokens: torch.Tensor) -> Pair:
    """Both of your results are the whole text. The last token has no next one, and the first
    follows none, so each of the two is shorter by one token.
    """
    return tokens, tokens


@prefixes.misconception
def previous_token(tokens: torch.Tensor) -> Pair:
    """Inputs and targets are swapped: your target is the token before."""
    return tokens[..., 1:], tokens[..., :-1]


@prefixes.misconception
def shifted_by_two(tokens: torch.Tensor) -> Pair:
    """Your targets are two positions ahead. The target is the very next token."""
    return tokens[..., :-2], tokens[..., 2:]


@prefixes.misconception
def rolled_round(tokens: torch.Tensor) -> Pair:
    """In your targets the first token follows the last, as after `torch.roll`. The last token has
    no next one: leave it out.
    """
    return tokens, torch.roll(tokens, -1, dims=-1)


@prefixes.misconception
def last_token_only(tokens: torch.Tensor) -> Pair:
    """You return one target for the whole text. With a mask every prefix is an example, so each
    input token has a target.
    """
    return tokens[..., :-1], tokens[..., -1]


@prefixes.misconception
def batch_sliced(tokens: torch.Tensor) -> Pair:
    """With a batch you cut off a text, not a token. Slice the last axis: tokens[..., :-1]."""
    return tokens[:-1], tokens[1:]


@prefixes.misconception
def targets_of_other_texts(tokens: torch.Tensor) -> Pair:
    """The inputs are right. With a batch, your targets leave out a text instead of a token: slice
    their last axis as well, tokens[..., 1:].
    """
    return tokens[..., :-1], tokens[1:]


@prefixes.misconception
def inputs_of_other_texts(tokens: torch.Tensor) -> Pair:
    """The targets are right. With a batch, your inputs leave out a text instead of a token: slice
    their last axis as well, tokens[..., :-1].
    """
    return tokens[:-1], tokens[..., 1:]


@prefixes.misconception
def batch_assumed(tokens: torch.Tensor) -> Pair:
    """You slice the second axis, but a single text has none. The tokens are on the last axis,
    whatever comes before it: tokens[..., :-1].
    """
    return tokens[:, :-1], tokens[:, 1:]


@prefixes.misconception
def targets_as_floats(tokens: torch.Tensor) -> Pair:
    """The targets are the right ones, but as floats. They are ids: keep them as integers."""
    return tokens[..., :-1], tokens[..., 1:].float()


@prefixes.misconception
def inputs_left_whole(tokens: torch.Tensor) -> Pair:
    """The targets are right, but the inputs still have their last token, which has no target."""
    return tokens, tokens[..., 1:]


@prefixes.misconception
def padded_at_the_end(tokens: torch.Tensor) -> Pair:
    """You made up a target for the last token. It has none: leave that token out."""
    nothing = torch.zeros_like(tokens[..., :1])
    return tokens, torch.cat([tokens[..., 1:], nothing], dim=-1)


@prefixes.misconception
def prefixes_in_a_list(tokens: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """You return the prefixes one by one, as lists. Return two tensors of n − 1 tokens each: with a
    mask, one pass over the inputs handles all their prefixes.
    """
    places = range(1, tokens.shape[-1])
    return [tokens[..., :n] for n in places], [tokens[..., n] for n in places]


PAIR.apply(prefixes, without=["Swapped", "FirstTwice"])


@prefixes.accepts
def prefixes_by_narrowing(tokens: torch.Tensor) -> Pair:
    """narrow.

    `narrow` names the axis, the start and the length, so the two halves can be compared at a
    glance: they differ in where they begin.
    """
    n = tokens.shape[-1] - 1
    return tokens.narrow(-1, 0, n), tokens.narrow(-1, 1, n)


@prefixes.accepts
def prefixes_in_loops(tokens: torch.Tensor) -> Pair:
    """Token by token, stacked."""
    n = tokens.shape[-1]
    inputs = torch.stack([tokens[..., i] for i in range(n - 1)], dim=-1)
    targets = torch.stack([tokens[..., i + 1] for i in range(n - 1)], dim=-1)
    return inputs, targets


@prefixes.accepts
def prefixes_by_windows(tokens: torch.Tensor) -> Pair:
    """Pairs of neighbours.

    `unfold` slides a window of two over the tokens, and each pair is one example: a token, and
    the one to predict. It copies nothing.
    """
    pairs = tokens.unfold(-1, 2, 1)
    return pairs[..., 0], pairs[..., 1]
