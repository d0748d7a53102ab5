"""Right answers to exercises that are modules, and the mistakes that one makes in them.

As in `functions`, they were written from the exercises' texts alone.
"""

from benchmarks.mistakes.answers import Answers

CROSS = Answers(
    lesson="05_multi_head_attention",
    task="cross_attention",
    right="""
class CrossAttention(nn.Module):
    def __init__(self, d_decoder, d_encoder, d_out, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_decoder, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.out_proj = nn.Linear(d_out, d_out)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, decoder, encoder, padding=None):
        queries = self.split(self.W_query(decoder))
        keys = self.split(self.W_key(encoder))
        values = self.split(self.W_value(encoder))
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        if padding is not None:
            lowest = torch.finfo(scores.dtype).min
            scores = scores.masked_fill(padding[:, None, None, :], lowest)
        weights = torch.softmax(scores, dim=-1)
        if padding is not None:
            weights = weights.masked_fill(padding[:, None, None, :], 0.0)
        contexts = self.dropout(weights) @ values
        joined = contexts.transpose(1, 2).flatten(2)
        return self.out_proj(joined)
""",
    wrong={
        "the encoder asks, the decoder answers": {
            "self.W_query(decoder)": "self.W_query(encoder)",
            "self.W_key(encoder)": "self.W_key(decoder)",
            "self.W_value(encoder)": "self.W_value(decoder)",
        },
        "values of the decoder": {"self.W_value(encoder)": "self.W_value(decoder)"},
        "softmax over the queries": {"softmax(scores, dim=-1)": "softmax(scores, dim=-2)"},
        "scaled by the width of all heads": {
            "self.head_dim**0.5": "(self.num_heads * self.head_dim) ** 0.5",
        },
        "no output projection": {"self.out_proj(joined)": "joined"},
        "heads joined without a transpose": {
            "contexts.transpose(1, 2).flatten(2)": (
                "contexts.reshape(decoder.shape[0], decoder.shape[1], -1)"
            ),
        },
        "heads split by a view alone": {
            "x.shape[1], self.num_heads, self.head_dim).transpose(1, 2)": (
                "self.num_heads, x.shape[1], self.head_dim)"
            ),
        },
    },
)

LAYER_NORM = Answers(
    lesson="09_transformer",
    task="layernorm",
    right="""
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, inputs):
        mean = inputs.mean(dim=-1, keepdim=True)
        variance = inputs.var(dim=-1, keepdim=True, unbiased=False)
        normed = (inputs - mean) / torch.sqrt(variance + self.eps)
        return normed * self.weight + self.bias
""",
    wrong={
        "the unbiased variance": {", unbiased=False": ""},
        "eps outside of the root": {
            "torch.sqrt(variance + self.eps)": "(torch.sqrt(variance) + self.eps)",
        },
        "no eps": {" + self.eps": ""},
        "divided by the variance": {
            "torch.sqrt(variance + self.eps)": "(variance + self.eps)",
        },
        "the mean stays": {"(inputs - mean)": "inputs"},
        "over the tokens": {
            "inputs.mean(dim=-1": "inputs.mean(dim=-2",
            "inputs.var(dim=-1": "inputs.var(dim=-2",
        },
        "no shift": {" + self.bias": ""},
    },
)

RMS_NORM = Answers(
    lesson="09_transformer",
    task="rmsnorm",
    right="""
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, inputs):
        square = inputs.pow(2).mean(dim=-1, keepdim=True)
        return inputs / torch.sqrt(square + self.eps) * self.weight
""",
    wrong={
        "the mean subtracted": {
            "        square = inputs": (
                "        inputs = inputs - inputs.mean(dim=-1, keepdim=True)\n"
                "        square = inputs"
            ),
        },
        "the sum of the squares": {".mean(": ".sum("},
        "no root": {"torch.sqrt(square + self.eps)": "(square + self.eps)"},
        "eps outside of the root": {
            "torch.sqrt(square + self.eps)": "(torch.sqrt(square) + self.eps)",
        },
        "no eps": {" + self.eps": ""},
        "over the tokens": {"dim=-1": "dim=-2"},
        "no weight": {" * self.weight": ""},
    },
)

GPT_BLOCK = Answers(
    lesson="09_transformer",
    task="gpt2_block",
    right="""
class GPTBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs):
        tokens = inputs.shape[1]
        future = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        normed = self.norm1(inputs)
        attended, _ = self.self_attn(normed, normed, normed, attn_mask=future)
        summed = inputs + self.dropout(attended)
        again = self.norm2(summed)
        return summed + self.dropout(self.linear2(F.gelu(self.linear1(again))))
""",
    wrong={
        "post-norm": {
            "normed = self.norm1(inputs)": "normed = inputs",
            "inputs + self.dropout(attended)": "self.norm1(inputs + self.dropout(attended))",
            "again = self.norm2(summed)": "again = summed",
            "summed + self.dropout(self.linear2(F.gelu(self.linear1(again))))": (
                "self.norm2(summed + self.dropout(self.linear2(F.gelu(self.linear1(again)))))"
            ),
        },
        "no causal mask": {", attn_mask=future": ""},
        "the past is masked": {"triu(1)": "tril(-1)"},
        "no residual connection around attention": {
            "inputs + self.dropout(attended)": "self.dropout(attended)",
        },
        "the normalised inputs are added": {
            "inputs + self.dropout(attended)": "normed + self.dropout(attended)",
        },
        "norm1 for both": {"self.norm2(summed)": "self.norm1(summed)"},
        "keys and values are not normalised": {
            "self_attn(normed, normed, normed": "self_attn(normed, inputs, inputs",
        },
    },
)
