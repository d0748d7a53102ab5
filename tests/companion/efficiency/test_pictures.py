"""The pictures of lesson 08, read off the artists of both themes."""

import numpy as np
import pytest
import torch
from matplotlib import style
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from companion import bucket_circle, lines, pair_maps, routes
from companion.drawing.theme import DARK, LIGHT


@pytest.fixture
def drawn(monkeypatch):
    """What the last picture has drawn, in a theme."""
    kept = []
    for module in (
        "efficiency.pair_maps",
        "efficiency.routes",
        "efficiency.directions",
        "pictures.lines",
    ):
        monkeypatch.setattr(f"companion.{module}.show", lambda draw, **_: kept.append(draw))

    def figure_in(theme):
        with style.context(["default", theme.settings()]):
            figure = Figure()
            kept[-1](figure)
            figure.canvas.draw()
        return figure

    return figure_in


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_hidden_pairs_are_grey(drawn, theme):
    pair_maps({"a": torch.eye(3).bool(), "b": torch.tensor([[1, 0], [2, 3]])}, alt="Two maps.")
    figure = drawn(theme)
    cells = [np.asarray(axes.collections[0].get_array()).reshape(-1, 3) for axes in figure.axes]
    grey, full = to_rgb(theme.faint), to_rgb(theme.cycle[0])
    np.testing.assert_allclose(cells[0], np.where(np.eye(3).reshape(-1, 1), full, grey), atol=1e-6)
    np.testing.assert_allclose(cells[1][[0, 1]], [full, grey], atol=1e-6)
    assert len({tuple(cell) for cell in cells[1]}) == 4
    assert not figure.axes[0].texts


def test_numbers_are_printed_where_wanted(drawn):
    pair_maps({"a": [[1, 0], [2, 1]]}, numbers=True, alt="A map.")
    (axes,) = drawn(LIGHT).axes
    assert [text.get_text() for text in axes.texts] == ["1", "2", "1"]


def test_maps_are_square(drawn):
    with pytest.raises(ValueError, match="no square"):
        pair_maps({"a": [[1, 0]]}, alt="A map.")
    with pytest.raises(ValueError, match="nothing"):
        pair_maps({}, alt="A map.")


def test_routes_draw_each_matrix_in_its_shape(drawn):
    routes({"plain": [("Q", "n", "d"), "→", ("*weights", "n", "n")]}, alt="A product.")
    (axes,) = drawn(DARK).axes
    tall, square = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert tall.get_height() > tall.get_width()
    assert square.get_height() == square.get_width() == tall.get_height()
    assert to_hex(square.get_facecolor()) == DARK.cycle[3]
    assert {"plain", "Q", "→", "weights", "n × d", "n × n"} == {
        text.get_text() for text in axes.texts
    }
    with pytest.raises(ValueError, match="Unknown sizes: z"):
        routes({"plain": [("Q", "n", "z")]}, alt="A product.")


def test_vectors_have_the_colour_of_their_bucket(drawn):
    bucket_circle([[1, 0], [0, 2]], [[1, 0], [0, 1]], [0, 1], alt="Two vectors.")
    (axes,) = drawn(LIGHT).axes
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [to_hex(dot.get_color()) for dot in dots] == list(LIGHT.cycle[:2])
    assert {f"bucket {i}" for i in range(4)} <= {text.get_text() for text in axes.texts}


def test_powers_are_straight_lines(drawn):
    lines(
        {"square": [1e4, 1e6, 1e8]},
        x=[100, 1000, 10000],
        x_label="tokens",
        y_label="pairs",
        logarithmic=True,
        alt="A line.",
    )
    (axes,) = drawn(LIGHT).axes
    heights = axes.transData.transform([(100, 1e4), (1000, 1e6), (10000, 1e8)])[:, 1]
    assert heights[1] - heights[0] == pytest.approx(heights[2] - heights[1])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["100", "1,000", "10,000"]


def test_places_that_double_are_equally_far_apart(drawn):
    lines(
        {"share": [0.8, 0.7, 0.4]},
        x=[4, 8, 16],
        x_label="pairs",
        y_label="share",
        logarithmic="x",
        from_zero=True,
        alt="A line.",
    )
    (axes,) = drawn(LIGHT).axes
    across, heights = axes.transData.transform([(4, 0), (8, 0.4), (16, 0.8)]).T
    assert np.diff(across) == pytest.approx(across[1] - across[0])
    assert np.diff(heights) == pytest.approx(heights[1] - heights[0])
    assert axes.get_ylim()[0] == 0
    assert [label.get_text() for label in axes.get_xticklabels()] == ["4", "8", "16"]
