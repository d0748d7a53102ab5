"""What goes wrong in `continue_with_cache`."""

from typing import Any

import torch
from torch import Tensor

from solutions.exams.your_gpt.continue_with_cache.variant import (
    Caches,
    Choose,
    Continuing,
    Model,
    declared,
)


@declared
class NothingReturned(Continuing):
    """Your function returns None. Return the texts after the loop."""

    def returned(self, text: Tensor, ids: Tensor) -> Any:
        return None


@declared
class NothingWritten(Continuing):
    """The texts come back as they were, and the model was never called. Does your loop run
    `num_new_tokens` times?
    """

    def turns(self, num_new_tokens: int, ids: Tensor) -> int:
        return 0


@declared
class NothingKept(Continuing):
    """The model is called as it should be, but the texts come back as they were. Keep what
    `torch.cat` returns: it makes a new tensor.
    """

    def returned(self, text: Tensor, ids: Tensor) -> Any:
        return ids


@declared
class PromptForgotten(Continuing):
    """These are the new tokens alone. Return each text from its beginning, with the prompt."""

    def returned(self, text: Tensor, ids: Tensor) -> Any:
        return text[:, ids.shape[1] :]


@declared
class WholeTextEachTime(Continuing):
    """After the first call the model is given the whole text again, so that its caches hold the old
    tokens twice. Give it only what they do not hold yet, the token that you have just chosen.
    """

    def fed(self, text: Tensor, chosen: Tensor, ids: Tensor) -> Tensor:
        return text


@declared
class PromptEachTime(Continuing):
    """Every call is given the prompt, which the caches hold after the first one. After each step,
    let the token that was chosen be the input of the next call.
    """

    def fed(self, text: Tensor, chosen: Tensor, ids: Tensor) -> Tensor:
        return ids


@declared
class TwoTokensEachTime(Continuing):
    """After the first call the model is given two tokens each time, of which the caches hold the
    first one already. Give it only the token that was just chosen.
    """

    def fed(self, text: Tensor, chosen: Tensor, ids: Tensor) -> Tensor:
        return text[:, -2:]


@declared
class OldTokenFed(Continuing):
    """After the first call the model is given the token before the newest one, which the caches
    hold already. Give it the token that was just chosen.
    """

    def fed(self, text: Tensor, chosen: Tensor, ids: Tensor) -> Tensor:
        return text[:, -2:-1]


@declared
class LastPromptTokenEachTime(Continuing):
    """After the first call the model is always given the last token of the prompt. Each call needs
    the token that was chosen in the step before it.
    """

    def fed(self, text: Tensor, chosen: Tensor, ids: Tensor) -> Tensor:
        return ids[:, -1:]


@declared
class WithoutCaches(Continuing):
    """The caches stay empty, because you call the model without them, on the whole text each time.
    Pass them on, and give the model only the tokens that they do not hold yet.
    """

    @torch.no_grad()
    def logits(self, model: Model, new: Tensor, caches: Caches, text: Tensor) -> Tensor:
        return model(text)


@declared
class CachesForgotten(Continuing):
    """The caches stay empty, and after the first call the model knows nothing but the newest token.
    Pass the caches to each call of the model.
    """

    @torch.no_grad()
    def logits(self, model: Model, new: Tensor, caches: Caches, text: Tensor) -> Tensor:
        return model(new)


@declared
class FirstPosition(Continuing):
    """You choose by the logits at the first position of what the model was given, which in the
    prompt are about its second token. Those at the last position are about the next one:
    logits[:, -1].
    """

    def scores(self, logits: Tensor) -> Tensor:
        return logits[:, 0]


@declared
class LastButOne(Continuing):
    """In the prompt you choose by the logits at the last position but one, and when there is a
    single new token there is no such position. The logits at the last position are about the next
    token: logits[:, -1].
    """

    def scores(self, logits: Tensor) -> Tensor:
        return logits[:, -2]


@declared
class AveragedPositions(Continuing):
    """You choose by the mean of the logits over all positions of the prompt. Only those at the last
    position are about the next token: logits[:, -1].
    """

    def scores(self, logits: Tensor) -> Tensor:
        return logits.mean(dim=1)


@declared
class Probabilities(Continuing):
    """You give `choose` probabilities, the softmax of the logits, or their logarithms. It takes the
    logits themselves, and may make what it likes of them.
    """

    def scores(self, logits: Tensor) -> Tensor:
        return logits[:, -1].softmax(dim=-1)


@declared
class LastText(Continuing):
    """All texts get the token that was chosen for the last one: logits[-1] are the logits of the
    last text of the batch. Those at the last position of every text are logits[:, -1].
    """

    def scores(self, logits: Tensor) -> Tensor:
        return logits[-1:, -1].expand(len(logits), -1)


@declared
class ChosenForTheFirstText(Continuing):
    """All texts get the token that was chosen for the first one. Give `choose` the logits of all
    texts, (batch, vocabulary), and it returns a token for each.
    """

    def chosen(self, choose: Choose, logits: Tensor) -> Tensor:
        return choose(logits[:1, -1])[:, None].expand(len(logits), 1)


@declared
class ChosenTextByText(Continuing):
    """You call `choose` once for each text. It takes the logits of the whole batch at once,
    (batch, vocabulary), and returns a token for each text.
    """

    def chosen(self, choose: Choose, logits: Tensor) -> Tensor:
        return torch.stack([choose(one[None]) for one in logits[:, -1]])


@declared
class AllLogitsToChoose(Continuing):
    """`choose` is given the logits of all positions. It takes those of the last one alone,
    (batch, vocabulary), so pick them out before you call it.
    """

    def chosen(self, choose: Choose, logits: Tensor) -> Tensor:
        return choose(logits)[:, -1:]


@declared
class AxisLeftForChoose(Continuing):
    """`choose` is given logits with three axes, of which the one for the position has length 1. It
    takes (batch, vocabulary): use logits[:, -1], and give the result its axis afterwards.
    """

    def chosen(self, choose: Choose, logits: Tensor) -> Tensor:
        return choose(logits[:, -1:])


@declared
class TokensForAllPositions(Continuing):
    """You append a token for each position of the prompt, because `choose` was given the logits of
    all of them. It takes those of the last position alone, (batch, vocabulary).
    """

    def chosen(self, choose: Choose, logits: Tensor) -> Tensor:
        return choose(logits)


@declared
class AxisForgotten(Continuing):
    """`torch.cat` can't join a tensor of two axes and one of a single axis. `choose` returns
    (batch,): give it an axis for the tokens, as in chosen[:, None].
    """

    def chosen(self, choose: Choose, logits: Tensor) -> Tensor:
        return choose(self.scores(logits))


@declared
class MostLikelyInstead(Continuing):
    """You always append the most likely token, and never call `choose`. Leave the choice to it."""

    def chosen(self, choose: Choose, logits: Tensor) -> Tensor:
        return logits[:, -1:].argmax(dim=-1)


@declared
class GradientsTracked(Continuing):
    """The texts are right, but the model is called with gradients being tracked, and the caches
    hold on to all that is kept for them. Call the model within `torch.no_grad()`.
    """

    def logits(self, model: Model, new: Tensor, caches: Caches, text: Tensor) -> Tensor:
        return model(new, caches)


@declared
class GradientsTrackedAfterThePrompt(Continuing):
    """The texts are right, but only the first call, with the prompt, is made without gradients
    being tracked. Put all calls of the model within `torch.no_grad()`.
    """

    def logits(self, model: Model, new: Tensor, caches: Caches, text: Tensor) -> Tensor:
        with torch.set_grad_enabled(new is not text):
            return model(new, caches)


@declared
class ModeSet(Continuing):
    """You set the mode of `model`, as `model.eval()` does, but `model` may be any function that is
    called as `model(ids, caches)`, and a function has no mode. Leave that to the caller.
    """

    def __call__(
        self, model: Model, ids: Tensor, caches: Caches, num_new_tokens: int, choose: Choose
    ) -> Any:
        model.eval()  # type: ignore[attr-defined]
        return super().__call__(model, ids, caches, num_new_tokens, choose)


@declared
class NewTokensOnly(Continuing):
    """These are only the new tokens. Return each text with its prompt."""

    def returned(self, text: Tensor, ids: Tensor) -> Any:
        return text[:, ids.shape[1] - text.shape[1] :]


@declared
class OneTooMany(Continuing):
    """There is one new token too many. Add `num_new_tokens` of them."""

    def turns(self, num_new_tokens: int, ids: Tensor) -> int:
        return num_new_tokens + 1


@declared
class OneTooFew(Continuing):
    """The last new token is missing. Add `num_new_tokens` of them: the first is chosen after the
    call with the prompt.
    """

    def turns(self, num_new_tokens: int, ids: Tensor) -> int:
        return num_new_tokens - 1


@declared
class OneTokenOnly(Continuing):
    """There is only one new token. Does your function return inside the loop?"""

    def turns(self, num_new_tokens: int, ids: Tensor) -> int:
        return min(num_new_tokens, 1)


@declared
class OneTokenOrNone(Continuing):
    """There is only one new token, and None if no new token is asked for. Put `return` after the
    loop.
    """

    def turns(self, num_new_tokens: int, ids: Tensor) -> int:
        return min(num_new_tokens, 1)

    def returned(self, text: Tensor, ids: Tensor) -> Any:
        return text if text.shape[1] > ids.shape[1] else None


@declared
class UpToALength(Continuing):
    """You write until the text has `num_new_tokens` tokens in all. Add as many to the prompt."""

    def turns(self, num_new_tokens: int, ids: Tensor) -> int:
        return num_new_tokens - ids.shape[1]


@declared
class TokenInFront(Continuing):
    """You put the new token in front of the text. It comes after the last one."""

    def joined(self, text: Tensor, chosen: Tensor) -> Tensor:
        return torch.cat([chosen, text], dim=1)


@declared
class LastTokenReplaced(Continuing):
    """The new token replaces the last one of the text. Append it, so that the text gets longer."""

    def joined(self, text: Tensor, chosen: Tensor) -> Tensor:
        return torch.cat([text[:, :-1], chosen], dim=1)


@declared
class AsFloats(Continuing):
    """The tokens are right, but they are floats. Token ids are integers: leave them as they are."""

    def returned(self, text: Tensor, ids: Tensor) -> Any:
        return text.float()


@declared
class AList(Continuing):
    """The tokens are right, but in a list. Return a tensor, (batch, tokens + num_new_tokens)."""

    def returned(self, text: Tensor, ids: Tensor) -> Any:
        return text.tolist()


@declared
class OneCallTooMany(Continuing):
    """The texts are right, but the model is called once more after the last token was chosen, and
    those logits are not used. Call the model at the beginning of each step, not at its end.
    """

    def __call__(
        self, model: Model, ids: Tensor, caches: Caches, num_new_tokens: int, choose: Choose
    ) -> Any:
        text, logits = ids, self.logits(model, ids, caches, ids)
        for _ in range(num_new_tokens):
            chosen = self.chosen(choose, logits)
            text = self.joined(text, chosen)
            logits = self.logits(model, chosen, caches, text)
        return text


@declared
class AllAtOnce(Continuing):
    """All new tokens are chosen after the call with the prompt. Each of them has to be given to the
    model before the next one can be chosen.
    """

    def __call__(
        self, model: Model, ids: Tensor, caches: Caches, num_new_tokens: int, choose: Choose
    ) -> Any:
        text, logits = ids, self.logits(model, ids, caches, ids)
        for _ in range(num_new_tokens):
            text = self.joined(text, self.chosen(choose, logits))
        return text
