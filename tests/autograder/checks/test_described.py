"""The description of a figure, from the file beside the notebook."""

from pathlib import Path

import pytest

from autograder.authoring.build.shipping import write
from autograder.checks.described import described
from autograder.checks.examples import FILE
from tests.support.samples import MEANS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_description(folder: Path) -> None:
    text = write({MEANS.name: MEANS}, descriptions={"heatmap-1": "A map of weights."})
    (folder / FILE).write_text(text, "utf-8")
    assert described("heatmap-1") == "A map of weights."
    assert described("heatmap-2").endswith("is not in the file checks.json beside it.")


@pytest.mark.parametrize("text", [None, "", '{"format": 1}', '{"format": 3, "exercises": {}}'])
def test_figure_is_drawn_without_one(folder: Path, text: str | None) -> None:
    if text is not None:
        (folder / FILE).write_text(text, "utf-8")
    assert described("heatmap-1").startswith("A figure of this lesson")
