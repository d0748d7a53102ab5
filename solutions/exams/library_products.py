"""The products of NumPy and PyTorch, in exercises whose answer is a product."""

PRODUCTS = dict.fromkeys(
    ("bmm", "dot", "inner", "matmul", "vdot", "vecdot", "vecmat"),
    "which of the library's products fits is what the exercise asks",
)
