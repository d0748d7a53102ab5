import hashlib
import inspect
import json
import os
import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import torch

import companion
from companion import (
    HELLO_SHINY_SUN,
    YOUR_JOURNEY,
    Sentence,
    attention_map,
    attention_with_a_slip,
    attention_with_an_echo,
    attention_with_positions,
    copy_first_word,
    leave_as_is,
    plain_attention,
    reversed_attention,
    shares,
    softmax,
    torch_softmax,
)
from companion.drawing.figure import UNTOLD, render
from companion.drawing.theme import DARK
from tests.support.course import ROOT

SENTENCES = [HELLO_SHINY_SUN, YOUR_JOURNEY]


@pytest.fixture(scope="module")
def newcomer():
    """What a fresh Python process saw that imported the package and drew two figures."""
    code = """
import hashlib, json, sys
import companion
companion.bars({"a": [1, 2]}, labels=["x", "y"], alt="Two bars.")
from companion.drawing.figure import render
from companion.drawing.theme import DARK
svg = render(lambda figure: figure.subplots().plot([1, 2]), DARK, (3, 2))
print(json.dumps({"modules": list(sys.modules), "svg": hashlib.sha256(svg).hexdigest()}))
"""
    # A hash seed of its own, so that nothing can depend on the order of a set.
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    alt, report = run.stdout.splitlines()
    return {"alt": alt, **json.loads(report)}


def test_public_names_exist():
    names = companion.__all__  # type: ignore[attr-defined]
    assert all(getattr(companion, name).__doc__ for name in names)


def test_pictures_can_be_described():
    pictures = ["arcs", "arrows", "bars", "heatmap", "heatmaps", "lines", "mixture", "show"]
    for name in pictures:
        alt = inspect.signature(getattr(companion, name)).parameters["alt"]
        assert alt.kind is alt.KEYWORD_ONLY
        assert alt.default == UNTOLD


@pytest.mark.parametrize("module", ["torch", "IPython", "matplotlib.pyplot"])
def test_import_is_light(newcomer, module):
    assert module not in newcomer["modules"]


@pytest.mark.parametrize("module", ["autograder", "solutions"])
def test_import_arrow(newcomer, module):
    assert module not in newcomer["modules"]


def test_scripts_print_the_alt_text(newcomer):
    assert newcomer["alt"] == "Two bars."


def test_bytes_repeat_across_processes(newcomer):
    svg = render(lambda figure: figure.subplots().plot([1, 2]), DARK, (3, 2))
    assert newcomer["svg"] == hashlib.sha256(svg).hexdigest()


@pytest.mark.parametrize("sentence", SENTENCES)
def test_one_vector_per_word(sentence):
    assert sentence.vectors.shape == (len(sentence.words), 3)
    assert sentence.vectors.dtype == np.float64


def test_running_inputs():
    assert HELLO_SHINY_SUN.words == ("Hello", "shiny", "sun")
    assert HELLO_SHINY_SUN.vectors[1].tolist() == [0.53, 0.34, 0.98]
    assert " ".join(YOUR_JOURNEY.words) == "Your journey starts with one step"
    assert YOUR_JOURNEY.vectors.sum(axis=0) == pytest.approx([2.59, 3.50, 3.17])


@pytest.mark.parametrize("sentence", SENTENCES)
def test_vectors_are_read_only(sentence):
    before = sentence.vectors.copy()
    with pytest.raises(ValueError, match="read-only"):
        sentence.vectors[0, 0] = 9
    with pytest.raises(FrozenInstanceError):
        sentence.vectors = before
    copy = sentence.vectors.copy()
    copy[0, 0] = 9
    assert np.array_equal(sentence.vectors, before)


def test_sentence_leaves_argument_alone():
    vectors = np.ones((2, 3))
    Sentence(("a", "b"), vectors)
    vectors[0, 0] = 5
    assert vectors[0, 0] == 5


@pytest.mark.parametrize("shape", [(3, 3), (2,), (2, 3, 1)])
def test_wrong_vectors_are_refused(shape):
    with pytest.raises(ValueError, match=r"There are 2 words, but the vectors have shape"):
        Sentence(("a", "b"), np.ones(shape))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_softmax_is_torchs(dtype, axis):
    x = np.random.default_rng(0).normal(size=(2, 3, 5)).astype(dtype) * 10
    before = x.copy()
    result = softmax(x, axis=axis)
    assert result.dtype == dtype
    assert np.array_equal(result, torch.softmax(torch.tensor(x), dim=axis).numpy())
    assert np.array_equal(x, before)


def test_softmax_takes_what_comes():
    assert softmax([1, 1]).tolist() == [0.5, 0.5]
    assert softmax(np.array([[0, 0], [1000, -1000]])).tolist() == [[0.5, 0.5], [1.0, 0.0]]
    assert softmax(YOUR_JOURNEY.vectors).flags.writeable
    with pytest.raises(IndexError):
        softmax(np.ones(3), axis=1)


SCORES = np.random.default_rng(0).normal(size=(2, 3, 5))


@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize(
    "x",
    [
        *(SCORES, 500 * SCORES, (20 * SCORES).astype(np.float32), np.eye(3, 2, dtype=int)),
        *(np.array([[0.0, -np.inf], [-np.inf, -np.inf]]), np.array([[1e308, -1e308]])),
        *(np.ones((0, 2)), np.array(3.0)),
    ],
)
def test_softmax_without_torch_is_torchs(x, axis, monkeypatch):
    axis = min(axis, max(x.ndim, 1) - 1)
    expected, before = softmax(x, axis), x.copy()
    monkeypatch.setitem(sys.modules, "torch", None)
    result = softmax(x, axis)
    assert result.dtype == expected.dtype
    tolerance = 1e-12 if result.dtype == np.float64 else 1e-5
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=1e-300)
    assert np.array_equal(x, before)


def test_softmax_does_not_wait_for_torch():
    code = "import sys, companion; companion.softmax([1, 2]); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "False\n", done.stderr


def test_softmax_without_torch_refuses_an_axis_that_is_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(IndexError):
        softmax(np.ones(3), axis=1)


def test_plain_attention_by_hand():
    contexts = plain_attention(HELLO_SHINY_SUN.vectors)
    assert contexts[1] == pytest.approx([0.3990, 0.3854, 0.8610], abs=5e-5)
    assert contexts.dtype == np.float64


def is_equivariant(attention, inputs):
    permutation = np.array([2, 0, 3, 1, 5, 4])
    return np.allclose(attention(inputs[permutation]), attention(inputs)[permutation])


@pytest.mark.parametrize("attention", [plain_attention, leave_as_is])
def test_equivariant_specimens(attention):
    assert is_equivariant(attention, YOUR_JOURNEY.vectors)


@pytest.mark.parametrize(
    "attention",
    [
        attention_with_positions,
        attention_with_a_slip,
        attention_with_an_echo,
        copy_first_word,
        reversed_attention,
    ],
)
def test_other_specimens(attention):
    assert not is_equivariant(attention, YOUR_JOURNEY.vectors)


def test_map_makes_the_contexts():
    weights = attention_map(YOUR_JOURNEY.vectors)
    assert weights.sum(axis=1) == pytest.approx(np.ones(6))
    contexts = plain_attention(YOUR_JOURNEY.vectors)
    assert np.allclose(weights @ YOUR_JOURNEY.vectors, contexts, rtol=1e-12)


@pytest.mark.parametrize("swap", [(0, 1), (2, 5), (4, 5)])
def test_every_swap_betrays_positions(swap):
    order = np.arange(6)
    order[list(swap)] = order[list(swap[::-1])]
    X = YOUR_JOURNEY.vectors
    difference = attention_with_positions(X[order]) - attention_with_positions(X)[order]
    assert np.abs(difference).max() > 0.01


@pytest.mark.parametrize("function", [torch_softmax, shares])
def test_specimens_sum_to_one(function):
    x = np.random.default_rng(0).uniform(1, 2, size=(4, 3))
    assert function(x).sum(axis=-1) == pytest.approx(np.ones(4))


def test_specimens_of_shift_invariance():
    x = np.random.default_rng(0).uniform(1, 2, size=(4, 3))
    assert np.allclose(torch_softmax(x + 5), torch_softmax(x))
    assert not np.allclose(shares(x + 5), shares(x), atol=0.01)


@pytest.mark.parametrize("function", [plain_attention, attention_with_positions, shares, softmax])
def test_inputs_are_not_written_to(function):
    x = np.random.default_rng(0).uniform(1, 2, size=(4, 3))
    before = x.copy()
    function(x)
    assert np.array_equal(x, before)
