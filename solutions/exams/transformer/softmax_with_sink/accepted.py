"""Right answers to `softmax_with_sink` in other styles."""

import torch
from torch import Tensor

from solutions.exams.transformer.softmax_with_sink.exam import sinks


@sinks.accepts
def divided_by_hand(scores: Tensor, sink: Tensor) -> Tensor:
    """Exponentials, and exp(sink) in their sum.

    No column is appended and dropped: the sink appears only in the sum that the exponentials are
    divided by, after the largest of the scores and the sink has been subtracted everywhere.
    """
    sink = sink[:, None, None]
    largest = torch.maximum(scores.amax(dim=-1, keepdim=True), sink)
    exponentials = (scores - largest).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + (sink - largest).exp())


@sinks.accepts
def zero_column_padded(scores: Tensor, sink: Tensor) -> Tensor:
    """Scores relative to the sink, and a column of zeros.

    Only differences count in a softmax, so the sink can be subtracted from the scores. The extra
    logit is then 0 for every head.
    """
    relative = scores - sink.reshape(1, -1, 1, 1)
    return torch.nn.functional.pad(relative, (0, 1)).softmax(dim=-1)[..., :-1]


@sinks.accepts
def sink_in_front(scores: Tensor, sink: Tensor) -> Tensor:
    """The sink as key 0, as a token at the start would be."""
    batch, heads, queries, _ = scores.shape
    column = sink.view(1, heads, 1, 1).expand(batch, heads, queries, 1)
    return torch.softmax(torch.cat([column, scores], dim=3), dim=3)[..., 1:]


@sinks.accepts
def head_by_head(scores: Tensor, sink: Tensor) -> Tensor:
    """Loops over texts, heads and queries."""
    weights = torch.zeros_like(scores)
    for text in range(scores.shape[0]):
        for head in range(scores.shape[1]):
            for query in range(scores.shape[2]):
                row = torch.cat([scores[text, head, query], sink[head : head + 1]])
                weights[text, head, query] = torch.softmax(row, dim=0)[:-1]
    return weights


@sinks.accepts
def by_logarithms(scores: Tensor, sink: Tensor) -> Tensor:
    """The logarithm of the sum, as kernels keep it, and one exponential."""
    column = sink.view(-1, 1, 1).expand(*scores.shape[:-1], 1)
    total = torch.logsumexp(torch.cat([scores, column], dim=-1), dim=-1, keepdim=True)
    return torch.exp(scores - total)
