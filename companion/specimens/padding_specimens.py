"""Cross-attentions to try a test of padding on: some are blind to it, some take it in.

Each takes `(queries, context, padding)` of the shapes (batch, queries, d), (batch, keys, d) and
(batch, keys), True where a key is padding, and returns (batch, queries, d).
"""

import torch
from torch.nn.functional import scaled_dot_product_attention


def blind_attention(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Blind: padding gets no weight, and a sentence that is all padding gives zeros."""
    return _attend(queries, context, ~padding[:, None, :])


def blind_average(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Blind: the average of all that is no padding, by subtraction, for every query."""
    filler = padding[..., None].to(context.dtype)
    real = context.sum(dim=1, keepdim=True) - (filler * context).sum(dim=1, keepdim=True)
    counts = (1 - filler).sum(dim=1, keepdim=True).clamp(min=1)
    return queries + real / counts


def blind_maximum(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Blind: the largest number that is no padding, feature by feature, for every query."""
    real = context.masked_fill(padding[..., None], -torch.inf)
    return queries + real.amax(dim=1, keepdim=True).clamp(min=-100)


def leave_queries_alone(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Blind: gives the queries back, and looks at nothing."""
    return queries.clone()


def count_real_keys(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Blind: adds how many keys are real, and looks at nothing but the mask."""
    return queries + (~padding).sum(dim=1)[:, None, None]


def first_key_only(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Blind where the first key is real: it is all that is seen, whatever the mask says."""
    return queries + context[:, :1]


def no_padding_mask(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Not blind: everything is seen, padding too."""
    return _attend(queries, context, torch.ones_like(padding)[:, None, :])


def inverted_mask(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Not blind: the padding is all that is seen."""
    return _attend(queries, context, padding[:, None, :])


def first_mask_for_all(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Not blind: every sentence is masked as the first one is."""
    return _attend(queries, context, ~padding[:1, None, :])


def zeroed_scores(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Not blind: the scores of padding are 0, which is a score like any other."""
    scores = (queries @ context.mT).where(~padding[:, None, :], 0)
    return scores.softmax(dim=-1) @ context


def masked_afterwards(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Not blind: the weights of padding are set to 0 after the softmax, the sum remembers them."""
    weights = (queries @ context.mT).softmax(dim=-1)
    return weights.where(~padding[:, None, :], 0) @ context


def last_is_forgotten(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Not blind: the last position is seen by the last query, padding or not."""
    visible = (~padding[:, None, :]).repeat(1, queries.shape[1], 1)
    visible[:, -1, -1] = True
    return _attend(queries, context, visible)


def first_is_forgotten(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Not blind: in the first sentence, nothing is hidden."""
    known = padding.clone()
    known[0] = False
    return blind_attention(queries, context, known)


def lowered_by_padding(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Not blind: the padding is taken away from what was mixed without it."""
    hidden = (context * padding[..., None]).sum(dim=1, keepdim=True)
    return blind_attention(queries, context, padding) - hidden


def faint_leak(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Not blind: a hundredth of the average of everything is added."""
    found = blind_attention(queries, context, padding)
    return found + 0.01 * context.mean(dim=1, keepdim=True)


def fainter_leak(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Not blind: a thousandth of the average of everything is added."""
    found = blind_attention(queries, context, padding)
    return found + 0.001 * context.mean(dim=1, keepdim=True)


def last_feature_leaks(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Not blind: the last feature of the padding is added, and no other."""
    hidden = context[..., -1:].where(padding[..., None], 0).sum(dim=1, keepdim=True)
    return blind_attention(queries, context, padding) + hidden


def cancelling_leak(
    queries: torch.Tensor, context: torch.Tensor, padding: torch.Tensor, /
) -> torch.Tensor:
    """Not blind: one feature is raised by what another is lowered by, so that means agree."""
    leak = context.where(padding[..., None], 0).sum(dim=(1, 2))[:, None]
    found = blind_attention(queries, context, padding).clone()
    found[..., -2] += leak
    found[..., -1] -= leak
    return found


def _attend(queries: torch.Tensor, context: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
    return scaled_dot_product_attention(queries, context, context, attn_mask=visible)
