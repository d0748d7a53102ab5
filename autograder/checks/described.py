"""What a figure of a lesson shows, for those who can't see it.

The texts lie in `checks.json` and not in the cells that draw, where they would answer the question
what the reader expects to see.
"""

from pathlib import Path

from autograder.checks import examples
from autograder.errors import CheckError

_MISSING = "A figure of this lesson, whose description is not in the file checks.json beside it."


def described(name: str) -> str:
    """The description of a figure, by the name that the build has given to it.

    Where the file does not have it, a sentence says so: the figure is drawn all the same.
    """
    try:
        return examples.read(Path.cwd()).descriptions.get(name, _MISSING)
    except CheckError:
        return _MISSING
