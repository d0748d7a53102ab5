"""What does a learner see?

The check below each exercise, the printed examples that it knows, and the card it shows.

From outside: `check`, `hidden`, `card`, `examples`, `shipping`, `proving`, `purpose`.
"""
