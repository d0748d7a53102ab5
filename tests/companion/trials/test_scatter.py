"""What the trial of a measured variance tells about who measured it."""

import numpy as np
import pytest

from companion import measure_twice


def of_pairs(d_k: int, n: int, seed: int) -> float:
    queries, keys = np.random.default_rng(seed).normal(size=(2, n, d_k))
    return float((queries * keys).sum(axis=1).var(ddof=1))


def of_all_pairs(d_k: int, n: int, seed: int) -> float:
    queries, keys = np.random.default_rng(seed).normal(size=(2, n, d_k))
    return float((queries @ keys.T).var(ddof=1))


@pytest.mark.parametrize("seed", range(0, 4000, 800))
def test_pairs_are_told_from_all_pairs(seed: int) -> None:
    part = "results for n = 2 scatter as the variance of two dot products"
    assert measure_twice(of_pairs, 64, 100, seed)[part] is True
    assert measure_twice(of_all_pairs, 64, 100, seed)[part] is False


def of_one_query(d_k: int, n: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    return float((rng.normal(size=(n, d_k)) @ rng.normal(size=d_k)).var(ddof=1))


@pytest.mark.parametrize("seed", range(0, 4000, 800))
def test_pairs_are_told_from_one_query(seed: int) -> None:
    part = "results for d_k = 2 scatter as if each product had its own query and key"
    assert measure_twice(of_pairs, 64, 100, seed)[part] is True
    assert measure_twice(of_all_pairs, 64, 100, seed)[part] is True
    assert measure_twice(of_one_query, 64, 100, seed)[part] is False


def of_queries_alone(d_k: int, n: int, seed: int) -> float:
    return float(np.random.default_rng(seed).normal(size=(n, d_k)).sum(axis=1).var(ddof=1))


@pytest.mark.parametrize("seed", range(0, 4000, 801))
def test_products_are_told_from_single_numbers(seed: int) -> None:
    part = f"results for d_k = {1 + seed % 2} scatter as the variance of products"
    assert measure_twice(of_pairs, 64, 100, seed)[part] is True
    assert measure_twice(of_queries_alone, 64, 100, seed)[part] is False


def of_single_products(d_k: int, n: int, seed: int) -> float:
    """As many products as there are pairs, as if a pair's were all the same."""
    queries, keys = np.random.default_rng(seed).normal(size=(2, n))
    return float(d_k * (queries * keys).var(ddof=1))


@pytest.mark.parametrize("seed", range(0, 4000, 801))
def test_sums_are_told_from_single_products(seed: int) -> None:
    part = "results for d_k = 64 scatter as the variance of sums of products"
    assert measure_twice(of_pairs, 64, 100, seed)[part] is True
    assert measure_twice(of_single_products, 64, 100, seed)[part] is False


def test_right_answer_is_right_in_all() -> None:
    found = measure_twice(of_pairs, 16, 4000, 1)
    assert found.pop("variance") == of_pairs(16, 4000, 1)
    assert set(found.values()) == {True}


def test_constant_is_not_drawn() -> None:
    found = measure_twice(lambda d_k, n, seed: float(d_k), 16, 4000, 1)
    assert found["drawn at random"] is False
    assert found["another seed gives another number"] is False


def test_no_number_is_no_error() -> None:
    found = measure_twice(lambda d_k, n, seed: None, 16, 4000, 1)  # type: ignore[arg-type]
    assert found["variance"] is None
    assert found["the same seed gives the same number"] is False
