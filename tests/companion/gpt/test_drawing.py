"""The drawing of the whole model, read off the artists, and the links below it."""

from dataclasses import fields
from itertools import combinations
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from companion import Parts, parts_of_gpt

NAMES = [one.name for one in fields(Parts)]
LESSON = "07_grouped_query_attention"
ALT = "A GPT."


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    figures: list[Figure] = []

    class Recorded(Figure):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            figures.append(self)

    monkeypatch.setattr("companion.drawing.figure.Figure", Recorded)
    return figures


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    shown: list[tuple[str, str]] = []
    monkeypatch.setattr("companion.gpt.drawing.publish", lambda *one: shown.append(one))
    return shown


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts if text.get_text()]


def test_each_part_says_whose_it_is(drawn: list[Figure]) -> None:
    mine = {"RMSNorm", "KVCache", "next_token_loss"}
    parts_of_gpt([(name, LESSON, name in mine) for name in NAMES], alt=ALT)
    assert len(drawn) == 2
    for figure in drawn:
        seen = texts(figure)
        # Three of them are normalisations.
        assert {name: seen.count(name) for name in NAMES} == {
            name: 3 if name == "RMSNorm" else 1 for name in NAMES
        }
        assert seen.count("✓ yours · lesson 07") == 5
        assert seen.count("library’s · lesson 07") == len(NAMES) - 3
        (axes,) = figure.axes
        boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
        assert sum(box.get_linestyle() == "--" for box in boxes) == len(NAMES) - 3


@pytest.mark.long
@pytest.mark.parametrize("mine", [True, False])
def test_nothing_overlaps(drawn: list[Figure], *, mine: bool) -> None:
    parts_of_gpt([(name, LESSON, mine) for name in NAMES], alt=ALT)
    for figure in drawn:
        figure.draw_without_rendering()
        (axes,) = figure.axes
        words = [(one, one.get_window_extent()) for one in axes.texts if one.get_text()]
        for (one, a), (other, b) in combinations(words, 2):
            assert not a.overlaps(b), (one, other)
        boxes = [one for one in axes.patches if isinstance(one, FancyBboxPatch)]
        for first, second in combinations(boxes, 2):
            assert not first.get_window_extent().overlaps(second.get_window_extent())
        whole = axes.get_window_extent()
        for _, extent in words:
            assert whole.x0 <= extent.x0
            assert extent.x1 <= whole.x1
            assert whole.y0 <= extent.y0
            assert extent.y1 <= whole.y1
            # A text stands in its box, or outside of all.
            for box in boxes:
                around = box.get_window_extent()
                inside = around.x0 < extent.x0 and extent.x1 < around.x1
                assert inside or not around.overlaps(extent)


@pytest.mark.parametrize("mine", [True, False])
def test_inside_of_the_librarys_attention_is_not_claimed(
    drawn: list[Figure], *, mine: bool
) -> None:
    parts_of_gpt([("RotaryAttention", "10_your_gpt", mine)], alt=ALT)
    for figure in drawn:
        (inside,) = (text for text in texts(figure) if text.startswith("inside "))
        assert inside == "inside RotaryAttention" + ("" if mine else ", once it is yours")


def test_links_lead_to_what_is_missing(published: list[tuple[str, str]]) -> None:
    found = [
        ("split_heads", "05_multi & co", False),
        ("merge_heads", "05_multi & co", False),
        ("apply_rope", "06_positional_encoding", True),
        ("KVCache", "", False),
    ]
    parts_of_gpt(found, alt=ALT)
    ((page, alt),) = published
    links = page.rpartition("<img")[2].partition(">")[2]
    assert links.count("<a ") == 1
    assert '<a href="../05_multi%20%26%20co/05_multi%20%26%20co.ipynb">lesson 05</a>' in links
    assert "<code>split_heads</code>, <code>merge_heads</code>" in links
    assert "KVCache" not in links
    assert alt.startswith("A GPT. Yours: apply_rope. The library’s: RMSNorm, ")
    assert alt in page


def test_without_anything_missing_there_are_no_links(published: list[tuple[str, str]]) -> None:
    parts_of_gpt([(name, LESSON, True) for name in NAMES], alt=ALT)
    ((page, alt),) = published
    assert "<a " not in page
    assert alt.endswith("The library’s: none.")


def test_refuses_what_it_cannot_draw() -> None:
    with pytest.raises(ValueError, match="'LayerNorm' is not in the drawing"):
        parts_of_gpt([("LayerNorm", LESSON, True)], alt=ALT)
    with pytest.raises(ValueError, match="alt"):
        parts_of_gpt([], alt="")
