"""Stacks of blocks: what reaches the first one, and do they learn?"""

import pytest

from companion import gradients_by_depth, train_stack


def test_without_residuals_the_gradient_vanishes() -> None:
    gradients = gradients_by_depth("none")
    assert len(gradients) == 24
    assert gradients[0] < 1e-15 * gradients[-1]


@pytest.mark.parametrize("wiring", ["post", "pre"])
def test_with_residuals_it_arrives(wiring: str) -> None:
    gradients = gradients_by_depth(wiring)  # type: ignore[arg-type]
    assert 0.1 < gradients[0] / gradients[-1] < 10


def test_a_stack_learns() -> None:
    losses = train_stack("pre", depth=2, steps=60)
    assert len(losses) == 60
    assert losses[-1] < losses[0] - 0.5


def test_a_stack_without_residuals_does_not() -> None:
    losses = train_stack("none", steps=15)
    assert min(losses) > 2.2


def test_the_seed_decides() -> None:
    assert train_stack("post", depth=1, steps=2) == train_stack("post", depth=1, steps=2)
    other = train_stack("post", depth=1, steps=2, seed=1)
    assert train_stack("post", depth=1, steps=2) != other
