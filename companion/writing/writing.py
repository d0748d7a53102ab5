"""What lesson 09 writes with until the learner's own functions are ready."""

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from companion.writing.pieces import merge_pair

Merges = list[tuple[str, str]]


def frequent_pairs(text: str, num_merges: int) -> Merges:
    """The pairs that byte-pair encoding merges, in their order; it may take a moment."""
    pieces, merges = list(text), Merges()
    for _ in range(num_merges):
        counts = Counter(pairwise(pieces)).most_common(1)
        if not counts or counts[0][1] < 2:
            break
        merges.append(counts[0][0])
        pieces = merge_pair(pieces, merges[-1])
    return merges


def merged_pieces(text: str, merges: Sequence[tuple[str, str]]) -> list[str]:
    """The pieces of a text, cut by merges that were learnt before."""
    return reduce(merge_pair, merges, list(text))


def shifted_cross_entropy(logits: Tensor, tokens: Tensor) -> Tensor:
    """The mean loss of all predictions of a next token: (batch, tokens, vocabulary) and ids."""
    return cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:])


def cut_softmax(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities of the next token, (vocabulary,), after temperature, top-k and top-p."""
    shares = torch.softmax(logits / temperature, dim=-1)
    if top_k is not None and top_k < len(shares):
        shares = torch.where(shares < shares.topk(top_k).values[-1], 0.0, shares)
        shares = shares / shares.sum()
    if top_p is not None:
        ordered = shares.sort(descending=True).values
        needed = int((ordered.cumsum(0) - ordered < top_p).sum())
        shares = torch.where(shares < ordered[max(needed, 1) - 1], 0.0, shares)
    return shares / shares.sum()
