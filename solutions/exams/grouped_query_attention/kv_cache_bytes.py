"""The exam of `kv_cache_bytes`, lesson 07."""

import math
from collections.abc import Callable
from itertools import combinations

import torch

from autograder import Draw, Exam
from solutions import grouped_query_attention as reference

size = Exam(reference.kv_cache_bytes)

CacheShape = tuple[int, ...]


@size.example
def llama_2_70b() -> CacheShape:
    """Llama 2 70B, one text of 4096 tokens"""
    return 1, 4096, 80, 8, 128, 2


@size.example
def mistral_7b() -> CacheShape:
    """Mistral 7B, four texts of 8192 tokens"""
    return 4, 8192, 32, 8, 128, 2


@size.example
def in_32_bits() -> CacheShape:
    """one token of a model with one layer and one head of one feature, in 32 bits"""
    return 1, 1, 1, 1, 1, 4


@size.example
def llama_2_7b() -> CacheShape:
    """Llama 2 7B, one text of 2048 tokens, without bytes_per_number"""
    return 1, 2048, 32, 32, 128


@size.case
def any_model(draw: Draw) -> CacheShape:
    """a model drawn at random, in 8, 32 or 64 bits"""
    names = ("batch", "tokens", "num_layers", "num_kv_heads", "head_dim")
    return (*(draw.size(name) for name in names), draw.in_turn((1, 4, 8)))


@size.case(times=1)
def palm_540b(draw: Draw) -> CacheShape:
    """PaLM 540B, 64 texts of 2048 tokens, without bytes_per_number"""
    return 64, 2048, 118, 1, 256


@size.case(times=1)
def odd_sizes(draw: Draw) -> CacheShape:
    """a large cache whose sizes are odd"""
    return 3, 2 * int(draw.rng.integers(50_000, 60_000)) + 1, 61, 7, 129, 2


@size.holds
def no_byte_is_missing(answer: Callable[..., int], *sizes: int) -> bool:
    """the number of bytes is exact"""
    return answer(*sizes) == reference.kv_cache_bytes(*sizes)


@size.misconception
def keys_only(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> int:
    """This is half of it, the keys alone. The values take as many bytes."""
    return batch * tokens * layers * kv_heads * width * per_number


@size.misconception
def one_layer_only(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> int:
    """This is the cache of one layer. Every layer has its own."""
    return 2 * batch * tokens * kv_heads * width * per_number


@size.misconception
def numbers_not_bytes(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> int:
    """This is the number of numbers in the caches. Multiply by bytes_per_number."""
    return 2 * batch * tokens * layers * kv_heads * width


@size.misconception
def default_of_four(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 4
) -> int:
    """Without bytes_per_number you count 4 bytes for each number. It is 2 by default: most models
    run in 16 bits.
    """
    return 2 * batch * tokens * layers * kv_heads * width * per_number


@size.misconception
def always_16_bits(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> int:
    """You counted 2 bytes for each number. Other dtypes take more: multiply by bytes_per_number."""
    return 4 * batch * tokens * layers * kv_heads * width


@size.misconception
def one_text_only(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> int:
    """This is the cache of one text. Each text of the batch has its own."""
    return 2 * tokens * layers * kv_heads * width * per_number


@size.misconception
def one_token_only(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> int:
    """These are the bytes of one token. All tokens are cached."""
    return 2 * batch * layers * kv_heads * width * per_number


@size.misconception
def one_head_only(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> int:
    """This is the cache of one key/value head. There are num_kv_heads in each layer."""
    return 2 * batch * tokens * layers * width * per_number


@size.misconception
def bits_not_bytes(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> int:
    """These are bits. A byte has eight of them."""
    return 16 * batch * tokens * layers * kv_heads * width * per_number


@size.misconception
def in_gigabytes(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """These are gigabytes. Return bytes, as an integer."""
    numbers = 2 * batch * tokens * layers * kv_heads * width
    return numbers * per_number / 1e9


@size.misconception
def in_gibibytes(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """These are gibibytes, units of 1024³ bytes. Return bytes, as an integer."""
    numbers = 2 * batch * tokens * layers * kv_heads * width
    return numbers * per_number / 2**30


@size.misconception
def scores_kept(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> int:
    """You multiplied by the number of tokens twice, as for scores. Nothing is cached for pairs of
    tokens: the cache grows with the tokens, not with their square.
    """
    numbers = 2 * batch * tokens**2 * layers * kv_heads * width
    return numbers * per_number


FACTORS = (
    "the 2 for keys and values",
    "batch",
    "tokens",
    "num_layers",
    "num_kv_heads",
    "head_dim",
    "bytes_per_number",
)


def examine_without(one: str, other: str) -> None:
    """Two factors that are missing at once."""

    def wrong(
        batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
    ) -> int:
        factors = (2, batch, tokens, layers, kv_heads, width, per_number)
        given = zip(FACTORS, factors, strict=True)
        return math.prod(value for name, value in given if name not in (one, other))

    names = [name.split()[-1] for name in (one, other)]
    wrong.__name__ = f"without_{names[0]}_and_{names[1]}"
    wrong.__doc__ = f"Two factors are missing: {one} and {other}. Multiply by both."
    size.misconception(wrong)


for first, second in combinations(FACTORS, 2):
    examine_without(first, second)


@size.accepts
def size_by_a_tensor(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> int:
    """The size of a tensor that takes no memory."""
    shape = (layers, 2, batch, kv_heads, tokens, width)
    return torch.empty(shape, device="meta").numel() * per_number


@size.accepts
def size_in_a_loop(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> int:
    """A loop over the layers."""
    total = 0
    for _ in range(layers):
        keys = batch * kv_heads * tokens * width
        total += (keys + keys) * per_number
    return total


@size.accepts
def size_by_a_product(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> int:
    """math.prod."""
    return math.prod((2, batch, tokens, layers, kv_heads, width, per_number))
