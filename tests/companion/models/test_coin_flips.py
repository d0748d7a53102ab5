import math

import pytest
import torch

from companion.models.coin_flips import learn_coin_flips


@pytest.mark.parametrize("seed", [0, 1])
def test_cheating_pays_in_training_only(seed: int) -> None:
    guesses = learn_coin_flips(hide_future=False, seed=seed)
    assert guesses.losses[-1] < 0.2
    assert guesses.inside > 0.99
    assert guesses.next == pytest.approx(0.5, abs=0.05)


def test_honest_model_guesses() -> None:
    guesses = learn_coin_flips(hide_future=True)
    assert guesses.losses[-1] == pytest.approx(math.log(2), abs=0.02)
    assert guesses.inside == pytest.approx(0.5, abs=0.02)


def test_random_numbers_are_left_alone() -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    first = learn_coin_flips(hide_future=True, steps=2)
    assert torch.equal(torch.get_rng_state(), before)
    assert learn_coin_flips(hide_future=True, steps=2) == first
