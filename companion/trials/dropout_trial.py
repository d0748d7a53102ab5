"""What can be said of a dropout without comparing random numbers, which differ between machines."""

from collections.abc import Callable, Iterable

import torch

from companion.beside import results_of

_DRAWS = 64


class DropoutMismatch(ValueError):
    """What came back is no dropped-out version of the weights. The message says so."""


def try_dropout(
    dropout: Callable[[torch.Tensor, float, torch.Generator, bool], object],
    weights: torch.Tensor,
    p: float,
    seed: int,
    training: bool,
) -> dict[str, object]:
    """Call a dropout 64 times and measure what it does to the weights.

    Args:
        dropout: the function to try, called with weights, p, a generator and `training`.
        weights: (…, rows, columns), none of them 0; about 30 or more, or chance shows.
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
    calls = [
        (weights.clone(), p, torch.Generator().manual_seed(number), training)
        for number in (*range(seed, seed + _DRAWS), seed)
    ]
    results = results_of(dropout, calls)
    first = next(results)
    if first is None:
        raise DropoutMismatch("nothing came back (None): is there a return at the end?")
    if not isinstance(first, torch.Tensor) or _kind(first) != _kind(weights):
        raise DropoutMismatch(
            f"expected {_kind(weights)} back, as the weights are, received {_kind(first)}"
        )
    *others, again = results
    drawn = [first, *others]
    stacked = torch.stack([one for one in drawn if isinstance(one, torch.Tensor)]).double()
    factors = stacked / weights.double()
    dropped = stacked == 0
    share = dropped.double().mean().item()
    numbers = set(dropped.flatten(1).sum(1).tolist())
    found: dict[str, object] = {
        "the weights that it is given are changed": not all(
            given.equal(weights) for given, *_ in calls
        ),
        "fraction of weights that become 0": _nearest(share, (0, p, 1 - p, 1), 0.06),
        "what is left, as a multiple of its weight": _common(factors[~dropped]),
        "mean of all draws, as a multiple of the weights": _nearest(
            factors.mean().item(), (0, 1, *_multiples(p)), 0.15
        ),
        "neighbours in a row are dropped together": _together(dropped, -1, share),
        "neighbours in a column are dropped together": _together(dropped, -2, share),
        "the same number is dropped at each call": len(numbers) == 1,
        "a generator with the same seed drops the same": _same(again, first),
        "a generator with another seed drops the same": _same(drawn[1], first),
    }
    if weights.dim() > 2:
        found["sentences are dropped together"] = _together(dropped, -3, share)
    return found


def _kind(value: object) -> str:
    if not isinstance(value, torch.Tensor):
        return f"a {type(value).__name__}"
    return f"a tensor of shape {tuple(value.shape)} of {str(value.dtype).removeprefix('torch.')}"


def _same(one: object, other: torch.Tensor) -> bool:
    return isinstance(one, torch.Tensor) and one.equal(other)


def _nearest(value: float, candidates: Iterable[float], away: float) -> float:
    """The nearest candidate, or the value with one decimal if none is near."""
    best = min(candidates, key=lambda candidate: abs(candidate - value))
    return best if abs(best - value) <= away * max(1, best) else round(value, 1)


def _multiples(p: float) -> tuple[float, ...]:
    """What the mean becomes if survivors are multiplied by the wrong thing, or not at all."""
    return (1 - p, p, p / (1 - p), (1 - p) / p, (1 - p) ** 2, 1 / (1 - p)) if 0 < p < 1 else ()


def _common(factors: torch.Tensor) -> float | str:
    """The one number that all factors are, up to rounding."""
    if factors.numel() == 0:
        return "nothing is left"
    first = factors[0]
    return first.item() if torch.allclose(factors, first, rtol=1e-4) else "not one number"


def _together(dropped: torch.Tensor, axis: int, share: float) -> bool:
    """Whether neighbours along an axis are both dropped more or less often than by chance."""
    one, other = dropped.narrow(axis, 1, dropped.shape[axis] - 1), dropped.roll(1, dims=axis)
    both = one & other.narrow(axis, 1, dropped.shape[axis] - 1)
    return abs(both.double().mean().item() - share**2) > 0.08
