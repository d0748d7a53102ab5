from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from companion.trials.dropout_trial import try_dropout
from tests.support.sample import sample

WEIGHTS = torch.rand(6, 6, generator=torch.Generator().manual_seed(0)) + 0.1


def by_bernoulli(weights: Tensor, p: float, generator: torch.Generator, training: bool) -> Tensor:
    kept = torch.empty_like(weights).bernoulli_(1 - p if training else 1, generator=generator)
    return weights * kept / (1 - p if training else 1)


def by_torch(weights: Tensor, p: float, generator: torch.Generator, training: bool) -> Tensor:
    torch.manual_seed(int(torch.randint(1 << 31, (1,), generator=generator)))
    return nn.functional.dropout(weights, p, training)


@pytest.mark.parametrize("p", [0.2, 0.3, 0.6, 0.7])
@pytest.mark.parametrize("seed", sample(range(0, 2000, 100), 4))
def test_right_ones_measure_alike(p: float, seed: int) -> None:
    expected = {
        "the weights that it is given are changed": False,
        "fraction of weights that become 0": p,
        "what is left, as a multiple of its weight": pytest.approx(1 / (1 - p)),
        "mean of all draws, as a multiple of the weights": 1,
        "neighbours in a row are dropped together": False,
        "neighbours in a column are dropped together": False,
        "some weights always share their fate": False,
        "the same number is dropped at each call": False,
        "a generator with the same seed drops the same": True,
        "generators with other seeds drop the same": False,
        "a generator drops the same in each call": False,
        "gradient for the weights is right": True,
    }
    for right in (by_torch, by_bernoulli):
        assert try_dropout(right, WEIGHTS, p, seed, True) == expected


@pytest.mark.parametrize("wrong", [lambda p: round(p, 1), lambda p: p - 0.02, lambda p: 1.05 * p])
def test_rate_that_is_not_quite_p_is_seen_among_many(wrong: Callable[[float], float]) -> None:
    def another_rate(
        weights: Tensor, p: float, generator: torch.Generator, training: bool
    ) -> Tensor:
        kept = torch.rand(weights.shape, generator=generator) >= wrong(p)
        return weights * kept / (1 - p) if training else weights

    fact, many = "fraction of weights that become 0", WEIGHTS.repeat(10, 10)
    assert try_dropout(by_torch, many, 0.25, 0, True)[fact] == 0.25
    assert try_dropout(another_rate, many, 0.25, 0, True)[fact] != 0.25


def test_nothing_happens_in_use() -> None:
    measured = try_dropout(by_torch, WEIGHTS, 0.5, 0, False)
    assert list(measured.values()) == [False, 0, 1.0, 1, *[False] * 3, *[True] * 5]


def mirrored(weights: Tensor, p: float, generator: torch.Generator, training: bool) -> Tensor:
    drawn = torch.rand(weights.shape, generator=generator).triu()
    return weights * (drawn + drawn.triu(1).mT >= p) / (1 - p)


def test_places_that_share_their_fate_are_seen_however_far_apart() -> None:
    shared = "some weights always share their fate"
    assert try_dropout(mirrored, WEIGHTS, 0.3, 0, True)[shared] is True


def straight_through(
    weights: Tensor, p: float, generator: torch.Generator, training: bool
) -> Tensor:
    return weights + (by_torch(weights, p, generator, training) - weights).detach()


def no_number(weights: Tensor, p: float, generator: torch.Generator, training: bool) -> Tensor:
    kept = torch.rand(weights.shape, generator=generator) >= p
    return torch.where(kept, weights / (kept * (1 - p)), torch.zeros_like(weights))


@pytest.mark.parametrize(
    "wrong", [straight_through, no_number, lambda *given: by_torch(*given).detach()]
)
def test_what_comes_back_is_compared_with_the_factors(wrong: Callable[..., Tensor]) -> None:
    assert try_dropout(wrong, WEIGHTS, 0.3, 0, True)["gradient for the weights is right"] is False


@pytest.mark.long
@pytest.mark.parametrize("shape", [(5,), (2, 2, 2, 2), (1, 3)])
def test_few_weights_of_any_shape(shape: tuple[int, ...]) -> None:
    weights = torch.full(shape, 0.5)
    for p, seed in ((0.3, 200), (0.6, 300), (0.3, 7)):
        expected = try_dropout(by_bernoulli, weights, p, seed, True)
        assert expected["fraction of weights that become 0"] == p
        assert try_dropout(by_torch, weights, p, seed, True) == expected


def test_seed_that_begins_anew_is_noticed() -> None:
    def anew(weights: Tensor, p: float, generator: torch.Generator, training: bool) -> Tensor:
        return by_bernoulli(weights, p, generator.manual_seed(generator.initial_seed()), training)

    fact = "a generator drops the same in each call"
    assert try_dropout(anew, WEIGHTS, 0.3, 0, True)[fact] is True


def test_whole_rows_are_noticed() -> None:
    def rows(weights: Tensor, p: float, generator: torch.Generator, training: bool) -> Tensor:
        return by_bernoulli(torch.ones(6, 1), p, generator, training) * weights

    measured = try_dropout(rows, WEIGHTS, 0.3, 0, True)
    assert measured["neighbours in a row are dropped together"] is True
    assert measured["neighbours in a column are dropped together"] is False


@pytest.mark.parametrize("seed", sample(range(0, 2000, 100), 4))
@pytest.mark.parametrize("p", [0.2, 0.3, 0.6, 0.7])
def test_one_draw_for_a_batch_is_noticed(p: float, seed: int) -> None:
    def shared(weights: Tensor, p: float, generator: torch.Generator, training: bool) -> Tensor:
        return by_bernoulli(torch.ones(6, 6), p, generator, training) * weights

    fact = "sentences are dropped together"
    batch = torch.stack([WEIGHTS, WEIGHTS.T])
    assert try_dropout(shared, batch, p, seed, True)[fact] is True
    assert try_dropout(by_bernoulli, batch, p, seed, True)[fact] is False
    assert fact not in try_dropout(shared, WEIGHTS, p, seed, True)


def test_a_fixed_number_is_noticed() -> None:
    def fixed(weights: Tensor, p: float, generator: torch.Generator, training: bool) -> Tensor:
        order = torch.randperm(weights.numel(), generator=generator).reshape(weights.shape)
        return weights * (order >= p * weights.numel()) / (1 - p)

    measured = try_dropout(fixed, WEIGHTS, 0.25, 0, True)
    assert measured["the same number is dropped at each call"] is True
    assert measured["fraction of weights that become 0"] == 0.25


def test_writing_is_noticed_and_does_not_add_up() -> None:
    def in_place(weights: Tensor, p: float, generator: torch.Generator, training: bool) -> Tensor:
        return weights.copy_(by_bernoulli(weights, p, generator, training))

    measured = try_dropout(in_place, WEIGHTS, 0.2, 0, True)
    assert measured.pop("the weights that it is given are changed") is True
    assert list(measured.values())[:3] == [0.2, pytest.approx(1.25), 1]


def test_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(6, 6\) of float32 back, .* \(6,\) of float32"):
        try_dropout(lambda weights, *_: weights[0], WEIGHTS, 0.5, 0, True)


@pytest.mark.parametrize(("value", "words"), [(None, "a return"), (0.5, "received a float")])
def test_no_tensor_is_refused(value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        try_dropout(lambda *_: value, WEIGHTS, 0.5, 0, True)
