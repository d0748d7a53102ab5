"""Collecting by names of files: one that can't be read costs itself."""

import io
import logging
import zipfile
from pathlib import Path

import pytest
from nbgrader.apps.zipcollectapp import ZipCollectApp
from nbgrader.coursedir import CourseDirectory
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


# As nbgrader's help has it, and others that courses may write.
HELPS = r".*_(?P<student_id>\w+)_attempt_(?P<timestamp>[0-9\-]+)_(?P<file_id>\w+)"
PATTERNS = [
    HELPS,
    HELPS.replace(r"\w+)", "tiny)").replace("<student_id>tiny", r"<student_id>\w+"),
    HELPS.replace(".*_", ".*?_").replace(r"<student_id>\w+", r"<student_id>\w+?"),
    HELPS.replace(r"(?P<file_id>\w+)", r"(?P<file_id>.*)\.ipynb$"),
]
TIME = "2016-01-30-15-00-00"


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("between", ["", "x_", "x_y-z_"])
def test_name_that_names_two_is_nobodys(
    tmp_path: Path, pattern: str, between: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Eve calls her file as if it were Ada's, a minute later."""
    logging.getLogger("traitlets").propagate = True
    config = Config()
    config.FileNameCollectorPlugin.named_regexp = pattern
    honest = [f"ps1_ada_attempt_{TIME}_tiny.ipynb", f"a_hw_2_eve_attempt_{TIME}_tiny.ipynb"]
    forged = f"ps1_eve_attempt_{TIME}_{between}ada_attempt_2016-01-30-16-00-00_tiny.ipynb"
    for name in (*honest, forged):
        (tmp_path / name).write_text("{}")
    collector = SafeCollector(config=config)
    first, second = [collector.collect(str(tmp_path / name)) for name in honest]
    assert first
    assert second
    assert first["student_id"] == "ada"
    assert "set aside" not in caplog.text
    assert collector.collect(str(tmp_path / forged)) is None
    assert "is set aside: it says twice who hands in" in caplog.text
    assert "`autograder collect --zip`" in caplog.text


EARLIER = "2016-01-01-15-00-00"
TIMES = r"(?P<timestamp>[0-9\-]+)"


@pytest.mark.parametrize(
    ("pattern", "honest", "forged"),
    [
        (
            rf".*/(?P<student_id>[a-z]+)_.*_{TIMES}_(?P<file_id>.+)",
            f"eve_2016-03_{TIME}_1.ipynb",
            f"eve_ps1_{TIME}_{EARLIER}_tiny.ipynb",
        ),
        (
            r".*/(?P<student_id>[a-z]+)_.*_(?P<timestamp>[^_]+)_(?P<file_id>.+)",
            f"eve_2016_{TIME}_tiny.ipynb",
            f"eve_ps1_{TIME}_{EARLIER}_tiny.ipynb",
        ),
        (
            r".*/(?P<student_id>[a-z]+)_.*_(?P<timestamp>[^_]+)_(?P<file_id>.+)",
            f"eve_ps1_{TIME}_tiny.ipynb",
            f"eve_ps1_{TIME}_none_tiny.ipynb",
        ),
        (
            rf".*/(?P<student_id>[a-z]+)_(?P<file_id>.+?)_{TIMES}\.ipynb",
            f"eve_tiny_1_{TIME}.ipynb",
            f"eve_tiny_{EARLIER}.ipynb_{TIME}.ipynb",
        ),
    ],
)
def test_name_with_two_times_is_set_aside(
    tmp_path: Path, pattern: str, honest: str, forged: str, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger("traitlets").propagate = True
    config = Config()
    config.FileNameCollectorPlugin.named_regexp = pattern
    collector = SafeCollector(config=config)
    for name in (honest, forged):
        (tmp_path / name).write_text("{}")
    found = collector.collect(str(tmp_path / honest))
    assert found is not None
    assert found["timestamp"] == TIME
    assert "set aside" not in caplog.text
    assert collector.collect(str(tmp_path / forged)) is None
    assert "is set aside: it says twice when it was handed in" in caplog.text


@pytest.mark.parametrize("times", [TIMES, "(?P<timestamp>[^_]*)"])
def test_time_in_a_name_that_a_student_chose_is_none(tmp_path: Path, times: str) -> None:
    config = Config()
    config.FileNameCollectorPlugin.named_regexp = rf".*/(?P<student_id>\w+)_{times}_(?P<file_id>.*)"
    name = f"eve_{TIME}_{EARLIER}_tiny.ipynb"
    (tmp_path / name).write_text("{}")
    found = SafeCollector(config=config).collect(str(tmp_path / name))
    assert found is not None
    assert (found["student_id"], found["timestamp"]) == ("eve", TIME)


def test_who_is_found_above_the_files_is_no_student(tmp_path: Path) -> None:
    config = Config()
    config.FileNameCollectorPlugin.named_regexp = HELPS
    (folder := tmp_path / "x_eve_attempt_9_y").mkdir()
    path = folder / f"ps1_ada_attempt_{TIME}_tiny.ipynb"
    path.write_text("{}")
    assert SafeCollector(config=config).collect(str(path))


def test_pattern_that_begins_with_the_name_reads_it_once(tmp_path: Path) -> None:
    config = Config()
    config.FileNameCollectorPlugin.named_regexp = HELPS.replace(".*_", ".*/ps1_")
    name = f"ps1_eve_attempt_{TIME}_x_ada_attempt_{TIME}_tiny.ipynb"
    (tmp_path / name).write_text("{}")
    found = SafeCollector(config=config).collect(str(tmp_path / name))
    assert found is not None
    assert found["student_id"] == "eve"


def test_two_files_without_a_time_cost_themselves(tmp_path: Path) -> None:
    """nbgrader ended the command for the class."""
    install()
    config = configuration(Course(ROOT), tmp_path)
    config.FileNameCollectorPlugin.named_regexp = PATTERN
    config.CourseDirectory.assignment_id = "tiny"
    names = {
        "ada_2030-01-01_tiny": "older", "ada_2030-01-02_tiny": "newer", "ben_soon_tiny": "first",
        "ben_sooner_tiny": "second", "cem_2030-01-01_tiny": "timed", "cem__tiny": "untimed",
        "dan_2030-01-01_other": "other", "dan_late_tiny": "first", "dan_z2030_tiny": "second",
    }  # fmt: skip
    folder = tmp_path / "downloaded" / "tiny" / "extracted"
    folder.mkdir(parents=True)
    for name, content in names.items():
        (folder / f"{name}.ipynb").write_text(content)
    app = ZipCollectApp(config=config)
    app.coursedir = CourseDirectory(parent=app)
    app.collector_plugin_inst = app.collector_plugin(parent=app)
    app.process_extracted_files()
    found = {path.parent.parent.name: path for path in tmp_path.glob("submitted/*/*/tiny.ipynb")}
    assert {name: path.read_text() for name, path in found.items()} == {
        "ada": "newer", "ben": "first", "cem": "timed", "dan": "first",
    }  # fmt: skip


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real.ipynb").write_text("the instructor's")
    name = "mal_2030-01-01_tiny.ipynb"
    (tmp_path / name).symlink_to("real.ipynb")
    assert collected(tmp_path, name) is None
