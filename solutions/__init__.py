"""The reference: one module per lesson, verified in `tests/` against NumPy and PyTorch."""
