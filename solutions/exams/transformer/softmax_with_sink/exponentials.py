"""What goes wrong in `softmax_with_sink` where the softmax is written out."""

import torch
from torch import Tensor

from solutions.exams.transformer.softmax_with_sink.exam import sinks


@sinks.misconception
def plain_exponentials(scores: Tensor, sink: Tensor) -> Tensor:
    """Your rows sum to 1, as without a sink, or are NaN where exponentials overflow. The sink has
    to be one more logit in the sum that the softmax divides by.
    """
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


@sinks.misconception
def without_shift(scores: Tensor, sink: Tensor) -> Tensor:
    """Exponentials of large scores overflow, and ∞ / ∞ is NaN; those of very low ones are all 0.
    Subtract the largest of the scores and the sink first, or leave it to `torch.softmax`.
    """
    exponentials = scores.exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + sink.exp().view(-1, 1, 1))


@sinks.misconception
def without_shift_and_nan_hidden(scores: Tensor, sink: Tensor) -> Tensor:
    """Exponentials of large scores overflow, and ∞ / ∞ is NaN, in whose place you put another
    number. Subtract the largest of the scores and the sink first, or leave it to `torch.softmax`.
    """
    return without_shift(scores, sink).nan_to_num()


@sinks.misconception
def clamped(scores: Tensor, sink: Tensor) -> Tensor:
    """You clamp scores before you take their exponentials, so all that lie beyond the bound become
    equal. Subtract the largest of each row instead, which keeps their differences.
    """
    return without_shift(scores.clamp(max=50), sink.clamp(max=50))


@sinks.misconception
def clamped_on_both_sides(scores: Tensor, sink: Tensor) -> Tensor:
    """You clamp scores before you take their exponentials, so all that lie beyond a bound become
    equal. Subtract the largest of each row instead, which keeps their differences.
    """
    return without_shift(scores.clamp(-50, 50), sink.clamp(-50, 50))


@sinks.misconception
def clamped_further_out(scores: Tensor, sink: Tensor) -> Tensor:
    """You clamp scores before you take their exponentials, so all that lie beyond a bound become
    equal. Subtract the largest of each row instead, which keeps their differences.
    """
    return without_shift(scores.clamp(-100, 80), sink.clamp(-100, 80))


@sinks.misconception
def clamped_but_for_the_sink(scores: Tensor, sink: Tensor) -> Tensor:
    """You clamp scores before you take their exponentials, so all that lie beyond a bound become
    equal. Subtract the largest of the scores and the sink from both instead, which keeps their
    differences.
    """
    return without_shift(scores.clamp(-100, 80), sink)


@sinks.misconception
def clamped_but_for_hidden_keys(scores: Tensor, sink: Tensor) -> Tensor:
    """You clamp scores before you take their exponentials, so all that lie beyond a bound become
    equal. Subtract the largest of each row instead, which keeps their differences.
    """
    clamped = scores.clamp(-100, 80).masked_fill(scores == -torch.inf, -torch.inf)
    return without_shift(clamped, sink.clamp(-100, 80))


@sinks.misconception
def one_maximum(scores: Tensor, sink: Tensor) -> Tensor:
    """What you subtract is far above some rows, as one maximum for all of them is, or one that is
    never below 0. A row whose exponentials are all 0 becomes 0 / 0, which is NaN. Take the largest
    of each row.
    """
    largest = torch.maximum(scores.max(), sink.max())
    return without_shift(scores - largest, sink - largest)


@sinks.misconception
def one_maximum_of_the_scores(scores: Tensor, sink: Tensor) -> Tensor:
    """What you subtract is far above some rows, as one maximum for all of them is, or one that is
    never below 0. A row whose exponentials are all 0 becomes 0 / 0, which is NaN. Take the largest
    of each row and its sink.
    """
    return without_shift(scores - scores.max(), sink - scores.max())


@sinks.misconception
def shifted_by_the_sink(scores: Tensor, sink: Tensor) -> Tensor:
    """You subtract the sink, and the exponentials of scores that lie far above it still overflow.
    Subtract the largest of the scores and the sink.
    """
    return without_shift(scores - sink.view(-1, 1, 1), sink - sink)


@sinks.misconception
def sink_not_shifted(scores: Tensor, sink: Tensor) -> Tensor:
    """You subtract the largest score from the scores, but not from the sink, which then counts as
    if that score had been added to it. Subtract it from both.
    """
    exponentials = (scores - shift_of_scores(scores)).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + sink.exp().view(-1, 1, 1))


@sinks.misconception
def sink_not_shifted_by_the_largest(scores: Tensor, sink: Tensor) -> Tensor:
    """You subtract the largest of the scores and the sink from the scores, but not from the sink.
    Subtract it from both.
    """
    largest = torch.maximum(scores.amax(dim=-1, keepdim=True), sink.view(-1, 1, 1))
    return without_shift(scores - largest, sink)


@sinks.misconception
def sink_not_shifted_and_nan(scores: Tensor, sink: Tensor) -> Tensor:
    """You subtract the largest score from the scores, but not from the sink, which then counts as
    if that score had been added to it. Subtract the largest of the scores *and* the sink from both.
    """
    return without_shift(scores - scores.amax(dim=-1, keepdim=True), sink)


@sinks.misconception
def one_not_shifted(scores: Tensor, sink: Tensor) -> Tensor:
    """You add 1 to the sum after the largest score was subtracted. The term to add is exp(sink),
    and the same number has to be subtracted from the sink.
    """
    exponentials = (scores - shift_of_scores(scores)).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1)


@sinks.misconception
def one_not_shifted_and_nan(scores: Tensor, sink: Tensor) -> Tensor:
    """You add 1 to the sum after the largest score was subtracted. The term to add is exp(sink),
    and the same number has to be subtracted from the sink.
    """
    return without_shift(scores - scores.amax(dim=-1, keepdim=True), sink * 0)


def shift_of_scores(scores: Tensor) -> Tensor:
    """The largest score of each row, 0 where all are hidden."""
    return scores.amax(dim=-1, keepdim=True).nan_to_num(neginf=0.0)


@sinks.misconception
def shifted_by_the_scores_alone(scores: Tensor, sink: Tensor) -> Tensor:
    """A row whose keys are all hidden gives NaN: its largest score is −∞, and −∞ − (−∞) is NaN, in
    a softmax as well. Have the sink, which is finite, among the scores of each row.
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
def exponential_missing_after_the_shift_and_nan(scores: Tensor, sink: Tensor) -> Tensor:
    """You add the sink itself to the sum, not its exponential. It is a logit, as the scores are:
    subtract the largest of the scores *and* the sink from both, and add the sink's exponential.
    """
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + sink.view(-1, 1, 1))


def largest_of_both(scores: Tensor, sink: Tensor) -> Tensor:
    """The largest of each row's scores and its sink."""
    return torch.maximum(scores.amax(dim=-1, keepdim=True), sink.view(-1, 1, 1))


@sinks.misconception
def exponential_missing_beside_the_shift(scores: Tensor, sink: Tensor) -> Tensor:
    """You add the sink itself to the sum, not its exponential. It is a logit, as the scores are:
    shift it as you shift them, and take its exponential.
    """
    exponentials = (scores - largest_of_both(scores, sink)).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + sink.view(-1, 1, 1))


@sinks.misconception
def exponential_missing_in_proportion(scores: Tensor, sink: Tensor) -> Tensor:
    """You add the sink itself to the sum. It is a logit, as the scores are: add its exponential."""
    largest = scores.amax(dim=-1, keepdim=True).clamp(min=0)
    exponentials = (scores - largest).exp()
    return exponentials / (
        exponentials.sum(dim=-1, keepdim=True) + sink.view(-1, 1, 1) * (-largest).exp()
    )


@sinks.misconception
def shifted_without_its_exponential(scores: Tensor, sink: Tensor) -> Tensor:
    """You add the shifted sink itself to the sum. It is a logit, as the scores are: add its
    exponential.
    """
    largest = largest_of_both(scores, sink)
    exponentials = (scores - largest).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + sink.view(-1, 1, 1) - largest)


@sinks.misconception
def sink_of_zero_without_shift(scores: Tensor, sink: Tensor) -> Tensor:
    """Your sink is 0 for every head, which adds 1 to the sum. Use the logit that `sink` has for the
    head.
    """
    return without_shift(scores, sink * 0)


@sinks.misconception
def one_sink_for_every_key_without_shift(scores: Tensor, sink: Tensor) -> Tensor:
    """Your sink counts once for every key, because it is added to each exponential before you sum
    them. Add exp(sink) to the sum.
    """
    return scores.exp() / (scores.exp() + sink.exp().view(-1, 1, 1)).sum(dim=-1, keepdim=True)
