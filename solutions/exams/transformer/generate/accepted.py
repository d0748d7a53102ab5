"""Right answers to `generate` in other styles."""

from collections.abc import Callable
from functools import reduce

import torch
from torch import Tensor

from solutions.exams.transformer.generate.exam import generating

Model = Callable[[Tensor], Tensor]


@generating.accepts
def into_a_given_tensor(
    model: Model, tokens: Tensor, num_new_tokens: int, context_length: int
) -> Tensor:
    """A tensor with room for all tokens, filled one after the other.

    The tensor has room for all tokens from the beginning and is filled one by one. `torch.cat`
    would copy the whole text for each new token.
    """
    batch, start = tokens.shape
    text = torch.zeros(batch, start + num_new_tokens, dtype=torch.int64)
    text[:, :start] = tokens
    with torch.no_grad():
        for place in range(start, start + num_new_tokens):
            logits = model(text[:, max(0, place - context_length) : place])
            text[:, place] = logits[:, -1].argmax(dim=-1)
    return text


@generating.accepts
def step_by_step(model: Model, tokens: Tensor, num_new_tokens: int, context_length: int) -> Tensor:
    """A function for one step, applied again and again."""

    def longer(text: Tensor, _: int) -> Tensor:
        logits = model(text[:, -context_length:])
        return torch.cat((text, logits[:, -1].topk(1).indices), dim=-1)

    return reduce(longer, range(num_new_tokens), tokens)


@generating.accepts
def text_by_text(model: Model, tokens: Tensor, num_new_tokens: int, context_length: int) -> Tensor:
    """One text after the other, as lists.

    It takes one text at a time, as a list of ids. That is easy to follow, and slow, because the
    model runs once for each text and token.
    """
    texts = []
    for start in tokens.tolist():
        text = list(start)
        for _ in range(num_new_tokens):
            logits = model(torch.tensor([text[-context_length:]]))
            text.append(int(logits[0, -1].argmax()))
        texts.append(text)
    return torch.tensor(texts)


@generating.accepts
def sorted_logits(model: Model, tokens: Tensor, num_new_tokens: int, context_length: int) -> Tensor:
    """The first of the sorted ones, put behind with hstack."""
    text = tokens.clone()
    for _ in range(num_new_tokens):
        with torch.inference_mode():
            scores = model(text[..., -context_length:])[..., -1, :]
        text = torch.hstack([text, scores.argsort(dim=-1, descending=True)[:, :1]])
    return text


@generating.accepts
def new_ones_collected(
    model: Model, tokens: Tensor, num_new_tokens: int, context_length: int
) -> Tensor:
    """A window that slides, and the new tokens in a list.

    The new tokens go into a list, which is joined once at the end, while the model sees a window
    that moves along.
    """
    window, parts = tokens, [tokens]
    for _ in range(num_new_tokens):
        window = window[:, -context_length:]
        _, best = model(window)[:, -1, :].max(dim=1)
        parts.append(best.unsqueeze(1))
        window = torch.cat([window, parts[-1]], dim=1)
    return torch.cat(parts, dim=1)
