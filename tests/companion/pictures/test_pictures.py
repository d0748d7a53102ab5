"""What the pictures show, read off the artists of both themes."""

import itertools

import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text

from companion import (
    HELLO_SHINY_SUN,
    YOUR_JOURNEY,
    arcs,
    arrows,
    bars,
    heatmap,
    heatmaps,
    lines,
    mixture,
    softmax,
)
from companion.drawing.labels import spread, text_width
from companion.drawing.theme import DARK, LIGHT, luminance
from companion.numbers import number_text

JOURNEY = YOUR_JOURNEY.words
X = YOUR_JOURNEY.vectors
WEIGHTS = softmax(X @ X.T)
EIGHT = ["a", "fluffy", "blue", "creature", "roamed", "the", "verdant", "forest"]


@pytest.fixture
def drawn(monkeypatch):
    """The figures that were drawn, but not written: the light one, then the dark one."""
    figures = []

    class Recorded(Figure):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            figures.append(self)

        def savefig(self, *args, **kwargs):
            # Writing SVG takes most of the time, and has tests of its own.
            pass

    monkeypatch.setattr("companion.drawing.figure.Figure", Recorded)
    return figures


def texts_of(axes):
    return [text.get_text() for text in axes.texts]


def every_text(figure):
    return [text for text in figure.findobj(Text) if text.get_text()]


def overlapping(figure):
    figure.draw_without_rendering()
    boxes = [
        # The box of the text alone: an annotation's own would hold its arrow too.
        (text.get_text(), Text.get_window_extent(text).shrunk(0.98, 0.8))
        for text in every_text(figure)
        # The box of slanted text is larger than the text.
        if text.get_visible() and text.get_rotation() in (0, 90)
    ]
    pairs = itertools.combinations(boxes, 2)
    return [(one, other) for (one, a), (other, b) in pairs if a.overlaps(b)]


def contrast(one, other):
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def cells_of(axes):
    return np.asarray(axes.collections[0].get_facecolor())


def test_heatmap_prints_every_number(drawn):
    heatmap(WEIGHTS, rows=JOURNEY, title="Weights", alt="A heat map.")
    assert len(drawn) == 2
    for figure in drawn:
        (axes,) = figure.axes
        assert texts_of(axes) == [f"{weight:.2f}" for weight in WEIGHTS.flat]
        assert [text.get_text() for text in axes.get_xticklabels()] == list(JOURNEY)
        assert [text.get_text() for text in axes.get_yticklabels()] == list(JOURNEY)
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("keys", "queries")
        assert axes.get_title() == "Weights"


def test_queries_are_rows_from_the_top(drawn):
    heatmap([[1, 2, 3], [4, 5, 6]], rows=["q1", "q2"], columns=list("abc"), alt="Six cells.")
    axes = drawn[0].axes[0]
    places = {text.get_text(): axes.transData.transform(text.get_position()) for text in axes.texts}
    assert places["1.00"][1] > places["4.00"][1]
    assert places["1.00"][0] < places["2.00"][0] < places["3.00"][0]


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_are_readable_in_their_cells(drawn, sign):
    ramp = np.linspace(sign, 1, 49).reshape(7, 7) * np.linspace(0, 1, 49).reshape(7, 7)
    heatmap(ramp, rows=list("abcdefg"), alt="A ramp.")
    for figure in drawn:
        (axes,) = figure.axes
        for text, cell in zip(axes.texts, cells_of(axes), strict=True):
            assert contrast(text.get_color(), cell) >= 4.5


def test_weights_grow_lighter_from_zero(drawn):
    heatmap([[0.1, 0.2, 0.7]], rows=["q"], columns=list("abc"), alt="One row.")
    cells = drawn[0].axes[0].collections[0]
    assert cells.get_clim() == (0, 0.7)
    lightness = [contrast(cell, "black") for cell in cells_of(drawn[0].axes[0])]
    assert lightness == sorted(lightness)


def test_signed_scores_are_centred(drawn):
    heatmap([[-1.0, 0.0, 3.0]], rows=["q"], columns=list("abc"), alt="One row.")
    negative, zero, positive = cells_of(drawn[0].axes[0])
    assert drawn[0].axes[0].collections[0].get_clim() == (-3, 3)
    assert min(zero[:3]) > 0.95
    assert negative[2] > negative[0]
    assert positive[0] > positive[2]
    assert texts_of(drawn[0].axes[0]) == ["−1.00", "0.00", "3.00"]


def test_masked_cells_are_grey(drawn):
    heatmap([[1.0, -np.inf], [np.nan, 2.0]], rows=["a", "b"], alt="A mask.")
    for figure, theme in zip(drawn, (LIGHT, DARK), strict=True):
        cells = cells_of(figure.axes[0])
        assert texts_of(figure.axes[0]) == ["1.00", "−inf", "nan", "2.00"]
        assert tuple(cells[1]) == tuple(cells[2]) == to_rgba(theme.faint)
        assert contrast(figure.axes[0].texts[1].get_color(), cells[1]) >= 4.5


def test_hidden_cells_are_grey_and_said_to_be(drawn):
    hidden = torch.ones(2, 2, dtype=torch.bool).triu(1)
    heatmap([[1.0, 0.0], [0.0, 1.0]], rows=["a", "b"], hidden=hidden, alt="A mask.")
    for figure, theme in zip(drawn, (LIGHT, DARK), strict=True):
        cells = cells_of(figure.axes[0])
        assert tuple(cells[1]) == to_rgba(theme.faint) != tuple(cells[2])
        assert texts_of(figure.axes[0]) == ["1.00", "0.00", "0.00", "1.00"]
        assert contrast(figure.axes[0].texts[1].get_color(), cells[1]) >= 4.5
        (entry,) = figure.axes[0].get_legend().get_texts()
        assert entry.get_text() == "hidden"
        assert not overlapping(figure)


def test_hidden_numbers_have_no_part_in_the_colours(drawn):
    heatmap([[1.0, 9.0]], rows=["a"], columns=["b", "c"], hidden=[[False, True]], alt="A mask.")
    assert drawn[0].axes[0].collections[0].get_clim() == (0, 1)


def test_each_map_may_have_its_own_mask(drawn):
    maps = {"all": WEIGHTS[:2, :2], "some": WEIGHTS[:2, :2]}
    masks = {"some": np.array([[False, True], [False, False]])}
    heatmaps(maps, rows=["a", "b"], hidden=masks, alt="Two maps, one mask.")
    whole, masked = drawn[0].axes
    assert to_rgba(LIGHT.faint) not in [tuple(cell) for cell in cells_of(whole)]
    assert tuple(cells_of(masked)[1]) == to_rgba(LIGHT.faint)
    assert whole.get_legend() is not None
    assert masked.get_legend() is None


def test_nothing_is_explained_where_nothing_is_hidden(drawn):
    heatmap([[1.0]], rows=["a"], hidden=[[False]], alt="One cell.")
    assert drawn[0].axes[0].get_legend() is None


@pytest.mark.parametrize(
    ("hidden", "message"),
    [
        ([[0, 1]], "True and False"),
        ([[True]], r"The mask has shape \(1, 1\), but should have \(1, 2\)"),
        ({"elsewhere": [[True, False]]}, "A mask belongs to no matrix"),
    ],
)
def test_wrong_masks_are_refused(hidden, message):
    with pytest.raises(ValueError, match=message):
        heatmaps({"here": [[1, 2]]}, rows=["a"], columns=["b", "c"], hidden=hidden, alt="No.")


def test_hidden_words_are_grey(drawn):
    hidden = [False, False, True]
    arcs(list("abc"), [0.4, 0.6, 0.0], focus=1, hidden=hidden, alt="Arcs to two of three.")
    for figure, theme in zip(drawn, (LIGHT, DARK), strict=True):
        colours = {text.get_text(): text.get_color() for text in figure.axes[0].texts}
        assert colours["c"] == colours["0.00"] == theme.muted
        assert colours["a"] == colours["0.40"] == theme.ink


def test_nothing_finite_can_be_drawn(drawn):
    heatmap(np.full((2, 2), np.nan), rows=["a", "b"], alt="All is lost.")
    assert texts_of(drawn[0].axes[0]) == ["nan"] * 4


def test_row_is_framed(drawn):
    heatmap(WEIGHTS, rows=JOURNEY, highlight_row=2, alt="One row is framed.")
    (axes,) = drawn[0].axes
    (frame,) = axes.patches
    assert frame.get_bbox().bounds == (0, 2, 6, 1)
    assert axes.get_yticklabels()[2].get_fontweight() == "bold"
    assert axes.get_yticklabels()[1].get_fontweight() != "bold"


def test_tensors_are_taken(drawn):
    weights = torch.full((2, 2), 0.5, dtype=torch.bfloat16, requires_grad=True)
    heatmap(weights, rows=["a", "b"], decimals=1, alt="Four halves.")
    assert texts_of(drawn[0].axes[0]) == ["0.5"] * 4


def test_numbers_can_be_left_out(drawn):
    heatmap(WEIGHTS, rows=JOURNEY, decimals=None, alt="Colours only.")
    assert texts_of(drawn[0].axes[0]) == []


def test_heatmaps_share_one_scale(drawn):
    heatmaps({"small": [[0.1]], "large": [[0.9]]}, rows=["q"], columns=["k"], alt="Two cells.")
    small, large = drawn[0].axes
    assert small.collections[0].get_clim() == large.collections[0].get_clim() == (0, 0.9)
    assert (small.get_title(), large.get_title()) == ("small", "large")
    assert small.get_position().x1 < large.get_position().x0
    assert (small.get_ylabel(), large.get_ylabel()) == ("queries", "")


def test_heatmaps_with_own_scales(drawn):
    maps = {"scores": [[-2.0]], "weights": [[0.9]]}
    heatmaps(maps, rows=["q"], columns=["k"], same_scale=False, alt="Two cells.")
    limits = [axes.collections[0].get_clim() for axes in drawn[0].axes]
    assert limits == [(-2, 2), (0, 0.9)]


def test_many_heatmaps_take_several_lines(drawn):
    heads = {f"Head {i}": np.eye(8) for i in range(4)}
    heatmaps(heads, rows=EIGHT, alt="Four heads.")
    assert overlapping(drawn[0]) == []
    assert drawn[0].get_figwidth() < 9
    places = [axes.get_position() for axes in drawn[0].axes]
    assert places[0].y0 == places[1].y0 > places[2].y1
    assert places[0].x0 == places[2].x0


@pytest.mark.parametrize(
    ("weights", "labels", "message"),
    [
        (
            WEIGHTS,
            {"rows": EIGHT},
            r"The matrix has shape \(6, 6\), but should have shape \(8, 8\)",
        ),
        (WEIGHTS[0], {"rows": JOURNEY}, r"The matrix has shape \(6,\), .* 6 rows and 6 columns"),
        (WEIGHTS[:1], {"rows": ["q"], "columns": ["k"]}, r"\(1, 6\), .* 1 row and 1 column\."),
        (WEIGHTS, {"rows": []}, "There is nothing to show"),
    ],
)
def test_wrong_labels_are_named(weights, labels, message):
    with pytest.raises(ValueError, match=message):
        heatmap(weights, **labels, alt="Nothing.")


def test_wrong_matrix_is_named():
    with pytest.raises(ValueError, match=r"^The matrix 'second' has shape \(2, 2\)"):
        heatmaps({"first": [[1]], "second": np.eye(2)}, rows=["q"], alt="Nothing.")


@pytest.mark.parametrize("row", [-1, 6])
def test_missing_row_is_refused(row):
    with pytest.raises(IndexError, match=f"highlight_row={row} is not a word: .* 0 to 5"):
        heatmap(WEIGHTS, rows=JOURNEY, highlight_row=row, alt="Nothing.")


@pytest.mark.parametrize("focus", [0, 3, 7])
def test_arcs_reach_every_word(drawn, focus):
    weights = softmax(np.arange(8.0))
    arcs(EIGHT, weights, focus=focus, alt="Eight arcs.")
    (axes,) = drawn[0].axes
    words = {text.get_text(): text for text in axes.texts}
    assert [words[word].get_position()[0] for word in EIGHT] == sorted(
        words[word].get_position()[0] for word in EIGHT
    )
    for i, arc in enumerate(axes.patches):
        vertices = arc.get_path().vertices
        word = words[EIGHT[i]].get_position()[0]
        assert vertices[-1, 0] == pytest.approx(word, abs=10 if i == focus else 1e-9)
    assert [words[word].get_fontweight() == "bold" for word in EIGHT].index(True) == focus


def test_arcs_stay_in_the_frame(drawn):
    arcs(EIGHT, np.full(8, 1 / 8), focus=7, alt="Eight arcs.")
    (axes,) = drawn[0].axes
    frame = axes.get_window_extent()
    for arc in axes.patches:
        box = arc.get_window_extent()
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1
    assert overlapping(drawn[0]) == []


def test_arcs_are_as_wide_as_weights(drawn):
    arcs(["a", "b", "c"], [0.6, 0.3, 0.1], focus=1, alt="Three arcs.")
    arcs_drawn = drawn[0].axes[0].patches
    widths = [arc.get_linewidth() for arc in arcs_drawn]
    assert widths == pytest.approx([6 * widths[2], 3 * widths[2], widths[2]])
    assert arcs_drawn[0].get_alpha() == 1 > arcs_drawn[1].get_alpha() > arcs_drawn[2].get_alpha()
    assert texts_of(drawn[0].axes[0])[1::2] == ["0.60", "0.30", "0.10"]


def test_self_arc_is_a_small_loop(drawn):
    arcs(HELLO_SHINY_SUN.words, [0.2, 0.5, 0.3], focus=1, alt="Three arcs.")
    before, loop, after = (arc.get_window_extent() for arc in drawn[0].axes[0].patches)
    assert loop.width < min(before.width, after.width)
    assert before.x1 < loop.x0 < loop.x1 < after.x0


def test_zero_weight_has_no_arc(drawn):
    arcs(["a", "b", "c"], [0.0, 1.0, 0.0], focus=1, alt="One loop.")
    assert len(drawn[0].axes[0].patches) == 1


@pytest.mark.parametrize(
    ("weights", "focus", "error", "message"),
    [
        ([0.5, 0.5], 0, ValueError, r"weights has shape \(2,\).* one number for 3 words"),
        ([0.5, 0.7, -0.2], 0, ValueError, "A weight is negative or not a number"),
        ([0.5, np.nan, 0.2], 0, ValueError, "A weight is negative or not a number"),
        ([0.5, 0.3, 0.2], 3, IndexError, "focus=3 is not a word: pass a number from 0 to 2"),
    ],
)
def test_wrong_arcs_are_refused(weights, focus, error, message):
    with pytest.raises(error, match=message):
        arcs(["a", "b", "c"], weights, focus=focus, alt="Nothing.")


def test_arrows_keep_one_scale(drawn):
    arrows({"a": [3, 1], "b": [1, 2]}, alt="Two arrows.")
    (axes,) = drawn[0].axes
    across, up = np.diff(axes.transData.transform([[0, 0], [1, 1]]), axis=0)[0]
    assert across == pytest.approx(up)
    assert {(3.0, 1.0), (1.0, 2.0)} <= {text.xy for text in axes.texts if not text.get_text()}
    assert [text for text in texts_of(axes) if text] == ["a", "b"]


def test_angles_are_degrees_from_the_first(drawn):
    arrows({"q": [1, 0], "a": [2, 2], "b": [-3, 0], "c": [0, -1]}, angles=True, alt="Angles.")
    assert [text for text in texts_of(drawn[0].axes[0]) if "°" in text] == ["45°", "180°", "90°"]


def test_angles_across_the_cut(drawn):
    arrows({"a": [-1, 0.1], "b": [-1, -0.1]}, angles=True, alt="A small angle.")
    assert "11°" in texts_of(drawn[0].axes[0])


def test_arrow_labels_keep_apart(drawn):
    vectors = dict(zip(JOURNEY, X[:, :2], strict=True))
    arrows(vectors, angles=True, alt="Six arrows.")
    assert overlapping(drawn[0]) == []


@pytest.mark.parametrize(
    ("vectors", "angles", "message"),
    [
        ({}, False, "There is no vector to show"),
        ({"a": [1, 2, 3]}, False, r"The vector 'a' has shape \(3,\), but should have two numbers"),
        ({"a": [1, np.inf]}, False, "not finite"),
        ({"a": [1, 0], "b": [0, 0]}, True, "A vector of length zero has no direction"),
    ],
)
def test_wrong_vectors_are_refused(vectors, angles, message):
    with pytest.raises(ValueError, match=message):
        arrows(vectors, angles=angles, alt="Nothing.")


def test_mixture_marks_the_weighted_sum(drawn):
    mixture([[0, 0], [4, 0], [0, 2]], [0.25, 0.25, 0.5], names=list("abc"), alt="A triangle.")
    (axes,) = drawn[0].axes
    *ties, points, result = axes.lines[-5:]
    assert np.concatenate(result.get_data()) == pytest.approx([1, 1])
    assert np.transpose(points.get_data()).tolist() == [[0, 0], [4, 0], [0, 2]]
    widths = [tie.get_linewidth() for tie in ties]
    assert widths == pytest.approx([widths[0], widths[0], 2 * widths[0]])
    assert texts_of(axes) == ["a 0.25", "b 0.25", "c 0.50", "weighted sum"]


def test_hull_leaves_inner_points_out(drawn):
    square = [[0, 0], [2, 0], [2, 2], [0, 2]]
    mixture([*square, [1, 1], [1, 0]], np.full(6, 1 / 6), names=list("abcdef"), alt="A square.")
    corners = drawn[0].axes[0].patches[0].get_xy()
    assert {tuple(corner) for corner in corners} == {tuple(map(float, c)) for c in square}


@pytest.mark.parametrize("points", [[[1, 1]], [[0, 0], [4, 1]], [[0, 0], [1, 1], [2, 2]]])
def test_flat_mixtures_can_be_drawn(drawn, points):
    count = len(points)
    mixture(points, np.full(count, 1 / count), names=list("abc")[:count], alt="A line.")
    assert len(drawn) == 2


def test_mixture_labels_keep_apart(drawn):
    mixture(X[:, :2], WEIGHTS[1], names=JOURNEY, alt="Six points.")
    assert overlapping(drawn[0]) == []


@pytest.mark.parametrize(
    ("values", "weights", "message"),
    [
        ([[0, 0, 0], [1, 1, 1]], [0.5, 0.5], r"values has shape \(2, 3\).* shape \(2, 2\)"),
        ([[0, 0], [1, 1]], [0.5, 0.3, 0.2], r"weights has shape \(3,\).* 2 names"),
        ([[0, 0], [1, 1]], [0.5, 0.6], r"The weights sum to 1\.10 or one is negative"),
        ([[0, 0], [1, 1]], [1.5, -0.5], "or one is negative"),
        ([[0, 0], [1, np.nan]], [0.5, 0.5], "not finite"),
    ],
)
def test_wrong_mixtures_are_refused(values, weights, message):
    with pytest.raises(ValueError, match=message):
        mixture(values, weights, names=["a", "b"], alt="Nothing.")


def test_bars_print_their_numbers(drawn):
    bars({"x": [1, 2], "exp(x)": np.exp([1, 2])}, labels=["one", "two"], alt="Four bars.")
    first, second = drawn[0].axes
    assert texts_of(first) == ["1.00", "2.00"]
    assert texts_of(second) == ["2.72", "7.39"]
    assert [bar.get_width() for bar in second.patches] == pytest.approx(np.exp([1, 2]))
    assert [text.get_text() for text in first.get_yticklabels()] == ["one", "two"]
    assert (first.get_title(loc="left"), second.get_title(loc="left")) == ("x", "exp(x)")
    assert overlapping(drawn[0]) == []


def drawn_lengths(figure):
    return [axes.patches[0].get_window_extent().width for axes in figure.axes]


@pytest.mark.parametrize(("same_scale", "ratio"), [(True, 10), (False, 1)])
def test_scales_of_bars(drawn, same_scale, ratio):
    charts = {"small": [1, -1], "large": [10, -10]}
    bars(charts, labels=["a", "b"], same_scale=same_scale, alt="Four bars.")
    small, large = drawn_lengths(drawn[0])
    assert large == pytest.approx(ratio * small, rel=1e-6)


def test_bars_and_numbers_stay_inside(drawn):
    bars({"Scores": [-2.5, 0.5, 1e9], "Other": [-3, 0, 4]}, labels=["a", "b", "c"], alt="Bars.")
    for axes in drawn[0].axes:
        frame = axes.get_window_extent()
        for text in axes.texts:
            box = text.get_window_extent()
            # Hinting makes text a little wider on screens than it is on paper.
            assert frame.x0 - 5 <= box.x0 < box.x1 <= frame.x1 + 5


def test_labels_keep_away_from_numbers_beside_them(drawn):
    bars({"by the sum": [1.33, -0.67, 0.33]}, labels=["2", "−1", "0.5"], alt="Three bars.")
    for figure in drawn:
        (axes,) = figure.axes
        label, number = axes.get_yticklabels()[1], axes.texts[1]
        assert number.get_text() == "−0.67"
        gap = number.get_window_extent().x0 - label.get_window_extent().x1
        # Two words of a sentence stand some 5 points apart.
        assert gap > 15 * figure.dpi / 72


def test_infinite_numbers_have_no_bar(drawn):
    bars({"x": [np.inf, -np.inf, np.nan, 1]}, labels=list("abcd"), alt="One bar.")
    assert texts_of(drawn[0].axes[0]) == ["inf", "−inf", "nan", "1.00"]
    assert [bar.get_width() for bar in drawn[0].axes[0].patches] == [0, 0, 0, 1]


@pytest.mark.parametrize("numbers", [[0, 0], [-1, -2], [np.nan, np.nan]])
def test_bars_without_length(drawn, numbers):
    bars({"x": numbers}, labels=["a", "b"], alt="Hardly a bar.")
    assert len(drawn) == 2


def test_wrong_bars_are_refused():
    with pytest.raises(ValueError, match=r"The chart 'x' has shape \(3,\).* one number for 2 lab"):
        bars({"x": [1, 2, 3]}, labels=["a", "b"], alt="Nothing.")
    with pytest.raises(ValueError, match="There is nothing to show"):
        bars({}, labels=["a"], alt="Nothing.")


def test_curves_have_names_and_styles(drawn):
    x = np.linspace(0, 1, 20)
    curves = {f"power {k}": x**k for k in range(1, 8)}
    lines(curves, x=x, x_label="x", y_label="y", alt="Seven curves.")
    (axes,) = drawn[0].axes
    assert texts_of(axes) == list(curves)
    looks = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in axes.lines}
    assert len(looks) == 7
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x", "y")
    assert overlapping(drawn[0]) == []


def test_names_stand_at_the_ends(drawn):
    x = np.linspace(-3, 3, 50)
    lines({"exp": np.exp(x), "line": x}, x=x, x_label="x", y_label="y", alt="Two curves.")
    (axes,) = drawn[0].axes
    for text, end in zip(axes.texts, (np.exp(3), 3), strict=True):
        height = text.get_window_extent().get_points()[:, 1].mean()
        assert height == pytest.approx(axes.transData.transform((3, end))[1], abs=8)


def test_curves_may_end_early(drawn):
    lines({"a": [1.0, 2.0, np.nan]}, x=[0, 1, 2], x_label="x", y_label="y", alt="A curve.")
    assert tuple(drawn[0].axes[0].texts[0].xy) == (1, 2)


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        ({}, "There is no curve to show"),
        ({"a": [1, 2]}, r"The curve 'a' has shape \(2,\).* 3 places on the x axis"),
        ({"a": [np.nan] * 3}, "The curve 'a' has no finite number"),
    ],
)
def test_wrong_curves_are_refused(curves, message):
    with pytest.raises(ValueError, match=message):
        lines(curves, x=[0, 1, 2], x_label="x", y_label="y", alt="Nothing.")


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ([], []),
        ([5.0], [5]),
        ([0, 20], [0, 20]),
        ([10, 10], [5, 15]),
        ([12, 0, 1], [43 / 3, -17 / 3, 13 / 3]),
        ([0, 100, 101], [0, 95.5, 105.5]),
    ],
)
def test_spread_keeps_order(positions, expected):
    assert spread(positions, gap=10) == pytest.approx(expected)


def test_text_widths():
    assert text_width("", 12) == text_width(" ", 12) == 0
    assert text_width("journey", 24) == pytest.approx(2 * text_width("journey", 12))
    assert text_width("journey", 12, bold=True) > text_width("journey", 12)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.125, "0.12"),
        (-0.001, "0.00"),
        (-1.5, "−1.50"),
        (np.inf, "inf"),
        (-np.inf, "−inf"),
        (np.nan, "nan"),
        (999999, "999999.00"),
        (2.5e43, "2.5e43"),
        (-1e6, "−1.0e6"),
    ],
)
def test_number_text(value, text):
    assert number_text(value) == text
