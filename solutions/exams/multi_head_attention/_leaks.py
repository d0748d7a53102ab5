"""Attention that padding leaks into here and there, for the exam of `is_blind_to_padding`."""

import torch
from torch import Tensor

import companion.specimens.padding_specimens as specimens
from solutions.exams.spoiled import cancelling, last_digits_changed, shuffled, signs_changed


def second_half(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """The last sentence sees its padding: not blind."""
    found = specimens.blind_attention(queries, context, padding)
    found[-1:] = specimens.no_padding_mask(queries[-1:], context[-1:], padding[-1:])
    return found


def one_feature(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """One feature of one query sees it: not blind."""
    found = specimens.blind_attention(queries, context, padding)
    found[:, -1, 0] += 0.1 * context[:, -1, -1]
    return found


def sentences_cancel(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """What one sentence gains from padding, another one loses: not blind."""
    found = specimens.blind_attention(queries, context, padding)
    return cancelling(found, 0, 0.1 * context[0, -1, -1])


def queries_cancel(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """What one query gains from padding, another one loses: not blind."""
    found = specimens.blind_attention(queries, context, padding)
    return cancelling(found, 1, 0.1 * context[:, -1:, -1:])


def sentences_exchange(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """Sentences exchange their results when the padding is another: not blind."""
    found = specimens.blind_attention(queries, context, padding)
    return shuffled(found, context[padding].sum())


def queries_exchange(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """Queries exchange their results when the padding is another: not blind."""
    found = specimens.blind_attention(queries, context, padding).transpose(0, 1)
    return shuffled(found, context[padding].sum()).transpose(0, 1)


def features_exchange(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """Features exchange their numbers when the padding is another: not blind."""
    found = specimens.blind_attention(queries, context, padding).transpose(0, 2)
    return shuffled(found, context[padding].sum()).transpose(0, 2)


def signs_change(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """Numbers change their signs when the padding is another: not blind."""
    found = specimens.blind_attention(queries, context, padding)
    return signs_changed(found, context[padding].sum())


def padding_of_another_sentence(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """Each sentence sees the padding of the one before in the batch: not blind."""
    filler = context.where(padding[..., None], 0).sum(dim=1, keepdim=True)
    found = specimens.blind_attention(queries, context, padding)
    return found + 0.1 * filler.roll(1, dims=0)


def off_by_a_little(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """Numbers move by half a thousandth, however far the padding moves: not blind."""
    found = specimens.blind_attention(queries, context, padding)
    leak = signs_changed(torch.full_like(found, 0.00025), context[padding].sum())
    return found + leak


def larger_ones_counted(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """Each query counts the numbers in the padding that are above its own: not blind."""
    larger = (context[:, None] > queries[:, :, None]) & padding[:, None, :, None]
    return specimens.blind_attention(queries, context, padding) + larger.sum(dim=2)


@torch.no_grad()
def sees_without_gradients(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """Padding is seen, and nothing has a gradient: not blind."""
    return specimens.no_padding_mask(queries, context, padding)


def rounded_by_the_padding(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
    """The padding decides the last digit of each number, and nothing else: blind."""
    found = specimens.blind_attention(queries, context, padding)
    return last_digits_changed(found, context[padding].sum())
