"""Which value each part of a block reads, which one its sum adds, and all wrong choices, lesson 09.

A block is a chain: every part is given what the part before it has left, and its residual
connection adds that. There are more values on the way, and each can be taken instead.
"""

from collections.abc import Iterator, Sequence

from torch import Tensor

from solutions.exams.families.family import Family
from solutions.exams.transformer._blocks.steps import Block, Sublayer

_PARTS = ("self-attention", "cross-attention")
_LAST = "feed-forward layer"
# Values by the part they come of: what it returns, that with what is added, and that normalised.
_INPUTS, _RESULT, _SUM, _NORM = "Inputs", "ResultOf", "SumAt", "Norm"
# What is left of a result after dropout.
_DROPPED = "DroppedResultOf"


class Linked(Block):
    """A block of which one part reads, or adds, another value than what has been left for it."""

    part, value, is_read = 1, _INPUTS, True

    def run(self, inputs: Tensor, *sublayers: Sublayer) -> Tensor:
        self.values = {_INPUTS: inputs}
        return super().run(inputs, *sublayers)

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        other = self.values[self.value] if place == self.part else x
        read, added = (other, x) if self.is_read else (x, other)
        if self.norms_first(place):
            # What is normalised already is not normalised again.
            is_normed = read is not x and self.value.startswith(_NORM)
            read = self._kept(_NORM, place, read if is_normed else self.norm(place, read))
            return self.add(place, added, self._kept(_RESULT, place, sublayer(read)))
        total = self.add(place, added, self._kept(_RESULT, place, sublayer(read)))
        return self._kept(_NORM, place, self.norm(place, self._kept(_SUM, place, total)))

    def drop(self, place: int, made: Tensor) -> Tensor:
        return self._kept(_DROPPED, place, super().drop(place, made))

    def _kept(self, kind: str, place: int, value: Tensor) -> Tensor:
        self.values[f"{kind}{place + 1}"] = value
        return value


def links(parts: int, *, pre_norm: bool = False) -> Family:
    """Every wrong choice in a block of so many parts, with post-norm or with pre-norm."""
    names = (*_PARTS[: parts - 1], _LAST)
    return Family(
        *(
            type(
                f"Part{place + 1}{'Reads' if is_read else 'Adds'}{value}",
                (Linked,),
                {
                    "__doc__": (_in_pre_norm if pre_norm else _in_post_norm)(
                        names, place, words, is_read=is_read
                    ),
                    "part": place,
                    "value": value,
                    "is_read": is_read,
                },
            )
            for place in range(1, parts)
            for value, words in _values_before(names[:place], pre_norm=pre_norm)
            for is_read in (True, False)
        )
    )


def _values_before(names: Sequence[str], *, pre_norm: bool) -> Iterator[tuple[str, str]]:
    """The values that there are after these parts, but for the one that they leave, in words."""
    yield _INPUTS, "the inputs of the block"
    for number, name in enumerate(names, start=1):
        yield f"{_RESULT}{number}", f"the result of the {name} alone"
        yield f"{_DROPPED}{number}", f"the result of the {name} alone"
        if not pre_norm:
            yield f"{_SUM}{number}", f"the sum after the {name} as it was before `norm{number}`"
        if pre_norm or number < len(names):
            yield f"{_NORM}{number}", f"the output of `norm{number}`"


def _in_post_norm(names: Sequence[str], place: int, words: str, *, is_read: bool) -> str:
    right = f"the output of `norm{place}`"
    if not is_read:
        return (
            f"To the result of the {names[place]}, you add {words}. A residual connection adds "
            f"what the part was given: {right}."
        )
    if names[place] == _LAST:
        return f"Your {_LAST} is given {words}. Give it {right}."
    return f"The queries of your {names[place]} come from {words}. They should come from {right}."


def _in_pre_norm(names: Sequence[str], place: int, words: str, *, is_read: bool) -> str:
    right = f"x is the sum after the {names[place - 1]}"
    if is_read:
        return f"Your {names[place]} reads {words}. Give it `norm{place + 1}` of x, where {right}."
    return (
        f"To the result of the {names[place]}, you add {words}. Add x as it was before "
        f"`norm{place + 1}`, where {right}."
    )
