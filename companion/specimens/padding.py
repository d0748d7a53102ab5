"""Attentions to try a test for padding on: some never look at it, some do, each in its own way.

Each is called with a query `(batch, d)`, annotations `(batch, source, d)` and the number of true
words of each sentence, `(batch,)`. Each returns contexts `(batch, d)` and weights
`(batch, source)`. All of them compare by dot products, without anything to train.
"""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

Result = tuple[Tensor, Tensor]


def masked_attention(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Attends to the true words alone."""
    return _attend(query, annotations, annotations, _is_word(annotations, lengths))


def average_of_words(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Gives all true words of a sentence the same weight."""
    alike = torch.zeros_like(annotations)
    return _attend(query, alike, annotations, _is_word(annotations, lengths))


def average_less_padding(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Averages the true words: adds up everything, then takes away the padding again."""
    is_word = _is_word(annotations, lengths)
    padding = (annotations * ~is_word.unsqueeze(-1)).sum(dim=1)
    contexts = (annotations.sum(dim=1) - padding) / lengths.unsqueeze(-1)
    return contexts, is_word / lengths.unsqueeze(-1).to(contexts)


def unmasked_attention(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Attends to everything, the padding too."""
    everywhere = torch.ones_like(_is_word(annotations, lengths))
    return _attend(query, annotations, annotations, everywhere)


def one_too_far(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Attends to the true words and to the first padding behind them."""
    return _attend(query, annotations, annotations, _is_word(annotations, lengths + 1))


def last_place_too(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Attends to the true words and to the last position, padded or not."""
    visible = _is_word(annotations, lengths)
    visible[:, -1] = True
    return _attend(query, annotations, annotations, visible)


def first_length_for_all(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Takes every sentence for as long as the first one."""
    is_word = _is_word(annotations, lengths[:1].expand_as(lengths))
    return _attend(query, annotations, annotations, is_word)


def last_length_for_all(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Takes every sentence for as long as the last one."""
    is_word = _is_word(annotations, lengths[-1:].expand_as(lengths))
    return _attend(query, annotations, annotations, is_word)


def zeroed_padding(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Gives padding the score 0, where it should get the weight 0."""
    is_word = _is_word(annotations, lengths)
    keys = annotations * is_word.unsqueeze(-1)
    return _attend(query, keys, annotations, torch.ones_like(is_word))


def centred_attention(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Attends to the true words, then subtracts the average of all positions, padding included."""
    values = annotations - annotations.mean(dim=1, keepdim=True)
    return _attend(query, annotations, values, _is_word(annotations, lengths))


def raised_attention(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Attends to the true words, then adds the average of all positions, padding included."""
    values = annotations + annotations.mean(dim=1, keepdim=True)
    return _attend(query, annotations, values, _is_word(annotations, lengths))


def faint_attention(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Attends to the true words, and a thousandth part to everything, the padding too."""
    right = masked_attention(query, annotations, lengths)
    leaking = average_of_everything(query, annotations, lengths)
    contexts, weights = (torch.lerp(a, b, 1e-3) for a, b in zip(right, leaking, strict=True))
    return contexts, weights


def average_of_everything(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Gives all positions the same weight, the padding too."""
    return _attend(
        query,
        torch.zeros_like(annotations),
        annotations,
        torch.ones_like(_is_word(annotations, lengths)),
    )


def misreported_weights(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Result:
    """Mixes the true words alone, but hands out weights in which the padding had its share."""
    contexts, _ = masked_attention(query, annotations, lengths)
    return contexts, unmasked_attention(query, annotations, lengths)[1]


def _is_word(annotations: Tensor, lengths: Tensor) -> Tensor:
    return torch.arange(annotations.shape[1]) < lengths[:, None]


def _attend(query: Tensor, keys: Tensor, values: Tensor, is_word: Tensor) -> Result:
    # Mixing the unit vectors of the places leaves nothing but the weights themselves.
    places = torch.eye(keys.shape[1], dtype=keys.dtype).expand(len(keys), -1, -1)
    contexts, weights = (
        scaled_dot_product_attention(
            query.unsqueeze(1), keys, mixed, attn_mask=is_word.unsqueeze(1), scale=1.0
        ).squeeze(1)
        for mixed in (values, places)
    )
    return contexts, weights
