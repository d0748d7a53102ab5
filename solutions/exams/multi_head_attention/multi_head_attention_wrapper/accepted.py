"""Right answers to `MultiHeadAttentionWrapper` in other styles, lesson 05."""

import torch
from torch import Tensor, nn

from companion import CausalHead
from solutions.exams.multi_head_attention.multi_head_attention_wrapper.exam import loop


@loop.accepts
class AppendedHeads(nn.Module):
    """Heads appended one by one, results filled into a tensor."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(CausalHead(d_in, d_out, context_length, dropout, qkv_bias))
        self.d_out = d_out

    def forward(self, x: Tensor) -> Tensor:
        found = x.new_zeros(*x.shape[:2], self.d_out * len(self.heads))
        for h, head in enumerate(self.heads):
            found[..., h * self.d_out : (h + 1) * self.d_out] = head(x)
        return found


@loop.accepts
class StackedAndFlattened(nn.Module):
    """Stacked before the last axis, then flattened."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        sizes = (d_in, d_out, context_length, dropout, qkv_bias)
        self.heads = nn.ModuleList([CausalHead(*sizes) for _ in range(num_heads)])

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([head(x) for head in self.heads], dim=2).flatten(2)


@loop.accepts
class JoinedOneByOne(nn.Module):
    """Joined one after another in a loop."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            head = CausalHead(d_in, d_out, context_length, dropout=dropout, qkv_bias=qkv_bias)
            self.heads.append(head)

    def forward(self, x: Tensor) -> Tensor:
        first, *others = self.heads
        found: Tensor = first(x)
        for head in others:
            found = torch.cat((found, head(x)), 2)
        return found
