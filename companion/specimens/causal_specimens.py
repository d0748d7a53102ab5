"""Attentions to try a test of causality on: some keep to the past, some let the future in.

Each takes `(batch, tokens, d)` and returns the same shape. They have nothing to train, so that all
that differs between them is who sees whom.
"""

import torch
from torch.nn.functional import scaled_dot_product_attention


def causal_attention(inputs: torch.Tensor, /) -> torch.Tensor:
    """Causal: PyTorch's own masked attention."""
    return scaled_dot_product_attention(inputs, inputs, inputs, is_causal=True)


def causal_map(inputs: torch.Tensor) -> torch.Tensor:
    """The weights behind `causal_attention`, for pictures.

    Args:
        inputs: `(tokens, d)`.

    Returns:
        The weights, `(tokens, tokens)`: queries on rows, keys on columns.
    """
    # Mixing the unit vectors of the words leaves nothing but the weights themselves.
    marks = torch.eye(len(inputs), dtype=inputs.dtype)
    return scaled_dot_product_attention(inputs, inputs, marks, is_causal=True)


def average_so_far(inputs: torch.Tensor, /) -> torch.Tensor:
    """Causal: each word gets the average of all words up to itself."""
    return inputs.cumsum(dim=1) / _counts(inputs)


def average_by_subtraction(inputs: torch.Tensor, /) -> torch.Tensor:
    """Causal up to rounding: adds up the whole sentence, then takes away the words to come."""
    return (inputs.sum(dim=1, keepdim=True) - _to_come(inputs)) / _counts(inputs)


def word_before(inputs: torch.Tensor, /) -> torch.Tensor:
    """Causal: each word gets the vector of the word before it, the first one zeros."""
    before = inputs.roll(1, dims=1)
    before[:, 0] = 0
    return before


def keeps_each_word(inputs: torch.Tensor, /) -> torch.Tensor:
    """Causal: each word keeps its vector."""
    return inputs.clone()


def sees_everything(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: no mask at all."""
    return scaled_dot_product_attention(inputs, inputs, inputs)


def leaks_by_one(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: each word also sees the next one."""
    return _attend(inputs, _places(inputs) <= _places(inputs).T + 1)


def leaks_when_long(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal in long sentences: the mask was made for four words, later ones see everything."""
    places = _places(inputs)
    return _attend(inputs, (places <= places.T) | (places.T >= 4))


def masks_first_sentence(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal in a batch: only its first sentence is masked."""
    return torch.cat([causal_attention(inputs[:1]), sees_everything(inputs[1:])])


def masks_last_sentence(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal in a batch: only its last sentence is masked."""
    return torch.cat([sees_everything(inputs[:-1]), causal_attention(inputs[-1:])])


def softmax_over_queries(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: masked well, but the softmax runs down the columns, over queries to come."""
    places = _places(inputs)
    scores = (inputs @ inputs.mT).where(places <= places.T, -torch.inf)
    return scores.softmax(dim=-2) @ inputs


def hides_after_softmax(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: future weights are set to 0 after the softmax, the others not made larger."""
    places = _places(inputs)
    weights = (inputs @ inputs.mT).softmax(dim=-1)
    return weights.where(places <= places.T, 0) @ inputs


def hides_a_little(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: future scores become −5 instead of −∞."""
    places = _places(inputs)
    return (inputs @ inputs.mT).where(places <= places.T, -5).softmax(dim=-1) @ inputs


def leaks_faintly(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: a thousandth of the average of the sentence is added."""
    return causal_attention(inputs) + 1e-3 * inputs.mean(dim=1, keepdim=True)


def one_feature_leaks(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: the last feature of all words to come is added, and no other."""
    return causal_attention(inputs) + _to_come(inputs)[..., -1:]


def first_sees_second(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: the first word sees the second. Nothing else is wrong."""
    places = _places(inputs)
    return _attend(inputs, (places <= places.T) | ((places.T == 0) & (places == 1)))


def second_sees_third(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: the second word sees the third. Nothing else is wrong."""
    places = _places(inputs)
    return _attend(inputs, (places <= places.T) | ((places.T == 1) & (places == 2)))


def second_sees_last(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: the second word sees the last one of the sentence. Nothing else is wrong."""
    places, last = _places(inputs), inputs.shape[1] - 1
    return _attend(inputs, (places <= places.T) | ((places.T == 1) & (places == last)))


def raised_by_the_future(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: adds all words to come, so that larger ones make it larger."""
    return causal_attention(inputs) + _to_come(inputs)


def lowered_by_the_future(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: takes away all words to come, so that larger ones make it smaller."""
    return causal_attention(inputs) - _to_come(inputs)


def future_cancels_out(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: the future raises the first feature by what it lowers the second."""
    leak = _to_come(inputs).mean(dim=-1)
    contexts = causal_attention(inputs)
    contexts[..., 0] += leak
    contexts[..., 1] -= leak
    return contexts


def reads_from_the_end(inputs: torch.Tensor, /) -> torch.Tensor:
    """Not causal: each word sees itself and the words to come."""
    return causal_attention(inputs.flip(1)).flip(1)


def _places(inputs: torch.Tensor) -> torch.Tensor:
    """Where each key stands, (1, tokens); transposed, where each query stands."""
    return torch.arange(inputs.shape[1])[None]


def _counts(inputs: torch.Tensor) -> torch.Tensor:
    """How many words each word can see, (tokens, 1)."""
    return _places(inputs).T + 1


def _to_come(inputs: torch.Tensor) -> torch.Tensor:
    """The sum of the words behind each word."""
    return inputs.flip(1).cumsum(dim=1).flip(1) - inputs


def _attend(inputs: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
    return scaled_dot_product_attention(inputs, inputs, inputs, attn_mask=visible)
