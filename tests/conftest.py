"""Which tests belong to the sandbox, and are run by `make test-sandbox` alone."""

from pathlib import Path

import pytest

SANDBOX = {"attacks", "channel", "codec", "grading", "sandbox", "seccomp", "walls"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.path).stem.removeprefix("test_") in SANDBOX:
            item.add_marker(pytest.mark.sandbox)
