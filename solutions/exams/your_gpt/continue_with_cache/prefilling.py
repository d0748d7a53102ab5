"""What goes wrong in `continue_with_cache` in calls of its own for the prompt."""

from typing import Any

from torch import Tensor

from solutions.exams.your_gpt.continue_with_cache.variant import (
    Caches,
    Choose,
    Continuing,
    Model,
    declared,
)


class Prefilling(Continuing):
    """Writing that begins with calls of its own, before the loop."""

    def __call__(
        self, model: Model, ids: Tensor, caches: Caches, num_new_tokens: int, choose: Choose
    ) -> Any:
        text, new = ids, self.prefilled(model, ids, caches)
        for _ in range(num_new_tokens):
            new = self.chosen(choose, self.logits(model, new, caches, text))
            text = self.joined(text, new)
        return text

    def prefilled(self, model: Model, ids: Tensor, caches: Caches) -> Tensor:
        raise NotImplementedError


@declared
class PromptTokenByToken(Prefilling):
    """The texts are right, but the prompt goes through the model one token at a time. Feed it in a
    single call, which fills the caches all at once and gives the logits of the first new token.
    """

    def prefilled(self, model: Model, ids: Tensor, caches: Caches) -> Tensor:
        for place in range(ids.shape[1] - 1):
            self.logits(model, ids[:, place : place + 1], caches, ids)
        return ids[:, -1:]


@declared
class LastPromptTokenTwice(Prefilling):
    """The last token of the prompt is cached twice. The first call has been given the whole prompt,
    and its logits are the ones by which the first new token is chosen.
    """

    def prefilled(self, model: Model, ids: Tensor, caches: Caches) -> Tensor:
        self.logits(model, ids, caches, ids)
        return ids[:, -1:]


@declared
class PromptTwice(Prefilling):
    """The whole prompt is cached twice. Call the model on it once, and choose the first new token
    by the logits of that call.
    """

    def prefilled(self, model: Model, ids: Tensor, caches: Caches) -> Tensor:
        self.logits(model, ids, caches, ids)
        return ids


@declared
class PromptInTwoCalls(Prefilling):
    """The texts are right, but the last token of the prompt is given to the model in a call of its
    own. Feed the whole prompt in the first call: its last logits are about the first new token.
    """

    def prefilled(self, model: Model, ids: Tensor, caches: Caches) -> Tensor:
        if ids.shape[1] > 1:
            self.logits(model, ids[:, :-1], caches, ids)
        return ids[:, -1:]
