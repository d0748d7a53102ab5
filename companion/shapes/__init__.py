"""Which axes does a tensor have, and where do its numbers go?

Drawings in blocks of cells, with the shape at each station.

From outside: nothing; lessons and exams import from `companion`.
"""
