"""What goes wrong in `train` where it is chosen at which positions excerpts begin."""

import torch
from torch import Tensor

from solutions.exams.your_gpt.train.variant import Training, declared


@declared
class SameExcerpts(Training):
    """Every step learns from the same excerpts. Draw them inside the loop, anew in each step; if
    you do, is the random seed set there, too?
    """

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        torch.manual_seed(0)
        return super().starts(num_tokens, batch_size, context_length)


@declared
class DrawnBeforeTheLoop(Training):
    """Every step learns from the same excerpts, drawn once. Draw their beginnings inside the loop,
    anew in each step.
    """

    drawn: Tensor | None = None

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        if self.drawn is None:
            self.drawn = super().starts(num_tokens, batch_size, context_length)
        return self.drawn


@declared
class FirstExcerpts(Training):
    """Every step learns from the same excerpts, which begin at the positions 0, 1, 2 and so on.
    Draw at random where they begin, anew in each step, with `torch.randint`.
    """

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        return torch.arange(batch_size) % (num_tokens - context_length + 1)


@declared
class FirstExcerptsBeyondTheEnd(Training):
    """Every step learns from the same excerpts, which begin at the positions 0, 1, 2 and so on, and
    in a short text there are not that many. Draw at random where they begin, anew in each step,
    with `torch.randint`.
    """

    def excerpts(self, text: Tensor, batch_size: int, context_length: int) -> Tensor:
        return text[torch.arange(batch_size)[:, None] + torch.arange(context_length)]


@declared
class InARow(Training):
    """The excerpts of a step begin one behind the other, so where one of them begins tells where
    all do. Draw the beginning of each by itself, anew in each step, with `torch.randint`.
    """

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        first = super().starts(num_tokens, 1, context_length)
        return (first + torch.arange(batch_size)) % (num_tokens - context_length + 1)


@declared
class InTurn(Training):
    """The excerpts of a step begin one behind the other, and those of the next step go on behind
    them, so nothing is drawn. Draw the beginning of each at random, with `torch.randint`.
    """

    first = 0

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        first, self.first = self.first, self.first + batch_size
        return torch.arange(first, self.first) % (num_tokens - context_length + 1)


@declared
class OneExcerptForAll(Training):
    """All excerpts of a step are the same. Draw `batch_size` beginnings, one for each excerpt."""

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        return super().starts(num_tokens, 1, context_length).expand(batch_size)


@declared
class FromTheBeginning(Training):
    """All excerpts begin with the first token of the text, and the rest is never seen. For each
    excerpt, draw where it begins.
    """

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        return torch.zeros(batch_size, dtype=torch.int64)


@declared
class BesideEachOther(Training):
    """Your excerpts begin only at multiples of `context_length`. Let them begin anywhere, so that a
    token is seen with different tokens before it.
    """

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        return torch.randint(num_tokens // context_length, (batch_size,)) * context_length


@declared
class FirstHalfAlone(Training):
    """Your excerpts begin only in the first half of the text or so. Let them begin anywhere: in a
    text of t tokens, `torch.randint` draws from t − context_length + 1 positions.
    """

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        return torch.randint(max(1, (num_tokens - context_length + 1) // 2), (batch_size,))


@declared
class WithoutReplacement(Training):
    """In a short text, your steps have fewer than `batch_size` excerpts, as when no two of them may
    begin at the same position (`torch.randperm`). Draw with `torch.randint`.
    """

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        return torch.randperm(num_tokens - context_length + 1)[:batch_size]
