"""Makes this folder an nbgrader course; what is particular to it stands in course.toml."""

from autograder import configure

# nbgrader defines the function before it runs this file.
configure(get_config(), __file__)  # type: ignore[name-defined]  # noqa: F821
