"""The exam of `continue_with_cache`, lesson 10."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import LIBRARY, try_continuation
from companion.beside import made_beside
from companion.trials.continuation_trial import AskedPlainly, Choice, empty_cache
from companion.trials.training_trials import enable_gradients, gradients_are_enabled
from solutions import your_gpt as reference

continuing = Exam(
    reference.continue_with_cache,
    use=try_continuation,
    forbids=("cached_continuation",),
    unasked={"calls": "its driver looks at the seed, and a case of its own at gradients"},
)

Trial = tuple[str, Tensor, int, str]

for _model, _ids, _new, _choice, _what in (
    ("adds_up", [[1, 2, 4]], 3, "the most likely", "one text, three new tokens"),
    ("adds_up", [[1, 2, 1], [0, 3, 4]], 4, "the most likely", "two texts, four new tokens"),
    ("counts_what_it_sees", [[7, 7]], 4, "the most likely", "a model that counts cached tokens"),
    ("counts_on", [[2, 5, 3], [6, 1, 8]], 3, "the least likely", "the least likely tokens"),
    ("adds_up", [[3, 1, 2], [5, 0, 4]], 4, "in turn", "most likely first, then second, third, …"),
    ("adds_up", [[6, 2, 2, 1]], 1, "the most likely", "one new token"),
    ("adds_up", [[5]], 3, "the most likely", "a prompt of one token"),
    ("adds_up", [[1, 2], [3, 5], [4, 4]], 2, "the least likely", "three texts of two tokens"),
    ("adds_up", [[4, 3], [2, 1]], 0, "the most likely", "no new tokens"),
    ("gpt", [[4, 3, 9], [2, 1, 6]], 4, "nearest to 1", "the tokens whose logits are nearest to 1"),
):

    def _example(
        model: str = _model,
        ids: list[list[int]] = _ids,
        num_new_tokens: int = _new,
        choice: str = _choice,
    ) -> Trial:
        return model, torch.tensor(ids), num_new_tokens, choice

    _example.__doc__ = _what
    continuing.example(_example)


def prompts(draw: Draw) -> Tensor:
    """Texts of tokens from 0 to 9."""
    return torch.from_numpy(draw.integers("batch tokens", below=10))


@continuing.case
def any_prompts(draw: Draw) -> Trial:
    """several texts drawn at random"""
    return "adds_up", prompts(draw), int(draw.rng.integers(2, 7)), "the most likely"


@continuing.case
def any_choice(draw: Draw) -> Trial:
    """a choice that changes from token to token"""
    return "adds_up", prompts(draw), int(draw.rng.integers(2, 7)), "in turn"


@continuing.case(times=1)
def by_a_gpt(draw: Draw) -> Trial:
    """a GPT with two blocks"""
    return "gpt", prompts(draw), 5, "the most likely"


@continuing.case
def by_the_logits(draw: Draw) -> Trial:
    """a GPT, and the tokens whose logits are nearest to 1"""
    return "gpt", prompts(draw), 5, "nearest to 1"


@continuing.case(times=1)
def least_likely(draw: Draw) -> Trial:
    """the least likely token each time"""
    return "counts_on", prompts(draw), 4, "the least likely"


@continuing.case(times=1)
def one_token_one_text(draw: Draw) -> Trial:
    """one text of one token, and many new tokens"""
    many = int(draw.rng.integers(9, 13))
    return "adds_up", prompts(draw.fix(batch=1, tokens=1)), many, "in turn"


@continuing.case(times=1)
def one_new(draw: Draw) -> Trial:
    """one new token"""
    return "adds_up", prompts(draw), 1, "the least likely"


@continuing.case(times=1)
def nothing_new(draw: Draw) -> Trial:
    """no new tokens"""
    return "adds_up", prompts(draw), 0, "the most likely"


@continuing.holds
def gradients_are_tracked_afterwards(
    continue_with_cache: Callable[..., object], model: str, ids: Tensor, number: int, choice: str
) -> bool:
    """gradients are tracked again afterwards, outside of this function"""
    if number != 1:
        return True
    try:
        try_continuation(continue_with_cache, model, ids, number, choice)
        return bool(made_beside(continue_with_cache, gradients_are_enabled))
    finally:
        made_beside(continue_with_cache, enable_gradients)


continuing.half_but_for("gradients, which are tracked again afterwards", one_new)

_LONG = 1100


@continuing.holds
def a_long_prompt_is_given_at_once(
    continue_with_cache: Callable[..., Tensor], model: str, ids: Tensor, number: int, choice: str
) -> bool:
    """a prompt of more than a thousand tokens is given to the model as a whole, in one call"""
    if (model, choice) != ("gpt", "the most likely"):
        return True
    prompt, given = torch.arange(_LONG)[None] % 10, []

    def logits_of(new: Tensor, numbers: list[int]) -> Tensor:
        given.append(new.tolist())
        return torch.arange(10, dtype=torch.float64).expand(*new.shape, 10)

    caches = [made_beside(continue_with_cache, LIBRARY.KVCache, 1, 1, 4 * _LONG, 1)]
    asked = made_beside(continue_with_cache, AskedPlainly, logits_of, *caches)
    text = continue_with_cache(asked, prompt, caches, 2, Choice("the most likely"))
    return given == [prompt.tolist(), [[9]]] and text[0, _LONG:].tolist() == [9, 9]


@continuing.holds
def every_cache_is_passed_on(
    continue_with_cache: Callable[..., object], model: str, ids: Tensor, *_: object
) -> bool:
    """the model is given all the caches, in their order, however many blocks it has"""
    number = 3 + int(ids.sum()) % 8
    given: list[list[int]] = []

    def logits_of(new: Tensor, numbers: list[int]) -> Tensor:
        given.append(numbers)
        return torch.arange(10, dtype=torch.float64).expand(*new.shape, 10)

    caches = [made_beside(continue_with_cache, empty_cache, len(ids)) for _ in range(number)]
    asked = made_beside(continue_with_cache, AskedPlainly, logits_of, *caches)
    continue_with_cache(asked, ids, caches, 2, Choice("the most likely"))
    return given == [[*range(number)]] * 2
