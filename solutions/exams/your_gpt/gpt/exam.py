"""The exam of `GPT`, lesson 10: what it is tried on."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import try_gpt
from companion.beside import made_beside
from companion.trials.gpt_trial import Recorded
from solutions import your_gpt as reference
from solutions.exams.beginnings import calls_seed_nothing
from solutions.exams.your_gpt._modules import (
    Settings,
    Weights,
    drawn,
    gpt_shapes,
    is_alike_in_chunks,
    printed,
)

gpt = Exam(reference.GPT, use=try_gpt, forbids=("LibraryGPT", "small_gpt", "text_training_trial"))

Case = tuple[Settings, Weights, tuple[Tensor, ...], Sequence[int]]


def settings(
    vocabulary: int, num_heads: int, num_kv_heads: int, head_dim: int, num_blocks: int
) -> Settings:
    return {
        "vocabulary": vocabulary,
        "d_model": num_heads * head_dim,
        "num_heads": num_heads,
        "num_kv_heads": num_kv_heads,
        "d_hidden": 3,
        "num_blocks": num_blocks,
    }


def printed_case(
    ids: list[list[int]], num_blocks: int, *chunks: int, heads: tuple[int, int] = (2, 1)
) -> Case:
    chosen = settings(5, *heads, 2, num_blocks)
    return chosen, printed(gpt_shapes(chosen)), (torch.tensor(ids),), chunks


@gpt.example
def two_blocks() -> Case:
    """a whole text of three tokens, two blocks"""
    return printed_case([[3, 0, 4]], 2, heads=(3, 3))


@gpt.example
def one_block() -> Case:
    """two whole texts of two tokens, one block with three query heads"""
    # Other sizes than in the other examples, so that no product of sizes is taken for another.
    return printed_case([[1, 2], [2, 4]], 1, heads=(3, 1))


@gpt.example
def with_caches() -> Case:
    """with a cache for each of two blocks: two tokens of two texts, then one, then another one"""
    return printed_case([[1, 4, 0, 2], [3, 3, 1, 0]], 2, 2, 1, 1, heads=(3, 3))


@gpt.example
def parts_of_ones_own() -> tuple[Settings, Weights, tuple[Tensor, ...], Sequence[int], bool]:
    """parts whose results are twice as large as the library's, two tokens, one block"""
    return *printed_case([[2, 0]], 1), True


@gpt.example
def new_model() -> Case:
    """a new model, of which only the embedding is looked at"""
    return settings(1000, 2, 1, 16, 1), {}, (), ()


def drawn_case(
    draw: Draw, num_heads: int, num_kv_heads: int, num_blocks: int, *chunks: int
) -> Case:
    """A model of this kind; with chunks, the text is as long as they are together."""
    if chunks:
        draw.fix(tokens=sum(chunks))
    chosen = settings(11, num_heads, num_kv_heads, 4, num_blocks)
    ids = torch.as_tensor(draw.integers("batch tokens", below=chosen["vocabulary"]))
    return chosen, drawn(draw, gpt_shapes(chosen)), (ids,), chunks


@gpt.case(times=2)
def drawn_texts(draw: Draw) -> Case:
    """whole texts, two blocks"""
    return drawn_case(draw, 4, 2, 2)


@gpt.case(times=1)
def drawn_deep(draw: Draw) -> Case:
    """whole texts, many blocks"""
    return drawn_case(draw, 2, 2, int(draw.rng.integers(6, 9)))


@gpt.case(times=1)
def drawn_token(draw: Draw) -> Case:
    """a text of one token"""
    return drawn_case(draw.fix(batch=1, tokens=1), 2, 1, 2)


@gpt.case(times=2)
def drawn_writing(draw: Draw) -> Case:
    """caches: a prompt, then token by token"""
    return drawn_case(draw, 4, 2, 3, 5, 1, 1, 1)


@gpt.case(times=1)
def drawn_chunks(draw: Draw) -> Case:
    """caches: chunks of different sizes, many blocks"""
    return drawn_case(draw, 3, 1, int(draw.rng.integers(6, 9)), 3, 4, 2)


@gpt.case(times=1, dtypes=("float64",), hints=False)
def drawn_long(draw: Draw) -> Case:
    """a text of more than a thousand tokens"""
    tokens = 1025 + int(draw.rng.integers(50))
    return drawn_case(draw.fix(batch=1, tokens=tokens), 1, 1, 1)


@gpt.case(times=1)
def drawn_parts(draw: Draw) -> tuple[Settings, Weights, tuple[Tensor, ...], Sequence[int], bool]:
    """parts whose results are twice as large as the library's"""
    return *drawn_case(draw, 4, 2, 2), True


@gpt.case(times=2)
def drawn_new_model(draw: Draw) -> Case:
    """a new model of another width, of which only the embedding is looked at"""
    d_model = 8 * int(draw.rng.integers(1, 13))
    # As many numbers each time, so that chance takes what is looked at no further.
    return settings(40_000 // d_model, 2, 1, d_model // 2, 1), {}, (), ()


gpt.half_but_for("what a new model starts with", new_model, drawn_new_model)


@gpt.holds
def new_models_differ(
    model_class: Callable[..., Any], chosen: Settings, weights: Weights, *_: object
) -> bool:
    """new models start with different embeddings"""
    if weights:
        return True
    # Three, since a seed that is set at the end makes all but the first equal.
    tables = [model_class(**chosen).state_dict()["tokens.weight"] for _ in range(3)]
    return not any(torch.equal(one, other) for one, other in combinations(tables, 2))


@gpt.holds
def calls_set_no_seed(
    model_class: Callable[..., Any],
    chosen: Settings,
    weights: Weights,
    inputs: tuple[Tensor, ...],
    *_: object,
) -> bool:
    """calling a model does not seed PyTorch's random numbers"""
    # Once: the text of a single token is the smallest.
    is_asked = bool(inputs) and inputs[0].shape == (1, 1)
    return not is_asked or calls_seed_nothing([model_class(**chosen) for _ in range(2)], inputs)


@gpt.holds
def norms_begin_with_ones(
    model_class: Callable[..., Any], chosen: Settings, weights: Weights, *_: object
) -> bool:
    """the weights of each new normalisation are 1"""
    if weights:
        return True
    names = {name for name in gpt_shapes(chosen) if "norm" in name}
    state = dict(model_class(**chosen).state_dict())
    return all(bool((state[name] == 1).all()) for name in names if name in state)


@gpt.holds
def caches_are_used_in_training(
    model_class: Callable[..., Any],
    chosen: Settings,
    weights: Weights,
    inputs: tuple[Tensor, ...],
    chunks: Sequence[int] = (),
    *_: object,
) -> bool:
    """in training, too, a text in chunks has the logits that it has as a whole"""
    if not chunks:
        return True
    (ids,) = inputs
    model = model_class(**chosen)
    model.double()
    head_dim = chosen["d_model"] // chosen["num_heads"]
    sizes = len(ids), chosen["num_kv_heads"], ids.shape[1], head_dim, torch.float64
    caches = [made_beside(model_class, Recorded, *sizes) for _ in range(chosen["num_blocks"])]
    return is_alike_in_chunks(model, ids, chunks[0], caches)


@gpt.holds
def past_does_not_see_the_future(
    model_class: Callable[..., Any],
    chosen: Settings,
    weights: Weights,
    inputs: tuple[Tensor, ...],
    *_: object,
) -> bool:
    """if the last token changes, no logits change before it"""
    model = model_class(**chosen)
    for ids in inputs:
        other = ids.clone()
        other[:, -1] = (1 + other[:, -1]) % chosen["vocabulary"]
        if not torch.allclose(model(other)[:, :-1], model(ids)[:, :-1], rtol=1e-4, atol=1e-5):
            return False
    return True
