"""The known wrong answers to `dropout`, lesson 04."""

import torch

from solutions.exams.causal_attention.dropout.exam import dropping


def keep(
    weights: torch.Tensor, p: float, generator: torch.Generator | None, shape: tuple[int, ...] = ()
) -> torch.Tensor:
    """1 with probability 1 − p, else 0."""
    return torch.rand(shape or weights.shape, generator=generator) >= p


@dropping.misconception
def not_rescaled(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """The weights that you keep stay as they were, so on average they shrink. Divide by 1 − p."""
    return weights * keep(weights, p, generator) if training else weights


@dropping.misconception
def divided_by_p(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You divided by p. A fraction of 1 − p is kept, so divide by 1 − p."""
    return weights * keep(weights, p, generator) / p if training else weights


@dropping.misconception
def divided_by_p_unless_zero(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You divided the kept weights by p, the fraction that is dropped. Divide by the fraction that
    is kept, 1 − p.
    """
    if not training or p == 0:
        return weights
    return weights * keep(weights, p, generator) / p


@dropping.misconception
def multiplied_by_what_is_kept(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You multiplied by 1 − p, which makes the kept weights even smaller. Divide by it."""
    return weights * keep(weights, p, generator) * (1 - p) if training else weights


@dropping.misconception
def kept_with_probability_p(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You keep each weight with probability p, but p is the probability of dropping it."""
    kept = torch.rand(weights.shape, generator=generator) < p
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def kept_with_p_and_divided_by_p(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You used p as the probability of keeping a weight, and divided by it. It is the probability
    of dropping one: keep with probability 1 − p, and divide by 1 − p.
    """
    kept = torch.rand(weights.shape, generator=generator) < p
    return weights * kept / p if training else weights


@dropping.misconception
def always_on(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drop outside of training as well. If `training` is False, return the weights as they
    are.
    """
    return weights * keep(weights, p, generator) / (1 - p)


@dropping.misconception
def never_on(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Nothing is dropped in training. Draw a random number for each weight."""
    return weights


@dropping.misconception
def training_turned_round(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drop when the model is in use, and not in training. It should be the other way round."""
    return weights if training else weights * keep(weights, p, generator) / (1 - p)


@dropping.misconception
def corrected_in_use(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Outside of training you multiply by 1 − p: that is the old dropout, which did not divide in
    training. Here the weights should stay as they are.
    """
    return weights * keep(weights, p, generator) / (1 - p) if training else weights * (1 - p)


@dropping.misconception
def old_dropout(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """This is the dropout of 2014: it leaves the kept weights unchanged in training, and shrinks
    all weights in use. Inverted dropout divides by 1 − p in training, and does nothing in use.
    """
    return weights * keep(weights, p, generator) if training else weights * (1 - p)


@dropping.misconception
def own_random_numbers(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Your random numbers do not come from the generator that you are given: pass it, as
    `generator=generator`.
    """
    return weights * keep(weights, p, None) / (1 - p) if training else weights


@dropping.misconception
def seeded_each_time(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drop the same weights at each call. Does something set a seed inside? The generator
    already has one.
    """
    kept = keep(weights, p, torch.Generator().manual_seed(0))
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def dropped_in_place(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You write into the caller's weights, as `weights[…] = 0`, `*=` and methods with an underscore
    do. Make a new tensor: torch.where, masked_fill, or a product.
    """
    if training:
        weights *= keep(weights, p, generator)
        weights /= 1 - p
    return weights


@dropping.misconception
def normal_numbers(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """The fraction that is dropped is not p. `torch.randn` is not uniform: half of its numbers are
    below 0. Use torch.rand.
    """
    kept = torch.randn(weights.shape, generator=generator) >= p
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def fair_coin(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drop half of the weights, whatever p is. Draw numbers between 0 and 1 with torch.rand,
    and compare them with p.
    """
    kept = torch.randint(2, weights.shape, generator=generator)
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def filled_with_infinity(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Your dropped weights are −∞. That is for scores, before a softmax. A dropped weight is 0."""
    kept = keep(weights, p, generator)
    return weights.masked_fill(~kept, -torch.inf) / (1 - p) if training else weights


@dropping.misconception
def one_draw_for_all_sentences(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """All sentences of the batch lose the same weights, as when one table of numbers is drawn for
    all of them. Draw one number for each weight, in the shape of the weights.
    """
    kept = keep(weights, p, generator, weights.shape[-2:])
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def fixed_number(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drop the same number of weights at each call. Each weight is dropped or kept
    independently, so sometimes there are a few more, sometimes a few fewer.
    """
    order = torch.randperm(weights.numel(), generator=generator).reshape(weights.shape)
    kept = order >= round(p * weights.numel())
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def divided_in_use(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You divide by 1 − p outside of training, too, where nothing was dropped. Return the weights
    as they are.
    """
    return (weights * keep(weights, p, generator) if training else weights) / (1 - p)


@dropping.misconception
def all_or_nothing(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Either all weights are dropped, or none are, as when one number is drawn for the whole
    tensor. Draw one for each weight: torch.rand(weights.shape, …).
    """
    return weights * keep(weights, p, generator, (1,)) / (1 - p) if training else weights


@dropping.misconception
def made_of_float32(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """What you return has a different dtype from the weights. New tensors are float32: make yours
    with torch.zeros_like(weights), or dtype=weights.dtype.
    """
    if not training:
        return weights
    kept = keep(weights, p, generator)
    result = torch.zeros(weights.shape)
    result[kept] = (weights[kept] / (1 - p)).float()
    return result


@dropping.misconception
def rows_renormalised(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You made the rows sum to 1 again. Dropout leaves the sums as they turn out and divides
    everything by the same number, 1 − p.
    """
    kept = weights * keep(weights, p, generator)
    return kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-12) if training else weights


@dropping.misconception
def rows_divided_by_their_sum(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You made the rows sum to 1 again, and where a whole row is dropped, that is 0 / 0, NaN.
    Dropout leaves the sums as they turn out and divides everything by the same number, 1 − p.
    """
    kept = weights * keep(weights, p, generator)
    return kept / kept.sum(dim=-1, keepdim=True) if training else weights


@dropping.misconception
def rows_keep_their_sum(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """What is left in a row is scaled until the row has the sum that it had, so each row has a
    factor of its own. Dropout leaves the sums as they turn out and divides everything by the same
    number, 1 − p.
    """
    kept = weights * keep(weights, p, generator)
    sums, left = (one.sum(dim=-1, keepdim=True) for one in (weights, kept))
    return kept * torch.where(left == 0, 1, sums / left) if training else weights


@dropping.misconception
def whole_rows(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Whole rows are dropped, as when one number is drawn for each row. Draw one for each
    weight.
    """
    kept = keep(weights, p, generator, (*weights.shape[:-1], 1))
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def whole_columns(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Whole columns are dropped, as when one number is drawn for each column. Draw one for each
    weight.
    """
    kept = keep(weights, p, generator, weights.shape[-1:])
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def the_mask_itself(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """These are the zeros and the factors. Multiply the weights by them."""
    return keep(weights, p, generator).to(weights.dtype) / (1 - p) if training else weights


@dropping.misconception
def begun_anew(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Every call with the same generator drops the same weights, because you begin anew from its
    seed. Draw from the generator itself, as in `torch.rand(…, generator=generator)`, so that it
    goes on from call to call.
    """
    if not training:
        return weights
    anew = torch.Generator().manual_seed(generator.initial_seed())
    return weights * keep(weights, p, anew) / (1 - p)


@dropping.misconception
def cut_off_from_the_graph(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drop what should be dropped, but no gradient comes back through it to the weights, so
    what stands before them could not be trained. `.detach()`, `.data`, NumPy, `torch.no_grad()`
    and a new `torch.tensor(…)` all leave PyTorch's graph.
    """
    weights = weights.detach()
    return weights * keep(weights, p, generator) / (1 - p) if training else weights
