"""What is a value, and when are two alike?

Arrays, tensors and what they are in: compared part by part within a tolerance, and written as JSON.

From outside: `tensors`, `compare`, `kinds`, `outcome` (what a call did), `faults` (what is wrong
with it), `exceptions` (what one means), `parts` (what drivers call them), `precision`, `rounding`,
`as_json`, `random_sources`, `side_by_side` and `comparison` (two values as tables).
"""
