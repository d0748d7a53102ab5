"""The reference of lesson 03, against PyTorch itself."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention as torchs_attention
from torch.testing import assert_close

import companion
from autograder.checks.exam.report import Verdict
from companion import FOUR_FEATURES, YOUR_JOURNEY, what_nouns_look_at
from solutions.exams.trainable_weights.features_by_hand import worksheet
from solutions.trainable_weights import (
    SelfAttention_v1,
    SelfAttention_v2,
    attend_columns,
    attend_token,
    copy_weights_v2_to_v1,
    design_weights,
    features_by_hand,
    is_key_shift_invariant,
    project,
    repaired_attention,
    scaled_dot_product_attention,
    score_variance,
    softmax_jacobian,
)
from tests.support.course import ROOT

LESSON = ROOT / "source" / "03_trainable_weights.md"
JOURNEY = 1
W_QUERY = torch.tensor([[4, 0], [0, -2], [-2, 4]], dtype=torch.float64)
W_KEY = torch.tensor([[1, -1], [-2, 0], [0, 2]], dtype=torch.float64)
W_VALUE = torch.tensor([[1, 0], [0, 1], [0.5, -0.5]], dtype=torch.float64)


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    assert isinstance(request.param, torch.dtype)
    return request.param


@pytest.fixture
def triple(dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(3)
    shapes = [(4, 3), (6, 3), (6, 5)]
    queries, keys, values = (torch.randn(s, generator=generator, dtype=dtype) for s in shapes)
    return queries, keys, values


def sentence() -> Tensor:
    return torch.tensor(YOUR_JOURNEY.vectors)


def projected() -> tuple[Tensor, Tensor, Tensor]:
    inputs = sentence()
    return inputs @ W_QUERY, inputs @ W_KEY, inputs @ W_VALUE


def test_projections_are_linears(dtype: torch.dtype) -> None:
    layers = [nn.Linear(4, width, bias=False, dtype=dtype) for width in (3, 3, 2)]
    inputs = torch.randn(5, 4, dtype=dtype)
    received = project(inputs, *(layer.weight.T for layer in layers))
    for layer, projection in zip(layers, received, strict=True):
        assert_close(projection, layer(inputs))


def test_token_is_torchs(triple: tuple[Tensor, Tensor, Tensor]) -> None:
    queries, keys, values = triple
    marks = torch.eye(6, dtype=values.dtype)
    for i in range(len(queries)):
        context, weights = attend_token(i, queries, keys, values)
        assert_close(context, torchs_attention(*triple)[i])
        assert_close(weights, torchs_attention(queries, keys, marks)[i])


def test_attention_is_torchs(triple: tuple[Tensor, Tensor, Tensor]) -> None:
    assert_close(scaled_dot_product_attention(*triple), torchs_attention(*triple))
    assert_close(repaired_attention(*triple), torchs_attention(*triple))


def test_batch_is_torchs(dtype: torch.dtype) -> None:
    shapes = [(2, 4, 3), (2, 6, 3), (2, 6, 5)]
    queries, keys, values = (torch.randn(shape, dtype=dtype) for shape in shapes)
    expected = torchs_attention(queries, keys, values)
    assert_close(scaled_dot_product_attention(queries, keys, values), expected)


def test_columns_are_torchs(dtype: torch.dtype) -> None:
    X, weights = torch.randn(4, 6, dtype=dtype), [torch.randn(3, 4, dtype=dtype) for _ in range(3)]
    queries, keys, values = (nn.functional.linear(X.T, W) for W in weights)
    rows = torchs_attention(queries, keys, values)
    assert_close(attend_columns(X, *weights), rows.T)


def test_variance_is_d_k() -> None:
    for d_k in (4, 64, 256):
        assert score_variance(d_k, 20_000, seed=1) == pytest.approx(d_k, rel=0.1)
    assert score_variance(8, 100, seed=1) == score_variance(8, 100, seed=1)
    assert score_variance(8, 100, seed=1) != score_variance(8, 100, seed=2)


def test_worksheet_is_torchs() -> None:
    X, *weights = (torch.tensor(matrix) for matrix in FOUR_FEATURES)
    numbers = features_by_hand()
    queries, keys, values = (nn.functional.linear(X.T, W) for W in weights)
    made = (numbers["Q"], numbers["K"], numbers["V"])
    for part, rows in zip(made, (queries, keys, values), strict=True):
        assert_close(torch.tensor(part, dtype=torch.float64), rows.T)
    assert_close(
        torch.tensor(numbers["z"], dtype=torch.float64), torchs_attention(queries, keys, values)[2]
    )
    weights_of_third = torchs_attention(queries, keys, torch.eye(4, dtype=torch.float64))[2]
    assert_close(torch.tensor(numbers["weights"], dtype=torch.float64), weights_of_third)


def with_lessons_weights(
    module: SelfAttention_v1 | SelfAttention_v2,
) -> SelfAttention_v1 | SelfAttention_v2:
    linear = isinstance(module, SelfAttention_v2)
    weights = {"W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE}
    module.double().load_state_dict(
        {f"{name}.weight" if linear else name: W.T if linear else W for name, W in weights.items()}
    )
    return module


@pytest.mark.parametrize("module_class", [SelfAttention_v1, SelfAttention_v2])
def test_modules_are_torchs(module_class: type[SelfAttention_v1] | type[SelfAttention_v2]) -> None:
    module = with_lessons_weights(module_class(3, 2))
    inputs = sentence().requires_grad_()
    expected_inputs = sentence().requires_grad_()
    weights = [W.clone().requires_grad_() for W in (W_QUERY, W_KEY, W_VALUE)]
    queries, keys, values = (expected_inputs @ W for W in weights)
    expected = torchs_attention(queries, keys, values)
    received = module(inputs)
    assert_close(received, expected)
    received.cos().sum().backward()
    expected.cos().sum().backward()
    assert_close(inputs.grad, expected_inputs.grad)
    for parameter, W in zip(module.parameters(), weights, strict=True):
        assert parameter.grad is not None
        assert W.grad is not None
        turned = isinstance(module, SelfAttention_v2)
        assert_close(parameter.grad.T if turned else parameter.grad, W.grad)


def test_bias_only_if_asked() -> None:
    assert len(list(SelfAttention_v2(3, 2).parameters())) == 3
    biased = SelfAttention_v2(3, 2, qkv_bias=True)
    inputs = torch.randn(4, 3)
    expected = torchs_attention(
        biased.W_query(inputs), biased.W_key(inputs), biased.W_value(inputs)
    )
    assert_close(biased(inputs), expected)
    assert len(list(biased.parameters())) == 6


def test_zeros_never_start() -> None:
    """What the text says of a start with zeros: nothing reaches queries and keys, ever."""
    module = SelfAttention_v1(3, 2)
    with torch.no_grad():
        module.W_query.zero_()
        module.W_key.zero_()
    module(sentence().float()).cos().sum().backward()
    for matrix in (module.W_query, module.W_key):
        assert matrix.grad is not None
        assert not matrix.grad.any()
    assert module.W_value.grad is not None
    assert module.W_value.grad.any()


def test_jacobian_by_autograd(dtype: torch.dtype) -> None:
    scores = torch.randn(5, generator=torch.Generator().manual_seed(2)).to(dtype)
    expected = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, dim=0), scores)
    assert_close(softmax_jacobian(torch.softmax(scores, dim=0)), expected)


def test_jacobian_by_small_steps() -> None:
    scores, step = torch.tensor([0.3, -1.2, 2.0, 0.7], dtype=torch.float64), 1e-6
    columns = [
        (torch.softmax(scores + step * one, 0) - torch.softmax(scores - step * one, 0)) / (2 * step)
        for one in torch.eye(4, dtype=torch.float64)
    ]
    found = softmax_jacobian(torch.softmax(scores, dim=0))
    assert_close(found, torch.stack(columns, dim=1), rtol=0, atol=1e-9)


def test_gradients_of_the_lesson(triple: tuple[Tensor, Tensor, Tensor]) -> None:
    """What the text derives: the gradients of W_query and W_key, through the softmax's Jacobian."""
    generator = torch.Generator().manual_seed(4)
    X = torch.randn(6, 4, generator=generator, dtype=triple[0].dtype)
    W_query, W_key = (
        torch.randn(4, 3, generator=generator, dtype=X.dtype).requires_grad_() for _ in range(2)
    )
    queries, keys, values = X @ W_query, X @ W_key, triple[2]
    weights = torch.softmax(queries @ keys.T / 3**0.5, dim=-1)
    contexts = weights @ values
    (back,) = torch.autograd.grad(contexts.cos().sum(), contexts, retain_graph=True)
    contexts.cos().sum().backward()
    of_query, of_key = torch.zeros(4, 3, dtype=X.dtype), torch.zeros(4, 3, dtype=X.dtype)
    for x, q, p, g in zip(X, queries, weights, back @ values.T, strict=True):
        jacobian = softmax_jacobian(p)
        of_query += torch.outer(x, g @ jacobian @ keys) / 3**0.5
        of_key += torch.outer(X.T @ jacobian @ g, q) / 3**0.5
    assert_close(W_query.grad, of_query)
    assert_close(W_key.grad, of_key)


@pytest.mark.parametrize(
    ("seed", "module_class", "first"),
    [(123, SelfAttention_v1, [0.2996, 0.8053]), (789, SelfAttention_v2, [-0.0739, 0.0713])],
)
def test_seeds_of_the_documents(
    seed: int, module_class: type[SelfAttention_v1] | type[SelfAttention_v2], first: list[float]
) -> None:
    torch.manual_seed(seed)
    contexts = module_class(3, 2)(sentence().float())
    assert_close(contexts[0].detach(), torch.tensor(first), rtol=0, atol=6e-5)


def test_copied_weights_compute_the_same(dtype: torch.dtype) -> None:
    v1, v2 = SelfAttention_v1(3, 2).to(dtype), SelfAttention_v2(3, 2).to(dtype)
    v1.load_state_dict(copy_weights_v2_to_v1(v2.state_dict()))
    inputs = sentence().to(dtype)
    assert_close(v1(inputs), v2(inputs))


def test_shift_invariance_is_recognised() -> None:
    shift = torch.tensor([0.5, -1.0], dtype=torch.float64)
    sound = ("scaled_attention", "unscaled_attention", "average_attention")
    unsound = (
        "attention_over_queries",
        "swapped_attention",
        "shares_attention",
        "cosine_attention",
        "distance_attention",
        "attention_with_a_lapse",
        "attention_of_either_sign",
    )
    for names, verdict in ((sound, True), (unsound, False)):
        for name in names:
            attention = getattr(companion, name)
            assert is_key_shift_invariant(attention, *projected(), shift) is verdict, name
    assert is_key_shift_invariant(torchs_attention, *projected(), shift) is True


def test_design_meets_adjectives() -> None:
    assert what_nouns_look_at(design_weights) == {
        "creature looks at": "fluffy, blue",
        "creature gives its own adjectives at least 0.8": True,
        "forest looks at": "verdant",
        "forest gives its own adjectives at least 0.8": True,
    }


def test_numbers_of_the_lesson() -> None:
    """What the text works out by hand for "journey", and what it prints of the documents' seeds."""
    text = LESSON.read_text(encoding="utf-8").replace("−", "-")
    queries, keys, values = projected()
    scores = queries @ keys.T
    weights = torch.softmax(scores / 2**0.5, dim=-1)
    lines = {
        "query": (queries[JOURNEY], 2),
        "scaled": (scores[JOURNEY] / 2**0.5, 4),
        "weights": (weights[JOURNEY], 4),
        "context": (torchs_attention(queries, keys, values)[JOURNEY], 4),
    }
    for numbers, places in lines.values():
        listed = [f"{number:.{places}f}" for number in numbers]
        assert any(sep.join(listed) in text for sep in (", ", ",\\ ")), listed
    for number in (scores[1, 0], scores[1, 1], scores[0, 1]):
        assert f"{number:.4f}" in text
    assert f"{torch.exp(scores[JOURNEY] / 2**0.5).sum():.5f}" in text
    for word, key, value in zip(YOUR_JOURNEY.words, keys, values, strict=True):
        row = next(line for line in text.splitlines() if line.startswith(f"| {word} | ["))
        printed = [[float(n) for n in cell.strip(" []").split(",")] for cell in row.split("|")[2:4]]
        assert_close(torch.tensor(printed, dtype=torch.float64), torch.stack([key, value]))


def test_one_matrix_is_symmetric() -> None:
    """What the text says of one matrix for both: it can find adjectives, not mutual attention."""
    W = torch.zeros(6, 2)
    W[1, 0], W[2, 0], W[4, 1], W[5, 1] = 6, 2, 3, -3
    assert set(what_nouns_look_at(lambda: (W, W)).values()) == {"fluffy, blue", "verdant", True}
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        vectors = torch.randn(8, 3, generator=generator)
        scores = vectors @ vectors.T
        assert_close(scores, scores.T)
        own = scores.diagonal()
        assert (torch.maximum(own[:, None], own) >= scores - 1e-5).all()


def test_pencil_to_four_decimals_passes() -> None:
    """Rounding after each step is no mistake; what comes of another slip keeps its name."""
    for divisor, name in ((3**0.5, ""), (1.0, "not_scaled"), (2.0, "root_of_four")):
        numbers = {
            key: torch.tensor(part, dtype=torch.float64) for key, part in features_by_hand().items()
        }
        scaled = (numbers["scores"][:, 2] / divisor).round(decimals=4)
        weights = torch.softmax(scaled, dim=0).round(decimals=4)
        z = (numbers["V"] @ weights).round(decimals=4)
        filled = {**numbers, "scaled": scaled, "weights": weights, "z": z}
        written = {key: part.tolist() for key, part in filled.items()}
        assert worksheet.preview(lambda written=written: written).misconception == name
        assert (worksheet.preview(lambda written=written: written).verdict is Verdict.PASSED) == (
            not name
        )
