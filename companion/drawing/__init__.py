"""How is a picture drawn, and shown in both themes?

The figure in its two themes, and what all pictures need: labels that fit, a grid of numbers, a
sheet in points.

From outside: `figure`, `grid`, `labels`, `sheet`, `theme`.
"""
