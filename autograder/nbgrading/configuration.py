"""How nbgrader is configured for a course, and its own program interface set up like that.

A course's nbgrader_config.py makes one call:

    from autograder import configure

    configure(get_config(), __file__)

What is particular to the course stands in course.toml; settings of nbgrader's may follow, or stand
in mine/nbgrader_config.py, so that whoever has the course from others edits none of their files.
"""

import os
import sys
import warnings
from pathlib import Path

from nbgrader.apps import NbGraderAPI as NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.authoring.lesson.release import PREPROCESSORS, settings
from autograder.course import EXCHANGE, Course
from autograder.environment import THREADS
from autograder.errors import SolutionError
from autograder.faulty_line import told_with_line
from autograder.grading.jobs.own_code import watch
from autograder.nbgrading.pages import feedback
from autograder.nbgrading.replaced import install
from autograder.nbgrading.term.late import due_times
from autograder.settings import CONFIG, FILE, OWN

# What says where the course is, and what its students' code sees: nothing in mine/ may.
_OF_THE_COURSE = {
    "CourseDirectory": ("root", "course_id", "source_directory", "release_directory"),
    "GradeSafely": ("course", "preload"),
    "Deadlines": ("course",),
}


def set_up(c: Config, config_file: str | Path) -> None:
    """Do what `autograder.configure` does, which sees to what becomes of nbgrader if this fails."""
    root = Path(config_file).resolve().parent
    if root.name == OWN and (root.parent / CONFIG).is_file():
        raise SolutionError(
            Path(config_file), 1, "here nothing is configured anew: leave the call of configure out"
        )
    install()
    course = Course(root)
    watch(course.root)
    _place(c, course)
    _release_as_built(c)
    _take_in_safely(c)
    c.ExportApp.plugin_class = "autograder.nbgrading.exports.table.SafeCsvExport"
    _grade_safely(c, course)
    _prepare_process(course)
    if os.path.lexists(course.own / CONFIG):
        c.merge(_own(course))


def _place(c: Config, course: Course) -> None:
    """All within the course: nothing is written to the system or into anybody's home.

    The other folders, and gradebook.db, have nbgrader's usual names. nbgrader makes the exchange at
    the first release.
    """
    c.CourseDirectory.course_id = course.settings.id
    c.CourseDirectory.root = str(course.root)
    c.CourseDirectory.source_directory = course.source.name
    c.CourseDirectory.release_directory = course.notebooks.name
    c.Exchange.root = str(course.root / EXCHANGE)
    c.Exchange.cache = str(course.root / "cache")
    c.Exchange.assignment_dir = str(course.root / "work")


def _release_as_built(c: Config) -> None:
    """The steps with which the build makes the students' notebooks, so that `nbgrader
    generate_assignment` and formgrader's button make the very same.
    """
    c.GenerateAssignment.preprocessors = PREPROCESSORS
    c.merge(settings())
    c.GenerateFeedback.preprocessors = feedback.PREPROCESSORS


def _take_in_safely(c: Config) -> None:
    """What lies in the exchange is a student's, with its name, its links and its time."""
    c.ExchangeFactory.collect = "autograder.nbgrading.inbox.collect.SafeCollect"
    c.ZipCollectApp.collector_plugin = "autograder.nbgrading.inbox.zip_collect.SafeCollector"
    c.ExchangeFactory.list = "autograder.nbgrading.inbox.list_exchange.SafeList"
    c.ExchangeFactory.release_assignment = "autograder.nbgrading.release.SafeRelease"
    c.ExchangeFactory.release_feedback = "autograder.nbgrading.release.SafeReleaseFeedback"


def _grade_safely(c: Config, course: Course) -> None:
    """Student code runs in a sandbox, the tests run here, and the notebook that is graded is the
    instructor's. `c.GradeSafely.isolation = "none"` gives the sandbox up; it is recorded with every
    grade.
    """
    c.GradeSafely.preload = list(course.settings.preload)
    c.GradeSafely.course = str(course.root)
    c.Deadlines.course = str(course.root)
    c.Deadlines.due = due_times(course)
    if late := course.settings.late:
        c.AssignLatePenalties.plugin_class = "autograder.nbgrading.term.late.SharePerDay"
        c.SharePerDay.update({name: float(value) for name, value in late.items()})


def _prepare_process(course: Course) -> None:
    """What nbgrader's commands need of their process; one process may run this more than once."""
    # Hidden tests compare with solutions/, which is importable from the course root alone.
    if str(course.root) not in sys.path:
        sys.path.insert(0, str(course.root))
    # nbgrader calls the program alembic by its bare name; it lies beside this Python, which need
    # not be on the path.
    _put_first("PATH", Path(sys.executable).parent)
    # Exams run on tiny arrays: more threads make them slower, on a busy machine by far.
    os.environ.setdefault(THREADS, "1")
    # nbgrader's own use of SQLAlchemy: right results, and a page of warnings for each submission.
    warnings.filterwarnings("ignore", message="Object of type .* not in session")


def _put_first(variable: str, folder: Path) -> None:
    others = os.environ.get(variable, "").split(os.pathsep)
    others = [other for other in others if other and other != str(folder)]
    os.environ[variable] = os.pathsep.join([str(folder), *others])


def configuration(course: Course, root: Path) -> Config:
    """What nbgrader_config.py says, for a course whose files are in `root`.

    Raises:
        SolutionError: naming the line, when it fails.
    """
    config = _loaded(course.root, course)
    config.CourseDirectory.root = str(root)
    if root != course.root:
        # The exchange that the course names is its own students'.
        config.Exchange.root = str(root / EXCHANGE)
        config.Exchange.cache = str(root / "cache")
    return config


def _own(course: Course) -> Config:
    """What the course's own file says of nbgrader's settings, besides what the course says."""
    file = course.own / CONFIG
    if not file.is_file():
        raise SolutionError(file, 1, "this is no file that can be read")
    config = _loaded(course.own, course)
    for section, names in _OF_THE_COURSE.items():
        for name in {*names}.intersection(config.get(section, {})):
            lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
            line = next((n for n, one in enumerate(lines, 1) if f"{section}.{name}" in one), 1)
            what = f"c.{section}.{name} is not for here: `id` and `preload` stand in {OWN}/{FILE}"
            raise SolutionError(file, line, what)
    return config


def _loaded(folder: Path, course: Course) -> Config:
    """What the nbgrader_config.py in a folder of the course's says."""
    try:
        return PyFileConfigLoader(CONFIG, str(folder)).load_config()
    except SystemExit as error:
        raise SolutionError(folder / CONFIG, 1, "this ends the program that reads it") from error
    except Exception as error:
        raise told_with_line(error, course.root) from error


def nbgrader_api(config: Config) -> NbGraderAPI:
    """The interface behind nbgrader's commands and the formgrader's buttons."""
    return NbGraderAPI(CourseDirectory(config=config), config=config)
