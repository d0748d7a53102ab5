"""Right answers as published code has them, lesson 10: to train on a text, and to continue one."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, RandomSampler

from companion import Cache
from solutions.exams.your_gpt.continue_with_cache.exam import continuing
from solutions.exams.your_gpt.is_held_out.exam import held_out
from solutions.exams.your_gpt.speculative_step.exam import speculating
from solutions.exams.your_gpt.train.exam import training

LossOf = Callable[[Tensor, Tensor], Tensor]
Model = Callable[[Tensor, Sequence[Cache]], Tensor]
Choose = Callable[[Tensor], Tensor]


@training.accepts
def steps_of_nano_gpt(
    model: nn.Module,
    loss_of: LossOf,
    data: Tensor,
    max_iters: int,
    batch_size: int = 16,
    block_size: int = 64,
    learning_rate: float = 4e-3,
) -> list[float]:
    """nanoGPT: get_batch, a linear warm-up, a cosine down to a tenth, clipped gradients."""
    min_lr, warmup_iters = learning_rate / 10, max_iters // 10

    def get_batch() -> Tensor:
        ix = torch.randint(len(data) - block_size + 1, (batch_size,))
        return torch.stack([data[i : i + block_size] for i in ix.tolist()])

    def get_lr(it: int) -> float:
        if it < warmup_iters:
            return learning_rate * (it + 1) / (warmup_iters + 1)
        decay_ratio = (it - warmup_iters) / (max_iters - warmup_iters)
        coeff = 0.5 * (1.0 + math.cos(math.pi * decay_ratio))
        return min_lr + coeff * (learning_rate - min_lr)

    decay_params = [p for p in model.parameters() if p.dim() >= 2]
    nodecay_params = [p for p in model.parameters() if p.dim() < 2]
    optim_groups = [
        {"params": decay_params, "weight_decay": 0.1},
        {"params": nodecay_params, "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(optim_groups, lr=learning_rate, betas=(0.9, 0.95))
    lossf = []
    X = get_batch()
    for iter_num in range(max_iters):
        for param_group in optimizer.param_groups:
            param_group["lr"] = get_lr(iter_num)
        loss = loss_of(model(X), X)
        X = get_batch()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        lossf.append(loss.item())
    return lossf


class _Blocks(Dataset[Tensor]):
    """minGPT's kind of data set: a block at each place of a text."""

    def __init__(self, data: Tensor, block_size: int) -> None:
        self.data, self.block_size = data, block_size

    def __len__(self) -> int:
        return len(self.data) - self.block_size + 1

    def __getitem__(self, idx: int) -> Tensor:
        return self.data[idx : idx + self.block_size]


@training.accepts
def steps_of_min_gpt(
    model: nn.Module,
    loss_of: LossOf,
    data: Tensor,
    max_iters: int,
    batch_size: int = 16,
    block_size: int = 64,
    learning_rate: float = 4e-3,
) -> list[float]:
    """minGPT: a DataLoader that draws with replacement, and an iterator over it."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.95))
    train_dataset = _Blocks(data, block_size)
    train_loader = DataLoader(
        train_dataset,
        sampler=RandomSampler(train_dataset, replacement=True, num_samples=int(1e10)),
        shuffle=False,
        batch_size=batch_size,
    )
    model.train()
    losses = []
    data_iter = iter(train_loader)
    for _iter_num in range(max_iters):
        try:
            batch = next(data_iter)
        except StopIteration:
            data_iter = iter(train_loader)
            batch = next(data_iter)
        loss = loss_of(model(batch), batch)
        model.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


@continuing.accepts
@torch.inference_mode()
def texts_of_llama(
    model: Model, ids: Tensor, caches: Sequence[Cache], max_gen_len: int, choose: Choose
) -> Tensor:
    """LLaMA: a tensor of the final length, and all positions from prev_pos to cur_pos."""
    bsz, min_prompt_len = ids.shape
    total_len = max_gen_len + min_prompt_len
    tokens = torch.full((bsz, total_len), -1, dtype=torch.long)
    tokens[:, :min_prompt_len] = ids
    prev_pos = 0
    for cur_pos in range(min_prompt_len, total_len):
        logits = model(tokens[:, prev_pos:cur_pos], caches)
        next_token = choose(logits[:, -1])
        next_token = next_token.reshape(-1)
        tokens[:, cur_pos] = next_token
        prev_pos = cur_pos
    return tokens


@continuing.accepts
@torch.no_grad()
def texts_of_gpt_fast(
    model: Model, prompt: Tensor, caches: Sequence[Cache], max_new_tokens: int, choose: Choose
) -> Tensor:
    """gpt-fast: prefill, then decode_n_tokens, into an empty tensor."""
    batch_size, T = prompt.shape
    seq = torch.empty(batch_size, T + max_new_tokens, dtype=prompt.dtype)
    seq[:, :T] = prompt
    if max_new_tokens == 0:
        return seq

    def decode_one_token(x: Tensor) -> Tensor:
        return choose(model(x, caches)[:, -1]).view(batch_size, -1)

    def decode_n_tokens(cur_token: Tensor, num_new_tokens: int) -> list[Tensor]:
        new_tokens = []
        for _ in range(num_new_tokens):
            cur_token = decode_one_token(cur_token)
            new_tokens.append(cur_token.clone())
        return new_tokens

    next_token = decode_one_token(prompt)
    seq[:, T : T + 1] = next_token
    generated_tokens = decode_n_tokens(next_token, max_new_tokens - 1)
    if generated_tokens:
        seq[:, T + 1 :] = torch.cat(generated_tokens, dim=-1)
    return seq


@speculating.accepts
def tokens_of_transformers(
    p: Tensor, q: Tensor, new_candidate_input_ids: Tensor, uniforms: Tensor
) -> Tensor:
    """Hugging Face's _speculative_sampling: all ratios, then the number of matches."""
    r_i, candidate_length = uniforms[:-1], len(new_candidate_input_ids)
    q_i = q[torch.arange(candidate_length), new_candidate_input_ids]
    p_i = p[torch.arange(candidate_length), new_candidate_input_ids]
    probability_ratio = p_i / q_i
    is_accepted = r_i <= probability_ratio
    n_matches = ((~is_accepted).cumsum(dim=-1) < 1).sum()
    p_n_plus_1 = p[n_matches]
    if n_matches < candidate_length:
        p_prime = torch.clamp((p_n_plus_1 - q[n_matches]), min=0)
        p_prime.div_(p_prime.sum())
    else:
        p_prime = p_n_plus_1
    cdf = p_prime.cumsum(dim=-1)
    t = (cdf > uniforms[-1] * cdf[-1]).int().argmax(dim=-1)
    return torch.cat((new_candidate_input_ids[:n_matches], t.reshape(1)), dim=-1)


@held_out.accepts
def n_grams_of_nltk(learned: Tensor, test: Tensor, n: int) -> bool:
    """NLTK's ngrams: a history that moves on by one token."""

    def ngrams(sequence: list[int]) -> set[tuple[int, ...]]:
        found, history = set(), list[int]()
        for item in sequence:
            history.append(item)
            if len(history) == n:
                found.add(tuple(history))
                del history[0]
        return found

    return len(ngrams(learned.tolist()).intersection(ngrams(test.tolist()))) == 0
