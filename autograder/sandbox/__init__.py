"""Where does student code run?

Walls are built once, with a warm process inside; a fork of it, walled again, runs one submission.

From outside: `confine`, `control`, `own_fork`, `processor_time`, `sandbox`, `student_process`.
"""
