"""This course's answers behind the names and arguments that TorchCode's tests call.

Each adapter does nothing but translate: what a mistake does wrong comes through it. A right answer
passes both judges through it, which `rivals.py` tries first.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.mistakes import language

Answer = Callable[..., Any]
_LAST = "</w>"
# One character stands for it, since this course's texts begin as characters.
_END = "\ue000"


def softmax(answer: Answer) -> Answer:
    """In NumPy here, in PyTorch there."""
    return lambda x, dim=-1: torch.from_numpy(answer(x.numpy(), axis=dim))


def attention(answer: Answer) -> Answer:
    """The same arguments here and there."""
    return answer


def causal_attention(answer: Answer) -> Answer:
    """Here, the exercise begins with the scores and ends with the weights."""

    def causal_attention(Q: Tensor, K: Tensor, V: Tensor) -> Any:
        return answer(Q @ K.transpose(-2, -1) / K.shape[-1] ** 0.5) @ V

    return causal_attention


def mha(split_heads: Answer) -> Answer:
    """The module around it, with this split; here, it is a causal one."""

    class MultiHeadAttention(_Projections):
        def forward(self, Q: Tensor, K: Tensor, V: Tensor) -> Any:
            q, k, v = (
                split_heads(project(x), self.num_heads)
                for project, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V))
            )
            contexts = torch.softmax(q @ k.transpose(-2, -1) / self.d_k**0.5, dim=-1) @ v
            return self.W_o(contexts.transpose(1, 2).flatten(2))

    return MultiHeadAttention


def gqa(repeat_kv: Answer) -> Answer:
    """The module around it, with heads repeated so; here, it is a causal one."""

    class GroupQueryAttention(_Projections):
        def forward(self, x: Tensor) -> Any:
            q, k, v = (
                project(x).unflatten(-1, (-1, self.d_k)).transpose(1, 2)
                for project in (self.W_q, self.W_k, self.W_v)
            )
            n_rep = self.num_heads // self.num_kv_heads
            k, v = repeat_kv(k, n_rep), repeat_kv(v, n_rep)
            contexts = torch.softmax(q @ k.transpose(-2, -1) / self.d_k**0.5, dim=-1) @ v
            return self.W_o(contexts.transpose(1, 2).flatten(2))

    return GroupQueryAttention


def kv_cache(decode_step: Answer) -> Answer:
    """A module there, matrices here; no past there is one of no tokens here."""

    class KVCacheAttention(_Projections):
        def forward(self, x: Tensor, cache: Any = None) -> Any:
            none = x.new_zeros(len(x), self.num_heads, 0, self.d_k)
            weights = {
                "W_query": self.W_q.weight.T,
                "W_key": self.W_k.weight.T,
                "W_value": self.W_v.weight.T,
                "out_proj": self.W_o.weight.T,
            }
            contexts, keys, values = decode_step(x, weights, *(cache or (none, none)))
            return contexts, (keys, values)

    return KVCacheAttention


class _Projections(nn.Module):
    """The four projections that TorchCode asks for by these names."""

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int = 0) -> None:
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads or num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, self.num_kv_heads * self.d_k, bias=False)
        self.W_v = nn.Linear(d_model, self.num_kv_heads * self.d_k, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)


def cross_attention(answer: Any) -> Answer:
    """One width for all there, three here."""

    def made(d_model: int, num_heads: int) -> Any:
        return answer(d_model, d_model, d_model, 0.0, num_heads)

    return made


def rope(answer: Answer) -> Answer:
    """Queries and keys at once there, one of them and its positions here."""

    def apply_rope(q: Tensor, k: Tensor) -> tuple[Any, Any]:
        return answer(q, torch.arange(q.shape[-2])), answer(k, torch.arange(k.shape[-2]))

    return apply_rope


def sliding_window(answer: Answer) -> Answer:
    """The mask here, all of attention there; a window there does not count the token itself."""

    def sliding_window_attention(Q: Tensor, K: Tensor, V: Tensor, window_size: int) -> Any:
        hidden = answer(Q.shape[-2], window_size + 1)
        scores = Q @ K.transpose(-2, -1) / K.shape[-1] ** 0.5
        return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1) @ V

    return sliding_window_attention


def linear_attention(answer: Answer) -> Answer:
    """One feature map there, any here."""
    return lambda Q, K, V: answer(Q, K, V, lambda x: nn.functional.elu(x) + 1)


def flash_attention(answer: Answer) -> Answer:
    """Blocks of queries there too, which change no result."""
    return lambda Q, K, V, block_size=32: answer(Q, K, V, block_size)


def layernorm(answer: Any) -> Answer:
    """A function there, a module here."""

    def my_layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Any:
        given = {"weight": gamma, "bias": beta}
        return torch.func.functional_call(answer(x.shape[-1], eps), given, (x,))

    return my_layer_norm


def rmsnorm(answer: Any) -> Answer:
    """A function there, a module here."""

    def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Any:
        return torch.func.functional_call(answer(x.shape[-1], eps), {"weight": weight}, (x,))

    return rms_norm


def gpt2_block(answer: Any) -> Answer:
    """Other names for the same parts."""

    def made(d_model: int, num_heads: int) -> Any:
        block = answer(d_model, num_heads, 4 * d_model, 0.0)
        block.ln1, block.ln2 = block.norm1, block.norm2
        block.mlp = nn.Sequential(block.linear1, nn.GELU(), block.linear2)
        return block

    return made


def dropout(answer: Answer) -> Answer:
    """A module with a mode there, a function with a generator here."""

    class MyDropout(nn.Module):
        def __init__(self, p: float = 0.5) -> None:
            super().__init__()
            self.p = p

        def forward(self, x: Tensor) -> Any:
            seed = int(torch.randint(1 << 30, ()))
            return answer(x, self.p, torch.Generator().manual_seed(seed), self.training)

    return MyDropout


def cross_entropy(answer: Answer) -> Answer:
    """Single predictions there, texts here: two of them, for an even number of predictions."""

    def cross_entropy_loss(logits: Tensor, targets: Tensor) -> Any:
        texts = 2 if len(logits) % 2 == 0 else 1
        predictions = logits.reshape(texts, -1, logits.shape[-1])
        unused = torch.zeros_like(predictions[:, :1])
        first = torch.zeros(texts, 1, dtype=targets.dtype)
        tokens = torch.cat((first, targets.reshape(texts, -1)), dim=1)
        return answer(torch.cat((predictions, unused), dim=1), tokens)

    return cross_entropy_loss


def topk_sampling(answer: Answer) -> Answer:
    """A token is drawn there, from the distribution that is asked for here."""

    def sample_top_k_top_p(
        logits: Tensor, top_k: int = 0, top_p: float = 1.0, temperature: float = 1.0
    ) -> int:
        shares = answer(logits, temperature, top_k or None, None if top_p == 1.0 else top_p)
        return int(torch.multinomial(shares, 1))

    return sample_top_k_top_p


def bpe(encode: Answer) -> Answer:
    """Words with an end there, any text here: the merges are learned right, word by word."""
    encoded_right = language.ENCODE.right_answer()

    class SimpleBPE:
        def __init__(self) -> None:
            self.merges: list[tuple[str, str]] = []

        def train(self, corpus: list[str], num_merges: int) -> None:
            inside: list[tuple[str, str]] = []
            for _ in range(num_merges):
                counts: dict[tuple[str, str], int] = {}
                for word in corpus:
                    pieces = encoded_right(word + _END, inside)
                    for pair in pairwise(pieces):
                        counts[pair] = counts.get(pair, 0) + 1
                if not counts:
                    break
                inside.append(max(counts, key=lambda pair: counts[pair]))
            self.merges = [(_outside(left), _outside(right)) for left, right in inside]

        def encode(self, text: str) -> list[str]:
            merges = [(_inside(left), _inside(right)) for left, right in self.merges]
            return [
                _outside(piece) for word in text.split() for piece in encode(word + _END, merges)
            ]

    return SimpleBPE


def _inside(piece: str) -> str:
    return piece.replace(_LAST, _END)


def _outside(piece: str) -> str:
    return piece.replace(_END, _LAST)


def speculative_decoding(answer: Answer) -> Answer:
    """No token after the last one there, and chance inside of the function."""

    def speculative_decode(target: Tensor, draft: Tensor, drafted: Tensor) -> list[int]:
        after = torch.full_like(target[:1], 1 / target.shape[-1])
        uniforms = torch.rand(len(drafted) + 1)
        tokens = answer(torch.cat((target, after)), draft, drafted, uniforms)
        return [int(token) for token in tokens[: len(drafted)]]

    return speculative_decode
