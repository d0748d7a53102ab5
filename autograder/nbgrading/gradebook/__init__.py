"""How is nbgrader's gradebook asked, and written to?

From outside: `by_notebook`, `earlier`, `missing`, `revision`, `transaction`.
"""
