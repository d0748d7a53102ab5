"""The reference of lesson 09, from text to text: against plain Python and PyTorch."""

import math
import random
from itertools import pairwise

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from companion.specimens import tokenizers
from solutions.transformer import (
    encode,
    generate,
    is_lossless,
    learn_merges,
    next_token_distribution,
    next_token_loss,
    softmax_with_sink,
)

Pair = tuple[str, str]

TEXTS = [
    "low lower lowest",
    "aaabdaaabac",
    "to be or not to be",
    "banana bandana",
    "",
    "a",
    *("".join(random.Random(seed).choices("ab c", k=80)) for seed in range(5)),
]


def in_ids(text: str, num_merges: int) -> list[Pair]:
    """The merges as minBPE finds them, with ids in place of pieces and spans in place of texts."""
    alphabet = sorted(set(text))
    spelt = dict(enumerate(alphabet))
    ids = [alphabet.index(letter) for letter in text]
    merges: list[Pair] = []
    while len(merges) < num_merges:
        counts: dict[tuple[int, int], int] = {}
        for place in range(len(ids) - 1):
            two = (ids[place], ids[place + 1])
            counts[two] = counts.get(two, 0) + 1
        often = [two for two, count in counts.items() if count == max(counts.values()) > 1]
        if not often:
            break
        left, right = often[0]
        merges.append((spelt[left], spelt[right]))
        new = len(spelt)
        spelt[new] = spelt[left] + spelt[right]
        place = 0
        while place + 1 < len(ids):
            if (ids[place], ids[place + 1]) == (left, right):
                ids[place : place + 2] = [new]
            place += 1
    return merges


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("num_merges", [0, 1, 4, 1000])
def test_merges_are_those_of_ids(text: str, num_merges: int) -> None:
    assert learn_merges(text, num_merges) == in_ids(text, num_merges)


def test_first_of_equal_pairs() -> None:
    assert learn_merges("dcdcabab", 2) == [("d", "c"), ("a", "b")]


def test_neighbours_overlap() -> None:
    assert learn_merges("aaa", 1) == [("a", "a")]


def one_pair_at_a_time(text: str, merges: list[Pair]) -> list[str]:
    """The pieces as GPT-2 finds them: again and again the pair that was learnt first."""
    pieces = list(text)
    while True:
        places = [
            (merges.index((left, right)), place)
            for place, (left, right) in enumerate(pairwise(pieces))
            if (left, right) in merges
        ]
        if not places:
            return pieces
        place = min(places)[1]
        pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("learnt_from", ["low lower lowest", "abcab cabba acabc aabb", "aaaaaaaa"])
def test_pieces_are_those_of_one_pair_at_a_time(text: str, learnt_from: str) -> None:
    merges = learn_merges(learnt_from, 9)
    pieces = encode(text, merges)
    assert pieces == one_pair_at_a_time(text, merges)
    assert "".join(pieces) == text


def test_order_of_merges_counts() -> None:
    merges = [("b", "c"), ("a", "b")]
    assert encode("abc", merges) == ["a", "bc"]
    assert encode("abc", merges[::-1]) == ["ab", "c"]


def test_pieces_of_any_text_come_back() -> None:
    merges = learn_merges("to be or not to be", 9)
    vocabulary = sorted({*map("".join, merges), *"".join(TEXTS)})

    def ids(text: str) -> list[int]:
        return [vocabulary.index(piece) for piece in encode(text, merges)]

    def text(ids: list[int]) -> str:
        return "".join(vocabulary[number] for number in ids)

    assert is_lossless(ids, text, TEXTS)
    assert not is_lossless(ids, text, [*TEXTS, "unheard of"])


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["one", "One"], False),
        (["One", "one"], False),
        (["one", "two"], True),
        ([""], True),
    ],
)
def test_every_text_counts(texts: list[str], expected: bool) -> None:
    decode = tokenizers.from_table_ids
    assert is_lossless(tokenizers.small_letters, decode, texts) is expected


def test_errors_are_losses() -> None:
    decode = tokenizers.from_table_ids
    assert not is_lossless(tokenizers.known_letters, decode, ["abc", "a b"])
    assert not is_lossless(tokenizers.table_ids, tokenizers.from_a_short_table, ["café"])


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


@pytest.mark.parametrize("shape", [(3, 6, 5), (1, 2, 4), (2, 3, 2)])
def test_loss_is_torchs(shape: tuple[int, int, int], dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(shape, generator=generator, dtype=dtype)
    tokens = torch.randint(shape[2], shape[:2], generator=generator)
    criterion = nn.CrossEntropyLoss()
    # One text after the other, one prediction after the other.
    losses = [
        criterion(logits[text, place], tokens[text, place + 1])
        for text in range(shape[0])
        for place in range(shape[1] - 1)
    ]
    found = next_token_loss(logits, tokens)
    assert found.shape == ()
    assert_close(found, torch.stack(losses).mean())


def test_guessing_costs_the_logarithm_of_the_vocabulary() -> None:
    loss = next_token_loss(torch.zeros(2, 5, 7).double(), torch.arange(10).reshape(2, 5) % 7)
    assert_close(loss, torch.tensor(7.0).double().log())


class Grown(nn.Module):
    """A causal model of PyTorch's parts, with random weights and six positions."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.tokens, self.positions = nn.Embedding(11, 8), nn.Embedding(6, 8)
        self.stack = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(8, 11)
        self.to(dtype)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        num_tokens = tokens.shape[1]
        x = self.tokens(tokens) + self.positions(torch.arange(num_tokens))
        mask = nn.Transformer.generate_square_subsequent_mask(num_tokens, dtype=x.dtype)
        logits: torch.Tensor = self.head(self.stack(x, mask=mask))
        return logits


def test_text_is_the_most_likely_one(dtype: torch.dtype) -> None:
    model, start = Grown(dtype), torch.tensor([[3, 1], [10, 2]])
    text = generate(model, start, 7, context_length=6)
    assert text.shape == (2, 9)
    assert torch.equal(text[:, :2], start)
    for row in text:
        for place in range(2, 9):
            logits = model(row[None, max(0, place - 6) : place])[0, -1]
            assert row[place] == logits.argmax()


def test_beginning_is_left_as_it_is() -> None:
    start = torch.tensor([[1, 2, 3]])
    assert torch.equal(generate(Grown(torch.float64), start, 0, 6), start)
    generate(Grown(torch.float64), start, 3, 2)
    assert start.tolist() == [[1, 2, 3]]


LOGITS = torch.tensor([0.5, 2.0, -1.0, 1.5, 2.5, 0.0], dtype=torch.float64)


@pytest.mark.parametrize("temperature", [0.01, 0.5, 1.0, 3.0])
def test_temperature_is_torchs(temperature: float, dtype: torch.dtype) -> None:
    logits = LOGITS.to(dtype)
    found = next_token_distribution(logits, temperature)
    assert_close(found, torch.distributions.Categorical(logits=logits / temperature).probs)


def one_by_one(
    logits: torch.Tensor, temperature: float, top_k: int | None, top_p: float | None
) -> list[float]:
    """The distribution in plain Python, token by token from the most likely one."""
    weights = [math.exp((one - max(logits.tolist())) / temperature) for one in logits.tolist()]
    order = sorted(range(len(weights)), key=lambda token: -weights[token])[:top_k]
    total = math.fsum(weights[token] for token in order)
    kept: list[int] = []
    for token in order:
        if top_p is None or math.fsum(weights[one] for one in kept) / total < top_p:
            kept.append(token)
    total = math.fsum(weights[token] for token in kept)
    return [weights[token] / total if token in kept else 0.0 for token in range(len(weights))]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("top_k", [None, 1, 3, 6, 50])
@pytest.mark.parametrize("top_p", [None, 1e-6, 0.5, 0.83, 1.0])
def test_distribution_is_that_of_plain_python(
    temperature: float, top_k: int | None, top_p: float | None, dtype: torch.dtype
) -> None:
    logits = LOGITS.to(dtype)
    found = next_token_distribution(logits, temperature, top_k, top_p)
    expected = torch.tensor(one_by_one(logits, temperature, top_k, top_p), dtype=dtype)
    assert_close(found, expected)
    assert torch.equal(found == 0, expected == 0)
    assert torch.equal(logits, LOGITS.to(dtype))


def test_top_p_counts_what_top_k_has_kept() -> None:
    shares = next_token_distribution(torch.tensor([0.5, 0.3, 0.2]).log(), top_k=2, top_p=0.6)
    assert_close(shares, torch.tensor([1.0, 0.0, 0.0]))


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 1, 1, 1), (3, 2, 1, 7)])
@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_sink_is_one_more_logit(
    shape: tuple[int, int, int, int], scale: float, dtype: torch.dtype
) -> None:
    generator = torch.Generator().manual_seed(0)
    scores = scale * torch.randn(shape, generator=generator, dtype=dtype)
    scores[0, 0, 0] = -torch.inf
    sink = scale * torch.randn(shape[1], generator=generator, dtype=dtype)
    found = softmax_with_sink(scores, sink)
    # Head after head, with the sink as its first key.
    for head in range(shape[1]):
        logits = torch.cat([sink[head].expand(*shape[:1], shape[2], 1), scores[:, head]], dim=-1)
        assert_close(found[:, head], torch.softmax(logits, dim=-1)[..., 1:])
    assert found.dtype == dtype
    assert not found[0, 0, 0].any()


def test_sink_of_zero_adds_one_to_the_sum(dtype: torch.dtype) -> None:
    scores = torch.tensor([0.5, -1.0, 2.0], dtype=dtype).view(1, 1, 1, 3)
    found = softmax_with_sink(scores, torch.zeros(1, dtype=dtype))
    assert_close(found, scores.exp() / (1 + scores.exp().sum()))


def test_sink_far_below_is_none(dtype: torch.dtype) -> None:
    scores = torch.tensor([[0.5, -1.0, 2.0]], dtype=dtype).view(1, 1, 1, 3)
    found = softmax_with_sink(scores, torch.full((1,), -torch.inf, dtype=dtype))
    assert_close(found, torch.softmax(scores, dim=-1))
