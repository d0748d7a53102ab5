"""The instructor's own solution, tried as a submission before students get the notebook.

A test that it does not pass here would be passed by nobody: the lecturer learns so now, and not
from a class.
"""

from pathlib import Path

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool

from autograder.cells import is_test
from autograder.errors import GradingFailed, IsolationUnavailable
from autograder.nbgrading.preprocessor import GradeSafely

_NAMED = 3


class TrySolution(NbGraderPreprocessor):  # type: ignore[misc]
    """Fails where the notebook's own solution does not pass one of its tests."""

    enabled = Bool(
        True, help="Whether Generate tries the instructor's own solution in the sandbox."
    ).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Leave the notebook as it is, or fail."""
        if any(map(is_test, nb.cells)):
            self._try(nb, resources["nbgrader"])
        return nb, resources

    def _try(self, nb: NotebookNode, names: dict[str, str]) -> None:
        directories = CourseDirectory(config=self.config)
        folder = directories.format_path(directories.source_directory, ".", names["assignment"])
        try:
            grader = GradeSafely(parent=self)
            failing = grader.failing_with_solution(nb, Path(folder).absolute())
        except IsolationUnavailable as error:
            self.log.warning("The solution of %s was not tried: %s", names["notebook"], error)
            return
        if failing:
            raise GradingFailed(_sentence(names["notebook"], dict(failing)))


def _sentence(notebook: str, failing: dict[str, str]) -> str:
    named = "; ".join(f"{name}: {why}" for name, why in list(failing.items())[:_NAMED])
    more = f"; and {len(failing) - _NAMED} more" if len(failing) > _NAMED else ""
    return (
        f"the solution in {notebook} does not pass its own tests here ({named}{more}): mend them, "
        "give such a test's cell the tag `beside` if it needs the student's objects in hand, or "
        "generate with `--TrySolution.enabled=False`, and nobody loses points by them"
    )
