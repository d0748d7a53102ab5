"""What the companion gives to lesson 03: the fluffy sentence, the worksheet, the two pictures."""

import numpy as np
import pytest
import torch

from companion import (
    FLUFFY_CREATURE,
    FOUR_FEATURES,
    designed_map,
    stage,
    template,
    what_nouns_look_at,
)
from companion.inputs.creature import FEATURES


def test_features_of_the_creature():
    vectors = FLUFFY_CREATURE.vectors
    assert vectors.shape == (8, len(FEATURES))
    assert vectors[:, :4].sum(axis=1).tolist() == [1] * 8
    assert vectors[FLUFFY_CREATURE.words.index("roamed"), 4:].sum() == 0


def test_zeros_share_evenly():
    np.testing.assert_allclose(designed_map(np.zeros((6, 2)), np.zeros((6, 2))), 1 / 8)


def test_map_is_scaled_and_takes_tensors():
    W = torch.randn(6, 4, requires_grad=True)
    X = torch.tensor(FLUFFY_CREATURE.vectors)
    Q, K = X @ W.detach().double(), X @ (2 * W).detach().double()
    np.testing.assert_allclose(designed_map(W, 2 * W), torch.softmax(Q @ K.T / 2, dim=-1))


@pytest.mark.parametrize(
    ("W_query", "W_key", "told"),
    [
        (np.zeros((3, 6)), np.zeros((3, 6)), "W_query has the shape"),
        (np.zeros((6, 2)), np.zeros(6), "W_key has the shape"),
        (np.zeros((6, 2)), np.zeros((6, 3)), "the same number of columns"),
    ],
)
def test_matrices_must_fit(W_query, W_key, told):
    with pytest.raises(ValueError, match=told):
        designed_map(W_query, W_key)


def test_nothing_returned_is_told():
    with pytest.raises(ValueError, match="two matrices"):
        what_nouns_look_at(lambda: None)


def test_words_say_where_nouns_look():
    found = what_nouns_look_at(lambda: (np.zeros((6, 1)), np.zeros((6, 1))))
    assert found["creature looks at"] == "all words"
    assert found["forest gives its own adjectives at least 0.8"] is False


def test_worksheet_shapes():
    assert [matrix.shape for matrix in FOUR_FEATURES] == [(6, 4), (3, 6), (3, 6), (3, 6)]


def test_stage_is_described(capsys):
    stage("Macbeth", "?", {"Banquo": ("key", "value")}, [1.0], alt="A stage.")
    assert capsys.readouterr().out == "A stage.\n"


@pytest.mark.parametrize("weights", [[0.5, 0.5], [-1.0], [float("nan")]])
def test_stage_refuses(weights):
    with pytest.raises(ValueError, match="weight"):
        stage("Macbeth", "?", {"Banquo": ("key", "value")}, weights, alt="A stage.")


def test_template_is_described(capsys):
    template([{"X": [[1, 2], [3, 4]], "Q": (2, 3)}], alt="A template.")
    assert capsys.readouterr().out == "A template.\n"


@pytest.mark.parametrize("lines", [[], [{}], [{"X": [1, 2]}]])
def test_template_refuses(lines):
    with pytest.raises(ValueError, match=r"nothing to show|axes"):
        template(lines, alt="A template.")
