"""The reference of lesson 04, against PyTorch itself."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from companion import HELLO_SHINY_SUN, YOUR_JOURNEY
from companion.specimens import causal_specimens
from solutions.causal_attention import (
    CausalAttention,
    causal_and_padding_mask,
    causal_attention_weights,
    causal_column_weights,
    causal_mask,
    causal_weights_by_hand,
    dropout,
    is_causal,
    mask_then_renormalise,
    masked_attention_weights,
    next_token_examples,
    repaired_causal_attention,
)

BATCH, TOKENS, D_IN, D_OUT = 3, 5, 4, 2


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


def drawn(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def library_weights(scores: Tensor, visible: Tensor | None = None) -> Tensor:
    """PyTorch's weights for finished scores, as a mask of floats, with a mask of visible keys."""
    *batch, queries, keys = scores.shape
    ask, answer = (torch.zeros(*batch, n, 1, dtype=scores.dtype) for n in (queries, keys))
    marks = torch.eye(keys, dtype=scores.dtype).expand(*batch, -1, -1)
    if visible is None:
        visible = torch.ones_like(scores, dtype=torch.bool).tril()
    mask = torch.where(visible, scores, -torch.inf)
    return scaled_dot_product_attention(ask, answer, marks, attn_mask=mask)


def test_mask_is_torchs() -> None:
    additive = nn.Transformer.generate_square_subsequent_mask(TOKENS)
    assert torch.equal(causal_mask(TOKENS), additive == -torch.inf)


@pytest.mark.parametrize("shape", [(TOKENS, TOKENS), (BATCH, TOKENS, TOKENS)])
def test_weights_are_torchs(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    scores = drawn(*shape, dtype=dtype)
    assert_close(causal_attention_weights(scores), library_weights(scores))
    assert_close(mask_then_renormalise(scores.softmax(dim=-1)), library_weights(scores))


def test_columns_are_torchs(dtype: torch.dtype) -> None:
    scores = drawn(TOKENS, TOKENS, dtype=dtype)
    assert_close(causal_column_weights(scores), library_weights(scores.T).T)


def test_repaired_is_torchs(dtype: torch.dtype) -> None:
    queries, keys = (drawn(BATCH, TOKENS, D_IN, dtype=dtype, seed=seed) for seed in (1, 2))
    values = drawn(BATCH, TOKENS, D_OUT, dtype=dtype, seed=3)
    expected = scaled_dot_product_attention(queries, keys, values, is_causal=True)
    assert_close(repaired_causal_attention(queries, keys, values), expected)


def test_padded_sentences_are_alone(dtype: torch.dtype) -> None:
    """In a padded batch, each sentence gets what PyTorch gives it without padding."""
    lengths = torch.tensor([5, 2, 0, 3])
    inputs = drawn(4, 5, D_IN, dtype=dtype)
    visible = ~causal_and_padding_mask(lengths)
    padded = scaled_dot_product_attention(inputs, inputs, inputs, attn_mask=visible)
    for sentence, context, length in zip(inputs, padded, lengths, strict=True):
        real = sentence[5 - length :][None]
        alone = scaled_dot_product_attention(real, real, real, is_causal=True)[0]
        assert_close(context[5 - length :], alone)
        assert not context[: 5 - length].any()


def test_hidden_rows_are_torchs(dtype: torch.dtype) -> None:
    scores = drawn(BATCH, TOKENS, D_IN, dtype=dtype)
    hidden = drawn(BATCH, TOKENS, D_IN) > 0
    hidden[1, 2] = True
    weights = masked_attention_weights(scores, hidden)
    assert_close(weights, library_weights(scores, ~hidden))
    assert not weights[1, 2].any()


def test_hidden_rows_have_gradients() -> None:
    scores = drawn(TOKENS, D_IN).requires_grad_()
    hidden = torch.zeros(TOKENS, D_IN, dtype=torch.bool)
    hidden[1] = True
    masked_attention_weights(scores, hidden).square().sum().backward()
    assert scores.grad is not None
    assert scores.grad.isfinite().all()


@pytest.mark.parametrize("p", [0.0, 0.25, 0.6])
def test_dropout_is_torchs(p: float, dtype: torch.dtype) -> None:
    """The same share of zeros, the same factor, the same mean: the numbers themselves may differ"""
    weights = torch.ones(400, 400, dtype=dtype)
    ours = dropout(weights, p, torch.Generator().manual_seed(0))
    torch.manual_seed(1)
    theirs = nn.functional.dropout(weights, p)
    assert ours.dtype == dtype
    assert_close(ours.unique(), theirs.unique())
    for measure in (lambda x: (x == 0).double().mean(), lambda x: x.double().mean()):
        assert_close(measure(ours), measure(theirs), atol=0.02, rtol=0)


def test_dropout_rests_in_eval(dtype: torch.dtype) -> None:
    weights = drawn(3, 4, dtype=dtype)
    assert torch.equal(dropout(weights, 0.5, torch.Generator(), training=False), weights)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("num_tokens", [1, 3, 7])
def test_module_is_torchs(num_tokens: int, bias: bool, dtype: torch.dtype) -> None:
    module = CausalAttention(D_IN, D_OUT, 7, dropout=0.5, qkv_bias=bias).to(dtype).eval()
    inputs = drawn(BATCH, num_tokens, D_IN, dtype=dtype)
    projected = (module.W_query(inputs), module.W_key(inputs), module.W_value(inputs))
    assert_close(module(inputs), scaled_dot_product_attention(*projected, is_causal=True))
    assert len(list(module.parameters())) == (6 if bias else 3)


def test_module_gradients_are_torchs() -> None:
    module = CausalAttention(D_IN, D_OUT, 7, dropout=0.0).double()
    inputs = drawn(BATCH, TOKENS, D_IN).requires_grad_()
    projected = (module.W_query(inputs), module.W_key(inputs), module.W_value(inputs))
    theirs = scaled_dot_product_attention(*projected, is_causal=True)
    wanted = [inputs, *module.parameters()]
    pairs = [torch.autograd.grad(x.sin().sum(), wanted) for x in (module(inputs), theirs)]
    for one, other in zip(*pairs, strict=True):
        assert_close(one, other)


def test_module_drops_weights() -> None:
    """With one token the only weight, 1, becomes 0 or 2, and both features with it."""
    module = CausalAttention(D_IN, D_OUT, 7, dropout=0.5).double()
    inputs = drawn(200, 1, D_IN)
    factors = (module.train()(inputs) / module.W_value(inputs)).detach().flatten(1)
    assert_close(factors.unique(dim=0), torch.tensor([[0.0, 0.0], [2.0, 2.0]]).double())


def test_mask_is_a_buffer() -> None:
    module = CausalAttention(D_IN, D_OUT, 7, dropout=0.0)
    assert torch.equal(module.state_dict()["mask"], causal_mask(7))
    assert module.to("meta").get_buffer("mask").is_meta


def test_seed_of_the_documents() -> None:
    """The numbers that the lesson prints, from the class."""
    torch.manual_seed(123)
    module = CausalAttention(3, 2, 6, 0.0)
    inputs = torch.tensor(YOUR_JOURNEY.vectors).float()
    contexts = module(torch.stack([inputs, inputs]))
    torch.manual_seed(123)
    layers = [nn.Linear(3, 2, bias=False) for _ in range(3)]
    assert_close(contexts[1], causal(*(layer(inputs) for layer in layers)))


def causal(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return scaled_dot_product_attention(queries, keys, values, is_causal=True)


def test_causality_is_recognised() -> None:
    inputs = drawn(2, 7, 3)
    recurrent = nn.GRU(3, 3, batch_first=True, dtype=torch.float64)
    both_ways = nn.GRU(3, 3, batch_first=True, bidirectional=True, dtype=torch.float64)
    assert is_causal(lambda x: recurrent(x)[0], inputs) is True
    assert is_causal(lambda x: both_ways(x)[0], inputs) is False
    assert is_causal(causal_specimens.causal_attention, inputs) is True


def test_examples_are_every_prefix() -> None:
    tokens = torch.arange(6)
    inputs, targets = next_token_examples(tokens)
    pairs = [(tokens[:n].tolist(), int(tokens[n])) for n in range(1, 6)]
    assert [(inputs[: i + 1].tolist(), int(t)) for i, t in enumerate(targets)] == pairs
    assert next_token_examples(tokens.reshape(2, 3))[1].tolist() == [[1, 2], [4, 5]]


def test_worksheet_is_torchs() -> None:
    words = torch.tensor(HELLO_SHINY_SUN.vectors)
    weights = scaled_dot_product_attention(
        words, words, torch.eye(3).double(), is_causal=True, scale=1.0
    )
    sheet = causal_weights_by_hand()
    for row, word in zip(weights, HELLO_SHINY_SUN.words, strict=True):
        assert sheet[f"weights of {word}"] == pytest.approx(row.tolist())
    assert sheet["context of shiny"] == pytest.approx((weights[1] @ words).tolist())


def test_numbers_of_the_lesson() -> None:
    """What the text and the pictures' descriptions say."""
    words = torch.tensor(YOUR_JOURNEY.vectors)
    plain = scaled_dot_product_attention(words, words, torch.eye(6).double())
    weights = causal_specimens.causal_map(words)
    assert plain[2].min().item() == pytest.approx(0.13, abs=0.005)
    assert plain[2].max().item() == pytest.approx(0.21, abs=0.005)
    assert weights[2, :3].tolist() == pytest.approx([0.27, 0.37, 0.36], abs=0.005)
    three = torch.tensor(HELLO_SHINY_SUN.vectors)
    printed = [[0.4556, 0.7842, 0.7196], [0.7842, 1.3569, 1.2487], [0.7196, 1.2487, 1.2406]]
    assert_close((three @ three.T).round(decimals=4), torch.tensor(printed).double())
    assert sum(range(1, 1001)) == 500500
