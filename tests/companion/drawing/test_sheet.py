"""A sheet whose places are given in points."""

import pytest
from matplotlib.figure import Figure

from companion.drawing.labels import POINTS_PER_INCH
from companion.drawing.sheet import arrow, sheet


@pytest.mark.parametrize(("upwards", "limits"), [(False, (50, 0)), (True, (0, 50))])
def test_sheet_is_measured_in_points(upwards: bool, limits: tuple[float, float]) -> None:
    figure = Figure(figsize=(2, 1))
    axes = sheet(figure, 100, 50, left=20, bottom=10, upwards=upwards)
    assert axes.get_xlim() == (0, 100)
    assert axes.get_ylim() == limits
    box = axes.get_position()
    across, up = figure.get_size_inches() * POINTS_PER_INCH
    assert (box.x0 * across, box.y0 * up) == pytest.approx((20, 10))
    assert (box.width * across, box.height * up) == pytest.approx((100, 50))
    assert not axes.axison


def test_arrow_leads_from_one_place_to_another() -> None:
    axes = sheet(Figure(figsize=(2, 1)), 100, 50)
    arrow(axes, (1, 2), (3, 4), colour="C1", linewidth=2)
    (drawn,) = axes.texts
    assert drawn.get_position() == (1, 2)
    assert drawn.xy == (3, 4)  # type: ignore[attr-defined]
