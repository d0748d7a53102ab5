"""Lesson 10: a GPT of your own parts, with rotary positions, grouped-query attention and a cache.

Token ids are (batch, tokens). In a mask, True means "hidden".
"""

from collections.abc import Callable, Sequence

import torch
from torch import nn

from companion import LIBRARY, Cache, Parts, RotaryBlock


def gpt_sizes_by_hand() -> dict[str, object]:
    """The sizes of a small GPT, worked out on paper.

    It has a vocabulary of 10 tokens, d_model = 8, 4 query heads, 2 key/value heads, d_hidden = 20
    and 3 blocks. Replace each `...` with a number.

    Returns:
        The number of parameters of some parts and of the whole model, and how many numbers all the
        caches of the model hold for each token of a text.
    """
    by_hand: dict[str, object] = {
        "W_query": ...,
        "W_key": ...,
        "attention of one block": ...,
        "feed-forward layer of one block": ...,
        "normalisations of one block": ...,
        "whole model": ...,
        "numbers cached for each token": ...,
    }
    ### BEGIN SOLUTION (replaces the lines above)
    vocabulary, d_model, num_heads, num_kv_heads, d_hidden, num_blocks = 10, 8, 4, 2, 20, 3
    kv_features = num_kv_heads * (d_model // num_heads)
    attention = 2 * d_model * d_model + 2 * d_model * kv_features
    feed_forward = (d_model * d_hidden + d_hidden) + (d_hidden * d_model + d_model)
    block = attention + feed_forward + 2 * d_model
    by_hand = {
        "W_query": d_model * d_model,
        "W_key": d_model * kv_features,
        "attention of one block": attention,
        "feed-forward layer of one block": feed_forward,
        "normalisations of one block": 2 * d_model,
        "whole model": vocabulary * d_model + num_blocks * block + d_model,
        "numbers cached for each token": num_blocks * 2 * kv_features,
    }
    ### END SOLUTION
    return by_hand


class RotaryAttention(nn.Module):
    """Causal grouped-query attention with rotary positions and a cache.

    Su and others, RoFormer (2021), section 3.2; Ainslie and others, GQA (2023), section 2.2.

    Call it with `inputs`, (batch, new, d_model), and with `cache`: a `parts.KVCache` with the keys
    and values of the text so far (maybe none yet), to which those of the new tokens are appended,
    or None if the inputs are a whole text. It returns (batch, new, d_model).

    Args:
        d_model: the number of features of a token.
        num_heads: the number of query heads, a divisor of d_model; d_model / num_heads is even.
        num_kv_heads: the number of key/value heads, a divisor of num_heads.
        parts: the functions and classes of earlier lessons, called as `parts.apply_rope(…)`, for
            example. Which of them you use is up to you.

    The projections are `nn.Linear` without bias: `W_query` and `out_proj` have d_model outputs,
    `W_key` and `W_value` have num_kv_heads · head_dim. Scores are divided by √head_dim. Positions
    count from the beginning of the text, including cached tokens. Keys are cached after rotation.
    """

    def __init__(
        self, d_model: int, num_heads: int, num_kv_heads: int, parts: Parts = LIBRARY
    ) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.num_heads, self.num_kv_heads, self.parts = num_heads, num_kv_heads, parts
        self.head_dim = d_model // num_heads
        self.W_query = nn.Linear(d_model, d_model, bias=False)
        self.W_key = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=False)
        self.W_value = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)
        ### END SOLUTION

    def forward(self, inputs: torch.Tensor, cache: Cache | None = None) -> torch.Tensor:
        ### BEGIN SOLUTION
        parts, new = self.parts, inputs.shape[1]
        start = 0 if cache is None else cache.length
        positions = torch.arange(start, start + new)
        queries = parts.split_heads(self.W_query(inputs), self.num_heads)
        keys = parts.split_heads(self.W_key(inputs), self.num_kv_heads)
        values = parts.split_heads(self.W_value(inputs), self.num_kv_heads)
        queries, keys = parts.apply_rope(queries, positions), parts.apply_rope(keys, positions)
        if cache is not None:
            keys, values = cache.append(keys, values)
        n_rep = self.num_heads // self.num_kv_heads
        keys, values = parts.repeat_kv(keys, n_rep), parts.repeat_kv(values, n_rep)
        attn_scores = queries @ keys.mT / self.head_dim**0.5
        hidden = parts.decoding_mask(new, start + new).expand_as(attn_scores)
        attn_weights = parts.masked_attention_weights(attn_scores, hidden)
        return self.out_proj(parts.merge_heads(attn_weights @ values))
        ### END SOLUTION


def repaired_cached_scores(
    queries: torch.Tensor, keys: torch.Tensor, past_keys: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Repair the scores of new tokens, rotated queries and keys, whose past keys are cached.

    Args:
        queries: of the new tokens, (batch, num_heads, new, head_dim), not rotated yet.
        keys: of the new tokens, same shape, not rotated yet.
        past_keys: of all earlier tokens, (batch, num_heads, cached, head_dim), already rotated;
            cached may be 0.

    Returns:
        The scores of the new tokens, (batch, num_heads, new, cached + new), without a mask, and the
        rotated keys of all tokens, (batch, num_heads, cached + new, head_dim). Both must be the
        same as if the whole text were computed in one call.
    """
    positions = torch.arange(keys.shape[2])
    ### BEGIN SOLUTION (replaces the lines above)
    cached = past_keys.shape[2]
    positions = torch.arange(cached, cached + keys.shape[2])
    ### END SOLUTION
    queries, keys = LIBRARY.apply_rope(queries, positions), LIBRARY.apply_rope(keys, positions)
    all_keys = torch.cat([past_keys, keys], dim=2)
    return queries @ all_keys.mT / queries.shape[-1] ** 0.5, all_keys


class GPT(nn.Module):
    """A language model: embedding, blocks, normalisation, and logits for each next token.

    Call it with `ids`, (batch, new), of int64, and with `caches`: a list with one cache for each
    block, in the order of the blocks, or None if the ids are whole texts. It returns, for each id,
    the logits of the token after it: (batch, new, vocabulary).

    Args:
        vocabulary: the number of different tokens.
        d_model: the number of features of a token.
        num_heads: the number of query heads, a divisor of d_model.
        num_kv_heads: the number of key/value heads, a divisor of num_heads.
        d_hidden: the number of features inside the feed-forward layers.
        num_blocks: the number of blocks.
        parts: passed to each block; the last normalisation comes from it, too.

    `tokens` is the embedding, whose weights start out normally distributed with standard deviation
    0.02; `blocks` is an `nn.ModuleList` of `RotaryBlock`, and `norm`, after the last block, a
    `parts.RMSNorm`. There are no other parameters: a logit is the dot product of the normalised
    output with the embedding of a token (Press and Wolf, Using the Output Embedding to Improve
    Language Models, 2017).
    """

    def __init__(
        self,
        vocabulary: int,
        d_model: int,
        num_heads: int,
        num_kv_heads: int,
        d_hidden: int,
        num_blocks: int,
        parts: Parts = LIBRARY,
    ) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.tokens = nn.Embedding(vocabulary, d_model)
        nn.init.normal_(self.tokens.weight, std=0.02)
        self.blocks = nn.ModuleList(
            RotaryBlock(d_model, num_heads, num_kv_heads, d_hidden, parts)
            for _ in range(num_blocks)
        )
        self.norm = parts.RMSNorm(d_model)
        ### END SOLUTION

    def forward(self, ids: torch.Tensor, caches: Sequence[Cache] | None = None) -> torch.Tensor:
        ### BEGIN SOLUTION
        x = self.tokens(ids)
        for index, block in enumerate(self.blocks):
            x = block(x, None if caches is None else caches[index])
        return self.norm(x) @ self.tokens.weight.T
        ### END SOLUTION


def continue_with_cache(
    model: Callable[[torch.Tensor, Sequence[Cache]], torch.Tensor],
    ids: torch.Tensor,
    caches: Sequence[Cache],
    num_new_tokens: int,
    choose: Callable[[torch.Tensor], torch.Tensor],
) -> torch.Tensor:
    """Continue texts with a cache: the whole prompt in one call, then one token per call.

    The token that is added last needs no call, since nothing is chosen after it.

    Args:
        model: called as `model(ids, caches)` with the ids of tokens that the caches don't hold yet,
            (batch, new). It stores their keys and values, and returns logits,
            (batch, new, vocabulary).
        ids: the prompt of each text, (batch, tokens), of int64, at least one token.
        caches: empty caches, one for each block, with room for the whole text.
        num_new_tokens: how many tokens to add; may be 0.
        choose: takes the logits of the next token, (batch, vocabulary), and returns its ids,
            (batch,).

    Returns:
        The texts, (batch, tokens + num_new_tokens), of int64; `ids` is not changed, and no
        gradients are tracked.
    """
    ### BEGIN SOLUTION
    new = ids
    for _ in range(num_new_tokens):
        with torch.no_grad():
            logits = model(new, caches)
        new = choose(logits[:, -1])[:, None]
        ids = torch.cat([ids, new], dim=1)
    return ids
    ### END SOLUTION


def speculative_step(
    p: torch.Tensor, q: torch.Tensor, drafted: torch.Tensor, uniforms: torch.Tensor
) -> torch.Tensor:
    """Accept or reject the tokens that a draft model has drafted, and draw one more.

    Leviathan and others, Fast Inference from Transformers via Speculative Decoding (2023),
    algorithm 1; Chen and others, Accelerating Large Language Model Decoding with Speculative
    Sampling (2023), algorithm 2.

    Args:
        p: the model's distributions of the next token, (k + 1, vocabulary): p[i] is that of the
            token at the position of drafted[i], and p[k] that of the token after the last one.
        q: the distributions that the tokens were drafted from, (k, vocabulary).
        drafted: the drafted tokens, (k,), of int64, at least one; q[i, drafted[i]] is above 0.
        uniforms: numbers from 0 up to, but not including, 1, (k + 1,): uniforms[i] decides on
            drafted[i], which is accepted if it is below p[i, t] / q[i, t], where t is drafted[i],
            and rejected if it is above. The last one draws the token at the end. A number u draws
            from a distribution the first token at which the running sum of the probabilities
            exceeds u, or the last token of all where rounding leaves even the whole sum at or below
            u.

    Returns:
        The accepted tokens and one more, (accepted + 1,), of int64.
    """
    ### BEGIN SOLUTION
    accepted, distribution = len(drafted), p[-1]
    for i, token in enumerate(drafted):
        if uniforms[i] >= p[i, token] / q[i, token]:
            residual = (p[i] - q[i]).clamp(min=0)
            accepted, distribution = i, residual / residual.sum()
            break
    # Without the last sum, which rounding can leave below 1, u always finds a token.
    token = torch.searchsorted(distribution.cumsum(0)[:-1], uniforms[-1], right=True)
    return torch.cat([drafted[:accepted], token[None]])
    ### END SOLUTION


def is_held_out(learned: torch.Tensor, test: torch.Tensor, n: int) -> bool:
    """Write the test: is no run of n tokens of a text also in the text that a model learns from?

    Args:
        learned: the ids of the text to learn from, (tokens,), of int64, for example 100,000.
        test: the ids of the text to be held out, (tokens,), of int64.
        n: the length of a run, at least 1; a shorter text has no runs.

    Returns:
        True if no run of n tokens of `test` appears anywhere in `learned`, otherwise False.
    """
    ### BEGIN SOLUTION
    known = {tuple(run) for run in learned.unfold(0, n, 1).tolist()} if len(learned) >= n else set()
    runs = test.unfold(0, n, 1).tolist() if len(test) >= n else []
    return not any(tuple(run) in known for run in runs)
    ### END SOLUTION


def train(
    model: nn.Module,
    loss_of: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    text: torch.Tensor,
    steps: int,
    batch_size: int = 16,
    context_length: int = 64,
    learning_rate: float = 4e-3,
) -> list[float]:
    """Train a language model in place, on random excerpts of a text.

    Args:
        model: takes ids, (batch, tokens), and returns logits, (batch, tokens, vocabulary).
        loss_of: called as `loss_of(logits, ids)`, like `next_token_loss`: it shifts the ids itself,
            and returns the loss, a tensor without axes.
        text: the ids of the text to learn from, (tokens,), of int64, at least context_length.
        steps: how many times the parameters change.
        batch_size: the number of excerpts in each step, all in one call of the model, drawn anew
            each time; an excerpt may begin anywhere in the text.
        context_length: the number of tokens of an excerpt.
        learning_rate: the highest one, for Adam or AdamW; plain SGD would be too slow. Whether it
            rises and falls is up to you.

    Returns:
        The loss of each step, measured before the parameters change, as a list of floats.
    """
    ### BEGIN SOLUTION
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, total_steps=steps)
    losses = []
    model.train()
    for _ in range(steps):
        starts = torch.randint(len(text) - context_length + 1, (batch_size, 1))
        excerpts = text[starts + torch.arange(context_length)]
        loss = loss_of(model(excerpts), excerpts)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses
    ### END SOLUTION
