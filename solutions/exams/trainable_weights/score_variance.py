"""The exam of `score_variance`, lesson 03."""

import torch

from autograder import Draw, Exam, Tolerance
from companion import measure_twice
from solutions import trainable_weights as reference
from solutions.exams.trainable_weights._specimens import Pair

# Two samples of 2000 agree within a tenth in nearly all cases; every known mistake is twice off.
# More would cost an answer that makes a table of every query and every key more than a second.
variance = Exam(
    reference.score_variance,
    tolerance=Tolerance(absolute=0.0, relative=0.25),
    use=measure_twice,
    unasked={"calls": "a seed is passed, with which PyTorch's own random numbers may begin"},
)

Sampled = tuple[int, int, int]


@variance.example
def sixty_four() -> Sampled:
    """d_k = 64"""
    return 64, 2000, 0


@variance.example
def sixteen() -> Sampled:
    """d_k = 16"""
    return 16, 1500, 4


@variance.case
def some_width(draw: Draw) -> Sampled:
    """some other d_k"""
    return int(draw.rng.integers(16, 200)), 2000, int(draw.rng.integers(1000))


def drawn(d_k: int, n: int, seed: int) -> Pair:
    """n queries and n keys."""
    generator = torch.Generator().manual_seed(seed)
    queries = torch.randn(n, d_k, generator=generator)
    return queries, torch.randn(n, d_k, generator=generator)


@variance.misconception
def standard_deviation(d_k: int, n: int, seed: int) -> float:
    """This is about √d_k, as the standard deviation is, the square root of the variance. Use
    `.var()`.
    """
    queries, keys = drawn(d_k, n, seed)
    return (queries * keys).sum(dim=-1).std().item()


@variance.misconception
def uniform_numbers(d_k: int, n: int, seed: int) -> float:
    """This is about d_k / 20, as when the numbers are drawn between 0 and 1, by `torch.rand`.
    `torch.randn` draws normal ones, with mean 0 and variance 1.
    """
    generator = torch.Generator().manual_seed(seed)
    queries = torch.rand(n, d_k, generator=generator)
    return (queries * torch.rand(n, d_k, generator=generator)).sum(dim=-1).var().item()


@variance.misconception
def variance_of_products(d_k: int, n: int, seed: int) -> float:
    """This is about 1, like the variance of single products, or of scaled scores. It should be the
    variance of the scores: the sums of the rows of products, undivided.
    """
    queries, keys = drawn(d_k, n, seed)
    return (queries * keys).var().item()


@variance.misconception
def scaled_scores(d_k: int, n: int, seed: int) -> float:
    """This is about 1 for every d_k, as when the dot products are divided by the square root of
    d_k, or their variance by d_k. Measure them as they are.
    """
    queries, keys = drawn(d_k, n, seed)
    return (queries * keys).sum(dim=-1).var().item() / d_k


@variance.misconception
def mean_of_products(d_k: int, n: int, seed: int) -> float:
    """This is about 1 / d_k, as when the products of a pair are averaged, or their sum is divided
    by d_k. A dot product only adds them up.
    """
    queries, keys = drawn(d_k, n, seed)
    return (queries * keys).mean(dim=-1).var().item()


@variance.misconception
def added_over_pairs(d_k: int, n: int, seed: int) -> float:
    """This is about n, as when you sum over the pairs. Sum over the d_k features: one number for
    each pair.
    """
    queries, keys = drawn(d_k, n, seed)
    return (queries * keys).sum(dim=0).var().item()


@variance.misconception
def query_with_itself(d_k: int, n: int, seed: int) -> float:
    """This is about twice what it should be. Is each vector multiplied by itself, so that you add
    up squares? Two generators with the same seed draw the same numbers, and so does one generator
    that is seeded again. Draw separate keys from the same generator, with mean 0 like the queries.
    """
    queries, _ = drawn(d_k, n, seed)
    return (queries * queries).sum(dim=-1).var().item()


@variance.misconception
def queries_alone(d_k: int, n: int, seed: int) -> float:
    """A sum of d_k random numbers has this variance as well, but a dot product is a sum of
    products. Multiply each query by its own key before you add up.
    """
    queries, _ = drawn(d_k, n, seed)
    return queries.sum(dim=-1).var().item()


@variance.misconception
def derived(d_k: int, n: int, seed: int) -> float:
    """This is d_k itself, the value that theory predicts. Draw random queries and keys, and measure
    the variance of their dot products.
    """
    return float(d_k)


@variance.misconception
def without_a_seed(d_k: int, n: int, seed: int) -> float:
    """With one and the same seed, the result differs from call to call, because some numbers are
    drawn without it. Pass the seed to a generator, and pass the generator to both calls of
    `torch.randn`.
    """
    queries, keys = torch.randn(2, n, d_k)
    return (queries * keys).sum(dim=-1).var().item()


@variance.misconception
def always_the_same_seed(d_k: int, n: int, seed: int) -> float:
    """Every seed gives the same number. The random numbers have to start from the argument `seed`,
    not from a fixed seed or the generator's default.
    """
    queries, keys = drawn(d_k, n, 123)
    return (queries * keys).sum(dim=-1).var().item()


@variance.misconception
def every_query_with_every_key(d_k: int, n: int, seed: int) -> float:
    """This is not the variance of n dot products, as n = 2 shows. Did every query meet every key,
    n² times, or did you average squares without subtracting the mean? Multiply each query only by
    its own key, and then use `.var()`.
    """
    queries, keys = drawn(d_k, n, seed)
    return (queries @ keys.T).var().item()


@variance.misconception
def one_query_for_all_keys(d_k: int, n: int, seed: int) -> float:
    """It looks as if one query meets all the keys, or one key all the queries: then this is about
    the square of its length. Draw n of each, one pair for every dot product.
    """
    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(d_k, generator=generator)
    return (torch.randn(n, d_k, generator=generator) @ query).var().item()


@variance.misconception
def one_key_for_all_queries(d_k: int, n: int, seed: int) -> float:
    """It looks as if all the queries meet one key, or all the keys one query: then this is about
    the square of its length. Draw n of each, one pair for every dot product.
    """
    generator = torch.Generator().manual_seed(seed)
    queries = torch.randn(n, d_k, generator=generator)
    return (queries @ torch.randn(d_k, generator=generator)).var().item()


@variance.misconception
def one_pair_alone(d_k: int, n: int, seed: int) -> float:
    """This looks like the variance of the d_k products of one single pair. Take n pairs, and add up
    the products of each.
    """
    generator = torch.Generator().manual_seed(seed)
    query, key = torch.randn(d_k, generator=generator), torch.randn(d_k, generator=generator)
    return (query * key).var().item()


@variance.misconception
def tables_multiplied(d_k: int, n: int, seed: int) -> float:
    """A matrix product, `@`, needs the rows of one to meet the columns of the other. Here query i
    meets key i: multiply entry by entry, and add up each row.
    """
    queries, keys = drawn(d_k, n, seed)
    return (queries @ keys).var().item()


@variance.accepts
def variance_by_einsum(d_k: int, n: int, seed: int) -> float:
    """One global seed, an index expression, the formula of the variance."""
    torch.manual_seed(seed)
    scores = torch.einsum("nd,nd->n", torch.randn(n, d_k), torch.randn(n, d_k))
    return float((scores**2).mean() - scores.mean() ** 2)


@variance.accepts
def variance_in_a_loop(d_k: int, n: int, seed: int) -> float:
    """One pair at a time."""
    generator = torch.Generator().manual_seed(seed)
    scores = []
    for _ in range(n):
        query, key = torch.randn(2, d_k, generator=generator, dtype=torch.float64)
        scores.append(torch.dot(query, key))
    return torch.stack(scores).var().item()


@variance.accepts
def variance_by_batches(d_k: int, n: int, seed: int) -> float:
    """A batch of rows times columns, and the variance divided by n."""
    generator = torch.Generator().manual_seed(seed)
    queries = torch.normal(0.0, 1.0, (n, 1, d_k), generator=generator)
    keys = torch.normal(0.0, 1.0, (n, d_k, 1), generator=generator)
    return float(torch.bmm(queries, keys).var(correction=0))
