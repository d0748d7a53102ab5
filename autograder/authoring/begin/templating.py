"""The texts that one begins with, filled in as far as the program knows."""

from collections.abc import Mapping

from jinja2 import Environment, PackageLoader, StrictUndefined

_TEMPLATES = Environment(
    loader=PackageLoader(__package__), undefined=StrictUndefined, keep_trailing_newline=True
)


def filled_in(template: str, words: Mapping[str, str]) -> str:
    """The text of a template, such as `course.toml`."""
    return _TEMPLATES.get_template(f"{template}.j2").render(words)
