"""Right answers to `continue_with_cache` in other styles."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from companion import Cache
from solutions.exams.your_gpt.continue_with_cache.exam import continuing

Model = Callable[[Tensor, Sequence[Cache]], Tensor]
Choose = Callable[[Tensor], Tensor]


@continuing.accepts
@torch.no_grad()
def new_ones_collected(
    model: Model, ids: Tensor, caches: Sequence[Cache], num_new_tokens: int, choose: Choose
) -> Tensor:
    """The new tokens in a list, joined at the end."""
    parts = [ids]
    for _ in range(num_new_tokens):
        logits = model(parts[-1], caches)
        parts.append(choose(logits[:, -1, :]).unsqueeze(1))
    return torch.cat(parts, dim=1)


@continuing.accepts
def prefill_first(
    model: Model, ids: Tensor, caches: Sequence[Cache], num_new_tokens: int, choose: Choose
) -> Tensor:
    """The prompt before the loop, then one token a turn, of which the last is not fed.

    Prefill and decoding are two parts: the prompt comes before the loop, and the new tokens inside.
    The last one is never fed, since nothing is asked after it.
    """
    text = ids.clone()
    with torch.inference_mode():
        last = model(ids, caches)[:, -1]
        for left in reversed(range(num_new_tokens)):
            token = choose(last).reshape(-1, 1)
            text = torch.hstack([text, token])
            if left:
                last = model(token, caches)[:, -1]
    return text


@continuing.accepts
def into_a_given_tensor(
    model: Model, ids: Tensor, caches: Sequence[Cache], num_new_tokens: int, choose: Choose
) -> Tensor:
    """A tensor with room for all tokens; what is cached ends at a number.

    There is room for all tokens from the beginning, and a number says how many are cached. The
    model is given what lies between that and the end.
    """
    batch, tokens = ids.shape
    text = torch.zeros(batch, tokens + num_new_tokens, dtype=torch.int64)
    text[:, :tokens] = ids
    cached = 0
    for place in range(tokens, text.shape[1]):
        with torch.no_grad():
            logits = model(text[:, cached:place], caches)
        text[:, place] = choose(logits[:, -1])
        cached = place
    return text


@continuing.accepts
def by_the_caches_length(
    model: Model, ids: Tensor, caches: Sequence[Cache], num_new_tokens: int, choose: Choose
) -> Tensor:
    """What the caches do not hold yet, by their length.

    The cache knows what the model has seen, so the tokens from its length on are new. This also
    continues a text of which a part is already cached.
    """
    for _ in range(num_new_tokens):
        with torch.no_grad():
            *_, logits = model(ids[:, caches[0].length :], caches).unbind(dim=1)
        ids = torch.cat((ids, choose(logits)[..., None]), dim=-1)
    return ids


@continuing.accepts
def step_by_step(
    model: Model, ids: Tensor, caches: Sequence[Cache], num_new_tokens: int, choose: Choose
) -> Tensor:
    """A function that calls itself with one token less to add."""

    def longer(text: Tensor, new: Tensor, left: int) -> Tensor:
        if left == 0:
            return text
        with torch.no_grad():
            chosen = choose(model(new, caches).select(1, -1)).view(-1, 1)
        return longer(torch.cat([text, chosen], dim=1), chosen, left - 1)

    return longer(ids, ids, num_new_tokens)
