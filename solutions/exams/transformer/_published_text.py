"""Right answers as published code has them, lesson 09, from text to text."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional

from companion import merge_pair
from solutions.exams.transformer.encode import cutting
from solutions.exams.transformer.generate.exam import generating
from solutions.exams.transformer.learn_merges import merging
from solutions.exams.transformer.next_token_distribution.exam import distribution
from solutions.exams.transformer.next_token_loss import loss

Pair = tuple[str, str]


@merging.accepts
def merges_of_min_bpe(text: str, num_merges: int) -> list[Pair]:
    """minBPE: counts in a dict of pairs, the largest by `stats.get`."""
    tokens, merges = list(text), {}
    for i in range(num_merges):
        stats: dict[Pair, int] = {}
        for pair in pairwise(tokens):
            stats[pair] = stats.get(pair, 0) + 1
        if not stats or max(stats.values()) < 2:
            break
        best = max(stats, key=lambda one: stats[one])
        tokens = merge_pair(tokens, best)
        merges[best] = i
    return list(merges)


@cutting.accepts
def pieces_of_min_bpe(text: str, merges: Sequence[Pair]) -> list[str]:
    """minBPE: of the pairs that stand in the text, the one that was merged first."""
    order = {pair: number for number, pair in enumerate(merges)}
    tokens = list(text)
    for _ in range(len(text) - 1):
        pairs = set(pairwise(tokens))
        if not pairs:
            break
        pair = min(pairs, key=lambda one: order.get(one, float("inf")))
        if pair not in order:
            break
        tokens = merge_pair(tokens, pair)
    return tokens


@loss.accepts
def loss_of_nano_gpt(logits: Tensor, tokens: Tensor) -> Tensor:
    """nanoGPT: views of logits and targets."""
    logits, targets = logits[:, :-1, :].contiguous(), tokens[:, 1:].contiguous()
    return functional.cross_entropy(
        logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1
    )


@loss.accepts
def loss_of_transformers(logits: Tensor, tokens: Tensor) -> Tensor:
    """Hugging Face's transformers: the labels padded with −100, which is ignored."""
    labels = functional.pad(tokens, (0, 1), value=-100)[..., 1:].contiguous()
    return functional.cross_entropy(
        logits.view(-1, logits.shape[-1]), labels.view(-1), ignore_index=-100
    )


@loss.accepts
def loss_of_the_annotated_transformer(logits: Tensor, tokens: Tensor) -> Tensor:
    """The Annotated Transformer: a sum over all predictions, divided by how many they are."""
    log_probs = functional.log_softmax(logits[:, :-1], dim=-1)
    targets = tokens[:, 1:]
    total = functional.nll_loss(
        log_probs.reshape(-1, log_probs.size(-1)), targets.reshape(-1), reduction="sum"
    )
    return total / targets.numel()


@distribution.accepts
def distribution_of_transformers(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Hugging Face's transformers: warpers that fill logits with −inf, top-p from the smallest."""
    scores = logits / temperature
    if top_k is not None:
        top_k = min(top_k, scores.size(-1))
        indices_to_remove = scores < torch.topk(scores, top_k)[0][..., -1, None]
        scores = scores.masked_fill(indices_to_remove, -float("inf"))
    if top_p is not None and top_p < 1.0:
        sorted_logits, sorted_indices = torch.sort(scores, descending=False)
        cumulative_probs = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
        sorted_indices_to_remove = cumulative_probs <= (1 - top_p)
        sorted_indices_to_remove[..., -1:] = 0
        indices_to_remove = sorted_indices_to_remove.scatter(
            0, sorted_indices, sorted_indices_to_remove
        )
        scores = scores.masked_fill(indices_to_remove, -float("inf"))
    return functional.softmax(scores, dim=-1)


@distribution.accepts
def distribution_of_llama(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """LLaMA's sample_top_p, after nanoGPT's top-k."""
    logits = logits / temperature
    if top_k is not None:
        v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
        logits = torch.where(logits < v[-1], -float("inf"), logits)
    probs = torch.softmax(logits, dim=-1)
    if top_p is None:
        return probs
    probs_sort, probs_idx = torch.sort(probs, dim=-1, descending=True)
    probs_sum = torch.cumsum(probs_sort, dim=-1)
    probs_sort[probs_sum - probs_sort > top_p] = 0.0
    probs_sort.div_(probs_sort.sum(dim=-1, keepdim=True))
    return torch.zeros_like(probs).scatter(-1, probs_idx, probs_sort)


@generating.accepts
def texts_of_nano_gpt(
    model: Callable[[Tensor], Tensor], idx: Tensor, max_new_tokens: int, block_size: int
) -> Tensor:
    """nanoGPT: cropped where it is too long, the most likely token by top-k with k = 1."""
    for _ in range(max_new_tokens):
        idx_cond = idx if idx.size(1) <= block_size else idx[:, -block_size:]
        with torch.no_grad():
            logits = model(idx_cond)
        probs = functional.softmax(logits[:, -1, :], dim=-1)
        _, idx_next = torch.topk(probs, k=1, dim=-1)
        idx = torch.cat((idx, idx_next), dim=1)
    return idx


@generating.accepts
def texts_of_the_annotated_transformer(
    model: Callable[[Tensor], Tensor], ys: Tensor, max_len: int, context_length: int
) -> Tensor:
    """The Annotated Transformer's greedy_decode: `torch.max` over the last position."""
    for _ in range(max_len):
        out = model(ys[:, -context_length:])
        _, next_word = torch.max(out[:, -1], dim=1)
        ys = torch.cat([ys, next_word.unsqueeze(1).type_as(ys)], dim=1)
    return ys
