"""What pyproject.toml can't say: a wheel holds the printed examples of all lessons.

They are those of notebooks/ when it is packed, so a clone has each of them once. An editable
install has none: there, every notebook has its own beside it.
"""

from collections.abc import Iterator
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

EXAMPLES = "notebooks/*/checks.json"
INSTALLED = "autograder/checks/lessons"


class WithExamples(build_py):  # type: ignore[misc]
    """Copies the packages, and the printed examples of each lesson beside what reads them."""

    def run(self) -> None:
        """Copy all of it."""
        super().run()
        if not self.editable_mode:
            for source, target in self._examples():
                target.parent.mkdir(parents=True, exist_ok=True)
                self.copy_file(str(source), str(target))

    def get_source_files(self) -> list[str]:
        """What a source distribution needs for it."""
        return [*super().get_source_files(), *(str(source) for source, _ in self._examples())]

    def _examples(self) -> Iterator[tuple[Path, Path]]:
        for source in sorted(Path().glob(EXAMPLES)):
            yield source, Path(self.build_lib, INSTALLED, f"{source.parent.name}.json")


setup(cmdclass={"build_py": WithExamples})
