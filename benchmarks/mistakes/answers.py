"""What is tried for one exercise: a right answer, and the mistakes that one makes in it."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Mistake = Mapping[str, str]


@dataclass(frozen=True)
class Answers:
    """A right answer to an exercise of `lesson`, which TorchCode has as `task`.

    `wrong` has each mistake by what it is: what stands in the right answer, and what stands there
    instead.
    """

    lesson: str
    task: str
    right: str
    wrong: Mapping[str, Mistake]

    @property
    def exercise(self) -> str:
        """The name of the function or class."""
        defined = ast.parse(self.right).body[0]
        assert isinstance(defined, ast.FunctionDef | ast.ClassDef)
        return defined.name

    def wrong_answers(self) -> Iterator[tuple[str, str]]:
        """What each mistake is, and the source of the answer that makes it.

        Raises:
            ValueError: when a part that changes does not stand in the right answer once.
        """
        for what, mistake in self.wrong.items():
            text = self.right
            for old, new in mistake.items():
                if text.count(old) != 1:
                    raise ValueError(f"{self.exercise}, {what}: {text.count(old)} times {old!r}")
                text = text.replace(old, new)
            yield what, text
