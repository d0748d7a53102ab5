"""What goes wrong in `softmax_with_sink`: where the sink is, and what is returned."""

from typing import Any

import torch
from torch import Tensor

from solutions.exams.families import LOOP, TENSOR_DTYPE
from solutions.exams.transformer.softmax_with_sink.exam import sinks


def with_columns(scores: Tensor, columns: Tensor) -> Tensor:
    """The softmax of the scores and of more columns, whose weights are dropped."""
    columns = columns.expand(*scores.shape[:-1], -1)
    return torch.softmax(torch.cat([scores, columns], dim=-1), dim=-1)[..., : scores.shape[-1]]


def all_weights(scores: Tensor, sink: Tensor) -> Tensor:
    """The weights of the keys and, in a last column, of the sink."""
    column = sink.view(-1, 1, 1).expand(*scores.shape[:-1], 1)
    return torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)


@sinks.misconception
def plain_softmax(scores: Tensor, sink: Tensor) -> Tensor:
    """Your rows sum to 1, as without a sink. The sink has to be one more logit in the sum that the
    softmax divides by. (A number that is added to every score of a row cancels.)
    """
    return torch.softmax(scores + sink.view(-1, 1, 1), dim=-1)


@sinks.misconception
def plain_softmax_of_visible_keys(scores: Tensor, sink: Tensor) -> Tensor:
    """Rows with a visible key sum to 1, as without a sink. The sink is one more logit beside the
    scores: exp(sink) belongs into the sum that you divide by.
    """
    return torch.softmax(scores, dim=-1).nan_to_num(0.0)


@sinks.misconception
def renormalised(scores: Tensor, sink: Tensor) -> Tensor:
    """Your rows sum to 1 again, because the weights are divided by their sum after the sink's
    weight was dropped. Leave them as they are: what the sink took is missing on purpose.
    """
    weights = all_weights(scores, sink)[..., :-1]
    return weights / weights.sum(dim=-1, keepdim=True)


@sinks.misconception
def renormalised_safely(scores: Tensor, sink: Tensor) -> Tensor:
    """Your rows sum to 1 again, because the weights are divided by their sum after the sink's
    weight was dropped. Leave them as they are: what the sink took is missing on purpose.
    """
    weights = all_weights(scores, sink)[..., :-1]
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-12)


@sinks.misconception
def sink_kept(scores: Tensor, sink: Tensor) -> Tensor:
    """There is one column too many: the sink's weight. It has no value vector to weigh, so leave
    its column out.
    """
    return all_weights(scores, sink)


@sinks.misconception
def sink_alone(scores: Tensor, sink: Tensor) -> Tensor:
    """This is the weight that goes to the sink. Return those of the keys, without it."""
    return all_weights(scores, sink)[..., -1:]


@sinks.misconception
def wrong_column_dropped(scores: Tensor, sink: Tensor) -> Tensor:
    """A key's column is missing, and the sink's is there. Drop the column on the side on which you
    have appended the sink.
    """
    return all_weights(scores, sink)[..., 1:]


@sinks.misconception
def sink_first_and_last_dropped(scores: Tensor, sink: Tensor) -> Tensor:
    """Your first column is the sink's, and the last key's is missing. Drop the column on the side
    on which you have put the sink.
    """
    return all_weights(scores, sink).roll(1, dims=-1)[..., :-1]


@sinks.misconception
def scaled_by_the_sink(scores: Tensor, sink: Tensor) -> Tensor:
    """Here a sink scales all rows of its head by the same number. How much it takes depends on the
    scores of the row: add exp(sink) to the sum of their exponentials.
    """
    return torch.softmax(scores, dim=-1) * (1 - torch.sigmoid(sink)).view(-1, 1, 1)


@sinks.misconception
def gated_by_the_sink(scores: Tensor, sink: Tensor) -> Tensor:
    """Here a sink scales all rows of its head by the same number. How much it takes depends on the
    scores of the row: add exp(sink) to the sum of their exponentials.
    """
    # Unlike above, a row whose keys are all hidden is 0.
    return scaled_by_the_sink(scores, sink).nan_to_num(0.0)


@sinks.misconception
def each_key_by_itself(scores: Tensor, sink: Tensor) -> Tensor:
    """You weigh each key against the sink alone. The keys of a row and the sink share one sum."""
    return torch.sigmoid(scores - sink.view(-1, 1, 1))


@sinks.misconception
def hidden_scores_of_zero(scores: Tensor, sink: Tensor) -> Tensor:
    """A hidden key gets a weight: exp(0) = 1 belongs to a score of 0. Leave the −∞, whose
    exponential is 0.
    """
    return all_weights(scores.masked_fill(scores == -torch.inf, 0), sink)[..., :-1]


@sinks.misconception
def empty_rows_uniform(scores: Tensor, sink: Tensor) -> Tensor:
    """A row whose keys are all hidden should be 0, because the sink takes all the weight."""
    hidden = (scores == -torch.inf).all(dim=-1, keepdim=True)
    return all_weights(scores, sink)[..., :-1].masked_fill(hidden, 1 / scores.shape[-1])


@sinks.misconception
def sink_of_zero(scores: Tensor, sink: Tensor) -> Tensor:
    """Your sink is 0 for every head, which adds 1 to the sum. Use the logit that `sink` has for the
    head.
    """
    return with_columns(scores, torch.zeros_like(sink[:1]))


@sinks.misconception
def sink_subtracted(scores: Tensor, sink: Tensor) -> Tensor:
    """A high sink takes little here, and a low one much, which is the wrong way round. Check the
    sign of the sink.
    """
    return all_weights(scores, -sink)[..., :-1]


@sinks.misconception
def sink_of_the_query(scores: Tensor, sink: Tensor) -> Tensor:
    """Here the sinks lie along the queries, so each query has its own. Each *head* has its own:
    reshape `sink` to (heads, 1, 1).
    """
    return all_weights(scores.transpose(1, 2), sink)[..., :-1].transpose(1, 2)


@sinks.misconception
def sink_of_the_text(scores: Tensor, sink: Tensor) -> Tensor:
    """Here the sinks lie along the batch, so each text has its own. Each *head* has its own:
    reshape `sink` to (heads, 1, 1).
    """
    return with_columns(scores, sink.view(-1, 1, 1, 1))


def beside(scores: Tensor, sink: Tensor) -> Tensor:
    """The softmax with a sink that lies along the axes that its shape says."""
    largest = torch.maximum(scores.amax(dim=-1, keepdim=True), sink)
    exponentials = (scores - largest).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + (sink - largest).exp())


def beside_without_shift(scores: Tensor, sink: Tensor) -> Tensor:
    """The same, of which large scores overflow."""
    return scores.exp() / (scores.exp().sum(dim=-1, keepdim=True) + sink.exp())


@sinks.misconception
def sink_along_the_queries(scores: Tensor, sink: Tensor) -> Tensor:
    """Here the sinks lie along the queries. Each head has one sink: reshape `sink` to
    (heads, 1, 1).
    """
    return beside(scores, sink[:, None])


@sinks.misconception
def sink_along_the_queries_without_shift(scores: Tensor, sink: Tensor) -> Tensor:
    """Here the sinks lie along the queries. Each head has one sink: reshape `sink` to
    (heads, 1, 1).
    """
    return beside_without_shift(scores, sink[:, None])


@sinks.misconception
def sink_along_the_batch(scores: Tensor, sink: Tensor) -> Tensor:
    """Here the sinks lie along the batch. Each head has one sink: reshape `sink` to
    (heads, 1, 1).
    """
    return beside(scores, sink[:, None, None, None])


@sinks.misconception
def sink_along_the_batch_without_shift(scores: Tensor, sink: Tensor) -> Tensor:
    """Here the sinks lie along the batch. Each head has one sink: reshape `sink` to
    (heads, 1, 1).
    """
    return beside_without_shift(scores, sink[:, None, None, None])


@sinks.misconception
def sinks_in_turn(scores: Tensor, sink: Tensor) -> Tensor:
    """The sinks of all heads take turns from one query to the next. Each head has one sink: reshape
    `sink` to (heads, 1, 1) before you expand it.
    """
    batch, heads, queries, _ = scores.shape
    column = sink.repeat(batch * queries).view(batch, heads, queries, 1)
    return torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)[..., :-1]


@sinks.misconception
def sink_of_the_key(scores: Tensor, sink: Tensor) -> Tensor:
    """Here the sinks lie along the keys, so each key is divided by a different sum. Each *head* has
    one sink: reshape `sink` to (heads, 1, 1).
    """
    largest = torch.maximum(scores.amax(dim=-1, keepdim=True), sink.max())
    exponentials = (scores - largest).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + (sink - largest).exp())


@sinks.misconception
def sink_and_maximum_of_the_key(scores: Tensor, sink: Tensor) -> Tensor:
    """Here the sinks lie along the keys, so each key is divided by a different sum. Each *head* has
    one sink: reshape `sink` to (heads, 1, 1).
    """
    return beside(scores, sink)


@sinks.misconception
def sinks_of_all_heads(scores: Tensor, sink: Tensor) -> Tensor:
    """Every row has the sinks of all heads. Each head has only its own: reshape `sink` to
    (heads, 1, 1) before you expand it.
    """
    return with_columns(scores, sink)


@sinks.misconception
def sink_of_the_first_head(scores: Tensor, sink: Tensor) -> Tensor:
    """All heads have the first head's sink. Each has its own."""
    return with_columns(scores, sink[:1])


@sinks.misconception
def mean_of_the_sinks(scores: Tensor, sink: Tensor) -> Tensor:
    """All heads have the same sink, the mean of all. Each has its own."""
    return with_columns(scores, sink.mean().view(1))


@sinks.misconception
def one_sink_for_every_key(scores: Tensor, sink: Tensor) -> Tensor:
    """Your sink counts once for every key, for example because it was expanded to the shape of the
    scores. It is a single column: (batch, heads, queries, 1).
    """
    return with_columns(scores, sink.view(-1, 1, 1).expand_as(scores))


@sinks.misconception
def over_the_queries(scores: Tensor, sink: Tensor) -> Tensor:
    """Your softmax runs over the queries. Take it over the keys, the last axis."""
    return all_weights(scores.mT, sink)[..., :-1].mT


@sinks.misconception
def sink_not_expanded(scores: Tensor, sink: Tensor) -> Tensor:
    """`torch.cat` joins tensors that agree in all other axes. Expand `sink` to (batch, heads,
    queries, 1) first.
    """
    column = sink.view(1, -1, 1, 1)
    return torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)[..., :-1]


@sinks.misconception
def sink_not_reshaped(scores: Tensor, sink: Tensor) -> Tensor:
    """`torch.cat` joins tensors with the same number of axes. Bring `sink` to (batch, heads,
    queries, 1) first.
    """
    return torch.softmax(torch.cat([scores, sink], dim=-1), dim=-1)[..., :-1]


@sinks.misconception
def logarithms(scores: Tensor, sink: Tensor) -> Tensor:
    """These are logarithms of weights: use `softmax`, not `log_softmax`."""
    return all_weights(scores, sink)[..., :-1].log()


@sinks.misconception
def nothing_returned(scores: Tensor, sink: Tensor) -> Any:
    """Your function returns None. Return the weights."""
    return None


@sinks.misconception
def scores_overwritten(scores: Tensor, sink: Tensor) -> Tensor:
    """The weights are right, but the caller's scores are changed as well: `-=` and methods that end
    in an underscore write into them.
    """
    weights = all_weights(scores, sink)[..., :-1]
    scores -= scores.amax().clamp(min=1.0)
    return weights


TENSOR_DTYPE.apply(sinks)
LOOP.apply(sinks)
