"""nbgrader's own program interface, set up by the course's configuration."""

from pathlib import Path

from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.course import Course


def configuration(course: Course, root: Path) -> Config:
    """What nbgrader_config.py says, for a course whose files are in `root`."""
    config = PyFileConfigLoader("nbgrader_config.py", str(course.root)).load_config()
    config.CourseDirectory.root = str(root)
    config.Exchange.root = str(root / "exchange")
    config.Exchange.cache = str(root / "cache")
    return config


def nbgrader_api(config: Config) -> NbGraderAPI:
    """The interface behind nbgrader's commands and the formgrader's buttons."""
    return NbGraderAPI(CourseDirectory(config=config), config=config)
