"""Makes this folder an nbgrader course; what is particular to it stands in course.toml."""

from autograder import configure

configure(get_config(), __file__)
