"""How does nbgrader use it?

Our grading in the place of nbgrader's own steps, for its command, its formgrader and ours.

From outside: `configuration`, `fail_closed`, `failures`, `grade_class`, `preprocessor`,
`try_solution`.
"""
