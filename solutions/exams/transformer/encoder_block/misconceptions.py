"""The known wrong answers to `EncoderBlock`, lesson 09."""

from typing import Any

from torch import Tensor

from solutions.exams.transformer._blocks import BLOCK, Block, later, links
from solutions.exams.transformer.encoder_block.exam import encoder


class Variant(Block):
    """The encoder's block in steps, for misconceptions to get one of them wrong."""

    def forward(self, inputs: Tensor, padding: Tensor | None = None) -> Tensor:
        return self.run(inputs, lambda x: self.attend_masked(x, padding), self.feed)

    def attend_masked(self, x: Tensor, padding: Tensor | None) -> Any:
        return self.attend(x, x, key_padding_mask=padding)


BLOCK.apply(
    encoder,
    Variant,
    called={"OtherOrder": "PreNorm"},
    says={
        "OtherOrder": "You normalise before each part, as GPT does (pre-norm). This block is that "
        "of 2017 (post-norm): add first, and normalise the sum.",
    },
)
# Of two parts, one alone has something before it.
links(2).apply(encoder, Variant, without=("Part2ReadsInputs", "Part2AddsInputs"))


@encoder.misconception
class FirstPartInOtherOrder(Variant):
    """The first part is wired in another order than the second: you normalise what goes into the
    self-attention (pre-norm). Wire it like the feed-forward layer (post-norm): add first, and
    normalise the sum.
    """

    def norms_first(self, place: int) -> bool:
        return super().norms_first(place) != (place == 0)


@encoder.misconception
class PaddingIgnored(Variant):
    """The padding is attended to like words. Pass it to the attention layer:
    key_padding_mask=padding.
    """

    def attend_masked(self, x: Tensor, padding: Tensor | None) -> Any:
        return self.attend(x, x)


@encoder.misconception
class PreNormWithoutPadding(PaddingIgnored):
    """You normalise before each part, as GPT does, and the padding is attended to like words. This
    block is that of 2017: add first, and normalise the sum. And pass the attention layer
    key_padding_mask=padding.
    """

    pre_norm = True


@encoder.misconception
class PaddingOfTheFirstSentence(Variant):
    """The padding of the first sentence is hidden in all of them. Each sentence has its own row in
    `padding`: pass all of it as key_padding_mask.
    """

    def attend_masked(self, x: Tensor, padding: Tensor | None) -> Any:
        first = None if padding is None else padding[:1].expand_as(padding)
        return self.attend(x, x, key_padding_mask=first)


@encoder.misconception
class PaddingInverted(Variant):
    """Words are hidden, and padding is attended to. In `key_padding_mask`, as in `padding`, True
    means hidden: there is nothing to invert.
    """

    def attend_masked(self, x: Tensor, padding: Tensor | None) -> Any:
        return self.attend(x, x, key_padding_mask=None if padding is None else ~padding)


@encoder.misconception
class PaddingInvertedWithWeights(Variant):
    # Of a sentence without padding nothing is visible: zeros from a layer that is asked for no
    # weights, NaN from one that is.
    __doc__ = PaddingInverted.__doc__

    def attend_masked(self, x: Tensor, padding: Tensor | None) -> Any:
        visible = None if padding is None else ~padding
        return self.self_attn(x, x, x, key_padding_mask=visible)[0]


@encoder.misconception
class PaddingInvertedUnguarded(Variant):
    """You invert `padding`, which may be None. In `key_padding_mask`, as in `padding`, True means
    hidden: pass it on as it is.
    """

    def attend_masked(self, x: Tensor, padding: Any) -> Any:
        return self.attend(x, x, key_padding_mask=~padding)


@encoder.misconception
class PaddingAsAttentionMask(Variant):
    """`attn_mask` has a row for each query and a column for each key, but `padding` has a row for
    each sentence. Pass it as `key_padding_mask`.
    """

    def attend_masked(self, x: Tensor, padding: Tensor | None) -> Any:
        return self.attend(x, x, attn_mask=padding)


@encoder.misconception
class PaddingOfTheQueries(Variant):
    """You hide rows, so padding attends to nothing, which gives NaN. Hide columns, so that no token
    attends to padding. `key_padding_mask` does exactly that.
    """

    def attend_masked(self, x: Tensor, padding: Tensor | None) -> Any:
        if padding is None:
            return self.attend(x, x)
        rows = padding[:, :, None].expand(-1, -1, x.shape[1])
        rows = rows.repeat_interleave(self.self_attn.num_heads, dim=0)
        return self.attend(x, x, attn_mask=rows)


@encoder.misconception
class PaddingSetToZero(Variant):
    """You set padded inputs to 0 and hide nothing. A key of zeros still gets some of the attention:
    pass `padding` as key_padding_mask.
    """

    def attend_masked(self, x: Tensor, padding: Tensor | None) -> Any:
        return self.attend(x, x if padding is None else x.masked_fill(padding[..., None], 0))


@encoder.misconception
class OutputsOfPaddingSetToZero(Variant):
    """The words are right, but you set the outputs of padding to 0. Their values make no difference
    later, so the block returns them as they are.
    """

    def forward(self, inputs: Tensor, padding: Tensor | None = None) -> Tensor:
        found = super().forward(inputs, padding)
        return found if padding is None else found.masked_fill(padding[..., None], 0)


@encoder.misconception
class FutureHidden(Variant):
    """Your tokens don't see what comes after them. Only decoders need that: an encoder reads the
    whole sentence.
    """

    def attend_masked(self, x: Tensor, padding: Tensor | None) -> Any:
        hidden = later(x.shape[1], x.shape[1])
        return self.attend(x, x, attn_mask=hidden, key_padding_mask=padding)


@encoder.misconception
class WeightsReturned(Variant):
    """Your block returns a tuple. Return only the outputs, without the attention weights."""

    def forward(self, inputs: Tensor, padding: Tensor | None = None) -> Any:
        _, weights = self.self_attn(inputs, inputs, inputs, key_padding_mask=padding)
        return super().forward(inputs, padding), weights
