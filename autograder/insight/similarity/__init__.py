"""Who of a class wrote alike, in a way that few others did?

Solution cells are compared as text and never run. What everybody is given, and the usual right
ways, are taken out; what is left weighs the more, the fewer have written it.

In the field's words: detection of plagiarism in code.

From outside: `answers`, `pairs`, `same`, `usual`.
"""
