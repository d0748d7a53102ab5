"""What goes wrong in modules: dropout, biases, and the mask that a module keeps."""

from itertools import product

import torch
from torch import Tensor, nn

from solutions.exams.families.attention import Attention
from solutions.exams.families.family import Family
from solutions.exams.families.masks import Causal

# --- dropout -------------------------------------------------------------------------------------


class Dropping(Attention):
    """Attention that drops weights in training."""

    dropout: nn.Dropout

    def drop(self, weights: Tensor) -> Tensor:
        dropped: Tensor = self.dropout(weights)
        return dropped

    def rate(self, dropout: float) -> float:
        """The p of nn.Dropout."""
        return dropout


class NoDropout(Dropping):
    """No weight is dropped in training: either nothing is dropped, or scores are, before the
    softmax. Drop the weights, after the softmax.
    """

    def drop(self, weights: Tensor) -> Tensor:
        return weights


class DropoutAlways(Dropping):
    """Your module also applies dropout in evaluation mode. `nn.Dropout` follows the module's mode
    if you create it in __init__; one that is created in forward is always in training mode.
    `F.dropout` has to be told: training=self.training.
    """

    def drop(self, weights: Tensor) -> Tensor:
        return nn.functional.dropout(weights, self.dropout.p)


class DropoutOnScores(NoDropout):
    """You drop scores, before the softmax. A dropped score is 0, and exp(0) still gives weight:
    drop the weights instead.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        return super().weigh(self.dropout(scores), hidden)


class DropoutOnMaskedScores(NoDropout):
    """You drop scores, before the softmax: 0 · (−∞) is NaN, and a score of 0 still gets some
    weight. Drop the weights instead.
    """

    def normalise(self, scores: Tensor) -> Tensor:
        return super().normalise(self.dropout(scores))


class DropoutOnContexts(NoDropout):
    """You drop features of the contexts. Drop attention weights, before they are multiplied by the
    values.
    """

    def mix(self, weights: Tensor, values: Tensor) -> Tensor:
        dropped: Tensor = self.dropout(super().mix(weights, values))
        return dropped


class DropoutOnValues(NoDropout):
    """You drop features of the values. Drop attention weights, before they are multiplied by the
    values.
    """

    def mix(self, weights: Tensor, values: Tensor) -> Tensor:
        return super().mix(weights, self.dropout(values))


class RenormalisedAfterDropout(Dropping):
    """You made the rows sum to 1 again after the dropout. Leave them as dropout returns them: on
    average they sum to 1.
    """

    def drop(self, weights: Tensor) -> Tensor:
        dropped = super().drop(weights)
        return dropped / dropped.sum(dim=-1, keepdim=True)


class FixedDropout(Dropping):
    """Your dropout has a fixed p. Pass on the one that the class receives: nn.Dropout(dropout)."""

    def rate(self, dropout: float) -> float:
        return 0.5


class KeptInsteadOfDropped(Dropping):
    """Your module drops with a probability of 1 − dropout. Like the p of nn.Dropout, `dropout` is
    the probability of being dropped, not of being kept.
    """

    def rate(self, dropout: float) -> float:
        return 1 - dropout


DROPOUT = Family(
    NoDropout,
    DropoutAlways,
    DropoutOnScores,
    DropoutOnMaskedScores,
    DropoutOnContexts,
    DropoutOnValues,
    RenormalisedAfterDropout,
    FixedDropout,
    KeptInsteadOfDropped,
)

# --- biases --------------------------------------------------------------------------------------


Biases = tuple[bool, bool, bool]


class Projecting(Attention):
    """Attention with projections of its own."""

    def biased(self, qkv_bias: bool) -> Biases:
        """Whether W_query, W_key and W_value have a bias."""
        return qkv_bias, qkv_bias, qkv_bias


class BiasAlways(Projecting):
    """A projection has a bias although `qkv_bias` is False, or is not given: False is its default,
    and nn.Linear adds one unless you pass bias=qkv_bias. That goes for all three.
    """

    def biased(self, qkv_bias: bool) -> Biases:
        return True, True, True


class KeyBiasAlways(BiasAlways):
    __doc__ = BiasAlways.__doc__

    # What is reported is the first bias that nobody asked for.
    def biased(self, qkv_bias: bool) -> Biases:
        return qkv_bias, True, True


class ValueBiasAlways(BiasAlways):
    __doc__ = BiasAlways.__doc__

    def biased(self, qkv_bias: bool) -> Biases:
        return qkv_bias, qkv_bias, True


class BiasNever(Projecting):
    """With qkv_bias=True, a projection has no bias. Pass the argument on to all three: nn.Linear(…,
    bias=qkv_bias).
    """

    def biased(self, qkv_bias: bool) -> Biases:
        return False, False, False


def _passed_on_to(query: bool, key: bool, value: bool) -> type[Projecting]:
    """`qkv_bias` is passed on to some of the projections."""

    class SomeUnbiased(Projecting):
        def biased(self, qkv_bias: bool) -> Biases:
            return qkv_bias and query, qkv_bias and key, qkv_bias and value

    told = {"query": query, "key": key, "value": value}
    bare = [name for name, passed_on in told.items() if not passed_on]
    SomeUnbiased.__name__ = "And".join(name.title() for name in bare) + "Unbiased"
    SomeUnbiased.__doc__ = (
        f"With qkv_bias=True, {' and '.join(f'`W_{name}`' for name in bare)} "
        f"{'has' if len(bare) == 1 else 'have'} no bias. Pass it on, to all three: nn.Linear(…, "
        "bias=qkv_bias)."
    )
    return SomeUnbiased


_SOME = (_passed_on_to(*told) for told in product((True, False), repeat=3) if len(set(told)) == 2)
BIAS = Family(BiasAlways, KeyBiasAlways, ValueBiasAlways, BiasNever, *_SOME)

# --- the mask that a module keeps ----------------------------------------------------------------


class Keeping(Causal, nn.Module):
    """Attention that keeps its mask."""

    mask: torch.Tensor

    def keep(self, hidden: Tensor) -> None:
        """Make the mask a part of the module."""
        self.register_buffer("mask", hidden)

    def cut(self, num_tokens: int) -> Tensor:
        """The mask for so many tokens."""
        return self.mask[:num_tokens, :num_tokens]


class MaskTrained(Keeping):
    """Your mask is a parameter, and the optimiser is given all the parameters. A tensor that is
    part of the module but is not trained is a buffer: register_buffer.
    """

    def keep(self, hidden: Tensor) -> None:
        self.mask = nn.Parameter(hidden, requires_grad=False)


class MaskNotCut(Keeping):
    """Your mask only fits sentences of context_length words. Cut it to the words that are there:
    the first num_tokens rows and columns.
    """

    def cut(self, num_tokens: int) -> Tensor:
        return self.mask


class MaskNotCutButWritten(MaskNotCut):
    """Your mask only fits sentences of context_length words, and `masked_fill_` can't write it into
    fewer scores. Cut it to the words that are there: the first num_tokens rows and columns.
    """

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return scores.masked_fill_(hidden, -torch.inf)


class MaskCutAtTheEnd(Keeping):
    """In sentences shorter than context_length, words see what comes after them; in sentences of
    exactly that length, they do not. If you cut the mask, take its first num_tokens rows and
    columns, because its last rows are for words that see nearly everything.
    """

    def cut(self, num_tokens: int) -> Tensor:
        return self.mask[-num_tokens:, :num_tokens]


KEPT_MASK = Family(MaskTrained, MaskNotCut, MaskNotCutButWritten, MaskCutAtTheEnd)
