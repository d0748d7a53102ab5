"""How does a submission become a record?

The instructor's notebook is rebuilt with the student's answers, run in the sandbox, examined here,
and all that was found is written down.

From outside: `allowed` (where it is kept what a solution takes), `tests_beside`, `grade`, `rebuild`
(how added cells are called), `record`, `submitted_files`.
"""
