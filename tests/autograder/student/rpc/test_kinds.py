"""A kind of tuple, list or dict is as good in grading as it is in the check."""

import math
from collections.abc import Callable, Iterator

import pytest
import torch

from autograder import Draw, Exam
from autograder.checks.exam.report import Verdict
from autograder.student.limits import Limits
from autograder.student.rpc.deadline import Allowance
from autograder.student.rpc.session import Session
from autograder.student.rpc.stand_in import RemoteObject
from autograder.student.sandbox.sandbox import Sandbox

LIMITS = Limits(cell_seconds=20, call_seconds=20)
NAMED = "from collections import namedtuple\nBest = namedtuple('Best', 'values places')\n"
ANSWERS = {
    "what torch returns": "def best(rows):\n    return rows.max(dim=-1)",
    "a named tuple": f"{NAMED}def best(rows):\n    return Best(*rows.max(dim=-1))",
    "a typed one": "from typing import NamedTuple\nclass Best(NamedTuple):\n    values: object\n"
    "    places: object\ndef best(rows):\n    return Best(*rows.max(dim=-1))",
    "a list of one's own": "class Best(list):\n    pass\n"
    "def best(rows):\n    return Best(rows.max(dim=-1))",
}
BY_NAME = "class Table(dict):\n    pass\ndef named(rows):\n    return Table(best=rows.max(-1))"


def best(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The largest number of each row, and its place."""
    values, places = rows.max(dim=-1)
    return values, places


def named(rows: torch.Tensor) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    return {"best": best(rows)}


def exam_of(function: Callable[..., object]) -> Exam:
    exam = Exam(
        function, unasked={"gradients": "of a dict none are asked"} if function is named else {}
    )  # type: ignore[arg-type]

    @exam.case
    def random_rows(draw: Draw) -> torch.Tensor:
        """random rows"""
        return draw.tensor("rows columns")

    return exam


@pytest.fixture(scope="module")
def session(sandbox: Sandbox) -> Iterator[Session]:
    with sandbox.spawn({}, 0) as student:
        yield Session(student, LIMITS, Allowance(math.inf, 1))


@pytest.mark.parametrize("code", ANSWERS.values(), ids=ANSWERS)
def test_kind_of_a_tuple(session: Session, code: str) -> None:
    assert session.run(code) == []
    session.begin_test(by_exam=True)
    report = exam_of(best).examine(session.find("best"))
    here: dict[str, object] = {}
    exec(code, here)
    in_the_check = exam_of(best).examine(here["best"]).verdict
    assert report.verdict is in_the_check, report.finding
    assert report.verdict is Verdict.PASSED


def test_kind_of_a_dict_and_what_is_in_it(session: Session) -> None:
    assert session.run(BY_NAME) == []
    session.begin_test(by_exam=True)
    assert exam_of(named).examine(session.find("named")).verdict is Verdict.PASSED


def test_plain_test_may_ask_for_what_has_a_name(session: Session) -> None:
    assert session.run(f"{NAMED}def make(): return Best(1, 2)") == []
    session.begin_test(by_exam=False)
    made = session.find("make")()  # type: ignore[operator]
    assert type(made) is RemoteObject
    assert made.places == 2


def test_object_of_a_class_in_a_file_beside_the_notebook(session: Session) -> None:
    write = "with open('own_box.py', 'w') as file:\n    file.write('class Box:\\n    size = 3')"
    assert session.run(f"{write}\nimport own_box\ndef make(): return own_box.Box()") == []
    made = session.find("make")()  # type: ignore[operator]
    assert type(made) is RemoteObject
    assert made.size == 3


@pytest.mark.parametrize("base", ["list", "dict", "tuple"])
def test_object_that_is_one_besides_stays(session: Session, base: str) -> None:
    """Its methods are what an exam asks it for."""
    code = f"class Box({base}):\n    def double(self, x):\n        return 2 * x"
    assert session.run(f"{code}\ndef make(): return Box()") == []
    session.begin_test(by_exam=True)
    made = session.find("make")()  # type: ignore[operator]
    assert type(made) is RemoteObject
    assert made.double(3) == 6
