"""Right answers to `AdditiveAttention` in other styles, lesson 01."""

import math

import torch
from torch import Tensor, nn

from solutions.exams.additive_attention._specimens import Pair
from solutions.exams.additive_attention.additive_attention.exam import attention


@attention.accepts
class WithParameters(nn.Module):
    """Matrices as nn.Parameter.

    The matrices are parameters of shape (in, out), so the products in `forward` read like the
    formula. An `nn.Linear` stores its matrix as (out, in) and transposes it for you.
    """

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(query_dim, hidden_dim))
        self.W_key = nn.Parameter(torch.rand(key_dim, hidden_dim))
        self.v = nn.Parameter(torch.rand(hidden_dim, 1))

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        hidden = torch.tanh((query @ self.W_query)[:, None] + annotations @ self.W_key)
        scores = (hidden @ self.v)[..., 0]
        outside = torch.arange(scores.shape[1]) >= lengths.unsqueeze(1)
        scores[outside] = float("-inf")
        weights = scores.softmax(dim=1)
        return (weights[..., None] * annotations).sum(1), weights


@attention.accepts
class SentenceBySentence(nn.Module):
    """A loop over the sentences.

    It cuts off the padding before it computes anything, so there is nothing to hide, and fills the
    weights up with zeros. For large batches it is slow, but a good test of a mask.
    """

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.W_query = nn.Linear(query_dim, hidden_dim, bias=False)
        self.W_key = nn.Linear(key_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        contexts, every = [], []
        for q, sentence, length in zip(query, annotations, lengths, strict=True):
            words = sentence[:length]
            scores = self.v(torch.tanh(self.W_query(q) + self.W_key(words)))[:, 0]
            weights = torch.softmax(scores, dim=0)
            contexts.append(weights @ words)
            every.append(torch.cat([weights, weights.new_zeros(len(sentence) - len(words))]))
        return torch.stack(contexts), torch.stack(every)


@attention.accepts
class ByEinsum(nn.Module):
    """Index expressions, mixed kinds of parameters."""

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(query_dim, hidden_dim))
        self.W_key = nn.Linear(key_dim, hidden_dim, bias=False)
        self.v = nn.Parameter(torch.rand(hidden_dim, 1))

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
        asked = torch.einsum("bq,qh->bh", query, self.W_query).unsqueeze(1)
        scores = torch.einsum("bsh,ho->bs", torch.tanh(asked + self.W_key(annotations)), self.v)
        is_word = torch.arange(scores.shape[1]) < lengths[:, None]
        weights = torch.softmax(torch.where(is_word, scores, -math.inf), dim=-1)
        return torch.einsum("bs,bsd->bd", weights, annotations), weights
