"""What is in the way of JupyterLab in a folder is one sentence."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Course
from autograder.errors import WorkFolderError
from autograder.learner.jupyter import open_lab, prepare_course


def prepare(folder: Path) -> None:
    prepare_course(Course(folder))


@pytest.mark.parametrize("taken", [".jupyter", ".jupyter/labconfig", ".jupyter/workspaces"])
@pytest.mark.parametrize(
    ("opens", "otherwise"), [(open_lab, "lab --folder"), (prepare, "copy the course")]
)
def test_file_in_the_way(
    tmp_path: Path, taken: str, opens: Callable[[Path], None], otherwise: str
) -> None:
    (tmp_path / taken).parent.mkdir(exist_ok=True)
    (tmp_path / taken).touch()
    with pytest.raises(WorkFolderError, match=rf"{taken}.* can't be used \(.*\): .*{otherwise}"):
        opens(tmp_path)


def test_page_config_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / ".jupyter" / "labconfig" / "page_config.json").mkdir(parents=True)
    with pytest.raises(WorkFolderError, match=r"page_config.json can't be used"):
        open_lab(tmp_path)
