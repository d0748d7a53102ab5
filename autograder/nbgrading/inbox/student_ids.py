"""Who may be called a student: names that lead nowhere, and that no page or terminal obeys."""

import re

NOBODY = "nobody can be called that: letters, digits and _ . @ - make a student's name"

# `.` and `..` would lead to other folders, and a leading `-` reads as an option.
_STUDENT = re.compile(r"[\w@][\w.@-]{0,99}")


def is_student_id(name: str) -> bool:
    """Whether a folder of this name can be a student's."""
    return bool(_STUDENT.fullmatch(name))
