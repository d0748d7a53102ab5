"""Writing with a cache in steps, for misconceptions to get one of them wrong."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from companion import Cache
from solutions.exams.in_steps import declares
from solutions.exams.your_gpt.continue_with_cache.exam import continuing

Model = Callable[..., Tensor]
Choose = Callable[[Tensor], Tensor]
Caches = Sequence[Cache]


class Continuing:
    """An answer of which each step can be another one."""

    def __call__(
        self, model: Model, ids: Tensor, caches: Caches, num_new_tokens: int, choose: Choose
    ) -> Any:
        """Write."""
        text, new = ids, ids
        for _ in range(self.turns(num_new_tokens, ids)):
            chosen = self.chosen(choose, self.logits(model, new, caches, text))
            text = self.joined(text, chosen)
            new = self.fed(text, chosen, ids)
        return self.returned(text, ids)

    def turns(self, num_new_tokens: int, ids: Tensor) -> int:
        return num_new_tokens

    @torch.no_grad()
    def logits(self, model: Model, new: Tensor, caches: Caches, text: Tensor) -> Tensor:
        return model(new, caches)

    def chosen(self, choose: Choose, logits: Tensor) -> Tensor:
        return choose(self.scores(logits))[:, None]

    def scores(self, logits: Tensor) -> Tensor:
        return logits[:, -1]

    def joined(self, text: Tensor, chosen: Tensor) -> Tensor:
        return torch.cat([text, chosen], dim=1)

    def fed(self, text: Tensor, chosen: Tensor, ids: Tensor) -> Tensor:
        return chosen

    def returned(self, text: Tensor, ids: Tensor) -> Any:
        return text


declared = declares(continuing)
