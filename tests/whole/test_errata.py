"""Recompute what docs/errata.md says, and read its numbers back from the page."""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import elu, scaled_dot_product_attention

from tests.support.course import ROOT

Array = npt.NDArray[np.float64]
Stands = Callable[..., None]

PAGE = ROOT / "docs" / "errata.md"
ENTRY = re.compile(r"\| \*\*(S\d)\.(\d+)\*\* \*(\w+)\*: (.+?) \| (.+?) \| (.+?) \| (\w+) \|")
DECIMAL = re.compile(r"(?<![\w.])−?\d+\.\d+(?![\d.]*\d)")

HELLO, SHINY, SUN = range(3)
HELLO_SHINY_SUN = np.array([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]])
YOUR, JOURNEY, STEP = 0, 1, 5
YOUR_JOURNEY = np.array(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)
# The digits that the first worked example prints for "shiny".
PRINTED_EXPONENTIALS = np.array([2.1902, 3.8839, 3.4858])
PRINTED_WEIGHTS = np.array([0.2291, 0.4064, 0.3645])
PRINTED_PRODUCTS = np.array(
    [[0.0779, 0.0504, 0.1237], [0.2156, 0.1382, 0.3983], [0.1057, 0.1972, 0.3390]]
)


@dataclass(frozen=True)
class Statement:
    """One line of the page: an entry of a table, or an item of a list of what is right."""

    truth: str
    checked: str
    tag: str = ""
    number: int = 0
    kind: str = ""
    lesson: str = ""

    @property
    def tests(self) -> list[str]:
        return re.findall(r"`(test_\w+)`", self.checked)


def page() -> list[str]:
    return PAGE.read_text(encoding="utf-8").splitlines()


def statements() -> list[Statement]:
    found = []
    for line in page():
        if match := ENTRY.fullmatch(line):
            tag, number, kind, _, truth, checked, lesson = match.groups()
            found.append(Statement(truth, checked, tag, int(number), kind, lesson))
        elif line.startswith("- ") and "`test_" in line:
            found.append(Statement(line, line))
    return found


def entries() -> list[Statement]:
    return [statement for statement in statements() if statement.tag]


@pytest.fixture
def stands(request: pytest.FixtureRequest) -> Iterator[Stands]:
    """Assert that numbers stand where the page names this test, and no other decimal does."""
    name = request.node.name
    truths = [statement.truth for statement in statements() if name in statement.tests]
    assert truths, f"docs/errata.md does not name {name}"
    seen: set[str] = set()

    def check(*texts: str | int) -> None:
        for text in map(str, texts):
            alone = re.compile(rf"(?<![\d.]){re.escape(text)}(?!\.?\d)")
            assert any(alone.search(truth) for truth in truths), f"{text} is not at {name}"
            seen.update(DECIMAL.findall(text))

    yield check
    unchecked = {number for truth in truths for number in DECIMAL.findall(truth)} - seen
    assert not unchecked, f"{name} does not compute {sorted(unchecked)}"


def digits(value: float, places: int = 4) -> str:
    return f"{value:.{places}f}".replace("-", "−")


def listed(values: Array | Tensor, places: int = 4) -> str:
    return "[" + ", ".join(digits(value, places) for value in values.tolist()) + "]"


def softmax(scores: Array) -> Array:
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights: Array = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights


def self_weights(inputs: Array) -> Array:
    return softmax(inputs @ inputs.T)


def cosine(a: Array, b: Array) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def hidden_future(tokens: int) -> Tensor:
    return torch.ones(tokens, tokens).triu(1).bool()


def normal(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


def journey_batch() -> Tensor:
    return torch.tensor(YOUR_JOURNEY, dtype=torch.float32).expand(2, 6, 3)


def seeded_layers(seed: int, d_in: int, d_out: int, count: int = 3) -> list[nn.Linear]:
    torch.manual_seed(seed)
    return [nn.Linear(d_in, d_out, bias=False) for _ in range(count)]


# The page itself


def test_named_tests_exist() -> None:
    named = {name for statement in statements() for name in statement.tests}
    assert named
    assert named <= set(globals())


def test_entries_are_numbered() -> None:
    for tag in ("S0", "S1", "S2", "S3", "S4"):
        numbers = [entry.number for entry in entries() if entry.tag == tag]
        assert numbers == list(range(1, len(numbers) + 1))
        title = next(line for line in page() if line.startswith(f"| {tag} "))
        assert title.endswith(f"| {len(numbers)} |")


def test_every_line_is_read() -> None:
    lines = [line for line in page() if line.startswith("| **")]
    assert len(lines) == len(entries())


def test_entries_are_complete() -> None:
    for entry in entries():
        assert entry.kind in {"wrong", "rounded", "condition", "name"}
        assert re.fullmatch(r"0\d_[a-z_]+", entry.lesson)
        assert len(entry.tests) == 1 or re.search(r"\b(19|20)\d\d\b|API pages", entry.checked)


# The article on computation logic


def test_length_is_dimension(stands: Stands) -> None:
    query, key = YOUR_JOURNEY[[YOUR, JOURNEY]]
    score = float(query @ key)
    stands(digits(score), digits(score / math.sqrt(len(key))), digits(cosine(query, key)))


def test_own_token_only(stands: Stands) -> None:
    value = YOUR_JOURNEY[JOURNEY]
    weights = self_weights(YOUR_JOURNEY)[JOURNEY]
    np.testing.assert_allclose(weights.sum(), 1)
    np.testing.assert_allclose(weights @ np.tile(value, (6, 1)), value)
    assert not np.allclose(weights @ YOUR_JOURNEY, value)


def test_attention_is_not_linear(stands: Stands) -> None:
    once, doubled = HELLO_SHINY_SUN, 2 * HELLO_SHINY_SUN
    stands(listed((self_weights(doubled) @ doubled)[SHINY]))
    stands(listed(2 * (self_weights(once) @ once)[SHINY]))


def test_query_key_asymmetry(stands: Stands) -> None:
    seed = 123
    torch.manual_seed(seed)
    W_query, W_key = torch.rand(3, 2), torch.rand(3, 2)
    inputs = journey_batch()[0]
    scores = (inputs @ W_query) @ (inputs @ W_key).T
    stands(digits(float(scores[YOUR, JOURNEY])), digits(float(scores[JOURNEY, YOUR])), seed)


def test_key_columns(stands: Stands) -> None:
    W_key, W_value = normal(3, 2), normal(3, 2, seed=1)
    transposed = (YOUR_JOURNEY @ W_key).T
    for token, column in zip(YOUR_JOURNEY, transposed.T, strict=True):
        np.testing.assert_allclose(column, token @ W_key)
        assert not np.allclose(column, token @ W_value)


def test_both_workflows(stands: Stands) -> None:
    W_query, W_key = normal(3, 2), normal(3, 2, seed=1)
    queries, keys = YOUR_JOURNEY @ W_query, YOUR_JOURNEY @ W_key
    for i, token in enumerate(YOUR_JOURNEY):
        np.testing.assert_allclose(token @ W_query, queries[i])
    one_by_one = queries[0][np.newaxis, :] @ keys[1][:, np.newaxis]
    np.testing.assert_allclose(one_by_one, [[np.dot(queries[0], keys[1])]])
    np.testing.assert_allclose((queries @ keys.T)[0, 1], one_by_one[0, 0])


# The article with "Hello shiny sun"


def test_scores_are_exact(stands: Stands) -> None:
    scores = HELLO_SHINY_SUN @ HELLO_SHINY_SUN[SHINY]
    np.testing.assert_allclose(scores, [0.7842, 1.3569, 1.2487], atol=1e-12)
    stands(*map(digits, scores))


def test_printed_exponentials(stands: Stands) -> None:
    exact = np.exp(HELLO_SHINY_SUN @ HELLO_SHINY_SUN[SHINY])
    assert list(exact.round(4) == PRINTED_EXPONENTIALS) == [False, False, True]
    np.testing.assert_allclose(PRINTED_EXPONENTIALS.sum(), 9.5599)
    assert round(math.exp(0.784), 4) == PRINTED_EXPONENTIALS[HELLO]
    stands("0.784", digits(exact[SHINY].round(4) - PRINTED_EXPONENTIALS[SHINY]))
    stands(*map(digits, exact), digits(exact.sum()))


def test_printed_weights(stands: Stands) -> None:
    exact = self_weights(HELLO_SHINY_SUN)[SHINY]
    from_printed = PRINTED_EXPONENTIALS / PRINTED_EXPONENTIALS.sum()
    np.testing.assert_array_equal(exact.round(4), from_printed.round(4))
    assert list(exact.round(4) == PRINTED_WEIGHTS) == [True, False, False]
    np.testing.assert_allclose(PRINTED_WEIGHTS.sum(), 1)
    slips = PRINTED_WEIGHTS - exact.round(4)
    np.testing.assert_allclose(slips, [0, 0.0001, -0.0001], atol=1e-12)
    stands(", ".join(map(digits, exact)), digits(slips[SHINY]))


def products_of(word: int) -> tuple[Array, Array]:
    """Return the weighted embedding with the printed weight, and with the exact one."""
    exact = self_weights(HELLO_SHINY_SUN)[SHINY, word]
    return PRINTED_WEIGHTS[word] * HELLO_SHINY_SUN[word], exact * HELLO_SHINY_SUN[word]


def test_hello_products(stands: Stands) -> None:
    for products in products_of(HELLO):
        np.testing.assert_array_equal(products.round(4), PRINTED_PRODUCTS[HELLO])
        stands(listed(products))


def test_shiny_products(stands: Stands) -> None:
    from_printed, exact = products_of(SHINY)
    slips = PRINTED_PRODUCTS[SHINY] - from_printed.round(4)
    np.testing.assert_allclose(slips, [0.0002, 0, 0], atol=1e-12)
    lowest = (PRINTED_PRODUCTS[SHINY] - 0.00005) / HELLO_SHINY_SUN[SHINY]
    highest = (PRINTED_PRODUCTS[SHINY] + 0.00005) / HELLO_SHINY_SUN[SHINY]
    assert lowest[0] > highest[2]
    stands(digits(lowest[0]), digits(highest[2]), digits(slips[0]), "0.4064")
    stands(listed(from_printed), listed(exact))


def test_sun_products(stands: Stands) -> None:
    from_printed, exact = products_of(SUN)
    slips = PRINTED_PRODUCTS[SUN] - from_printed.round(4)
    np.testing.assert_allclose(slips, [0, 0.0004, 0], atol=1e-12)
    stands(digits(slips[1]), "0.3645", listed(from_printed), listed(exact))


def test_context_of_shiny(stands: Stands) -> None:
    exact = (self_weights(HELLO_SHINY_SUN) @ HELLO_SHINY_SUN)[SHINY]
    rounded_products = (PRINTED_WEIGHTS[:, np.newaxis] * HELLO_SHINY_SUN).round(4)
    for rounded in (PRINTED_WEIGHTS @ HELLO_SHINY_SUN, rounded_products.sum(axis=0)):
        np.testing.assert_array_equal(rounded.round(4), exact.round(4))
        stands(listed(rounded))
    printed = PRINTED_PRODUCTS.sum(axis=0)
    np.testing.assert_allclose(printed, [0.3992, 0.3858, 0.8610])
    slips = printed - exact.round(4)
    np.testing.assert_allclose(slips, [0.0002, 0.0004, 0], atol=1e-12)
    stands(listed(exact, 6), listed(exact), digits(slips[0]), digits(slips[1]))


def test_softmax_against_sum(stands: Stands) -> None:
    sharper = []
    for scores in HELLO_SHINY_SUN @ HELLO_SHINY_SUN.T:
        weights, shares = softmax(scores), scores / scores.sum()
        ratios = [kind.max() / kind.min() for kind in (weights, shares)]
        sharper.append(ratios[0] > ratios[1])
        assert sharper[-1] == (np.ptp(scores) > np.ptp(np.log(scores)))
        stands(" against ".join(map(digits, ratios)))
        if len(sharper) <= 2:
            stands(f"{listed(weights)} against {listed(shares)}")
    assert sharper == [False, True, False]


def test_sum_over_words(stands: Stands) -> None:
    weighted = self_weights(HELLO_SHINY_SUN)[SHINY][:, np.newaxis] * HELLO_SHINY_SUN
    stands(listed(weighted.sum(axis=1)))
    assert not np.allclose(weighted.sum(axis=0), weighted.sum(axis=1), atol=0.1)


def test_distance_is_no_bar(stands: Stands) -> None:
    order = [0, 4, 2, 1, 3, 5]
    stands(digits(self_weights(YOUR_JOURNEY)[STEP, YOUR]))
    np.testing.assert_allclose(
        self_weights(YOUR_JOURNEY[order])[STEP, YOUR], self_weights(YOUR_JOURNEY)[STEP, YOUR]
    )


def test_word_attends_to_itself(stands: Stands) -> None:
    weights = self_weights(HELLO_SHINY_SUN)[SHINY]
    assert weights.argmax() == SHINY
    stands(digits(weights[SHINY]))


def test_projection_shapes(stands: Stands) -> None:
    for seed in range(3):
        projected = YOUR_JOURNEY @ normal(3, 2, seed=seed)
        assert projected.shape == (6, 2)
        assert projected[0].shape == (2,) != YOUR_JOURNEY[0].shape
    stands(6, 2, 3)


def test_fragment_lacks_torch(stands: Stands) -> None:
    names: dict[str, object] = {}
    exec("import torch.nn as layers", names)
    with pytest.raises(NameError, match="'torch'"):
        exec("torch.rand(3, 2)", names)
    stands("NameError")


def test_linear_starts_random(stands: Stands) -> None:
    assert nn.Parameter(torch.rand(3, 2)).requires_grad
    first, second = seeded_layers(0, 3, 1000, count=2)
    assert not torch.equal(first.weight, second.weight)
    bound = 1 / math.sqrt(3)
    assert first.weight.shape == (1000, 3)
    assert -bound <= float(first.weight.detach().min()) < -0.99 * bound
    assert bound >= float(first.weight.detach().max()) > 0.99 * bound
    stands(digits(-bound), digits(bound))


def test_transpose_needs_matrix(stands: Stands) -> None:
    queries, keys = torch.rand(2, 6, 4), torch.rand(2, 6, 4)
    assert (queries[0] @ keys[0].T).shape == (6, 6)
    assert (queries @ keys.transpose(1, 2)).shape == (2, 6, 6)
    reversed_axes = keys.permute(2, 1, 0)
    with pytest.raises(RuntimeError):
        _ = queries @ reversed_axes


def test_current_token_is_seen(stands: Stands) -> None:
    scores = torch.rand(4, 4)
    weights = scores.masked_fill(hidden_future(4), -torch.inf).softmax(dim=-1)
    assert (weights.diagonal() > 0).all()
    without_diagonal = torch.ones(4, 4).triu(0).bool()
    emptied = scores.masked_fill(without_diagonal, -torch.inf).softmax(dim=-1)
    assert emptied[0].isnan().all()
    assert not emptied[1:].isnan().any()
    stands("NaN")


def test_mask_product_is_nan(stands: Stands) -> None:
    mask = torch.triu(torch.full((3, 3), 1.0), 1).mul(-math.inf)
    weights = (torch.rand(3, 3) + mask).softmax(dim=-1)
    stands(mask.numel(), int(mask.isnan().sum()), f"all {int(weights.isnan().sum())}")
    filled = torch.zeros(3, 3).masked_fill(hidden_future(3), -torch.inf)
    assert not filled.softmax(dim=-1).isnan().any()


def test_dropout_rescales(stands: Stands) -> None:
    torch.manual_seed(0)
    weights = torch.tensor(self_weights(YOUR_JOURNEY))
    p = 0.5
    dropped = nn.Dropout(p)(weights)
    kept = dropped != 0
    assert 0 < kept.sum() < weights.numel()
    torch.testing.assert_close(dropped[kept], weights[kept] / (1 - p))
    assert not torch.allclose(dropped.sum(dim=-1), torch.ones(6, dtype=torch.float64))
    stands(p)


def test_batch_is_sequences(stands: Stands) -> None:
    sequences, tokens, _ = journey_batch().shape
    stands(f"{sequences} sequences of {tokens} tokens", sequences * tokens)


def test_three_heads_fail(stands: Stands) -> None:
    assert 8 % 3 != 0
    with pytest.raises(AssertionError):
        nn.MultiheadAttention(8, num_heads=3)
    for heads in (2, 4):
        assert nn.MultiheadAttention(8, num_heads=heads).head_dim == 8 // heads
    stands("2 heads get 4", "4 heads 2")


def test_heads_read_everything(stands: Stands) -> None:
    inputs = torch.rand(6, 8, requires_grad=True)
    heads = seeded_layers(0, 8, 8, count=1)[0](inputs).view(6, 2, 4)
    for head in range(2):
        (gradient,) = torch.autograd.grad(heads[:, head].sum(), inputs, retain_graph=True)
        assert (gradient != 0).all()


def test_narrow_heads_cost_less(stands: Stands) -> None:
    for width in (512 // 8, 512):
        head = [nn.Linear(512, width, bias=False, device="meta") for _ in range(3)]
        stands(f"8 heads of {width}", 8 * sum(layer.weight.numel() for layer in head))


def test_single_feature_heads(stands: Stands) -> None:
    head_dim = 2 // 2
    heads = torch.rand(2, 2, 6, head_dim)
    torch.testing.assert_close(
        scaled_dot_product_attention(heads, heads, heads, is_causal=True),
        scaled_dot_product_attention(heads, heads, heads, is_causal=True, scale=1.0),
    )
    stands(head_dim)


def test_library_module_defaults(stands: Stands) -> None:
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(8, num_heads=2)
    assert not attention.batch_first
    assert attention.in_proj_bias is not None
    tokens = torch.rand(6, 1, 8)
    changed = torch.cat([tokens[:-1], tokens[-1:] + 1])
    outputs = [attention(each, each, each)[0] for each in (tokens, changed)]
    assert outputs[0].shape == tokens.shape
    assert not torch.allclose(outputs[0][0], outputs[1][0])
    masked = [attention(x, x, x, attn_mask=hidden_future(6))[0] for x in (tokens, changed)]
    torch.testing.assert_close(masked[0][:-1], masked[1][:-1])


def test_self_attention_seed(stands: Stands) -> None:
    queries, keys, values = (layer(journey_batch()[0]) for layer in seeded_layers(789, 3, 2))
    contexts = (queries @ keys.T / 2**0.5).softmax(dim=-1) @ values
    assert contexts.shape == (6, 2)
    stands(listed(contexts[0]), 789)


def causal_contexts(batch: Tensor) -> tuple[Tensor, Tensor]:
    """Return the contexts, and the values, of single-head causal attention with seed 123."""
    queries, keys, values = (layer(batch) for layer in seeded_layers(123, 3, 2))
    return scaled_dot_product_attention(queries, keys, values, is_causal=True), values


def test_causal_attention_seed(stands: Stands) -> None:
    contexts, values = causal_contexts(journey_batch())
    torch.testing.assert_close(contexts[:, 0], values[:, 0])
    shorter, _ = causal_contexts(journey_batch()[:, :4])
    torch.testing.assert_close(shorter, contexts[:, :4])
    stands(str(tuple(contexts.shape)), listed(contexts[0, 0]), 123)


def test_multi_head_seed(stands: Stands) -> None:
    layers = seeded_layers(123, 3, 2)
    out_proj = nn.Linear(2, 2)
    queries, keys, values = (
        layer(journey_batch()).unflatten(-1, (2, 1)).transpose(1, 2) for layer in layers
    )
    heads = scaled_dot_product_attention(queries, keys, values, is_causal=True)
    contexts = out_proj(heads.transpose(1, 2).flatten(2))
    stands(str(tuple(contexts.shape)), listed(contexts[0, 0]), 123)


def test_equal_heads_stay_equal(stands: Stands) -> None:
    torch.manual_seed(0)
    inputs, target = torch.randn(8, 6, 3), torch.randn(8, 6, 4)
    # One matrix per role and head, and one that takes the head's output into the sum over heads.
    shapes = [(3, 2), (3, 2), (3, 2), (2, 4)]

    def apart(start: list[list[Tensor]]) -> float:
        heads = [[matrix.clone().requires_grad_() for matrix in head] for head in start]
        optimizer = torch.optim.Adam([matrix for head in heads for matrix in head], lr=0.05)
        for _ in range(20):
            output = sum(
                scaled_dot_product_attention(inputs @ q, inputs @ k, inputs @ v) @ out
                for q, k, v, out in heads
            )
            loss = (output - target).square().mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        moved = [(a - b).abs().max().item() for a, b in zip(heads[0], start[0], strict=True)]
        assert min(moved) > 0.1
        return max((a - b).abs().max().item() for a, b in zip(*heads, strict=True))

    first, second = ([torch.randn(*shape) for shape in shapes] for _ in range(2))
    assert apart([first, first]) < 1e-6
    assert apart([first, second]) > 0.5
    stands(20)


# The article after "AI by Hand"


def test_features_are_columns(stands: Stands) -> None:
    X = normal(6, 4)
    Q, K, V = (normal(3, 6, seed=seed) @ X for seed in (1, 2, 3))
    A = softmax((K.T @ Q / math.sqrt(3)).T).T
    stands("6 × 4", "{} × {}".format(*A.shape), "{} × {}".format(*(V @ A).shape))


def test_dot_product_is_not_cosine(stands: Stands) -> None:
    hello, shiny, sun = HELLO_SHINY_SUN
    assert shiny @ sun > 1 >= cosine(shiny, sun)
    stands(digits(hello @ shiny), digits(cosine(hello, shiny)), digits(shiny @ sun))


def test_dot_product_near_one(stands: Stands) -> None:
    for inputs in (YOUR_JOURNEY, HELLO_SHINY_SUN):
        a, b = inputs[:2]
        stands(digits(a @ b), f"{digits(math.degrees(math.acos(cosine(a, b))), 1)}")
    stands(digits(cosine(*YOUR_JOURNEY[:2])))


def test_dot_product_near_zero(stands: Stands) -> None:
    shiny = HELLO_SHINY_SUN[SHINY]
    assert cosine(shiny, shiny / 100) == pytest.approx(1)
    stands(digits(shiny @ (shiny / 100)))


def test_diagonal_is_kept(stands: Stands) -> None:
    scores = HELLO_SHINY_SUN @ HELLO_SHINY_SUN.T
    assert scores[SHINY].argmax() == SHINY
    stands(digits(scores[SHINY, SHINY]))


def test_scores_are_not_weights(stands: Stands) -> None:
    scores = HELLO_SHINY_SUN @ HELLO_SHINY_SUN.T
    from_scores = (scores @ HELLO_SHINY_SUN)[SHINY]
    assert (from_scores > HELLO_SHINY_SUN.max(axis=0)).all()
    stands(listed(from_scores), listed((softmax(scores) @ HELLO_SHINY_SUN)[SHINY]))


def test_weight_times_value(stands: Stands) -> None:
    weights, values = np.array([0.9, 0.1]), np.array([0.0, 1.0])
    stands(*(digits(number, 1) for number in (*weights, *(weights * values))))


def test_words_become_equal(stands: Stands) -> None:
    def apart(words: Array) -> str:
        return digits(float(np.ptp(words, axis=0).max()))

    once = self_weights(YOUR_JOURNEY) @ YOUR_JOURNEY
    twice = self_weights(once) @ once
    stands(apart(YOUR_JOURNEY), apart(once), apart(twice))
    added = YOUR_JOURNEY + once
    stands(apart(added + self_weights(added) @ added))


def test_column_convention(stands: Stands) -> None:
    X = normal(6, 4)
    W_q, W_k, W_v = (normal(3, 6, seed=seed) for seed in (1, 2, 3))
    scores = (W_k @ X).T @ (W_q @ X) / math.sqrt(3)
    exponentials = np.exp(scores)
    columns = (W_v @ X) @ (exponentials / exponentials.sum(axis=0))
    queries, keys, values = X.T @ W_q.T, X.T @ W_k.T, X.T @ W_v.T
    np.testing.assert_allclose(columns.T, softmax(queries @ keys.T / math.sqrt(3)) @ values)


def test_square_root_of_three(stands: Stands) -> None:
    stands(digits(math.sqrt(3)))


# The article on multi-head attention


def test_vectors_are_computed(stands: Stands) -> None:
    (W_query,) = seeded_layers(0, 3, 2, count=1)
    before = W_query.weight.clone()
    first, second = W_query(torch.rand(1, 3)), W_query(torch.rand(1, 3))
    assert not torch.allclose(first, second)
    torch.testing.assert_close(W_query.weight, before)


def test_head_width_keeps_cost(stands: Stands) -> None:
    costs = set()
    for heads in (1, 8):
        attention = nn.MultiheadAttention(512, heads, bias=False, device="meta")
        costs.add(sum(parameter.numel() for parameter in attention.parameters()))
        stands(attention.head_dim)
    (cost,) = costs
    stands(cost)


def test_softmax_per_decoder_step(stands: Stands) -> None:
    weights = softmax(normal(3, 5))
    np.testing.assert_allclose(weights.sum(axis=1), np.ones(3))
    stands("{} distributions of {}".format(*weights.shape))


def test_additive_equals_concat(stands: Stands) -> None:
    state, annotation = normal(4), normal(5, seed=1)
    W, U, v = normal(7, 4, seed=2), normal(7, 5, seed=3), normal(7, seed=4)
    concatenated = v @ np.tanh(np.hstack([W, U]) @ np.concatenate([state, annotation]))
    np.testing.assert_allclose(concatenated, v @ np.tanh(W @ state + U @ annotation))


def test_soft_can_be_sharp(stands: Stands) -> None:
    stands(digits(softmax(np.array([10.0, 0.0, 0.0]))[0]))


def test_queries_come_from_decoder(stands: Stands) -> None:
    decoder, encoder = torch.rand(1, 4, 8), torch.rand(1, 7, 8)
    outputs = scaled_dot_product_attention(decoder, encoder, encoder)
    weights = (decoder @ encoder.transpose(1, 2) / 8**0.5).softmax(dim=-1)
    torch.testing.assert_close(outputs, weights @ encoder)
    targets, sources = weights.shape[1:]
    stands(f"{targets} target", f"{sources} source", f"{outputs.shape[1]} outputs")


def test_square_root_scales(stands: Stands) -> None:
    d_k = 64
    queries, keys = normal(20_000, d_k), normal(20_000, d_k, seed=1)
    deviation = (queries * keys).sum(axis=1).std()
    assert deviation == pytest.approx(math.sqrt(d_k), rel=0.02)
    scores = np.array([8.0, 0.0])
    for divisor in (math.isqrt(d_k), d_k**2):
        stands(divisor, digits(softmax(scores / divisor)[0]))


def test_context_size_is_fixed(stands: Stands) -> None:
    for length in (3, 7):
        context = softmax(normal(length)) @ normal(length, 5)
        stands(length, f"same {context.shape[0]} components")


def banded_pairs(tokens: int, each_side: int) -> int:
    positions = np.arange(tokens)
    return int((abs(positions[:, np.newaxis] - positions) <= each_side).sum())


def test_pattern_counts(stands: Stands) -> None:
    fixed = [banded_pairs(tokens, 1) for tokens in (64, 128)]
    growing = [banded_pairs(tokens, tokens // 8) for tokens in (64, 128)]
    assert fixed[1] / fixed[0] == pytest.approx(2, rel=0.02)
    assert growing[1] / growing[0] == pytest.approx(4, rel=0.03)
    stands(*fixed, *growing)


def test_linear_attention_cost(stands: Stands) -> None:
    d = 512

    def costs(tokens: int) -> tuple[int, int]:
        return 2 * tokens * tokens * d, 2 * tokens * d * d

    assert costs(128)[1] == 4 * costs(128)[0]
    assert costs(d)[0] == costs(d)[1]
    stands(*costs(128), f"N = {d}")


def feature_products(inputs: Array) -> Array:
    features = elu(torch.tensor(inputs)) + 1
    products: Array = (features @ features.T).numpy()
    return products


def test_normaliser_is_needed(stands: Stands) -> None:
    stands(digits(feature_products(HELLO_SHINY_SUN)[SHINY].sum()))


def test_linear_is_another_function(stands: Stands) -> None:
    products = feature_products(HELLO_SHINY_SUN)
    linear = products / products.sum(axis=1, keepdims=True) @ HELLO_SHINY_SUN
    stands(listed(linear[SHINY]), listed((self_weights(HELLO_SHINY_SUN) @ HELLO_SHINY_SUN)[SHINY]))


def test_products_associate(stands: Stands) -> None:
    Q, K, V = normal(6, 4), normal(6, 4, seed=1), normal(6, 3, seed=2)
    np.testing.assert_allclose((Q @ K.T) @ V, Q @ (K.T @ V))


def test_causal_mask_breaks_equivariance(stands: Stands) -> None:
    tokens, order = journey_batch()[:1], [5, 4, 3, 2, 1, 0]
    for causal in (False, True):
        straight, permuted = (
            scaled_dot_product_attention(x, x, x, is_causal=causal)
            for x in (tokens, tokens[:, order])
        )
        assert torch.allclose(permuted, straight[:, order]) is not causal


def test_longest_wavelength(stands: Stands) -> None:
    for d in (512, 48):
        longest = 10000 ** ((d - 2) / d) * 2 * math.pi
        assert longest < 10000 * 2 * math.pi
        stands(digits(longest, 1), f"d = {d}")
    stands(digits(10000 * 2 * math.pi, 1))


def test_repetition_after_six(stands: Stands) -> None:
    stands(digits(2 * math.pi))
    for steps in (6, 44):
        stands(digits(math.sin(steps)), digits(math.cos(steps)))
    assert min(range(1, 45), key=lambda steps: abs(math.sin(steps / 2))) == 44


def sinusoids(positions: Array, d: int) -> Array:
    angles = positions[:, np.newaxis] / 10000 ** (np.arange(0, d, 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(positions), d)


def test_wavelength_ratio(stands: Stands) -> None:
    for d in (48, 512):
        ratio = 10000 ** (2 / d)
        positions = np.linspace(0, 50, 101)
        first = sinusoids(positions, d)
        stretched = sinusoids(positions * ratio, d)
        np.testing.assert_allclose(stretched[:, 2:4], first[:, :2], atol=1e-12)
        np.testing.assert_allclose(sinusoids(positions + math.pi / 2, d)[:, 0], first[:, 1])
        stands(digits(ratio), f"d = {d}")
    stands(digits(2 * math.log(10000) / math.log(2), 1))


def test_projections_dominate(stands: Stands) -> None:
    n = d = 512
    stands(2 * n * n * d, 4 * n * d * d, 8 * n * d * d)
    longest = 6 * d
    assert 2 * longest * longest * d == (4 + 8) * longest * d * d
    stands(longest)


def test_recurrence_needs_less_work(stands: Stands) -> None:
    n, d = 4096, 512
    assert n * n * d == 8 * n * d * d
    stands(n * n * d, n * d * d, f"n = {n}", f"d = {d}")


def strided_pairs(tokens: int) -> int:
    stride = math.isqrt(tokens)
    distances = np.arange(tokens)[:, np.newaxis] - np.arange(tokens)
    near_or_strided = (distances < stride) | (distances % stride == 0)
    return int(((distances >= 0) & near_or_strided).sum())


def test_sparse_pairs(stands: Stands) -> None:
    short, long = strided_pairs(256), strided_pairs(1024)
    stands("n = 256", 1024, short, long, digits(long / short, 2))


def test_projection_mixes_heads(stands: Stands) -> None:
    heads = torch.rand(7, 2, 4, requires_grad=True)
    outputs = seeded_layers(0, 8, 8, count=1)[0](heads.flatten(1))
    (gradient,) = torch.autograd.grad(outputs[:, 0].sum(), heads)
    assert (gradient.abs().sum(dim=-1) > 0).all()
    stands(f"{len(heads)} tokens in, {len(outputs)} vectors out")


def test_single_head_sees_all(stands: Stands) -> None:
    weights = self_weights(HELLO_SHINY_SUN)
    assert (weights > 0).all()
    stands(", ".join(map(digits, weights[SHINY])))


def test_grouped_cache_is_larger(stands: Stands) -> None:
    layers, head_dim = 80, 128
    grouped, single, multi = (
        torch.empty(2, layers, heads, head_dim, dtype=torch.float16, device="meta").nbytes
        for heads in (8, 1, 64)
    )
    stands(grouped, single, multi, f"{grouped // single} times")
    # Measured on the authors' machines, and copied from their table.
    stands("0.28", "0.24", "1.51")


def test_shift_is_linear(stands: Stands) -> None:
    d, k = 8, 3.0
    at_zero = np.eye(d)
    for pair, rate in enumerate(1 / 10000 ** (np.arange(0, d, 2) / d)):
        cos, sin = np.cos(k * rate), np.sin(k * rate)
        at_zero[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = [[cos, sin], [-sin, cos]]
    positions = np.arange(20.0)
    np.testing.assert_allclose(
        sinusoids(positions, d) @ at_zero.T, sinusoids(positions + k, d), atol=1e-12
    )


# The notes with tokens on columns


def test_value_factor_sizes(stands: Stands) -> None:
    n, d, tokens = 6, 2, 4
    down, up, X = normal(d, n), normal(n, d, seed=1), normal(n, tokens, seed=2)
    np.testing.assert_allclose((up @ down) @ X, up @ (down @ X))
    assert np.linalg.matrix_rank(up @ down) == d
    with pytest.raises(ValueError, match="mismatch"):
        _ = normal(n, d) @ X
    assert (X.T @ normal(n, d) @ normal(d, n)).shape == (tokens, n)
    n, d = 12288, 128
    assert 2 * (n // 2) * n == n * n
    stands(2 * d * n, n * n)


def test_value_up_is_wide(stands: Stands) -> None:
    n, d, tokens, heads = 6, 2, 4, 3
    X = normal(n, tokens)
    downs, ups = normal(heads, d, n, seed=1), normal(heads, n, d, seed=2)
    A = softmax(normal(heads, tokens, tokens, seed=3)).transpose(0, 2, 1)
    Y = np.concatenate([down @ X @ a for down, a in zip(downs, A, strict=True)])
    wide = np.hstack(list(ups))
    assert (wide.shape, Y.shape) == ((n, heads * d), (heads * d, tokens))
    full = sum((up @ down) @ X @ a for up, down, a in zip(ups, downs, A, strict=True))
    np.testing.assert_allclose(wide @ Y, full)


def test_values_are_multiplied(stands: Stands) -> None:
    V = normal(3, 4)
    A = softmax(normal(4, 4, seed=1)).T
    assert (V @ A).shape == V.shape
    for averages, values in zip(V @ A, V, strict=True):
        assert values.min() <= averages.min() <= averages.max() <= values.max()
    for impossible in (np.add, np.matmul):
        with pytest.raises(ValueError, match=r"mismatch|broadcast"):
            impossible(A, V)


def test_triangle_per_convention(stands: Stands) -> None:
    scores = torch.rand(5, 5)
    rows = scores.masked_fill(hidden_future(5), -torch.inf).softmax(dim=1)
    below = torch.ones(5, 5).tril(-1).bool()
    columns = scores.T.masked_fill(below, -torch.inf).softmax(dim=0)
    torch.testing.assert_close(columns, rows.T)
    torch.testing.assert_close(below, hidden_future(5).T)


def test_prefixes_not_subsequences(stands: Stands) -> None:
    words = range(6)
    subsequences = sum(1 for size in range(1, 7) for _ in combinations(words, size))
    stands(f"{len(words)} prefixes", subsequences)


def test_cross_attention_padding(stands: Stands) -> None:
    hidden = torch.tensor([False, False, False, True, True])
    scores = torch.zeros(5)
    stands(digits(float(scores.softmax(dim=0)[hidden].sum())))
    assert scores.masked_fill(hidden, -torch.inf).softmax(dim=0)[hidden].sum() == 0
