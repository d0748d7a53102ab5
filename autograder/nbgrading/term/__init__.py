"""How does a term go?

Who takes part, until when work is due and for whom later, what it costs to be late, what comes from
a learning platform, and what there is of one student.

From outside: `doctor`, `late`, `one_student`, `roster`, `zip_hand_ins`.
"""
