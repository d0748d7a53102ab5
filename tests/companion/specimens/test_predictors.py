"""Predictors to try a test on: their docstrings say what they do to a module's mode."""

import inspect

import pytest
import torch
from torch import nn

from companion.specimens import predictors

NAMES = [
    name
    for name, made in inspect.getmembers(predictors, inspect.isfunction)
    if not name.startswith("_")
]


@pytest.mark.parametrize("name", NAMES)
def test_docstring_is_true(name: str) -> None:
    predictor = getattr(predictors, name)
    verdict, _, _ = predictor.__doc__.partition(":")
    module, kept = nn.Linear(3, 2), []
    for mode in (True, False):
        outputs = predictor(module.train(mode), torch.ones(4, 3))
        kept.append(module.training is mode)
        assert outputs.shape == (4, 2)
        assert not outputs.requires_grad
    assert {"Kept": all(kept), "Not kept": not all(kept)}[verdict]
