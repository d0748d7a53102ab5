"""The known wrong answers to `DecoderBlock`, lesson 09."""

from typing import Any

from torch import Tensor

from solutions.exams.transformer._blocks import BLOCK, CAUSAL, Causal, Sublayer, links
from solutions.exams.transformer.decoder_block.exam import decoder


class Variant(Causal):
    """The decoder's block in steps, for misconceptions to get one of them wrong."""

    places = ("attention", "cross-attention", "feed-forward")

    def forward(self, inputs: Tensor, memory: Tensor, padding: Tensor | None = None) -> Tensor:
        return self.run(
            inputs,
            lambda x: self.attend_itself(x, padding),
            lambda x: self.read(x, memory, padding),
            self.feed,
        )

    def attend_itself(self, x: Tensor, padding: Tensor | None) -> Any:
        return self.attend_past(x)

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        return self.cross(x, memory, memory, key_padding_mask=padding)

    def cross(self, x: Tensor, keys: Tensor, values: Tensor, **masks: Any) -> Any:
        return self.call(self.multihead_attn, x, keys, values, **masks)


(BLOCK + CAUSAL).apply(
    decoder,
    Variant,
    called={"OtherOrder": "PreNorm"},
    says={
        "OtherOrder": "You normalise before each part, as GPT does (pre-norm). This block is that "
        "of 2017 (post-norm): add first, and normalise the sum.",
        "DropoutAtFirstAlone": "Dropout is applied to the results of the two attentions, but not "
        "to that of the feed-forward layer. Apply it there as well.",
        "DropoutAtLastAlone": "Dropout is applied only to the result of the feed-forward layer. "
        "Apply it to the result of each attention as well.",
    },
)
# Of what its queries lose, a part that reads a single word shows nothing.
links(3).apply(decoder, Variant, without=("Part2ReadsDroppedResultOf1",))


# --- what is read --------------------------------------------------------------------------------


@decoder.misconception
class PaddingIgnored(Variant):
    """The padding of `memory` is attended to like words. Pass it to `multihead_attn`:
    key_padding_mask=padding.
    """

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        return self.cross(x, memory, memory)


@decoder.misconception
class PaddingOfTheFirstSentence(Variant):
    """The padding of the first sentence is hidden in all of them. Each sentence has its own row in
    `padding`: pass all of it as key_padding_mask.
    """

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        first = None if padding is None else padding[:1].expand_as(padding)
        return self.cross(x, memory, memory, key_padding_mask=first)


@decoder.misconception
class PaddingInverted(Variant):
    """Words of `memory` are hidden, and its padding is attended to. In `key_padding_mask`, as in
    `padding`, True means hidden: there is nothing to invert.
    """

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        visible = None if padding is None else ~padding
        return self.cross(x, memory, memory, key_padding_mask=visible)


@decoder.misconception
class PaddingInvertedWithWeights(Variant):
    # Of a memory without padding nothing is visible: zeros from a layer that is asked for no
    # weights, NaN from one that is.
    __doc__ = PaddingInverted.__doc__

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        visible = None if padding is None else ~padding
        return self.multihead_attn(x, memory, memory, key_padding_mask=visible)[0]


@decoder.misconception
class PaddingInvertedUnguarded(Variant):
    """You invert `padding`, which may be None. In `key_padding_mask`, as in `padding`, True means
    hidden: pass it on as it is.
    """

    def read(self, x: Tensor, memory: Tensor, padding: Any) -> Any:
        return self.cross(x, memory, memory, key_padding_mask=~padding)


@decoder.misconception
class PaddingAsAttentionMask(Variant):
    """`attn_mask` has a row for each query and a column for each key, but `padding` has a row for
    each sentence. Pass it as `key_padding_mask`.
    """

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        return self.cross(x, memory, memory, attn_mask=padding)


@decoder.misconception
class PaddingInSelfAttention(Variant):
    """`padding` is about `memory`, but you pass it to the self-attention, or to both. Pass it to
    the cross-attention only.
    """

    def attend_itself(self, x: Tensor, padding: Tensor | None) -> Any:
        return self.attend_past(x, key_padding_mask=padding)


@decoder.misconception
class PaddingInSelfAttentionAlone(PaddingInSelfAttention):
    __doc__ = PaddingInSelfAttention.__doc__

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        return self.cross(x, memory, memory)


@decoder.misconception
class CrossCausal(Variant):
    """The cross-attention is causal here, too. All of `memory` is there from the start, so only the
    self-attention hides the future.
    """

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        hidden = self.future(x.shape[1], memory.shape[1])
        return self.cross(x, memory, memory, attn_mask=hidden, key_padding_mask=padding)


@decoder.misconception
class CrossCausalWithWeights(CrossCausal):
    # Of a memory of which a token sees nothing: zeros from a layer that is asked for no weights,
    # NaN from one that is.
    __doc__ = CrossCausal.__doc__

    def cross(self, x: Tensor, keys: Tensor, values: Tensor, **masks: Any) -> Any:
        return self.multihead_attn(x, keys, values, **masks)[0]


@decoder.misconception
class CrossCausalByTheTokens(Variant):
    """You pass the mask of the future, (tokens, tokens), to the cross-attention, too. There, the
    columns are the tokens of `memory`, all of which may be read, so it needs no such mask.
    """

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        hidden = self.future(x.shape[1], x.shape[1])
        return self.cross(x, memory, memory, attn_mask=hidden, key_padding_mask=padding)


@decoder.misconception
class MaskInTheWrongAttention(CrossCausalByTheTokens):
    """The self-attention sees the future, and the cross-attention is causal: you gave the mask to
    the wrong one of the two.
    """

    def attend_itself(self, x: Tensor, padding: Tensor | None) -> Any:
        return self.attend(x, x)


@decoder.misconception
class MaskOfTheMemoryAlone(CrossCausal):
    __doc__ = MaskInTheWrongAttention.__doc__

    def attend_itself(self, x: Tensor, padding: Tensor | None) -> Any:
        return self.attend(x, x)


@decoder.misconception
class MaskOfTheMemoryAloneWithWeights(MaskOfTheMemoryAlone, CrossCausalWithWeights):
    __doc__ = MaskInTheWrongAttention.__doc__


@decoder.misconception
class ReadsItself(Variant):
    """`memory` is never read: the queries, keys and values of the cross-attention all come from the
    decoder. Its keys and values should come from `memory`.
    """

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        return self.cross(x, x, x)


@decoder.misconception
class ReadsItselfPadded(Variant):
    __doc__ = ReadsItself.__doc__

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        return self.cross(x, x, x, key_padding_mask=padding)


@decoder.misconception
class MemoryAsks(Variant):
    """In your cross-attention, `memory` supplies the queries, and the decoder the keys and values.
    It should be the other way round: there is one output for each query, and you need one for each
    token of the decoder.
    """

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        return self.cross(memory, x, x)


@decoder.misconception
class MemoryAsksPadded(MemoryAsks):
    __doc__ = MemoryAsks.__doc__

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        return self.cross(memory, x, x, key_padding_mask=padding)


@decoder.misconception
class MemoryReadsItself(Variant):
    """The queries, keys and values of the cross-attention all come from `memory`. Its queries
    should come from the decoder.
    """

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        return self.cross(memory, memory, memory, key_padding_mask=padding)


@decoder.misconception
class ValuesOfTheDecoder(Variant):
    """The values of the cross-attention come from the decoder. Keys and values should both come
    from `memory`.
    """

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        return self.cross(x, memory, x, key_padding_mask=padding)


@decoder.misconception
class KeysOfTheDecoder(Variant):
    """The keys of the cross-attention come from the decoder. Keys and values should both come from
    `memory`.
    """

    def read(self, x: Tensor, memory: Tensor, padding: Tensor | None) -> Any:
        return self.cross(x, x, memory, key_padding_mask=padding)


# --- the order of the parts ----------------------------------------------------------------------


@decoder.misconception
class NoCrossAttention(Variant):
    """There is no cross-attention in your block. After the self-attention, `multihead_attn` should
    read `memory`; its result is to be added, and normalised by `norm2`.
    """

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        return x if place == 1 else super().around(place, x, sublayer, inputs)


@decoder.misconception
class NoSelfAttention(Variant):
    """There is no self-attention in your block. It should come first; its result is to be added,
    and normalised by `norm1`.
    """

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        return super().around(place, x, sublayer, inputs) if place else x


@decoder.misconception
class CrossAttentionFirst(Variant):
    """Your block reads `memory` before it attends to its own tokens. Self-attention should come
    first.
    """

    def run(self, inputs: Tensor, *sublayers: Sublayer) -> Tensor:
        itself, read, feed = sublayers
        return super().run(inputs, read, itself, feed)


@decoder.misconception
class CrossAttentionFirstWithItsNorm(Variant):
    __doc__ = CrossAttentionFirst.__doc__

    def run(self, inputs: Tensor, *sublayers: Sublayer) -> Tensor:
        x = inputs
        for place in (1, 0, 2):
            x = self.around(place, x, sublayers[place], inputs)
        return x


@decoder.misconception
class NoResidualInTheMiddle(Variant):
    """The cross-attention has no residual connection: add the output of `norm1` to its result."""

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return self.drop(place, made) if place == 1 else super().add(place, x, made)


@decoder.misconception
class MiddlePartDoubled(Variant):
    __doc__ = NoResidualInTheMiddle.__doc__

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return super().add(place, made if place == 1 else x, made)


@decoder.misconception
class MiddlePartNotAdded(Variant):
    """The result of the cross-attention is never added: x goes on as it came in."""

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return x if place == 1 else super().add(place, x, made)


@decoder.misconception
class ResidualOfTheMemory(Variant):
    """You add `memory` to the result of the cross-attention. Add the output of `norm1`."""

    def forward(self, inputs: Tensor, memory: Tensor, padding: Tensor | None = None) -> Tensor:
        self.memory = memory
        return super().forward(inputs, memory, padding)

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return super().add(place, self.memory if place == 1 else x, made)


@decoder.misconception
class MiddleNormLeftOut(Variant):
    """`norm2` is not used. It goes with the cross-attention."""

    def norm(self, place: int, x: Tensor) -> Tensor:
        return x if place == 1 else super().norm(place, x)


@decoder.misconception
class LastNormsExchanged(Variant):
    """`norm2` and `norm3` are in each other's places: `norm2` goes with the cross-attention, and
    `norm3` with the feed-forward layer.
    """

    taken = 0, 2, 1

    def norm(self, place: int, x: Tensor) -> Tensor:
        return super().norm(self.taken[place], x)


@decoder.misconception
class FirstNormsExchanged(LastNormsExchanged):
    """`norm1` and `norm2` are in each other's places: `norm1` goes with the self-attention, and
    `norm2` with the cross-attention.
    """

    taken = 1, 0, 2


@decoder.misconception
class FirstNormInTheMiddle(LastNormsExchanged):
    """You use `norm1` for the cross-attention, too. That has a normalisation of its own:
    `norm2`.
    """

    taken = 0, 0, 2


@decoder.misconception
class FirstNormAtTheEnd(LastNormsExchanged):
    """You use `norm1` for the feed-forward layer, too. That has a normalisation of its own:
    `norm3`.
    """

    taken = 0, 1, 0


@decoder.misconception
class MiddleNormAtTheEnd(LastNormsExchanged):
    """You use `norm2` for the feed-forward layer, too. That has a normalisation of its own:
    `norm3`.
    """

    taken = 0, 1, 1


@decoder.misconception
class NoDropoutInTheMiddle(Variant):
    """No dropout is applied to the result of the cross-attention. Apply it to the results of all
    three parts.
    """

    def drop(self, place: int, made: Tensor) -> Tensor:
        return made if place == 1 else super().drop(place, made)


@decoder.misconception
class NoDropoutAtFirst(Variant):
    """No dropout is applied to the result of the self-attention. Apply it to the results of all
    three parts.
    """

    def drop(self, place: int, made: Tensor) -> Tensor:
        return super().drop(place, made) if place else made


@decoder.misconception
class SelfAttentionTwice(Variant):
    """`self_attn` reads `memory`, too. The cross-attention has its own weights:
    `multihead_attn`.
    """

    def cross(self, x: Tensor, keys: Tensor, values: Tensor, **masks: Any) -> Any:
        return self.self_attn(x, keys, values, need_weights=False, **masks)[0]


@decoder.misconception
class AttentionsExchanged(Variant):
    """The two attention layers are exchanged: `self_attn` should attend to the decoder's own
    tokens, and `multihead_attn` to `memory`.
    """

    def attend(self, x: Tensor, context: Tensor, **masks: Any) -> Any:
        return self.multihead_attn(x, context, context, need_weights=False, **masks)[0]

    def cross(self, x: Tensor, keys: Tensor, values: Tensor, **masks: Any) -> Any:
        return self.self_attn(x, keys, values, need_weights=False, **masks)[0]
