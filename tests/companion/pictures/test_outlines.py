"""Outlines, read off the artists that are drawn."""

from typing import cast

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from companion.pictures.outlines import LETTER, outlines


def test_each_shape_lies_over_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    monkeypatch.setattr("companion.pictures.outlines.show", lambda draw, **_: drawn.append(draw))
    outlines({"before": LETTER, "after": 2 * LETTER}, target=LETTER + 1, alt="two letters")
    figure = Figure()
    drawn[0](figure)
    assert [axes.get_title() for axes in figure.axes] == ["before", "after"]
    for axes, factor in zip(figure.axes, (1, 2), strict=True):
        target, shape = (cast("Polygon", patch).get_xy()[:-1] for patch in axes.patches)
        np.testing.assert_allclose(target, LETTER + 1)
        np.testing.assert_allclose(shape, factor * LETTER)
        assert axes.get_xlim() == figure.axes[0].get_xlim()
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        assert right - left == pytest.approx(high - low)


def test_letter_has_no_symmetry() -> None:
    corners = {tuple(corner) for corner in LETTER.round(6)}
    for x, y in ((-1, 1), (1, -1), (-1, -1)):
        assert {(x * a, y * b) for a, b in corners} != corners


@pytest.mark.parametrize("shape", [np.ones((4, 3)), [[0.0, np.nan], [1, 1]]])
def test_corners_have_two_numbers(shape: object) -> None:
    with pytest.raises(ValueError, match="'broken'"):
        outlines({"broken": shape}, target=LETTER, alt="nothing")


def test_needs_a_shape_and_alt() -> None:
    with pytest.raises(ValueError, match="at least one"):
        outlines({}, target=LETTER, alt="nothing")
    with pytest.raises(ValueError, match="alt"):
        outlines({"one": LETTER}, target=LETTER, alt=" ")
