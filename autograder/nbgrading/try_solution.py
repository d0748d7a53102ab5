"""The instructor's own solution, tried as a submission before students get the notebook: by the
build for a lesson made from text, and by Generate for every notebook.

A test that it does not pass here would be passed by nobody: the lecturer learns so now, and not
from a class.
"""

from collections.abc import Mapping
from pathlib import Path

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool
from traitlets.config import Config

from autograder.checks.source.cells import is_test
from autograder.errors import GradingFailed, IsolationUnavailable
from autograder.nbgrading.preprocessor import GradeSafely

_NAMED = 3
_OTHERWISE = ", or generate with `--TrySolution.enabled=False`, and nobody loses points by them"


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
        if not_tried := try_solution(self.config, names["notebook"], nb, Path(folder), _OTHERWISE):
            self.log.warning(not_tried)


def try_solution(
    config: Config, name: str, notebook: NotebookNode, folder: Path, otherwise: str = ""
) -> str:
    """Try the solution of a notebook; returns why it was not tried, if so.

    Args:
        config: the course's, for nbgrader.
        name: the notebook's.
        notebook: the instructor's.
        folder: where the files are that are given out with it, if there are any.
        otherwise: what else can be done where a test is not passed, as the end of a sentence.

    Raises:
        GradingFailed: when it does not pass one of its tests.
    """
    beside = folder.absolute() if folder.is_dir() else None
    try:
        failing = GradeSafely(config=config).failing_with_solution(notebook, beside)
    except IsolationUnavailable as error:
        return f"The solution of {name} was not tried: {error}"
    if failing:
        raise GradingFailed(f"{_sentence(name, failing)}{otherwise}")
    return ""


def _sentence(notebook: str, failing: Mapping[str, str]) -> str:
    named = "; ".join(f"{name}: {why}" for name, why in list(failing.items())[:_NAMED])
    more = f"; and {len(failing) - _NAMED} more" if len(failing) > _NAMED else ""
    return (
        f"the solution in {notebook} does not pass its own tests here ({named}{more}): mend them, "
        "or give such a test's cell the tag `beside` if it needs the student's objects in hand"
    )
