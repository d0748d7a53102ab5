"""Clocks, read off the artists that are drawn."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from companion.pictures.clocks import clocks


def test_hands_point_where_they_should(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    monkeypatch.setattr("companion.pictures.clocks.show", lambda draw, **_: drawn.append(draw))
    angles = np.array([[0.0, np.pi / 2], [np.pi, -np.pi / 4]])
    clocks(angles, rows=["one", "two"], columns=["fast", "slow"], alt="four clocks")
    figure = Figure()
    drawn[0](figure)
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == ["one", "two", "fast", "slow"]
    paths = [np.asarray(line.get_xydata()) for line in axes.lines]
    hands = [path for path in paths if len(path) == 2]
    # The axes run downwards, as rows do.
    found = [np.arctan2(-(tip[1] - foot[1]), tip[0] - foot[0]) for foot, tip in hands]
    np.testing.assert_allclose(np.cos(found), np.cos(angles.ravel()), atol=1e-9)
    np.testing.assert_allclose(np.sin(found), np.sin(angles.ravel()), atol=1e-9)


def test_names_have_to_fit() -> None:
    with pytest.raises(ValueError, match="one angle for each clock"):
        clocks([[0.0, 1.0]], rows=["one"], columns=["fast"], alt="a clock")


def test_alt_is_needed() -> None:
    with pytest.raises(ValueError, match="alt"):
        clocks([[0.0]], rows=["one"], columns=["fast"], alt=" ")
