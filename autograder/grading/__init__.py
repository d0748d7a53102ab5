"""How does a submission become a record?

The instructor's notebook is rebuilt with the student's answers, run in the sandbox, examined here,
and all that was found is written down.

From outside: `apart`, `class_table`, `exam_seed`, `grade`, `inert`, `rebuild` (what counts of a
submission, and how added cells are called), `record`, `submitted_files`.
"""
