"""Lesson 01: the attention of Bahdanau, Cho and Bengio (2014), and that of Luong et al. (2015).

One sentence's annotations are rows, (source, key_dim): one row for each word that the encoder has
read. Weight matrices stand on the right, (in, out), as in `query @ W_query`.
"""

import math
from collections.abc import Callable

import torch
from torch import nn


def alignment_by_hand() -> dict[str, object]:
    """Which of three words the decoder looks at in its second step, worked out on paper.

    Returns:
        Three numbers for each of "scores" and "weights", in the order of the words, and the two
        numbers of the "context" vector; each with four decimals.
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
    """What two readers know of each word: the one that comes from the left, then the other.

    Args:
        forward_states: states of the forward reader in the order in which it read,
            (source, d_forward): first word first.
        backward_states: states of the backward reader in the order in which it read,
            (source, d_backward): last word first.

    Returns:
        The annotations, (source, d_forward + d_backward): row i belongs to word i, and begins
        with the forward state.
    """
    ### BEGIN SOLUTION
    return torch.cat([forward_states, backward_states.flip(0)], dim=-1)
    ### END SOLUTION


def concat_score(
    state: torch.Tensor, annotations: torch.Tensor, W: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    """How well a decoder state matches each annotation: tanh([state ; annotation] W) · v.

    Args:
        state: the decoder's state, (query_dim,).
        annotations: one for each source word, (source, key_dim).
        W: the weights of the hidden layer, (query_dim + key_dim, hidden).
        v: what the hidden layer is multiplied with, (hidden,).

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
    """The same score with a matrix for each side: tanh(query W_query + key W_key) · v.

    Args:
        query: the one that asks, (query_dim,).
        keys: those that it is compared with, (source, key_dim).
        W_query: (query_dim, hidden).
        W_key: (key_dim, hidden).
        v: (hidden,).

    Returns:
        One score for each key, (source,).
    """
    ### BEGIN SOLUTION
    return torch.tanh(query @ W_query + keys @ W_key) @ v
    ### END SOLUTION


def repaired_alignment(
    projected_query: torch.Tensor, projected_keys: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    """The attention weights of a batch of sentences: a given, broken cell to repair.

    Args:
        projected_query: one query for each sentence, multiplied by W_query, (batch, hidden).
        projected_keys: the keys of each sentence, multiplied by W_key, (batch, source, hidden).
        v: (hidden,).

    Returns:
        The weights, (batch, source): each row sums to 1.
    """
    queries = projected_query.unsqueeze(0)
    ### BEGIN SOLUTION (replaces the lines above)
    queries = projected_query.unsqueeze(1)
    ### END SOLUTION
    attn_scores = torch.tanh(queries + projected_keys) @ v
    return torch.softmax(attn_scores, dim=-1)


def masked_softmax(scores: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Scores turned into weights, with nothing for the padding behind the end of a sentence.

    Args:
        scores: (batch, source), of any size; those of padding mean nothing.
        lengths: how many true words each sentence has, (batch,), whole numbers from 1 to source.

    Returns:
        The weights, (batch, source), in the dtype of the scores: exactly 0 from place `length` on,
        and 1 in total before it.
    """
    ### BEGIN SOLUTION
    is_padding = torch.arange(scores.shape[-1]) >= lengths[:, None]
    return torch.softmax(scores.masked_fill(is_padding, -math.inf), dim=-1)
    ### END SOLUTION


def context_vector(weights: torch.Tensor, annotations: torch.Tensor) -> torch.Tensor:
    """The annotations of each sentence mixed into one vector, each by its weight.

    Args:
        weights: (batch, source).
        annotations: (batch, source, key_dim).

    Returns:
        One vector for each sentence, (batch, key_dim).
    """
    ### BEGIN SOLUTION
    return (weights.unsqueeze(-1) * annotations).sum(dim=1)
    ### END SOLUTION


class AdditiveAttention(nn.Module):
    """Bahdanau's attention for a batch of sentences.

    Its three parameters are called `W_query`, `W_key` and `v`, and have no bias.

    Args:
        query_dim: width of the decoder's states.
        key_dim: width of the annotations.
        hidden_dim: width of the layer in which they meet.
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
        """Attend.

        Args:
            query: one decoder state for each sentence, (batch, query_dim).
            annotations: (batch, source, key_dim), padded.
            lengths: how many true words each sentence has, (batch,).

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
    """Test an attention: does it never look behind the end of a sentence?

    Args:
        attention: a function from (query, annotations, lengths) to contexts, (batch, key_dim), and
            weights, (batch, source).
        query: what to try it on, (batch, query_dim).
        annotations: (batch, source, key_dim), padded.
        lengths: how many true words each sentence has, (batch,).

    Returns:
        True when, for these inputs, other numbers in the padding change neither the contexts nor
        the weights, up to rounding.
    """
    ### BEGIN SOLUTION
    is_padding = torch.arange(annotations.shape[1]) >= lengths[:, None]
    changed = annotations + 7 * is_padding.unsqueeze(-1)
    before = attention(query, annotations, lengths)
    after = attention(query, changed, lengths)
    return all(torch.allclose(one, other) for one, other in zip(before, after, strict=True))
    ### END SOLUTION


def bahdanau_step(
    previous_state: torch.Tensor,
    word: torch.Tensor,
    annotations: torch.Tensor,
    score: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    cell: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """One step of Bahdanau's decoder: it attends first, and the cell reads what was found.

    Args:
        previous_state: s_{t-1}, (batch, hidden).
        word: the vector of the word written last, (batch, d_word).
        annotations: (batch, source, key_dim), without padding.
        score: `score(state, annotations)` gives the scores, (batch, source).
        cell: `cell(inputs, state)` gives the new state, (batch, hidden); its inputs are one
            vector for each sentence.

    Returns:
        The new state s_t, (batch, hidden), the context, (batch, key_dim), and the weights,
        (batch, source). The cell's input is [word ; context].
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
    """One step of Luong's decoder: the cell first, and what was found corrects its output.

    Args:
        previous_state: h_{t-1}, (batch, hidden).
        word: the vector of the word written last, (batch, d_word).
        annotations: (batch, source, key_dim), without padding.
        score: `score(state, annotations)` gives the scores, (batch, source).
        cell: `cell(inputs, state)` gives the new state, (batch, hidden); its input is the word.
        W_context: (key_dim + hidden, hidden).

    Returns:
        The new state h_t, (batch, hidden), the attentional state tanh([context ; h_t] W_context),
        (batch, hidden), from which the next word is predicted, and the weights, (batch, source).
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
    """Luong's three scores: "dot", "general" and "concat".

    Args:
        query: the decoder's state, (query_dim,).
        keys: the annotations, (source, key_dim).
        kind: "dot" is query · key, for equal widths; "general" is query W key, with
            W of (query_dim, key_dim); "concat" is tanh([query ; key] W) · v, with W of
            (query_dim + key_dim, hidden) and v of (hidden,).
        W: the weights of "general" and "concat".
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
    """The places that local attention looks at: those within D of p_t, if they exist.

    Args:
        p_t: the middle of the window, not always a whole number.
        length: how many words the sentence has; their places are 0 to length - 1.
        D: how far the window reaches to each side.

    Returns:
        The places s with |s - p_t| <= D, in order, as whole numbers (int64).
    """
    ### BEGIN SOLUTION
    places = torch.arange(length)
    return places[(places - p_t).abs() <= D]
    ### END SOLUTION


def local_weights(scores: torch.Tensor, p_t: float, D: int) -> torch.Tensor:
    """Luong's local-p weights: a softmax inside of the window, damped away from its middle.

    Args:
        scores: of the whole sentence, (source,).
        p_t: the middle of the window, not always a whole number.
        D: how far the window reaches to each side, at least 1.

    Returns:
        (source,), in the dtype of the scores: 0 outside of the window; inside, the softmax over
        the window's scores, times exp(-(s - p_t)² / (2 σ²)) with σ = D / 2. They need not sum to 1.
    """
    ### BEGIN SOLUTION
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    inside = torch.softmax(scores.masked_fill(distances.abs() > D, -math.inf), dim=-1)
    return inside * torch.exp(-(distances**2) / (2 * (D / 2) ** 2))
    ### END SOLUTION
