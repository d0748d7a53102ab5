"""How do grades leave for other programs?

As plugins of `nbgrader export`.

From outside: `table`.
"""
