"""What is said of a scheduler that can't be asked, or of which nobody is left to do a job."""

import gc
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.errors import GradingFailed
from autograder.grading.jobs import cluster
from autograder.grading.jobs.cluster import Cluster
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.workers import ahead, result_of, room_ahead, workers
from tests.support.dask import Dask

# Its settings are Dask's only from here on: what is set before is forgotten together with them.
distributed = pytest.importorskip("distributed", reason="Dask is not installed")
set_to = pytest.importorskip("dask").config.set
TLS = "distributed.comm.tls."


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Dask]:
    with Dask(tmp_path) as running:
        yield running


def key_in(folder: Path) -> dict[str, str]:
    """Dask's settings for a key, and a certificate that is its own authority."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
         certificate, "-subj", "/CN=grading"], check=True, capture_output=True,
    )  # fmt: skip
    named = {"ca-file": certificate, "client.cert": certificate, "client.key": key}
    return {f"{TLS}{name}": str(path) for name, path in named.items()}


def test_encrypted_without_a_certificate() -> None:
    with pytest.raises(GradingFailed, match=r"tls://127\.0\.0\.1:9 is reached by TLS"):
        Cluster("tls://127.0.0.1:9")


def test_not_encrypted_where_it_has_to_be() -> None:
    required = set_to({"distributed.comm.require-encryption": True})
    with required, pytest.raises(GradingFailed, match=r"tcp://127\.0\.0\.1:9 has none"):
        Cluster("tcp://127.0.0.1:9")


@pytest.mark.parametrize("name", ["ca-file", "client.cert", "client.key"])
def test_file_for_tls_that_is_missing_is_named(tmp_path: Path, name: str) -> None:
    named = {**key_in(tmp_path), f"{TLS}{name}": "/nowhere.pem"}
    with set_to(named), pytest.raises(GradingFailed, match=r"no file /nowhere\.pem"):
        Cluster("tls://127.0.0.1:9")


def test_file_for_tls_that_is_none(tmp_path: Path) -> None:
    named = key_in(tmp_path)
    Path(named[f"{TLS}client.key"]).write_text("no key")
    with set_to(named), pytest.raises(GradingFailed, match="for TLS can't be used") as why:
        Cluster("tls://127.0.0.1:9")
    assert "there is no file" not in str(why.value)


# Dask leaves sockets open to whom it can't talk to.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("theirs", "protocol", "authority"),
    [("tls", "tls", "another"), ("tls", "tcp", "the same"), ("tcp", "tls", "the same")],
)
def test_scheduler_that_is_not_understood(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    theirs: str,
    protocol: str,
    authority: str,
) -> None:
    """Somebody answers; it is no use to start another one."""
    monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 3)
    (tmp_path / "other").mkdir()
    ours, others = key_in(tmp_path), key_in(tmp_path / "other")
    named = (others if authority == "another" else ours).items()
    settings = {name.replace("client", "scheduler"): path for name, path in named}
    refused = pytest.raises(GradingFailed, match="for TLS give both sides certificates")
    with Dask(tmp_path, settings if theirs == "tls" else {}) as dask, refused, set_to(ours):
        Cluster(dask.address.replace(f"{theirs}:", f"{protocol}:"))
    gc.collect()


def test_job_has_an_end_without_workers(
    job_of: Callable[..., Job], scheduler: Dask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_SECONDS_BETWEEN_LOOKS", 0.1)
    monkeypatch.setattr(cluster, "_MINUTES_WITHOUT_WORKERS", 0.0)
    with workers(0, scheduler.address), pytest.raises(GradingFailed, match="has had no worker"):
        result_of(job_of())


def test_scheduler_is_lost(
    job_of: Callable[..., Job], scheduler: Dask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a job that was begun, and of one that is not, the same is told; nobody waits for long."""
    monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 3)
    begun, later = job_of(), job_of(double="def double(x):\n    return 7")
    with workers(0, scheduler.address):
        ahead(begun)
        scheduler.kill_scheduler()
        for job in (begun, later, begun):
            with pytest.raises(GradingFailed, match="no longer answers"):
                result_of(job)
            assert room_ahead() == 0


def test_scheduler_hangs(
    job_of: Callable[..., Job], scheduler: Dask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection stays open, so nothing fails by itself; it is waited for once."""
    begun, later, waits = job_of(), job_of(double="def double(x):\n    return 7"), list[object]()
    sync = distributed.Client.sync

    def noted(self: Any, function: Any, *given: Any, **named: Any) -> Any:
        waits.append(named.get("callback_timeout"))
        return sync(self, function, *given, **named)

    with workers(0, scheduler.address):
        ahead(begun)
        assert scheduler.scheduler is not None
        scheduler.scheduler.send_signal(signal.SIGSTOP)
        monkeypatch.setattr(cluster, "_SECONDS_TO_ANSWER", 1)
        monkeypatch.setattr(distributed.Client, "sync", noted)
        for job in (begun, later, begun):
            with pytest.raises(GradingFailed, match="no longer answers"):
                result_of(job)
            assert room_ahead() == 0
    assert waits.count(1) == 1
