"""From two values that differ to tables of them: the part around the largest difference."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from autograder.checks.values.compare import Difference, Tolerance, largest_gap
from autograder.checks.values.comparison import Comparison, Row, Table
from autograder.checks.values.digits import alike, apart, as_given
from autograder.checks.values.kinds import is_number
from autograder.checks.values.tensors import as_array, is_tensor

Axes = Mapping[str, Sequence[Sequence[str]]]

# Entries in a row, rows in a table, and tables of numbers below each other.
_SIDE = 6
_GRIDS = 2
_MOST_AXES = 8
_LABEL = 40
_ENTRY = 14
_MORE = "…"
# Stands before the axes of a shape that may have any number of others.
_ANY = "..."


def comparisons(
    found: Sequence[Difference], axes: Axes, tolerance: Tolerance, *, reveal: bool
) -> tuple[Comparison, ...]:
    """What can be shown as a table, of the differences of a printed example.

    Args:
        found: the differences, in the order in which the finding tells them.
        axes: by the name of a part, the names of its axes, for each number of axes it may have.
        tolerance: how far numbers may be off.
        reveal: whether expected numbers are shown.
    """
    made: list[Comparison] = []
    for place, difference in enumerate(found):
        one = _of_arrays(place, difference, axes, tolerance) if reveal else None
        if one and (one.instead or sum(not other.instead for other in made) < _GRIDS):
            made.append(one)
    listed = [(n, one) for n, one in enumerate(found) if _are_numbers(one, reveal=reveal)]
    if len(listed) > 1:
        made.append(_of_numbers(listed, tolerance, reveal=reveal))
    return tuple(made)


def shapes(found: Sequence[Difference], axes: Axes) -> tuple[Comparison, ...]:
    """The shapes alone, which give no expected number away."""
    made = (_of_shapes(place, difference, axes) for place, difference in enumerate(found))
    return tuple(one for one in made if one)


def _of_arrays(
    place: int, difference: Difference, axes: Axes, tolerance: Tolerance
) -> Comparison | None:
    pair = _arrays(difference)
    if not pair:
        return None
    expected, received = pair
    if expected.shape != received.shape:
        return _of_shapes(place, difference, axes)
    if not expected.ndim or not expected.size or expected.dtype.kind not in "biuf":
        return None
    if expected.dtype != received.dtype:
        return None
    wrong = ~tolerance.of(difference.part).allows(expected, received)
    if not wrong.any():
        return None
    peak = largest_gap(expected, received, wrong)
    names = _names(axes, difference.part, expected.ndim)
    outer, inner = peak[:-2], peak[-2:]
    numbers = expected[outer], received[outer], wrong[outer]
    tables = _grids(*numbers, inner, names[-2:], tolerance.of(difference.part))
    return Comparison((place,), tables, _where(outer, names))


def _of_shapes(place: int, difference: Difference, axes: Axes) -> Comparison | None:
    pair = _arrays(difference)
    if not pair or pair[0].shape == pair[1].shape:
        return None
    expected, received = (one.shape for one in pair)
    count = max(len(expected), len(received))
    if count > _MOST_AXES:
        return None
    names = _names(axes, difference.part, len(expected))
    # Axes are counted from the last one: a shape that is too short mostly lacks the first.
    first = 0 if len(expected) == len(received) else -count
    columns = [f"axis {first + n}" for n in range(count)]
    if len(expected) == count and any(names):
        columns = [name or column for name, column in zip(names, columns, strict=True)]
    rows = [
        ["–"] * (count - len(shape)) + [str(size) for size in shape]
        for shape in (expected, received)
    ]
    apart_at = [n for n, (one, other) in enumerate(zip(*rows, strict=True)) if one != other]
    table = Table(
        f"shape of {difference.part}"[:_LABEL] if difference.part else "shape",
        tuple(columns),
        (
            Row(f"expected {expected}", tuple(rows[0])),
            Row(f"received {received}", tuple(rows[1]), tuple(apart_at)),
        ),
    )
    return Comparison((place,), (table,), instead=True)


def _of_numbers(
    listed: Sequence[tuple[int, Difference]], tolerance: Tolerance, *, reveal: bool
) -> Comparison:
    rows = []
    for _, difference in listed[:_SIDE]:
        assert difference.pair
        expected, received = difference.pair
        shown: tuple[str, ...]
        if reveal:
            shown = _of_one_kind(expected, received, tolerance.of(difference.part))
        else:
            # What a learner is to find may not even be known here.
            shown = (as_given(received),)
        rows.append(Row(difference.part[:_LABEL], tuple(_cut(shown)), (len(shown) - 1,)))
    if len(listed) > _SIDE:
        rows.append(Row(f"and {len(listed) - _SIDE} more", (_MORE,) * (1 + reveal)))
    columns = ("expected", "received") if reveal else ("received",)
    places = tuple(place for place, _ in listed)
    return Comparison(places, (Table("", columns, tuple(rows)),), instead=True)


def _of_one_kind(expected: object, received: object, tolerance: Tolerance) -> tuple[str, str]:
    one, other = _texts(np.array([expected]), np.array([received]), np.array([True]), tolerance)
    return str(one[0]), str(other[0])


def _arrays(difference: Difference) -> tuple[np.ndarray, np.ndarray] | None:
    """The two values, where both are arrays or both are tensors."""
    if not difference.pair:
        return None
    expected, received = difference.pair
    if is_tensor(expected) and is_tensor(received):
        return as_array(expected), as_array(received)
    if type(expected) is np.ndarray and type(received) is np.ndarray:
        return expected, received
    return None


def _are_numbers(difference: Difference, *, reveal: bool) -> bool:
    if not difference.part or not difference.pair:
        return False
    return all(map(is_number, difference.pair[0 if reveal else 1 :]))


def _names(axes: Axes, part: str, count: int) -> tuple[str, ...]:
    """The names of a part's axes, or empty ones where they are not known."""
    for shape in axes.get(part, ()):
        if shape[0] == _ANY and len(shape) - 1 <= count:
            return ("",) * (count - len(shape) + 1) + tuple(name[:_LABEL] for name in shape[1:])
        if len(shape) == count:
            return tuple(name[:_LABEL] for name in shape)
    return ("",) * count


def _where(outer: Sequence[int], names: Sequence[str]) -> str:
    if not outer:
        return ""
    pairs = zip(names, outer, strict=False)
    named = ", ".join(_one_of(name, n) for name, n in pairs if name)
    return f"in [{', '.join(map(str, outer))}]" + (f", that is, {named}" if named else "")


def _one_of(axis: str, number: int) -> str:
    """What an axis counts: a head along "heads" or "num_heads"; of a product, an entry along it."""
    if not axis.isidentifier():
        return f"entry {number} along {axis}"
    name = axis.removeprefix("num_").replace("kv_", "key/value ").replace("_", " ")
    name = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
    return f"{name} {number}"


def _grids(
    expected: np.ndarray,
    received: np.ndarray,
    wrong: np.ndarray,
    peak: Sequence[int],
    names: Sequence[str],
    tolerance: Tolerance,
) -> tuple[Table, ...]:
    """A table of each; of a vector, one table of both."""
    shown = [_window(size, at) for size, at in zip(expected.shape, peak, strict=True)]
    columns = _labels(shown[-1])
    if expected.ndim == 1:
        one, other = _texts(expected[None], received[None], wrong[None], tolerance)
        both = (
            _row("expected", one, wrong[None] & False, 0, shown[0]),
            _row("received", other, wrong[None], 0, shown[0]),
        )
        return (Table("", columns, both, ("", names[0])),)
    one, other = _texts(expected, received, wrong, tolerance)
    tables = []
    for title, texts, marks in (("expected", one, wrong & False), ("received", other, wrong)):
        rows = tuple(
            _row(label, texts, marks, at, shown[1])
            for at, label in zip(shown[0], _labels(shown[0]), strict=True)
        )
        tables.append(Table(title, columns, rows, (names[0], names[1])))
    return tuple(tables)


def _row(
    label: str,
    texts: np.ndarray,
    marks: np.ndarray,
    at: int | None,
    columns: Sequence[int | None],
) -> Row:
    if at is None:
        return Row(label, (_MORE,) * len(columns))
    entries = [_MORE if n is None else texts[at, n] for n in columns]
    wrong = [place for place, n in enumerate(columns) if n is not None and marks[at, n]]
    return Row(label, tuple(_cut(entries)), tuple(wrong))


def _window(size: int, peak: int) -> list[int | None]:
    """The places of an axis that are shown; None stands for those that are left out."""
    if size <= _SIDE:
        return list(range(size))
    first = min(max(0, peak - 2), size - _SIDE + 1)
    last = first + _SIDE - 1
    return [*([None] if first else []), *range(first, last), *([None] if last < size else [])]


def _labels(places: Iterable[int | None]) -> tuple[str, ...]:
    return tuple(_MORE if n is None else str(n) for n in places)


def _texts(
    expected: np.ndarray, received: np.ndarray, wrong: np.ndarray, tolerance: Tolerance
) -> tuple[np.ndarray, np.ndarray]:
    """Both as text, with as many digits as it takes to tell apart what differs.

    What is right differs by rounding alone.
    """
    one, other = np.empty(expected.shape, object), np.empty(expected.shape, object)
    plain = _are_whole(expected) and _are_whole(np.where(wrong, received, expected))
    if plain and received.dtype.kind == "f":
        received = np.rint(received)
    for at in np.ndindex(expected.shape):
        if plain:
            one[at], other[at] = _whole(expected[at]), _whole(received[at])
        else:
            shown = apart if wrong[at] else alike
            known = tolerance.decimals(float(expected[at]))
            # Adding zero takes the sign from a zero.
            one[at], other[at] = shown(expected[at] + 0.0, received[at] + 0.0, known)
    return one, other


def _are_whole(numbers: np.ndarray) -> bool:
    if numbers.dtype.kind in "biu":
        return True
    if numbers.dtype.kind != "f":
        return False
    return bool((np.isfinite(numbers) & (numbers == np.rint(numbers)) & (abs(numbers) < 1e6)).all())


def _whole(number: object) -> str:
    return str(number) if isinstance(number, bool | np.bool_) else str(int(number))  # type: ignore[call-overload]


def _cut(entries: Iterable[str]) -> list[str]:
    return [entry if len(entry) <= _ENTRY else f"{entry[: _ENTRY - 1]}{_MORE}" for entry in entries]
