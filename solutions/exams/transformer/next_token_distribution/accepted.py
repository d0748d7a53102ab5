"""Right answers to `next_token_distribution` in other styles."""

import torch
from torch import Tensor

from solutions.exams.transformer.next_token_distribution.exam import distribution


@distribution.accepts
def by_thresholds(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The smallest probability that is kept, and nothing below it.

    It looks for the smallest probability that is kept and drops all below, so nothing has to be
    sorted back. Of tokens that are equally likely there, it would keep all.
    """
    p = torch.softmax(logits / temperature, dim=-1)
    if top_k is not None:
        smallest = p.topk(min(top_k, len(p))).values[-1]
        p = torch.where(p >= smallest, p, 0.0)
        p = p / p.sum()
    if top_p is not None:
        ordered = p.sort(descending=True).values
        smallest = ordered[ordered.cumsum(dim=0) - ordered < top_p][-1]
        p = torch.where(p >= smallest, p, 0.0)
        p = p / p.sum()
    return p


@distribution.accepts
def in_a_loop(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Token by token, the most likely first.

    The tokens come one by one, the most likely first, until their probabilities suffice: this is
    the definition of top-p. With a vocabulary of 50,000, the loop would be slow.
    """
    p = torch.softmax(logits / temperature, dim=-1)
    order = p.argsort(descending=True).tolist()
    if top_k is not None:
        order = order[:top_k]
    total = sum(p[token] for token in order)
    kept = torch.zeros_like(p)
    reached = 0.0
    for token in order:
        if top_p is not None and reached >= top_p:
            break
        kept[token] = p[token] / total
        reached += float(kept[token])
    return kept / kept.sum()


@distribution.accepts
def ranks_and_sums(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Of each token how many are more likely, and how much these have together, without a sort."""
    p = torch.softmax(logits / temperature, dim=-1)
    above = p[:, None] < p
    if top_k is not None:
        p = p * (above.sum(dim=1) < top_k)
        p = p / p.sum()
    if top_p is not None:
        p = p * (above.to(p.dtype) @ p < top_p)
    return p / p.sum()


@distribution.accepts
def sorted_back(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Sorted logits, masked with −inf, and sorted back by the argsort of the order.

    Logits are set to −∞, and the softmax renormalises by itself. `order.argsort()` is the inverse
    of the order, so indexing with it sorts back.
    """
    ordered, order = torch.sort(logits / temperature, descending=True)
    if top_k is not None:
        ordered[top_k:] = -torch.inf
    if top_p is not None:
        sums = ordered.softmax(dim=0).cumsum(dim=0)
        needed = int((sums < top_p).sum()) + 1
        ordered[needed:] = -torch.inf
    return ordered.softmax(dim=0)[order.argsort()]
