"""Right answers to `layers_until_all_meet` in other styles, lesson 08."""

import torch
from torch import Tensor

from solutions.exams.efficient_attention.layers_until_all_meet.exam import meeting


@meeting.accepts
def layers_by_power(hidden: Tensor, causal: bool = False) -> int | None:
    """Powers of the matrix."""
    size = hidden.shape[0]
    seen = hidden.logical_not().float()
    for layers in range(size):
        reached = torch.linalg.matrix_power(seen, layers) > 0
        if causal:
            reached = reached | torch.ones(size, size, dtype=torch.bool).triu(1)
        if reached.all():
            return layers
    return None


@meeting.accepts
def layers_by_sets(hidden: Tensor, causal: bool = False) -> int | None:
    """Sets of tokens that grow.

    This is the question in plain Python, without a matrix: each token has a set of those it has
    heard of, and each layer joins the sets of all tokens that it sees.
    """
    size = len(hidden)
    seen = [{key for key in range(size) if not hidden[query, key]} for query in range(size)]
    wanted = [set(range(query + 1 if causal else size)) for query in range(size)]
    received = [{query} for query in range(size)]
    for layers in range(size):
        if all(want <= got for want, got in zip(wanted, received, strict=True)):
            return layers
        received = [set().union(*(received[key] for key in keys)) for keys in seen]
    return None


@meeting.accepts
def layers_by_shortest_paths(hidden: Tensor, causal: bool = False) -> int | None:
    """The longest of all shortest paths.

    The answer is the longest of all shortest paths. They are found as Floyd and Warshall did: for
    each token, the path through it may be shorter than the one known so far.
    """
    size = len(hidden)
    paths = torch.where(hidden, torch.inf, 1.0)
    paths.fill_diagonal_(0)
    for middle in range(size):
        paths = torch.minimum(paths, paths[:, middle, None] + paths[None, middle])
    longest = paths[torch.ones(size, size).tril() > 0].max() if causal else paths.max()
    return None if longest == torch.inf else int(longest)


@meeting.accepts
def layers_by_broadcasting(hidden: Tensor, causal: bool = False) -> int | None:
    """True and False, over all tokens between.

    It computes with True and False: a token receives what any token that it sees has received. The
    table over all tokens in between takes memory for n³ entries.
    """
    visible = ~hidden
    received = torch.eye(len(hidden), dtype=torch.bool)
    future = torch.full_like(received, causal).triu(1)
    for layers in range(len(hidden) + 1):
        if bool(torch.all(received | future)):
            return layers
        received = (visible[:, :, None] & received[None, :, :]).any(dim=1)
    return None


@meeting.accepts
def layers_in_loops(hidden: Tensor, causal: bool = False) -> int | None:
    """A search from each token, one layer after the other."""
    size, most = len(hidden), 0
    for start in range(size):
        layer = {start: 0}
        for layers in range(1, size):
            for query in [token for token in layer if layer[token] == layers - 1]:
                for key in range(size):
                    if not hidden[query, key] and key not in layer:
                        layer[key] = layers
        for key in range(start + 1 if causal else size):
            if key not in layer:
                return None
            most = max(most, layer[key])
    return most
