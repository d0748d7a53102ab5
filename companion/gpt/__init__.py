"""Which parts is a GPT made of, and whose are they? How does it learn and write?

From outside: `parts`, `attention`, `model`, `text`, `training`, `writing`, `drawing`.
"""
