"""What libraries offer that is allowed as an answer, or that an exercise has to do without."""

PRODUCTS = dict.fromkeys(
    ("bmm", "dot", "inner", "matmul", "vdot", "vecdot", "vecmat"),
    "which of the library's products fits is what the exercise asks",
)

# PyTorch's functions that are a whole attention.
WHOLE_ATTENTIONS = (
    *("scaled_dot_product_attention", "flex_attention", "varlen_attn"),
    *("MultiheadAttention", "multi_head_attention_forward", "native_multi_head_attention"),
)
