"""The flow of self-attention, the entry of a matrix product and the map of words, as drawn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib import style
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from companion.drawing.theme import DARK, LIGHT, Theme
from companion.pictures.vectors import word_map
from companion.shapes.flow import attention_flow
from companion.shapes.product import row_times_column

Drawn = Callable[[Theme], Figure]
A, B = np.array([[1, 2, 0], [3, -1, 2]]), np.array([[0, 2, 1, 4], [-1, 1, 3, 0], [5, 0, 2, 1]])
WORDS = {"mole": (0.1, 0.1), "digs": (0.9, 0.6), "tunnel": (1.0, 0.3)}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """The figure that the last call has drawn."""
    kept: dict[str, Any] = {}
    for module in ("shapes.flow", "shapes.product", "pictures.vectors"):
        monkeypatch.setattr(f"companion.{module}.show", lambda draw, **_: kept.update(draw=draw))

    def figure_in(theme: Theme) -> Figure:
        with style.context(["default", theme.settings()]):
            figure = Figure()
            kept["draw"](figure)
        return figure

    return figure_in


def colours(figure: Figure) -> list[str]:
    patches = figure.axes[0].patches
    return [to_hex(patch.get_facecolor()) for patch in patches if isinstance(patch, Rectangle)]


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts if text.get_text()]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_one_row_is_dark_at_every_station_of_a_query(drawn: Drawn, theme: Theme) -> None:
    attention_flow(["a", "b", "c"], 4, 2, 5, row=1, alt="The flow.")
    cells, at = colours(drawn(theme)), 0
    for columns, dark in ((4, 1), (2, 1), (2, 3), (5, 3), (3, 1), (3, 1), (5, 1)):
        rows = np.reshape(cells[at : at + 3 * columns], (3, columns)).tolist()
        at += 3 * columns
        assert all(len(set(row)) == 1 for row in rows)
        assert (rows[0] == rows[1] == rows[2]) is (dark == 3)
        assert rows[0] == rows[2]
    assert at == len(cells)


def test_every_station_says_its_shape(drawn: Drawn) -> None:
    attention_flow(["a", "b", "c"], 4, 2, 5, row=1, alt="The flow.")
    shown = texts(drawn(LIGHT))
    assert [shown.count(shape) for shape in ("(3, 4)", "(3, 2)", "(3, 5)", "(3, 3)")] == [
        1,
        2,
        2,
        2,
    ]
    assert shown.count("(tokens, d_v)") == 2


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_row_and_column_lead_to_their_entry(drawn: Drawn, theme: Theme) -> None:
    row_times_column(A, B, row=1, column=2, alt="A product.")
    figure = drawn(theme)
    plain, *_ = cells = colours(figure)
    picked = [i for i, colour in enumerate(cells) if colour != plain]
    assert picked == [3, 4, 5, 6 + 2, 6 + 6, 6 + 10, 18 + 6]
    shown = texts(figure)
    assert "entry (1, 2) = 3 · 1 + (−1) · 3 + 2 · 2 = 4" in shown
    assert shown[18:26] == [str(n).replace("-", "−") for n in (A @ B).flat]


def test_each_group_has_its_area_and_its_colour(drawn: Drawn) -> None:
    word_map(WORDS, groups={"garden": ["digs", "tunnel"]}, alt="A map.")
    axes = drawn(LIGHT).axes[0]
    dots = axes.lines[-3:]
    points = {tuple(np.asarray(dot.get_xydata())[0]): dot.get_color() for dot in dots}
    assert points[WORDS["mole"]] != points[WORDS["digs"]] == points[WORDS["tunnel"]]
    assert {"garden", *WORDS} <= {text.get_text() for text in axes.texts}


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: attention_flow([], 1, 1, 1, row=0, alt="x"), "no cell"),
        (lambda: attention_flow(["a"], 1, 0, 1, row=0, alt="x"), "no cell"),
        (lambda: row_times_column(A, A, row=0, column=0, alt="x"), "can be multiplied"),
        (lambda: row_times_column([1, 2], B, row=0, column=0, alt="x"), "no matrix"),
        (lambda: word_map(WORDS, groups={"garden": ["owl"]}, alt="x"), "not there"),
        (lambda: word_map({}, groups={}, alt="x"), "no vector"),
    ],
)
def test_what_can_not_be_drawn_is_refused(call: Callable[[], None], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        call()


@pytest.mark.parametrize("place", [(2, 0), (0, 4), (-1, 0)])
def test_entry_must_be_there(place: tuple[int, int]) -> None:
    with pytest.raises(IndexError):
        row_times_column(A, B, row=place[0], column=place[1], alt="x")
    with pytest.raises(IndexError):
        attention_flow(["a"], 1, 1, 1, row=1, alt="x")
