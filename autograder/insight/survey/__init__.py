"""What does a class's work say to its lecturer?

From the records of a graded class: who solved what, what was hard, which misconceptions there are,
and what to teach again.

From outside: `survey`.
"""
