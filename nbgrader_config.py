"""Makes this folder an nbgrader course: for `nbgrader`, for formgrader and for `autograder`."""

import os
import sys
import warnings
from pathlib import Path

from autograder.converter import SubmissionExporter, install
from autograder.nbgrading import AUTOGRADE_PREPROCESSORS, SANITIZE_PREPROCESSORS
from autograder.release import FEEDBACK_PREPROCESSORS, PREPROCESSORS, settings
from autograder.threads import VARIABLE

c = get_config()  # noqa: F821  nbgrader defines it before it runs this file
root = Path(__file__).resolve().parent

c.CourseDirectory.course_id = "attention"
c.CourseDirectory.root = str(root)
# The other folders, and gradebook.db, have nbgrader's usual names.
c.CourseDirectory.release_directory = "notebooks"

# All within the course: nothing is written to the system or into anybody's home. nbgrader makes
# the exchange at the first release.
c.Exchange.root = str(root / "exchange")
c.Exchange.cache = str(root / "cache")
c.Exchange.assignment_dir = str(root / "work")

# The steps with which the build makes the students' notebooks, so that `nbgrader
# generate_assignment` and formgrader's button make the very same.
c.GenerateAssignment.preprocessors = PREPROCESSORS
c.merge(settings())

# The page that a student gets back holds neither hidden tests nor marking schemes.
c.GenerateFeedback.preprocessors = FEEDBACK_PREPROCESSORS

# Student code runs in a sandbox, the tests run here, and the notebook that is graded is the
# instructor's. `c.GradeSafely.isolation = "none"` gives the sandbox up; it is recorded with every
# grade.
install()
c.Autograde.exporter_class = SubmissionExporter
c.Autograde.sanitize_preprocessors = SANITIZE_PREPROCESSORS
c.Autograde.autograde_preprocessors = AUTOGRADE_PREPROCESSORS
c.GradeSafely.preload = ["numpy", "torch", "matplotlib.pyplot", "companion"]


def put_first(variable: str, folder: Path) -> None:
    """Put a folder before what a search path has; nbgrader runs this file more than once."""
    others = os.environ.get(variable, "").split(os.pathsep)
    others = [other for other in others if other and other != str(folder)]
    os.environ[variable] = os.pathsep.join([str(folder), *others])


# Hidden tests compare with solutions/, which is importable from the course root alone.
if str(root) not in sys.path:
    sys.path.insert(0, str(root))

# nbgrader calls the program alembic by its bare name; it lies beside this Python, which need not be
# on the path.
put_first("PATH", Path(sys.executable).parent)

# Exams run on tiny arrays: more threads make them slower, on a busy machine by far.
os.environ.setdefault(VARIABLE, "1")

# nbgrader's own use of SQLAlchemy: right results, and a page of warnings for each submission.
warnings.filterwarnings("ignore", message="Object of type .* not in session")
