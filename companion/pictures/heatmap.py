"""Heat maps of attention: queries on rows, keys on columns, the number in every cell."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from companion.drawing.figure import UNTOLD, Draw, show
from companion.drawing.grid import WORD_SIZE, Grid
from companion.drawing.labels import axes_at
from companion.drawing.theme import ink_on
from companion.numbers import Array, check_index, counted, number_text, to_array, to_mask

_MOST_SHAPES = 400
Mask = npt.NDArray[np.bool_]


def heatmap(
    weights: Any,
    *,
    rows: Sequence[str],
    columns: Sequence[str] | None = None,
    title: str = "",
    alt: str = UNTOLD,
    row_name: str = "queries",
    column_name: str = "keys",
    highlight_row: int | None = None,
    decimals: int | None = 2,
    hidden: Any = None,
) -> None:
    """Show a matrix of attention weights or scores as a heat map.

    Without negative numbers the colours run from dark violet (0) through green to yellow (the
    largest number), with them from blue (negative) through white (0) to red (positive). Hidden
    cells, and those that hold no finite number, are grey.

    Args:
        weights: `(rows, columns)`, an array, a tensor or nested lists.
        rows: the word of each row.
        columns: the word of each column; left out, they are the words of the rows.
        title: a line above the map.
        alt: what the picture shows, for those who can't see it.
        row_name: what the rows are.
        column_name: what the columns are.
        highlight_row: a row to draw a frame around, counted from 0.
        decimals: how many digits after the point; None prints no numbers.
        hidden: a mask of `(rows, columns)`, True where an entry is hidden; a line below the map
            says what the grey cells are.

    Raises:
        ValueError: when the words or the mask do not fit the matrix, or `alt` is empty.
        IndexError: when there is no such row to highlight.
    """
    heatmaps(
        {title: weights},
        rows=rows,
        columns=columns,
        alt=alt,
        row_name=row_name,
        column_name=column_name,
        highlight_row=highlight_row,
        decimals=decimals,
        hidden=hidden,
    )


def heatmaps(
    maps: Mapping[str, Any],
    *,
    rows: Sequence[str],
    columns: Sequence[str] | None = None,
    alt: str = UNTOLD,
    row_name: str = "queries",
    column_name: str = "keys",
    highlight_row: int | None = None,
    decimals: int | None = 2,
    same_scale: bool = True,
    hidden: Any = None,
) -> None:
    """Show several matrices side by side.

    Args:
        maps: a matrix `(rows, columns)` for each title.
        rows: the word of each row, for all matrices.
        columns: the word of each column; left out, they are the words of the rows.
        alt: what the picture shows, for those who can't see it.
        row_name: what the rows are.
        column_name: what the columns are.
        highlight_row: a row to draw a frame around, in all matrices, counted from 0.
        decimals: how many digits after the point; None prints no numbers.
        same_scale: whether equal colours are equal numbers across all matrices. Otherwise each
            matrix has a scale of its own, as in `heatmap`.
        hidden: a mask of `(rows, columns)` for all matrices, True where an entry is hidden, or such
            a mask for each title.

    Raises:
        ValueError: when the words or a mask do not fit a matrix, there is no matrix, or `alt` is
            empty.
        IndexError: when there is no such row to highlight.
    """
    draw, size = drawing(
        maps,
        rows=rows,
        columns=rows if columns is None else columns,
        row_name=row_name,
        column_name=column_name,
        highlight_row=highlight_row,
        decimals=decimals,
        same_scale=same_scale,
        hidden=hidden,
    )
    show(draw, alt=alt, size=size)


def drawing(
    maps: Mapping[str, Any],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    row_name: str,
    column_name: str,
    highlight_row: int | None,
    decimals: int | None,
    same_scale: bool,
    hidden: Any = None,
) -> tuple[Draw, tuple[float, float]]:
    """What `heatmaps` shows: a function that draws it, and its size in inches."""
    matrices = _read(maps, rows, columns)
    masks = _masks(hidden, matrices)
    if highlight_row is not None:
        check_index(highlight_row, rows, name="highlight_row")
    seen = {title: np.where(masks[title], np.nan, matrix) for title, matrix in matrices.items()}
    everything = np.concatenate(list(seen.values()))
    grid = Grid.holding(list(matrices.values()), columns, decimals)
    # One line for all maps, below the first of the last line.
    explained = (len(matrices) - 1) // grid.per_line * grid.per_line

    def draw(figure: Figure) -> None:
        for place, (title, matrix) in enumerate(matrices.items()):
            axes = axes_at(figure, *grid.rectangle(place))
            _fill(axes, seen[title], *_colours(everything if same_scale else seen[title]))
            if decimals is not None:
                _print(axes, matrix, decimals, grid.number_size)
            _name_columns(axes, columns, column_name, slanted=grid.slanted)
            _name_rows(axes, rows, row_name, written=grid.starts_line(place))
            if highlight_row is not None:
                _frame(axes, highlight_row, len(columns))
            if place == explained and any(mask.any() for mask in masks.values()):
                _explain_grey(axes)
            axes.set_title(title)

    return draw, grid.size


def _read(maps: Mapping[str, Any], rows: Sequence[str], columns: Sequence[str]) -> dict[str, Array]:
    if not maps or not rows or not columns:
        raise ValueError("There is nothing to show: pass at least one matrix, row and column.")
    wanted = (
        f"shape ({len(rows)}, {len(columns)}), because the labels name "
        f"{counted(len(rows), 'row')} and {counted(len(columns), 'column')}"
    )
    return {
        title: to_array(
            matrix,
            name=f"The matrix {title!r}" if title else "The matrix",
            shape=(len(rows), len(columns)),
            wanted=wanted,
        )
        for title, matrix in maps.items()
    }


def _masks(hidden: Any, matrices: Mapping[str, Array]) -> dict[str, Mask]:
    """What is hidden in each matrix."""
    if not isinstance(hidden, Mapping):
        return {title: to_mask(hidden, *matrix.shape) for title, matrix in matrices.items()}
    if hidden.keys() - matrices.keys():
        raise ValueError("A mask belongs to no matrix: give it the title of one.")
    return {title: to_mask(hidden.get(title), *matrix.shape) for title, matrix in matrices.items()}


def _colours(matrix: Array) -> tuple[Colormap, Normalize]:
    numbers = matrix[np.isfinite(matrix)]
    largest = float(np.abs(numbers).max(initial=0)) or 1.0
    signed = bool((numbers < 0).any())
    # viridis grows lighter all the way, so it can be read with any colour vision, and in grey; red
    # against blue is the pair that colour-blind people keep.
    colours = matplotlib.colormaps["RdBu_r" if signed else "viridis"]
    return colours, Normalize(-largest * signed, largest)


def _fill(axes: Axes, matrix: Array, colours: Colormap, scale: Normalize) -> None:
    axes.pcolormesh(
        np.ma.masked_invalid(matrix),
        cmap=colours.with_extremes(bad=matplotlib.rcParams["grid.color"]),
        norm=scale,
        edgecolors=matplotlib.rcParams["axes.facecolor"],
        linewidth=1.5,
        # As shapes, so many cells would weigh several times as much as they do as pixels.
        rasterized=matrix.size > _MOST_SHAPES,
    )
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelsize=WORD_SIZE)


def _print(axes: Axes, matrix: Array, decimals: int, size: float) -> None:
    (cells,) = axes.collections
    cells.update_scalarmappable()
    colours = np.asarray(cells.get_facecolor())
    for (row, column), number, colour in zip(
        np.ndindex(matrix.shape), matrix.flat, colours, strict=True
    ):
        axes.text(
            column + 0.5,
            row + 0.5,
            number_text(number, decimals),
            size=size,
            color=ink_on(tuple(colour)),
            ha="center",
            va="center_baseline",
        )


def _explain_grey(axes: Axes) -> None:
    grey = Patch(
        facecolor=matplotlib.rcParams["grid.color"],
        edgecolor=matplotlib.rcParams["axes.edgecolor"],
        linewidth=0.8,
        label="hidden",
    )
    axes.legend(
        handles=[grey],
        loc="upper left",
        bbox_to_anchor=(0, 0),
        borderpad=0,
        borderaxespad=0.7,
        handlelength=1.1,
        handleheight=1.1,
        fontsize=WORD_SIZE,
    )


def _name_columns(axes: Axes, words: Sequence[str], name: str, *, slanted: bool) -> None:
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xticks(np.arange(len(words)) + 0.5, words)
    if slanted:
        for label in axes.get_xticklabels():
            label.set(rotation=45, ha="left", rotation_mode="anchor")
    axes.set_xlabel(name, labelpad=8)


def _name_rows(axes: Axes, words: Sequence[str], name: str, *, written: bool) -> None:
    axes.set_yticks(np.arange(len(words)) + 0.5, words if written else [""] * len(words))
    axes.set_ylabel(name if written else "", labelpad=8)


def _frame(axes: Axes, row: int, columns: int) -> None:
    ink = matplotlib.rcParams["text.color"]
    axes.add_patch(
        Rectangle((0, row), columns, 1, fill=False, edgecolor=ink, linewidth=2.5, clip_on=False)
    )
    axes.get_yticklabels()[row].set_fontweight("bold")
