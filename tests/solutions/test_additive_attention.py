"""The reference of lesson 01, against PyTorch itself."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from companion import plain_cell, plain_score
from companion.specimens import padding
from solutions.additive_attention import (
    AdditiveAttention,
    additive_score,
    alignment_by_hand,
    bahdanau_step,
    concat_annotations,
    concat_score,
    context_vector,
    is_blind_to_padding,
    local_weights,
    local_window,
    luong_score,
    luong_step,
    masked_softmax,
    repaired_alignment,
)

BATCH, SOURCE, QUERY, KEY, HIDDEN = 3, 5, 2, 4, 6
LENGTHS = torch.tensor([5, 1, 3])


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


def numbers(*shape: int, dtype: torch.dtype, seed: int = 0) -> Tensor:
    return torch.randn(
        *shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    ).to(dtype)


def scorer(W: Tensor, v: Tensor) -> nn.Module:
    """PyTorch's own two layers, as a score of concatenated states."""
    d_in, d_hidden = W.shape
    layers = nn.Sequential(
        nn.Linear(d_in, d_hidden, bias=False), nn.Tanh(), nn.Linear(len(v), 1, bias=False)
    )
    layers[0].weight.data, layers[2].weight.data = W.T, v[None]
    return layers


def pairs(queries: Tensor, keys: Tensor) -> Tensor:
    """[query ; key] for each sentence and word."""
    return torch.cat([queries[:, None].expand(-1, keys.shape[1], -1), keys], dim=-1)


def test_annotations_are_a_bidirectional_grus(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    both = nn.GRU(KEY, HIDDEN, bidirectional=True, dtype=dtype)
    backward = nn.GRU(KEY, HIDDEN, dtype=dtype)
    backward.load_state_dict(
        {name.removesuffix("_reverse"): w for name, w in both.named_parameters() if "rev" in name}
    )
    words = numbers(SOURCE, KEY, dtype=dtype)
    with torch.no_grad():
        annotations = both(words)[0]
        read_backward = backward(words.flip(0))[0]
    torch.testing.assert_close(
        concat_annotations(annotations[:, :HIDDEN], read_backward), annotations
    )


def test_concat_score_is_two_layers(dtype: torch.dtype) -> None:
    query, keys = numbers(QUERY, dtype=dtype), numbers(SOURCE, KEY, dtype=dtype, seed=1)
    W, v = numbers(QUERY + KEY, HIDDEN, dtype=dtype, seed=2), numbers(HIDDEN, dtype=dtype, seed=3)
    expected = scorer(W, v)(pairs(query[None], keys[None]))[0, :, 0].detach()
    torch.testing.assert_close(concat_score(query, keys, W, v), expected)
    torch.testing.assert_close(additive_score(query, keys, W[:QUERY], W[QUERY:], v), expected)
    torch.testing.assert_close(luong_score(query, keys, "concat", W, v), expected)


def test_repaired_is_two_layers(dtype: torch.dtype) -> None:
    query = numbers(BATCH, HIDDEN, dtype=dtype)
    keys, v = numbers(BATCH, SOURCE, HIDDEN, dtype=dtype, seed=1), numbers(HIDDEN, dtype=dtype)
    eye = torch.eye(HIDDEN, dtype=dtype)
    scores = scorer(torch.cat([eye, eye]), v)(pairs(query, keys))[..., 0].detach()
    torch.testing.assert_close(repaired_alignment(query, keys, v), nn.Softmax(dim=-1)(scores))


@pytest.mark.parametrize("scale", [1, 1000])
def test_masked_softmax_is_torchs(dtype: torch.dtype, scale: float) -> None:
    scores = scale * numbers(BATCH, SOURCE, dtype=dtype)
    weights = masked_softmax(scores, LENGTHS)
    for row, own, length in zip(weights, scores, LENGTHS, strict=True):
        torch.testing.assert_close(row[:length], torch.softmax(own[:length], dim=0))
        assert (row[length:] == 0).all()


def test_context_is_torchs(dtype: torch.dtype) -> None:
    scores, words = numbers(BATCH, SOURCE, dtype=dtype), numbers(BATCH, SOURCE, KEY, dtype=dtype)
    nothing = torch.zeros(BATCH, 1, KEY, dtype=dtype)
    expected = scaled_dot_product_attention(nothing, words, words, attn_mask=scores[:, None])
    torch.testing.assert_close(context_vector(scores.softmax(dim=-1), words), expected[:, 0])


def module(dtype: torch.dtype) -> AdditiveAttention:
    torch.manual_seed(1)
    return AdditiveAttention(QUERY, KEY, HIDDEN).to(dtype)


def test_module_is_torchs_layers(dtype: torch.dtype) -> None:
    attention = module(dtype)
    query, words = numbers(BATCH, QUERY, dtype=dtype), numbers(BATCH, SOURCE, KEY, dtype=dtype)
    W = torch.cat([attention.W_query.weight, attention.W_key.weight], dim=1).T
    scores = scorer(W, attention.v.weight[0])(pairs(query, words))[..., 0]
    hidden = torch.arange(SOURCE) >= LENGTHS[:, None]
    mask = scores.masked_fill(hidden, float("-inf"))[:, None]
    nothing = torch.zeros(BATCH, 1, KEY, dtype=dtype)
    context, weights = attention(query, words, LENGTHS)
    expected = scaled_dot_product_attention(nothing, words, words, attn_mask=mask)[:, 0]
    torch.testing.assert_close(context, expected)
    torch.testing.assert_close(weights, mask[:, 0].softmax(dim=-1))


def test_module_gradients_are_right() -> None:
    attention = module(torch.float64)
    query = numbers(BATCH, QUERY, dtype=torch.float64).requires_grad_()
    words = numbers(BATCH, SOURCE, KEY, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda q, w: attention(q, w, LENGTHS), (query, words))
    attention(query, words, LENGTHS)[0].sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in attention.parameters())


def test_dot_and_general_are_torchs(dtype: torch.dtype) -> None:
    query, keys = numbers(QUERY, dtype=dtype), numbers(SOURCE, KEY, dtype=dtype)
    W = numbers(QUERY, KEY, dtype=dtype, seed=4)
    expected = nn.functional.bilinear(query.expand(SOURCE, -1), keys, W[None])[:, 0]
    torch.testing.assert_close(luong_score(query, keys, "general", W), expected)
    torch.testing.assert_close(luong_score(keys[0], keys, "dot"), torch.mv(keys, keys[0]))
    with pytest.raises(ValueError, match="cosine"):
        luong_score(query, keys, "cosine")


def step_inputs(dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    return (
        numbers(BATCH, HIDDEN, dtype=dtype),
        numbers(BATCH, QUERY, dtype=dtype, seed=1),
        numbers(BATCH, SOURCE, KEY, dtype=dtype, seed=2),
    )


def found(state: Tensor, words: Tensor) -> Tensor:
    nothing = torch.zeros_like(words[:, :1])
    mask = plain_score(state, words)[:, None]
    return scaled_dot_product_attention(nothing, words, words, attn_mask=mask)[:, 0]


def test_bahdanau_attends_with_the_old_state(dtype: torch.dtype) -> None:
    old, word, words = step_inputs(dtype)
    torch.manual_seed(2)
    cell = nn.GRUCell(QUERY + KEY, HIDDEN, dtype=dtype)
    state, context, weights = bahdanau_step(old, word, words, plain_score, cell)
    torch.testing.assert_close(context, found(old, words))
    torch.testing.assert_close(weights, plain_score(old, words).softmax(dim=-1))
    torch.testing.assert_close(state, cell(torch.cat([word, found(old, words)], dim=-1), old))


def test_luong_attends_with_the_new_state(dtype: torch.dtype) -> None:
    old, word, words = step_inputs(dtype)
    W = numbers(KEY + HIDDEN, HIDDEN, dtype=dtype, seed=3)
    state, attentional, weights = luong_step(old, word, words, plain_score, plain_cell, W)
    torch.testing.assert_close(state, plain_cell(word, old))
    torch.testing.assert_close(weights, plain_score(state, words).softmax(dim=-1))
    both = torch.cat([found(state, words), state], dim=-1)
    torch.testing.assert_close(attentional, torch.tanh(nn.functional.linear(both, W.T)))


@pytest.mark.parametrize(
    ("p_t", "length", "D", "places"),
    [
        (4.0, 10, 2, [2, 3, 4, 5, 6]),
        (1.0, 8, 3, [0, 1, 2, 3, 4]),
        (6.0, 8, 3, [3, 4, 5, 6, 7]),
        (3.7, 9, 2, [2, 3, 4, 5]),
        (2.0, 5, 0, [2]),
        (0.0, 1, 4, [0]),
    ],
)
def test_windows(p_t: float, length: int, D: int, places: list[int]) -> None:
    assert local_window(p_t, length, D).tolist() == places
    assert local_window(p_t, length, D).dtype == torch.int64


def test_local_weights_are_a_damped_softmax(dtype: torch.dtype) -> None:
    scores, p_t, D = numbers(9, dtype=dtype), 3.4, 2
    places = torch.arange(2, 6)
    bell = torch.distributions.Normal(p_t, D / 2)
    damping = (bell.log_prob(places.double()) - bell.log_prob(torch.tensor(p_t).double())).exp()
    expected = torch.zeros_like(scores)
    expected[places] = torch.softmax(scores[places], dim=0) * damping.to(dtype)
    torch.testing.assert_close(local_weights(scores, p_t, D), expected)


def test_local_weights_of_the_lesson() -> None:
    scores = torch.tensor([1.2, 0.1, 0.4, 1.0, -0.2, 0.9, 1.5, 0.3])
    assert [round(w, 2) for w in scores.softmax(dim=0).tolist()] == [
        *(0.19, 0.06, 0.08, 0.15, 0.05, 0.14, 0.25, 0.08),
    ]
    window = scores[2:6].softmax(dim=0).tolist()
    assert [round(w, 2) for w in window] == [0.20, 0.36, 0.11, 0.33]
    weights = local_weights(scores, 3.4, 2)
    assert [round(w, 2) for w in weights.tolist()] == [0, 0, 0.07, 0.34, 0.09, 0.09, 0, 0]
    assert round(weights.sum().item(), 2) == 0.59


def test_blindness_is_recognised() -> None:
    query = numbers(BATCH, KEY, dtype=torch.float64)
    for fill in (0.0, 7.0):
        words = numbers(BATCH, SOURCE, KEY, dtype=torch.float64)
        words[torch.arange(SOURCE) >= LENGTHS[:, None]] = fill
        for blind in (padding.masked_attention, padding.average_of_words):
            assert is_blind_to_padding(blind, query, words, LENGTHS) is True
        for sees in (
            padding.unmasked_attention,
            padding.one_too_far,
            padding.first_length_for_all,
            padding.last_place_too,
            padding.zeroed_padding,
            padding.centred_attention,
            padding.average_of_everything,
            padding.misreported_weights,
        ):
            assert is_blind_to_padding(sees, query, words, LENGTHS) is False, sees.__name__


def test_worksheet_is_torchs() -> None:
    eye = torch.eye(2, dtype=torch.float64)
    keys = torch.tensor([[0.5, 0.5], [-0.5, 1.5], [1.0, 0.0]], dtype=torch.float64)
    words = torch.tensor([[2.0, 0.0], [0.0, 1.0], [1.0, -1.0]], dtype=torch.float64)
    score = scorer(torch.cat([eye, eye]), torch.tensor([2.0, 1.0], dtype=torch.float64))

    def step(query: list[float]) -> dict[str, Tensor]:
        asked = torch.tensor([query], dtype=torch.float64)
        weights = score(pairs(asked, keys[None]))[0, :, 0].detach().softmax(dim=0)
        return {"weights": weights, "context": weights @ words}

    by_hand = alignment_by_hand()
    for part, expected in step([-1.0, 0.5]).items():
        torch.testing.assert_close(torch.tensor(by_hand[part], dtype=torch.float64), expected)
    # The step that the lesson works out itself.
    first = step([0.5, -0.5])
    assert [round(w, 4) for w in first["weights"].tolist()] == [0.4336, 0.2024, 0.3640]
    assert [round(c, 4) for c in first["context"].tolist()] == [1.2311, -0.1615]
