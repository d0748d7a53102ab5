"""What does grading a class look like?

A simulated class hands in known answers and is graded from end to end.

From outside: `demo`.
"""
