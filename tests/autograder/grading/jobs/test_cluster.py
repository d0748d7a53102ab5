"""What is said of a scheduler whose address and Dask's settings don't fit, before it is asked."""

import pytest

from autograder.errors import GradingFailed
from autograder.grading.jobs.cluster import Cluster

dask = pytest.importorskip("dask", reason="Dask is not installed")


def test_encrypted_without_a_certificate() -> None:
    with pytest.raises(GradingFailed, match=r"tls://127\.0\.0\.1:9 is reached by TLS"):
        Cluster("tls://127.0.0.1:9")


def test_not_encrypted_where_it_has_to_be() -> None:
    required = dask.config.set({"distributed.comm.require-encryption": True})
    with required, pytest.raises(GradingFailed, match=r"tcp://127\.0\.0\.1:9 has none"):
        Cluster("tcp://127.0.0.1:9")
