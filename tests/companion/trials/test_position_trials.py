"""What a module that adds positions keeps where no `.to` finds it."""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

import companion
from companion.trials.position_trials import left_behind

TABLE = torch.zeros(2)


def closed_over(value: Any) -> Callable[[], Any]:
    return lambda: value


class Held:
    """Keeps a table for a method of its own."""

    def __init__(self) -> None:
        self.table = TABLE

    def rows(self) -> torch.Tensor:
        return self.table


@pytest.mark.parametrize(
    ("kept", "behind"),
    [
        (TABLE, 1),
        ([TABLE, (TABLE,)], 2),
        ({"sin": {"cos": TABLE}}, 1),
        (SimpleNamespace(table=SimpleNamespace(sin=TABLE, cos=TABLE)), 2),
        (TABLE.numpy(), 1),
        (TABLE.reshape(1, -1).tolist(), 1),
        ([4, 0.5], 0),
        (nn.Parameter(TABLE), 0),
        (nn.Linear(1, 1), 0),
        ([nn.Linear(1, 1)], 2),
        ("text", 0),
        (iter([TABLE]), 0),
        (closed_over(TABLE), 1),
        (lambda table=TABLE: table, 1),
        (partial(torch.add, TABLE, other=TABLE), 2),
        (Held().rows, 1),
        (closed_over(nn.Linear(1, 1)), 2),
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


class OfTheClass(nn.Module):
    """Keeps one table in the class, and one as a default."""

    table = TABLE

    def forward(self, x: torch.Tensor, rows: torch.Tensor = TABLE) -> torch.Tensor:
        return x + rows + self.table


def test_what_a_class_keeps_stays_behind() -> None:
    assert left_behind(OfTheClass()) == 2


def test_a_method_of_the_module_holds_nothing_of_its_own() -> None:
    module: Any = OfTheClass()
    module.register_buffer("moved", TABLE)
    module.again = module.forward
    module.back = closed_over(module)
    # Its default is found once more, by another way.
    assert left_behind(module) == 3
