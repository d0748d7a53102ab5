"""Right answers to `is_relative` in other styles, lesson 06."""

import math

import torch
from torch import Tensor

from solutions.exams.positional_encoding.is_relative.exam import Scoring, relative


@relative.accepts
def by_plain_allclose(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """allclose with its own tolerances."""
    return torch.allclose(
        scores(queries, keys, positions), scores(queries, keys, shift + positions)
    )


@relative.accepts
def by_greatest_gap(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """No difference is large next to the scores, where there is one."""
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    moved = there != here
    gaps, sizes = (there - here)[moved].abs(), here[moved].abs()
    return not bool((gaps > 1e-6 * sizes.clamp(1, 1e6)).any())


@relative.accepts
def score_by_score(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """A loop over all scores."""
    here = scores(queries, keys, positions).flatten().tolist()
    there = scores(queries, keys, torch.add(positions, shift)).flatten().tolist()
    return all(
        math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) for a, b in zip(here, there, strict=True)
    )
