"""A Transformer made of PyTorch's layers, and what it is compared with."""
