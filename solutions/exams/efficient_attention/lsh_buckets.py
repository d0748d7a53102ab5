"""The exam of `lsh_buckets`, lesson 08."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from autograder import Draw, Exam
from solutions import efficient_attention as reference
from solutions.exams.families import LOOP

buckets = Exam(reference.lsh_buckets, forbids=("companion",))

Hashed = tuple[Tensor, Tensor]
# What the largest product is ahead of the next one by, so that no rounding decides.
AHEAD = 0.01


def given(*rows: object) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def products(vectors: Tensor, rotation: Tensor) -> Tensor:
    """With the directions, and then with their opposites."""
    towards = vectors @ rotation
    return torch.cat([towards, -towards], dim=-1)


@buckets.example
def around_the_circle() -> Hashed:
    """eight vectors around a circle, two directions: four buckets"""
    vectors = given([5, 1], [3, 4], [-1, 5], [-4, 3], [-5, -1], [-3, -4], [1, -5], [4, -3])
    return vectors / 5, given([1, 0.5], [-0.5, 1])


@buckets.example
def six_buckets() -> Hashed:
    """five vectors of width 4, three directions"""
    vectors = [
        [1.0, -0.5, 2.0, 0.3],
        [-0.4, 1.5, 0.2, -1.0],
        [0.6, 0.8, -1.2, 0.5],
        [-1.5, 0.1, 0.7, 1.1],
        [0.2, -1.8, -0.6, 0.9],
    ]
    rotation = [[0.5, -1.0, 0.3], [1.2, 0.4, -0.7], [-0.3, 0.8, 1.1], [0.9, -0.2, 0.6]]
    return given(*vectors), given(*rotation)


@buckets.example
def directions_of_unequal_length() -> Hashed:
    """three vectors, three directions, one of them long"""
    vectors = [[1.0, 0.2, -0.3], [0.3, -1.0, 0.4], [-0.2, 0.6, 1.5]]
    rotation = [[1.0, 0.6, -0.2], [-0.1, -1.4, 0.7], [0.4, 2.6, 0.3]]
    return given(*vectors), given(*rotation)


@buckets.example
def two_texts() -> Hashed:
    """a batch of two texts, three vectors each"""
    vectors = [
        [[1.0, -2.0], [0.5, 1.5], [-1.0, -0.7]],
        [[2.0, 0.4], [-1.2, 0.8], [0.1, -0.9]],
    ]
    rotation = [[0.8, -0.6, 0.1], [0.3, 0.9, -1.3]]
    return given(*vectors), given(*rotation)


@buckets.example
def one_printed_vector() -> Hashed:
    """a single vector, which points away from all directions"""
    return given([-1.5, -0.5, 0.4]), given([1, 0.6], [0.1, 1.4], [-0.4, -0.6])


def drawn(draw: Draw, axes: str = "", **sizes: int) -> Hashed:
    """Vectors that are clearly in one bucket, and directions."""
    draw.fix(**sizes)
    rotation = draw.tensor("d half")
    vectors = draw.tensor(f"{axes} tokens d")
    while True:
        first, second = products(vectors, rotation).topk(2, dim=-1).values.unbind(dim=-1)
        close = first - second < AHEAD
        if not close.any():
            return vectors, rotation
        vectors = torch.where(close[..., None], draw.tensor(f"{axes} tokens d"), vectors)


@buckets.case(times=3)
def one_text(draw: Draw) -> Hashed:
    """vectors drawn at random"""
    return drawn(draw)


@buckets.case(times=1)
def many_vectors(draw: Draw) -> Hashed:
    """60 vectors in 16 buckets"""
    return drawn(draw, tokens=60, half=8, d=5)


@buckets.case(times=2)
def batch(draw: Draw) -> Hashed:
    """a batch drawn at random"""
    return drawn(draw, "batch")


@buckets.case(times=1)
def heads(draw: Draw) -> Hashed:
    """a batch with several heads"""
    return drawn(draw, "batch heads", batch=2, heads=3)


@buckets.case(times=1)
def one_vector(draw: Draw) -> Hashed:
    """a single vector"""
    return drawn(draw, tokens=1)


@buckets.case(times=1)
def long_vectors(draw: Draw) -> Hashed:
    """vectors a hundred times as long"""
    vectors, rotation = drawn(draw)
    return 100 * vectors, rotation


@buckets.holds
def length_makes_no_difference(hashed: Callable[..., Tensor], x: Tensor, rotation: Tensor) -> bool:
    """a vector of the same direction, twice as long, is in the same bucket"""
    return bool(torch.equal(hashed(2 * x, rotation), hashed(x, rotation)))


@buckets.misconception
def opposites_forgotten(vectors: Tensor, rotation: Tensor) -> Tensor:
    """You compare only with the directions, which gives half of the buckets. Add their opposites
    after them.
    """
    return (vectors @ rotation).argmax(dim=-1)


@buckets.misconception
def opposites_first(vectors: Tensor, rotation: Tensor) -> Tensor:
    """Each vector is in the bucket of its opposite. The directions come first, then their
    opposites, and the largest of all these products decides.
    """
    towards = vectors @ rotation
    return torch.cat([-towards, towards], dim=-1).argmax(dim=-1)


@buckets.misconception
def opposites_in_between(vectors: Tensor, rotation: Tensor) -> Tensor:
    """Each of your directions is followed by its own opposite. First should come all directions,
    then all opposites: torch.cat.
    """
    towards = vectors @ rotation
    return torch.stack([towards, -towards], dim=-1).flatten(-2).argmax(dim=-1)


@buckets.misconception
def opposites_together(vectors: Tensor, rotation: Tensor) -> Tensor:
    """A vector and its opposite are in the same bucket, as after `abs()` or `%`. They point away
    from each other, so they should be in different buckets.
    """
    return (vectors @ rotation).abs().argmax(dim=-1)


@buckets.misconception
def directions_numbered_last(vectors: Tensor, rotation: Tensor) -> Tensor:
    """Your numbering of the directions starts in the second half. The directions should start at 0,
    followed by their opposites.
    """
    half = rotation.shape[-1]
    return (vectors @ rotation).argmax(dim=-1) + half


@buckets.misconception
def smallest_of_the_directions(vectors: Tensor, rotation: Tensor) -> Tensor:
    """You took the smallest product, and only of the directions. Take the largest, of the
    directions and their opposites.
    """
    return (vectors @ rotation).argmin(dim=-1)


@buckets.misconception
def largest_products(vectors: Tensor, rotation: Tensor) -> Tensor:
    """These are the largest products themselves. The bucket is the index of the largest one:
    argmax.
    """
    return products(vectors, rotation).amax(dim=-1)


@buckets.misconception
def products_alone(vectors: Tensor, rotation: Tensor) -> Tensor:
    """These are the products with directions and opposites. The bucket of each vector is the index
    of its largest one.
    """
    return products(vectors, rotation)


@buckets.misconception
def signs(vectors: Tensor, rotation: Tensor) -> Tensor:
    """You made a number out of the signs, as another kind of hashing does. Here the largest product
    decides.
    """
    powers = 2 ** torch.arange(rotation.shape[-1])
    return ((vectors @ rotation > 0) * powers).sum(dim=-1)


@buckets.misconception
def over_the_tokens(vectors: Tensor, rotation: Tensor) -> Tensor:
    """Your argmax runs over the tokens, so it says which of them is closest to each direction. It
    should run over the directions, the last axis.
    """
    return products(vectors, rotation).argmax(dim=-2)


@buckets.misconception
def over_the_first_axis(vectors: Tensor, rotation: Tensor) -> Tensor:
    """Your argmax runs over the first axis. It should run over the directions and their opposites,
    the last axis.
    """
    return products(vectors, rotation).argmax(dim=0)


@buckets.misconception
def over_axis_one(vectors: Tensor, rotation: Tensor) -> Tensor:
    """Your argmax runs over axis 1. In a batch these are the tokens: use dim=-1, which is the
    directions in both cases.
    """
    return products(vectors, rotation).argmax(dim=1)


@buckets.misconception
def over_everything(vectors: Tensor, rotation: Tensor) -> Tensor:
    """This is one index for all vectors. Each vector has its own bucket: use dim=-1."""
    return products(vectors, rotation).argmax()


@buckets.misconception
def tokens_doubled(vectors: Tensor, rotation: Tensor) -> Tensor:
    """You added the opposites along the first axis, as more tokens or texts, not as more
    directions: join them along the last axis, dim=-1.
    """
    towards = vectors @ rotation
    return torch.cat([towards, -towards]).argmax(dim=-1)


@buckets.misconception
def tokens_doubled_in_a_batch(vectors: Tensor, rotation: Tensor) -> Tensor:
    """You joined the opposites along axis 1. In a batch these are the tokens: use dim=-1, which is
    the directions in both cases.
    """
    towards = vectors @ rotation
    return torch.cat([towards, -towards], dim=1).argmax(dim=-1)


@buckets.misconception
def stacked(vectors: Tensor, rotation: Tensor) -> Tensor:
    """You compared each direction only with its own opposite, as when `torch.stack` gives the
    opposites their own axis. `torch.cat` puts them after the directions.
    """
    towards = vectors @ rotation
    return torch.stack([towards, -towards], dim=-1).argmax(dim=-1)


@buckets.misconception
def stacked_halves(vectors: Tensor, rotation: Tensor) -> Tensor:
    """You compared the directions only with each other, and the opposites only with each other. Put
    all of them into one row with `torch.cat`, and take one index.
    """
    towards = vectors @ rotation
    return torch.stack([towards, -towards]).argmax(dim=-1)


@buckets.misconception
def directions_made_equally_long(vectors: Tensor, rotation: Tensor) -> Tensor:
    """You made the directions equally long, but a longer one gives larger products. Use them as
    they are given.
    """
    return products(vectors, functional.normalize(rotation, dim=0)).argmax(dim=-1)


@buckets.misconception
def nearest_direction(vectors: Tensor, rotation: Tensor) -> Tensor:
    """You took the direction whose *distance* is smallest. Buckets are about angles: the largest
    dot product decides.
    """
    directions = torch.cat([rotation, -rotation], dim=-1).T
    return (vectors[..., None, :] - directions).square().sum(dim=-1).argmin(dim=-1)


@buckets.misconception
def rotation_turned(vectors: Tensor, rotation: Tensor) -> Tensor:
    """You transposed the matrix of directions. Its columns are the directions: vectors @
    rotation.
    """
    return products(vectors, rotation.T).argmax(dim=-1)


@buckets.misconception
def counted_from_one(vectors: Tensor, rotation: Tensor) -> Tensor:
    """Your buckets are numbered from 1. The first one is number 0."""
    return products(vectors, rotation).argmax(dim=-1) + 1


@buckets.misconception
def opposites_reversed(vectors: Tensor, rotation: Tensor) -> Tensor:
    """Your opposites are in reverse order. They should be in the order of the directions: the
    opposite of direction i is number i + buckets / 2.
    """
    towards = vectors @ rotation
    return torch.cat([towards, -towards.flip(-1)], dim=-1).argmax(dim=-1)


@buckets.misconception
def negative_numbers(vectors: Tensor, rotation: Tensor) -> Tensor:
    """The buckets of your opposites have negative numbers. Their numbers should continue after
    those of the directions.
    """
    towards = vectors @ rotation
    best = towards.abs().argmax(dim=-1)
    positive = towards.gather(-1, best[..., None])[..., 0] > 0
    return torch.where(positive, best, -best)


@buckets.misconception
def one_hot(vectors: Tensor, rotation: Tensor) -> Tensor:
    """Your result marks the bucket among all of them. Return its number, one for each
    vector.
    """
    found = products(vectors, rotation).argmax(dim=-1)
    return functional.one_hot(found, 2 * rotation.shape[-1])


@buckets.misconception
def axis_kept(vectors: Tensor, rotation: Tensor) -> Tensor:
    """Your result has one axis too many, of length 1, as after `keepdim=True` or `topk`. Return one
    number for each vector.
    """
    return products(vectors, rotation).argmax(dim=-1, keepdim=True)


@buckets.misconception
def sorted_directions(vectors: Tensor, rotation: Tensor) -> Tensor:
    """This is an order of all directions. The bucket is only the first of them: argmax."""
    return products(vectors, rotation).argsort(dim=-1, descending=True)


@buckets.misconception
def in_floats(vectors: Tensor, rotation: Tensor) -> Tensor:
    """The numbers are right, but they are floats. Buckets are integers, int64, as argmax returns
    them.
    """
    return products(vectors, rotation).argmax(dim=-1).to(vectors.dtype)


@buckets.misconception
def in_int32(vectors: Tensor, rotation: Tensor) -> Tensor:
    """The numbers are right, but they are int32. Return int64, as argmax does."""
    return products(vectors, rotation).argmax(dim=-1).int()


LOOP.apply(buckets, without=["OnlyTheFirstRowFilled", "OnlyTheLastRowFilled"])


@buckets.accepts
def buckets_in_loops(vectors: Tensor, rotation: Tensor) -> Tensor:
    """Loops over texts and vectors."""
    if vectors.ndim > 2:
        return torch.stack([buckets_in_loops(text, rotation) for text in vectors])
    found = []
    for vector in vectors:
        towards = [float(vector @ direction) for direction in rotation.T]
        away = [-product for product in towards]
        every = towards + away
        found.append(every.index(max(every)))
    return torch.tensor(found)


@buckets.accepts
def buckets_by_more_directions(vectors: Tensor, rotation: Tensor) -> Tensor:
    """The opposites as further directions."""
    return torch.argmax(vectors @ torch.hstack([rotation, -rotation]), -1)


@buckets.accepts
def buckets_by_size_and_sign(vectors: Tensor, rotation: Tensor) -> Tensor:
    """The largest size, and then its sign."""
    towards = vectors @ rotation
    best = towards.abs().argmax(dim=-1, keepdim=True)
    away = torch.gather(towards, -1, best) < 0
    return (best + rotation.shape[1] * away).squeeze(-1)


@buckets.accepts
def buckets_by_max(vectors: Tensor, rotation: Tensor) -> Tensor:
    """The maximum, with its index."""
    towards = torch.matmul(vectors, rotation)
    best, where = towards.max(dim=-1)
    worst, where_not = towards.min(dim=-1)
    return torch.where(best >= -worst, where, where_not + rotation.size(-1))
