"""The known wrong answers to `GPTBlock`, lesson 09."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from solutions.exams.transformer._blocks import BLOCK, CAUSAL, Causal, Sublayer, links
from solutions.exams.transformer.gpt_block.exam import gpt


class Variant(Causal):
    """The block of a GPT in steps, for misconceptions to get one of them wrong."""

    pre_norm = True

    def activate(self, x: Tensor) -> Tensor:
        return functional.gelu(x)

    def forward(self, inputs: Tensor) -> Tensor:
        return self.run(inputs, self.attend_past, self.feed)


(BLOCK + CAUSAL).apply(
    gpt,
    Variant,
    called={"OtherOrder": "PostNorm"},
    says={
        "OtherOrder": "You normalise after each sum, as in 2017 (post-norm). This block is that of "
        "GPT-2 (pre-norm): normalise what goes into a part, and add what comes out to the x before "
        "it was normalised.",
        "NormBeforeTheSum": "You normalise what a part returns. Normalise what goes into it.",
        "NormedTwice": "You normalise before a part, and once more after the sum. Leave out "
        "the second.",
    },
    # Without a normalisation after it, a part that is left out is one that is not added.
    without=("Gelu", "NoFeedForward"),
)
# Of two parts, one alone has something before it.
links(2, pre_norm=True).apply(gpt, Variant, without=("Part2ReadsInputs", "Part2AddsInputs"))


@gpt.misconception
class FirstPartInOtherOrder(Variant):
    """The first part is wired in another order than the second: you normalise the sum after the
    self-attention (post-norm). Wire it like the feed-forward layer (pre-norm): normalise what goes
    into it, and add what comes out to the x before it was normalised.
    """

    def norms_first(self, place: int) -> bool:
        return super().norms_first(place) != (place == 0)


@gpt.misconception
class Relu(Variant):
    """You use ReLU between `linear1` and `linear2`, as in 2017. GPT uses GELU."""

    def activate(self, x: Tensor) -> Tensor:
        return torch.relu(x)


@gpt.misconception
class PostNormWithRelu(Relu):
    """You normalise after each sum, and use ReLU: both as in 2017. This block is that of GPT-2:
    normalise what goes into a part, add what comes out to the x before it was normalised, and use
    GELU.
    """

    pre_norm = False


@gpt.misconception
class GeluByTanh(Variant):
    """This is GELU as GPT-2 approximates it, with tanh. Use PyTorch's `gelu` as it is, without
    `approximate`.
    """

    def activate(self, x: Tensor) -> Tensor:
        return functional.gelu(x, approximate="tanh")


@gpt.misconception
class GeluBySigmoid(Variant):
    """This is GELU approximated by x · sigmoid(1.702 x). Use PyTorch's `gelu` as it is."""

    def activate(self, x: Tensor) -> Tensor:
        return x * torch.sigmoid(1.702 * x)


@gpt.misconception
class Silu(Variant):
    """You use SiLU between `linear1` and `linear2`. This block uses PyTorch's `gelu`."""

    def activate(self, x: Tensor) -> Tensor:
        return functional.silu(x)


@gpt.misconception
class OtherEps(Variant):
    """Your normalisations add another number than PyTorch's 1e-5 under the root. Leave eps as it
    is: nn.LayerNorm(d_model).
    """

    def norm(self, place: int, x: Tensor) -> Tensor:
        used = getattr(self, f"norm{place + 1}")
        return functional.layer_norm(x, used.normalized_shape, used.weight, used.bias, 1e-3)


@gpt.misconception
class QueriesNormedAlone(Variant):
    """Only the queries are normalised. Queries, keys and values should all be computed from
    norm1(inputs).
    """

    def run(self, inputs: Tensor, *sublayers: Sublayer) -> Tensor:
        self.first = inputs
        return super().run(inputs, *sublayers)

    def attend_past(self, x: Tensor, **masks: Any) -> Any:
        hidden = self.future(x.shape[1], x.shape[1])
        return self.attend(x, self.first, attn_mask=hidden)


@gpt.misconception
class KeysNormedAlone(QueriesNormedAlone):
    """Only the keys and values are normalised, but not the queries. All three should be computed
    from norm1(x).
    """

    def attend_past(self, x: Tensor, **masks: Any) -> Any:
        hidden = self.future(x.shape[1], x.shape[1])
        return self.attend(self.first, x, attn_mask=hidden)


@gpt.misconception
class ValuesNotNormed(QueriesNormedAlone):
    """Queries and keys are normalised, but not the values. All three should be computed from
    norm1(x).
    """

    def attend_past(self, x: Tensor, **masks: Any) -> Any:
        hidden = self.future(x.shape[1], x.shape[1])
        return self.self_attn(x, x, self.first, attn_mask=hidden, need_weights=False)[0]


@gpt.misconception
class FirstNormOverwrites(Variant):
    """You add norm1(x) instead of x, so the residual connection around attention no longer carries
    the input. If norm1(x) has overwritten x, give it its own name.
    """

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        if place:
            return super().around(place, x, sublayer, inputs)
        normed = self.norm(place, x)
        return self.add(place, normed, sublayer(normed))


@gpt.misconception
class SecondNormOverwrites(Variant):
    """You add norm2(x) instead of x, so the residual connection around the feed-forward layer no
    longer carries its input. If norm2(x) has overwritten x, give it its own name.
    """

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        if not place:
            return super().around(place, x, sublayer, inputs)
        normed = self.norm(place, x)
        return self.add(place, normed, sublayer(normed))


@gpt.misconception
class SecondNormOfTheFirst(Variant):
    """Your feed-forward layer reads `norm2` of the output of `norm1`. Give it `norm2` of x, where x
    is the sum after the self-attention.
    """

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        if not place:
            return super().around(place, x, sublayer, inputs)
        return self.add(place, x, sublayer(self.norm(place, self.norm(0, inputs))))


@gpt.misconception
class NormedAtTheEnd(Variant):
    """Your block normalises its result. With pre-norm a model does that only once, after its last
    block, and not inside a block.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return functional.layer_norm(super().forward(inputs), (inputs.shape[-1],))


@gpt.misconception
class WeightsReturned(Variant):
    """Your block returns a tuple. Return only the outputs, without the attention weights."""

    def forward(self, inputs: Tensor) -> Any:
        normed = self.norm(0, inputs)
        hidden = self.future(inputs.shape[1], inputs.shape[1])
        _, weights = self.self_attn(normed, normed, normed, attn_mask=hidden)
        return super().forward(inputs), weights
