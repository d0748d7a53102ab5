"""How is nbgrader's gradebook asked, and written to?

From outside: `by_notebook`, `earlier`, `revision`, `transaction`.
"""
