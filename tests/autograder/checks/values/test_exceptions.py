"""Every sentence about an exception is met by code that raises it, here and now."""

import random
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from autograder.checks.values import exceptions
from autograder.checks.values.exceptions import meaning_of

ROWS = torch.arange(6.0).reshape(2, 3)
ARRAY = np.arange(6.0).reshape(2, 3)
NUMBERS = [1, 2, 3]


class Unready(nn.Module):
    def __init__(self, layer: nn.Module | None = None) -> None:
        if layer is not None:
            self.layer = layer


class Selfless(nn.Module):
    def forward(x):  # type: ignore[no-untyped-def]  # noqa: N805
        return x


def endless(x: float) -> float:
    return endless(x) + 1


def not_yet() -> float:
    total = total + 1  # type: ignore  # noqa: F821
    return total  # type: ignore


def in_place() -> None:
    weight = nn.Parameter(torch.zeros(3))
    weight[0] = 2


def change_a_tuple() -> None:
    two_results()[0] = ROWS  # type: ignore


def no_gradient() -> None:
    nn.Linear(3, 1)(ROWS).sum().detach().backward()


def two_results() -> tuple[torch.Tensor, torch.Tensor]:
    return ROWS, ROWS


RAISING: list[tuple[Callable[[], object], str]] = [
    (lambda: nn.Module().register_buffer(ROWS), "takes a name, then the tensor"),  # type: ignore
    (lambda: nn.MultiheadAttention(2, 1)(ROWS), "takes 'key' and 'value' as well"),
    (lambda: nn.LayerNorm(), "it can't be called without 'normalized_shape'"),  # type: ignore
    (lambda: endless(), "it can't be called without 'x'"),  # type: ignore
    (lambda: torch.zeros(ROWS.shape, 2), "torch.zeros(*shape, length)"),  # type: ignore
    (lambda: torch.Generator(0), "torch.Generator().manual_seed(seed)"),  # type: ignore
    (lambda: "low".replace("l", ("l", "o")), "one text in the place of another"),  # type: ignore
    (lambda: ord("low"), "the number of one character"),
    (lambda: torch.Parameter(ROWS), "torch has nothing called Parameter"),  # type: ignore
    (lambda: ROWS.sum().step(), "`step` is a method of the optimizer"),  # type: ignore
    (lambda: torch.stack([ROWS, ROWS[0]]), "`stack` joins tensors of one shape"),
    (lambda: max([]), "look first whether there is anything"),
    (lambda: ARRAY @ ARRAY, "here 3 met 2"),
    (lambda: ROWS @ ROWS, "here 3 met 2"),
    (lambda: ROWS @ ROWS.T.double(), "float32 (torch's float) met float64 (double)"),
    (lambda: Unready(nn.Linear(2, 2)), "only once `super().__init__()` has run"),
    (lambda: Unready()(ROWS), "only once `super().__init__()` has run"),
    (lambda: nn.ModuleList(nn.ReLU(), nn.ReLU()), "`nn.ModuleList` takes one list"),  # type: ignore
    (lambda: nn.ParameterList(1, 2), "`nn.ParameterList` takes one list"),  # type: ignore
    (lambda: nn.Sequential([nn.ReLU()]), "a list stands where a module is wanted"),  # type: ignore
    (lambda: Selfless()(ROWS), "the first parameter of a method is `self`"),
    (in_place, "is changed in place where they are recorded"),
    (no_gradient, "nothing that this was computed from records gradients"),
    (lambda: ROWS.to("meta") + ROWS, "a tensor that is made anew lies on the CPU"),
    (lambda: ROWS + torch.ones(2), "here 3 met 2 on axis 1"),
    (lambda: ARRAY + np.ones(2), "two lengths must be equal, or one of them 1"),
    (lambda: ROWS.reshape(4, 2), "a reshape keeps every number"),
    (lambda: ARRAY.reshape(4, 2), "a reshape keeps every number"),
    (lambda: ROWS.T.view(6), "as after `transpose`, `permute` or `expand`"),
    (lambda: ARRAY[:, 3], "the last of 3 is number 2"),
    (lambda: ROWS[2], "the last of 2 is number 1"),
    (lambda: ROWS.sum(2), "there are fewer axes than that"),
    (lambda: ARRAY.sum(axis=2), "there are fewer axes than that"),
    (lambda: functional.embedding(torch.tensor([7]), ROWS), "a row for each number"),
    (lambda: ROWS.transpose(), "a tensor's `transpose` takes the two axes"),  # type: ignore
    (lambda: torch.softmax(torch.arange(3), 0), "can't be done with whole numbers"),
    (lambda: torch.arange(3).mean(), "can't be done with whole numbers"),
    (lambda: torch.ones(2, 2).long() @ torch.ones(2, 2), "met numbers with decimals"),
    (lambda: torch.ones(2, 2) @ torch.ones(2, 2).long(), "met numbers with decimals"),
    (lambda: random.shuffle([1, 2])[0], "None stands there"),  # type: ignore
    (lambda: NUMBERS.append(4) + 1, "None stands there"),  # type: ignore
    (lambda: None.shape, "None stands there"),  # type: ignore
    (lambda: ARRAY.mean / 2, "a function itself stands there"),  # type: ignore
    (lambda: ROWS.sum[0], "a function itself stands there"),  # type: ignore
    (lambda: two_results.shape, "a function itself stands there"),  # type: ignore
    (lambda: ROWS(0), "round brackets call what stands before them"),  # type: ignore
    (lambda: ARRAY(0), "round brackets call what stands before them"),  # type: ignore
    (lambda: two_results().shape, "a tuple stands there"),  # type: ignore
    (lambda: NUMBERS.shape, "a list, like a tuple or a range, is no array"),  # type: ignore
    (lambda: NUMBERS / 2, "a list, like a tuple or a range, is no array"),  # type: ignore
    (lambda: NUMBERS * 0.5, "a list, like a tuple or a range, is no array"),  # type: ignore
    (lambda: ARRAY.unsqueeze(0), "that is a method of tensors"),  # type: ignore
    (lambda: ROWS.astype(float), "that is a method of NumPy arrays"),  # type: ignore
    (lambda: functional.linear(ARRAY, ROWS), "that takes tensors, and a NumPy array"),  # type: ignore
    (lambda: functional.linear(two_results(), ROWS), "take the one that is meant"),  # type: ignore
    (lambda: torch.tensor(2, 3), "`torch.tensor` takes the numbers themselves"),  # type: ignore
    (lambda: bool(ROWS > 1), "ask for one True or False"),
    (lambda: bool(ARRAY > 1), "ask for one True or False"),
    (lambda: float(ARRAY), "one number is asked for there"),
    (lambda: range(ROWS), "one number is asked for there"),  # type: ignore
    (lambda: ROWS.item(), "one number is asked for there"),
    (lambda: float(ROWS), "one number is asked for there"),
    (not_yet, "the function assigns to that name somewhere"),
    (lambda: self_attention(ROWS), "no cell that was run defines self_attention"),  # type: ignore  # noqa: F821
    (lambda: endless(1.0), "its own name means itself"),
    (lambda: functional.relu(nn.ReLU(ROWS)), "as in nn.ReLU()(x)"),  # type: ignore
    (lambda: nn.Parameter(2, 3), "`nn.Parameter` takes a tensor"),  # type: ignore
    (lambda: np.maximum(0, nn.Linear(3, 2)(ROWS)), "NumPy can't record gradients"),  # type: ignore
    (lambda: ROWS.expand(4, 3), "here 2 was to become 4, on axis 0"),
    (lambda: torch.cat([ROWS, ROWS[None]]), "`cat` joins tensors with equally many axes"),
    (lambda: torch.cat([ROWS, ROWS.T]), "`cat` joins along one axis, here 0"),
    (lambda: torch.cat([two_results(), ROWS]), "among these is a tuple"),  # type: ignore
    (lambda: torch.stack([ROWS, None]), "among these is a NoneType"),  # type: ignore
    (lambda: ROWS[0] @ ROWS[:, 0], "between two vectors, `@` is the dot product"),
    (lambda: ROWS[None] @ ROWS[None], "in a product of batches"),
    (lambda: torch.einsum("ij->i", ROWS[None]), "each axis needs a letter"),
    (lambda: ROWS.view(2, 3 / 1), "`//` gives a whole one"),  # type: ignore
    (lambda: ROWS.reshape(2, 3 / 1), "`//` gives a whole one"),  # type: ignore
    (lambda: torch.zeros(2, torch.float64), "a dtype is given by its name"),  # type: ignore
    (lambda: ROWS.shape + 1, "one more length is put behind it"),  # type: ignore
    (lambda: np.zeros(2, 3), "NumPy takes a shape as one tuple"),  # type: ignore
    (lambda: ARRAY[None].transpose(1, 2), "np.swapaxes(x, -2, -1) exchanges two"),
    (lambda: ROWS[5:].max(), "there is no entry to choose from"),
    (lambda: ARRAY[5:].max(), "there is no entry to choose from"),
    (lambda: (ROWS > 1) @ (ROWS > 1).T, "can't be done with True and False"),
    (lambda: ROWS.masked_fill(ROWS, 0), "a mask of True and False is wanted"),
    (lambda: ROWS.scatter(1, torch.ones(2, 1).long(), ROWS.double()), "need one dtype"),
    (lambda: ROWS[0] @ ROWS[0].double(), "float32 (torch's float) met float64 (double)"),
    (lambda: None < 3, "None stands there"),  # type: ignore
    (lambda: functional.relu(ROWS.relu), "a function itself stands there"),  # type: ignore
    (lambda: range(3) / 2, "a list, like a tuple or a range, is no array"),  # type: ignore
    (lambda: -NUMBERS, "a list, like a tuple or a range, is no array"),  # type: ignore
    (lambda: torch.logical_not(NUMBERS), "a list, like a tuple or a range"),  # type: ignore
    (lambda: torch.maximum(ROWS.max(dim=-1), ROWS), "`max` returns two tensors"),  # type: ignore
    (lambda: torch.cat([ROWS.sort(dim=-1)]), "`sort` returns two tensors"),  # type: ignore
    (lambda: torch.sin(0.5), "that takes tensors, and a plain number"),  # type: ignore
    (lambda: ROWS.append(ROWS), "a tensor keeps its size"),  # type: ignore
    (lambda: ROWS.__setitem__(0, NUMBERS), "into a tensor go numbers and tensors"),  # type: ignore
    (change_a_tuple, "a tuple can't be changed"),
    (lambda: {NUMBERS: 1}, "a list can be no key"),  # type: ignore
    (lambda: list(3), "a number can't be gone through"),  # type: ignore
    (lambda: torch.stack(torch.tensor([ROWS, ROWS])), "joined by `torch.stack`"),  # type: ignore
    (lambda: torch.sum(ROWS, generator=1), "fits none of the forms"),  # type: ignore
    (lambda: np.sum(ARRAY, keepdim=True), "nothing there is called keepdim"),  # type: ignore
    (lambda: [1, 2][3], "there is no such position"),
    (lambda: {"a": 1}["b"], "there is no such key"),
    (lambda: Selfless().length, "`self.length = …` in a method does"),
]  # fmt: skip


def raised_by(code: Callable[[], object]) -> tuple[str, str]:
    try:
        code()
    except Exception as error:
        return type(error).__name__, str(error)
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(("code", "said"), RAISING)
def test_what_it_means(code: Callable[[], object], said: str) -> None:
    kind, message = raised_by(code)
    assert said in meaning_of(kind, message), (kind, message)


def test_every_sentence_is_met() -> None:
    """By an exception that is raised as it says: a library's next version may say it otherwise."""
    met = {meaning_of(*raised_by(code)) for code, _ in RAISING}
    unmet = [
        sentence
        for pattern, sentence in exceptions._MEANINGS
        if not any(one.startswith(sentence.partition("{")[0]) for one in met)
    ]
    assert unmet == []


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("ValueError", "The rows don't fit."),
        ("IndexError", "index 0 is out of bounds for axis 0 with size 0"),
        ("TypeError", "mean() takes 1 positional argument but 2 were given"),
        ("RuntimeError", "float " * 200_000 + "double dtype"),
        ("NotImplementedError", ""),
    ],
)
def test_nothing_is_added_to_what_says_enough(kind: str, message: str) -> None:
    assert meaning_of(kind, message) == ""
