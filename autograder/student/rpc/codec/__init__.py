"""How does a value cross between two processes, of which one may lie?

In the field's words: a bounded binary codec, or serialization; a tag, a size, and what it holds.

From outside: `grammar`, `writer`, `reader`, `sent_as`.
"""
