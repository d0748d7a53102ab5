"""Collecting from the exchange: what is no doubt a student's, and nothing that a link leads to."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.exchange import ExchangeFactory

from autograder.course import Course
from autograder.grading.submitted_files import SubmittedFolder
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.inbox import arrivals, collect
from autograder.nbgrading.inbox.collect import SafeCollect
from autograder.nbgrading.inbox.list_exchange import SafeList
from autograder.nbgrading.inbox.replacing import alone
from autograder.nbgrading.inbox.secret import SECRET as SECRET_FILE
from autograder.nbgrading.release import SafeRelease, SafeReleaseFeedback
from tests.support.anybody import as_anybody
from tests.support.attacks.inputs import DOUBTFUL, FIRST, NOTEBOOK, SECOND, SECRET, THIRD
from tests.support.course import ROOT

# nbgrader's own use of SQLAlchemy.
pytestmark = pytest.mark.filterwarnings("ignore:Object of type .* not in session")

LESSON = "tiny"


class Exchange:
    """A course's exchange, to which everybody can write."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.config = configuration(Course(ROOT), root)
        self.inbound = root / "exchange" / self.config.CourseDirectory.course_id / "inbound"
        self.submitted = root / "submitted"
        self.api: NbGraderAPI = nbgrader_api(self.config)
        self.source = root / "source" / LESSON / NOTEBOOK
        self.source.parent.mkdir(parents=True)
        self.source.write_text(SECRET)
        with self.api.gradebook:
            pass

    def clear(self) -> None:
        for folder in (self.inbound, self.submitted):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)

    def hand_in(self, student: str, stamp: str = FIRST, content: str = "first") -> Path:
        folder = self.inbound / f"{student}+{LESSON}+{stamp}+c2VjcmV0"
        folder.mkdir()
        (folder / NOTEBOOK).write_text(content)
        (folder / "timestamp.txt").write_text(stamp)
        (folder / SECRET_FILE).write_text("secret")
        return folder

    def collect(self, *, succeeds: bool = True) -> str:
        outcome = self.api.collect(LESSON)
        assert outcome["success"] == succeeds, outcome
        return str(outcome.get("log", ""))

    def collected(self) -> dict[str, str]:
        found = sorted(self.submitted.glob(f"*/{LESSON}/{NOTEBOOK}"))
        return {path.parent.parent.name: path.read_text() for path in found}


@pytest.fixture(scope="module")
def made() -> Iterator[Exchange]:
    # Where those can look who may not look into the folders of whoever runs the tests.
    with TemporaryDirectory() as root:
        yield Exchange(Path(root))


@pytest.fixture
def exchange(made: Exchange) -> Exchange:
    made.clear()
    return made


def test_commands_and_buttons_collect_safely(exchange: Exchange) -> None:
    for factory in (ExchangeFactory(config=exchange.config), exchange.api.exchange):
        assert factory.collect is SafeCollect
        assert factory.list is SafeList
        assert factory.release_assignment is SafeRelease
        assert factory.release_feedback is SafeReleaseFeedback


def test_newest_is_collected(exchange: Exchange) -> None:
    for student in ("ada", "ben.b@uni-x.de", "Zoë_2"):
        exchange.hand_in(student)
    exchange.hand_in("ada", SECOND, "second")
    exchange.collect()
    assert exchange.collected() == {"ada": "second", "ben.b@uni-x.de": "first", "Zoë_2": "first"}
    exchange.hand_in("ben.b@uni-x.de", SECOND, "second")
    exchange.collect()
    assert exchange.collected()["ben.b@uni-x.de"] == "second"
    assert sorted(os.listdir(exchange.submitted / "ada")) == [LESSON]


@pytest.mark.parametrize("name", ["\u0430da", "\uff41da"])
def test_name_that_looks_like_another_is_set_aside(exchange: Exchange, name: str) -> None:
    exchange.hand_in("ada", FIRST, "mine")
    looks_alike = exchange.hand_in(name, SECOND, "theirs")
    log = exchange.collect()
    assert exchange.collected() == {"ada": "mine"}
    assert "is set aside: nobody can be called that" in log
    assert (looks_alike / NOTEBOOK).read_text() == "theirs"


def test_nobody_collects_beside_another(exchange: Exchange) -> None:
    exchange.hand_in("ada")
    with alone(exchange.submitted):
        assert "another program is collecting" in exchange.collect(succeeds=False)
    assert exchange.collected() == {}
    exchange.collect()
    assert exchange.collected() == {"ada": "first"}


def test_what_is_still_on_its_way_waits(exchange: Exchange) -> None:
    """`nbgrader submit` copies one file after the other, and its folder is there from the first."""
    exchange.hand_in("ada")
    exchange.collect()
    for student, stamp in (("ada", SECOND), ("ben", FIRST)):
        folder = exchange.hand_in(student, stamp, "half")
        (folder / SECRET_FILE).unlink()
    log = exchange.collect()
    assert exchange.collected() == {"ada": "first"}
    assert log.count(f"has no {SECRET_FILE} yet, so it is still on its way") == 2
    (folder / NOTEBOOK).write_text("whole")
    (folder / SECRET_FILE).write_text("secret")
    exchange.collect()
    assert exchange.collected() == {"ada": "first", "ben": "whole"}


def test_what_is_put_there_by_hand_needs_no_secret(exchange: Exchange) -> None:
    folder = exchange.hand_in("ada")
    (folder / SECRET_FILE).unlink()
    folder.rename(folder.with_name(f"ada+{LESSON}+{FIRST}"))
    exchange.collect()
    assert exchange.collected() == {"ada": "first"}


def test_collecting_again_changes_nothing(exchange: Exchange) -> None:
    exchange.hand_in("ada")
    exchange.collect()
    (exchange.submitted / "ada" / LESSON / NOTEBOOK).write_text("as the instructor mended it")
    exchange.collect()
    assert exchange.collected() == {"ada": "as the instructor mended it"}


def test_the_name_tells_the_time(exchange: Exchange) -> None:
    (exchange.hand_in("ada", SECOND) / "timestamp.txt").write_text(FIRST)
    os.mkfifo(exchange.hand_in("ben") / "data")
    folder = exchange.hand_in("cem")
    (folder / "timestamp.txt").unlink()
    os.mkfifo(folder / "timestamp.txt")
    exchange.collect()
    for student, stamp in {"ada": SECOND, "ben": FIRST, "cem": FIRST}.items():
        assert (exchange.submitted / student / LESSON / "timestamp.txt").read_text() == stamp


HOSTILE = [
    f"<img src=x onerror=alert(1)>+{LESSON}+{FIRST}",
    *(f"{name}+{LESSON}+{FIRST}" for name in ("..", ".", "-rf", ".hid", "a b", "a\nb", "x;y", "")),
    *(f"{name}+{LESSON}+{FIRST}" for name in ("*", "a\u202eb", "[red]", "a" * 120)),
    *(f"mal+{LESSON}+{time}" for time in ("soon", "", "1" * 200, "9999-12-31", "12:00")),
    f"mal+{LESSON}+2030-01-01 12:00:00 <b>",
    *(
        f"mal+{LESSON}",
        "mal",
        "+",
        f"\udcff+{LESSON}+{FIRST}",
        f"mal+{LESSON}+{FIRST}+a+b",
        f"mal+{LESSON}+{FIRST}+<b>",
    ),
]


def test_odd_names_cost_themselves(exchange: Exchange) -> None:
    exchange.hand_in("ada")
    for name in HOSTILE:
        (exchange.inbound / name).mkdir()
        (exchange.inbound / name / NOTEBOOK).write_text("mal")
    (exchange.inbound / f"ben+{LESSON}+{FIRST}").write_text("a file")
    before = sorted(os.listdir(exchange.root))
    log = exchange.collect()
    assert exchange.collected() == {"ada": "first"}
    assert sorted(os.listdir(exchange.submitted)) == ["ada"]
    assert sorted(os.listdir(exchange.root)) == before
    assert exchange.source.read_text() == SECRET
    assert log.count("is set aside: ") == 20
    assert f"{len(HOSTILE) + 1 - 20} more are set aside" in log
    assert f"ben+{LESSON}+{FIRST} is set aside: it is not a folder of its own" in exchange_aside(
        exchange
    )


def exchange_aside(exchange: Exchange) -> str:
    _, aside = arrivals.arrivals(exchange.inbound.iterdir(), LESSON)
    assert len(aside) == len(HOSTILE) + 1
    assert all(one.isprintable() for one in aside)
    return "\n".join(aside)


def test_links_are_not_followed(exchange: Exchange) -> None:
    neighbour = exchange.hand_in("ada", content="ada's answers")
    linked = exchange.hand_in("notebook")
    (linked / NOTEBOOK).unlink()
    (linked / NOTEBOOK).symlink_to(exchange.source)
    (exchange.inbound / f"folder+{LESSON}+{FIRST}").symlink_to(neighbour)
    beside = exchange.hand_in("beside")
    (beside / "answers.txt").symlink_to(exchange.source)
    (beside / "all").symlink_to(exchange.root)
    (beside / "more").mkdir()
    (beside / "more" / "answers.txt").symlink_to(exchange.source)
    (beside / "data.txt").write_text("1")
    log = exchange.collect()
    assert exchange.collected() == {"ada": "ada's answers", "beside": "first"}
    assert f"{NOTEBOOK} can't be taken: it is not a regular file" in log
    kept = exchange.submitted / "beside" / LESSON
    names = {str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file()}
    assert names == {NOTEBOOK, "timestamp.txt", SECRET_FILE, "data.txt"}
    assert "answers.txt is left out" in log


def test_doubtful_replaces_nothing(exchange: Exchange) -> None:
    for change in DOUBTFUL:
        exchange.hand_in(change.__name__)
    with as_anybody(exchange.root):
        exchange.collect()
        for change in DOUBTFUL:
            change(exchange.hand_in(change.__name__, SECOND, "second"))
        log = exchange.collect()
    assert exchange.collected() == {change.__name__: "first" for change in DOUBTFUL}
    for change in DOUBTFUL:
        assert f"{change.__name__}+{LESSON}+{SECOND}+c2VjcmV0 is set aside: " in log


def test_newer_without_notebook_is_what_it_is(exchange: Exchange) -> None:
    exchange.hand_in("ada")
    exchange.collect()
    (exchange.hand_in("ada", SECOND) / NOTEBOOK).unlink()
    exchange.collect()
    assert exchange.collected() == {}
    left = {*os.listdir(exchange.submitted / "ada" / LESSON)}
    assert left == {"timestamp.txt", SECRET_FILE}


def kept_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "keeper_of", lambda _: -1)
    monkeypatch.setattr(SafeCollect, "kept_by", [arrivals.name_of_owner(-1)])


def test_owner_is_the_student(exchange: Exchange, monkeypatch: pytest.MonkeyPatch) -> None:
    """What this process makes is mallory's, in an exchange that another account keeps."""
    exchange.hand_in("ada")
    exchange.collect()
    exchange.hand_in("ada", SECOND, "by mallory")
    exchange.hand_in("mallory", SECOND, "mine")
    monkeypatch.setattr(collect, "name_of_owner", lambda _: "mallory")
    kept_by_another(monkeypatch)
    log = exchange.collect()
    assert exchange.collected() == {"ada": "first", "mallory": "mine"}
    assert f"ada+{LESSON}+{SECOND}+c2VjcmV0 is set aside: it belongs to mallory" in log
    monkeypatch.setattr(SafeCollect, "check_owner", False)
    exchange.collect()
    assert exchange.collected()["ada"] == "by mallory"


def test_what_anybody_can_rename_is_not_an_instructors(
    exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the lecturer put there for Ada, Eve renames and has as hers."""
    exchange.hand_in("eve", FIRST, "ada's")
    monkeypatch.setattr(collect, "name_of_owner", lambda _: "grace")
    exchange.inbound.chmod(0o2733)
    log = exchange.collect()
    assert exchange.collected() == {}
    assert f"anybody can rename it: end that with `chmod +t {exchange.inbound}`" in log
    assert "anybody can rename what others have handed in, and give it another time" in log
    exchange.inbound.chmod(0o3733)
    assert "anybody can rename" not in exchange.collect()
    assert exchange.collected() == {"eve": "ada's"}


def test_exchange_that_somebody_has_put_there(
    exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The inbound folder is not this process's, which may be that of another lecturer."""
    exchange.hand_in("ada")
    monkeypatch.setattr(arrivals, "keeper_of", lambda _: -1)
    monkeypatch.setattr(arrivals, "name_of_owner", lambda _: "grace")
    monkeypatch.setattr(collect, "name_of_owner", lambda _: "ada")
    root = Path(exchange.config.Exchange.root)
    root.chmod(0o777)
    assert "belongs to grace, and in" in exchange.collect(succeeds=False)
    # Nobody replaces a folder now; but whoever was first may have made this one.
    root.chmod(0o1777)
    log = exchange.collect(succeeds=False)
    assert exchange.collected() == {}
    assert "belongs to grace, who is neither you nor whose this course's folder is" in log
    monkeypatch.setattr(SafeCollect, "kept_by", ["grace"])
    exchange.collect()
    assert exchange.collected() == {"ada": "first"}


def test_hard_links_of_others_files(exchange: Exchange, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = exchange.hand_in("mal")
    (folder / "answers.txt").write_text("linked")
    opened = SubmittedFolder.__init__

    def owned(self: SubmittedFolder, descriptor: int) -> None:
        opened(self, descriptor)
        self.owner = -1

    monkeypatch.setattr(SubmittedFolder, "__init__", owned)
    kept_by_another(monkeypatch)
    log = exchange.collect()
    assert exchange.collected() == {}
    assert f"{NOTEBOOK} can't be taken: it belongs to somebody else" in log


def test_failure_of_ours_costs_nobody_else(
    exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    for student in ("ada", "ben", "cem"):
        exchange.hand_in(student)
    exchange.collect()
    for student in ("ada", "ben", "cem"):
        exchange.hand_in(student, SECOND, "second")
    write = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if "ben" in str(path):
            raise OSError(28, "No space left on device")
        return write(path, content)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        log = exchange.collect(succeeds=False)
    assert exchange.collected() == {"ada": "second", "ben": "first", "cem": "second"}
    assert "Collecting from ben failed on our side: [Errno 28] No space left on device" in log
    exchange.collect()
    assert exchange.collected()["ben"] == "second"


def test_kill_between_two_renames(exchange: Exchange, monkeypatch: pytest.MonkeyPatch) -> None:
    exchange.hand_in("ada")
    exchange.collect()
    (exchange.hand_in("ada", SECOND, "second") / "closed").mkdir()
    rename = Path.rename

    def killed(path: Path, target: Path) -> Path:
        if path.name.endswith(".arriving"):
            raise KeyboardInterrupt
        return rename(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", killed)
        exchange.collect(succeeds=False)
    assert exchange.collected() == {}
    exchange.collect()
    assert exchange.collected() == {"ada": "second"}
    assert os.listdir(exchange.submitted / "ada") == [LESSON]


def test_due_date_prefers_what_came_in_time(exchange: Exchange) -> None:
    with exchange.api.gradebook as gradebook:
        gradebook.update_or_create_assignment(LESSON, duedate=SECOND)
    try:
        for stamp in (FIRST, SECOND, THIRD):
            exchange.hand_in("ada", stamp, stamp)
        exchange.hand_in("ben", THIRD, THIRD)
        exchange.collect()
        assert exchange.collected() == {"ada": THIRD, "ben": THIRD}
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(SafeCollect, "before_duedate", True)
            exchange.collect()
        assert exchange.collected() == {"ada": SECOND, "ben": THIRD}
    finally:
        with exchange.api.gradebook as gradebook:
            gradebook.remove_assignment(LESSON)


def test_settings_leave_files_out(exchange: Exchange) -> None:
    folder = exchange.hand_in("ada")
    for name in ("feedback/page.txt", "__pycache__/x.txt", "a.pyc", "data/b.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    exchange.collect()
    kept = exchange.submitted / "ada" / LESSON
    names = {path.name for path in kept.rglob("*.*")}
    assert names == {"timestamp.txt", SECRET_FILE, NOTEBOOK, "b.txt"}


def test_group_may_write(exchange: Exchange, monkeypatch: pytest.MonkeyPatch) -> None:
    (exchange.hand_in("ada") / "data").mkdir()
    monkeypatch.setattr(exchange.api.coursedir, "groupshared", True)
    exchange.collect()
    kept = exchange.submitted / "ada" / LESSON
    assert kept.stat().st_mode & 0o2770 == 0o2770
    assert (kept / NOTEBOOK).stat().st_mode & 0o660 == 0o660


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_owners_of_the_system(exchange: Exchange) -> None:
    for student, owner in {"daemon": 1, "bin": 2}.items():
        folder = exchange.hand_in(student)
        for path in (folder, *folder.iterdir()):
            os.chown(path, owner, -1)
    os.chown(exchange.hand_in("daemon", SECOND, "forged"), 2, -1)
    linked = exchange.inbound / f"bin+{LESSON}+{FIRST}+c2VjcmV0" / "answers.txt"
    os.link(exchange.inbound / f"daemon+{LESSON}+{FIRST}+c2VjcmV0" / NOTEBOOK, linked)
    exchange.hand_in("given-to-the-instructor")
    log = exchange.collect()
    assert exchange.collected() == dict.fromkeys(
        ("bin", "daemon", "given-to-the-instructor"), "first"
    )
    assert f"daemon+{LESSON}+{SECOND}+c2VjcmV0 is set aside: it belongs to bin" in log
    assert "answers.txt is left out: it belongs to somebody else" in log
