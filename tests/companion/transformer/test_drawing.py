"""The drawings of lesson 09, read off the artists, and what they refuse."""

from itertools import combinations
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from companion import block_wiring, load_reader, next_word_line, stations_of

POST = ["fork", "attention", "+", "norm"]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    figures: list[Figure] = []

    class Recorded(Figure):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            figures.append(self)

    monkeypatch.setattr("companion.drawing.figure.Figure", Recorded)
    return figures


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def overlapping(figure: Figure) -> list[tuple[str, str]]:
    figure.draw_without_rendering()
    boxes = [
        (text.get_text(), text.get_window_extent())
        for axes in figure.axes
        for text in axes.texts
        if text.get_text()
    ]
    return [(one, other) for (one, a), (other, b) in combinations(boxes, 2) if a.overlaps(b)]


def test_wiring_draws_each_layer_and_sum(drawn: list[Figure]) -> None:
    block_wiring({"plain": ["attention"], "post": POST}, alt="Two blocks.")
    for figure in drawn:
        (axes,) = figure.axes
        named = ["x", "attention", "plain", "x", "attention", "+", "norm", "post"]
        assert sorted(texts(figure)) == sorted(named)
        assert sum(isinstance(patch, FancyBboxPatch) for patch in axes.patches) == 3
        # To each layer and sum, from the last one, and back from the way around.
        assert sum(isinstance(patch, FancyArrowPatch) for patch in axes.patches) == 2 + 4 + 1
        assert not overlapping(figure)


def test_memory_leads_to_its_layer(drawn: list[Figure]) -> None:
    panels = {"one": POST, "two": ["fork", "cross-attention", "+", "norm"]}
    block_wiring(panels, memory="cross-attention", inputs=["read", "written"], alt="Two blocks.")
    for figure in drawn:
        assert {"memory", "read", "written"} <= set(texts(figure))
        assert not overlapping(figure)


def test_wiring_refuses_what_makes_no_block() -> None:
    with pytest.raises(ValueError, match="at least one panel"):
        block_wiring({}, alt="Nothing.")
    with pytest.raises(ValueError, match='needs a "\\+"'):
        block_wiring({"half": ["fork", "attention"]}, alt="Half.")
    with pytest.raises(ValueError, match="alt"):
        block_wiring({"one": POST}, alt="")


def test_line_of_stations(drawn: list[Figure]) -> None:
    next_word_line({"text": [("a b", "")], "ids": [("a", "1"), ("b", "2")]}, alt="A line.")
    for figure in drawn:
        assert set(texts(figure)) == {"text", "ids", "a b", "a", "b", "1", "2", ""}
        assert not overlapping(figure)
    with pytest.raises(ValueError, match="at least one step"):
        next_word_line({}, alt="Nothing.")


def test_stations_are_those_of_the_reader() -> None:
    reader = load_reader()
    stations = stations_of(reader, "The function returns")
    assert [name.split("  ")[0] for name in stations] == [str(n) for n in range(1, 11)]
    assert stations["10  next token"][0][0] == f"“{reader.read('The function returns').guess}”"
    ids = [below for _, below in stations["2  tokens and their ids"] if below]
    assert ids == [str(number) for number in reader.pieces.encode("The function returns")][-6:]
    shares = [float(below.rstrip("%")) for _, below in stations["9  probabilities"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= 100
