"""What a function that continues texts with a cache is tried with: a model that notes its calls."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from companion.beside import made_beside
from companion.gpt.attention import Cache
from companion.gpt.model import LibraryGPT
from companion.gpt.parts import LIBRARY
from companion.specimens import language_models
from companion.trials.other_ways import begin_own_numbers, is_seeded_anew

_NUM_CACHES = 2
# Far more than any answer should need: tokens that are cached twice are to be seen.
_ROOM = 100
# Of the GPT: vocabulary, d_model, num_heads, num_kv_heads, d_hidden, num_blocks.
_SIZES = (10, 8, 2, 1, 16, _NUM_CACHES)


def try_continuation(
    continue_with_cache: Callable[..., object],
    model: str,
    ids: Tensor,
    num_new_tokens: int,
    choice: str,
) -> dict[str, object]:
    """Continue texts of the numbers from 0 to 9, and note what the model was called with.

    Args:
        continue_with_cache: the function to try.
        model: what predicts the next token of all those that are cached: the name of one of
            companion's language models without weights, or "gpt".
        ids: the prompts, `(batch, tokens)`.
        num_new_tokens: how many tokens are to be added.
        choice: which token is chosen: "the most likely", "the least likely", "in turn", the most
            likely one at first, then the second, and so on, or "nearest to 1", the one whose logit
            is.

    Returns:
        The texts. If there were tokens to add, also what was given to the model and to `choose`,
        whether gradients were tracked in the model, and how many tokens each cache holds.
    """
    there, chosen = _Model(model, len(ids)), Choice(choice)
    caches = [made_beside(continue_with_cache, empty_cache, len(ids)) for _ in range(_NUM_CACHES)]
    kind = Asked if model == "gpt" else AskedPlainly
    asked = made_beside(continue_with_cache, kind, there.logits_of, *caches)
    made_beside(continue_with_cache, begin_own_numbers)
    texts = continue_with_cache(asked, ids, caches, num_new_tokens, chosen)
    if num_new_tokens == 0:
        return {"text": texts}
    return {
        "text": texts,
        "given to the model": there.given,
        "shapes given to choose": chosen.shapes,
        "gradients are tracked": asked.tracked,
        "PyTorch's own random numbers are seeded": is_seeded_anew(continue_with_cache),
        "tokens in each cache": [there.caches[number].length for number in range(_NUM_CACHES)],
    }


class _Model:
    """The model and its caches, which stay where the trial is, and what was given to it.

    An answer in another process gets an `Asked` that asks for the logits here. So no code over
    there can say of calls that they were others, nor of caches that they hold something.
    """

    def __init__(self, name: str, batch: int) -> None:
        rule = None if name == "gpt" else getattr(language_models, name)
        self._model = _small_gpt() if rule is None else _CachedRule(rule)
        self._batch = batch
        self.caches = {number: empty_cache(batch) for number in range(_NUM_CACHES)}
        self.given: list[Tensor] = []

    @torch.no_grad()
    def logits_of(self, ids: Tensor, numbers: list[int]) -> Tensor:
        """The logits of new tokens.

        Args:
            ids: the tokens that are given to the model, (batch, new).
            numbers: of the caches that it is given.

        Returns:
            The logits, (batch, new, vocabulary).
        """
        self.given.append(ids.clone())
        for number in numbers:
            self.caches.setdefault(number, empty_cache(self._batch))
        logits: Tensor = self._model(ids, [self.caches[number] for number in numbers])
        return logits


def empty_cache(batch: int) -> Cache:
    """A cache that tokens can be counted in."""
    cache: Cache = LIBRARY.KVCache(batch, 1, _ROOM, 1)
    return cache


class Asked(nn.Module):
    """A model beside the answer, which asks for its logits and fills the caches as a model does."""

    def __init__(self, logits_of: Callable[[Tensor, list[int]], Tensor], *caches: Cache) -> None:
        super().__init__()
        self.tracked = False
        self._logits_of, self._known = logits_of, [*caches]
        # So that there is something for which gradients are tracked.
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, ids: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        logits = self._logits_of(ids, [self._number(cache) for cache in caches or ()]) * self.scale
        numbers = ids[:, None, :, None].double()
        for cache in caches or ():
            cache.append(numbers, numbers)
        self.tracked |= logits.requires_grad
        return logits

    def _number(self, cache: Cache) -> int:
        """The place of a cache among those that were made for the answer, or by it."""
        if not any(cache is one for one in self._known):
            self._known.append(cache)
        return next(place for place, one in enumerate(self._known) if one is cache)


class AskedPlainly:
    """The same of a model that is no module: it can be called, and that is all."""

    def __init__(self, logits_of: Callable[[Tensor, list[int]], Tensor], *caches: Cache) -> None:
        self._asked = Asked(logits_of, *caches)

    def __call__(self, ids: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        logits: Tensor = self._asked(ids, caches)
        return logits

    @property
    def tracked(self) -> bool:
        """Whether gradients were tracked."""
        return self._asked.tracked


class _CachedRule(nn.Module):
    """A model with a rule instead of weights, which knows the tokens that are cached."""

    def __init__(self, rule: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.rule = rule

    def forward(self, ids: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        known = ids
        for cache in caches or ():
            numbers = ids[:, None, :, None].double()
            known = cache.append(numbers, numbers)[0][:, 0, :, 0].long()
        return self.rule(known)[:, known.shape[1] - ids.shape[1] :]


class Choice:
    """Chooses tokens by their logits, and notes the shapes of these."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.shapes: list[tuple[int, ...]] = []

    def __call__(self, logits: Tensor) -> Tensor:
        turn = len(self.shapes) % logits.shape[-1]
        ranks = {"the most likely": 0, "the least likely": -1, "in turn": turn}
        self.shapes.append(tuple(logits.shape))
        if self.name == "nearest to 1":
            return (logits.detach() - 1).abs().argmin(dim=-1)
        return logits.detach().argsort(dim=-1, descending=True)[..., ranks[self.name]]


def _small_gpt() -> nn.Module:
    """The same model each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = LibraryGPT(*_SIZES)
        # Larger than a model begins with, so that its logits depend on the text.
        nn.init.normal_(model.tokens.weight)
    return model
