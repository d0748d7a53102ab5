"""What these tests share."""

import pytest

from autograder.checks.drivers.ways import WAYS


@pytest.fixture(autouse=True)
def nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no function called a second time, which would be one more case of each exam.

    `tests/solutions/test_again.py` tries that.
    """
    monkeypatch.delitem(WAYS, "again")
