"""The exam of `generate`, lesson 09."""

from collections.abc import Callable

import torch
from torch import Tensor

import companion.specimens.language_models as specimens
from autograder import Draw, Exam
from companion.beside import made_beside
from companion.trials.training_trials import enable_gradients, gradients_are_enabled
from solutions import transformer as reference

generating = Exam(reference.generate)

Model = Callable[[Tensor], Tensor]
Call = tuple[Model, Tensor, int, int]

for _model, _tokens, _new, _context, _what in (
    (specimens.counts_on, [[3, 4]], 3, 8, "a model that counts, three new tokens"),
    (specimens.counts_on, [[2, 3], [5, 6], [0, 1]], 4, 8, "three texts, four new tokens"),
    (specimens.adds_up, [[1, 2, 1], [0, 3, 4]], 3, 8, "a model that adds up all tokens"),
    (specimens.adds_up, [[1, 2, 1, 3, 2]], 3, 2, "a text that is longer than the context"),
    (specimens.adds_up, [[1, 2], [2, 4]], 6, 3, "a text that outgrows the context"),
    (specimens.adds_up, [[1, 0, 5], [3, 4, 4], [2, 2, 9]], 2, 2, "three texts, a context of two"),
    (specimens.counts_what_it_sees, [[7, 7, 7]], 4, 5, "a model that counts what it is given"),
    (specimens.has_five_positions, [[1, 2, 3]], 4, 5, "a model of five positions"),
    (specimens.has_five_positions, [[1, 2, 3, 4, 5, 6, 7]], 2, 5, "more tokens than positions"),
    (specimens.adds_up, [[4, 3, 1]], 3, 1, "a context of one token"),
    (specimens.alternates, [[0, 1], [1, 1]], 5, 8, "a model that knows two tokens"),
    (specimens.counts_on, [[6]], 1, 8, "one token, one new"),
    (specimens.hesitates, [[2, 5], [8, 0]], 6, 8, "a model whose logits are nearly equal"),
    (specimens.counts_on, [[2, 3], [5, 6]], 0, 8, "no new tokens"),
):

    def _example(
        model: Model = _model,
        tokens: list[list[int]] = _tokens,
        num_new_tokens: int = _new,
        context_length: int = _context,
    ) -> Call:
        return model, torch.tensor(tokens), num_new_tokens, context_length

    _example.__doc__ = _what
    generating.example(_example)


def some_texts(draw: Draw) -> Tensor:
    """Texts of tokens from 0 to 9."""
    return torch.from_numpy(draw.integers("batch tokens", below=10))


@generating.case
def any_text(draw: Draw) -> Call:
    """texts drawn at random"""
    return specimens.adds_up, some_texts(draw), int(draw.rng.integers(1, 6)), 20


@generating.case
def longer_than_the_context(draw: Draw) -> Call:
    """texts longer than the context"""
    tokens = some_texts(draw.fix(tokens=7))
    return specimens.adds_up, tokens, 5, int(draw.rng.integers(1, 7))


@generating.case(times=1)
def limited_positions(draw: Draw) -> Call:
    """a model that takes no more than its context"""
    return specimens.has_five_positions, some_texts(draw), 9, 5


@generating.case(times=1)
def shorter_context_than_it_has(draw: Draw) -> Call:
    """a context shorter than the model's own"""
    return specimens.counts_what_it_sees, some_texts(draw), 6, 3


@generating.case(times=1)
def nearly_equal(draw: Draw) -> Call:
    """a model whose logits are nearly equal"""
    return specimens.hesitates, some_texts(draw), 8, 20


@generating.case(times=1)
def nothing_new(draw: Draw) -> Call:
    """no new tokens"""
    return specimens.adds_up, some_texts(draw), 0, 4


@generating.case(times=1)
def one_text(draw: Draw) -> Call:
    """a single text of one token"""
    return specimens.adds_up, some_texts(draw.fix(batch=1, tokens=1)), 6, 4


@generating.case(times=1)
def larger_vocabulary(draw: Draw) -> Call:
    """a model that knows more tokens, and texts that begin and go on with any of them"""
    size = int(draw.rng.integers(260, 300))
    places = torch.arange(size, dtype=torch.float64)

    def favours_the_sum(tokens: Tensor, /) -> Tensor:
        distance = (places - (tokens.cumsum(dim=1) + 1)[..., None]) % size
        # Other heights elsewhere, so that what mixes texts or positions finds no ties.
        return torch.arange(len(tokens))[:, None, None] - distance.sqrt()

    tokens = torch.from_numpy(draw.rng.permutation(size))[:, None]
    return favours_the_sum, tokens, 3, 20


# What often ends a text or fills it up, that of GPT-2 last.
_SPECIAL = (0, 1, 2, 3, 9, 10, 20, 50, 63, 100, 101, 102, 103, 255, 256, 299, 511, 1023, 50_256)
_FEW = 2


@generating.case(times=1)
def special_elsewhere(draw: Draw) -> Call:
    """a single text with tokens that end texts elsewhere"""
    size = _SPECIAL[-1] + 1
    following, order = torch.zeros(size, dtype=torch.int64), draw.rng.permutation(_SPECIAL)
    following[[7, *order[:-1]]] = torch.from_numpy(order)
    places = torch.arange(size)

    def favours_the_following(tokens: Tensor, /) -> Tensor:
        # In so large a vocabulary, more tokens would take gigabytes.
        if tokens.numel() > _FEW:
            raise IndexError(f"this model takes {_FEW} tokens, and was given {tokens.numel()}")
        return -((places - following[tokens][..., None]) % size).double()

    return favours_the_following, torch.tensor([[7]]), len(order) + 1, _FEW


@generating.case(times=1)
def long_context(draw: Draw) -> Call:
    """a context of more than a thousand tokens"""
    # What is left of it where less is given has another last digit.
    tokens = some_texts(draw.fix(batch=1, tokens=1100))
    return specimens.counts_what_it_sees, tokens, 2, 1083


@generating.holds
def gradients_are_tracked_afterwards(
    generate: Callable[..., object], model: Model, tokens: Tensor, number: int, context: int
) -> bool:
    """gradients are tracked again afterwards, outside of this function"""
    try:
        generate(model, tokens, number, context)
        return bool(made_beside(generate, gradients_are_enabled))
    finally:
        made_beside(generate, enable_gradients)
