"""What programs find that are begun here."""

import os

import pytest

from autograder.environment import THREADS, one_thread, variables


def test_one_thread_within(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(THREADS, raising=False)
    with one_thread():
        assert os.environ[THREADS] == "1"
    assert THREADS not in os.environ


def test_own_choice_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS, "3")
    with one_thread():
        assert os.environ[THREADS] == "3"
    assert os.environ[THREADS] == "3"


def test_variables_are_put_back_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET", "before")
    monkeypatch.delenv("UNSET", raising=False)

    def breaks_off() -> None:
        with variables({"SET": "now", "UNSET": "now"}):
            assert (os.environ["SET"], os.environ["UNSET"]) == ("now", "now")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        breaks_off()
    assert os.environ["SET"] == "before"
    assert "UNSET" not in os.environ
