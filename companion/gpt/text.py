"""Is a text held out from another, and what is a model's loss on it?"""

from collections.abc import Callable

import torch
from torch import Tensor


def repeated_tokens(learned: Tensor, test: Tensor, n: int) -> Tensor:
    """Which tokens of a text are part of a run of n tokens that another text has as well.

    Args:
        learned: the ids of the text that is searched, (tokens,).
        test: the ids of the text whose tokens are looked up, (tokens,).
        n: the length of a run.

    Returns:
        (tokens,), True for each token of `test` that is part of such a run.
    """
    known = set(_runs(learned, n))
    repeated = torch.zeros(len(test), dtype=torch.bool)
    for start, run in enumerate(_runs(test, n)):
        if run in known:
            repeated[start : start + n] = True
    return repeated


def shares_no_run(learned: Tensor, test: Tensor, n: int) -> bool:
    """What lesson 10's `is_held_out` returns."""
    return not repeated_tokens(learned, test, n).any()


@torch.no_grad()
def held_out_loss(
    model: Callable[[Tensor], Tensor],
    loss_of: Callable[[Tensor, Tensor], Tensor],
    text: Tensor,
    context_length: int,
) -> float:
    """The loss of a model on a text, cut into excerpts one after another.

    Args:
        model: takes ids, (batch, tokens), and returns logits, (batch, tokens, vocabulary).
        loss_of: takes logits and ids, and returns the mean loss.
        text: ids, (tokens,); what is left over after the last whole excerpt is not used.
        context_length: the number of tokens of an excerpt.
    """
    excerpts = text[: len(text) // context_length * context_length].view(-1, context_length)
    losses = [loss_of(model(part), part) * len(part) for part in torch.split(excerpts, 32)]
    return (torch.stack(losses).sum() / len(excerpts)).item()


def _runs(text: Tensor, n: int) -> list[bytes]:
    """Every run of n tokens, as bytes: of them, sets are made many times faster than of tuples."""
    ids = text.to(torch.int32).numpy()
    return [ids[start : start + n].tobytes() for start in range(len(ids) - n + 1)]
