"""The stand-in for the learner's module in lesson 03, and the weights that a module learned."""

import pytest
import torch
from torch import nn

from companion import PlainHead, learned_weights


def attended(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    return torch.softmax(queries @ keys.T / keys.shape[1] ** 0.5, dim=1)


@pytest.mark.parametrize("bias", [False, True])
def test_plain_head_is_scaled_dot_product_attention(bias: bool) -> None:
    x = torch.randn(5, 3)
    head = PlainHead(3, 2, qkv_bias=bias)
    expected = attended(head.W_query(x), head.W_key(x)) @ head.W_value(x)
    torch.testing.assert_close(head(x), expected)
    assert (head.W_query.bias is not None) is bias


def test_learned_weights_of_layers_and_of_parameters() -> None:
    x, head, other = torch.randn(5, 3), PlainHead(3, 2), nn.Module()
    other.W_query = nn.Parameter(head.W_query.weight.T.detach())
    other.W_key = nn.Parameter(head.W_key.weight.T.detach())
    expected = attended(head.W_query(x), head.W_key(x)).detach()
    for module in (head, other):
        weights = learned_weights(module, x)
        torch.testing.assert_close(weights, expected)
        assert not weights.requires_grad
