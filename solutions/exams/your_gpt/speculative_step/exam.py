"""The exam of `speculative_step`, lesson 10."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import your_gpt as reference

speculating = Exam(reference.speculative_step, forbids=("companion", "multinomial"))

Trial = tuple[Tensor, Tensor, Tensor, Tensor]

# Where a token is rejected, the probabilities are sixteenths, so that those of p − q sum to exactly
# 0, and what comes of a division by that sum is no matter of rounding.
P = [
    [0.5, 0.1875, 0.1875, 0.125],
    [0.125, 0.625, 0.125, 0.125],
    [0.125, 0.25, 0.125, 0.5],
    [0.05, 0.15, 0.35, 0.45],
]
Q = [
    [0.25, 0.25, 0.25, 0.25],
    [0.625, 0.125, 0.125, 0.125],
    [0.0625, 0.1875, 0.625, 0.125],
]
# A draft that is certain of each token, as one is that always takes the most likely.
CERTAIN = [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
NEVER = [[0.0, 0.3125, 0.5, 0.1875], [0.4, 0.1, 0.1, 0.4]]
# Probabilities that were rounded, and sum to 0.999998.
ROUNDED = [[0.25, 0.25, 0.25, 0.25], [0.3, 0.2, 0.4, 0.099998]]
ALMOST_ONE = 0.999999

_at_an_end: list[Callable[[], Trial]] = []
for _p, _q, _drafted, _uniforms, _what in (
    (P[:2], Q[:1], [0], [0.95, 0.4], "one token, more likely than drafted"),
    (P[:2], Q[:1], [3], [0.32, 0.8], "one token, less likely than drafted, and accepted"),
    (P[:2], Q[:1], [3], [0.62, 0.88], "one token, rejected"),
    (P[1:3], Q[1:2], [0], [0.45, 0.85], "one token, rejected, and drawn by a high number"),
    (P[1:3], Q[1:2], [0], [0.12, 0.85], "one token, accepted by a low number"),
    (P, Q, [0, 1, 3], [0.7, 0.9, 0.3, 0.1], "three tokens, all accepted"),
    (P, Q, [3, 2, 2], [0.4, 0.3, 0.16, 0.97], "three tokens, all accepted, some by chance"),
    (P, Q, [1, 0, 3], [0.3, 0.85, 0.2, 0.1], "three tokens, the second is rejected"),
    (P, Q, [2, 1, 1], [0.9, 0.1, 0.5, 0.7], "three tokens, the first is rejected"),
    (P, Q, [0, 1, 2], [0.3, 0.4, 0.6, 0.6], "three tokens, the last is rejected"),
    (P, Q, [0, 0, 2], [0.2, 0.5, 0.9, 0.9], "three tokens, the last two would be rejected"),
    (P, Q, [3, 0, 2], [0.75, 0.65, 0.8, 0.05], "three tokens, all would be rejected"),
    (P, P[:3], [0, 3, 1], [0.99, 0.98, 0.97, 0.5], "a draft with the model's probabilities"),
    (P[:3], CERTAIN, [1, 0], [0.1, 0.7, 0.3], "a draft that is certain, rejected at the end"),
    (P[:3], CERTAIN, [1, 0], [0.6, 0.05, 0.65], "a draft that is certain, rejected at once"),
    (NEVER, Q[:1], [0], [0.01, 0.72], "a token that the model never writes"),
    (NEVER, Q[:1], [0], [0.01, 0.15], "a token that the model never writes, and a low number"),
    (NEVER, Q[:1], [0], [0.01, 0.0], "a token that the model never writes, and the number 0"),
    (
        ROUNDED,
        Q[:1],
        [1],
        [0.4, ALMOST_ONE],
        "probabilities that were rounded, and sum to 0.999998",
    ),
):

    def _example(
        p: list[list[float]] = _p,
        q: list[list[float]] = _q,
        drafted: list[int] = _drafted,
        uniforms: list[float] = _uniforms,
    ) -> Trial:
        numbers = (torch.tensor(part, dtype=torch.float64) for part in (p, q, uniforms))
        distributions, drafts, chances = numbers
        return distributions, drafts, torch.tensor(drafted), chances

    _example.__doc__ = _what
    speculating.example(_example)
    if _uniforms[-1] in (0, ALMOST_ONE):
        _at_an_end.append(_example)


def drawn(draw: Draw, drafted: int, vocabulary: int, nearness: float = 0.0) -> Trial:
    """A draft whose distributions have this share of the model's in them, and its tokens."""
    draw.fix(drafted=drafted, places=drafted + 1, vocabulary=vocabulary)
    p = draw.weights("places vocabulary")
    q = nearness * p[:-1] + (1 - nearness) * draw.weights("drafted vocabulary")
    tokens = [int(draw.rng.choice(vocabulary, p=row)) for row in q]
    uniforms = draw.rng.uniform(0.02, 0.98, size=drafted + 1)
    return (
        torch.from_numpy(p),
        torch.from_numpy(q),
        torch.tensor(tokens),
        torch.from_numpy(uniforms),
    )


@speculating.case(times=5)
def unlike(draw: Draw) -> Trial:
    """a draft that is little like the model"""
    return drawn(draw, int(draw.rng.integers(2, 6)), 7)


@speculating.case(times=5)
def alike(draw: Draw) -> Trial:
    """a draft that is much like the model"""
    return drawn(draw, int(draw.rng.integers(3, 6)), 8, nearness=0.7)


@speculating.case
def many_words(draw: Draw) -> Trial:
    """a vocabulary of 50 tokens"""
    return drawn(draw, 4, 50, nearness=0.5)


@speculating.case(times=2)
def one_token(draw: Draw) -> Trial:
    """a single drafted token"""
    return drawn(draw, 1, 6, nearness=0.3)


@speculating.case(times=1)
def two_words(draw: Draw) -> Trial:
    """a vocabulary of two tokens"""
    return drawn(draw, 5, 2, nearness=0.4)


@speculating.case(times=1)
def the_same(draw: Draw) -> Trial:
    """a long draft with the model's own probabilities"""
    return drawn(draw, int(draw.rng.integers(8, 16)), 6, nearness=1.0)


@speculating.case(times=2)
def certain(draw: Draw) -> Trial:
    """a draft that is certain of each token"""
    p, _, drafted, uniforms = drawn(draw, 3, 6)
    return p, torch.eye(6, dtype=torch.float64)[drafted], drafted, uniforms


@speculating.case(times=2)
def too_often(draw: Draw) -> Trial:
    """tokens that were drafted too often, and are all accepted"""
    p, q, _, uniforms = drawn(draw, 4, 6, nearness=0.5)
    tokens = (p[:-1] / q).argmin(dim=-1)
    ratios = (p[:-1] / q).gather(1, tokens[:, None])[:, 0]
    # Below each ratio, and above the product of all up to it.
    return p, q, tokens, torch.cat([0.9 * ratios, uniforms[-1:]])


@speculating.case(times=1)
def zero(draw: Draw) -> Trial:
    """the number 0 for the last token"""
    p, q, drafted, uniforms = drawn(draw, 3, 6)
    p[:, 0], uniforms[-1] = 0, 0
    return p / p.sum(dim=-1, keepdim=True), q, drafted, uniforms


@speculating.case(times=1)
def almost_one(draw: Draw) -> Trial:
    """probabilities that were rounded, and a last number above their sum"""
    p, q, drafted, uniforms = drawn(draw, 2, 6, nearness=1.0)
    p[-1] = torch.floor(1e6 * p[-1].sort().values) / 1e6
    p[-1, -1] -= 2 / 1e6
    uniforms[-1] = ALMOST_ONE
    return p, q, drafted, uniforms


@speculating.case(times=1)
def tiny(draw: Draw) -> Trial:
    """a tiny probability, and distributions that differ by as little"""
    # Powers of 2: nothing is rounded, not even in float32. The first token is as likely as it was
    # drafted, and the second one is rejected: what is left, tiny too, has to be divided by its sum.
    little, places = 2.0**-22, [*draw.rng.permutation(3).tolist(), 3]
    first = [0.5, 0.25, 0.25 - little, little]
    second, even = [0.25 + little, 0.25, 0.25, 0.25 - little], [0.25] * 4
    p = torch.tensor([first, second, even], dtype=torch.float64)[:, places]
    q = torch.tensor([first, even], dtype=torch.float64)[:, places]
    numbers = [ALMOST_ONE, 1 - 2.0**-24, ALMOST_ONE]
    return p, q, torch.tensor([3, 3]), torch.tensor(numbers, dtype=torch.float64)


@speculating.case(times=2)
def equal_to_a_running_sum(draw: Draw) -> Trial:
    """a last number that is exactly a running sum"""
    # Halves and quarters: nothing is rounded. A number that is exactly p/q is tried nowhere, as
    # published code accepts such a token.
    p = torch.tensor([[0.0, 0.5, 0.5], [0.25, 0.25, 0.5]], dtype=torch.float64)
    q = torch.tensor([[0.5, 0.25, 0.25]], dtype=torch.float64)
    token, *uniforms = draw.in_turn(((1, 0.75, 0.25), (0, 0.25, 0.5)))
    return p, q, torch.tensor([token]), torch.tensor(uniforms, dtype=torch.float64)


speculating.half_but_for(
    "a last number of 0, close to 1, or just a running sum",
    *_at_an_end,
    zero,
    almost_one,
    equal_to_a_running_sum,
)


@speculating.holds
def one_more_than_accepted(
    answer: Callable[..., Tensor], p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor
) -> bool:
    """The tokens begin with drafted ones, followed by one that can be drawn there."""
    *accepted, last = answer(p, q, drafted, uniforms).tolist()
    if accepted != drafted.tolist()[: len(accepted)] or len(accepted) > len(drafted):
        return False
    # Where rounding leaves the whole sum at or below the number, it is the last token of all.
    return bool(p[len(accepted), last] > 0) or last == p.shape[1] - 1
