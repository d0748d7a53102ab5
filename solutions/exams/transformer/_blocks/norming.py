"""What goes wrong with the normalisations of a block, lesson 09."""

from torch import Tensor

from solutions.exams.families.family import Family
from solutions.exams.transformer._blocks.steps import Block, Sublayer


class NoNorms(Block):
    """Nothing is normalised: use `norm1` and those that follow it, each in its place."""

    def norm(self, place: int, x: Tensor) -> Tensor:
        return x


class FirstNormLeftOut(Block):
    """`norm1` is not used. It goes with the self-attention."""

    def norm(self, place: int, x: Tensor) -> Tensor:
        return super().norm(place, x) if place else x


class LastNormLeftOut(Block):
    """The last normalisation is not used. It goes with the feed-forward layer."""

    def norm(self, place: int, x: Tensor) -> Tensor:
        return x if place == len(self.places) - 1 else super().norm(place, x)


class FirstNormEverywhere(Block):
    """You use `norm1` in every place. Each place has its own normalisation, with its own weight and
    bias.
    """

    def norm(self, place: int, x: Tensor) -> Tensor:
        return super().norm(0, x)


class LastNormEverywhere(Block):
    """You use the last normalisation in every place. Each place has its own, with its own weight
    and bias.
    """

    def norm(self, place: int, x: Tensor) -> Tensor:
        return super().norm(len(self.places) - 1, x)


class NormsInReverse(Block):
    """The normalisations are in each other's places: `norm1` goes with the self-attention, and the
    last one with the feed-forward layer.
    """

    def norm(self, place: int, x: Tensor) -> Tensor:
        return super().norm(len(self.places) - 1 - place, x)


class OtherOrder(Block):
    """The normalisation is on the wrong side of a part."""

    def norms_first(self, place: int) -> bool:
        return not super().norms_first(place)


class LastPartInOtherOrder(Block):
    """The last part is wired in another order than the others: its normalisation is on the wrong
    side. Wire all of them alike.
    """

    def norms_first(self, place: int) -> bool:
        return super().norms_first(place) != (place == len(self.places) - 1)


class NormBeforeTheSum(Block):
    """You normalise the result of a part, and then add it. This is neither post-norm nor
    pre-norm.
    """

    def is_wrong(self, place: int) -> bool:
        return True

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        if self.is_wrong(place):
            return self.add(place, x, self.norm(place, sublayer(x)))
        return super().around(place, x, sublayer, inputs)


class FirstNormBeforeTheSum(NormBeforeTheSum):
    """`norm1` normalises what the self-attention returns, and x is added after that. In post-norm
    the sum is normalised, in pre-norm x before the layer.
    """

    def is_wrong(self, place: int) -> bool:
        return place == 0


class LastNormBeforeTheSum(NormBeforeTheSum):
    """The last normalisation is that of what the feed-forward layer returns, and x is added after
    it. In post-norm the sum is normalised, in pre-norm x before the layer.
    """

    def is_wrong(self, place: int) -> bool:
        return place == len(self.places) - 1


class NormOfTheDropped(NormBeforeTheSum):
    __doc__ = NormBeforeTheSum.__doc__

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        if self.is_wrong(place):
            return x + self.norm(place, self.drop(place, sublayer(x)))
        return super().around(place, x, sublayer, inputs)


class FirstNormOfTheDropped(NormOfTheDropped):
    __doc__ = FirstNormBeforeTheSum.__doc__

    def is_wrong(self, place: int) -> bool:
        return place == 0


class LastNormOfTheDropped(NormOfTheDropped):
    __doc__ = LastNormBeforeTheSum.__doc__

    def is_wrong(self, place: int) -> bool:
        return place == len(self.places) - 1


class ResultNormedToo(NormBeforeTheSum):
    """You normalise what a part returns as well, before you add it. Each normalisation is used
    once: leave this one out.
    """

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        def normed(given: Tensor) -> Tensor:
            return self.norm(place, sublayer(given))

        wrong = normed if self.is_wrong(place) else sublayer
        return Block.around(self, place, x, wrong, inputs)


class FirstResultNormedToo(ResultNormedToo):
    """`norm1` is used twice: you also normalise what the self-attention returns, before you add it.
    Leave that out.
    """

    def is_wrong(self, place: int) -> bool:
        return place == 0


class LastResultNormedToo(ResultNormedToo):
    """The last normalisation is used twice: you also normalise what the feed-forward layer returns,
    before you add it. Leave that out.
    """

    def is_wrong(self, place: int) -> bool:
        return place == len(self.places) - 1


class NormedTwice(Block):
    """You normalise before a part, and once more after the sum. Normalise in only one of these
    places.
    """

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        return self.norm(place, self.add(place, x, sublayer(self.norm(place, x))))


class NormOverwrites(Block):
    """You normalise x, and add the normalised x: the residual connection no longer carries what
    came in.
    """

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        normed = self.norm(place, x)
        return self.add(place, normed, sublayer(normed))


NORMS = Family(
    NoNorms,
    FirstNormLeftOut,
    LastNormLeftOut,
    FirstNormEverywhere,
    LastNormEverywhere,
    NormsInReverse,
    OtherOrder,
    NormBeforeTheSum,
    FirstNormBeforeTheSum,
    LastNormBeforeTheSum,
    NormOfTheDropped,
    FirstNormOfTheDropped,
    LastNormOfTheDropped,
    LastPartInOtherOrder,
    ResultNormedToo,
    FirstResultNormedToo,
    LastResultNormedToo,
    NormedTwice,
    NormOverwrites,
)
