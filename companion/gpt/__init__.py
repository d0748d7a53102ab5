"""Which parts is a GPT made of, and whose are they?

From outside: `parts`, `attention`, `model`, `drawing`.
"""
