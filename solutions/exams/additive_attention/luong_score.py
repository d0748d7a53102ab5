"""The exam of `luong_score`, lesson 01."""

import math

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import (
    STATE,
    W_KEY,
    W_QUERY,
    WORDS,
    V,
    concat_arguments,
    joined,
    tensor,
)
from solutions.exams.families import TENSOR_DTYPE

scores = Exam(reference.luong_score)

Scored = tuple[object, ...]


@scores.example
def dot_of_three() -> Scored:
    """dot: three keys as wide as the query"""
    return tensor(0.5, -1.0, 2.0), WORDS, "dot"


@scores.example
def general_of_three() -> Scored:
    """general: a query of two features, keys of three"""
    return STATE, WORDS, "general", W_KEY[:2, :3]


@scores.example
def general_square() -> Scored:
    """general: query and keys of two features each"""
    return STATE, WORDS[:, :2], "general", W_KEY[:2, :2]


@scores.example
def concat_of_three() -> Scored:
    """concat: a query of two features, keys of three"""
    return STATE, WORDS, "concat", torch.cat([W_QUERY, W_KEY]), V


@scores.example
def concat_of_two() -> Scored:
    """concat: two keys of three features"""
    return STATE, WORDS[:2], "concat", torch.cat([W_QUERY, W_KEY]), V


@scores.example
def no_such_kind() -> Scored:
    """a kind that does not exist"""
    return STATE, WORDS[:, :2], "cosine"


@scores.example
def no_such_kind_with_a_matrix() -> Scored:
    """a kind that does not exist, though there is a matrix"""
    return STATE, WORDS[:, :2], "cosine", W_KEY[:2, :2]


@scores.example
def first_letter_of_a_kind() -> Scored:
    """a kind that is only the first letter of one"""
    return STATE, WORDS[:, :2], "d"


@scores.case(times=1)
def nameless_kind(draw: Draw) -> Scored:
    """a kind without a name"""
    return draw.tensor("d"), draw.tensor("source d"), ""


@scores.case(times=1)
def part_of_general(draw: Draw) -> Scored:
    """a kind that is only a part of "general\""""
    return draw.tensor("d"), draw.tensor("source d"), "general"[1:], draw.tensor("d d")


@scores.case(times=1)
def part_of_concat(draw: Draw) -> Scored:
    """a kind that is only a part of "concat\""""
    query, keys, W, v = concat_arguments(draw)
    return query, keys, "cat", W, v


@scores.case(times=3)
def more_than_a_kind(draw: Draw) -> Scored:
    """a kind of which "dot", "general" or "concat" is a part"""
    kind = draw.in_turn(("scaled dot", "general ", "concat, too"))
    query, keys, W, v = concat_arguments(draw)
    return query, keys, kind, W, v


@scores.case(times=1)
def capital_letters(draw: Draw) -> Scored:
    """a kind in capital letters"""
    return draw.tensor("d"), draw.tensor("source d"), "DOT"


@scores.case
def drawn_dot(draw: Draw) -> Scored:
    """dot, drawn at random"""
    return draw.tensor("d"), draw.tensor("source d"), "dot"


@scores.case
def drawn_general(draw: Draw) -> Scored:
    """general, drawn at random"""
    keys = draw.tensor("source key_dim")
    return draw.tensor("query_dim"), keys, "general", draw.tensor("query_dim key_dim")


@scores.case
def drawn_concat(draw: Draw) -> Scored:
    """concat, drawn at random"""
    query, keys, W, v = concat_arguments(draw)
    return query, keys, "concat", W, v


@scores.case(times=1)
def one_key_only(draw: Draw) -> Scored:
    """general, a single key"""
    keys = draw.fix(source=1).tensor("source key_dim")
    return draw.tensor("query_dim"), keys, "general", draw.tensor("query_dim key_dim")


def any_score(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """The right scores."""
    return reference.luong_score(query, keys, kind, W, v)


@scores.misconception
def general_transposed(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "general" you used W the other way round: key W query. The score is query W key, with W
    of (query_dim, key_dim).
    """
    if kind == "general" and W is not None:
        return keys @ W @ query
    return any_score(query, keys, kind, W, v)


@scores.misconception
def general_without_matrix(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "general" the matrix W is missing between query and key."""
    return any_score(query, keys, "dot" if kind == "general" else kind, W, v)


@scores.misconception
def dot_from_the_left(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "dot", each column serves as a key here, as in `query @ keys`. The keys are the rows: put
    them on the left, without a transpose.
    """
    return query @ keys if kind == "dot" else any_score(query, keys, kind, W, v)


@scores.misconception
def general_from_the_left(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "general", each column serves as a key here, as in `query @ W @ keys`. The keys are the
    rows: put them on the left of the product of query and W, without a transpose.
    """
    if kind == "general" and W is not None:
        return query @ W @ keys
    return any_score(query, keys, kind, W, v)


@scores.misconception
def luong_key_in_front(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "concat" the first rows of W meet the key here. They are meant for the query: [query ;
    key].
    """
    if kind == "concat" and W is not None and v is not None:
        pairs = torch.cat([keys, query.expand(len(keys), -1)], dim=-1)
        return torch.tanh(pairs @ W) @ v
    return any_score(query, keys, kind, W, v)


@scores.misconception
def luong_without_tanh(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "concat" the tanh is missing, and without it the query cancels out in the softmax."""
    if kind == "concat" and W is not None and v is not None:
        return joined(query, keys) @ W @ v
    return any_score(query, keys, kind, W, v)


@scores.misconception
def luong_tanh_at_the_end(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "concat" you took the tanh of the score. Take the tanh of the hidden layer, before v."""
    if kind == "concat" and W is not None and v is not None:
        return torch.tanh(joined(query, keys) @ W @ v)
    return any_score(query, keys, kind, W, v)


@scores.misconception
def luong_tanh_before_the_matrix(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """For "concat" you took the tanh of the query and the keys themselves. Take it after W."""
    if kind == "concat" and W is not None and v is not None:
        return torch.tanh(joined(query, keys)) @ W @ v
    return any_score(query, keys, kind, W, v)


@scores.misconception
def luong_scaled(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """You divided by the square root of the width. That came two years later, in "Attention Is All
    You Need"; Luong's scores are not scaled.
    """
    return any_score(query, keys, kind, W, v) / math.sqrt(len(query))


@scores.misconception
def dot_scaled(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """You divided "dot" by the square root of the width. Luong's scores are not scaled; scaling
    came two years later.
    """
    scale = math.sqrt(len(query)) if kind == "dot" else 1
    return any_score(query, keys, kind, W, v) / scale


@scores.misconception
def concat_for_the_rest(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """An unknown kind falls through to "concat", as if that were the only one left. Test for it by
    name, and raise a ValueError after it.
    """
    if kind in ("dot", "general"):
        return any_score(query, keys, kind, W, v)
    return torch.tanh(joined(query, keys) @ W) @ v  # type: ignore[operator]


@scores.misconception
def general_for_the_rest(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """An unknown kind falls through to "general", as if that were the only one left. Test for it by
    name, and raise a ValueError after it.
    """
    if kind in ("dot", "concat"):
        return any_score(query, keys, kind, W, v)
    return keys @ (query @ W)  # type: ignore[operator]


@scores.misconception
def luong_weights(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """These are the scores after a softmax. Return the scores themselves."""
    return torch.softmax(any_score(query, keys, kind, W, v), dim=-1)


@scores.misconception
def dot_for_the_rest(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """An unknown kind got the scores of another. Raise a ValueError: a misspelt kind should not go
    unnoticed.
    """
    return any_score(query, keys, kind if kind in ("general", "concat") else "dot", W, v)


@scores.misconception
def parts_of_a_name(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """You accept part of a name as the whole name, as `kind in "dot"` does: `in` looks for "d"
    within the text, and brackets around a single text do not make it a tuple. Compare with `==`.
    """
    whole = next((name for name in ("dot", "general", "concat") if kind in name), kind)
    return any_score(query, keys, whole, W, v)


@scores.misconception
def part_of_dot(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """You accept part of "dot" as the whole name, as `kind in "dot"` does: `in` looks for "d"
    within the text, and brackets around a single text do not make it a tuple. Compare with `==`.
    """
    return any_score(query, keys, "dot" if kind in "dot" else kind, W, v)


@scores.misconception
def nothing_for_the_rest(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor | None:
    """For an unknown kind, nothing is returned. Raise a ValueError, so that the mistake is reported
    where it is made.
    """
    return any_score(query, keys, kind, W, v) if kind in ("dot", "general", "concat") else None


TENSOR_DTYPE.apply(scores)


@scores.accepts
def luong_scores_in_a_loop(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """A loop over the keys."""
    if kind not in ("dot", "general", "concat"):
        raise ValueError(kind)
    if kind == "dot":
        return torch.stack([query.dot(key) for key in keys])
    assert W is not None
    if kind == "general":
        return torch.stack([query @ W @ key for key in keys])
    assert v is not None
    return torch.stack([torch.tanh(torch.cat([query, key]) @ W) @ v for key in keys])


@scores.accepts
def luong_by_einsum(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """Index expressions."""
    if kind == "dot":
        return torch.einsum("d,sd->s", query, keys)
    if kind == "general" and W is not None:
        return torch.einsum("q,qk,sk->s", query, W, keys)
    if kind == "concat" and W is not None and v is not None:
        width = len(query)
        return (query @ W[:width] + keys @ W[width:]).tanh() @ v
    raise ValueError("no such score")


@scores.accepts
def luong_by_a_match(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """A match statement."""
    match kind, W, v:
        case "dot", _, _:
            return (keys * query).sum(dim=-1)
        case "general", Tensor(), _:
            return (keys @ W.T) @ query
        case "concat", Tensor(), Tensor():
            return torch.tanh(joined(query, keys) @ W) @ v
        case _:
            raise ValueError(f"kind must be dot, general or concat, not {kind}")
