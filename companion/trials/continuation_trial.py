"""What a function that continues texts with a cache is tried with: models that note their calls."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from companion.beside import made_beside
from companion.gpt.attention import Cache
from companion.gpt.model import LibraryGPT
from companion.gpt.parts import LIBRARY
from companion.specimens import language_models

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
        choice: which token is chosen: "the most likely", "the least likely", or "in turn", the most
            likely one at first, then the second, and so on.

    Returns:
        The texts. If there were tokens to add, also what was given to the model and to `choose`,
        whether gradients were tracked in the model, and how many tokens each cache holds.
    """
    watched = made_beside(continue_with_cache, watched_model, model)
    choose = made_beside(continue_with_cache, Choice, choice)
    caches = [made_beside(continue_with_cache, empty_cache, len(ids)) for _ in range(_NUM_CACHES)]
    texts = continue_with_cache(watched, ids, caches, num_new_tokens, choose)
    if num_new_tokens == 0:
        return {"text": texts}
    return {
        "text": texts,
        "given to the model": watched.given,
        "shapes given to choose": choose.shapes,
        "gradients are tracked": watched.tracked,
        "tokens in each cache": [cache.length for cache in caches],
    }


def watched_model(name: str) -> nn.Module:
    """The GPT, or one of companion's language models without weights."""
    return _Watched(_small_gpt() if name == "gpt" else _CachedRule(getattr(language_models, name)))


def empty_cache(batch: int) -> Cache:
    """A cache that tokens can be counted in."""
    cache: Cache = LIBRARY.KVCache(batch, 1, _ROOM, 1)
    return cache


class _Watched(nn.Module):
    """Calls another model, and notes with what."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        self.given: list[Tensor] = []
        self.tracked = False

    def forward(self, ids: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        self.given.append(ids.clone())
        logits: Tensor = self.model(ids, caches)
        self.tracked |= logits.requires_grad
        return logits


class _CachedRule(nn.Module):
    """A model with a rule instead of weights, which knows the tokens that are cached."""

    def __init__(self, rule: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.rule = rule
        # So that there is something for which gradients are tracked.
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, ids: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        known = ids
        for cache in caches or ():
            numbers = ids[:, None, :, None].double()
            known = cache.append(numbers, numbers)[0][:, 0, :, 0].long()
        return self.rule(known)[:, known.shape[1] - ids.shape[1] :] * self.scale


class Choice:
    """Chooses tokens by their logits, and notes the shapes of these."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.shapes: list[tuple[int, ...]] = []

    def __call__(self, logits: Tensor) -> Tensor:
        turn = len(self.shapes) % logits.shape[-1]
        ranks = {"the most likely": 0, "the least likely": -1, "in turn": turn}
        self.shapes.append(tuple(logits.shape))
        return logits.detach().argsort(dim=-1, descending=True)[..., ranks[self.name]]


def _small_gpt() -> nn.Module:
    """The same model each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = LibraryGPT(*_SIZES)
        # Larger than a model begins with, so that its logits depend on the text.
        nn.init.normal_(model.tokens.weight)
    return model
