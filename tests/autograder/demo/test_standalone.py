import ast
import builtins

import pytest
import torch
from torch import nn

from autograder.checks.exam.exam import Exam, exams_of
from autograder.checks.exam.report import Verdict
from autograder.demo.standalone import standing_alone, with_body
from tests.support.course import COURSE
from tests.support.samples import Affine, affine_exam, mix, mixing_exam

KNOWN = {"torch", "nn"}
FACTOR = 2


def doubled(*words: torch.Tensor, by: int = 2) -> torch.Tensor:
    return by * words[0]


def scaled(x):
    """Uses what no notebook has."""
    return FACTOR * x


def scaled_in_a_comprehension(x):
    return [FACTOR * entry for entry in x]


def mixed_twice(weights, values):
    return 2 * mix(weights, values)


def by_recursion(x: list) -> list:
    return [by_recursion(entry) if isinstance(entry, list) else entry for entry in x]


class Base(nn.Module):
    """A base of another name."""

    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.W = nn.Linear(d_in, d_out, bias=bias)


class Middle(Base):
    def forward(self, x):
        return self.W(x)


class Detached(Middle):
    """Two bases that the notebook does not have."""

    FACTOR = 1

    def forward(self, x):
        (share,) = [entry.detach() for entry in (x,)]
        return super().forward(share * self.FACTOR)


class Scaled(Middle):
    """Uses what no notebook has."""

    def forward(self, x):
        return FACTOR * super().forward(x)


class HelpedByItsNamesake(Base):
    """A method that calls the function of its own name."""

    def turned(self, x):
        return turned(self.W(x))

    forward = turned


def turned(x: torch.Tensor) -> torch.Tensor:
    """A helper that needs another."""
    return twice_turned(x) if x.ndim > 7 else -x


def twice_turned(x):
    return turned(turned(x))


class Turned(Affine):
    """The sign is turned round, by a helper."""

    turns: int = 1

    def forward(self, x):
        return turned(super().forward(x))


class Selfish(Middle):
    """Knows itself by name."""

    def forward(self, x):
        return super().forward(x) if isinstance(self, Selfish) else x


class Silent(Affine):
    """Nothing but words."""


def defined(source: str, name: str) -> object:
    namespace: dict[str, object] = {"torch": torch, "nn": nn}
    exec(source, namespace)
    return namespace[name]


def test_function_stands_alone():
    assert standing_alone(doubled, "twice", set()) == (
        "def twice(*words, by=2):\n    return by * words[0]"
    )


def test_documented_function_stands_alone():
    wrong = mixing_exam().misconceptions["unweighted"]
    assert standing_alone(wrong, "mix", set()) == (
        "def mix(weights, values):\n    return values.mean(axis=0)"
    )


def test_what_a_function_needs():
    assert standing_alone(scaled, "doubled", set()) == ""
    assert standing_alone(scaled, "doubled", {"FACTOR"}).startswith("def doubled(x):")


def made_from(by):
    def wrong(x):
        return by * x

    return wrong


def test_closure_does_not_stand_alone():
    assert standing_alone(made_from(3), "triple", {*KNOWN, "by"}) == ""


class Negated(Base):
    def forward(self, x):
        return -super().forward(x)


def test_class_that_a_call_made():
    made = type("Made", (Negated, Middle), {})
    source = standing_alone(made, "Affine", KNOWN)
    lines = [line for line in source.split("\n") if line.startswith("class")]
    assert lines == [
        "class Base(nn.Module):",
        "class Negated(Base):",
        "class Middle(Base):",
        "class Affine(Negated, Middle):",
    ]
    answer = defined(source, "Affine")(2, 3, bias=False)
    assert torch.equal(answer(torch.ones(1, 2)), -answer.W(torch.ones(1, 2)))


def test_class_stands_alone():
    right = affine_exam().accepted["AsParameter"]
    source = standing_alone(right, "Affine", KNOWN)
    assert source.startswith("class Affine(nn.Module):\n\n    def __init__(self, d_in, d_out, ")
    assert "as parameters" not in source
    assert affine_exam().examine(defined(source, "Affine")).verdict is Verdict.PASSED


def test_class_brings_its_bases():
    source = standing_alone(Detached, "Affine", KNOWN)
    lines = [line for line in source.split("\n") if line.startswith("class")]
    assert lines == ["class Base(nn.Module):", "class Middle(Base):", "class Affine(Middle):"]
    assert affine_exam().examine(defined(source, "Affine")).misconception == "Detached"


def test_base_of_the_same_name():
    for name, wrong in affine_exam().misconceptions.items():
        source = standing_alone(wrong, "Affine", KNOWN)
        assert affine_exam().examine(defined(source, "Affine")).misconception == name


def test_base_by_whose_name_a_call_made_it():
    namesake = type("Silent", (Silent, Turned), {"__module__": "tests.support.samples"})
    source = standing_alone(namesake, "Affine", KNOWN)
    assert "class Affine(Silent, Turned):" in source
    assert defined(source, "Affine")(2, 3)(torch.ones(1, 2)).shape == (1, 3)


def test_base_that_the_notebook_has():
    source = standing_alone(Detached, "Affine", {*KNOWN, "Middle"})
    assert source.startswith("class Affine(Middle):")


def test_what_a_class_needs():
    assert standing_alone(Detached, "Affine", {"torch"}) == ""
    assert standing_alone(Scaled, "Affine", KNOWN) == ""
    assert standing_alone(Scaled, "Affine", {*KNOWN, "FACTOR"}).endswith("super().forward(x)")


def test_class_brings_its_helpers():
    source = standing_alone(Turned, "Affine", {*KNOWN, "Affine"})
    assert source.index("def twice_turned") < source.index("def turned") < source.index("class")
    assert "a helper" not in source
    answer = defined(standing_alone(Turned, "Affine", KNOWN), "Affine")
    report = affine_exam().examine(answer)
    assert report.verdict is Verdict.WRONG
    assert report.finding == affine_exam().examine(Turned).finding


def test_class_of_words_alone():
    source = standing_alone(Silent, "Quiet", {*KNOWN, "Affine"})
    assert source == "class Quiet(Affine):\n    pass"


def test_plain_class():
    class Counter:
        def __init__(self):
            self.count = 0

    assert standing_alone(Counter, "Tally", set()).startswith("class Tally:")


LOOP = "while True:\n    pass"


def test_other_body_of_a_function():
    assert with_body("def mix(a, b=1):\n    c = a\n    return c", LOOP) == (
        "def mix(a, b=1):\n    while True:\n        pass"
    )


def test_other_body_of_a_class():
    module = "class A(nn.Module):\n    x = 1\n    def forward(self, x):\n        return x"
    source = with_body(module, LOOP)
    assert source == (
        "class A(nn.Module):\n    x = 1\n\n    def forward(self, x):\n        while True:\n"
        "            pass"
    )


def test_reference_stands_alone():
    exam: Exam = affine_exam()
    source = standing_alone(exam.reference, "Affine", KNOWN)
    assert exam.examine(defined(source, "Affine")).verdict is Verdict.PASSED


def test_names_within_comprehensions():
    assert standing_alone(scaled_in_a_comprehension, "answer", KNOWN) == ""
    assert standing_alone(scaled_in_a_comprehension, "answer", {*KNOWN, "FACTOR"})


def test_function_that_calls_itself():
    namespace: dict = {}
    exec(standing_alone(by_recursion, "copied", KNOWN), namespace)
    assert namespace["copied"]([1, [2, [3]]]) == [1, [2, [3]]]


def test_method_that_calls_its_namesake():
    source = standing_alone(HelpedByItsNamesake, "Affine", KNOWN)
    assert "def turned(x):" in source
    namespace: dict = {"torch": torch, "nn": nn}
    exec(source, namespace)
    assert namespace["Affine"](2, 3)(torch.ones(1, 2)).shape == (1, 3)


def test_class_that_knows_itself_by_name():
    source = standing_alone(Selfish, "Affine", KNOWN)
    assert "isinstance(self, Affine)" in source
    assert defined(source, "Affine")(2, 3)(torch.ones(1, 2)).shape == (1, 3)


def test_function_brings_its_helpers():
    source = standing_alone(turned, "flipped", KNOWN)
    assert "def twice_turned(x):" in source
    assert torch.equal(defined(source, "flipped")(torch.ones(2)), -torch.ones(2))


def test_function_brings_a_helper_of_another_module():
    source = standing_alone(mixed_twice, "doubled", KNOWN)
    assert "def mix(weights, values):" in source
    weights, values = torch.tensor([0.5, 0.25]), torch.tensor([[1.0, 2.0], [4.0, 0.0]])
    assert defined(source, "doubled")(weights, values).tolist() == [3.0, 2.0]


@pytest.mark.long
@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_what_a_simulated_class_hands_in_derives_from_what_is_there(lesson):
    known = {*KNOWN, *dir(builtins)}
    for name, exam in exams_of(COURSE.exam_module(lesson)).items():
        sources = (standing_alone(wrong, name, KNOWN) for wrong in exam.misconceptions.values())
        there = set(known)
        for definition in ast.parse(next(filter(None, sources), "")).body:
            for base in getattr(definition, "bases", ()):
                assert {node.id for node in ast.walk(base) if isinstance(node, ast.Name)} <= there
            there.add(getattr(definition, "name", ""))
