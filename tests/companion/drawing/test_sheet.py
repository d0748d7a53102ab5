"""A sheet whose places are given in points."""

import pytest
from matplotlib import style
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from companion.drawing.labels import POINTS_PER_INCH
from companion.drawing.sheet import arrow, box, sheet
from companion.drawing.theme import LIGHT


@pytest.mark.parametrize(("upwards", "limits"), [(False, (50, 0)), (True, (0, 50))])
def test_sheet_is_measured_in_points(upwards: bool, limits: tuple[float, float]) -> None:
    figure = Figure(figsize=(2, 1))
    axes = sheet(figure, 100, 50, left=20, bottom=10, upwards=upwards)
    assert axes.get_xlim() == (0, 100)
    assert axes.get_ylim() == limits
    place = axes.get_position()
    across, up = figure.get_size_inches() * POINTS_PER_INCH
    assert (place.x0 * across, place.y0 * up) == pytest.approx((20, 10))
    assert (place.width * across, place.height * up) == pytest.approx((100, 50))
    assert not axes.axison


def test_arrow_leads_from_one_place_to_another() -> None:
    axes = sheet(Figure(figsize=(2, 1)), 100, 50)
    arrow(axes, (1, 2), (3, 4), colour="C1", linewidth=2)
    (drawn,) = axes.texts
    assert drawn.get_position() == (1, 2)
    assert drawn.xy == (3, 4)  # type: ignore[attr-defined]


def test_box_stands_around_its_place() -> None:
    with style.context(LIGHT.settings()):
        axes = sheet(Figure(figsize=(2, 1)), 100, 50)
        assert box(axes, (30, 20), (10, 6), "C0") == "#ffffff"
        assert box(axes, (60, 20), (10, 6), dashed=True) == LIGHT.ink
    filled, dashed = axes.patches
    extent = filled.get_path().get_extents()
    assert (*extent.min, *extent.max) == pytest.approx((25, 17, 35, 23))
    assert to_hex(filled.get_facecolor()) == LIGHT.cycle[0]
    assert to_hex(dashed.get_facecolor()) == LIGHT.paper
    assert (filled.get_linestyle(), dashed.get_linestyle()) == ("-", "--")
