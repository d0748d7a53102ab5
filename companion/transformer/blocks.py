"""PyTorch's layers, called as the blocks of lesson 09 are, until the learner's own are ready."""

import torch
from torch import Tensor, nn


class LibraryEncoder(nn.TransformerEncoderLayer):
    """PyTorch's encoder layer, called as the lesson's `EncoderBlock` is.

    Args:
        d_model: the number of features of a token.
        num_heads: the number of heads.
        d_hidden: the number of features inside of the feed-forward layer.
        dropout: the probability with which a feature is dropped before it is added.
    """

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float) -> None:
        super().__init__(d_model, num_heads, d_hidden, dropout, batch_first=True)
        # PyTorch drops attention weights and hidden features as well.
        self.self_attn.dropout = self.dropout.p = 0.0

    def forward(self, inputs: Tensor, padding: Tensor | None = None) -> Tensor:  # type: ignore[override]
        return super().forward(inputs, src_key_padding_mask=padding)


class LibraryDecoder(nn.TransformerDecoderLayer):
    """PyTorch's decoder layer, called as the lesson's `DecoderBlock` is.

    Args:
        d_model: the number of features of a token.
        num_heads: the number of heads.
        d_hidden: the number of features inside of the feed-forward layer.
        dropout: the probability with which a feature is dropped before it is added.
    """

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float) -> None:
        super().__init__(d_model, num_heads, d_hidden, dropout, batch_first=True)
        self.self_attn.dropout = self.multihead_attn.dropout = self.dropout.p = 0.0

    def forward(  # type: ignore[override]
        self, inputs: Tensor, memory: Tensor, padding: Tensor | None = None
    ) -> Tensor:
        future = torch.ones(inputs.shape[1], inputs.shape[1], dtype=torch.bool).triu(1)
        return super().forward(inputs, memory, tgt_mask=future, memory_key_padding_mask=padding)


class LibraryGPTBlock(nn.TransformerEncoderLayer):
    """PyTorch's encoder layer with pre-norm and a causal mask, called as `GPTBlock` is.

    Args:
        d_model: the number of features of a token.
        num_heads: the number of heads.
        d_hidden: the number of features inside of the feed-forward layer.
        dropout: the probability with which a feature is dropped before it is added.
    """

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float) -> None:
        super().__init__(
            d_model,
            num_heads,
            d_hidden,
            dropout,
            activation="gelu",
            batch_first=True,
            norm_first=True,
        )
        self.self_attn.dropout = self.dropout.p = 0.0

    def forward(self, inputs: Tensor) -> Tensor:  # type: ignore[override]
        future = torch.ones(inputs.shape[1], inputs.shape[1], dtype=torch.bool).triu(1)
        return super().forward(inputs, src_mask=future)
