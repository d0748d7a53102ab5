"""The families of mistakes: how they are applied, whatever slips they hold."""

import pytest
import torch
from torch import nn

from autograder import Exam
from solutions.exams.families.family import Answer, Family


class Doubled(Answer):
    """Twice as much."""

    def answer(self, *arguments):
        return 2 * self.right(*arguments)


class TurnedRound(Answer):
    """The sign is turned round."""

    def answer(self, *arguments):
        return -self.right(*arguments)


FAMILY = Family(Doubled, TurnedRound)


def total(x):
    return x.sum()


def test_slips_spoil_the_reference():
    exam = Exam(total)
    FAMILY.apply(exam)
    assert exam.hints == {"doubled": "Twice as much.", "turned_round": "The sign is turned round."}
    assert [wrong(torch.ones(3)) for wrong in exam.misconceptions.values()] == [6, -3]


def test_an_exercise_has_its_own_names_and_words():
    exam = Exam(total)
    FAMILY.apply(
        exam, called={"Doubled": "twice"}, says={"Doubled": "Half."}, without=["TurnedRound"]
    )
    assert exam.hints == {"twice": "Half."}


def test_a_name_that_no_slip_has():
    for words in (
        {"called": {"Twice": "twice"}},
        {"says": {"Twice": "Half."}},
        {"without": ["Twice"]},
    ):
        with pytest.raises(ValueError, match="the family has no slip Twice"):
            FAMILY.apply(Exam(total), **words)


class Steps(nn.Module):
    """Something to get wrong."""

    def scale(self):
        return 1

    def forward(self, x):
        return x * self.scale()


class Larger(Steps):
    """It is too large."""

    def scale(self):
        return 10


def test_slips_of_a_module_are_classes():
    exam = Exam(Steps)
    Family(Larger).apply(exam, Steps)
    assert exam.hints == {"Larger": "It is too large."}
    made = exam.misconceptions["Larger"]()
    assert isinstance(made, nn.Module)
    assert made(torch.ones(())) == 10
