import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from companion import learn_pairs, look_back


@pytest.mark.long
def test_only_the_softmax_recalls_many_pairs() -> None:
    softmax = learn_pairs("softmax", 16, steps=200)
    linear = learn_pairs("linear", 16, steps=200)
    wider = learn_pairs("linear", 64, steps=200)
    assert min(softmax) > 0.98
    assert min(linear[0], wider[0]) > 0.95
    assert 0.3 < linear[-1] < 0.55 < wider[-1] < 0.85


def test_random_numbers_are_left_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    learn_pairs("linear", 4, steps=1)
    assert torch.equal(torch.rand(1), expected)


def test_head_copies_what_followed_the_same_characters() -> None:
    manual = look_back(3000)
    contexts = scaled_dot_product_attention(
        manual.queries[None], manual.keys[None], manual.values[None], is_causal=True
    )[0]
    assert len(contexts) == len(manual.text) == 3000
    assert manual.right(contexts) > 0.4
    assert manual.right(manual.values.cumsum(dim=0)) < 0.25
