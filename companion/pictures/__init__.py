"""What can a lesson draw?

One module for each kind of picture, and the interactive view of attention.

From outside: nothing; lessons and exams import from `companion`, where a new picture gets its line
in `__init__.pyi`.
"""
