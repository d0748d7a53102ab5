"""How does a submission come in?

Who may be called a student, when something was handed in, and what of it is taken, for every way
in which nbgrader reaches a submission: collecting, listing, grading and formgrader's pages.

From outside: `arrivals`, `grade_handed_in`, `handed_in`, `kept_names`, `lists`, `replacing`,
`secret`, `student_ids`, `take`, `timestamps`, `which_notebook`, `zip_collect`.
"""
