import os

import pytest

from autograder.threads import VARIABLE, one_thread


def test_one_thread_within(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with one_thread():
        assert os.environ[VARIABLE] == "1"
    assert VARIABLE not in os.environ


def test_own_choice_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "3")
    with one_thread():
        assert os.environ[VARIABLE] == "3"
    assert os.environ[VARIABLE] == "3"
