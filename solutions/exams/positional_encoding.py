"""The exams of lesson 06."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, scaled_dot_product_attention

import companion.position_scores as specimens
from autograder.compare import Tolerance
from autograder.exam import Draw, Exam
from companion.position_trials import try_encoding, try_learned, try_module, try_turn
from companion.positions import rope, sinusoids
from solutions import positional_encoding as reference

FOUR_DECIMALS = Tolerance(absolute=6e-5)
# An angle of 60 in float32 is off by some 1e-5 already, and frequencies can be computed in several
# ways.
WAVES = Tolerance(absolute=2e-4)


def exponents(d_model: int) -> Tensor:
    """0, 2/d, 4/d, …: one for each pair of columns."""
    return torch.arange(0, d_model, 2) / d_model


def rates(d_model: int) -> Tensor:
    """By what angle each pair turns from one position to the next."""
    return 10000 ** -exponents(d_model)


def waves(angles: Tensor) -> Tensor:
    """Sine and cosine of each angle side by side."""
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def every_angle(num_positions: int, d_model: int) -> Tensor:
    return torch.arange(num_positions)[:, None] * rates(d_model)


def refuse_odd(d_model: int) -> None:
    if d_model % 2:
        raise ValueError(f"d_model has to be even, not {d_model}")


# --- by hand -------------------------------------------------------------------------------------

by_hand = Exam(reference.encodings_by_hand, tolerance=FOUR_DECIMALS, reveal=False)


@by_hand.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def worksheet(table: Tensor, decimals: int = 12) -> dict[str, object]:
    """The four lines, from the encodings of the positions 0 to 3."""
    table = table.double().round(decimals=decimals)
    return {
        "PE(2)": table[2].tolist(),
        "PE(3)": table[3].tolist(),
        "PE(2) · PE(3)": (table[2] @ table[3]).item(),
        "PE(1) · PE(3)": (table[1] @ table[3]).item(),
    }


def four_columns(slow: float = 0.01, start: int = 0, unit: float = 1.0) -> Tensor:
    places = torch.arange(start, start + 4, dtype=torch.float64)[:, None] * unit
    return waves(places * torch.tensor([1.0, slow], dtype=torch.float64))


@by_hand.misconception
def in_degrees() -> dict[str, object]:
    """Your calculator is set to degrees. The angles are radians: the sine of 2 is 0.9093."""
    return worksheet(four_columns(unit=math.pi / 180))


@by_hand.misconception
def cosine_first() -> dict[str, object]:
    """The columns of each pair have changed places: the sine comes first, then the cosine."""
    return worksheet(four_columns()[:, [1, 0, 3, 2]])


@by_hand.misconception
def sines_then_cosines() -> dict[str, object]:
    """You put both sines first and both cosines last. Here the columns come in pairs: sine and
    cosine of the fast angle, then sine and cosine of the slow one.
    """
    return worksheet(four_columns()[:, [0, 2, 1, 3]])


@by_hand.misconception
def four_frequencies() -> dict[str, object]:
    """You gave each column a frequency of its own. Sine and cosine of a pair share one: here there
    are two, 1 and 1/100.
    """
    own = 10000 ** (-torch.arange(4, dtype=torch.float64) / 4)
    angles = torch.arange(4, dtype=torch.float64)[:, None] * own
    return worksheet(torch.where(torch.arange(4) % 2 == 0, angles.sin(), angles.cos()))


@by_hand.misconception
def slow_hand_of_a_tenth() -> dict[str, object]:
    """Your second pair turns by 1/10. Its exponent is 2/4, the number of its first column over d,
    and 10000 to the 2/4 is 100.
    """
    return worksheet(four_columns(slow=0.1))


@by_hand.misconception
def slow_hand_of_ten_thousandths() -> dict[str, object]:
    """Your second pair turns by 1/10000. Its exponent is 2/4, and 10000 to the 2/4 is 100."""
    return worksheet(four_columns(slow=1e-4))


@by_hand.misconception
def counted_from_one() -> dict[str, object]:
    """These are the encodings of the positions 3 and 4. The first position is 0."""
    return worksheet(four_columns(start=1))


@by_hand.misconception
def second_row_taken() -> dict[str, object]:
    """These are the encodings of the positions 1 and 2. PE(2) is that of position 2: its first hand
    has turned by 2.
    """
    return worksheet(four_columns(start=-1))


@by_hand.misconception
def cut_off() -> dict[str, object]:
    """You cut the numbers off after four decimals. Round them: look at the fifth one."""
    full = worksheet(four_columns())

    def cut(number: float) -> float:
        return math.trunc(number * 10**4) / 10**4

    return {k: [cut(n) for n in v] if isinstance(v, list) else v for k, v in full.items()}


@by_hand.misconception
def two_decimals() -> dict[str, object]:
    """You rounded to two decimals before the dot products. Carry at least five to the end."""
    return worksheet(four_columns(), decimals=2)


@by_hand.misconception
def first_pair_only() -> dict[str, object]:
    """Your dot products stop after the first pair. Go on: add the two products of the second."""
    table = four_columns()
    full, fast = worksheet(table), worksheet(table[:, :2])
    return {name: (fast if "·" in name else full)[name] for name in full}


# --- wavelengths ---------------------------------------------------------------------------------

lengths = Exam(reference.wavelengths, tolerance=Tolerance(absolute=1e-3, relative=2e-4))


@lengths.example
def of_four() -> int:
    """four columns, as on paper"""
    return 4


@lengths.example
def of_twelve() -> int:
    """twelve columns"""
    return 12


@lengths.case
def of_many(draw: Draw) -> int:
    """any even number of columns"""
    return 2 * draw.size("half")


@lengths.case(times=1)
def of_the_paper(draw: Draw) -> int:
    """the 512 columns of the paper"""
    return 512


@lengths.case(times=1)
def of_two(draw: Draw) -> int:
    """a single pair"""
    return 2


@lengths.holds
def first_is_a_full_turn(answer: Callable[[int], Tensor], d_model: int) -> bool:
    """the first wavelength is 2π"""
    return math.isclose(answer(d_model)[0].item(), 2 * math.pi, rel_tol=1e-5)


@lengths.misconception
def no_circle(d_model: int) -> Tensor:
    """These are the wavelengths without 2π. At these positions the angle is 1; a full turn has
    an angle of 2π.
    """
    return 10000 ** exponents(d_model)


@lengths.misconception
def frequencies(d_model: int) -> Tensor:
    """These are the angles by which the pairs turn from one position to the next. How many such
    steps make 2π?
    """
    return rates(d_model)


@lengths.misconception
def turns_upside_down(d_model: int) -> Tensor:
    """Your wavelengths grow shorter. The angle is the position *divided* by 10000 to the power, so
    later pairs turn more slowly.
    """
    return 2 * math.pi * rates(d_model)


@lengths.misconception
def one_for_each_column(d_model: int) -> Tensor:
    """You have one wavelength for each column. Sine and cosine of a pair share one: give each pair
    a single number.
    """
    return 2 * math.pi * 10000 ** exponents(d_model).repeat_interleave(2)


@lengths.misconception
def own_exponents(d_model: int) -> Tensor:
    """You have one for each column, all different. Only the even columns have an exponent of their
    own, 0, 2/d, 4/d and so on.
    """
    return 2 * math.pi * 10000 ** (torch.arange(d_model) / d_model)


@lengths.misconception
def exponents_doubled(d_model: int) -> Tensor:
    """Your exponents are twice too large: 0, 4/d, 8/d. If your i counts 0, 2, 4, it is doubled
    already.
    """
    return 2 * math.pi * 10000 ** (2 * exponents(d_model))


@lengths.misconception
def exponents_halved(d_model: int) -> Tensor:
    """Your exponents are half of what they should be: 0, 1/d, 2/d. Pair i has the exponent 2i/d."""
    return 2 * math.pi * 10000 ** (exponents(d_model) / 2)


@lengths.misconception
def exponents_floored(d_model: int) -> Tensor:
    """All your pairs have the same wavelength: the exponents are all 0. `//` rounds down; divide
    with `/`.
    """
    return 2 * math.pi * 10000.0 ** (torch.arange(0, d_model, 2) // d_model)


@lengths.misconception
def half_a_turn(d_model: int) -> Tensor:
    """After your wavelengths a hand has gone half the way round. A full turn is 2π."""
    return math.pi * 10000 ** exponents(d_model)


@lengths.misconception
def all_the_way(d_model: int) -> Tensor:
    """Your last wavelength is 10000 · 2π exactly. That end is never reached: the last exponent is
    (d − 2)/d, not 1.
    """
    return 2 * math.pi * 10000 ** torch.linspace(0, 1, d_model // 2)


@lengths.misconception
def base_of_thousand(d_model: int) -> Tensor:
    """You have 1000 where the formula has 10000."""
    return 2 * math.pi * 1000 ** exponents(d_model)


@lengths.misconception
def longest_first(d_model: int) -> Tensor:
    """The numbers are right, in reverse. The first pair is the fastest: it has the shortest."""
    return (2 * math.pi * 10000 ** exponents(d_model)).flip(0)


@lengths.misconception
def evenly_spaced(d_model: int) -> Tensor:
    """Your wavelengths lie evenly between the two ends. They form a geometric series: each is the
    same multiple of the one before.
    """
    longest = 10000 ** ((d_model - 2) / d_model)
    return 2 * math.pi * torch.linspace(1, longest, d_model // 2)


@lengths.accepts
def lengths_in_a_loop(d_model: int) -> Tensor:
    """A loop over the pairs."""
    return torch.tensor([2 * math.pi * 10000 ** (2 * i / d_model) for i in range(d_model // 2)])


@lengths.accepts
def lengths_by_exponential(d_model: int) -> Tensor:
    """exp and log."""
    even = torch.arange(0, d_model, 2)
    return 2 * torch.pi * torch.exp(even * (math.log(10000.0) / d_model))


@lengths.accepts
def lengths_from_frequencies(d_model: int) -> Tensor:
    """A full turn, divided by the frequencies."""
    half = d_model // 2
    return 2 * torch.pi / torch.pow(10000.0, -torch.arange(half) / half)


@lengths.accepts
def lengths_by_logspace(d_model: int) -> Tensor:
    """A geometric series."""
    last = 4 * (d_model - 2) / d_model
    return 2 * torch.pi * torch.logspace(0, last, d_model // 2, base=10)


# --- the encoding --------------------------------------------------------------------------------

Sizes = tuple[int, int]

encoding = Exam(
    reference.sinusoidal_encoding,
    use=try_encoding,
    tolerance=WAVES,
    forbids=("sinusoids", "sinusoids_at"),
)


@encoding.example
def as_on_paper() -> Sizes:
    """four positions in four columns, as on paper"""
    return 4, 4


@encoding.example
def twelve_by_six() -> Sizes:
    """twelve positions in six columns"""
    return 12, 6


@encoding.example
def seven_columns() -> Sizes:
    """seven columns, which can't be paired"""
    return 4, 7


@encoding.case
def some_positions(draw: Draw) -> Sizes:
    """any even number of columns"""
    half, odd = draw.size("half"), draw.size("positions")
    return 3 * odd + 1, 2 * half


@encoding.case(times=1)
def long_text(draw: Draw) -> Sizes:
    """60 positions in 64 columns"""
    return 60, 64


@encoding.case(times=1)
def longer_text(draw: Draw) -> Sizes:
    """1010 positions in six columns"""
    return 1010, 6


@encoding.case(times=1)
def one_position(draw: Draw) -> Sizes:
    """the first position alone"""
    return 1, 6


@encoding.case(times=1)
def one_pair(draw: Draw) -> Sizes:
    """a single pair of columns"""
    return 9, 2


@encoding.case(times=1)
def odd_width(draw: Draw) -> Sizes:
    """another odd number of columns"""
    return 5, 2 * draw.size("half") + 1


@encoding.case(times=1)
def single_column(draw: Draw) -> Sizes:
    """a single column"""
    return 3, 1


@encoding.holds
def pairs_lie_on_circles(
    answer: Callable[[int, int], Tensor], num_positions: int, d_model: int
) -> bool:
    """sine² + cosine² is 1 in each pair"""
    if d_model % 2:
        return True
    pairs = answer(num_positions, d_model).reshape(num_positions, -1, 2)
    return torch.allclose(pairs.square().sum(dim=-1), torch.tensor(1.0), atol=1e-4)


@encoding.misconception
def own_exponent_for_cosines(num_positions: int, d_model: int) -> Tensor:
    """Each of your columns has a frequency of its own, so sine and cosine of a pair do not belong
    together. A pair shares one: 10000^(2i / d_model) for columns 2i and 2i + 1.
    """
    if d_model % 2:
        raise ValueError(f"d_model is odd: {d_model}")
    own = 10000 ** (-torch.arange(d_model) / d_model)
    angles = torch.arange(num_positions)[:, None] * own
    return torch.where(torch.arange(d_model) % 2 == 0, angles.sin(), angles.cos())


@encoding.misconception
def only_one_column_of_cosines(num_positions: int, d_model: int) -> Tensor:
    """You put all cosines into a single column: `1:2` is one column, `1::2` is every second one."""
    refuse_odd(d_model)
    angles = every_angle(num_positions, d_model)
    table = torch.zeros(num_positions, d_model)
    table[:, 0::2] = torch.sin(angles)
    table[:, 1:2] = torch.cos(angles)
    return table


@encoding.misconception
def own_exponent_doubled(num_positions: int, d_model: int) -> Tensor:
    """Each of your columns has a frequency of its own: you put the number of the column where the
    formula has the number of the pair. Column 2i and column 2i + 1 share 10000^(2i / d_model).
    """
    if d_model % 2:
        raise ValueError(f"d_model is odd: {d_model}")
    own = 10000 ** (-2 * torch.arange(d_model) / d_model)
    angles = torch.arange(num_positions)[:, None] * own
    return torch.where(torch.arange(d_model) % 2 == 0, angles.sin(), angles.cos())


@encoding.misconception
def exponent_doubled(num_positions: int, d_model: int) -> Tensor:
    """Your waves slow down twice too fast: the exponents are 0, 4/d, 8/d. If your i counts 0, 2, 4,
    it has been doubled already.
    """
    refuse_odd(d_model)
    slow = 10000 ** (-2 * torch.arange(0, d_model, 2) / d_model)
    return waves(torch.arange(num_positions)[:, None] * slow)


@encoding.misconception
def exponent_halved(num_positions: int, d_model: int) -> Tensor:
    """Your exponents are 0, 1/d, 2/d: half of what they should be. Pair i has the exponent 2i/d."""
    refuse_odd(d_model)
    slow = 10000 ** (-torch.arange(d_model // 2) / d_model)
    return waves(torch.arange(num_positions)[:, None] * slow)


@encoding.misconception
def floored_exponents(num_positions: int, d_model: int) -> Tensor:
    """All your pairs have the same frequency: the exponents are all 0. `//` rounds down, and in
    `i / d_model // 2` it has the last word.
    """
    refuse_odd(d_model)
    slow = 10000 ** -(torch.arange(0, d_model, 2) / d_model // 2)
    return waves(torch.arange(num_positions)[:, None] * slow)


@encoding.misconception
def divided_by_the_frequency(num_positions: int, d_model: int) -> Tensor:
    """Your waves get faster from pair to pair. The angle is the position divided by 10000^(2i/d):
    either divide by that, or multiply by its inverse.
    """
    refuse_odd(d_model)
    return waves(torch.arange(num_positions)[:, None] / rates(d_model))


@encoding.misconception
def too_many_frequencies(num_positions: int, d_model: int) -> Tensor:
    """You have as many frequencies as columns, and half of the columns to put them in. There is one
    for each pair of columns.
    """
    refuse_odd(d_model)
    angles = torch.arange(num_positions)[:, None] * 10000 ** (-torch.arange(d_model) / d_model)
    table = torch.zeros(num_positions, d_model)
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles)
    return table


@encoding.misconception
def base_1000(num_positions: int, d_model: int) -> Tensor:
    """You have 1000 where the formula has 10000."""
    refuse_odd(d_model)
    return waves(torch.arange(num_positions)[:, None] * 1000 ** -exponents(d_model))


@encoding.misconception
def in_two_halves(num_positions: int, d_model: int) -> Tensor:
    """All the numbers are right, in another order: the sines in the left half, the cosines in the
    right one. Some libraries do that, and it works as well; here sine and cosine alternate.
    """
    refuse_odd(d_model)
    angles = every_angle(num_positions, d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=1)


@encoding.misconception
def cosines_first(num_positions: int, d_model: int) -> Tensor:
    """Sines and cosines have changed places: column 0 is a sine, which begins at 0."""
    refuse_odd(d_model)
    angles = every_angle(num_positions, d_model)
    return torch.stack([angles.cos(), angles.sin()], dim=-1).flatten(1)


@encoding.misconception
def first_position_is_one(num_positions: int, d_model: int) -> Tensor:
    """Your first row is that of position 1. Positions count from 0: row 0 is 0, 1, 0, 1, …"""
    refuse_odd(d_model)
    return waves(torch.arange(1, num_positions + 1)[:, None] * rates(d_model))


@encoding.misconception
def ends_at_ten_thousand(num_positions: int, d_model: int) -> Tensor:
    """Your slowest pair turns by 1/10000. The exponents are 2i/d, so the last one is (d − 2)/d and
    not 1: divide by d_model, not by one less pair.
    """
    refuse_odd(d_model)
    slow = 10000.0 ** -torch.linspace(0, 1, d_model // 2)
    return waves(torch.arange(num_positions)[:, None] * slow)


@encoding.misconception
def in_double(num_positions: int, d_model: int) -> Tensor:
    """The numbers are right, and float64. Models compute in float32, torch's default: convert the
    result with `.float()`.
    """
    refuse_odd(d_model)
    return waves(every_angle(num_positions, d_model).double())


@encoding.misconception
def positions_on_columns(num_positions: int, d_model: int) -> Tensor:
    """Your table is turned round: it has a column for each position. Each position is a row."""
    refuse_odd(d_model)
    return waves(every_angle(num_positions, d_model)).T


@encoding.misconception
def odd_width_crashes(num_positions: int, d_model: int) -> Tensor:
    """With an odd d_model your code fails somewhere inside, and torch's message about sizes helps
    nobody. Look at d_model first, and raise a ValueError that says what is wrong with it.
    """
    table = torch.zeros(num_positions, d_model)
    angles = every_angle(num_positions, d_model)
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles)
    return table


@encoding.misconception
def odd_width_grows(num_positions: int, d_model: int) -> Tensor:
    """With an odd d_model you return one column more than was asked for. Refuse it: raise a
    ValueError.
    """
    return waves(every_angle(num_positions, d_model))


@encoding.misconception
def odd_width_is_cut(num_positions: int, d_model: int) -> Tensor:
    """With an odd d_model you leave out the last cosine. That works, and hides a slip of whoever
    called you: here it is refused with a ValueError.
    """
    return waves(every_angle(num_positions, d_model))[:, :d_model]


@encoding.misconception
def odd_width_asserted(num_positions: int, d_model: int) -> Tensor:
    """An assert is for your own mistakes, and `python -O` leaves it out. What others do wrong is
    refused with a ValueError.
    """
    assert d_model % 2 == 0
    return waves(every_angle(num_positions, d_model))


@encoding.misconception
def refused_without_a_word(num_positions: int, d_model: int) -> Tensor:
    """Your ValueError does not say which d_model it refuses. Put the number into its message:
    whoever reads it has called you from far away.
    """
    if d_model % 2:
        raise ValueError("d_model must be even")
    return waves(every_angle(num_positions, d_model))


@encoding.accepts
def encoding_in_loops(num_positions: int, d_model: int) -> Tensor:
    """Loops."""
    if d_model % 2 != 0:
        raise ValueError(f"Cannot pair {d_model} columns.")
    table = torch.empty(num_positions, d_model)
    for position in range(num_positions):
        for i in range(d_model // 2):
            angle = position / 10000 ** (2 * i / d_model)
            table[position, 2 * i] = math.sin(angle)
            table[position, 2 * i + 1] = math.cos(angle)
    return table


@encoding.accepts
def encoding_by_exponential(num_positions: int, d_model: int) -> Tensor:
    """The usual code: exp and log, two slices."""
    if d_model % 2:
        raise ValueError(f"d_model should be even, got {d_model}")
    position = torch.arange(num_positions).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(num_positions, d_model)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


@encoding.accepts
def encoding_by_stacking(num_positions: int, d_model: int) -> Tensor:
    """An outer product, stacked."""
    pairs, rest = divmod(d_model, 2)
    if rest:
        raise ValueError(f"odd width: {d_model}")
    angles = torch.outer(
        torch.arange(num_positions).float(), 10000 ** (-torch.arange(pairs) / pairs)
    )
    return torch.stack((torch.sin(angles), torch.cos(angles)), dim=2).reshape(-1, d_model)


@encoding.accepts
def encoding_by_phase(num_positions: int, d_model: int) -> Tensor:
    """A cosine is a sine, a quarter of a turn ahead."""
    if d_model % 2:
        raise ValueError(f"{d_model} is odd")
    column = torch.arange(d_model, dtype=torch.float64)
    angles = torch.arange(num_positions)[:, None] / 10000 ** ((column - column % 2) / d_model)
    return torch.sin(angles + column % 2 * torch.pi / 2).float()


# --- the shift -----------------------------------------------------------------------------------

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
    """a single pair of columns"""
    return 5, 2


@shift.holds
def there_and_back(answer: Callable[[int, int], Tensor], k: int, d_model: int) -> bool:
    """a shift by k and one by −k cancel"""
    product = answer(k, d_model) @ answer(-k, d_model)
    return torch.allclose(product, torch.eye(d_model), atol=1e-4)


@shift.holds
def every_position_moves(answer: Callable[[int, int], Tensor], k: int, d_model: int) -> bool:
    """all encodings move by k"""
    table = sinusoids(150, d_model)
    return torch.allclose(table[50:80] @ answer(k, d_model), table[50 + k : 80 + k], atol=1e-3)


def blocks(angles: Tensor, sign: float = 1.0) -> Tensor:
    """Turns by these angles along the diagonal, for rows on the left."""
    parts = []
    for angle in angles:
        cos, sin = angle.cos().item(), angle.sin().item()
        parts.append(torch.tensor([[cos, -sign * sin], [sign * sin, cos]]))
    return torch.block_diag(*parts)  # type: ignore[no-untyped-call]


@shift.misconception
def turned_backwards(k: int, d_model: int) -> Tensor:
    """Your matrix moves by −k: it is the transpose of what is asked for. It stands on the right of
    a row, `encoding[p] @ M`: each column of M makes one number of the new row.
    """
    return blocks(k * rates(d_model), sign=-1.0)


@shift.misconception
def one_step_only(k: int, d_model: int) -> Tensor:
    """This moves by 1, whatever k is. Each pair turns by k times its frequency."""
    return blocks(rates(d_model))


@shift.misconception
def one_step_times_k(k: int, d_model: int) -> Tensor:
    """You multiplied the matrix of one step by k. Its turns have to be done k times: it is the
    angles that grow with k.
    """
    return k * blocks(rates(d_model))


@shift.misconception
def all_turn_alike(k: int, d_model: int) -> Tensor:
    """All your pairs turn by the same angle, k. Each pair has its own frequency: 10000^(−2i/d)."""
    return blocks(k * torch.ones(d_model // 2))


@shift.misconception
def halves_turned(k: int, d_model: int) -> Tensor:
    """Your matrix fits an encoding with all sines in the left half. Here a pair stands in two
    neighbouring columns, so the turns are blocks of 2 × 2 along the diagonal.
    """
    cos, sin = (k * rates(d_model)).cos().diag(), (k * rates(d_model)).sin().diag()
    return torch.cat([torch.cat([cos, -sin], dim=1), torch.cat([sin, cos], dim=1)])


@shift.misconception
def rows_pushed(k: int, d_model: int) -> Tensor:
    """This pushes the columns round: column 0 becomes column k. A shift in position is a turn of
    each pair, by k times its frequency.
    """
    return torch.eye(d_model).roll(k, dims=1)


@shift.misconception
def both_sines_positive(k: int, d_model: int) -> Tensor:
    """Both of your sines have the same sign. In sin(a + b) two products are added, in cos(a + b)
    one is taken away: one of the two signs is minus.
    """
    parts = [[[a.cos(), a.sin()], [a.sin(), a.cos()]] for a in k * rates(d_model)]
    return torch.block_diag(*map(torch.tensor, parts))  # type: ignore[no-untyped-call]


@shift.misconception
def sines_on_the_diagonal(k: int, d_model: int) -> Tensor:
    """With k = 0 nothing should move, and your matrix is not the identity: sine and cosine have
    changed places. The cosines belong on the diagonal.
    """
    parts = [[[a.sin(), -a.cos()], [a.cos(), a.sin()]] for a in k * rates(d_model)]
    return torch.block_diag(*map(torch.tensor, parts))  # type: ignore[no-untyped-call]


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
    """With a negative k your matrix still moves forwards. The sign of k belongs into the angle."""
    return blocks(abs(k) * rates(d_model))


@shift.misconception
def first_block_only(k: int, d_model: int) -> Tensor:
    """Only the first pair turns, the others become 0. Every pair has its block."""
    matrix = torch.zeros(d_model, d_model)
    matrix[:2, :2] = blocks(k * rates(d_model))[:2, :2]
    return matrix


@shift.accepts
def shift_by_blocks(k: int, d_model: int) -> Tensor:
    """A block for each pair."""
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
    """The matrix of a single step, to the power of k."""
    steps = 10000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    one = torch.diag(steps.cos().repeat_interleave(2))
    for i, step in enumerate(steps):
        one[2 * i + 1, 2 * i], one[2 * i, 2 * i + 1] = step.sin(), -step.sin()
    return torch.linalg.matrix_power(one, k).float()


# --- the module ----------------------------------------------------------------------------------

module = Exam(reference.PositionalEncoding, use=try_module, tolerance=WAVES)

Given = tuple[int, int, Tensor]

# Two sentences of three tokens with four features.
FEW_TOKENS = torch.tensor(
    [
        [[0.5, -1.0, 2.0, 0.0], [1.5, 0.25, -0.5, 1.0], [-2.0, 0.75, 1.0, -1.5]],
        [[1.0, 2.0, -1.0, 0.5], [0.0, -0.5, 3.0, 1.25], [0.5, 0.5, -1.0, 2.0]],
    ],
    dtype=torch.float64,
)


@module.example
def two_short_sentences() -> Given:
    """two sentences of three tokens, where five are allowed"""
    return 4, 5, FEW_TOKENS


@module.example
def as_long_as_allowed() -> Given:
    """a sentence as long as is allowed"""
    return 4, 3, FEW_TOKENS[:1]


@module.example
def seven_features() -> Given:
    """seven features, which can't be paired"""
    return 7, 5, torch.ones(1, 2, 7, dtype=torch.float64)


@module.case
def any_batch(draw: Draw) -> Given:
    """a batch of sentences, shorter than is allowed"""
    inputs = draw.fix(d_model=8).tensor("batch tokens d_model")
    return 8, draw.size("tokens") + 20, inputs


@module.case(times=1)
def full_batch(draw: Draw) -> Given:
    """a batch of sentences as long as is allowed"""
    inputs = draw.fix(d_model=6).tensor("batch tokens d_model")
    return 6, draw.size("tokens"), inputs


@module.case(times=1)
def one_token(draw: Draw) -> Given:
    """one token"""
    return 4, 9, draw.fix(batch=3, tokens=1, d_model=4).tensor("batch tokens d_model")


@module.case(times=1)
def odd_features(draw: Draw) -> Given:
    """an odd number of features"""
    return 5, 9, draw.fix(d_model=5).tensor("batch tokens d_model")


class Adding(nn.Module):
    """Adds sinusoids in steps, for misconceptions to get one of them wrong."""

    encoding: Tensor

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        refuse_odd(d_model)
        self.keep(sinusoids(context_length, d_model))

    def keep(self, table: Tensor) -> None:
        self.register_buffer("encoding", table)

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[: inputs.shape[1]]


@module.misconception
class ByTheBatch(Adding):
    """All tokens of a sentence get the same row, and each sentence another one: you count along the
    batch. The tokens are axis 1.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding.unsqueeze(1)[: inputs.size(0)]


@module.misconception
class CutByTheBatch(Adding):
    """You take as many rows as there are sentences. It is as many as there are tokens: axis 1."""

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[: inputs.size(0)]


@module.misconception
class Concatenated(Adding):
    """You put the encoding beside the inputs, which makes them twice as wide. Add it to them."""

    def forward(self, inputs: Tensor) -> Tensor:
        rows = self.encoding[: inputs.shape[1]].expand_as(inputs)
        return torch.cat([inputs, rows], dim=-1)


@module.misconception
class WithoutInputs(Adding):
    """This is the encoding alone: the words are gone. Add it to the inputs."""

    def forward(self, inputs: Tensor) -> Tensor:
        return self.encoding[: inputs.shape[1]].expand_as(inputs)


@module.misconception
class Multiplied(Adding):
    """You multiplied the inputs by the encoding. It is added."""

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs * self.encoding[: inputs.shape[1]]


@module.misconception
class AsParameter(Adding):
    """The encoding is among the module's parameters, where a frozen one counts, too. It is not a
    thing to be trained: register it as a buffer.
    """

    def keep(self, table: Tensor) -> None:
        self.encoding = nn.Parameter(table)


@module.misconception
class AsPlainTensor(Adding):
    """The sums are right, but in a module that was moved to bfloat16 they come out in float32. A
    buffer moves along; a plain attribute, a table made anew in `forward` or a `.float()` does not.
    """

    def keep(self, table: Tensor) -> None:
        self.encoding = table


@module.misconception
class NotCut(Adding):
    """You add the whole table, which fits sentences of context_length tokens only. Take as many
    rows as there are tokens. If your table has an axis for the batch, the rows are its axis 1.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding


@module.misconception
class FromTheEnd(Adding):
    """A sentence that is shorter than is allowed gets the last rows of the table. Its first token
    stands at position 0: take the first rows.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[-inputs.shape[1] :]


@module.misconception
class InPlace(Adding):
    """The sums are right, but `inputs += …` also changes the inputs of whoever called you. Return a
    new tensor.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        inputs += self.encoding[: inputs.shape[1]]
        return inputs


@module.misconception
class ScaledInputs(Adding):
    """You multiplied the inputs by √d_model. The paper does that where it makes the embeddings;
    this module only adds.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs * math.sqrt(inputs.shape[-1]) + self.encoding[: inputs.shape[1]]


@module.misconception
class CountedOn(Adding):
    """In your second sentence the positions go on from the first. Every sentence begins at 0."""

    def forward(self, inputs: Tensor) -> Tensor:
        batch, tokens, width = inputs.shape
        rows = sinusoids(batch * tokens, width).to(self.encoding.dtype)
        return inputs + rows.reshape(batch, tokens, width)


@module.misconception
class NoWayBack(Adding):
    """The sums are right, but no gradient comes back to the words. Leave out `.detach()` and
    `torch.no_grad()`: a buffer is not trained anyway.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs.detach() + self.encoding[: inputs.shape[1]]


@module.misconception
class OneTooFar(Adding):
    """Your first token gets row 1 of the table. Positions count from 0."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__(d_model, context_length + 1)

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[1 : inputs.shape[1] + 1]


@module.misconception
class OddCrashes(Adding):
    """With an odd d_model your constructor fails somewhere inside. Look at d_model first, and raise
    a ValueError that names it.
    """

    def __init__(self, d_model: int, context_length: int) -> None:
        nn.Module.__init__(self)
        angles = every_angle(context_length, d_model)
        table = torch.zeros(context_length, d_model)
        table[:, 0::2] = torch.sin(angles)
        table[:, 1::2] = torch.cos(angles)
        self.keep(table)


@module.misconception
class OddWithoutAWord(Adding):
    """Your ValueError does not say which d_model it refuses. Put the number into its message."""

    def __init__(self, d_model: int, context_length: int) -> None:
        if d_model % 2:
            raise ValueError("d_model must be even")
        super().__init__(d_model, context_length)


@module.misconception
class OddIsCut(Adding):
    """You accept an odd d_model and leave out the last column. Refuse it with a ValueError."""

    def __init__(self, d_model: int, context_length: int) -> None:
        nn.Module.__init__(self)
        self.keep(sinusoids(context_length, d_model + d_model % 2)[:, :d_model])


@module.accepts
class TheUsualModule(nn.Module):
    """The usual code: a buffer with a batch axis."""

    pe: Tensor

    def __init__(self, d_model: int, context_length: int = 5000) -> None:
        super().__init__()
        if d_model % 2 == 1:
            raise ValueError(f"Sinusoids need an even dimension, got {d_model}")
        position = torch.arange(context_length).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, context_length, d_model)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe[:, : x.size(1), :]


@module.accepts
class WithTheHelper(nn.Module):
    """The given function, whose error does for an odd width; a buffer that is not saved."""

    rows: Tensor

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.register_buffer("rows", sinusoids(context_length, d_model), persistent=False)

    def forward(self, inputs: Tensor) -> Tensor:
        return torch.add(inputs, self.rows.narrow(0, 0, inputs.shape[-2]))


@module.accepts
class MadeAnewEachTime(nn.Module):
    """No table at all: the rows are computed when they are needed."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        if d_model % 2:
            raise ValueError(f"{d_model} is odd")
        self.d_model = d_model

    def forward(self, inputs: Tensor) -> Tensor:
        rows = torch.zeros(inputs.shape[1], self.d_model)
        places = torch.arange(inputs.shape[1])
        for i in range(0, self.d_model, 2):
            rows[:, i] = torch.sin(places / 10000 ** (i / self.d_model))
            rows[:, i + 1] = torch.cos(places / 10000 ** (i / self.d_model))
        return inputs + rows.to(inputs.dtype)


# --- learned positions ---------------------------------------------------------------------------

learned = Exam(reference.LearnedPositions, use=try_learned)

Rows = tuple[Tensor, Tensor]


FIVE_ROWS = torch.tensor(
    [[0.1, -0.2, 0.3], [1.0, 0.5, -1.5], [-0.4, 2.0, 0.6], [0.7, -0.8, 0.9], [3.0, 1.1, -2.2]],
    dtype=torch.float64,
)


@learned.example
def shorter_than_known() -> Rows:
    """two sentences of three tokens, with five positions"""
    return FEW_TOKENS[:, :, :3], FIVE_ROWS


@learned.example
def as_many_as_known() -> Rows:
    """three tokens, with three positions"""
    return FEW_TOKENS[:, :, 1:], FIVE_ROWS[1:4]


@learned.example
def one_past_the_end() -> Rows:
    """three tokens, with two positions"""
    return FEW_TOKENS[:1, :, :3], FIVE_ROWS[:2]


@learned.case
def learned_rows(draw: Draw) -> Rows:
    """sentences shorter than the context"""
    inputs = draw.tensor("batch tokens d_model")
    table = draw.rng.normal(size=(draw.size("tokens") + 6, draw.size("d_model")))
    return inputs, torch.from_numpy(table)


@learned.case(times=1)
def learned_full(draw: Draw) -> Rows:
    """sentences as long as the context"""
    return draw.tensor("batch tokens d_model"), draw.tensor("tokens d_model")


@learned.case(times=1)
def far_past_the_end(draw: Draw) -> Rows:
    """sentences twice as long as the context"""
    inputs = draw.fix(tokens=8).tensor("batch tokens d_model")
    return inputs, draw.tensor("tokens d_model")[:4]


@learned.case(times=1)
def one_known_position(draw: Draw) -> Rows:
    """three tokens, with a single position"""
    inputs = draw.fix(tokens=3).tensor("batch tokens d_model")
    return inputs, draw.tensor("tokens d_model")[:1]


class Looking(nn.Module):
    """Learned positions in steps, for misconceptions to get one of them wrong."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.positions = nn.Embedding(context_length, d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        self.refuse(inputs.shape[1], self.positions.num_embeddings)
        return self.join(inputs, self.positions(self.places(inputs)))

    def refuse(self, num_tokens: int, known: int) -> None:
        if num_tokens > known:
            raise ValueError(f"{num_tokens} tokens, {known} positions")

    def places(self, inputs: Tensor) -> Tensor:
        return torch.arange(inputs.shape[1])

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        return inputs + rows


@learned.misconception
class NotRefused(Looking):
    """Past the end, your module says "index out of range in self", which tells nobody what was too
    long. Compare the two numbers first, and raise a ValueError with both.
    """

    def refuse(self, num_tokens: int, known: int) -> None:
        pass


@learned.misconception
class SliceNotRefused(Looking):
    """Past the end, the slice simply ends, and the sum then fails over sizes, or not even that with
    a single row. Compare the two numbers first, and raise a ValueError with both.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.positions.weight[: inputs.shape[1]]


@learned.misconception
class Clamped(Looking):
    """Past the end, all tokens get the last known vector: nobody notices, and their order is lost.
    Raise a ValueError.
    """

    def refuse(self, num_tokens: int, known: int) -> None:
        pass

    def places(self, inputs: Tensor) -> Tensor:
        return torch.arange(inputs.shape[1]).clamp(max=self.positions.num_embeddings - 1)


@learned.misconception
class WrappedRound(Looking):
    """Past the end, your positions begin again at 0: nobody notices, and two tokens share a place.
    Raise a ValueError.
    """

    def refuse(self, num_tokens: int, known: int) -> None:
        pass

    def places(self, inputs: Tensor) -> Tensor:
        return torch.arange(inputs.shape[1]) % self.positions.num_embeddings


@learned.misconception
class CutOff(Looking):
    """Past the end, you drop the tokens that are too many: nobody notices. Raise a ValueError."""

    def forward(self, inputs: Tensor) -> Tensor:
        known = inputs[:, : self.positions.num_embeddings]
        return known + self.positions(torch.arange(known.shape[1]))


@learned.misconception
class RefusesTheLast(Looking):
    """You refuse a sentence that uses all positions. As many tokens as positions are fine; refuse
    one more.
    """

    def refuse(self, num_tokens: int, known: int) -> None:
        if num_tokens >= known:
            raise ValueError(f"{num_tokens} tokens, {known} positions")


@learned.misconception
class OneNumberTold(Looking):
    """Your ValueError does not have both numbers in its message. Whoever reads it wants to know how
    many tokens there were, and how many there may be.
    """

    def refuse(self, num_tokens: int, known: int) -> None:
        if num_tokens > known:
            raise ValueError("too many tokens")


@learned.misconception
class RefusedByAssert(Looking):
    """An assert is for your own mistakes. What others do wrong is refused with a ValueError."""

    def refuse(self, num_tokens: int, known: int) -> None:
        assert num_tokens <= known


@learned.misconception
class LearnedByBatch(Looking):
    """You count along the batch: every token of a sentence gets the same vector. The tokens are
    axis 1.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        self.refuse(inputs.shape[1], self.positions.num_embeddings)
        return inputs + self.positions(torch.arange(inputs.shape[0])).unsqueeze(1)


@learned.misconception
class WholeTable(Looking):
    """You add all positions, which fits sentences of full length only. Take as many as there are
    tokens.
    """

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        return inputs + self.positions.weight


@learned.misconception
class WordsLost(Looking):
    """These are the vectors of the positions alone. Add them to the inputs."""

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        return rows.expand_as(inputs)


@learned.misconception
class Beside(Looking):
    """You put the vectors beside the inputs. Add them."""

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        return torch.cat([inputs, rows.expand_as(inputs)], dim=-1)


@learned.misconception
class StartsAtOne(Looking):
    """Your first token gets the vector of position 1, and the last one finds none. Positions count
    from 0.
    """

    def places(self, inputs: Tensor) -> Tensor:
        return torch.arange(1, inputs.shape[1] + 1)


@learned.misconception
class NotTrained(Looking):
    """The sums are right, but no gradient reaches the vectors: they would stay as they are. Do not
    detach them, and keep requires_grad.
    """

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        return inputs + rows.detach()


@learned.misconception
class AddedInPlace(Looking):
    """The sums are right, but `inputs += …` also changes the inputs of whoever called you. Return a
    new tensor.
    """

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        inputs += rows
        return inputs


@learned.misconception
class AnotherName(nn.Module):
    """Make the vectors an `nn.Embedding`, call it `positions`, and train nothing else."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.pos_emb = nn.Embedding(context_length, d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.pos_emb(torch.arange(inputs.shape[1]))


@learned.misconception
class RowsAndColumns(nn.Module):
    """Your table has its sizes the wrong way round: `nn.Embedding` takes the number of rows first,
    then their width.
    """

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.positions = nn.Embedding(d_model, context_length)

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.positions(torch.arange(inputs.shape[1]))


@learned.accepts
class BySlices(nn.Module):
    """The first rows of the table."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.positions = nn.Embedding(context_length, d_model)
        self.context_length = context_length

    def forward(self, x: Tensor) -> Tensor:
        _, n, _ = x.shape
        if n > self.context_length:
            raise ValueError(f"Sequence of {n} is longer than {self.context_length}.")
        return x + self.positions.weight[:n]


@learned.accepts
class ByLookup(nn.Module):
    """Position ids for the whole batch, as in published models."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.positions = nn.Embedding(context_length, d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        batch, num_tokens = inputs.shape[:2]
        if num_tokens > len(self.positions.weight):
            raise ValueError(f"{num_tokens} > {len(self.positions.weight)}")
        ids = torch.arange(num_tokens).expand(batch, num_tokens)
        return inputs + embedding(ids, self.positions.weight)


@learned.accepts
class TokenByToken(nn.Module):
    """A loop over the tokens."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.positions = nn.Embedding(context_length, d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        if inputs.shape[1] > self.positions.num_embeddings:
            raise ValueError(f"no position {self.positions.num_embeddings} of {inputs.shape[1]}")
        told = []
        for place, token in enumerate(inputs.unbind(dim=1)):
            told.append(token + self.positions(torch.tensor(place)))
        return torch.stack(told, dim=1)


# --- RoPE ----------------------------------------------------------------------------------------

Turned = tuple[Tensor, Tensor]

Trial16 = tuple[Tensor, Tensor, bool]

rotary = Exam(reference.apply_rope, use=try_turn, tolerance=WAVES, forbids=("rope",))


@rotary.example
def one_vector_in_four_places() -> Turned:
    """the same vector at positions 0, 1, 2 and 7"""
    x = torch.tensor([1.0, 0.0, 2.0, -1.0], dtype=torch.float64)
    return x.expand(4, 4).clone(), torch.tensor([0, 1, 2, 7])


@rotary.example
def two_heads() -> Turned:
    """two heads, three tokens, six features"""
    numbers = torch.arange(36, dtype=torch.float64).sin().round(decimals=2)
    return numbers.reshape(2, 3, 6), torch.tensor([4, 5, 6])


@rotary.example
def five_features() -> Turned:
    """five features, which can't be paired"""
    return torch.ones(2, 5, dtype=torch.float64), torch.tensor([0, 1])


@rotary.example
def far_out_in_bfloat16() -> Trial16:
    """in bfloat16, at the positions 301 and 303"""
    return torch.ones(2, 4, dtype=torch.float64), torch.tensor([301, 303]), True


@rotary.case
def one_head(draw: Draw) -> Turned:
    """one head, positions in any order"""
    x = draw.fix(head_dim=8).tensor("tokens head_dim")
    return x, torch.from_numpy(draw.rng.permutation(40)[: len(x)].copy())


@rotary.case
def many_heads(draw: Draw) -> Turned:
    """a batch of several heads"""
    x = draw.fix(head_dim=6).tensor("batch heads tokens head_dim")
    return x, torch.arange(x.shape[2]) + int(draw.rng.integers(30))


@rotary.case(times=1)
def two_features(draw: Draw) -> Turned:
    """a single pair of features"""
    x = draw.fix(head_dim=2).tensor("heads tokens head_dim")
    return x, torch.arange(x.shape[1])


@rotary.case(times=1)
def token_of_a_cache(draw: Draw) -> Turned:
    """one token, at position 37"""
    return draw.fix(tokens=1, head_dim=4).tensor("batch tokens head_dim"), torch.tensor([37])


@rotary.case(times=1)
def further_out_in_bfloat16(draw: Draw) -> Trial16:
    """in bfloat16, far out"""
    x = draw.fix(head_dim=6).tensor("heads tokens head_dim")
    return x, 2 * torch.arange(x.shape[1]) + 1001, True


@rotary.case(times=1)
def odd_head(draw: Draw) -> Turned:
    """an odd number of features"""
    x = draw.fix(head_dim=3).tensor("heads tokens head_dim")
    return x, torch.arange(x.shape[1])


Rope = Callable[[Tensor, Tensor], Tensor]


def _is_odd(x: Tensor) -> bool:
    return bool(x.shape[-1] % 2)


@rotary.holds
def lengths_stay(answer: Rope, x: Tensor, positions: Tensor, in_bfloat16: bool = False) -> bool:
    """no vector becomes longer or shorter"""
    if _is_odd(x):
        return True
    return torch.allclose(answer(x, positions).norm(dim=-1), x.norm(dim=-1), atol=1e-3)


@rotary.holds
def only_distance_counts(
    answer: Rope, x: Tensor, positions: Tensor, in_bfloat16: bool = False
) -> bool:
    """the dot products stay the same when all positions move on by 11"""
    if _is_odd(x):
        return True
    here, there = answer(x, positions), answer(x, positions + 11)
    return torch.allclose(here @ here.mT, there @ there.mT, atol=1e-2, rtol=1e-3)


def pair_angles(x: Tensor, positions: Tensor) -> Tensor:
    """(tokens, head_dim / 2); the width has to be even."""
    if x.shape[-1] % 2:
        raise ValueError("head_dim has to be even")
    return positions[:, None] * rates(x.shape[-1])


def turn(x: Tensor, angles: Tensor) -> Tensor:
    """Each pair of neighbours, turned by its angle."""
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., 0::2], x[..., 1::2]
    pairs = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return pairs.flatten(-2).to(x.dtype)


def turn_halves(x: Tensor, angles: Tensor) -> Tensor:
    """The same, for pairs that lie half of the width apart."""
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return turned.to(x.dtype)


@rotary.misconception
def halves_paired(x: Tensor, positions: Tensor) -> Tensor:
    """This is RoPE in the half-split layout, feature i with feature i + head_dim / 2. It works as
    well, and comes below; here neighbours are a pair, 2i with 2i + 1.
    """
    return turn_halves(x, pair_angles(x, positions))


@rotary.misconception
def pairs_fall_apart(x: Tensor, positions: Tensor) -> Tensor:
    """You pair neighbours, but the two of a pair are turned by different angles, and vectors change
    their lengths. The angles have to be laid out like the pairs: each twice in a row.
    """
    angles = pair_angles(x, positions).repeat(1, 2)
    partners = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return (x * angles.cos() + partners * angles.sin()).to(x.dtype)


@rotary.misconception
def positions_ignored(x: Tensor, positions: Tensor) -> Tensor:
    """You count the tokens from 0. Where they stand is said by `positions`: with a cache, the first
    token at hand is not the first of the text.
    """
    return turn(x, pair_angles(x, torch.arange(len(positions))))


@rotary.misconception
def turned_the_other_way(x: Tensor, positions: Tensor) -> Tensor:
    """Your pairs turn the other way. By a small angle, the pair (1, 0) should turn into one whose
    second feature is a little above 0.
    """
    return turn(x, -pair_angles(x, positions))


@rotary.misconception
def sine_without_minus(x: Tensor, positions: Tensor) -> Tensor:
    """Both of your sines have the same sign. In sin(a + b) two products are added, in cos(a + b)
    one is taken away: one of the two signs is minus.
    """
    angles = pair_angles(x, positions)
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., 0::2], x[..., 1::2]
    pairs = torch.stack([first * cos + second * sin, first * sin + second * cos], dim=-1)
    return pairs.flatten(-2).to(x.dtype)


@rotary.misconception
def not_woven_back(x: Tensor, positions: Tensor) -> Tensor:
    """The numbers are right, in another order: all first features, then all second ones. Each has
    to go back to its own place, 2i and 2i + 1.
    """
    turned = turn(x, pair_angles(x, positions))
    return torch.cat([turned[..., 0::2], turned[..., 1::2]], dim=-1)


@rotary.misconception
def sinusoids_are_added(x: Tensor, positions: Tensor) -> Tensor:
    """You added sinusoids to the vectors. RoPE adds nothing: it turns each pair."""
    angles = pair_angles(x, positions)
    return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).to(x.dtype)


@rotary.misconception
def all_pairs_at_full_speed(x: Tensor, positions: Tensor) -> Tensor:
    """All pairs turn by the position itself. Each has its own frequency: 10000^(−2i / head_dim)."""
    return turn(x, 0 * pair_angles(x, positions) + positions[:, None])


@rotary.misconception
def rope_exponents_doubled(x: Tensor, positions: Tensor) -> Tensor:
    """Your exponents are 0, 4/d, 8/d: doubled twice. Pair i has the exponent 2i / head_dim."""
    angles = pair_angles(x, positions)
    return turn(x, angles * rates(x.shape[-1]))


@rotary.misconception
def rope_exponents_halved(x: Tensor, positions: Tensor) -> Tensor:
    """Your exponents are 0, 1/d, 2/d: half of what they should be. Pair i has the exponent
    2i / head_dim.
    """
    pair_angles(x, positions)
    return turn(x, positions[:, None] * rates(x.shape[-1]).sqrt())


@rotary.misconception
def one_position_further(x: Tensor, positions: Tensor) -> Tensor:
    """You turn everything by one position more than is asked for: at position 0 nothing turns."""
    return turn(x, pair_angles(x, positions + 1))


@rotary.misconception
def halves_woven(x: Tensor, positions: Tensor) -> Tensor:
    """You take the pairs from the two halves of a vector, and put each back as neighbours. A pair
    consists of neighbours from the beginning: 2i with 2i + 1.
    """
    halves = turn_halves(x, pair_angles(x, positions)).chunk(2, dim=-1)
    return torch.stack(halves, dim=-1).flatten(-2)


@rotary.misconception
def angles_too_coarse(x: Tensor, positions: Tensor) -> Tensor:
    """In bfloat16 your angles are off: it has 8 bits, and can't tell position 256 from 257. Make
    angles, sines and cosines in float32, and round the result only.
    """
    angles = pair_angles(x, positions.to(x.dtype)).to(x.dtype)
    return turn(x, angles if x.dtype == torch.bfloat16 else pair_angles(x, positions))


@rotary.misconception
def left_in_float32(x: Tensor, positions: Tensor) -> Tensor:
    """Queries in bfloat16 come back in float32. The angles should be that fine, but the result has
    the dtype of x: `.to(x.dtype)`.
    """
    angles = pair_angles(x, positions)
    return turn(x.float() if x.dtype == torch.bfloat16 else x, angles)


@rotary.misconception
def rope_base_1000(x: Tensor, positions: Tensor) -> Tensor:
    """You have 1000 where the formula has 10000."""
    pair_angles(x, positions)
    return turn(x, positions[:, None] * 1000 ** -exponents(x.shape[-1]))


@rotary.misconception
def frequencies_inverted(x: Tensor, positions: Tensor) -> Tensor:
    """Later pairs turn faster and faster. The position is divided by 10000^(2i / head_dim)."""
    pair_angles(x, positions)
    return turn(x, positions[:, None] * 10000 ** exponents(x.shape[-1]))


@rotary.misconception
def first_pair_turned(x: Tensor, positions: Tensor) -> Tensor:
    """Only your first pair turns. `0:1` and `1:2` are single features; `0::2` and `1::2` are the
    first and the second of every pair.
    """
    turned = turn(x, pair_angles(x, positions))
    return torch.cat([turned[..., :2], x[..., 2:]], dim=-1)


@rotary.misconception
def rope_in_place(x: Tensor, positions: Tensor) -> Tensor:
    """The result is right, but you wrote it into x. Queries and keys belong to whoever called you:
    make a new tensor.
    """
    x[:] = turn(x, pair_angles(x, positions))
    return x


@rotary.misconception
def half_overwritten(x: Tensor, positions: Tensor) -> Tensor:
    """The second feature of each pair was made from a first one that had been turned already.
    Compute both from the old numbers, then put them in place.
    """
    angles = pair_angles(x, positions)
    cos, sin = angles.cos(), angles.sin()
    turned = x.clone()
    turned[..., 0::2] = turned[..., 0::2] * cos - turned[..., 1::2] * sin
    turned[..., 1::2] = turned[..., 0::2] * sin + turned[..., 1::2] * cos
    return turned


@rotary.misconception
def no_gradient(x: Tensor, positions: Tensor) -> Tensor:
    """The numbers are right, but no gradient comes back through them: queries and keys would never
    be trained. Leave out `.detach()`, `.data` and `torch.no_grad()`.
    """
    return turn(x.detach(), pair_angles(x, positions))


@rotary.misconception
def odd_not_refused(x: Tensor, positions: Tensor) -> Tensor:
    """With an odd head_dim torch complains of sizes that do not match. Look at it first, and raise
    a ValueError.
    """
    angles = positions[:, None] * rates(x.shape[-1])
    return turn(x, angles)


@rotary.misconception
def odd_feature_stays(x: Tensor, positions: Tensor) -> Tensor:
    """With an odd head_dim you leave the last feature as it is. Here it is refused: raise a
    ValueError.
    """
    even = x.shape[-1] // 2 * 2
    angles = positions[:, None] * 10000 ** (-torch.arange(0, even, 2) / x.shape[-1])
    return torch.cat([turn(x[..., :even], angles), x[..., even:]], dim=-1)


@rotary.accepts
def rope_in_loops(x: Tensor, positions: Tensor) -> Tensor:
    """Loops."""
    if x.shape[-1] % 2:
        raise ValueError(f"odd head_dim {x.shape[-1]}")
    result = torch.empty_like(x)
    for t, position in enumerate(positions.tolist()):
        for i in range(0, x.shape[-1], 2):
            angle = position / 10000 ** (i / x.shape[-1])
            c, s = math.cos(angle), math.sin(angle)
            result[..., t, i] = x[..., t, i] * c - x[..., t, i + 1] * s
            result[..., t, i + 1] = x[..., t, i] * s + x[..., t, i + 1] * c
    return result


@rotary.accepts
def rope_by_complex_numbers(x: Tensor, positions: Tensor) -> Tensor:
    """Pairs as complex numbers."""
    if x.shape[-1] % 2:
        raise ValueError(f"odd head_dim {x.shape[-1]}")
    angles = torch.outer(positions.float(), rates(x.shape[-1]))
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns).reshape(x.shape).to(x.dtype)


@rotary.accepts
def rope_with_partners(x: Tensor, positions: Tensor) -> Tensor:
    """x · cos + partners · sin, each angle twice in a row."""
    head_dim = x.size(-1)
    if head_dim % 2 != 0:
        raise ValueError("head_dim must be even")
    theta = 1.0 / 10000 ** (torch.arange(0, head_dim, 2) / head_dim)
    angles = (positions.unsqueeze(-1) * theta).repeat_interleave(2, dim=-1)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    partners = torch.empty_like(x)
    partners[..., ::2], partners[..., 1::2] = -x[..., 1::2], x[..., ::2]
    return x * cos + partners * sin


@rotary.accepts
def rope_by_matrices(x: Tensor, positions: Tensor) -> Tensor:
    """A matrix of turns for each position."""
    if x.shape[-1] % 2:
        raise ValueError("odd head_dim")
    turned = []
    for t, position in enumerate(positions.tolist()):
        angles = position * rates(x.shape[-1])
        matrix = torch.block_diag(  # type: ignore[no-untyped-call]
            *(
                torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
                for a in angles.tolist()
            )
        )
        turned.append(x[..., t, :] @ matrix.to(x.dtype))
    return torch.stack(turned, dim=-2)


# --- write the test ------------------------------------------------------------------------------

Scoring = Callable[[Tensor, Tensor, Tensor], Tensor]
Trial = tuple[Scoring, Tensor, Tensor, Tensor, int]

relative = Exam(reference.is_relative, dtypes=("float64",))

SOME_QUERIES = torch.tensor(
    [[1.0, -0.5, 2.0, 0.5], [0.5, 1.5, -1.0, 1.0], [-1.0, 2.0, 0.5, -0.5], [2.0, 0.0, 1.0, -1.5]],
    dtype=torch.float64,
)
SOME_KEYS = SOME_QUERIES.flip(0).roll(1, dims=1) * 0.5
AT_THE_START = torch.arange(4)


def _tried(scores: Scoring, first: int, by: int) -> Callable[[], Trial]:
    def trial() -> Trial:
        return scores, SOME_QUERIES, SOME_KEYS, AT_THE_START + first, by

    trial.__doc__ = f"{scores.__name__}, positions {first} to {first + 3} moved by {by}"
    return trial


for scoring, first, by in (
    (specimens.no_positions, 0, 3),
    (specimens.rope_scores, 0, 3),
    (specimens.rope_scores, 2, 41),
    (specimens.alibi_scores, 0, 3),
    (specimens.sinusoids_added, 0, 3),
    (specimens.sinusoids_alone, 0, 3),
    (specimens.rope_on_queries_only, 0, 3),
    (specimens.rope_restarted, 0, 3),
    (specimens.rope_wrapped, 12, 3),
    (specimens.rope_wrapped, 2, 13),
    (specimens.rope_mispaired, 0, 3),
    (specimens.first_is_special, 0, 3),
    (specimens.first_is_special, 3, 3),
    (specimens.every_second, 0, 3),
    (specimens.slower_far_out, 0, 3),
    (specimens.last_query_added, 0, 3),
    (specimens.gains_and_losses, 0, 3),
    (specimens.drifting, 0, 3),
    (specimens.far_gets_louder, 0, 3),
    (specimens.going_round, 0, 3),
):
    relative.example(_tried(scoring, first, by))


def nearest_first(queries: Tensor, keys: Tensor, positions: Tensor) -> Tensor:
    """Dot products divided by the distance: relative."""
    return queries @ keys.T / (1 + (positions[:, None] - positions).abs())


def look_back(queries: Tensor, keys: Tensor, positions: Tensor) -> Tensor:
    """Only keys that stand before the query count: relative."""
    return queries @ keys.T * (positions < positions[:, None])


def keys_in_order(queries: Tensor, keys: Tensor, positions: Tensor) -> Tensor:
    """Late keys are favoured: not relative."""
    return queries @ keys.T + 0.01 * positions


def even_and_odd(queries: Tensor, keys: Tensor, positions: Tensor) -> Tensor:
    """Even positions are louder: not relative, unless the shift is even."""
    return queries @ keys.T * (1 + 0.5 * (positions % 2 == 0))


def first_row_fixed(queries: Tensor, keys: Tensor, positions: Tensor) -> Tensor:
    """Only the first query ignores positions, the others add sinusoids: not relative."""
    scores = specimens.sinusoids_added(queries, keys, positions)
    scores[0] = queries[0] @ keys.T
    return scores


def _random_trial(scores: Scoring, shift_by: int = 7) -> Callable[[Draw], Trial]:
    def trial(draw: Draw) -> Trial:
        queries = draw.fix(d_k=6).tensor("tokens d_k")
        keys = draw.tensor("tokens d_k")
        positions = torch.arange(len(queries)) * 2 + int(draw.rng.integers(5))
        return scores, queries, keys, positions, shift_by

    trial.__doc__ = f"{scores.__doc__}".partition(":")[0].lower()
    return trial


for specimen in (
    nearest_first,
    look_back,
    keys_in_order,
    even_and_odd,
    first_row_fixed,
    specimens.gains_and_losses,
    specimens.last_query_added,
    specimens.slower_far_out,
    specimens.drifting,
    specimens.far_gets_louder,
    specimens.going_round,
):
    relative.case(_random_trial(specimen), times=1)


@relative.case(times=1)
def even_shift(draw: Draw) -> Trial:
    """even positions are louder, the shift is even"""
    return _random_trial(even_and_odd, 6)(draw)


@relative.case(times=1)
def other_order(draw: Draw) -> Trial:
    """rope, the tokens in another order"""
    trial = _random_trial(specimens.rope_scores)(draw)
    return (*trial[:3], trial[3].flip(0) + 3, trial[4])


def _same(here: Tensor, there: Tensor) -> bool:
    return torch.allclose(here, there, rtol=1e-4, atol=1e-5)


@relative.misconception
def shuffled(scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int) -> bool:
    """You shuffle the positions. That changes the distances, and the scores may well change with
    them. Move all positions by the same number.
    """
    return _same(scores(queries, keys, positions), scores(queries, keys, positions.flip(0)))


@relative.misconception
def stretched(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You multiply the positions, and with them the distances. Add the shift instead."""
    return _same(scores(queries, keys, positions), scores(queries, keys, positions * shift))


@relative.misconception
def one_token_moved(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You move one token only, and its distance to the others changes. Move all of them."""
    moved = positions.clone()
    moved[-1] += shift
    return _same(scores(queries, keys, positions), scores(queries, keys, moved))


@relative.misconception
def words_moved(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You find a change in scores that have none. Are queries or keys other ones in the second
    call? The shift belongs to the positions; the words stay as they are.
    """
    here = scores(queries, keys, positions)
    return _same(here, scores(queries + shift, keys + shift, positions))


@relative.misconception
def compared_with_itself(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """Your test passes everything. Both sides of the comparison seem to be the same thing."""
    return _same(scores(queries, keys, positions), scores(queries, keys, positions))


@relative.misconception
def to_the_last_bit(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You compare to the last bit. Turns by other angles round differently: allow for that, with
    torch.allclose.
    """
    return torch.equal(scores(queries, keys, positions), scores(queries, keys, positions + shift))


@relative.misconception
def by_the_sum(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """What you compare is a sum or an average, in which one score can make up for another. Compare
    score by score.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return _same(here.sum(dim=0), there.sum(dim=0))


@relative.misconception
def one_score_only(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You compare too few scores: all queries with all keys have to agree."""
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return _same(here[:2, :2], there[:2, :2])


@relative.misconception
def first_query_only(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You compare the scores of the first query alone. The others have to agree, too."""
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return _same(here[0], there[0])


@relative.misconception
def itself_only(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You compare too few scores, such as a single one, or the diagonal: tokens with themselves, at
    the distance 0. Each query's score for each key has to agree.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return _same(here.diagonal(), there.diagonal())


@relative.misconception
def moved_by_one(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You always move by 1. A change can wait further out: move by `shift`."""
    return _same(scores(queries, keys, positions), scores(queries, keys, positions + 1))


@relative.misconception
def moved_back(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You move the text the other way, by −shift. Somebody else may stand at the border there: add
    the shift.
    """
    return _same(scores(queries, keys, positions), scores(queries, keys, positions - shift))


@relative.misconception
def counted_from_the_shift(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """Your second text counts its positions anew, from `shift`. The tokens stand at `positions`
    already: each moves on from there.
    """
    moved = torch.arange(len(positions)) + shift
    return _same(scores(queries, keys, positions), scores(queries, keys, moved))


@relative.misconception
def without_absolute_value(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You miss scores that rise. A change can go up or down: take its absolute value."""
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return bool((here - there).max() < 1e-6)


@relative.misconception
def without_absolute_value_reversed(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You miss scores that fall. A change can go up or down: take its absolute value."""
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return bool((there - here).max() < 1e-6)


@relative.misconception
def too_tolerant(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You let a slow drift pass, in which all scores fall or rise together. Either the tolerance is
    too wide, where rounding changes these scores by less than 1e-8, or a softmax has taken the
    drift out: compare the scores themselves.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return torch.allclose(here, there, rtol=0.0, atol=0.03)


@relative.misconception
def by_the_norm(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You do not notice when scores change places among the keys. A norm, a largest score or sorted
    scores are blind to that: compare each score with the one in the same place.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return _same(here.sort(dim=-1).values, there.sort(dim=-1).values)


@relative.misconception
def positions_overwritten(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """The verdict is right, but the positions of whoever called you have moved, too, as by
    `positions += shift`. Make new ones.
    """
    here = scores(queries, keys, positions)
    positions += shift
    return _same(here, scores(queries, keys, positions))


@relative.misconception
def the_other_verdict(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """Your verdict is the wrong way round: True means that no score changes."""
    return not _same(scores(queries, keys, positions), scores(queries, keys, positions + shift))


@relative.misconception
def a_verdict_for_each(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> Tensor:
    """This is a verdict for each score. Say True or False once, for all of them together."""
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return torch.isclose(here, there)


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
    """The largest difference is small."""
    gap = scores(queries, keys, positions + shift) - scores(queries, keys, positions)
    return bool(gap.abs().max() < 1e-6)


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


# --- repair --------------------------------------------------------------------------------------

repaired = Exam(reference.repaired_rope, tolerance=WAVES)


@repaired.example
def one_vector() -> Turned:
    """the same vector at positions 0, 1, 2 and 7"""
    x = torch.tensor([1.0, 0.0, 2.0, -1.0], dtype=torch.float64)
    return x.expand(4, 4).clone(), torch.tensor([0, 1, 2, 7])


@repaired.example
def heads_of_six() -> Turned:
    """two heads, three tokens, six features"""
    numbers = torch.arange(36, dtype=torch.float64).cos().round(decimals=2)
    return numbers.reshape(2, 3, 6), torch.tensor([4, 5, 6])


@repaired.case
def random_heads(draw: Draw) -> Turned:
    """a batch of several heads"""
    x = draw.fix(head_dim=8).tensor("batch heads tokens head_dim")
    return x, torch.arange(x.shape[2]) + int(draw.rng.integers(30))


@repaired.case(times=1)
def pair_alone(draw: Draw) -> Turned:
    """a single pair of features"""
    x = draw.fix(head_dim=2).tensor("heads tokens head_dim")
    return x, torch.arange(x.shape[1])


@repaired.holds
def repaired_lengths_stay(answer: Rope, x: Tensor, positions: Tensor) -> bool:
    """no vector becomes longer or shorter"""
    return torch.allclose(answer(x, positions).norm(dim=-1), x.norm(dim=-1), atol=1e-3)


def with_partners(x: Tensor, angles: Tensor) -> Tensor:
    """The last line of the broken cell."""
    first, second = x.chunk(2, dim=-1)
    return x * angles.cos() + torch.cat([-second, first], dim=-1) * angles.sin()


@repaired.misconception
def as_given(x: Tensor, positions: Tensor) -> Tensor:
    """These are still the numbers of the broken cell. Partners lie half of the width apart: do both
    get the same angle?
    """
    return with_partners(x, pair_angles(x, positions).repeat_interleave(2, dim=-1))


@repaired.misconception
def made_interleaved(x: Tensor, positions: Tensor) -> Tensor:
    """This is a right RoPE, in the interleaved layout. The cell is half-split, and its partners are
    right: lay out the angles for them.
    """
    return turn(x, pair_angles(x, positions))


@repaired.misconception
def partners_reversed(x: Tensor, positions: Tensor) -> Tensor:
    """The angles are right now, but it turns the other way. The partners of the broken cell,
    −second and first, were right.
    """
    return with_partners(x, -pair_angles(x, positions).repeat(1, 2))


@repaired.misconception
def minus_lost(x: Tensor, positions: Tensor) -> Tensor:
    """The minus of the partners is lost, and the vectors change their lengths."""
    angles = pair_angles(x, positions).repeat(1, 2)
    first, second = x.chunk(2, dim=-1)
    return x * angles.cos() + torch.cat([second, first], dim=-1) * angles.sin()


@repaired.misconception
def mirrored_angles(x: Tensor, positions: Tensor) -> Tensor:
    """The second half has the angles in reverse. Feature i + head_dim / 2 gets the angle of feature
    i.
    """
    angles = pair_angles(x, positions)
    return with_partners(x, torch.cat([angles, angles.flip(-1)], dim=-1))


@repaired.misconception
def frequency_for_each_feature(x: Tensor, positions: Tensor) -> Tensor:
    """Every feature has a frequency of its own now. There is one for each pair, half as many as
    features; the second half repeats them.
    """
    own = 10000 ** (-torch.arange(x.shape[-1], dtype=x.dtype) / x.shape[-1])
    return with_partners(x, positions[:, None] * own)


@repaired.misconception
def repeated_as_rows(x: Tensor, positions: Tensor) -> Tensor:
    """You repeat the table of angles downwards. Its columns have to be repeated, the last axis."""
    return with_partners(x, pair_angles(x, positions).repeat(2, 1))


@repaired.misconception
def second_half_stays(x: Tensor, positions: Tensor) -> Tensor:
    """Only the first half turns. Both of a pair turn, by the same angle."""
    angles = pair_angles(x, positions)
    return with_partners(x, torch.cat([angles, torch.zeros_like(angles)], dim=-1))


@repaired.misconception
def both_changed(x: Tensor, positions: Tensor) -> Tensor:
    """You changed the partners and the angles, so they disagree again. One of the two was right for
    half-split from the beginning: the partners.
    """
    angles = pair_angles(x, positions).repeat(1, 2)
    partners = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * angles.cos() + partners * angles.sin()


@repaired.misconception
def counted_again(x: Tensor, positions: Tensor) -> Tensor:
    """The layout is right, but the positions begin at 0 again. Use the argument `positions`."""
    return with_partners(x, pair_angles(x, torch.arange(len(positions))).repeat(1, 2))


@repaired.misconception
def weights_of_halves(x: Tensor, positions: Tensor) -> Tensor:
    """The pairs are turned as they should, and come out side by side. In this layout they go back
    to where they were, half of the width apart.
    """
    halves = turn_halves(x, pair_angles(x, positions))
    return torch.stack(halves.chunk(2, dim=-1), dim=-1).flatten(-2)


@repaired.accepts
def repaired_by_repeat(x: Tensor, positions: Tensor) -> Tensor:
    """repeat in place of repeat_interleave."""
    head_dim = x.shape[-1]
    rates = 10000 ** (-torch.arange(0, head_dim, 2, dtype=x.dtype) / head_dim)
    angles = (positions[:, None] * rates).repeat(1, 2)
    first, second = x.chunk(2, dim=-1)
    partners = torch.cat([-second, first], dim=-1)
    return (x * torch.cos(angles) + partners * torch.sin(angles)).to(x.dtype)


@repaired.accepts
def repaired_in_halves(x: Tensor, positions: Tensor) -> Tensor:
    """Written anew, half by half."""
    half = x.shape[-1] // 2
    angles = positions[:, None] / 10000 ** (torch.arange(half).to(x) / half)
    a, b = x[..., :half], x[..., half:]
    c, s = torch.cos(angles), torch.sin(angles)
    return torch.cat([a * c - b * s, a * s + b * c], -1)


@repaired.accepts
def repaired_by_reordering(x: Tensor, positions: Tensor) -> Tensor:
    """Into the other layout, turned there, and back."""
    half = x.shape[-1] // 2
    interleaved = x.reshape(*x.shape[:-1], 2, half).transpose(-1, -2).flatten(-2)
    turned = rope(interleaved, positions)
    return turned.reshape(*x.shape[:-1], half, 2).transpose(-1, -2).flatten(-2)


# --- from one layout to the other ----------------------------------------------------------------

layout = Exam(reference.to_half_split)

Projection = tuple[Tensor, int]


@layout.example
def numbered_columns() -> Projection:
    """three heads of four; every column holds its number"""
    return torch.arange(12, dtype=torch.float64).expand(2, 12).clone(), 3


@layout.example
def one_head_of_four() -> Projection:
    """one head of six"""
    return torch.arange(18, dtype=torch.float64).reshape(3, 6), 1


@layout.case
def random_projection(draw: Draw) -> Projection:
    """any number of heads"""
    num_heads, head_dim = draw.size("heads"), 8
    W = torch.from_numpy(draw.rng.normal(size=(draw.size("d_in"), num_heads * head_dim)))
    return W, num_heads


@layout.case(times=1)
def smallest_heads(draw: Draw) -> Projection:
    """three heads of two, where nothing moves"""
    return draw.fix(d_out=6).tensor("d_in d_out"), 3


@layout.misconception
def across_the_heads(W: Tensor, num_heads: int) -> Tensor:
    """You reordered all columns together, and the heads are mixed. Each head keeps its own columns:
    reorder within each.
    """
    return torch.cat([W[:, 0::2], W[:, 1::2]], dim=1)


@layout.misconception
def the_way_back(W: Tensor, num_heads: int) -> Tensor:
    """This is the way back, from half-split to interleaved. In the result the first of all pairs
    stand together: 0, 2, 4, …, then 1, 3, 5, …
    """
    halves = W.reshape(len(W), num_heads, 2, -1)
    return halves.transpose(2, 3).reshape(W.shape)


@layout.misconception
def nothing_moved(W: Tensor, num_heads: int) -> Tensor:
    """No column has moved: a reshape there and back. The two axes of the pairs have to be
    swapped in between.
    """
    return W.reshape(len(W), num_heads, -1, 2).reshape(W.shape)


@layout.misconception
def seconds_first(W: Tensor, num_heads: int) -> Tensor:
    """The second ones of the pairs come first in your result. The first ones come first."""
    pairs = W.reshape(len(W), num_heads, -1, 2).flip(-1)
    return pairs.transpose(2, 3).reshape(W.shape)


@layout.misconception
def rows_reordered(W: Tensor, num_heads: int) -> Tensor:
    """You reordered the rows, which are the features that come in. Heads and pairs are columns."""
    return torch.cat([W[0::2], W[1::2]])


@layout.misconception
def heads_taken_apart(W: Tensor, num_heads: int) -> Tensor:
    """The heads have changed places with the pairs. Only the last two axes are swapped: the pairs
    and the two in each.
    """
    return W.reshape(len(W), num_heads, -1, 2).transpose(1, 2).reshape(W.shape)


@layout.misconception
def heads_as_width(W: Tensor, num_heads: int) -> Tensor:
    """You took num_heads for the width of a head. There are num_heads heads, each of
    d_out / num_heads columns.
    """
    heads = torch.chunk(W, W.shape[1] // num_heads, dim=1)
    return torch.cat([part for head in heads for part in (head[:, 0::2], head[:, 1::2])], dim=1)


@layout.misconception
def first_head_only(W: Tensor, num_heads: int) -> Tensor:
    """Only the first head is reordered. If you have a loop, it returns in its first turn, or starts
    each time from the old matrix.
    """
    head_dim = W.shape[1] // num_heads
    first = W[:, :head_dim]
    return torch.cat([first[:, 0::2], first[:, 1::2], W[:, head_dim:]], dim=1)


@layout.misconception
def axes_not_joined(W: Tensor, num_heads: int) -> Tensor:
    """The columns are in the right order, but still on several axes. Join them: a matrix of the
    shape of W.
    """
    return W.reshape(len(W), num_heads, -1, 2).transpose(2, 3)


@layout.accepts
def head_by_head(W: Tensor, num_heads: int) -> Tensor:
    """A loop over the heads."""
    parts = []
    for head in W.chunk(num_heads, dim=1):
        parts += [head[:, ::2], head[:, 1::2]]
    return torch.cat(parts, dim=1)


@layout.accepts
def by_order_of_columns(W: Tensor, num_heads: int) -> Tensor:
    """A list of column numbers."""
    width = W.shape[1] // num_heads
    order = [h * width + i for h in range(num_heads) for s in (0, 1) for i in range(s, width, 2)]
    return W[:, order]


@layout.accepts
def by_permuted_rows(W: Tensor, num_heads: int) -> Tensor:
    """As published converters do it, on the transposed matrix."""
    d_in, d_out = W.shape
    rows = W.T.reshape(num_heads, d_out // num_heads // 2, 2, d_in)
    return rows.transpose(1, 2).reshape(d_out, d_in).T


# --- attention with RoPE -------------------------------------------------------------------------

# Whoever turns with float32 angles, as most do, is right as well.
attention = Exam(reference.rope_attention, tolerance=WAVES)

Attended = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


@attention.example
def two_of_four() -> Attended:
    """two queries at the positions 7 and 8, four keys at 5 to 8"""
    queries, keys = 2 * SOME_QUERIES[None, None, :2], SOME_KEYS[None, None]
    values = torch.tensor([[1.0, 0, 2], [0, 3, -1], [2, -2, 0], [-1, 1, 4]], dtype=torch.float64)
    return queries, keys, values[None, None], torch.tensor([7, 8]), torch.tensor([5, 6, 7, 8])


@attention.example
def everybody_asks() -> Attended:
    """two heads, four queries that stand two positions behind four keys"""
    queries = torch.stack([SOME_QUERIES, SOME_KEYS])[None]
    keys = torch.stack([2 * SOME_KEYS, SOME_QUERIES.flip(1)])[None]
    values = torch.stack([SOME_QUERIES.roll(1, dims=0), SOME_KEYS])[None]
    return queries, keys, values, torch.arange(2, 6), torch.arange(4)


@attention.case
def random_attention(draw: Draw) -> Attended:
    """queries that stand behind the keys"""
    draw.fix(head_dim=6)
    queries, keys = (
        draw.tensor("batch heads queries head_dim"),
        draw.tensor("batch heads keys head_dim"),
    )
    last = int(draw.rng.integers(10, 30))
    places = torch.arange(draw.size("keys"))
    asked = torch.arange(draw.size("queries")) + last
    return queries, keys, draw.tensor("batch heads keys d_v"), asked, places


@attention.case(times=1)
def one_new_token(draw: Draw) -> Attended:
    """one new token against a cache"""
    draw.fix(head_dim=4, queries=1)
    queries, keys = (
        draw.tensor("batch heads queries head_dim"),
        draw.tensor("batch heads keys head_dim"),
    )
    places = torch.arange(draw.size("keys"))
    return queries, keys, draw.tensor("batch heads keys head_dim"), places[-1:], places


@attention.holds
def text_may_move(
    answer: Callable[..., Tensor], q: Tensor, k: Tensor, v: Tensor, q_at: Tensor, k_at: Tensor
) -> bool:
    """nothing changes when all positions move on by 9"""
    return torch.allclose(
        answer(q, k, v, q_at, k_at), answer(q, k, v, q_at + 9, k_at + 9), atol=1e-3
    )


def mixed(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Scaled dot-product attention, from PyTorch."""
    return scaled_dot_product_attention(queries, keys, values)


@attention.misconception
def values_turned(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You turned the values as well. What a token hands over does not depend on where it stands:
    only queries and keys are turned.
    """
    turned_queries, turned_keys = rope(queries, query_positions), rope(keys, key_positions)
    return mixed(turned_queries, turned_keys, rope(values, key_positions))


@attention.misconception
def no_turns(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """These are the contexts without positions. `rope` returns new tensors: use what it returns."""
    return mixed(queries, keys, values)


@attention.misconception
def queries_restarted(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Your queries count from 0. They stand where `query_positions` says, behind the keys that were
    there before.
    """
    restarted = torch.arange(queries.shape[-2])
    return mixed(rope(queries, restarted), rope(keys, key_positions), values)


@attention.misconception
def everything_restarted(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Your first query stands where your first key does, as if both counted from 0. If there are
    fewer queries than keys, it is not the first token: use the positions that are given.
    """
    restarted = torch.arange(queries.shape[-2]), torch.arange(keys.shape[-2])
    return mixed(rope(queries, restarted[0]), rope(keys, restarted[1]), values)


@attention.misconception
def keys_not_turned(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Only the queries are turned. The difference of two angles counts: turn the keys, too."""
    return mixed(rope(queries, query_positions), keys, values)


@attention.misconception
def queries_not_turned(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Only the keys are turned. The difference of two angles counts: turn the queries, too."""
    return mixed(queries, rope(keys, key_positions), values)


@attention.misconception
def one_set_of_positions(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You gave the positions of the keys to the queries. Each has its own."""
    return mixed(rope(queries, key_positions), rope(keys, key_positions), values)


@attention.misconception
def positions_of_the_queries(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You gave the positions of the queries to the keys. Each has its own."""
    return mixed(rope(queries, query_positions), rope(keys, query_positions), values)


@attention.misconception
def queries_at_the_end(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You take the queries for the last of the keys. Often they are, and then it fits; where they
    stand is said by `query_positions`.
    """
    last = key_positions[-queries.shape[-2] :]
    return mixed(rope(queries, last), rope(keys, key_positions), values)


@attention.misconception
def keys_restarted(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Your keys count from 0. They stand where `key_positions` says."""
    restarted = torch.arange(keys.shape[-2])
    return mixed(rope(queries, query_positions), rope(keys, restarted), values)


@attention.misconception
def positions_exchanged(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Queries and keys have each other's positions."""
    return mixed(rope(queries, key_positions), rope(keys, query_positions), values)


@attention.misconception
def scale_forgotten(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """The turns are right, the scale is missing: divide the scores by the root of head_dim."""
    turned_queries, turned_keys = rope(queries, query_positions), rope(keys, key_positions)
    return scaled_dot_product_attention(turned_queries, turned_keys, values, scale=1.0)


@attention.misconception
def root_forgotten(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You divide the scores by head_dim. It is the root of head_dim."""
    turned_queries, turned_keys = rope(queries, query_positions), rope(keys, key_positions)
    scale = 1 / queries.shape[-1]
    return scaled_dot_product_attention(turned_queries, turned_keys, values, scale=scale)


@attention.misconception
def causal_flag(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You hid keys: with `is_causal=True` PyTorch lets query i see the first i + 1 keys, wherever
    they stand. In this exercise nobody is masked.
    """
    turned_queries, turned_keys = rope(queries, query_positions), rope(keys, key_positions)
    return scaled_dot_product_attention(turned_queries, turned_keys, values, is_causal=True)


@attention.misconception
def turned_in_halves(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """This is attention with RoPE in the half-split layout. Here it is the interleaved one, as in
    `rope` and in your `apply_rope`.
    """
    at, of = pair_angles(queries, query_positions), pair_angles(keys, key_positions)
    return mixed(turn_halves(queries, at), turn_halves(keys, of), values)


@attention.misconception
def softmax_over_queries(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """The softmax runs over the queries. It should run over the keys, the last axis."""
    scores = rope(queries, query_positions) @ rope(keys, key_positions).mT
    return torch.softmax(scores / math.sqrt(keys.shape[-1]), dim=-2) @ values


@attention.misconception
def masked_as_well(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You hid the keys that come after a query. In this exercise nobody is masked."""
    visible = key_positions <= query_positions[:, None]
    turned_queries, turned_keys = rope(queries, query_positions), rope(keys, key_positions)
    return scaled_dot_product_attention(turned_queries, turned_keys, values, attn_mask=visible)


@attention.misconception
def outputs_turned(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You turned the contexts. It is queries and keys that are turned, before they meet."""
    return rope(mixed(queries, keys, values), query_positions)


@attention.accepts
def by_the_library(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """PyTorch's attention on turned queries and keys."""
    return scaled_dot_product_attention(
        rope(queries, query_positions), rope(keys, key_positions), values
    )


@attention.accepts
def by_einsum(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Index expressions, scaled first."""
    q = rope(queries * queries.shape[-1] ** -0.5, query_positions)
    weights = torch.einsum("bhqd,bhkd->bhqk", q, rope(keys, key_positions)).softmax(dim=-1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


@attention.accepts
def by_distance(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """One query at a time, only the keys turned, by the distance."""
    contexts = []
    for i, position in enumerate(query_positions):
        near = rope(keys, key_positions - position)
        scores = (near @ queries[..., i, :, None]).squeeze(-1) / keys.shape[-1] ** 0.5
        contexts.append((scores.softmax(dim=-1)[..., None] * values).sum(dim=-2))
    return torch.stack(contexts, dim=-2)


# --- ALiBi ---------------------------------------------------------------------------------------

alibi = Exam(reference.alibi_bias, tolerance=Tolerance(absolute=1e-5, relative=1e-5))


@alibi.example
def two_heads_four_tokens() -> Sizes:
    """two heads, four tokens"""
    return 2, 4


@alibi.example
def three_heads() -> Sizes:
    """three heads, two tokens"""
    return 3, 2


@alibi.example
def eight_heads() -> Sizes:
    """eight heads, three tokens"""
    return 8, 3


@alibi.case
def random_bias(draw: Draw) -> Sizes:
    """any number of heads and tokens"""
    return draw.size("heads"), draw.size("tokens") + 5


@alibi.case(times=1)
def single_head(draw: Draw) -> Sizes:
    """one head"""
    return 1, 6


@alibi.case(times=1)
def single_token(draw: Draw) -> Sizes:
    """one token"""
    return 5, 1


@alibi.case(times=1)
def sixteen_heads(draw: Draw) -> Sizes:
    """sixteen heads, forty tokens"""
    return 16, 40


@alibi.holds
def diagonal_is_zero(answer: Callable[[int, int], Tensor], num_heads: int, num_tokens: int) -> bool:
    """nobody pays for looking at itself"""
    return bool((answer(num_heads, num_tokens).diagonal(dim1=1, dim2=2) == 0).all())


def slopes(num_heads: int) -> Tensor:
    return 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)


def steps_apart(num_tokens: int) -> Tensor:
    """Query minus key, (tokens, tokens)."""
    places = torch.arange(num_tokens)
    return places[:, None] - places


@alibi.misconception
def far_is_favoured(num_heads: int, num_tokens: int) -> Tensor:
    """Far keys gain by your bias. They should lose: there is a minus in front."""
    return slopes(num_heads)[:, None, None] * steps_apart(num_tokens).abs()


@alibi.misconception
def future_is_favoured(num_heads: int, num_tokens: int) -> Tensor:
    """The future has a bias above 0 in your result: you took query minus key. A distance is never
    negative: take the absolute value.
    """
    return -slopes(num_heads)[:, None, None] * steps_apart(num_tokens)


@alibi.misconception
def past_is_favoured(num_heads: int, num_tokens: int) -> Tensor:
    """The past has a bias above 0 in your result: you took key minus query. A distance is never
    negative: take the absolute value.
    """
    return slopes(num_heads)[:, None, None] * steps_apart(num_tokens)


@alibi.misconception
def future_hidden(num_heads: int, num_tokens: int) -> Tensor:
    """You hid the future with −∞. That is the mask's task: the bias is finite everywhere."""
    bias = -slopes(num_heads)[:, None, None] * steps_apart(num_tokens).abs()
    return bias.masked_fill(steps_apart(num_tokens) < 0, -torch.inf)


@alibi.misconception
def future_free(num_heads: int, num_tokens: int) -> Tensor:
    """The future costs nothing in your result. Here the distance counts in both directions."""
    return -slopes(num_heads)[:, None, None] * steps_apart(num_tokens).clamp(min=0)


@alibi.misconception
def halved_each_time(num_heads: int, num_tokens: int) -> Tensor:
    """Your slopes are 1/2, 1/4, 1/8, …, whatever the number of heads. That is right for eight of
    them; in general the first slope is 2^(−8 / num_heads), and so is their ratio.
    """
    halves = 2.0 ** -torch.arange(1, num_heads + 1)
    places = torch.arange(num_tokens)
    return -halves[:, None, None] * (places[:, None] - places).abs()


@alibi.misconception
def first_slope_of_one(num_heads: int, num_tokens: int) -> Tensor:
    """Your first slope is 1: you count the heads from 0. The first exponent is −8 / num_heads, and
    the last is −8.
    """
    early = 2.0 ** (-8 * torch.arange(num_heads) / num_heads)
    return -early[:, None, None] * steps_apart(num_tokens).abs()


@alibi.misconception
def floored_slopes(num_heads: int, num_tokens: int) -> Tensor:
    """Your exponents are rounded to whole numbers by `//`, which is right only where 8 can be
    divided by the number of heads. Divide with `/`.
    """
    whole = 2.0 ** (-8 * torch.arange(1, num_heads + 1) // num_heads)
    return -whole[:, None, None] * steps_apart(num_tokens).abs()


@alibi.misconception
def slopes_of_the_release(num_heads: int, num_tokens: int) -> Tensor:
    """That is what the authors' code does when the heads are no power of two: it joins two series.
    Here there is one series, from 2^(−8 / num_heads) to 2^(−8), for any number of heads.
    """
    below = 1 << (num_heads.bit_length() - 1)
    joined = torch.cat([slopes(below), slopes(2 * below)[0::2][: num_heads - below]])
    return -joined[:, None, None] * steps_apart(num_tokens).abs()


@alibi.misconception
def gentlest_first(num_heads: int, num_tokens: int) -> Tensor:
    """Your heads are in reverse: the first one has the steepest slope."""
    return -slopes(num_heads).flip(0)[:, None, None] * steps_apart(num_tokens).abs()


@alibi.misconception
def one_slope_for_all(num_heads: int, num_tokens: int) -> Tensor:
    """All your heads have the same slope. Each has its own, so that some look near and some far."""
    return -slopes(num_heads)[0] * steps_apart(num_tokens).abs().expand(num_heads, -1, -1)


@alibi.misconception
def no_heads(num_heads: int, num_tokens: int) -> Tensor:
    """This is a single table. There is one for each head: the first axis."""
    return -slopes(num_heads)[0] * steps_apart(num_tokens).abs()


@alibi.misconception
def heads_at_the_end(num_heads: int, num_tokens: int) -> Tensor:
    """The heads are the last axis of your result. They are the first: (heads, tokens, tokens)."""
    return -steps_apart(num_tokens).abs()[:, :, None] * slopes(num_heads)


@alibi.misconception
def squared_distance(num_heads: int, num_tokens: int) -> Tensor:
    """Your bias grows with the square of the distance. In ALiBi it is linear."""
    return -slopes(num_heads)[:, None, None] * steps_apart(num_tokens).square()


@alibi.misconception
def no_slopes(num_heads: int, num_tokens: int) -> Tensor:
    """These are the distances themselves. Multiply them by the slope of each head."""
    return -steps_apart(num_tokens).abs().float().expand(num_heads, -1, -1)


@alibi.misconception
def bias_in_double(num_heads: int, num_tokens: int) -> Tensor:
    """The numbers are right, and float64. The bias is added to scores in float32: convert it with
    `.float()`.
    """
    return -slopes(num_heads).double()[:, None, None] * steps_apart(num_tokens).abs()


@alibi.accepts
def alibi_in_loops(num_heads: int, num_tokens: int) -> Tensor:
    """Loops."""
    bias = torch.zeros(num_heads, num_tokens, num_tokens)
    for h in range(num_heads):
        for i in range(num_tokens):
            for j in range(num_tokens):
                bias[h, i, j] = -abs(i - j) * 2 ** (-8 * (h + 1) / num_heads)
    return bias


@alibi.accepts
def alibi_by_einsum(num_heads: int, num_tokens: int) -> Tensor:
    """An outer product."""
    ratio = 2 ** (-8 / num_heads)
    slope = torch.tensor([ratio ** (head + 1) for head in range(num_heads)])
    place = torch.arange(num_tokens, dtype=torch.float32)
    return torch.einsum("h,ij->hij", slope, -torch.cdist(place[:, None], place[:, None], p=1))


@alibi.accepts
def alibi_by_triangles(num_heads: int, num_tokens: int) -> Tensor:
    """The past, and its mirror image."""
    steps = torch.arange(num_tokens)[:, None] - torch.arange(num_tokens)[None, :]
    distance = torch.tril(steps) + torch.tril(steps).T
    slope = torch.pow(2.0, torch.linspace(-8 / num_heads, -8, num_heads))
    return slope.view(-1, 1, 1) * -distance
