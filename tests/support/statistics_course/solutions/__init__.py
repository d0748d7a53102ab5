"""The reference, which students never get."""
