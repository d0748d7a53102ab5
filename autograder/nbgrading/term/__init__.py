"""How does a term go?

Who takes part, until when work is due and for whom later, what it costs to be late, and what comes
from a learning platform.

From outside: `doctor`, `late`, `roster`, `zip_hand_ins`.
"""
