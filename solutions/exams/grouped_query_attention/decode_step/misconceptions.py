"""The known wrong answers to `decode_step`, lesson 07."""

import torch

from solutions import grouped_query_attention as reference
from solutions.exams.families import (
    FAR_ABOVE,
    FURTHER_ABOVE,
    FUTURE,
    HEADS,
    MASK,
    MERGE,
    OFFSET,
    OUTPUT,
    ROLES,
    SCALE,
    SHARED,
    SOFTMAX,
    SPLIT,
    WITH_TWO_FEATURES,
    ZERO_SCORES,
    SharedHeads,
    later,
)
from solutions.exams.grouped_query_attention._specimens import Weights, hide
from solutions.exams.grouped_query_attention.decode_step.exam import Tensors, step

PROJECTIONS = ("W_query", "W_key", "W_value")


def heads_of(x: torch.Tensor, head_dim: int) -> torch.Tensor:
    return x.reshape(*x.shape[:2], -1, head_dim).transpose(1, 2)


def projected(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Queries of the new tokens, keys and values of all."""
    head_dim = past_keys.shape[-1]
    queries, keys, values = (heads_of(inputs @ weights[name], head_dim) for name in PROJECTIONS)
    return queries, torch.cat([past_keys, keys], dim=2), torch.cat([past_values, values], dim=2)


def attended(
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    hidden: torch.Tensor,
    scale: float = 1.0,
) -> torch.Tensor:
    """Contexts of all heads, side by side, for keys and values that are repeated already."""
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5 * scale
    return (hide(scores, hidden) @ values).transpose(1, 2).flatten(2)


def shared_among(queries: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return x.repeat_interleave(queries.shape[1] // x.shape[1], dim=1)


@step.misconception
def weights_as_they_stand(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """You took the weights in the order of the dict, where the values may come before the keys.
    Look them up by name.
    """
    by_name = dict(zip((*PROJECTIONS, "out_proj"), weights.values(), strict=True))
    return reference.decode_step(inputs, by_name, past_keys, past_values)


def end_aligned(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    new, everything = queries.shape[2], keys.shape[2]
    return torch.ones(new, everything, dtype=torch.bool).triu(everything - new + 1)


class Steps(SharedHeads):
    """A step of decoding, from the new tokens to their contexts and to all keys and values."""

    def answer(
        self,
        inputs: torch.Tensor,
        weights: Weights,
        past_keys: torch.Tensor,
        past_values: torch.Tensor,
    ) -> Tensors:
        self.d_in, self.head_dim = inputs.shape[-1], past_keys.shape[-1]
        self.num_heads = weights["W_query"].shape[1] // self.head_dim
        self.out_proj = weights["out_proj"]
        queries, keys, values = (self.split(inputs @ weights[name]) for name in PROJECTIONS)
        keys = torch.cat([past_keys, keys], dim=2)
        values = torch.cat([past_values, values], dim=2)
        hidden = self.future(queries.shape[2], keys.shape[2])
        return self.project(self.merge(self.attend(queries, keys, values, hidden))), keys, values

    def project(self, contexts: torch.Tensor) -> torch.Tensor:
        return contexts @ self.out_proj


_TO_CONTEXTS = OFFSET + SHARED + HEADS + SPLIT + MERGE + OUTPUT + SCALE + SOFTMAX + ROLES
(_TO_CONTEXTS + MASK + FAR_ABOVE + FURTHER_ABOVE + ZERO_SCORES + FUTURE).apply(
    step,
    Steps,
    called={
        "AlignedToTheStart": "step_masked_from_the_start",
        "NothingHidden": "step_without_a_mask",
        "DiagonalHidden": "step_hides_itself",
        "Tiled": "step_tiles_the_heads",
        "Unscaled": "step_not_scaled",
        "ScaledByAllFeatures": "step_scaled_by_all_heads",
        "NotProjected": "step_not_projected",
        "MergedByWrongView": "step_merges_wrongly",
        "SplitByWrongView": "step_splits_wrongly",
    },
    says={
        **WITH_TWO_FEATURES,
        "NothingHidden": "Your step hides nothing. That is right for a single new token; in a "
        "chunk, the first tokens would see the last ones.",
        "DiagonalHidden": "Your new tokens do not see themselves. Start the mask one position "
        "further to the right.",
    },
    without=(
        "RootOfTheValues",
        "InfinityAfterwards",
        "ScoreOfMinusTenThousand",
    ),
)


class _ProjectedByTheTranspose(Steps):
    def project(self, contexts: torch.Tensor) -> torch.Tensor:
        return contexts @ self.out_proj.mT


@step.misconception
def step_projects_by_the_transpose(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The contexts go through the transpose of out_proj. All the weights here are used as x @ W;
    nn.Linear stores the transpose, and F.linear expects it.
    """
    return _ProjectedByTheTranspose().answer(inputs, weights, past_keys, past_values)


class _HiddenAfterAPast(Steps):
    def future(self, queries: int, keys: int) -> torch.Tensor:
        return later(queries, keys, by=int(queries == keys))


@step.misconception
def step_hides_itself_after_a_past(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """With tokens in the cache, your new tokens do not see themselves. Start the mask one position
    further to the right.
    """
    return _HiddenAfterAPast().answer(inputs, weights, past_keys, past_values)


class _MaskedWithoutAPastAlone(Steps):
    def future(self, queries: int, keys: int) -> torch.Tensor:
        return later(queries, keys) & torch.tensor(queries == keys)


@step.misconception
def step_masks_without_a_past_only(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """With tokens in the cache you hide nothing. That is right for a single new token, but in a
    chunk the first tokens see the later ones: they need the mask, too.
    """
    return _MaskedWithoutAPastAlone().answer(inputs, weights, past_keys, past_values)


class _ChunksMaskedFromTheStart(Steps):
    def future(self, queries: int, keys: int) -> torch.Tensor:
        hidden = torch.ones(queries, keys, dtype=torch.bool).triu(1)
        return hidden if queries > 1 else torch.zeros_like(hidden)


@step.misconception
def step_masks_chunks_from_the_start(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """A single new token is right, but in a chunk behind a past your tokens see the oldest tokens
    only: triu(1) begins at the first key. The new tokens are the last, so shift the mask by the
    number of cached ones.
    """
    return _ChunksMaskedFromTheStart().answer(inputs, weights, past_keys, past_values)


class _KeysAndValuesExchanged(Steps):
    def attend(
        self,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        hidden: torch.Tensor | None = None,
    ) -> torch.Tensor:
        return super().attend(queries, values, keys, hidden)


@step.misconception
def step_attends_to_values(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """What you return of keys and values is right, but you compare the queries with the values, and
    mix the keys. It is the other way round.
    """
    return _KeysAndValuesExchanged().answer(inputs, weights, past_keys, past_values)


@step.misconception
def step_splits_keys_wrongly(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Your queries are split as they should be, but the split of the new keys and values cuts
    through the tokens, as a view with the heads before the tokens does. Split the last axis into
    (heads, head_dim) first, then swap axes 1 and 2.
    """
    batch, num_kv_heads, _, head_dim = past_keys.shape
    shape = (batch, num_kv_heads, inputs.shape[1], head_dim)
    queries = heads_of(inputs @ weights["W_query"], head_dim)
    keys, values = ((inputs @ weights[name]).view(shape) for name in ("W_key", "W_value"))
    keys, values = torch.cat([past_keys, keys], dim=2), torch.cat([past_values, values], dim=2)
    shared = shared_among(queries, keys), shared_among(queries, values)
    context = attended(queries, *shared, end_aligned(queries, keys))
    return context @ weights["out_proj"], keys, values


@step.misconception
def step_exchanges_projections(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Your new keys come from W_value, and your new values from W_key. Exchange them."""
    exchanged = {**weights, "W_key": weights["W_value"], "W_value": weights["W_key"]}
    return reference.decode_step(inputs, exchanged, past_keys, past_values)


@step.misconception
def step_exchanges_the_past(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """You join the cached values with the new keys, and the cached keys with the new values. Join
    keys with keys, and values with values.
    """
    return reference.decode_step(inputs, weights, past_values, past_keys)


@step.misconception
def step_forgets_the_past(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Your new tokens attend only to each other. Join the cached keys and values with the new ones
    first.
    """
    nothing = past_keys[:, :, :0]
    queries, keys, values = projected(inputs, weights, nothing, nothing)
    shared = shared_among(queries, keys), shared_among(queries, values)
    context = attended(queries, *shared, end_aligned(queries, keys))
    everything = torch.cat([past_keys, keys], dim=2), torch.cat([past_values, values], dim=2)
    return (context @ weights["out_proj"], *everything)


@step.misconception
def step_without_a_past(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """You do not use the past at all: it is neither attended to nor returned. Join it with the new
    keys and values first.
    """
    nothing = past_keys[:, :, :0]
    return reference.decode_step(inputs, weights, nothing, nothing)


@step.misconception
def step_returns_values_first(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The contexts are right, but after them, you return the values before the keys. The keys
    should come first.
    """
    context, keys, values = reference.decode_step(inputs, weights, past_keys, past_values)
    return context, values, keys


@step.misconception
def step_returns_the_new_only(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The contexts are right, but you return only the new keys and values: the next step would know
    nothing of the past. Return them joined.
    """
    context, keys, values = reference.decode_step(inputs, weights, past_keys, past_values)
    new = inputs.shape[1]
    return context, keys[:, :, -new:], values[:, :, -new:]


@step.misconception
def step_returns_the_past_only(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The contexts are right, but you return the keys and values that you were given: the new
    tokens would be forgotten. Return them joined.
    """
    context, _, _ = reference.decode_step(inputs, weights, past_keys, past_values)
    return context, past_keys, past_values


@step.misconception
def step_caches_repeated_heads(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The contexts are right, but the keys and values that you return have a head for every query
    head, so nothing is saved: return the keys and values as they were before they were repeated.
    """
    context, keys, values = reference.decode_step(inputs, weights, past_keys, past_values)
    n_rep = weights["W_query"].shape[1] // weights["W_key"].shape[1]
    return context, keys.repeat_interleave(n_rep, 1), values.repeat_interleave(n_rep, 1)


@step.misconception
def step_puts_the_newest_first(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """You put the new tokens before the cached ones. They should come after them, and the mask
    relies on that.
    """
    nothing = past_keys[:, :, :0]
    queries, new_keys, new_values = projected(inputs, weights, nothing, nothing)
    keys, values = torch.cat([new_keys, past_keys], 2), torch.cat([new_values, past_values], 2)
    shared = shared_among(queries, keys), shared_among(queries, values)
    context = attended(queries, *shared, end_aligned(queries, keys))
    return context @ weights["out_proj"], keys, values


@step.misconception
def step_joins_heads(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """You joined old and new along the heads. The tokens are axis 2: torch.cat(…, dim=2)."""
    nothing = past_keys[:, :, :0]
    _, new_keys, new_values = projected(inputs, weights, nothing, nothing)
    keys, values = torch.cat([past_keys, new_keys], 1), torch.cat([past_values, new_values], 1)
    return inputs @ weights["W_query"] @ weights["out_proj"], keys, values


@step.misconception
def step_values_from_keys(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Your new values are the new keys. Take W_value for them."""
    confused = {**weights, "W_value": weights["W_key"]}
    return reference.decode_step(inputs, confused, past_keys, past_values)


@step.misconception
def step_writes_in_place(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The results are right, but your step writes to its arguments, which the caller still needs.
    `*=` and methods with an underscore do that: make new tensors.
    """
    result = reference.decode_step(inputs, weights, past_keys, past_values)
    inputs *= past_keys.shape[-1] ** -0.5
    return result
