"""The known wrong answers to `AdditiveAttention`, lesson 01."""

import math

import torch
from torch import Tensor, nn

from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import Pair, hidden_places
from solutions.exams.additive_attention.additive_attention.exam import attention


class _Wrong(reference.AdditiveAttention):
    """The parts of the module, each of which may be wrong."""

    def hidden(self, query: Tensor, annotations: Tensor) -> Tensor:
        return torch.tanh(self.W_query(query).unsqueeze(1) + self.W_key(annotations))

    def rate(self, query: Tensor, annotations: Tensor) -> Tensor:
        return self.v(self.hidden(query, annotations)).squeeze(-1)

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), -math.inf), dim=-1)

    def mix(self, weights: Tensor, annotations: Tensor) -> Tensor:
        return torch.bmm(weights.unsqueeze(1), annotations).squeeze(1)

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        weights = self.weigh(self.rate(query, annotations), lengths)
        return self.mix(weights, annotations), weights


@attention.misconception
class LengthsUnused(_Wrong):
    """The padding gets weights, too. Hide the positions from `lengths` on before the softmax. If
    you already do, check that you use the new tensor that `masked_fill` returns.
    """

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-1)


@attention.misconception
class AnnotationsZeroed(_Wrong):
    """The padding gets weights, too. Setting its annotations to 0 is not enough: they still have
    scores, those of the query alone. Hide the scores from `lengths` on, before the softmax.
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        is_padding = hidden_places(annotations[..., 0], lengths)
        annotations = annotations.masked_fill(is_padding.unsqueeze(-1), 0.0)
        weights = torch.softmax(self.rate(query, annotations), dim=-1)
        return self.mix(weights, annotations), weights


@attention.misconception
class LongestForAll(_Wrong):
    """You hide the same positions in every sentence, those after the end of the longest one. Each
    sentence has its own length: compare the positions, as a row, with the lengths, as a column.
    """

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        return super().weigh(scores, lengths.max().expand_as(lengths))


@attention.misconception
class TanhDropped(_Wrong):
    """The tanh is missing. Without it, the query adds the same number to every score, so it changes
    no weight, and its matrix gets a gradient of zero.
    """

    def hidden(self, query: Tensor, annotations: Tensor) -> Tensor:
        return self.W_query(query).unsqueeze(1) + self.W_key(annotations)


@attention.misconception
class TanhBehindV(_Wrong):
    """You took the tanh after `v`, of each score, so the same word gets the largest weight for
    every query. Take the tanh of the sum of query and key instead.
    """

    def rate(self, query: Tensor, annotations: Tensor) -> Tensor:
        added = self.W_query(query).unsqueeze(1) + self.W_key(annotations)
        return torch.tanh(self.v(added)).squeeze(-1)


@attention.misconception
class TanhAroundEach(_Wrong):
    """Your weights do not depend on the query: either it is missing, or query and keys each have a
    tanh of their own, so the query adds the same number to every score. Take a single tanh, of
    their sum.
    """

    def hidden(self, query: Tensor, annotations: Tensor) -> Tensor:
        asked = torch.tanh(self.W_query(query)).unsqueeze(1)
        return asked + torch.tanh(self.W_key(annotations))


@attention.misconception
class SoftmaxOverTheBatch(_Wrong):
    """The softmax runs over the sentences. It should run over the positions of each sentence, the
    last axis.
    """

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), -math.inf), dim=0)


@attention.misconception
class ExponentialsByHand(_Wrong):
    """The exponentials you compute overflow, or all become 0, and then the division gives NaN.
    Subtract the largest score of the words first, or use `torch.softmax`.
    """

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        exponentials = scores.masked_fill(hidden_places(scores, lengths), -math.inf).exp()
        return exponentials / exponentials.sum(dim=-1, keepdim=True)


@attention.misconception
class SoftmaxOverOneScore(_Wrong):
    """All your weights are 1, even those of padding. Do the scores still have a last axis of length
    1 after `v`? A softmax over a single number is 1: remove that axis first, and hide the padding
    before the softmax.
    """

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        return torch.softmax(scores.unsqueeze(-1), dim=-1).squeeze(-1)


@attention.misconception
class ScoresWithAnAxis(_Wrong):
    """After `v` the scores have the shape (batch, source, 1), and the table of padding does not
    fit. Remove the last axis first: `squeeze(-1)`.
    """

    def rate(self, query: Tensor, annotations: Tensor) -> Tensor:
        return self.v(self.hidden(query, annotations))


@attention.misconception
class SoftmaxOverTheLastAxis(_Wrong):
    """After `v` the scores have a last axis of length 1, and your softmax runs over it: each word
    gets 1, and padding NaN. Remove that axis first: `squeeze(-1)`.
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        scores = self.v(self.hidden(query, annotations))
        is_padding = hidden_places(annotations[..., 0], lengths).unsqueeze(-1)
        weights = torch.softmax(scores.masked_fill(is_padding, -math.inf), dim=-1)
        return (weights * annotations).sum(dim=1), weights.squeeze(-1)


@attention.misconception
class ScoresSqueezed(_Wrong):
    """`squeeze()` removes every axis of length 1 from the scores, and in sentences of one word also
    that of the words. Say which axis: `squeeze(-1)`.
    """

    def rate(self, query: Tensor, annotations: Tensor) -> Tensor:
        return self.v(self.hidden(query, annotations)).squeeze()


@attention.misconception
class ScoresSqueezedAndBroadcast(_Wrong):
    """`squeeze()` removes every axis of length 1 from the scores, and in sentences of one word also
    that of the words, which the table of padding then spreads over the batch. Say which axis:
    `squeeze(-1)`.
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        scores = self.v(self.hidden(query, annotations)).squeeze()
        is_padding = hidden_places(annotations[..., 0], lengths)
        weights = torch.softmax(scores.masked_fill(is_padding, -math.inf), dim=-1)
        return (weights.unsqueeze(-1) * annotations).sum(dim=1), weights


@attention.misconception
class WeightsWithAnAxisBehind(_Wrong):
    """The context is right. Your weights have a last axis of length 1, left over from `v` or from
    mixing the annotations: they should be (batch, source).
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        context, weights = super().forward(query, annotations, lengths)
        return context, weights.unsqueeze(-1)


@attention.misconception
class WeightsWithAnAxisBetween(_Wrong):
    """The context is right. Your weights have an axis of length 1 in the middle, as a matrix
    product needs it: they should be (batch, source).
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        context, weights = super().forward(query, annotations, lengths)
        return context, weights.unsqueeze(1)


@attention.misconception
class ContextSqueezed(_Wrong):
    """In a batch of one sentence, the context has lost the axis of the batch: `squeeze()` removes
    every axis of length 1. Say which axis: `squeeze(1)`.
    """

    def mix(self, weights: Tensor, annotations: Tensor) -> Tensor:
        return torch.bmm(weights.unsqueeze(1), annotations).squeeze()


@attention.misconception
class ContextOfProjectedKeys(_Wrong):
    """You mixed the projected annotations. `W_key` serves only the comparison, so mix the
    annotations themselves.
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        weights = self.weigh(self.rate(query, annotations), lengths)
        return self.mix(weights, self.W_key(annotations)), weights


@attention.misconception
class QueryWithoutAxis(_Wrong):
    """The queries have no axis for the words, or have it in front of the batch. This fails, or,
    with as many sentences as words, adds query i to word i. Use `unsqueeze(1)`.
    """

    def hidden(self, query: Tensor, annotations: Tensor) -> Tensor:
        return torch.tanh(self.W_query(query) + self.W_key(annotations))


@attention.misconception
class BatchSecond(_Wrong):
    """You took the annotations for (source, batch, key_dim). The batch comes first here."""

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        turned = annotations.transpose(0, 1)
        weights = self.weigh(self.rate(query, turned), lengths)
        return self.mix(weights, turned), weights


@attention.misconception
class ZeroedAfterwards(_Wrong):
    """With padding, your weights no longer sum to 1: the softmax still counts it, and its weights
    become 0 only afterwards. Hide its scores first.
    """

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-1).masked_fill(hidden_places(scores, lengths), 0.0)


@attention.misconception
class NotLowEnough(_Wrong):
    """The score that you gave to padding hides it only while the words score far higher. Where all
    their scores are far lower, the padding gets all the weight: use -inf.
    """

    def weigh(self, scores: Tensor, lengths: Tensor) -> Tensor:
        hidden = hidden_places(scores, lengths)
        return torch.softmax(scores.masked_fill(hidden, -100.0), dim=-1)


@attention.misconception
class SwappedOutputs(_Wrong):
    """The two results are in the wrong order: the context should come first, then the weights."""

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        context, weights = super().forward(query, annotations, lengths)
        return weights, context


@attention.misconception
class ContextAlone(_Wrong):
    """This is the context alone. Return two results, the context and the weights."""

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        return super().forward(query, annotations, lengths)[0]  # type: ignore[return-value]


@attention.misconception
class ContextWithAnAxis(_Wrong):
    """The context still has an axis of length 1 in the middle, for example from the matrix product:
    remove it with `squeeze(1)`.
    """

    def mix(self, weights: Tensor, annotations: Tensor) -> Tensor:
        return torch.bmm(weights.unsqueeze(1), annotations)


@attention.misconception
class ContextAloneWithAnAxis(_Wrong):
    """Two things are wrong: the context still has an axis of length 1, which `squeeze(1)` removes,
    and the weights are not returned.
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        weights = self.weigh(self.rate(query, annotations), lengths)
        return torch.bmm(weights.unsqueeze(1), annotations)  # type: ignore[return-value]


@attention.misconception
class Detached(_Wrong):
    """The numbers are right, but no gradient comes back: something cuts the module off, such as
    `detach`, `.data`, `.item()` or `no_grad`, and it would never learn.
    """

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        context, weights = super().forward(query, annotations, lengths)
        return context.detach(), weights.detach()


@attention.misconception
class PlainV(_Wrong):
    """PyTorch does not find `v` in your module: it is a plain tensor, or stands without `self.`, or
    has another name, or is not made at all. It is trained, too: make it an nn.Linear with one
    output, or an nn.Parameter.
    """

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__(query_dim, key_dim, hidden_dim)
        del self.v
        self.v = torch.rand(hidden_dim, 1)  # type: ignore[assignment]


@attention.misconception
class WithBiases(_Wrong):
    """A layer of yours has a bias, which nn.Linear gives it unless told otherwise. This attention
    should have none: `bias=False`, in all three.
    """

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__(query_dim, key_dim, hidden_dim)
        self.W_query = nn.Linear(query_dim, hidden_dim)


# What is reported is the first bias of all that nobody asked for.
@attention.misconception
class WithBiasOfTheKeys(_Wrong):
    __doc__ = WithBiases.__doc__

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__(query_dim, key_dim, hidden_dim)
        self.W_key = nn.Linear(key_dim, hidden_dim)


@attention.misconception
class WithBiasOfV(_Wrong):
    __doc__ = WithBiases.__doc__

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__(query_dim, key_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, 1)
