"""Attention that is blind to padding or not, for the hidden cases of `is_blind_to_padding`."""

import math

import torch
from torch import Tensor

from companion.specimens import padding
from solutions.exams.additive_attention._specimens import Pair, hidden_places
from solutions.exams.spoiled import cancelling, shuffled


def last_word(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """Only the last true word counts: blind to padding."""
    weights = torch.eye(annotations.shape[1], dtype=annotations.dtype)[lengths - 1]
    return torch.einsum("bs,bsd->bd", weights, annotations), weights


def by_cosines(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """A softmax of cosines, rounded differently each time: blind to padding."""
    asked = query / query.norm(dim=-1, keepdim=True)
    keys = annotations / annotations.norm(dim=-1, keepdim=True)
    # What is added is lost again in the softmax, but for its last bits.
    scores = torch.einsum("bd,bsd->bs", asked, keys) + annotations.sum() / 1000
    scores = scores.masked_fill(hidden_places(scores, lengths), -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bs,bsd->bd", weights, annotations), weights


def only_the_last_sentence(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """The last sentence alone is not masked: not blind."""
    known = lengths.clone()
    known[-1] = annotations.shape[1]
    return padding.masked_attention(query, annotations, known)


def faintly(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """The padding keeps a thousandth of its weight: not blind."""
    right, with_padding = (
        f(query, annotations, lengths)
        for f in (padding.masked_attention, padding.unmasked_attention)
    )
    mixed = [0.999 * one + 0.001 * other for one, other in zip(right, with_padding, strict=True)]
    return mixed[0], mixed[1]


def weights_of_another_mask(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """The context is right, the weights it hands out are not: not blind."""
    context, _ = padding.masked_attention(query, annotations, lengths)
    return context, padding.unmasked_attention(query, annotations, lengths)[1]


def last_feature_of_everything(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """The last feature has the padding in it: not blind."""
    contexts, weights = padding.masked_attention(query, annotations, lengths)
    return torch.cat([contexts[:, :-1], annotations[:, :, -1:].sum(dim=1)], dim=1), weights


def sentences_cancel(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """What one sentence gains from padding, another one loses: not blind."""
    contexts, weights = padding.masked_attention(query, annotations, lengths)
    return cancelling(contexts, 0, 0.1 * annotations[0, -1, -1]), weights


def sentences_exchange(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """Sentences exchange contexts and weights when their padding is another: not blind."""
    contexts, weights = padding.masked_attention(query, annotations, lengths)
    is_padding = hidden_places(weights, lengths)[..., None]
    seen = torch.where(is_padding, annotations, 0).sum()
    return shuffled(contexts, seen), shuffled(weights, seen)


def features_exchange(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
    """Features, and weights, exchange their places when the padding is another: not blind."""
    contexts, weights = padding.masked_attention(query, annotations, lengths)
    is_padding = hidden_places(weights, lengths)[..., None]
    seen = torch.where(is_padding, annotations, 0).sum()
    return shuffled(contexts.T, seen).T, shuffled(weights.T, seen).T
