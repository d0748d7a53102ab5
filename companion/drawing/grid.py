"""How large the cells of heat maps are, and where several maps stand: in lines, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from companion.drawing.labels import POINTS_PER_INCH, widest
from companion.numbers import Array, number_text

WORD_SIZE = 12.0
_NUMBER_SIZE = 12.0
_SMALLEST_NUMBER = 9.0
_CELL_HEIGHT = 34.0
_WIDEST_CELL = 52.0
_NARROWEST_CELL = 8.0
_MARGIN_IN_CELL = 9.0
_BETWEEN_MAPS = 22.0
# About what a notebook shows without shrinking it, less the words of the rows.
_LINE_WIDTH = 560.0
# Room above a map for its title, the name of its columns and one line of words.
_HEAD = 80.0


@dataclass(frozen=True)
class Grid:
    """Sizes and places, in points.

    Attributes:
        maps: how many there are.
        per_line: how many stand side by side.
        width: of one map's cells, all together.
        height: of one map's cells, all together.
        number_size: font size of the numbers in the cells.
        slanted: whether the words of the columns are too wide to stand upright.
        head: room above a map.
    """

    maps: int
    per_line: int
    width: float
    height: float
    number_size: float
    slanted: bool
    head: float

    @classmethod
    def holding(
        cls, matrices: Sequence[Array], columns: Sequence[str], decimals: int | None
    ) -> "Grid":
        """The grid for matrices of one shape, all of them with these words above."""
        number = _widest_number(matrices, decimals)
        word = widest(columns, WORD_SIZE)
        narrowest = max(_NARROWEST_CELL, number * _SMALLEST_NUMBER / _NUMBER_SIZE + _MARGIN_IN_CELL)
        map_and_gap = narrowest * len(columns) + _BETWEEN_MAPS
        per_line = min(max(int((_LINE_WIDTH + _BETWEEN_MAPS) / map_and_gap), 1), len(matrices))
        room = (_LINE_WIDTH - _BETWEEN_MAPS * (per_line - 1)) / (per_line * len(columns))
        cell = min(max(room, narrowest), max(_WIDEST_CELL, number + _MARGIN_IN_CELL))
        slanted = word > cell - 5
        return cls(
            maps=len(matrices),
            per_line=per_line,
            width=cell * len(columns),
            height=min(cell, _CELL_HEIGHT) * len(matrices[0]),
            number_size=_NUMBER_SIZE * min(1.0, (cell - _MARGIN_IN_CELL) / max(number, 1.0)),
            slanted=slanted,
            head=_HEAD + (0.71 * word if slanted else 0.0),
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole, in inches, without the words around it."""
        lines = -(-self.maps // self.per_line)
        across = self.per_line * self.width + (self.per_line - 1) * _BETWEEN_MAPS
        up = lines * self.height + (lines - 1) * self.head
        return across / POINTS_PER_INCH, up / POINTS_PER_INCH

    def starts_line(self, place: int) -> bool:
        """Whether the map at this place is the first of its line."""
        return place % self.per_line == 0

    def rectangle(self, place: int) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of the map at this place, counted from the top left."""
        line, position = divmod(place, self.per_line)
        left = position * (self.width + _BETWEEN_MAPS)
        top = self.size[1] * POINTS_PER_INCH - line * (self.height + self.head)
        return left, top - self.height, self.width, self.height


def _widest_number(matrices: Sequence[Array], decimals: int | None) -> float:
    if decimals is None:
        return 0.0
    texts = {number_text(number, decimals) for matrix in matrices for number in matrix.flat}
    return widest(sorted(texts), _NUMBER_SIZE)
