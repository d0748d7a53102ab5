"""Fixtures that several test files use."""

import gc
import os
import re
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import IPython
import pytest
from filelock import FileLock
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.support import resuming
from tests.support.sample import EVERYTHING, draw_number, sample

if TYPE_CHECKING:
    from playwright.sync_api import Browser


# The files that take longest by the clock, the longest first, so that all processes end at about
# the same time, and those that wait do so while others work.
LONG = [
    *("test_attacks", "test_processors", "test_lessons", "test_in_the_browser"),
    *("test_drivers", "test_grade", "test_sandbox", "test_formgrader", "test_incremental"),
    *("test_lab", "test_damage", "test_exams", "test_reading", "test_no_grade_lost"),
    *("test_attention_view_browser", "test_allowed", "test_resume", "test_site", "test_way_out"),
    *("test_readers", "test_assignments", "test_examiner_process", "test_ordinary"),
    *("test_cluster", "test_own_course", "test_hand_ins", "test_installed", "test_checks_alone"),
    *("test_postgresql", "test_demo", "test_converter", "test_codec", "test_term"),
    *("test_cell_verdict", "test_records", "test_scenery", "test_workers", "test_forged_replies"),
    *("test_assignment_list", "test_quick", "test_set_up", "test_session", "test_one_exam"),
    *("test_partial_credit", "test_build", "test_shipped", "test_browser"),
    *("test_written_arguments", "test_positional_encoding", "test_sandboxes", "test_gradients"),
    *("test_lite", "test_at_once", "test_known", "test_scatter", "test_attention_steps"),
    *("test_pictures", "test_sizes", "test_jupyter", "test_library_answers", "test_page"),
]
# How many objects are made before Python looks for garbage among them: a process that has all tests
# and PyTorch loaded would look for a tenth of its time.
YOUNG = 10_000
# Files whose tests of one lesson, or processor, share much, and those of different ones nothing.
BY_LESSON = ("test_lessons", "test_exams", "test_processors")
# A folder whose files share a sandbox.
TOGETHER = "tests/autograder/student/rpc/test_"
# Of the tests and files with each of these marks, a run of all files tries one in so many.
SHARES = {"long": 30, "slow": 3}
# Set in a run of all files.
FEW = "AUTOGRADER_FEW_OF_LONG"


def pytest_configure(config: pytest.Config) -> None:
    """Draw what is tried before pytest-xdist starts the processes that try it.

    Each of these, and whatever it starts, can be interrupted: a program that a script has started
    in the background would be deaf to that, and a test of it would wait for ever.
    """
    draw_number()
    # The processes that pytest-xdist starts are told all files by name.
    if not hasattr(config, "workerinput"):
        os.environ.pop(FEW, None)
        if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
            os.environ[FEW] = "yes"
        resuming.begin(config)
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Look for no garbage among tests and modules while they are found, nor later: they stay."""
    gc.disable()
    try:
        with _alone_at_first(session.config):
            return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(YOUNG)
        gc.enable()


@contextmanager
def _alone_at_first(config: pytest.Config) -> Iterator[None]:
    """In a fresh clone one process finds the tests before all others: what pytest makes of asserts,
    and Hypothesis of constants, they read then, where each would take half of its time to make it.
    """
    # `make quick` keeps nothing.
    cache = getattr(config, "cache", None)
    if not cache:
        yield
        return
    kept = cache.mkdir("found")
    made = kept / "made"
    # Who starts the others finds none itself, unless it is asked to find them and no more.
    if made.exists() or not hasattr(config, "workerinput"):
        yield
        if config.option.collectonly:
            made.touch()
        return
    with FileLock(kept / "lock") as lock:
        if made.exists():
            lock.release()
        yield
        made.touch()


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """The tests of a file go to one process, which makes once what they share; or those of a
    lesson, a processor or a folder. (What pytest-xdist offers for groups of one's own doesn't work
    with pytest 9.)
    """

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        if Path(file).stem in BY_LESSON and "[" in test:
            return f"{file}[{re.split(r'[-_]', test.partition('[')[2])[0]}"
        return TOGETHER if file.startswith(TOGETHER) else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    return ByFile(config, log)


@pytest.fixture(scope="module", autouse=True)
def this_course_again() -> Iterator[None]:
    """Whichever course the tests of a file work in, those of the next find this one's modules."""
    path, modules = [*sys.path], _of_a_course()
    yield
    sys.path[:] = path
    for name in _of_a_course():
        del sys.modules[name]
    sys.modules.update(modules)


def _of_a_course() -> dict[str, ModuleType]:
    return {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] in ("solutions", "mine")
    }


def pytest_report_header() -> str:
    """How to try the same again."""
    return "everything is tried" if EVERYTHING else f"AUTOGRADER_SAMPLE={draw_number()}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest files first, in a run of everything; the order within a file stays.

    Of the tests and files that are marked with one of `SHARES`, such a run tries some, others each
    time.
    """
    resuming.leave_out(config, items)
    items.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG))
    for mark, share in SHARES.items() if FEW in os.environ else ():
        marked = {item: _marked(item, mark) for item in items if item.get_closest_marker(mark)}
        places = [*dict.fromkeys(marked.values())]
        files, tests = ([one for one in places if ("::" in one) is test] for test in (False, True))
        # Each by itself: a run that drew most of the files would take half as long again.
        drawn = {*sample(files, share), *sample(tests, share)}
        left = {item for item, place in marked.items() if place not in drawn}
        config.hook.pytest_deselected(items=[*left])
        items[:] = [item for item in items if item not in left]


def _marked(item: pytest.Item, mark: str) -> str:
    """What is marked: the test, or its file, whose tests share what takes long."""
    file = item.getparent(pytest.Module)
    assert file
    return (file if any(own.name == mark for own in file.own_markers) else item).nodeid


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """A browser of this file's own."""
    # Most tests need none, nor the time that it takes to import what drives it.
    from tests.support.lab import running_browser

    with running_browser() as browser:
        yield browser


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What a notebook's outputs would hold."""
    outputs: list[dict[str, Any]] = []
    shell = SimpleNamespace(display_pub=SimpleNamespace(publish=outputs.append))
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    return outputs


@pytest.fixture(scope="session")
def wheel_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that `pip install` makes of this tree."""
    from tests.support.installed import build_wheel

    return build_wheel(tmp_path_factory.mktemp("wheel"))
