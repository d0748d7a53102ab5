"""Which parts is a GPT made of, and whose are they? How is it trained, judged and let write?

From outside: `parts`, `attention`, `model`, `text`, `training`, `writing`, `drawing`.
"""
