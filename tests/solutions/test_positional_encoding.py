"""The reference of lesson 06, against PyTorch itself and against the formulas of the papers."""

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

import companion.specimens.position_scores as scorings
from companion.models.order import KINDS, NAMES, LastNamed, learn_who_was_last
from companion.models.positions import rope, sinusoids, sinusoids_at
from companion.trials.position_trials import (
    TableMismatch,
    try_encoding,
    try_learned,
    try_module,
    try_turn,
)
from solutions.positional_encoding import (
    LearnedPositions,
    PositionalEncoding,
    alibi_bias,
    apply_rope,
    encodings_by_hand,
    is_relative,
    repaired_rope,
    rope_attention,
    shift_matrix,
    sinusoidal_encoding,
    to_half_split,
    wavelengths,
)

BATCH, HEADS, TOKENS, HEAD_DIM, D_MODEL = 2, 3, 5, 8, 12
CLOSE = {torch.float64: 1e-10, torch.float32: 1e-4}
# What float32 angles leave of a float64 result.
BY_FINE_ANGLES = 2e-5


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


def drawn(*shape: int, dtype: torch.dtype, seed: int = 6) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def near(actual: Tensor, expected: Tensor, at_best: float = 0.0) -> None:
    close = max(CLOSE[expected.dtype], at_best)
    assert_close(actual, expected, rtol=close, atol=close)


def written_out(position: int, column: int, d_model: int) -> float:
    """The formula of section 3.5 of the 2017 paper, for one number."""
    angle = position / 10000 ** (column // 2 * 2 / d_model)
    return math.cos(angle) if column % 2 else math.sin(angle)


def turned(pair: complex, position: int, place: int, head_dim: int) -> complex:
    return pair * complex(math.cos(a := position / 10000 ** (2 * place / head_dim)), math.sin(a))


@pytest.mark.parametrize("encode", [sinusoidal_encoding, sinusoids])
@pytest.mark.parametrize(("num_positions", "d_model"), [(1, 2), (7, 6), (60, 32)])
def test_encoding_is_the_papers(encode: object, num_positions: int, d_model: int) -> None:
    assert callable(encode)
    rows = [[written_out(p, c, d_model) for c in range(d_model)] for p in range(num_positions)]
    assert_close(encode(num_positions, d_model), torch.tensor(rows), atol=2e-5, rtol=0)


@pytest.mark.parametrize("make", [sinusoidal_encoding, lambda n, d: PositionalEncoding(d, n)])
def test_odd_width_is_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match="7"):
        make(4, 7)


def test_rows_anywhere_are_the_tables() -> None:
    places = torch.tensor([40, 3, 0, 1009])
    assert torch.equal(sinusoids_at(places, 6), sinusoids(1010, 6)[places])


def test_worksheet_is_the_papers() -> None:
    numbers = encodings_by_hand()
    for position in (2, 3):
        row = [written_out(position, column, 4) for column in range(4)]
        assert numbers[f"PE({position})"] == pytest.approx(row, abs=1e-6)
    for (one, other), name in {(2, 3): "PE(2) · PE(3)", (1, 3): "PE(1) · PE(3)"}.items():
        distance = other - one
        assert numbers[name] == pytest.approx(
            math.cos(distance) + math.cos(distance / 100), abs=1e-6
        )


@pytest.mark.parametrize("d_model", [2, 4, 48, 512])
def test_wave_repeats_after_its_length(d_model: int) -> None:
    lengths = wavelengths(d_model).double()
    assert lengths[0] == pytest.approx(2 * math.pi)
    assert lengths[-1] < 10000 * 2 * math.pi
    rates = torch.tensor([10000 ** (-i / d_model) for i in range(0, d_model, 2)])
    assert_close(torch.cos(lengths * rates), torch.ones(len(rates)).double(), atol=1e-6, rtol=0)


@pytest.mark.parametrize("k", [-9, 0, 1, 30])
def test_shift_is_found_by_least_squares(k: int) -> None:
    table = torch.tensor(
        [[written_out(p, c, 8) for c in range(8)] for p in range(400)], dtype=torch.float64
    )
    here, there = table[50:350], table[50 + k : 350 + k]
    found = torch.linalg.lstsq(here, there).solution
    assert_close(shift_matrix(k, 8).double(), found, atol=2e-5, rtol=0)


def test_module_adds_the_table(dtype: torch.dtype) -> None:
    inputs = drawn(BATCH, TOKENS, D_MODEL, dtype=dtype)
    module = PositionalEncoding(D_MODEL, 30).to(dtype)
    added = module(inputs) - inputs
    rows = [[written_out(p, c, D_MODEL) for c in range(D_MODEL)] for p in range(TOKENS)]
    assert_close(added, torch.tensor(rows).to(dtype).expand_as(added), atol=1e-5, rtol=0)
    assert list(module.parameters()) == []
    assert module.half().state_dict()["encoding"].dtype == torch.float16


def test_learned_is_an_embedding(dtype: torch.dtype) -> None:
    module = LearnedPositions(D_MODEL, TOKENS).to(dtype)
    inputs = drawn(BATCH, TOKENS, D_MODEL, dtype=dtype)
    ids = torch.arange(TOKENS).expand(BATCH, TOKENS)
    near(module(inputs), inputs + nn.functional.embedding(ids, module.positions.weight))
    module(inputs[:, :2]).sum().backward()
    assert module.positions.weight.grad is not None
    assert module.positions.weight.grad[:, 0].tolist() == [BATCH, BATCH, 0, 0, 0]


def test_one_past_the_end_is_refused() -> None:
    with pytest.raises(ValueError, match=r"(?=.*6)(?=.*5)"):
        LearnedPositions(4, 5)(torch.zeros(1, 6, 4))


@pytest.mark.parametrize("turn", [apply_rope, rope])
def test_rope_is_a_complex_product(turn: object, dtype: torch.dtype) -> None:
    assert callable(turn)
    x = drawn(BATCH, HEADS, TOKENS, HEAD_DIM, dtype=dtype)
    positions = torch.tensor([9, 0, 3, 4, 40])
    expected = torch.empty_like(x)
    for *place, token, pair in torch.cartesian_prod(
        *map(torch.arange, (BATCH, HEADS, TOKENS, HEAD_DIM // 2))
    ).tolist():
        vector = x[(*place, token)]
        both = complex(vector[2 * pair], vector[2 * pair + 1])
        both = turned(both, int(positions[token]), pair, HEAD_DIM)
        expected[(*place, token, 2 * pair)] = both.real
        expected[(*place, token, 2 * pair + 1)] = both.imag
    near(turn(x, positions), expected, at_best=BY_FINE_ANGLES)


def test_repaired_is_the_other_layout(dtype: torch.dtype) -> None:
    x = drawn(HEADS, TOKENS, HEAD_DIM, dtype=dtype)
    positions = torch.tensor([2, 3, 5, 7, 11])
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    near(repaired_rope(x[..., order], positions), apply_rope(x, positions)[..., order])


@pytest.mark.parametrize("turn", [apply_rope, rope, repaired_rope])
def test_neighbours_far_out_differ_in_bfloat16(turn: object) -> None:
    assert callable(turn)
    x = torch.ones(2, 4, dtype=torch.bfloat16)
    assert torch.tensor(257.0).bfloat16() == 256
    turned = turn(x, torch.tensor([256, 257]))
    assert turned.dtype == torch.bfloat16
    exact = turn(x.double(), torch.tensor([256, 257]))
    assert_close(turned.double(), exact, atol=0.02, rtol=0)
    assert (turned[0] - turned[1]).abs().max() > 0.5


def test_rope_turns_odd_heads_away() -> None:
    with pytest.raises(ValueError, match="5"):
        apply_rope(torch.ones(2, 5), torch.arange(2))


def test_converted_weights_score_alike(dtype: torch.dtype) -> None:
    inputs, positions = drawn(TOKENS, 7, dtype=dtype), torch.arange(TOKENS) + 3
    W_query, W_key = (drawn(7, HEADS * HEAD_DIM, dtype=dtype, seed=s) for s in (1, 2))

    def heads(projected: Tensor) -> Tensor:
        return projected.view(TOKENS, HEADS, HEAD_DIM).transpose(0, 1)

    interleaved = [apply_rope(heads(inputs @ W), positions) for W in (W_query, W_key)]
    halves = [
        repaired_rope(heads(inputs @ to_half_split(W, HEADS)), positions) for W in (W_query, W_key)
    ]
    assert_close(halves[0] @ halves[1].mT, interleaved[0] @ interleaved[1].mT, atol=1e-3, rtol=1e-4)


def test_rope_attention_is_torchs(dtype: torch.dtype) -> None:
    queries, keys, values = (
        drawn(BATCH, HEADS, n, d, dtype=dtype, seed=n) for n, d in ((2, 8), (5, 8), (5, 4))
    )
    at, of = torch.tensor([5, 6]), torch.arange(5)
    expected = scaled_dot_product_attention(apply_rope(queries, at), apply_rope(keys, of), values)
    near(rope_attention(queries, keys, values, at, of), expected, BY_FINE_ANGLES)
    near(rope_attention(queries, keys, values, at + 20, of + 20), expected, BY_FINE_ANGLES)


@pytest.mark.parametrize("num_heads", [1, 2, 8, 16])
def test_alibi_is_the_papers(num_heads: int) -> None:
    bias = alibi_bias(num_heads, 6)
    assert bias.dtype == torch.float32
    first = 2 ** (-8 / num_heads)
    for head in range(num_heads):
        for i in range(6):
            for j in range(6):
                expected = -(first ** (head + 1)) * abs(i - j)
                assert bias[head, i, j].item() == pytest.approx(expected, rel=1e-5)


def test_alibi_of_eight_heads() -> None:
    """The paper's example: 1/2, 1/4, … 1/256."""
    assert (-alibi_bias(8, 2)[:, 1, 0]).tolist() == [2.0**-n for n in range(1, 9)]


SCORINGS = [f for f in vars(scorings).values() if getattr(f, "__module__", "") == scorings.__name__]


@pytest.mark.parametrize("scores", SCORINGS)
def test_relative_is_recognised(scores: object) -> None:
    assert callable(scores)
    assert scores.__doc__ is not None
    queries, keys = drawn(6, 8, dtype=torch.float64), drawn(6, 8, dtype=torch.float64, seed=7)
    found = all(
        is_relative(scores, queries, keys, torch.arange(6) + first, shift)
        for first, shift in ((0, 3), (2, 13), (1, 1000))
    )
    assert found is scores.__doc__.startswith("Relative")


# What the lesson says of its trained models


@pytest.fixture(scope="module")
def models() -> dict[str, LastNamed]:
    return {kind: learn_who_was_last(kind) for kind in KINDS}


@pytest.mark.long
def test_blind_model_guesses(models: dict[str, LastNamed]) -> None:
    blind = models["none"]
    assert 0.55 < blind.accuracy(16) < 0.8
    assert blind.shares("Ann … Bob …") == pytest.approx(blind.shares("Bob … Ann …"), abs=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["learned", "sinusoids", "RoPE"])
def test_positions_solve_the_task(models: dict[str, LastNamed], kind: str) -> None:
    assert models[kind].accuracy(16) > 0.98
    assert models[kind].shares("Ann … Bob …")["Bob"] > 0.95
    assert models[kind].shares("Bob … Ann …")["Ann"] > 0.95


@pytest.mark.long
def test_only_alibi_keeps_its_accuracy(models: dict[str, LastNamed]) -> None:
    assert models["learned"].accuracy(17) == 0
    for length in (20, 24, 64):
        assert models["sinusoids"].accuracy(length) < models["none"].accuracy(length)
    assert models["RoPE"].accuracy(24) > 0.9
    assert models["RoPE"].accuracy(64) < 0.8
    assert models["ALiBi"].accuracy(16) > 0.88
    assert models["ALiBi"].accuracy(64) > 0.88


@pytest.mark.long
def test_weights_are_causal(models: dict[str, LastNamed]) -> None:
    weights = models["RoPE"].weights("Ann … Bob …")
    assert weights.shape == (4, 4, 4)
    assert_close(weights.sum(dim=-1), torch.ones(4, 4))
    assert not weights.triu(1).any()


def test_unknown_positions_are_refused() -> None:
    with pytest.raises(ValueError, match="choose one of none"):
        learn_who_was_last("sine")


@pytest.mark.long
def test_names_have_shares(models: dict[str, LastNamed]) -> None:
    shares = models["none"].shares("Cleo …")
    assert tuple(shares) == NAMES
    assert sum(shares.values()) == pytest.approx(1)


# The drivers


def test_refusal_is_told_in_words() -> None:
    assert try_encoding(sinusoids, 3, 5) == "a ValueError, or an assert, whose message names 5"
    inputs = torch.zeros(1, 2, 5)
    assert (
        try_module(PositionalEncoding, 5, 9, inputs)
        == "a ValueError, or an assert, whose message names 5"
    )


def test_trial_sees_what_stays_behind() -> None:
    class Plain(nn.Module):
        def __init__(self, d_model: int, context_length: int) -> None:
            super().__init__()
            self.table = sinusoids(context_length, d_model)

        def forward(self, inputs: Tensor) -> Tensor:
            return inputs + self.table[: inputs.shape[1]]

    name = "dtype after .to(torch.bfloat16)"
    for module_class, expected in ((Plain, "float32"), (PositionalEncoding, "bfloat16")):
        seen = try_module(module_class, 4, 9, torch.zeros(1, 3, 4))
        assert isinstance(seen, dict)
        assert seen[name] == expected
        assert seen["trained numbers"] == 0


def test_trial_counts_what_is_trained() -> None:
    class Trained(PositionalEncoding):
        def __init__(self, d_model: int, context_length: int) -> None:
            super().__init__(d_model, context_length)
            self.of_any_name = nn.Parameter(sinusoids(context_length, d_model))

    seen = try_module(Trained, 4, 9, torch.zeros(1, 3, 4))
    assert isinstance(seen, dict)
    assert seen["trained numbers"] == 4 * 9


def test_trial_of_a_learned_table() -> None:
    inputs, table = drawn(2, 3, 4, dtype=torch.float64), drawn(3, 4, dtype=torch.float64)
    seen = try_learned(LearnedPositions, inputs, table)
    assert isinstance(seen, dict)
    assert_close(seen["output"], inputs + table)
    assert seen["gradient for positions.weight"].shape == table.shape
    told = try_learned(LearnedPositions, inputs, table[:2])
    assert told == "a ValueError, or an assert, whose message names 3 and 2"

    class OneNumber(LearnedPositions):
        def forward(self, inputs: Tensor) -> Tensor:
            raise ValueError(f"at most {self.positions.num_embeddings} tokens")

    told = try_learned(OneNumber, inputs, table[:2])
    assert told == "a ValueError, or an assert, whose message does not name 3 and 2"


@pytest.mark.parametrize("kept_as", ["elsewhere", "parameter", "sideways"])
def test_table_is_looked_for_by_its_name(kept_as: str) -> None:
    def elsewhere(d_model: int, context_length: int) -> nn.Module:
        module = nn.Module()
        if kept_as == "elsewhere":
            module.places = nn.Embedding(context_length, d_model)
        elif kept_as == "parameter":
            module.positions = nn.Parameter(torch.zeros(context_length, d_model))
        else:
            module.positions = nn.Embedding(d_model, context_length)
        return module

    message = "should be" if kept_as == "sideways" else "called positions"
    with pytest.raises(TableMismatch, match=message):
        try_learned(elsewhere, torch.zeros(1, 2, 4), torch.zeros(3, 4))


def test_trial_in_bfloat16_looks_at_angles() -> None:
    x, positions = torch.ones(2, 4), torch.tensor([301, 303])
    right = try_turn(apply_rope, x, positions, in_bfloat16=True)
    assert_close(right.pop("output in float32"), rope(x, positions))
    assert right == {"dtype": "bfloat16", "angles as in float32": True}

    def coarse(given: Tensor, at: Tensor) -> Tensor:
        rounded = at.to(given.dtype).float()
        pairs = torch.view_as_complex(given.float().reshape(2, 2, 2))
        rates = torch.tensor([1.0, 0.01])
        angles = rounded[:, None] * rates
        turned = torch.view_as_real(pairs * torch.polar(torch.ones(2, 2), angles))
        return turned.reshape(2, 4).to(given.dtype)

    seen = try_turn(coarse, x, positions, in_bfloat16=True)
    assert seen["angles as in float32"] is False


def test_float32_in_the_trial_is_no_word_of_the_answers() -> None:
    """What turns nothing in bfloat16, nor the same numbers when it is asked in float32."""
    known: list[Tensor] = []

    def turns_nothing(given: Tensor, at: Tensor) -> Tensor:
        if given.dtype == torch.bfloat16:
            known[:] = [given.float()]
        asked_again = bool(known) and torch.equal(given.float(), known[0])
        return given.clone() if asked_again else apply_rope(given, at)

    x, positions = torch.ones(2, 4), torch.tensor([301, 303])
    found = try_turn(turns_nothing, x, positions, in_bfloat16=True)["output in float32"]
    assert isinstance(found, Tensor)
    assert not torch.allclose(found, rope(x, positions), atol=0.1)


def test_trial_goes_there_and_back() -> None:
    x, positions = drawn(TOKENS, HEAD_DIM, dtype=torch.float64), torch.arange(TOKENS)
    seen = try_turn(rope, x, positions)
    assert_close(seen["output"], rope(x, positions))
    assert seen["x left as it was"] is True
    # A turn keeps lengths, and its gradient is turned back by it.
    ramp = torch.arange(1, x.numel() + 1, dtype=torch.float64).cos().reshape(x.shape)
    assert_close(seen["gradient for x"], rope(ramp, -positions))

    def in_place(given: Tensor, _: Tensor) -> Tensor:
        given *= 2
        return given

    assert try_turn(in_place, x, positions)["x left as it was"] is False
    assert try_turn(lambda given, _: given.detach(), x, positions)["gradient for x"] is None
