"""The stand-in for the class of lesson 05, and the maps that are drawn of the learner's own."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from companion.models.heads import CausalHeads, weights_of
from solutions.multi_head_attention import MultiHeadAttention


class ByParameter(MultiHeadAttention):
    """The three matrices as parameters (d_in, d_out), as learners may write them."""

    def __init__(self) -> None:
        super().__init__(5, 6, 9, dropout=0.0, num_heads=3)
        for name in ("W_query", "W_key", "W_value"):
            matrix = self.get_submodule(name).get_parameter("weight").T.clone()
            delattr(self, name)
            setattr(self, name, nn.Parameter(matrix))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        plain = CausalHeads(
            inputs.shape[-1], self.num_heads * self.head_dim, 9, 0.0, self.num_heads
        )
        for name in ("W_query", "W_key", "W_value"):
            plain.get_submodule(name).load_state_dict({"weight": getattr(self, name).T})
        plain.get_submodule("out_proj").load_state_dict(self.out_proj.state_dict())
        return plain(inputs)  # type: ignore[no-any-return]


@pytest.mark.parametrize("qkv_bias", [False, True])
def test_stand_in_is_the_reference(qkv_bias: bool) -> None:
    torch.manual_seed(0)
    reference = MultiHeadAttention(5, 6, 9, 0.0, 3, qkv_bias)
    stand_in = CausalHeads(5, 6, 9, 0.0, 3, qkv_bias)
    state = {name: value for name, value in reference.state_dict().items() if name != "mask"}
    stand_in.load_state_dict(state)
    inputs = torch.randn(2, 7, 5)
    assert_close(stand_in(inputs), reference(inputs))


def test_maps_are_those_of_the_module() -> None:
    torch.manual_seed(0)
    inputs = torch.randn(2, 7, 5)
    for module in (
        CausalHeads(5, 6, 9, 0.0, 3),
        MultiHeadAttention(5, 6, 9, 0.0, 3),
        ByParameter(),
    ):
        weights = weights_of(module, inputs, 3)
        assert weights.shape == (2, 3, 7, 7)
        assert_close(weights.sum(dim=-1), torch.ones(2, 3, 7))
        assert weights.triu(1).abs().max() == 0


def test_no_map_of_an_attention_that_did_not_take_place() -> None:
    torch.manual_seed(0)
    module = CausalHeads(6, 6, 9, 0.0, 3)
    with pytest.raises(ValueError, match="do not lead"):
        weights_of(module, torch.randn(2, 7, 6), 2)
