"""Lesson 04: causal attention, with a mask that hides the future, and dropout on the weights.

Tokens are rows. Scores and weights have shape (..., queries, keys): queries on rows, keys on
columns, and as many of both. In a mask, True means "hidden".
"""

from collections.abc import Callable

import torch
from torch import nn

from companion import HELLO_SHINY_SUN


def causal_weights_by_hand() -> dict[str, object]:
    """Causal attention by hand: each word of "Hello shiny sun!" as the query.

    Returns:
        Three weights for each query, in the order Hello, shiny, sun, and the three features of the
        context vector of "shiny"; each number with four decimals.
    """
    by_hand: dict[str, object] = {
        "weights of Hello": [..., ..., ...],
        "weights of shiny": [..., ..., ...],
        "weights of sun": [..., ..., ...],
        "context of shiny": [..., ..., ...],
    }
    ### BEGIN SOLUTION (replaces the lines above)
    inputs = torch.tensor(HELLO_SHINY_SUN.vectors)
    seen = [torch.softmax(inputs[: i + 1] @ inputs[i], dim=0).tolist() for i in range(3)]
    by_hand = {
        "weights of Hello": [*seen[0], 0.0, 0.0],
        "weights of shiny": [*seen[1], 0.0],
        "weights of sun": seen[2],
        "context of shiny": (torch.tensor(seen[1]).double() @ inputs[:2]).tolist(),
    }
    ### END SOLUTION
    return by_hand


def causal_mask(num_tokens: int) -> torch.Tensor:
    """The causal mask, which hides from each query all the keys that come after it.

    Args:
        num_tokens: the number of tokens in the sentence.

    Returns:
        A boolean tensor, (queries, keys), with num_tokens of both: True where the key is hidden
        from the query.
    """
    ### BEGIN SOLUTION
    return torch.triu(torch.ones(num_tokens, num_tokens, dtype=torch.bool), diagonal=1)
    ### END SOLUTION


def causal_attention_weights(scores: torch.Tensor) -> torch.Tensor:
    """Turn scores into causal weights: each row sums to 1, and future keys get exactly 0.

    Args:
        scores: (..., queries, keys), as many queries as keys, of any magnitude. Do not change them.

    Returns:
        The weights, in the shape and dtype of the scores.
    """
    ### BEGIN SOLUTION
    num_tokens = scores.shape[-1]
    hidden = torch.triu(torch.ones(num_tokens, num_tokens, dtype=torch.bool), diagonal=1)
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
    ### END SOLUTION


def repaired_causal_attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
) -> torch.Tensor:
    """Repair the given lines, so that they compute scaled causal attention.

    Args:
        queries: (..., tokens, d_k).
        keys: (..., tokens, d_k).
        values: (..., tokens, d_v).

    Returns:
        The context vectors, (..., tokens, d_v), in the dtype of the values.
    """
    num_tokens, d_k = keys.shape[-2:]
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1) * float("-inf")
    attn_scores = queries @ keys.transpose(-2, -1) / d_k**0.5 + mask
    ### BEGIN SOLUTION (replaces the lines above)
    num_tokens, d_k = keys.shape[-2:]
    future = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
    attn_scores = queries @ keys.transpose(-2, -1) / d_k**0.5
    attn_scores = attn_scores.masked_fill(future, -torch.inf)
    ### END SOLUTION
    attn_weights = torch.softmax(attn_scores, dim=-1)
    return attn_weights @ values


def mask_then_renormalise(weights: torch.Tensor) -> torch.Tensor:
    """The other route: set the future weights to 0 and make each row sum to 1 again.

    Args:
        weights: the attention weights without a mask, (..., queries, keys).

    Returns:
        The causal weights, in the shape and dtype of `weights`.
    """
    ### BEGIN SOLUTION
    past = torch.tril(weights)
    return past / past.sum(dim=-1, keepdim=True)
    ### END SOLUTION


def causal_column_weights(scores: torch.Tensor) -> torch.Tensor:
    """Causal weights with one token per column, so that each column sums to 1.

    Args:
        scores: (keys, queries), of any magnitude: keys on rows, queries on columns.

    Returns:
        The weights, in the same layout as the scores, with 0 where the key comes after the query.
    """
    ### BEGIN SOLUTION
    hidden = torch.tril(torch.ones_like(scores), diagonal=-1).bool()
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=0)
    ### END SOLUTION


def dropout(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Inverted dropout: set each weight to 0 with probability p, and scale up the others to match.

    Args:
        weights: a tensor with one or more axes. Do not change it.
        p: the probability with which a weight becomes 0; at least 0, below 1.
        generator: the source of the random numbers, as in `torch.rand(…, generator=generator)`.
        training: if False, return the weights as they are.

    Returns:
        A tensor in the shape and dtype of `weights`, whose expectation is `weights`.
    """
    ### BEGIN SOLUTION
    if not training:
        return weights
    kept = torch.rand(weights.shape, generator=generator) >= p
    return weights * kept / (1 - p)
    ### END SOLUTION


class CausalAttention(nn.Module):
    """Self-attention over a batch in which no token sees a later one.

    Call it with inputs of shape (batch, num_tokens, d_in), num_tokens at most `context_length`. It
    returns the context vectors, (batch, num_tokens, d_out).

    Args:
        d_in: the number of features of each input.
        d_out: the number of features of each query, key, value and context vector.
        context_length: the largest number of tokens. The mask is made for it, as a buffer of shape
            (context_length, context_length).
        dropout: the probability with which an attention weight is dropped in training.
        qkv_bias: whether the three projections add a bias.
    """

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        future = torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), 1)
        self.register_buffer("mask", future)
        ### END SOLUTION

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        ### BEGIN SOLUTION
        num_tokens = inputs.shape[1]
        queries, keys, values = self.W_query(inputs), self.W_key(inputs), self.W_value(inputs)
        attn_scores = queries @ keys.transpose(1, 2) / keys.shape[-1] ** 0.5
        hidden = self.get_buffer("mask")[:num_tokens, :num_tokens]
        attn_weights = torch.softmax(attn_scores.masked_fill(hidden, -torch.inf), dim=-1)
        return self.dropout(attn_weights) @ values
        ### END SOLUTION


def is_causal(attention: Callable[[torch.Tensor], torch.Tensor], inputs: torch.Tensor) -> bool:
    """Test an attention function: are its outputs independent of all later tokens?

    Args:
        attention: a function from (batch, tokens, d_in) to context vectors (batch, tokens, d_out).
        inputs: the sentences to try it on, (batch, tokens, d_in). Do not change them.

    Returns:
        True if, up to rounding, no context vector for these inputs depends on a later token;
        otherwise False.
    """
    ### BEGIN SOLUTION
    contexts = attention(inputs)
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] += 1
        after = attention(changed)[:, :now]
        if not torch.allclose(after, contexts[:, :now], rtol=1e-4, atol=1e-5):
            return False
    return True
    ### END SOLUTION


def next_token_examples(tokens: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Turn a sequence into training examples, for all its prefixes at once.

    Args:
        tokens: token ids, (..., n), with n at least 2.

    Returns:
        The inputs and the targets, each (..., n − 1): at each position, the target is the token
        that follows the input.
    """
    ### BEGIN SOLUTION
    return tokens[..., :-1], tokens[..., 1:]
    ### END SOLUTION


def causal_and_padding_mask(lengths: torch.Tensor) -> torch.Tensor:
    """The mask for a batch of sentences that are padded at the front.

    Args:
        lengths: the number of real tokens of each sentence, (batch,), integers; 0 is allowed.
            The real tokens are at the end of a sentence's row, with the padding before them.

    Returns:
        A boolean tensor, (batch, queries, keys), with as many of both as the largest length: True
        where the key comes after the query, and where it is padding.
    """
    ### BEGIN SOLUTION
    tokens = int(lengths.max())
    positions = torch.arange(tokens)
    after = positions > positions[:, None]
    padding = positions < tokens - lengths[:, None]
    return after | padding[:, None, :]
    ### END SOLUTION


def masked_attention_weights(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """The softmax over the visible keys, with zeros for a query that sees no key at all.

    Args:
        scores: (..., queries, keys), of any magnitude. Do not change them.
        hidden: a boolean tensor of the same shape, True where a key is hidden.

    Returns:
        The weights, in the shape and dtype of the scores: exactly 0 where hidden. Each row sums to
        1, except rows in which every key is hidden; these are all 0.
    """
    ### BEGIN SOLUTION
    attn_weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
    return attn_weights.masked_fill(hidden, 0)
    ### END SOLUTION
