"""Collecting by names of files: one that can't be read costs itself."""

import io
import logging
import zipfile
from pathlib import Path

import pytest
from nbgrader.apps.zipcollectapp import ZipCollectApp
from nbgrader.plugins.zipcollect import ExtractorPlugin
from traitlets.config import Config

from autograder.course import Course
from autograder.nbgrading.configuration import configuration
from autograder.nbgrading.inbox.zip_collect import SafeCollector
from autograder.nbgrading.replaced import install
from tests.support.course import ROOT

PATTERN = r".*/(?P<student_id>[^_]*)_(?P<timestamp>[^_]*)_(?P<file_id>.*)"


def collected(folder: Path, name: str) -> dict[str, str] | None:
    config = Config()
    config.FileNameCollectorPlugin.named_regexp = PATTERN
    collector = SafeCollector(config=config)
    found: dict[str, str] | None = collector.collect(str(folder / name))
    return found


def test_course_uses_it(tmp_path: Path) -> None:
    app = ZipCollectApp(config=configuration(Course(ROOT), tmp_path))
    assert app.collector_plugin is SafeCollector


def test_zip_within_a_zip_stays_one(tmp_path: Path) -> None:
    install()
    (archive := tmp_path / "archive").mkdir()
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("large.txt", b"0" * 1_000_000)
    with zipfile.ZipFile(archive / "class.zip", "w") as packed:
        packed.writestr("ada_2030-01-01_tiny.ipynb", "{}")
        packed.writestr("mal_2030-01-01_inner.zip", inner.getvalue())
    ExtractorPlugin().extract(str(archive), str(tmp_path / "extracted"))
    found = {path.name for path in (tmp_path / "extracted").rglob("*") if path.is_file()}
    assert found == {"ada_2030-01-01_tiny.ipynb", "mal_2030-01-01_inner.zip"}


@pytest.mark.parametrize("time", ["2030-01-01", "1" * 100, "soon", "12:00"])
def test_time(tmp_path: Path, time: str) -> None:
    (tmp_path / f"ada_{time}_tiny.ipynb").write_text("{}")
    found = collected(tmp_path, f"ada_{time}_tiny.ipynb")
    assert found is not None
    assert (found["student_id"], found["file_id"]) == ("ada", "tiny.ipynb")
    assert ("timestamp" in found) == (time == "2030-01-01")


@pytest.mark.parametrize(
    "name",
    [
        *(
            f"{student}_2030-01-01_tiny.ipynb"
            for student in ("..", "-rf", "", "<img src=x>", "a b")
        ),
        "ada_2030-01-01_../../../source/tiny.ipynb",
        "ada_2030-01-01_/etc/tiny.ipynb",
    ],
)
def test_odd_names(tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("traitlets").propagate = True
    assert collected(tmp_path, name) is None
    assert "is set aside: " in caplog.text


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real.ipynb").write_text("the instructor's")
    name = "mal_2030-01-01_tiny.ipynb"
    (tmp_path / name).symlink_to("real.ipynb")
    assert collected(tmp_path, name) is None
