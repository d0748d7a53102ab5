"""How a decoder gets at what was read, and the order of its steps, read off the artists."""

from itertools import combinations
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from companion.pictures.translating import decoder_orders, encoder_decoder

READ, WRITTEN = ("heute", "liest", "er"), ("he", "reads")
WEIGHTS = [[0.2, 0.01, 0.79], [0.0, 1.0, 0.0]]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    figures: list[Figure] = []

    class Recorded(Figure):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            figures.append(self)

    monkeypatch.setattr("companion.drawing.figure.Figure", Recorded)
    return figures


def overlapping(figure: Figure) -> list[tuple[str, str]]:
    figure.draw_without_rendering()
    texts = [text for axes in figure.axes for text in axes.texts]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    return [(one, other) for (one, a), (other, b) in combinations(boxes, 2) if a.overlaps(b)]


def test_each_step_has_its_weights(drawn: list[Figure]) -> None:
    encoder_decoder(READ, WRITTEN, WEIGHTS, alt="Two translators.")
    for figure in drawn:
        without, attending = figure.axes
        assert [axes.get_title() for axes in figure.axes] == ["without attention", "with attention"]
        assert [line.get_linewidth() for line in without.lines] == []
        widths = [line.get_linewidth() for line in attending.lines]
        assert widths == pytest.approx([7 * 0.2, 7 * 0.79, 7 * 1.0])
        written = {text.get_text() for text in without.texts}
        assert written >= {*READ, *WRITTEN, "one vector"}
        assert {"$c_{1}$", "$c_{2}$"} <= {text.get_text() for text in attending.texts}
        assert overlapping(figure) == []


def test_one_vector_leads_to_every_step(drawn: list[Figure]) -> None:
    encoder_decoder(READ, WRITTEN, WEIGHTS, alt="Two translators.")
    arrows = [patch for patch in drawn[0].axes[0].patches if isinstance(patch, FancyArrowPatch)]
    # Two between three words that are read, one between two written, one to the vector, two on.
    assert len(arrows) == 2 + 1 + 1 + 2


def test_weights_must_fit_the_words() -> None:
    with pytest.raises(ValueError, match="2 rows of 3 weights"):
        encoder_decoder(READ, WRITTEN, [[1.0, 0.0]], alt="Two translators.")


def test_orders_are_drawn(drawn: list[Figure]) -> None:
    decoder_orders(alt="Two orders.")
    for figure in drawn:
        (axes,) = figure.axes
        steps = [t.get_text() for t in axes.texts if t.get_text()[0].isdigit()]
        assert steps == ["1 attend", "2 cell", "1 cell", "2 attend", "3 combine"]
        assert overlapping(figure) == []
        figure.draw_without_rendering()
        frames = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
        for text in axes.texts[1:]:
            middle = text.get_position()
            inside = [
                f
                for f in frames
                if f.get_window_extent().contains(*axes.transData.transform(middle))
            ]
            for frame in inside:
                assert frame.get_window_extent().width > text.get_window_extent().width
