"""What a module that adds positions keeps where no `.to` finds it."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

import companion
from companion.trials.position_trials import left_behind

TABLE = torch.zeros(2)


@pytest.mark.parametrize(
    ("kept", "behind"),
    [
        (TABLE, 1),
        ([TABLE, (TABLE,)], 2),
        ({"sin": {"cos": TABLE}}, 1),
        (SimpleNamespace(table=SimpleNamespace(sin=TABLE, cos=TABLE)), 2),
        (nn.Parameter(TABLE), 0),
        (nn.Linear(1, 1), 0),
        ([nn.Linear(1, 1)], 2),
        ("text", 0),
        (iter([TABLE]), 0),
        (companion, 0),
        (SimpleNamespace, 0),
    ],
)
def test_what_stays_behind_is_counted(kept: Any, behind: int) -> None:
    module = nn.Module()
    module.kept = kept
    assert left_behind(module) == behind


def test_buffers_move() -> None:
    module = nn.Module()
    module.register_buffer("table", TABLE)
    assert left_behind(module) == 0
