"""The exam of `bytes_read_per_token`, lesson 07."""

from autograder import Draw, Exam
from solutions import grouped_query_attention as reference

read = Exam(reference.bytes_read_per_token)

Reading = tuple[int, ...]


@read.example
def tiny_model() -> Reading:
    """a model of 1001 parameters and two layers in 32 bits, four texts of ten tokens"""
    return 1001, 4, 10, 2, 3, 5, 4


@read.example
def llama_2_70b_alone() -> Reading:
    """Llama 2 70B, one text of 4096 tokens"""
    return 70_000_000_000, 1, 4096, 80, 8, 128, 2


@read.example
def llama_2_70b_in_company() -> Reading:
    """Llama 2 70B, 64 texts of 4096 tokens"""
    return 70_000_000_000, 64, 4096, 80, 8, 128, 2


def drawn_reading(draw: Draw, *bytes_per_number: int) -> Reading:
    names = ("batch", "tokens", "num_layers", "num_kv_heads", "head_dim")
    sizes = (draw.size(name) for name in names)
    return int(draw.rng.integers(10, 999)), *sizes, *bytes_per_number


@read.case
def any_reading(draw: Draw) -> Reading:
    """a model drawn at random, in 8, 32 or 64 bits"""
    return drawn_reading(draw, draw.in_turn((1, 4, 8)))


@read.case(times=1)
def bytes_not_given(draw: Draw) -> Reading:
    """a model drawn at random, without bytes_per_number"""
    return drawn_reading(draw)


@read.case(times=1)
def nothing_cached_yet(draw: Draw) -> Reading:
    """the first token, with nothing in the cache"""
    return drawn_reading(draw.fix(tokens=0), 2)


def cache_of_one(tokens: int, layers: int, kv_heads: int, width: int, per_number: int) -> int:
    return 2 * tokens * layers * kv_heads * width * per_number


@read.misconception
def parameters_not_shared(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """You let every text read the parameters separately. They are read once for all texts of a
    step: divide them by the batch.
    """
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return float(n * per_number + cache)


@read.misconception
def cache_shared_as_well(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """You divided the cache by the batch, too. The texts share the parameters, but each has its own
    cache.
    """
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return (n * per_number + cache) / batch


@read.misconception
def a_whole_step(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """These are the bytes of a whole step, which generates a token for every text. Divide by the
    batch.
    """
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return float(n * per_number + batch * cache)


@read.misconception
def all_caches(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """You counted the caches of all texts for one token. A token only reads the cache of its own
    text.
    """
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return n * per_number / batch + batch * cache


@read.misconception
def parameters_alone(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """The cache is missing: each new token reads all the keys and values of its text."""
    return n * per_number / batch


@read.misconception
def cache_alone(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """The parameters are missing: a step reads all of them."""
    return float(cache_of_one(tokens, layers, kv_heads, width, per_number))


@read.misconception
def parameters_not_in_bytes(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """You counted the parameters, not their bytes: each takes bytes_per_number."""
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return n / batch + cache


@read.misconception
def parameters_always_in_16_bits(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """You count two bytes for each parameter. Parameters and cache both take bytes_per_number
    bytes for a number.
    """
    return n * 2 / batch + cache_of_one(tokens, layers, kv_heads, width, per_number)


@read.misconception
def cache_always_in_16_bits(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """You count two bytes for each number in the cache. Parameters and cache both take
    bytes_per_number bytes for a number.
    """
    return n * per_number / batch + cache_of_one(tokens, layers, kv_heads, width, 2)


@read.misconception
def keys_read_only(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """You read the keys and forgot the values."""
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return n * per_number / batch + cache / 2


@read.misconception
def new_token_only(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """You counted the keys and values of one token. The new token attends to all of them, so it
    reads the whole cache of its text.
    """
    cache = cache_of_one(1, layers, kv_heads, width, per_number)
    return n * per_number / batch + cache


@read.misconception
def whole_bytes(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """A remainder is lost, as by //, int() or round(). The result need not be an integer: use /."""
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return n // batch * per_number + cache


@read.accepts
def read_in_a_step(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """A whole step, divided by the batch."""
    numbers = n + 2 * batch * tokens * layers * kv_heads * width
    return numbers * per_number / batch


@read.accepts
def read_text_by_text(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """A loop over the texts and layers."""
    total = n * per_number
    for _ in range(batch):
        for _ in range(layers):
            total += 2 * tokens * kv_heads * width * per_number
    return total / batch


@read.accepts
def read_by_parts(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int = 2
) -> float:
    """Parameters and cache, each by itself."""
    parameters = n * per_number / batch
    keys = tokens * layers * kv_heads * width * per_number
    return parameters + 2.0 * keys
