"""Lesson 01: the attention of Bahdanau, Cho and Bengio (2014), and that of Luong et al. (2015).

The annotations of one sentence are the rows of a matrix, (source, key_dim), with one row for each
word that the encoder has read. Weight matrices are on the right, so their shape is (in, out), as in
`query @ W_query`.
"""

import math
from collections.abc import Callable

import torch
from torch import nn


def alignment_by_hand() -> dict[str, object]:
    """The attention of the decoder's second step over "ich mache auf", calculated on paper.

    Returns:
        Three numbers each for "scores" and "weights", in the order of the words, and the two
        numbers of the "context" vector, all with four decimals.
    """
    by_hand: dict[str, object] = {
        "scores": [..., ..., ...],
        "weights": [..., ..., ...],
        "context": [..., ...],
    }
    ### BEGIN SOLUTION (replaces the lines above)
    query = torch.tensor([-1.0, 0.5], dtype=torch.float64)
    keys = torch.tensor([[0.5, 0.5], [-0.5, 1.5], [1.0, 0.0]], dtype=torch.float64)
    annotations = torch.tensor([[2.0, 0.0], [0.0, 1.0], [1.0, -1.0]], dtype=torch.float64)
    scores = torch.tanh(query + keys) @ torch.tensor([2.0, 1.0], dtype=torch.float64)
    weights = torch.softmax(scores, dim=-1)
    by_hand = {
        "scores": scores.tolist(),
        "weights": weights.tolist(),
        "context": (weights @ annotations).tolist(),
    }
    ### END SOLUTION
    return by_hand


def concat_annotations(forward_states: torch.Tensor, backward_states: torch.Tensor) -> torch.Tensor:
    """Concatenate the states of the forward and the backward reader for each word.

    Args:
        forward_states: states of the forward reader in the order in which it read,
            (source, d_forward): the first word's state comes first.
        backward_states: states of the backward reader in the order in which it read,
            (source, d_backward): the last word's state comes first.

    Returns:
        The annotations, (source, d_forward + d_backward): row j is the annotation of word j, and
        starts with the forward state of this word.
    """
    ### BEGIN SOLUTION
    return torch.cat([forward_states, backward_states.flip(0)], dim=-1)
    ### END SOLUTION


def concat_score(
    state: torch.Tensor, annotations: torch.Tensor, W: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    """Score a decoder state against each annotation: tanh([state ; annotation] W) · v.

    Args:
        state: the decoder's state, (query_dim,).
        annotations: one for each source word, (source, key_dim).
        W: the weights of the hidden layer, (query_dim + key_dim, hidden).
        v: the vector that turns a hidden layer into a score, (hidden,).

    Returns:
        One score for each source word, (source,).
    """
    ### BEGIN SOLUTION
    states = state.expand(len(annotations), -1)
    return torch.tanh(torch.cat([states, annotations], dim=-1) @ W) @ v
    ### END SOLUTION


def additive_score(
    query: torch.Tensor,
    keys: torch.Tensor,
    W_query: torch.Tensor,
    W_key: torch.Tensor,
    v: torch.Tensor,
) -> torch.Tensor:
    """Score a query against each key with two matrices: tanh(query W_query + key W_key) · v.

    Args:
        query: the decoder's state, (query_dim,).
        keys: the annotations that it is compared with, (source, key_dim).
        W_query: (query_dim, hidden).
        W_key: (key_dim, hidden).
        v: the vector that turns a hidden layer into a score, (hidden,).

    Returns:
        One score for each key, (source,).
    """
    ### BEGIN SOLUTION
    return torch.tanh(query @ W_query + keys @ W_key) @ v
    ### END SOLUTION


def repaired_alignment(
    projected_query: torch.Tensor, projected_keys: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    """Compute the attention weights of a batch of sentences; the given lines need to be repaired.

    Args:
        projected_query: one query for each sentence, multiplied by W_query, (batch, hidden).
        projected_keys: the keys of each sentence, multiplied by W_key, (batch, source, hidden).
        v: the vector that turns a hidden layer into a score, (hidden,).

    Returns:
        The weights, (batch, source), where each row sums to 1.
    """
    queries = projected_query.unsqueeze(0)
    ### BEGIN SOLUTION (replaces the lines above)
    queries = projected_query.unsqueeze(1)
    ### END SOLUTION
    attn_scores = torch.tanh(queries + projected_keys) @ v
    return torch.softmax(attn_scores, dim=-1)


def masked_softmax(scores: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Turn scores into weights that are 0 for the padding after the end of a sentence.

    Args:
        scores: (batch, source), of any magnitude; the scores of padding are meaningless.
        lengths: the number of true words in each sentence, (batch,), integers from 1 to source.

    Returns:
        The weights, (batch, source), in the dtype of the scores: exactly 0 from position `length`
        on, while those before it sum to 1.
    """
    ### BEGIN SOLUTION
    is_padding = torch.arange(scores.shape[-1]) >= lengths[:, None]
    return torch.softmax(scores.masked_fill(is_padding, -math.inf), dim=-1)
    ### END SOLUTION


def context_vector(weights: torch.Tensor, annotations: torch.Tensor) -> torch.Tensor:
    """Mix the annotations of each sentence into one context vector, according to their weights.

    Args:
        weights: (batch, source).
        annotations: (batch, source, key_dim).

    Returns:
        One context vector for each sentence, (batch, key_dim).
    """
    ### BEGIN SOLUTION
    return (weights.unsqueeze(-1) * annotations).sum(dim=1)
    ### END SOLUTION


class AdditiveAttention(nn.Module):
    """Bahdanau's attention for a batch of sentences.

    Its three parameters are called `W_query`, `W_key` and `v`, and there are no biases.

    Args:
        query_dim: width of the decoder's states.
        key_dim: width of the annotations.
        hidden_dim: width of the hidden layer, in which the two are added.
    """

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.W_query = nn.Linear(query_dim, hidden_dim, bias=False)
        self.W_key = nn.Linear(key_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, 1, bias=False)
        ### END SOLUTION

    def forward(
        self, query: torch.Tensor, annotations: torch.Tensor, lengths: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Compute context vectors and weights.

        Args:
            query: one decoder state for each sentence, (batch, query_dim).
            annotations: (batch, source, key_dim), padded.
            lengths: the number of true words in each sentence, (batch,).

        Returns:
            The context vectors, (batch, key_dim), and the weights, (batch, source).
        """
        ### BEGIN SOLUTION
        hidden = torch.tanh(self.W_query(query).unsqueeze(1) + self.W_key(annotations))
        attn_scores = self.v(hidden).squeeze(-1)
        is_padding = torch.arange(annotations.shape[1]) >= lengths[:, None]
        attn_weights = torch.softmax(attn_scores.masked_fill(is_padding, -math.inf), dim=-1)
        return torch.bmm(attn_weights.unsqueeze(1), annotations).squeeze(1), attn_weights
        ### END SOLUTION


def is_blind_to_padding(
    attention: Callable[..., tuple[torch.Tensor, torch.Tensor]],
    query: torch.Tensor,
    annotations: torch.Tensor,
    lengths: torch.Tensor,
) -> bool:
    """Test whether an attention function ignores the padding after the end of each sentence.

    Args:
        attention: a function from (query, annotations, lengths) to context vectors,
            (batch, key_dim), and weights, (batch, source).
        query: the queries to try it on, (batch, query_dim).
        annotations: (batch, source, key_dim), padded.
        lengths: the number of true words in each sentence, (batch,).

    Returns:
        True if, for these inputs, changing the numbers in the padding changes neither the context
        vectors nor the weights, up to rounding, and False otherwise.
    """
    ### BEGIN SOLUTION
    is_padding = torch.arange(annotations.shape[1]) >= lengths[:, None]
    changed = annotations + 7 * is_padding.unsqueeze(-1)
    before = attention(query, annotations, lengths)
    after = attention(query, changed, lengths)
    pairs = zip(before, after, strict=True)
    return all(torch.allclose(one, other, atol=1e-6) for one, other in pairs)
    ### END SOLUTION


def bahdanau_step(
    previous_state: torch.Tensor,
    word: torch.Tensor,
    annotations: torch.Tensor,
    score: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    cell: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Take one step of Bahdanau's decoder: attend first, then call the cell.

    Args:
        previous_state: s_{i-1}, (batch, state_dim), where state_dim is the width of a state.
        word: the vector of the word that was written last, (batch, d_word).
        annotations: (batch, source, key_dim), without padding.
        score: `score(state, annotations)` returns the scores, (batch, source).
        cell: `cell(inputs, state)` returns the new state, (batch, state_dim); its inputs have one
            row for each sentence.

    Returns:
        The new state s_i, (batch, state_dim), the context vectors, (batch, key_dim), and the
        weights, (batch, source). The input of the cell is [word ; context].
    """
    ### BEGIN SOLUTION
    weights = torch.softmax(score(previous_state, annotations), dim=-1)
    context = (weights.unsqueeze(-1) * annotations).sum(dim=1)
    state = cell(torch.cat([word, context], dim=-1), previous_state)
    return state, context, weights
    ### END SOLUTION


def luong_step(
    previous_state: torch.Tensor,
    word: torch.Tensor,
    annotations: torch.Tensor,
    score: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    cell: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    W_context: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Take one step of Luong's decoder: call the cell first, then attend from its new state.

    Args:
        previous_state: s_{i-1}, (batch, state_dim), where state_dim is the width of a state.
        word: the vector of the word that was written last, (batch, d_word).
        annotations: (batch, source, key_dim), without padding.
        score: `score(state, annotations)` returns the scores, (batch, source).
        cell: `cell(inputs, state)` returns the new state, (batch, state_dim); its input is the
            word.
        W_context: (key_dim + state_dim, state_dim).

    Returns:
        The new state s_i, (batch, state_dim), the attentional state
        tanh([context ; s_i] W_context), (batch, state_dim), from which the next word is
        predicted, and the weights, (batch, source).
    """
    ### BEGIN SOLUTION
    state = cell(word, previous_state)
    weights = torch.softmax(score(state, annotations), dim=-1)
    context = (weights.unsqueeze(-1) * annotations).sum(dim=1)
    attentional = torch.tanh(torch.cat([context, state], dim=-1) @ W_context)
    return state, attentional, weights
    ### END SOLUTION


def luong_score(
    query: torch.Tensor,
    keys: torch.Tensor,
    kind: str,
    W: torch.Tensor | None = None,
    v: torch.Tensor | None = None,
) -> torch.Tensor:
    """Compute one of Luong's three scores: "dot", "general" or "concat".

    Args:
        query: the decoder's state, (query_dim,).
        keys: the annotations, (source, key_dim).
        kind: "dot" is query · key, for equal widths; "general" is (query W) · key, where W has
            shape (query_dim, key_dim); "concat" is tanh([query ; key] W) · v, where W has shape
            (query_dim + key_dim, hidden) and v has shape (hidden,).
        W: the matrix of "general" or "concat".
        v: the vector of "concat".

    Returns:
        One score for each key, (source,).

    Raises:
        ValueError: for any other kind.
    """
    ### BEGIN SOLUTION
    if kind == "dot":
        return keys @ query
    if kind == "general" and W is not None:
        return keys @ (query @ W)
    if kind == "concat" and W is not None and v is not None:
        pairs = torch.cat([query.expand(len(keys), -1), keys], dim=-1)
        return torch.tanh(pairs @ W) @ v
    raise ValueError(f"unknown kind of score: {kind}")
    ### END SOLUTION


def local_window(p_t: float, length: int, D: int) -> torch.Tensor:
    """List the positions of the sentence that local attention looks at: those within D of p_t.

    Args:
        p_t: the middle of the window, which need not be a whole number.
        length: the number of words in the sentence; their positions are 0 to length - 1.
        D: the largest distance from p_t, on either side, that is still in the window.

    Returns:
        The positions j with |j - p_t| <= D, in ascending order, as integers (int64).
    """
    ### BEGIN SOLUTION
    places = torch.arange(length)
    return places[(places - p_t).abs() <= D]
    ### END SOLUTION


def local_weights(scores: torch.Tensor, p_t: float, D: int) -> torch.Tensor:
    """Compute Luong's local-p weights: a softmax within the window, damped away from its middle.

    Args:
        scores: the scores of the whole sentence, (source,).
        p_t: the middle of the window, which need not be a whole number.
        D: the largest distance from p_t, on either side, still in the window; at least 1.

    Returns:
        The weights, (source,), in the dtype of the scores: 0 outside the window; at position j
        inside, the softmax over the scores of the window, times exp(-(j - p_t)² / (2 σ²)) with
        σ = D / 2. They need not sum to 1.
    """
    ### BEGIN SOLUTION
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    inside = torch.softmax(scores.masked_fill(distances.abs() > D, -math.inf), dim=-1)
    return inside * torch.exp(-(distances**2) / (2 * (D / 2) ** 2))
    ### END SOLUTION
