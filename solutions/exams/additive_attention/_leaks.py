"""Attention that is blind to padding or not, for the hidden cases of `is_blind_to_padding`."""

import math

import torch
from torch import Tensor, nn

from companion.specimens import padding
from solutions.exams.additive_attention._specimens import Pair, hidden_places
from solutions.exams.spoiled import cancelling, shuffled


def last_word(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Pair:
    """Only the last true word counts: blind to padding."""
    weights = torch.eye(annotations.shape[1], dtype=annotations.dtype)[lengths - 1]
    return torch.einsum("bs,bsd->bd", weights, annotations), weights


def by_cosines(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Pair:
    """A softmax of cosines, rounded differently each time: blind to padding."""
    asked = query / query.norm(dim=-1, keepdim=True)
    keys = annotations / annotations.norm(dim=-1, keepdim=True)
    # What is added is lost again in the softmax, but for its last bits.
    scores = torch.einsum("bd,bsd->bs", asked, keys) + annotations.sum() / 1000
    scores = scores.masked_fill(hidden_places(scores, lengths), -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bs,bsd->bd", weights, annotations), weights


def only_the_last_sentence(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Pair:
    """The last sentence alone is not masked: not blind."""
    known = lengths.clone()
    known[-1] = annotations.shape[1]
    return padding.masked_attention(query, annotations, known)


def faintly(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Pair:
    """The padding keeps a thousandth of its weight: not blind."""
    right, with_padding = (
        f(query, annotations, lengths)
        for f in (padding.masked_attention, padding.unmasked_attention)
    )
    mixed = [0.999 * one + 0.001 * other for one, other in zip(right, with_padding, strict=True)]
    return mixed[0], mixed[1]


def weights_of_another_mask(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Pair:
    """The context is right, the weights it hands out are not: not blind."""
    context, _ = padding.masked_attention(query, annotations, lengths)
    return context, padding.unmasked_attention(query, annotations, lengths)[1]


def last_feature_of_everything(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Pair:
    """The last feature has the padding in it: not blind."""
    contexts, weights = padding.masked_attention(query, annotations, lengths)
    return torch.cat([contexts[:, :-1], annotations[:, :, -1:].sum(dim=1)], dim=1), weights


def padding_direction(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Pair:
    """Of the padding, the size of the features next to each other counts: not blind."""
    contexts, weights = padding.masked_attention(query, annotations, lengths)
    seen = torch.where(hidden_places(weights, lengths)[..., None], annotations, 0).sum(dim=1)
    # Neither padding that is multiplied nor its opposite is another one here.
    return contexts + 0.1 * nn.functional.normalize(seen, dim=-1).square(), weights


def cancelled(right: Tensor, seen: Tensor) -> Tensor:
    """What one row gains, another one loses; a test of sums or averages overlooks it."""
    return cancelling(right, 0, 0.01 * seen)


def rows_exchanged(right: Tensor, seen: Tensor) -> Tensor:
    """Sentences exchange their rows; a test that sorts them overlooks it."""
    return shuffled(right, seen)


def columns_exchanged(right: Tensor, seen: Tensor) -> Tensor:
    """Numbers change their places in each row; a test of lengths overlooks it."""
    return shuffled(right.T, seen).T


def stretched(right: Tensor, seen: Tensor) -> Tensor:
    """All numbers are multiplied by one; a test of cosines overlooks it."""
    return right * (2 + torch.tanh(0.01 * seen))
