"""Fixtures that several test files use."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import IPython
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """A browser of this file's own."""
    # Most tests need none, nor the time that it takes to import what drives it.
    from lab import running_browser

    with running_browser() as browser:
        yield browser


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What a notebook's outputs would hold."""
    outputs: list[dict[str, Any]] = []
    shell = SimpleNamespace(display_pub=SimpleNamespace(publish=outputs.append))
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    return outputs
