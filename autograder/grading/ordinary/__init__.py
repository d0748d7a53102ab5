"""What becomes of tests that are no exams of ours: plain asserts, as nbgrader has always had them?

They run in the grader, where names of the student's are proxies; one that asks for more than a
proxy can tell is run beside the student's code, if its instructor allows that.

From outside: `comparisons`, `given`, `instructor_names`, `tests_beside`.
"""
