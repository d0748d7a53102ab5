"""How does a tutor read all answers to one question?

A page of our own beside formgrader's: a question once, its marking scheme beside it, and the whole
class's answers beneath each other. What is given there goes into the same gradebook.

From outside: `handlers`.
"""
