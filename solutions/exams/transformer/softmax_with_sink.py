"""The exam of `softmax_with_sink`, lesson 09."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import transformer as reference
from solutions.exams.families import LOOP, TENSOR_DTYPE
from solutions.exams.printed_numbers import numbers

sinks = Exam(reference.softmax_with_sink, forbids=("companion",))

Call = tuple[Tensor, Tensor]


def hiding(scores: Tensor, *hidden: tuple[int, ...]) -> Tensor:
    """The scores with −inf at some places."""
    for place in hidden:
        scores[place] = -torch.inf
    return scores


@sinks.example
def two_heads() -> Call:
    """one text, two heads, two queries, three keys, the second query's last key hidden"""
    return hiding(numbers(1, 2, 2, 3), (0, 0, 1, 2), (0, 1, 1, 2)), torch.tensor([0.0, 1.5])


@sinks.example
def nothing_to_read() -> Call:
    """a query whose keys are all hidden"""
    scores = hiding(numbers(1, 2, 2, 3, start=20), (0, 0, 0), (0, 1, 1, 0))
    return scores, torch.tensor([0.5, -1.0])


@sinks.example
def square() -> Call:
    """two texts, heads, queries and keys"""
    return numbers(2, 2, 2, 2, start=40), torch.tensor([-0.5, 1.0])


@sinks.example
def high_scores() -> Call:
    """scores of several hundred"""
    scores = torch.tensor([[[[801.0, 800.0, 799.5]], [[-900.0, -899.0, -901.0]]]])
    return scores.double(), torch.tensor([800.0, -900.5])


@sinks.example
def high_sink() -> Call:
    """a sink far above all scores of one head, and far below those of another"""
    return numbers(1, 2, 1, 3, start=60), torch.tensor([900.0, -900.0])


def drawn(draw: Draw, scale: float = 1.0) -> Call:
    """Scores of which some are hidden, and one sink for each head."""
    scores = draw.tensor("batch heads queries keys", scale=scale)
    hidden = torch.from_numpy(draw.rng.random(tuple(scores.shape)) < 0.25)
    return scores.masked_fill(hidden, -torch.inf), draw.tensor("heads", scale=scale)


@sinks.case
def scores_of_some_heads(draw: Draw) -> Call:
    """scores drawn at random, some of them hidden"""
    return drawn(draw)


@sinks.case(times=1)
def a_single_head(draw: Draw) -> Call:
    """a single head"""
    return drawn(draw.fix(heads=1))


@sinks.case(times=1)
def a_single_key(draw: Draw) -> Call:
    """a single key"""
    return drawn(draw.fix(keys=1))


@sinks.case(times=1)
def hundreds(draw: Draw) -> Call:
    """scores and sinks of some hundreds"""
    return drawn(draw, scale=300.0)


@sinks.case(times=1)
def hidden_texts(draw: Draw) -> Call:
    """a text that is all hidden"""
    scores, sink = drawn(draw)
    return hiding(scores, (-1,)), sink


@sinks.holds
def only_differences_count(answer: Callable[..., Tensor], scores: Tensor, sink: Tensor) -> bool:
    """the same number added to all scores and to all sinks changes nothing"""
    here, there = answer(scores, sink), answer(scores + 2, sink + 2)
    return torch.allclose(here, there, rtol=1e-3, atol=1e-5)


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
    """Your rows sum to 1, as without a sink. A number that is added to every score of a row
    cancels; the sink is one more logit beside the scores.
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
def without_shift(scores: Tensor, sink: Tensor) -> Tensor:
    """Exponentials of large scores overflow, and ∞ / ∞ is NaN; those of very low ones are all 0.
    Subtract the largest of the scores and the sink first, or leave it to `torch.softmax`.
    """
    exponentials = scores.exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + sink.exp().view(-1, 1, 1))


@sinks.misconception
def sink_not_shifted(scores: Tensor, sink: Tensor) -> Tensor:
    """You subtract the largest score from the scores, but not from the sink, so what the sink takes
    depends on that score. Subtract it from both.
    """
    exponentials = (scores - shift_of_scores(scores)).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + sink.exp().view(-1, 1, 1))


@sinks.misconception
def one_not_shifted(scores: Tensor, sink: Tensor) -> Tensor:
    """You add 1 to the sum after the largest score was subtracted. The term to add is exp(sink),
    and the same number has to be subtracted from the sink.
    """
    exponentials = (scores - shift_of_scores(scores)).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1)


def shift_of_scores(scores: Tensor) -> Tensor:
    """The largest score of each row, 0 where all are hidden."""
    return scores.amax(dim=-1, keepdim=True).nan_to_num(neginf=0.0)


@sinks.misconception
def shifted_by_the_scores_alone(scores: Tensor, sink: Tensor) -> Tensor:
    """A row whose keys are all hidden gives NaN: its largest score is −∞, and −∞ − (−∞) is NaN.
    Take the largest of the scores *and* the sink, which is finite.
    """
    largest = scores.amax(dim=-1, keepdim=True)
    exponentials = (scores - largest).exp()
    total = exponentials.sum(dim=-1, keepdim=True) + (sink.view(-1, 1, 1) - largest).exp()
    return exponentials / total


@sinks.misconception
def exponential_missing(scores: Tensor, sink: Tensor) -> Tensor:
    """You add the sink itself to the sum. It is a logit, as the scores are: add its exponential."""
    exponentials = scores.exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + sink.view(-1, 1, 1))


@sinks.misconception
def exponential_missing_after_the_shift(scores: Tensor, sink: Tensor) -> Tensor:
    """You add the sink itself to the sum, not its exponential. It is a logit, as the scores are:
    shift it as you shift them, and take its exponential.
    """
    exponentials = (scores - shift_of_scores(scores)).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + sink.view(-1, 1, 1))


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


@sinks.misconception
def sink_of_the_key(scores: Tensor, sink: Tensor) -> Tensor:
    """Here the sinks lie along the keys, so each key is divided by another sum. Each *head* has one
    sink: reshape `sink` to (heads, 1, 1).
    """
    largest = torch.maximum(scores.amax(dim=-1, keepdim=True), sink.max())
    exponentials = (scores - largest).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + (sink - largest).exp())


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
