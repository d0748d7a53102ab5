"""What does a small trained language model look at when it reads a text?

From outside: `model`.
"""
