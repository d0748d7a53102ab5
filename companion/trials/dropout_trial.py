"""What can be said of a dropout without comparing random numbers, which differ between machines."""

from collections.abc import Callable, Iterable

import torch

from companion.beside import made_beside, results_of
from companion.trials.other_ways import laid_apart

_DRAWS = 64
# Of few weights, more draws: chance would show.
_NUMBERS = 2000
# So many standard deviations from its rate, no share is ever found.
_DEVIATIONS = 6
# Calls with one and the same generator.
_IN_A_ROW = 5
# Of so few weights, no two share their fate in all draws by chance.
_TOLD_APART = 256


class DropoutMismatch(ValueError):
    """What came back is no dropped-out version of the weights. The message says so."""


def try_dropout(
    dropout: Callable[[torch.Tensor, float, torch.Generator, bool], object],
    weights: torch.Tensor,
    p: float,
    seed: int,
    training: bool,
) -> dict[str, object]:
    """Call a dropout many times and measure what it does to the weights.

    Once it is called without gradients, as a model is that is evaluated, and once with weights that
    are laid out otherwise.

    Args:
        dropout: the function to try, called with weights, p, a generator and `training`.
        weights: of any shape, none of them 0.
        p: the share to be dropped.
        seed: of the first call's generator; the others count on from it.
        training: handed on to the dropout.

    Returns:
        Measurements by their names. Shares and means are those that a dropout could have been
        written for, as far as they are near enough: two right dropouts give the same.

    Raises:
        DropoutMismatch: when what comes back is no tensor of the shape and dtype of the weights.
    """

    # A copy for each call: else what one call writes would be dropped in all that follow.
    draws = max(_DRAWS, _NUMBERS // weights.numel())
    calls = [
        (weights.clone(), p, torch.Generator().manual_seed(number), training)
        for number in (*range(seed, seed + draws), seed)
    ]
    results = results_of(dropout, calls)
    first = _of_their_kind(next(results), weights)
    *others, again = results
    plain = weights.clone()
    with torch.no_grad():
        dropout(plain, p, generator_of(seed), training)
        # What falls may be drawn in the order of memory, and so only what is left is looked at.
        result = dropout(made_beside(dropout, laid_apart, weights), p, generator_of(seed), training)
    apart = _of_their_kind(result, weights)
    # One that is sent begins anew in each call; this one goes on.
    generator = made_beside(dropout, generator_of, seed)
    in_a_row = [dropout(weights.clone(), p, generator, training) for _ in range(_IN_A_ROW)]
    drawn = [first, *others]
    stacked = torch.stack([one for one in drawn if isinstance(one, torch.Tensor)]).double()
    factors = stacked / weights.double()
    dropped = stacked == 0
    left = torch.cat([factors[~dropped], (apart.double() / weights.double())[apart != 0]])
    share = dropped.double().mean().item()
    numbers = set(dropped.flatten(1).sum(1).tolist())
    return {
        "the weights that it is given are changed": not all(
            given.equal(weights) for given in (plain, *(given for given, *_ in calls))
        ),
        "fraction of weights that become 0": _nearest(share, (0, p, 1 - p, 1), _chance(dropped)),
        "what is left, as a multiple of its weight": _common(left),
        "mean of all draws, as a multiple of the weights": _nearest(
            factors.mean().item(), (0, 1, *_multiples(p)), 0.15
        ),
        **_dropped_together(dropped, share),
        "some weights always share their fate": _always_together(dropped),
        "the same number is dropped at each call": len(numbers) == 1,
        "a generator with the same seed drops the same": _same(again, first),
        # Of few weights, two seeds in three dozen drop the same by chance.
        "generators with other seeds drop the same": all(_same(one, first) for one in drawn),
        "a generator drops the same in each call": all(_same(one, first) for one in in_a_row),
        "gradient for the weights is right": _goes_back(dropout, weights, p, seed, training),
    }


def _of_their_kind(result: object, weights: torch.Tensor) -> torch.Tensor:
    """What came back, if it is a tensor of the shape and dtype of the weights."""
    if result is None:
        raise DropoutMismatch("nothing came back (None): is there a return at the end?")
    if not isinstance(result, torch.Tensor) or _kind(result) != _kind(weights):
        raise DropoutMismatch(
            f"expected {_kind(weights)} back, as the weights are, received {_kind(result)}"
        )
    return result


def generator_of(seed: int) -> torch.Generator:
    """A source of random numbers."""
    return torch.Generator().manual_seed(seed)


def _goes_back(
    dropout: Callable[[torch.Tensor, float, torch.Generator, bool], object],
    weights: torch.Tensor,
    p: float,
    seed: int,
    training: bool,
) -> bool:
    leaf = weights.clone().requires_grad_()
    # What is no leaf may be written to: who does so is told of that alone.
    result = dropout(leaf.clone(), p, generator_of(seed), training)
    if not isinstance(result, torch.Tensor) or not result.requires_grad:
        return False
    result.sum().backward()  # type: ignore[no-untyped-call]
    # Each weight is multiplied by one number, and so is what comes back to it.
    return leaf.grad is not None and torch.allclose(leaf.grad * weights, result, rtol=1e-4)


def _kind(value: object) -> str:
    if not isinstance(value, torch.Tensor):
        return f"a {type(value).__name__}"
    return f"a tensor of shape {tuple(value.shape)} of {str(value.dtype).removeprefix('torch.')}"


def _same(one: object, other: torch.Tensor) -> bool:
    return isinstance(one, torch.Tensor) and one.equal(other)


def _nearest(value: float, candidates: Iterable[float], away: float) -> float:
    """The nearest candidate if it is near, else the value, as roughly as tells it from that."""
    best = min(candidates, key=lambda candidate: abs(candidate - value))
    if abs(best - value) <= away * max(1, best):
        return best
    return next(
        (rough for digits in (1, 2) if abs((rough := round(value, digits)) - best) > away), value
    )


def _chance(dropped: torch.Tensor) -> float:
    """How far chance may take the share that is dropped from its rate, over some draws."""
    draws = dropped.flatten(1)
    different = len(torch.unique(draws, dim=0))
    # As many as are drawn by themselves; where some are dropped together, draws differ by more.
    independent: float = 0.5 / (different * draws.shape[1]) ** 0.5
    together: float = draws.double().mean(1).std().item() / len(draws) ** 0.5
    return _DEVIATIONS * max(independent, together)


def _multiples(p: float) -> tuple[float, ...]:
    """What the mean becomes if survivors are multiplied by the wrong thing, or not at all."""
    return (1 - p, p, p / (1 - p), (1 - p) / p, (1 - p) ** 2, 1 / (1 - p)) if 0 < p < 1 else ()


def _common(factors: torch.Tensor) -> float | str:
    """The one number that all factors are, up to rounding."""
    if factors.numel() == 0:
        return "nothing is left"
    first = factors[0]
    return first.item() if torch.allclose(factors, first, rtol=1e-4) else "not one number"


def _dropped_together(dropped: torch.Tensor, share: float) -> dict[str, object]:
    """Of each axis of the weights, whether neighbours along it share their fate."""
    names = (
        "neighbours in a row are dropped together",
        "neighbours in a column are dropped together",
        "sentences are dropped together",
        "batches are dropped together",
    )
    axes = dropped.dim() - 1
    return {name: _together(dropped, -n, share) for n, name in enumerate(names[:axes], start=1)}


def _always_together(dropped: torch.Tensor) -> bool:
    """Whether some places, however far apart, are dropped in the same draws, and in some alone."""
    places = dropped.flatten(1).T
    varied = places[places.any(dim=1) & ~places.all(dim=1)]
    return len(places) <= _TOLD_APART and len(torch.unique(varied, dim=0)) < len(varied)


def _together(dropped: torch.Tensor, axis: int, share: float) -> bool:
    """Whether neighbours along an axis are both dropped more or less often than by chance."""
    one, other = dropped.narrow(axis, 1, dropped.shape[axis] - 1), dropped.roll(1, dims=axis)
    both = one & other.narrow(axis, 1, dropped.shape[axis] - 1)
    return abs(both.double().mean().item() - share**2) > 0.08
