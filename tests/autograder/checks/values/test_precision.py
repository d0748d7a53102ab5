import numpy as np
import pytest
import torch

from autograder.checks.values.compare import Tolerance, differences
from autograder.checks.values.precision import (
    NUDGE,
    TOLERANCES,
    are_apart,
    as_of_single,
    goes_through_single,
    is_noise,
    printed,
    widened,
)

BASE = Tolerance(absolute=1e-6, relative=1e-5)


def noisy(value: object, noise: float, base: Tolerance = BASE, names: tuple[str, ...] = ()):
    """What is allowed where single precision gives `value` with so much noise in all numbers."""

    def shaken(inside):
        if isinstance(inside, dict):
            return {key: shaken(entry) for key, entry in inside.items()}
        if isinstance(inside, list | tuple):
            return type(inside)(map(shaken, inside))
        return inside + noise

    return widened(base, shaken(value), value, names)


def test_quiet_case_has_what_every_case_has():
    tolerance = noisy(np.array([0.5, 0.1]), 1e-9)
    assert (tolerance.absolute, tolerance.relative) == (BASE.absolute, BASE.relative)
    assert tolerance.parts == pytest.approx({"": 64 * 0.5 * 2**-23})


def test_noise_widens_a_part_and_leaves_others():
    exact = {"output": torch.ones(2), "gradient for W": (torch.ones(1), 0.5 * torch.ones(1))}
    single = {"output": torch.ones(2), "gradient for W": (torch.ones(1), 0.50001 * torch.ones(1))}
    tolerance = widened(TOLERANCES["float32"], single, exact)
    assert tolerance.parts == {"gradient for W[1]": pytest.approx(6.4e-4, rel=0.01)}


def test_words_for_parts_are_those_of_the_comparison():
    value = (np.array([1.0]), [np.array([2.0]), {"b": 3.0}])
    names = ("contexts", "weights")
    received = (value[0] + 1, [value[1][0] + 1, {"b": 4.0}])
    found = [one.part for one in differences(value, received, BASE, names)]
    assert found == ["contexts", "weights[0]", "weights[1] b"]
    assert list(noisy(value, 1e-5, names=names).parts) == found


def test_no_case_swallows_everything():
    assert noisy(np.array([0.5, -2.0]), 0.5).parts == {"": 2e-2}


def test_what_is_zero_but_for_rounding_is_measured_by_the_rest():
    value = {"output": np.array([10.0]), "gradient for b": np.array([1e-17, 0.0])}
    assert noisy(value, 1e-5).parts["gradient for b"] == pytest.approx(6.4e-4, rel=1e-6)
    assert noisy(value, 1.0).parts["gradient for b"] == pytest.approx(0.1)


def test_gradients_of_printed_examples():
    """They are sums of many numbers, and as noisy as their part is large."""
    value = {"output": np.array([50.0]), "gradient for W": np.array([-30.0, 0.1])}
    assert printed(BASE, {}, value).parts == {"gradient for W": pytest.approx(6e-4)}
    value["gradient for W"] /= 100
    assert printed(BASE, {}, value).parts == {"gradient for W": pytest.approx(2e-5)}
    loose = Tolerance(absolute=1e-3)
    assert printed(loose, {}, value) == loose


def test_large_arguments_are_coarse():
    """Between scores near -20000, single precision has steps of a five-hundredth."""
    weights = np.array([0.75, 0.25])
    assert printed(BASE, {"scores": np.array([-2e4, -np.inf])}, weights).parts == {
        "": pytest.approx(2e4 * 2**-23)
    }
    assert printed(BASE, {"scores": np.array([-1e9])}, weights).parts == {"": 7.5e-3}
    assert printed(BASE, {"scores": np.array([-5.0])}, weights) == BASE


def test_noise_widens_what_gradients_have_already():
    value = {"gradient for W": np.array([30.0, 0.1])}
    base = printed(BASE, {}, value)
    assert noisy(value, 1e-6, base) == base
    assert noisy(value, 1e-3, base).parts == {"gradient for W": pytest.approx(0.064)}


@pytest.mark.parametrize("value", [np.array([np.inf, np.nan]), np.zeros(0), 3, "word", None, True])
def test_no_numbers_no_noise(value):
    assert widened(BASE, value, value) == BASE


def test_infinities_are_no_noise():
    exact, single = np.array([-np.inf, 1.0, 1e40]), np.array([-np.inf, 1.0, np.inf], np.float32)
    assert widened(BASE, single, exact).parts[""] == pytest.approx(64 * 1e40 * 2**-23)


def test_other_shapes_are_not_compared():
    assert widened(BASE, np.ones(2), np.ones(3)) == BASE
    assert widened(BASE, None, (np.ones(2), np.ones(2))) == BASE


def test_own_tolerance_that_is_wider_stays():
    loose = Tolerance(absolute=0.5)
    assert noisy(np.array([1.0]), 1e-5, loose) == loose


def softmax_of(products):
    scores = np.exp(products - products.max(axis=-1, keepdims=True))
    return scores / scores.sum(axis=-1, keepdims=True)


X, W = (np.random.default_rng(seed).normal(size=(4, 4)) for seed in (0, 1))
FUNCTIONS = {
    "smooth": (lambda x: softmax_of(x @ W @ x.T) @ x, False),
    "in single": (lambda x: softmax_of((x @ W).astype("f4").astype("f8") @ x.T) @ x, True),
    "single at the end": (lambda x: {"output": (x @ W).astype("f4").astype("f8")}, True),
    "torch in single": (lambda x: torch.from_numpy(x).float().softmax(-1).double(), True),
    "a constant of single": (lambda x: x * np.float64(np.sqrt(np.float32(3))), False),
    "a step": (lambda x: np.floor(1 / (x - x.max() + 1e-300)), False),
    "nothing but noise": (lambda x: (x - x, 1e-30 * x.astype("f4"), x @ W), False),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_single_precision_on_the_way(name):
    function, through_single = FUNCTIONS[name]
    below, value, above = (function(X * (1 + share)) for share in (-NUDGE, 0, NUDGE))
    assert goes_through_single(below, value, above) is through_single


def test_other_shapes_around_it_say_nothing():
    assert not goes_through_single(np.ones(2), np.ones(3), np.ones(3))


def is_noise_of(function, x, tolerance=BASE):
    below, value, above = (
        function((x * (1 + share)).astype(x.dtype)) for share in (-NUDGE, 0, NUDGE)
    )
    return is_noise(below, value, above, tolerance)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "a step"])
def test_what_rounding_does_not_decide_is_no_noise(name):
    assert not is_noise_of(FUNCTIONS[name][0], X)


def slope(x):
    return ((x + np.float32(1e-6)) ** 2 - x**2) / np.float32(1e-6)


def test_what_rounding_decides_is_noise():
    single = X.astype("f4")
    assert is_noise_of(slope, single)
    assert is_noise_of(lambda x: {"output": x, "slope": slope(x)}, single)
    assert not is_noise_of(slope, single, Tolerance(1.0, 0.1))
    assert not is_noise_of(lambda x: x @ x.T, single, TOLERANCES["float32"])


@pytest.mark.parametrize(
    ("other", "apart"),
    [(1 + 1e-6, False), (1 + 1e-4, True), (np.inf, True), (np.nan, True)],
)
def test_numbers_are_apart_whatever_their_dtypes(other, apart):
    value = {"output": np.ones(2, "f4"), "word": "w"}
    assert are_apart(value, {"output": np.array([1.0, other]), "word": "v"}, BASE) is apart
    assert not are_apart(np.array([other]), np.array([other]), BASE)
    assert are_apart(value, {"output": np.ones(3)}, BASE)


def test_what_is_finite_on_one_side_is_noise():
    infinite = np.array([np.inf, 1.0])
    assert is_noise(infinite, np.ones(2), infinite, BASE)
    assert not is_noise(infinite, infinite, infinite, BASE)
    assert is_noise(np.ones(2), np.ones(3), np.ones(3), BASE)


def test_numbers_of_single_precision_are_compared_as_such():
    wide = as_of_single(Tolerance(1e-6, 1e-5, {"output": 1e-3, "weights": 1e-7}))
    assert (wide.absolute, wide.relative) == (1e-5, 1e-4)
    assert wide.parts == {"output": 1e-3, "weights": 1e-5}
