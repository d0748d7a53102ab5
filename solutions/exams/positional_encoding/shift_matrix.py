"""The exam of `shift_matrix`, lesson 06."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion.models.positions import sinusoids_at
from solutions import positional_encoding as reference
from solutions.exams.positional_encoding._specimens import WAVES, Sizes, far_into_a_text, rates

shift = Exam(reference.shift_matrix, tolerance=WAVES)


@shift.example
def three_ahead() -> Sizes:
    """three positions on, in four columns"""
    return 3, 4


@shift.example
def two_back() -> Sizes:
    """two positions back, in six columns"""
    return -2, 6


@shift.example
def nowhere() -> Sizes:
    """no shift at all"""
    return 0, 4


@shift.case
def somewhere(draw: Draw) -> Sizes:
    """any shift, any even number of columns"""
    return int(draw.rng.integers(-20, 20)), 2 * draw.size("half")


@shift.case(times=1)
def far_away(draw: Draw) -> Sizes:
    """fifty positions on"""
    return 50, 2 * draw.size("half")


@shift.case(times=1)
def single_pair(draw: Draw) -> Sizes:
    """a single pair of columns, and a shift across a very long text"""
    return int(draw.rng.choice([-1, 1])) * far_into_a_text(draw), 2


@shift.holds
def there_and_back(answer: Callable[[int, int], Tensor], k: int, d_model: int) -> bool:
    """a shift by k and one by −k cancel"""
    product = answer(k, d_model) @ answer(-k, d_model)
    return torch.allclose(product, torch.eye(d_model, dtype=product.dtype), atol=1e-4)


@shift.holds
def every_position_moves(answer: Callable[[int, int], Tensor], k: int, d_model: int) -> bool:
    """all encodings move by k"""
    shift = answer(k, d_model)
    here = torch.arange(50, 80)
    before, after = (sinusoids_at(at, d_model, shift.dtype) for at in (here, here + k))
    return torch.allclose(before @ shift, after, atol=1e-3)


def blocks(angles: Tensor, sign: float = 1.0) -> Tensor:
    """Turns by these angles along the diagonal, for rows on the left."""
    parts = []
    for angle in angles:
        cos, sin = angle.cos().item(), angle.sin().item()
        parts.append(torch.tensor([[cos, -sign * sin], [sign * sin, cos]]))
    return torch.block_diag(*parts)  # type: ignore[no-untyped-call]


@shift.misconception
def turned_backwards(k: int, d_model: int) -> Tensor:
    """Your matrix moves by −k: it is the transpose of the one you need. The matrix multiplies a row
    from the right, `encoding[p] @ M`, so each column of M gives one entry of the new row.
    """
    return blocks(k * rates(d_model), sign=-1.0)


@shift.misconception
def one_step_only(k: int, d_model: int) -> Tensor:
    """This moves by 1, whatever k is. Each pair turns by k times its frequency."""
    return blocks(rates(d_model))


@shift.misconception
def one_step_times_k(k: int, d_model: int) -> Tensor:
    """You multiplied the matrix of one step by k. The rotation has to be done k times, so it is the
    angles that grow with k.
    """
    return k * blocks(rates(d_model))


@shift.misconception
def all_turn_alike(k: int, d_model: int) -> Tensor:
    """All your pairs turn by the same angle, k. Each pair has its own frequency: 10000^(−2i/d)."""
    return blocks(k * torch.ones(d_model // 2))


@shift.misconception
def halves_turned(k: int, d_model: int) -> Tensor:
    """Your matrix fits an encoding with all sines in the left half. Here a pair occupies two
    neighbouring columns, so the rotations are 2 × 2 blocks along the diagonal.
    """
    cos, sin = (k * rates(d_model)).cos().diag(), (k * rates(d_model)).sin().diag()
    return torch.cat([torch.cat([cos, -sin], dim=1), torch.cat([sin, cos], dim=1)])


@shift.misconception
def rows_pushed(k: int, d_model: int) -> Tensor:
    """This moves the columns: column 0 becomes column k. A shift in position is a rotation of each
    pair, by k times its frequency.
    """
    return torch.eye(d_model).roll(k, dims=1)


@shift.misconception
def both_sines_positive(k: int, d_model: int) -> Tensor:
    """Both of your sines have the same sign. In sin(a + b) two products are added, in cos(a + b)
    one is subtracted from the other, so one of the two signs is a minus.
    """
    parts = [[[a.cos(), a.sin()], [a.sin(), a.cos()]] for a in k * rates(d_model)]
    return torch.block_diag(*map(torch.tensor, parts))  # type: ignore[no-untyped-call]


@shift.misconception
def no_sine_above(k: int, d_model: int) -> Tensor:
    """Above the diagonal your matrix has only zeros. Each 2 × 2 block has a sine on either side of
    its diagonal, one of them with a minus.
    """
    return blocks(k * rates(d_model)).tril()


@shift.misconception
def no_sine_below(k: int, d_model: int) -> Tensor:
    """Below the diagonal your matrix has only zeros. Each 2 × 2 block has a sine on either side of
    its diagonal, one of them with a minus.
    """
    return blocks(k * rates(d_model)).triu()


@shift.misconception
def no_cosines(k: int, d_model: int) -> Tensor:
    """The diagonal of your matrix is 0, so with k = 0 everything vanishes, although nothing should
    move. The cosine of each angle is on the diagonal, twice.
    """
    matrix = blocks(k * rates(d_model))
    return matrix - matrix.diag().diag()


@shift.misconception
def sines_on_the_diagonal(k: int, d_model: int) -> Tensor:
    """With k = 0 nothing should move, but your matrix is not the identity: sine and cosine are
    swapped. The cosines go on the diagonal.
    """
    parts = [[[a.sin(), -a.cos()], [a.cos(), a.sin()]] for a in k * rates(d_model)]
    return torch.block_diag(*map(torch.tensor, parts))  # type: ignore[no-untyped-call]


@shift.misconception
def nothing_beside_the_diagonal(k: int, d_model: int) -> Tensor:
    """Your matrix has sines and cosines on its diagonal and nothing next to it, so each column is
    only made larger or smaller. A rotation computes the new sine and the new cosine from both of
    the old ones: fill 2 × 2 blocks, with the cosine on the diagonal.
    """
    angles = k * rates(d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=1).flatten().diag()


@shift.misconception
def doubled_exponents(k: int, d_model: int) -> Tensor:
    """The second pair turns too slowly: your exponents are 0, 4/d, 8/d. Pair i has the exponent
    2i/d.
    """
    return blocks(k * rates(d_model) ** 2)


@shift.misconception
def halved_exponents(k: int, d_model: int) -> Tensor:
    """The second pair turns too fast: your exponents are 0, 1/d, 2/d. Pair i has the exponent
    2i/d.
    """
    return blocks(k * rates(d_model).sqrt())


@shift.misconception
def always_forwards(k: int, d_model: int) -> Tensor:
    """With a negative k your matrix still moves forwards. The sign of k belongs in the angle."""
    return blocks(abs(k) * rates(d_model))


@shift.misconception
def never_back(k: int, d_model: int) -> Tensor:
    """With a negative k your matrix moves nothing: it is the identity. A loop over `range(k)` has
    no rounds then. The sign of k belongs in the angle.
    """
    return blocks(max(k, 0) * rates(d_model))


@shift.misconception
def first_block_only(k: int, d_model: int) -> Tensor:
    """Only the first pair turns, and the others become 0. Every pair has its block."""
    matrix = torch.zeros(d_model, d_model)
    matrix[:2, :2] = blocks(k * rates(d_model))[:2, :2]
    return matrix


@shift.misconception
def first_block_turned(k: int, d_model: int) -> Tensor:
    """Only the first pair turns, and the others stay as they are. Every pair has its own block,
    which turns by k times its frequency.
    """
    matrix = torch.eye(d_model)
    matrix[:2, :2] = blocks(k * rates(d_model))[:2, :2]
    return matrix


@shift.misconception
def each_entry_to_the_power(k: int, d_model: int) -> Tensor:
    """Each entry of the matrix of one step was raised to the power of k: `**` works entry by entry.
    Multiply the angles by k, or multiply k of these matrices: torch.linalg.matrix_power.
    """
    return blocks(rates(d_model) * (1 if k >= 0 else -1)) ** abs(k)


@shift.misconception
def last_block_left_out(k: int, d_model: int) -> Tensor:
    """The last pair stays as it is. Every pair has its own block, and there are d_model / 2."""
    matrix = blocks(k * rates(d_model))
    matrix[-2:, -2:] = torch.eye(2)
    return matrix


@shift.misconception
def last_block_empty(k: int, d_model: int) -> Tensor:
    """The last pair becomes 0. Every pair has its own block, and there are d_model / 2."""
    matrix = blocks(k * rates(d_model))
    matrix[-2:, -2:] = 0
    return matrix


@shift.misconception
def blocks_that_overlap(k: int, d_model: int) -> Tensor:
    """Your blocks overlap: each begins one column after the one before, and overwrites it. A block
    is two columns wide, so block i begins at row and column 2i.
    """
    turns, matrix = blocks(k * rates(d_model)), torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        matrix[i : i + 2, i : i + 2] = turns[2 * i : 2 * i + 2, 2 * i : 2 * i + 2]
    return matrix


@shift.accepts
def shift_by_blocks(k: int, d_model: int) -> Tensor:
    """A block for each pair.

    Each pair of columns has a rotation of its own, and `block_diag` puts these blocks along the
    diagonal.
    """
    turns = []
    for i in range(0, d_model, 2):
        angle = torch.tensor(k / 10000 ** (i / d_model))
        c, s = torch.cos(angle), torch.sin(angle)
        turns.append(torch.stack([torch.stack([c, -s]), torch.stack([s, c])]))
    return torch.block_diag(*turns)  # type: ignore[no-untyped-call]


@shift.accepts
def shift_by_indices(k: int, d_model: int) -> Tensor:
    """Four assignments by index."""
    even = torch.arange(0, d_model, 2)
    angle = k * torch.exp(-math.log(10000) * even / d_model)
    M = torch.zeros(d_model, d_model)
    M[even, even] = M[even + 1, even + 1] = torch.cos(angle)
    M[even + 1, even] = torch.sin(angle)
    M[even, even + 1] = -torch.sin(angle)
    return M


@shift.accepts
def shift_by_steps(k: int, d_model: int) -> Tensor:
    """The matrix of a single step, to the power of k.

    k steps are one step, k times: the matrix of a single step, to the power of k.
    """
    steps = 10000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    one = torch.diag(steps.cos().repeat_interleave(2))
    for i, step in enumerate(steps):
        one[2 * i + 1, 2 * i], one[2 * i, 2 * i + 1] = step.sin(), -step.sin()
    return torch.linalg.matrix_power(one, k).float()
