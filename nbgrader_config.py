"""Makes this folder an nbgrader course; what is particular to it stands in course.toml."""

from autograder import configure

c = get_config()
configure(c, __file__)
