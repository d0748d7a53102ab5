"""What keeps a site from being made."""

from autograder.errors import CourseError


class SiteError(CourseError):
    """A course can't be shown as pages, or not in the folder that was chosen."""
