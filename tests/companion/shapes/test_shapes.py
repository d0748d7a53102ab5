"""The pictures of heads and of two sequences, read off the artists that are drawn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib import style
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from companion.drawing.theme import DARK, LIGHT, Theme
from companion.shapes.cross import two_sequences
from companion.shapes.heads_line import heads_line
from companion.shapes.split import two_splits

Drawn = Callable[[str, Theme], Figure]
WEIGHTS = np.array([[0.7, 0.3, 0.0], [0.2, 0.8, 0.0]])


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """The figure that the last call to one of these modules has drawn."""
    kept: dict[str, Any] = {}
    for module in ("split", "heads_line", "cross"):
        monkeypatch.setattr(
            f"companion.shapes.{module}.show",
            lambda draw, *, module=module, **_: kept.update({module: draw}),
        )

    def figure_of(module: str, theme: Theme) -> Figure:
        with style.context(["default", theme.settings()]):
            figure = Figure()
            kept[module](figure)
        return figure

    return figure_of


def cells(figure: Figure) -> list[Rectangle]:
    return [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts if text.get_text()]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_only_the_right_split_keeps_heads_apart(drawn: Drawn, theme: Theme) -> None:
    two_splits(3, 2, 2, alt="Two ways.")
    figure = drawn("split", theme)
    colours = [to_hex(cell.get_facecolor()) for cell in cells(figure)]
    blocks = [colours[:12], *np.reshape(colours[12:], (4, 6)).tolist()]
    assert [len(set(block)) for block in blocks] == [2, 2, 2, 1, 1]
    assert set(blocks[3]) != set(blocks[4])
    numbers = [text for text in texts(figure) if text.isdecimal()]
    assert numbers[12:24] == [str(n) for n in range(1, 13)]
    assert numbers[24:] == ["1", "2", "5", "6", "9", "10", "3", "4", "7", "8", "11", "12"]


def test_both_lines_of_code_are_shown(drawn: Drawn) -> None:
    two_splits(5, 2, 3, alt="Two ways.")
    shown = texts(drawn("split", LIGHT))
    assert "view(1, 2, 5, 3)" in shown
    assert "view(1, 5, 2, 3)\n.transpose(1, 2)" in shown


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_future_is_grey_in_the_line(drawn: Drawn, theme: Theme) -> None:
    heads_line(3, 2, 2, alt="All steps.")
    figure = drawn("heads_line", theme)
    grey = [cell for cell in cells(figure) if to_hex(cell.get_facecolor()) == theme.faint]
    assert len(grey) == 2 * 3
    assert texts(figure)[-7:] == [
        "(3, 4)", "(3, 4)", "(2, 3, 2)", "(2, 3, 3)", "(2, 3, 2)", "(3, 4)", "(3, 4)",
    ]  # fmt: skip


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_padding_is_grey_and_has_no_number(drawn: Drawn, theme: Theme) -> None:
    two_sequences(
        WEIGHTS,
        queries=["a", "b"],
        keys=["x", "y", "pad"],
        padding=[False, False, True],
        alt="Two by three.",
    )
    figure = drawn("cross", theme)
    grey = [cell for cell in cells(figure) if to_hex(cell.get_facecolor()) == theme.faint]
    # Its features, three cells high, and its column.
    assert len(grey) == 3 + 2
    assert {"0.70", "0.30", "0.20", "0.80", "weights (2, 3)"} <= set(texts(figure))
    assert "0.00" not in texts(figure)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        two_sequences(WEIGHTS, queries=["a"], keys=["x", "y", "z"], alt="No.")
    with pytest.raises(ValueError, match="padding has 1"):
        two_sequences(WEIGHTS, queries=["a", "b"], keys=["x", "y", "z"], padding=[True], alt="No.")
    with pytest.raises(ValueError, match="negative"):
        two_sequences(-WEIGHTS, queries=["a", "b"], keys=["x", "y", "z"], alt="No.")
    for picture in (two_splits, heads_line):
        with pytest.raises(ValueError, match="at least 1"):
            picture(3, 0, 2, alt="No.")
        with pytest.raises(ValueError, match="alt"):
            picture(3, 2, 2, alt=" ")
