"""The exam of `merge_heads`, lesson 05."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import multi_head_attention as reference
from solutions.exams.families import TENSOR_DTYPE
from solutions.exams.multi_head_attention._specimens import ENDS, counted

merging = Exam(reference.merge_heads, forbids=("companion",))


@merging.example
def two_heads_merged() -> Tensor:
    """two heads, three tokens, two features"""
    return counted(1, 2, 3, 2)


@merging.example
def three_heads_merged() -> Tensor:
    """two sentences, three heads, five tokens, four features"""
    return counted(2, 3, 5, 4)


@merging.case
def drawn_heads_merged(draw: Draw) -> Tensor:
    """heads drawn at random"""
    return draw.fix(**draw.in_turn(ENDS)).tensor("batch heads tokens head_dim")


@merging.case(times=1)
def one_head_merged(draw: Draw) -> Tensor:
    """a single head"""
    return draw.fix(heads=1).tensor("batch heads tokens head_dim")


@merging.misconception
def merged_without_swap(x: Tensor) -> Tensor:
    """The shape is right, but the tokens are mixed: you reshaped while the tokens did not yet come
    before the heads. If you call `transpose`, use its result: it changes nothing in place.
    """
    batch, heads, tokens, head_dim = x.shape
    return x.reshape(batch, tokens, heads * head_dim)


@merging.misconception
def merged_with_view(x: Tensor) -> Tensor:
    """`view` needs the entries in the right order in memory, and after a transpose they are not.
    Call `.contiguous()` first, or use `reshape`.
    """
    batch, heads, tokens, head_dim = x.shape
    return x.transpose(1, 2).view(batch, tokens, heads * head_dim)


@merging.misconception
def not_flattened(x: Tensor) -> Tensor:
    """The heads now come after the tokens, but they still have an axis. Make one axis of heads and
    features.
    """
    return x.transpose(1, 2)


@merging.misconception
def tokens_joined_with_heads(x: Tensor) -> Tensor:
    """The swap is right, but then you made tokens and heads one axis. Join the last two instead,
    the heads and their features.
    """
    return x.transpose(1, 2).flatten(1, 2)


@merging.misconception
def heads_alternate(x: Tensor) -> Tensor:
    """The heads take turns here, feature by feature. All features of head 0 should come first."""
    return x.permute(0, 2, 3, 1).flatten(2)


@merging.misconception
def heads_averaged_and_repeated(x: Tensor) -> Tensor:
    """This is the average of the heads, repeated until the shape fits. What each head found can no
    longer be told apart. Put the heads' own features side by side.
    """
    return x.mean(dim=1).repeat(1, 1, x.shape[1])


@merging.misconception
def heads_merged_by_sum(x: Tensor) -> Tensor:
    """You added up the heads. Put them side by side, so that nothing is lost."""
    return x.sum(dim=1)


@merging.misconception
def heads_merged_by_mean(x: Tensor) -> Tensor:
    """You averaged the heads. Put them side by side, so that nothing is lost."""
    return x.mean(dim=1)


@merging.misconception
def merged_along_tokens(x: Tensor) -> Tensor:
    """You put the heads one after another along the tokens. Each token should get more features;
    the sentence should not get more tokens.
    """
    return x.flatten(1, 2)


TENSOR_DTYPE.apply(merging)


@merging.accepts
def merged_contiguous(x: Tensor) -> Tensor:
    """contiguous and view.

    `view` needs the numbers to lie in order, so they are copied first with `contiguous`.
    `reshape` does that by itself.
    """
    batch, _, tokens, _ = x.shape
    return x.transpose(1, 2).contiguous().view(batch, tokens, -1)


@merging.accepts
def merged_by_cat(x: Tensor) -> Tensor:
    """The heads concatenated.

    It concatenates the heads' features, which is how papers write it: no axis is transposed.
    """
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)


@merging.accepts
def merged_by_permute(x: Tensor) -> Tensor:
    """permute and reshape."""
    batch, heads, tokens, head_dim = x.shape
    return x.permute(0, 2, 1, 3).reshape(batch, tokens, heads * head_dim)
