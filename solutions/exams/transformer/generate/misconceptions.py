"""What goes wrong in `generate`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from solutions.exams.in_steps import declares
from solutions.exams.transformer.generate.exam import generating

Model = Callable[[Tensor], Tensor]


class Writing:
    """Greedy decoding in steps, for misconceptions to get one of them wrong."""

    def __call__(
        self, model: Model, tokens: Tensor, num_new_tokens: int, context_length: int
    ) -> Any:
        """Write."""
        text = tokens
        for _ in range(self.turns(num_new_tokens)):
            seen = self.seen(text, context_length)
            with torch.no_grad():
                scores = self.scores(model(seen))
            text = self.joined(text, self.token(scores), seen)
        return self.returned(text, tokens, num_new_tokens)

    def turns(self, num_new_tokens: int) -> int:
        return num_new_tokens

    def seen(self, text: Tensor, context_length: int) -> Tensor:
        return text[:, -context_length:]

    def scores(self, logits: Tensor) -> Tensor:
        return logits[:, -1]

    def token(self, scores: Tensor) -> Tensor:
        return scores.argmax(dim=-1, keepdim=True)

    def joined(self, text: Tensor, token: Tensor, seen: Tensor) -> Tensor:
        return torch.cat([text, token], dim=1)

    def returned(self, text: Tensor, tokens: Tensor, num_new_tokens: int) -> Any:
        return text


declared = declares(generating)


@declared
class NothingReturned(Writing):
    """Your function returns None. Return the texts after the loop."""

    def returned(self, text: Tensor, tokens: Tensor, num_new_tokens: int) -> Any:
        return None


@declared
class NothingWritten(Writing):
    """The texts come back as they were. If you call `torch.cat`, keep what it returns: it makes a
    new tensor.
    """

    def turns(self, num_new_tokens: int) -> int:
        return 0


@declared
class NewTokensOnly(Writing):
    """These are only the new tokens. Return each text with its beginning."""

    def returned(self, text: Tensor, tokens: Tensor, num_new_tokens: int) -> Any:
        return text[:, tokens.shape[1] :]


@declared
class OneTokenOnly(Writing):
    """Only the first new token is there. Is `return` inside the loop, or does each round start
    again from the original text?
    """

    def turns(self, num_new_tokens: int) -> int:
        return min(num_new_tokens, 1)


@declared
class OneTokenOrNone(Writing):
    """You return after the first new token, and None if no new tokens are wanted. Put `return`
    after the loop.
    """

    def turns(self, num_new_tokens: int) -> int:
        return min(num_new_tokens, 1)

    def returned(self, text: Tensor, tokens: Tensor, num_new_tokens: int) -> Any:
        return text if num_new_tokens else None


@declared
class PlacesLeftEmpty(Writing):
    """The new tokens are all 0, as if you had made room for them but never filled it. Write the
    most likely token into each position.
    """

    def returned(self, text: Tensor, tokens: Tensor, num_new_tokens: int) -> Any:
        return torch.cat([tokens, 0 * text[:, tokens.shape[1] :]], dim=1)


@declared
class ManyTokensOfOneCall(Writing):
    """You call the model once and append its most likely token, then the second most likely, and so
    on. They are all guesses at the same position: call the model again for each new token, with the
    text that you have so far.
    """

    def __call__(
        self, model: Model, tokens: Tensor, num_new_tokens: int, context_length: int
    ) -> Any:
        seen = self.seen(tokens, context_length)
        with torch.no_grad():
            scores = self.scores(model(seen))
        return self.joined(tokens, scores.topk(num_new_tokens).indices, seen)


@declared
class Rounded(Writing):
    """Where logits are nearly equal, you write another token than the most likely one, as when
    logits or probabilities are rounded: what was larger by little is equal then. Compare them as
    they are.
    """

    def scores(self, logits: Tensor) -> Tensor:
        return super().scores(logits).softmax(dim=-1).round(decimals=4)


@declared
class WindowOfTheRound(Writing):
    """Your window starts one token later in every round, however long the text is. It has to end
    where the text ends, and reach back `context_length` tokens: text[:, -context_length:].
    """

    begun = 0

    def __call__(
        self, model: Model, tokens: Tensor, num_new_tokens: int, context_length: int
    ) -> Any:
        self.begun = tokens.shape[1]
        return super().__call__(model, tokens, num_new_tokens, context_length)

    def seen(self, text: Tensor, context_length: int) -> Tensor:
        start = text.shape[1] - self.begun
        return text[:, start : start + context_length]


@declared
class OneTooMany(Writing):
    """There is one new token too many: add `num_new_tokens` of them."""

    def turns(self, num_new_tokens: int) -> int:
        return num_new_tokens + 1


@declared
class OneTooFew(Writing):
    """The last new token is missing: add `num_new_tokens` of them."""

    def turns(self, num_new_tokens: int) -> int:
        return num_new_tokens - 1


@declared
class UpToALength(Writing):
    """You write until the text has `num_new_tokens` tokens in all. Add that many to it."""

    def __call__(
        self, model: Model, tokens: Tensor, num_new_tokens: int, context_length: int
    ) -> Any:
        missing = num_new_tokens - tokens.shape[1]
        return super().__call__(model, tokens, missing, context_length)


@declared
class ContextNotCut(Writing):
    """The model is given the whole text, however long it is. Give it only the last `context_length`
    tokens.
    """

    def seen(self, text: Tensor, context_length: int) -> Tensor:
        return text


@declared
class BeginningAloneCut(Writing):
    """The model is given `context_length` tokens at first, and one more in every round. Cut what
    you have before each call, text[:, -context_length:].
    """

    cut = 0

    def __call__(
        self, model: Model, tokens: Tensor, num_new_tokens: int, context_length: int
    ) -> Any:
        self.cut = max(0, tokens.shape[1] - context_length)
        return super().__call__(model, tokens, num_new_tokens, context_length)

    def seen(self, text: Tensor, context_length: int) -> Tensor:
        return text[:, self.cut :]


@declared
class BeginningInPlaceOfEnd(Writing):
    """If a text is long, the model is given its first tokens, and does not see what it has written.
    Give it the last `context_length` ones, text[:, -context_length:].
    """

    def seen(self, text: Tensor, context_length: int) -> Tensor:
        return text[:, :context_length]


@declared
class OneTokenTooLong(Writing):
    """The model is given one token more than `context_length`."""

    def seen(self, text: Tensor, context_length: int) -> Tensor:
        return text[:, -context_length - 1 :]


@declared
class FirstTokensCutOff(Writing):
    """You leave out the first `context_length` tokens. The model should be given the last
    `context_length` ones, so check the sign.
    """

    def seen(self, text: Tensor, context_length: int) -> Tensor:
        return text[:, context_length:]


@declared
class TextsCutOff(Writing):
    """You cut off texts of the batch, not tokens of a text. The tokens are on the second axis:
    tokens[:, -context_length:].
    """

    def seen(self, text: Tensor, context_length: int) -> Tensor:
        return text[-context_length:]


@declared
class CutForGood(Writing):
    """You have cut the text itself, so its beginning is lost. Cut it only for the call of the
    model, and append to the whole text.
    """

    def joined(self, text: Tensor, token: Tensor, seen: Tensor) -> Tensor:
        return torch.cat([seen, token], dim=1)


@declared
class LastTokenOnly(Writing):
    """The model is given only the last token, and knows nothing of those before it. Give it the
    last `context_length` tokens.
    """

    def seen(self, text: Tensor, context_length: int) -> Tensor:
        return text[:, -1:]


@declared
class NewTokenAlone(Writing):
    """After the first call you give the model only the token that was added last, as if it had a
    cache. It remembers nothing of earlier calls: give it the last `context_length` tokens.
    """

    def __call__(
        self, model: Model, tokens: Tensor, num_new_tokens: int, context_length: int
    ) -> Any:
        """Write."""
        text, seen = tokens, tokens[:, -context_length:]
        for _ in range(num_new_tokens):
            with torch.no_grad():
                seen = self.token(model(seen)[:, -1])
            text = torch.cat([text, seen], dim=1)
        return text


@declared
class FirstPosition(Writing):
    """You use the logits at the first position, which are about the second token. Those at the last
    position are about the next one: logits[:, -1].
    """

    def scores(self, logits: Tensor) -> Tensor:
        return logits[:, 0]


@declared
class LastButOne(Writing):
    """You use the logits at the second-to-last position, which are about the last token that is
    already there. Those at the last position are about the next one.
    """

    def scores(self, logits: Tensor) -> Tensor:
        return logits[:, -2]


@declared
class AveragedPositions(Writing):
    """You average the logits over all positions. Only those at the last position are about the next
    token.
    """

    def scores(self, logits: Tensor) -> Tensor:
        return logits.mean(dim=1)


@declared
class EveryPosition(Writing):
    """You append a prediction for every position that the model is given. Only the one at the last
    position is about a new token: logits[:, -1].
    """

    def scores(self, logits: Tensor) -> Tensor:
        return logits

    def token(self, scores: Tensor) -> Tensor:
        return scores.argmax(dim=-1)


@declared
class LastText(Writing):
    """You use the logits of the last text of the batch for all of them. Each text has its own:
    logits[:, -1].
    """

    def scores(self, logits: Tensor) -> Tensor:
        return logits[-1:, -1].expand(len(logits), -1)


@declared
class LeastLikely(Writing):
    """You append the least likely token. Take the most likely one, with `argmax`."""

    def token(self, scores: Tensor) -> Tensor:
        return scores.argmin(dim=-1, keepdim=True)


@declared
class SecondLikely(Writing):
    """You append the second most likely token. Take the most likely one, at index 0 if you sort
    with the highest first.
    """

    def token(self, scores: Tensor) -> Tensor:
        return scores.topk(2, dim=-1).indices[:, 1:]


@declared
class OneTokenForAllTexts(Writing):
    """All texts get the same token, the most likely one of the first text. Take the highest logit
    of each text, along the last axis.
    """

    def token(self, scores: Tensor) -> Tensor:
        return scores[:1].argmax(dim=-1, keepdim=True).expand(len(scores), 1)


@declared
class WholeBatchSearched(Writing):
    """You look for the highest logit in all texts together. Find that of each text, with
    `argmax(dim=-1)`.
    """

    def token(self, scores: Tensor) -> Tensor:
        return scores.argmax().expand(len(scores), 1)


@declared
class LogitsInPlaceOfIds(Writing):
    """You append the highest logit. The token is its index: use `argmax` instead of `max`."""

    def token(self, scores: Tensor) -> Tensor:
        return scores.max(dim=-1, keepdim=True).values


@declared
class TokenInFront(Writing):
    """The new token stands in front of the text. It should come after the last one."""

    def joined(self, text: Tensor, token: Tensor, seen: Tensor) -> Tensor:
        return torch.cat([token, text], dim=1)


@declared
class LastTokenReplaced(Writing):
    """The new token replaces the last one. Append it, so that the text gets longer."""

    def joined(self, text: Tensor, token: Tensor, seen: Tensor) -> Tensor:
        return torch.cat([text[:, :-1], token], dim=1)


@declared
class AsTokensOfTheBatch(Writing):
    """You append the new tokens as further texts of the batch. Give them the shape (batch, 1), and
    append them along the axis of the tokens, dim=1.
    """

    def joined(self, text: Tensor, token: Tensor, seen: Tensor) -> Tensor:
        return torch.cat([text, token], dim=0)


@declared
class AllAtOnce(Writing):
    """All new tokens are predicted from the original text. Append each one before you predict the
    next.
    """

    def __call__(
        self, model: Model, tokens: Tensor, num_new_tokens: int, context_length: int
    ) -> Any:
        new = self.token(self.scores(model(self.seen(tokens, context_length))))
        return torch.cat([tokens, new.expand(-1, num_new_tokens)], dim=1)


@declared
class AsFloats(Writing):
    """The tokens are right, but they are floats. They are ids, so leave them as integers."""

    def returned(self, text: Tensor, tokens: Tensor, num_new_tokens: int) -> Any:
        return text.float()


@declared
class AList(Writing):
    """The tokens are right, but in a list. Return a tensor, (batch, tokens)."""

    def returned(self, text: Tensor, tokens: Tensor, num_new_tokens: int) -> Any:
        return text.tolist()


@declared
class FirstTextOnly(Writing):
    """This is only the first text. Return all texts of the batch."""

    def returned(self, text: Tensor, tokens: Tensor, num_new_tokens: int) -> Any:
        return text[0]
