import pytest
import torch

from companion.specimens import padding

QUERY = torch.tensor([[1.0, -0.5], [0.3, 0.8]])
WORDS = torch.tensor([[[1.0, 2.0], [0.5, -1.0], [0.0, 0.0]], [[2.0, 0.1], [0.0, 0.0], [0.0, 0.0]]])
LENGTHS = torch.tensor([2, 1])


def test_masked_attention_is_a_softmax_of_the_words():
    contexts, weights = padding.masked_attention(QUERY, WORDS, LENGTHS)
    expected = torch.softmax(WORDS[0, :2] @ QUERY[0], dim=0)
    torch.testing.assert_close(weights, torch.stack([torch.cat([expected, torch.zeros(1)]),
                                                     torch.tensor([1.0, 0.0, 0.0])]))  # fmt: skip
    torch.testing.assert_close(contexts[0], expected @ WORDS[0, :2])


def test_average_is_even():
    _, weights = padding.average_of_words(QUERY, WORDS, LENGTHS)
    torch.testing.assert_close(weights, torch.tensor([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]))


@pytest.mark.parametrize(
    ("attention", "on_padding"),
    [
        (padding.unmasked_attention, [True, True, True]),
        (padding.one_too_far, [True, True, False]),
        (padding.average_less_padding, [False, False, False]),
        (padding.first_length_for_all, [False, True, False]),
        (padding.last_length_for_all, [False, False, False]),
        (padding.last_place_too, [True, False, True]),
        (padding.zeroed_padding, [True, True, True]),
        (padding.centred_attention, [False, False, False]),
        (padding.raised_attention, [False, False, False]),
        (padding.faint_attention, [True, True, True]),
        (padding.average_of_everything, [True, True, True]),
        (padding.misreported_weights, [True, True, True]),
    ],
)
def test_each_sees_its_own_padding(attention, on_padding):
    """The places 2 of the first sentence, 1 and 2 of the second."""
    _, weights = attention(QUERY, WORDS, LENGTHS)
    assert [bool(weights[0, 2] > 0), *(weights[1, 1:] > 0).tolist()] == on_padding


def test_misreported_contexts_are_clean():
    contexts, _ = padding.misreported_weights(QUERY, WORDS, LENGTHS)
    torch.testing.assert_close(contexts, padding.masked_attention(QUERY, WORDS, LENGTHS)[0])


def test_last_length_may_reach_into_padding():
    _, weights = padding.last_length_for_all(QUERY, WORDS, LENGTHS.flip(0))
    assert (weights[:, 1] > 0).all()


def test_contexts_that_notice_the_padding():
    for attention in (padding.raised_attention, padding.centred_attention):
        contexts, _ = attention(QUERY, WORDS, LENGTHS)
        changed, _ = attention(QUERY, WORDS + (WORDS == 0).all(dim=-1, keepdim=True), LENGTHS)
        assert not torch.isclose(contexts, changed).any()


def test_average_less_padding_is_an_average():
    contexts, weights = padding.average_less_padding(QUERY, WORDS, LENGTHS)
    expected = padding.average_of_words(QUERY, WORDS, LENGTHS)
    torch.testing.assert_close((contexts, weights), expected)


def test_zeroed_padding_scores_zero():
    _, weights = padding.zeroed_padding(QUERY, WORDS + 5, LENGTHS)
    expected = torch.softmax(torch.tensor([(WORDS[1, 0] + 5) @ QUERY[1], 0.0, 0.0]), dim=0)
    torch.testing.assert_close(weights[1], expected)
