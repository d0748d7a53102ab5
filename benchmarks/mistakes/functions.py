"""Right answers to exercises about attention that are functions, and the mistakes made in them.

All mistakes were written from the exercises' texts alone, before any test of them was read. Each is
what it changes in the right answer: lines or parts of lines, each of which stands there once.
"""

from benchmarks.mistakes.answers import Answers

SOFTMAX = Answers(
    lesson="00_foundations",
    task="softmax",
    right="""
def softmax(x, axis=-1):
    shifted = x - x.max(axis=axis, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=axis, keepdims=True)
""",
    wrong={
        "nothing subtracted, so large scores overflow": {
            "x - x.max(axis=axis, keepdims=True)": "x",
        },
        "the largest of all scores subtracted, so that low rows underflow": {
            "x.max(axis=axis, keepdims=True)": "x.max()",
        },
        "the last axis, whatever `axis` says": {
            "x.max(axis=axis, keepdims=True)": "x.max(axis=-1, keepdims=True)",
            "exps.sum(axis=axis, keepdims=True)": "exps.sum(axis=-1, keepdims=True)",
        },
        "divided by the sum of all rows": {"exps.sum(axis=axis, keepdims=True)": "exps.sum()"},
        "divided by the largest, not by the sum": {"exps.sum(": "exps.max("},
        "sum without keepdims": {
            "exps.sum(axis=axis, keepdims=True)": "exps.sum(axis=axis)",
        },
        "no exponential": {"np.exp(shifted)": "shifted"},
    },
)

ATTENTION = Answers(
    lesson="03_trainable_weights",
    task="attention",
    right="""
def scaled_dot_product_attention(queries, keys, values):
    d_k = keys.shape[-1]
    scores = queries @ keys.transpose(-2, -1) / d_k**0.5
    weights = torch.softmax(scores, dim=-1)
    return weights @ values
""",
    wrong={
        "not scaled": {" / d_k**0.5": ""},
        "divided by d_k": {"d_k**0.5": "d_k"},
        "scaled by the number of keys": {"keys.shape[-1]": "keys.shape[-2]"},
        "scaled after the softmax": {" / d_k**0.5": "", "dim=-1)": "dim=-1) / d_k**0.5"},
        "softmax over the queries": {"dim=-1": "dim=-2"},
        "softmax over axis 1, which a batch moves": {"dim=-1": "dim=1"},
        "no gradient through the weights": {
            "    weights = torch": "    with torch.no_grad():\n        weights = torch",
        },
    },
)

CAUSAL = Answers(
    lesson="04_causal_attention",
    task="causal_attention",
    right="""
def causal_attention_weights(scores):
    tokens = scores.shape[-1]
    future = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
    hidden = scores.masked_fill(future, -torch.inf)
    return torch.softmax(hidden, dim=-1)
""",
    wrong={
        "a token does not see itself": {"triu(1)": "triu(0)"},
        "the past is hidden": {"triu(1)": "tril(-1)"},
        "one token of the future is seen": {"triu(1)": "triu(2)"},
        "hidden scores are 0": {"-torch.inf": "0.0"},
        "hidden scores are plus infinity": {"-torch.inf": "torch.inf"},
        "masked after the softmax": {
            "scores.masked_fill(future, -torch.inf)": "torch.softmax(scores, dim=-1)",
            "torch.softmax(hidden, dim=-1)": "hidden.masked_fill(future, 0.0)",
        },
        "softmax over the queries": {"dim=-1": "dim=-2"},
    },
)

SPLIT_HEADS = Answers(
    lesson="05_multi_head_attention",
    task="mha",
    right="""
def split_heads(x, num_heads):
    batch, tokens, d_out = x.shape
    if d_out % num_heads:
        raise ValueError("num_heads must divide d_out")
    head_dim = d_out // num_heads
    return x.reshape(batch, tokens, num_heads, head_dim).transpose(1, 2)
""",
    wrong={
        "reshaped at once, which mixes the tokens": {
            "tokens, num_heads, head_dim).transpose(1, 2)": "num_heads, tokens, head_dim)",
        },
        "every num_heads-th feature": {
            "num_heads, head_dim).transpose(1, 2)": "head_dim, num_heads).permute(0, 3, 1, 2)",
        },
        "no transpose": {".transpose(1, 2)": ""},
        "pieces of num_heads features": {
            "x.reshape(batch, tokens, num_heads, head_dim).transpose(1, 2)": (
                "torch.stack(x.split(num_heads, dim=-1), dim=1)"
            ),
        },
        "heads in front of the batch": {
            "x.reshape(batch, tokens, num_heads, head_dim).transpose(1, 2)": (
                "torch.stack(x.chunk(num_heads, dim=-1))"
            ),
        },
        "features in front of tokens": {"transpose(1, 2)": "permute(0, 2, 3, 1)"},
    },
)

ROPE = Answers(
    lesson="06_positional_encoding",
    task="rope",
    right="""
def apply_rope(x, positions):
    head_dim = x.shape[-1]
    if head_dim % 2:
        raise ValueError("head_dim must be even")
    pairs = torch.arange(0, head_dim, 2, dtype=torch.float64)
    angles = positions[:, None] / 10000 ** (pairs / head_dim)
    cos, sin = angles.cos(), angles.sin()
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
    return turned.flatten(-2).to(x.dtype)
""",
    wrong={
        "turned the other way": {
            "even * cos - odd * sin, even * sin + odd * cos": (
                "even * cos + odd * sin, odd * cos - even * sin"
            ),
        },
        "a sign that makes it no rotation": {
            "even * sin + odd * cos": "odd * cos - even * sin",
        },
        "pairs of a first and a second half": {
            "x[..., 0::2], x[..., 1::2]": "x.chunk(2, dim=-1)",
            "torch.stack(": "torch.cat(",
            "turned.flatten(-2)": "turned",
        },
        "pairs put together as halves": {
            "torch.stack(": "torch.cat(",
            "turned.flatten(-2)": "turned",
        },
        "i in the exponent for 2i": {
            "torch.arange(0, head_dim, 2, ": "torch.arange(head_dim // 2, ",
        },
        "one angle for all pairs": {"10000 ** (pairs / head_dim)": "(pairs * 0 + 1)"},
        "multiplied by the wavelength": {"positions[:, None] / ": "positions[:, None] * "},
    },
)

REPEAT_KV = Answers(
    lesson="07_grouped_query_attention",
    task="gqa",
    right="""
def repeat_kv(x, n_rep):
    return x.repeat_interleave(n_rep, dim=1)
""",
    wrong={
        "all heads in turn, then all once more": {
            "x.repeat_interleave(n_rep, dim=1)": "x.repeat(1, n_rep, 1, 1)",
        },
        "tokens repeated": {"dim=1": "dim=2"},
        "sentences repeated": {"dim=1": "dim=0"},
        "no axis": {", dim=1": ""},
        "the first head for all": {
            "x.repeat_interleave(n_rep, dim=1)": "x[:, :1].repeat(1, x.shape[1] * n_rep, 1, 1)",
        },
        "as often as there are heads": {"(n_rep, ": "(x.shape[1], "},
        "stacked behind the tokens": {
            "x.repeat_interleave(n_rep, dim=1)": (
                "torch.stack([x] * n_rep, dim=3).reshape(len(x), -1, *x.shape[2:])"
            ),
        },
    },
)

DECODE = Answers(
    lesson="07_grouped_query_attention",
    task="kv_cache",
    right="""
def decode_step(inputs, weights, past_keys, past_values):
    batch, new, _ = inputs.shape
    _, num_kv_heads, cached, head_dim = past_keys.shape
    queries = (inputs @ weights["W_query"]).view(batch, new, -1, head_dim).transpose(1, 2)
    keys = (inputs @ weights["W_key"]).view(batch, new, -1, head_dim).transpose(1, 2)
    values = (inputs @ weights["W_value"]).view(batch, new, -1, head_dim).transpose(1, 2)
    keys = torch.cat((past_keys, keys), dim=2)
    values = torch.cat((past_values, values), dim=2)
    n_rep = queries.shape[1] // num_kv_heads
    scores = queries @ keys.repeat_interleave(n_rep, dim=1).transpose(2, 3) / head_dim**0.5
    future = torch.ones(new, cached + new, dtype=torch.bool).triu(cached + 1)
    shares = torch.softmax(scores.masked_fill(future, -torch.inf), dim=-1)
    contexts = shares @ values.repeat_interleave(n_rep, dim=1)
    joined = contexts.transpose(1, 2).reshape(batch, new, -1)
    return joined @ weights["out_proj"], keys, values
""",
    wrong={
        "a mask that forgets the past": {"triu(cached + 1)": "triu(1)"},
        "no mask": {"scores.masked_fill(future, -torch.inf)": "scores"},
        "a mask only without a past": {
            "scores.masked_fill(future, -torch.inf)": (
                "scores if cached else scores.masked_fill(future, -torch.inf)"
            ),
        },
        "the new before the old": {
            "(past_keys, keys)": "(keys, past_keys)",
            "(past_values, values)": "(values, past_values)",
        },
        "only the new keys and values are returned": {
            '["out_proj"], keys, values': '["out_proj"], keys[:, :, cached:], values[:, :, cached:]'
        },
        "heads joined without a transpose": {
            "contexts.transpose(1, 2)": "contexts",
        },
        "no output projection": {' @ weights["out_proj"]': ""},
    },
)

WINDOW = Answers(
    lesson="08_efficient_attention",
    task="sliding_window",
    right="""
def sliding_window_mask(num_tokens, window):
    places = torch.arange(num_tokens)
    distance = (places[:, None] - places).abs()
    return distance >= window
""",
    wrong={
        "one token too many on either side": {">=": ">"},
        "True where a key is seen": {">=": "<"},
        "a window into the past only": {
            ".abs()": "",
            "distance >= window": "(distance >= window) | (distance < 0)",
        },
        "half of the window on either side": {">= window": "> window // 2"},
        "the distance with its sign": {".abs()": ""},
        "blocks for windows": {
            "(places[:, None] - places).abs()": "places // window",
            "distance >= window": "distance[:, None] != distance",
        },
    },
)

LINEAR = Answers(
    lesson="08_efficient_attention",
    task="linear_attention",
    right="""
def linear_attention(queries, keys, values, feature_map):
    q, k = feature_map(queries), feature_map(keys)
    summary = k.transpose(-2, -1) @ values
    total = q @ k.sum(dim=-2).unsqueeze(-1)
    return q @ summary / total
""",
    wrong={
        "not divided by the sum of the weights": {" / total": ""},
        "divided by the number of keys": {" / total": " / keys.shape[-2]"},
        "divided by the keys' features alone": {
            "q @ k.sum(dim=-2).unsqueeze(-1)": "k.sum(dim=(-2, -1), keepdim=True)",
        },
        "the queries as they are": {"feature_map(queries)": "queries"},
        "softmax for the feature map": {
            "feature_map(queries), feature_map(keys)": (
                "queries.softmax(dim=-1), keys.softmax(dim=-1)"
            ),
        },
        "the values go through the feature map": {"@ values": "@ feature_map(values)"},
        "queries scaled before the feature map": {
            "feature_map(queries)": "feature_map(queries / queries.shape[-1] ** 0.5)",
        },
    },
)

ONLINE = Answers(
    lesson="08_efficient_attention",
    task="flash_attention",
    right="""
def online_softmax_attention(queries, keys, values, block_size, causal=False):
    rows, num_queries = queries.shape[:-1], queries.shape[-2]
    top = queries.new_full((*rows, 1), -torch.inf)
    total = queries.new_zeros((*rows, 1))
    mixed = queries.new_zeros((*rows, values.shape[-1]))
    for start in range(0, keys.shape[-2], block_size):
        block = slice(start, start + block_size)
        scores = queries @ keys[..., block, :].transpose(-2, -1) / queries.shape[-1] ** 0.5
        if causal:
            places = torch.arange(start, start + scores.shape[-1])
            future = places > torch.arange(num_queries)[:, None]
            scores = scores.masked_fill(future, -torch.inf)
        highest = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        shrink = torch.exp(top - highest)
        weights = torch.exp(scores - highest)
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
        mixed = mixed * shrink + weights @ values[..., block, :]
        top = highest
    return mixed / total
""",
    wrong={
        "the contexts are not rescaled": {"mixed * shrink": "mixed"},
        "the sum is not rescaled": {"total * shrink": "total"},
        "rescaled the wrong way round": {"exp(top - highest)": "exp(highest - top)"},
        "no maximum, so large scores overflow": {
            "scores - highest": "scores",
            "torch.exp(top - highest)": "1",
        },
        "the last short block left out": {
            "range(0, keys.shape[-2], ": "range(0, keys.shape[-2] - block_size + 1, ",
        },
        "not divided by the sum": {"mixed / total": "mixed"},
        "not scaled": {" / queries.shape[-1] ** 0.5": ""},
    },
)

DROPOUT = Answers(
    lesson="04_causal_attention",
    task="dropout",
    right="""
def dropout(weights, p, generator, training=True):
    if not training:
        return weights
    kept = torch.rand(weights.shape, generator=generator) >= p
    return weights * kept / (1 - p)
""",
    wrong={
        "not scaled up": {" / (1 - p)": ""},
        "divided by p": {"/ (1 - p)": "/ p"},
        "scaled down": {"/ (1 - p)": "* (1 - p)"},
        "kept with probability p": {">= p": "< p"},
        "drops after training as well": {
            "    if not training:\n        return weights\n": "",
        },
        "scales after training as well": {"return weights\n": "return weights * (1 - p)\n"},
        "whole rows at once": {
            "torch.rand(weights.shape, ": "torch.rand((*weights.shape[:-1], 1), ",
        },
    },
)
