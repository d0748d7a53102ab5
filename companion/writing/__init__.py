"""How does a text become tokens, and the output of a model a text?

From outside: `pieces`, `writing`.
"""
