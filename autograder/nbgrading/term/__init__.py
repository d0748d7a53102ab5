"""How does a term go?

Who takes part, until when work is due and for whom later, and what it costs to be late.

From outside: `late`, `roster`.
"""
