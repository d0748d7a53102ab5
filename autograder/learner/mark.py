"""`mark()`, as it is called in a notebook: wherever that runs, it says what to do.

A clone of the course marks. Elsewhere, as in a browser or in Colab, there is neither what marks nor
what that imports, so nothing of it is imported before the course is found.
"""

import os
import sys

from autograder.checks import purpose
from autograder.course import Course
from autograder.errors import CourseNotFound, NotInstalled

_NO_EXAMS = (
    "mark() runs the full exam, and the exams lie in a clone of the course, which this folder is "
    "not part of: if this is an assignment, use the check below each exercise and nbgrader's "
    "Validate button before you hand it in; if you learn alone, clone the course and open the "
    "lessons with `make lab`"
)


def mark() -> None:
    """Mark the notebook this is called in, as far as its cells have been run.

    Answers in words, and what is ticked below them, are those of the notebook as it was saved. In a
    kernel that has not defined any of the exercises, all of the saved notebook is run and marked,
    as by `autograder mark`. A notebook that is run so does not mark itself.

    Raises:
        CourseNotFound: outside a clone of the course, where the exams are not.
        CheckError: when the notebook's folder is not named after a lesson.
        NotInstalled: when what marks needs is not installed.
    """
    if purpose.WHOLE in os.environ:
        return
    try:
        course = Course.find()
    except CourseNotFound:
        raise CourseNotFound(_NO_EXAMS) from None
    try:
        from autograder.learner.marking import mark_running
    except ImportError as error:
        if missing := NotInstalled.of(error):
            raise missing from error
        raise
    mark_running(course, sys._getframe(1).f_globals)
