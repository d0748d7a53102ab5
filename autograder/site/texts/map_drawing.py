"""The lessons as a drawing: each below all that it needs, joined to it by lines.

In the field's words: a layered drawing of a graph, after Sugiyama, Tagawa and Toda (1981). A line
that passes a layer has a place of its own in it, so that it runs beside the boxes and not through.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from html import escape
from statistics import mean
from textwrap import wrap

_COLUMN, _ROW = 188.0, 92.0
_WIDTH, _HEIGHT = 176.0, 62.0
# What fits into a box, of which two beside each other fill a phone.
_CHARACTERS, _MOST_LINES, _LINE = 24, 2, 18.0
_DESCRIPTION = "The lessons, each below those that it needs, which the table names"

# A lesson, or a line's place in a layer that it passes: where it leads and how many layers remain.
Place = tuple[str, str, int]


@dataclass(frozen=True)
class Box:
    """A lesson as it is drawn: its number, its title, and how long it takes.

    `needs` are other lessons, by their short names, and `address` is where it leads.
    """

    name: str
    title: str
    below: str
    needs: Set[str]
    address: str


def drawing(boxes: Sequence[Box]) -> str:
    """The drawing as SVG, which the site's style sheet colours; nothing where no line is drawn."""
    needs = _direct({box.name: box.needs for box in boxes})
    if not any(needs.values()):
        return ""
    layers, lines = _layers(needs)
    across = max(map(len, layers))
    at = {
        place: ((number + 0.5) * across / len(layer) * _COLUMN, (depth + 0.5) * _ROW)
        for depth, layer in enumerate(layers)
        for number, place in enumerate(layer)
    }
    width, height = across * _COLUMN, len(layers) * _ROW
    drawn = [*_lines(lines, at), *_boxes(boxes, at)]
    return (
        f'<svg class="course-map" viewBox="0 0 {width:g} {height:g}" style="max-width:{width:g}px" '
        f'role="group" aria-label="{_DESCRIPTION}">{"".join(drawn)}</svg>'
    )


def _direct(needs: Mapping[str, Set[str]]) -> dict[str, set[str]]:
    """What each lesson needs among these, but for what another that it needs has needed already."""
    known = {name: set(found) & needs.keys() - {name} for name, found in needs.items()}
    above: dict[str, set[str]] = {}

    def all_above(name: str, below: frozenset[str] = frozenset()) -> set[str]:
        if name not in above:
            # Lessons that need each other have no first one: the line back is left out.
            known[name] -= below | {name}
            around = below | {name}
            found = [{one} | all_above(one, around) for one in sorted(known[name])]
            above[name] = set[str]().union(*found)
        return above[name]

    for name in known:
        all_above(name)
    return {
        name: {one for one in found if not any(one in above[other] for other in found)}
        for name, found in known.items()
    }


def _layers(needs: Mapping[str, Set[str]]) -> tuple[list[list[Place]], list[tuple[Place, Place]]]:
    depth: dict[str, int] = {}

    def depth_of(name: str) -> int:
        if name not in depth:
            depth[name] = 1 + max((depth_of(one) for one in needs[name]), default=-1)
        return depth[name]

    for name in needs:
        depth_of(name)
    layers: list[list[Place]] = [[] for _ in range(max(depth.values()) + 1)]
    lines: list[tuple[Place, Place]] = []
    for name in needs:
        layers[depth[name]].append((name, "", 0))
        for one in sorted(needs[name]):
            last: Place = (one, "", 0)
            for passed in range(depth[one] + 1, depth[name]):
                place = (one, name, passed)
                layers[passed].append(place)
                lines.append((last, place))
                last = place
            lines.append((last, (name, "", 0)))
    return _in_order(layers, lines), lines


def _in_order(
    layers: Sequence[list[Place]], lines: Sequence[tuple[Place, Place]]
) -> list[list[Place]]:
    """Each layer in the order of what leads to it, so that few lines cross."""
    ordered = [layers[0]]
    for layer in layers[1:]:
        share = {
            place: (number + 0.5) / len(ordered[-1]) for number, place in enumerate(ordered[-1])
        }

        def middle(place: Place, share: Mapping[Place, float] = share) -> float:
            return mean([share[start] for start, end in lines if end == place])

        ordered.append(sorted(layer, key=middle))
    return ordered


def _lines(
    lines: Sequence[tuple[Place, Place]], at: Mapping[Place, tuple[float, float]]
) -> Iterator[str]:
    for start, end in lines:
        (left, top), (right, bottom) = at[start], at[end]
        first = top + (0 if start[1] else _HEIGHT / 2)
        last = bottom - (0 if end[1] else _HEIGHT / 2)
        half = (first + last) / 2
        bend = f"C{left:g} {half:g} {right:g} {half:g} {right:g} {last:g}"
        yield f'<path d="M{left:g} {first:g}{bend}"/>'


def _boxes(boxes: Sequence[Box], at: Mapping[Place, tuple[float, float]]) -> Iterator[str]:
    for box in boxes:
        x, y = at[box.name, "", 0]
        yield (
            f'<a href="{escape(box.address)}" aria-label="{escape(box.title)}">'
            f'<rect x="{x - _WIDTH / 2:g}" y="{y - _HEIGHT / 2:g}" width="{_WIDTH:g}" '
            f'height="{_HEIGHT:g}" rx="6"/>{"".join(_texts(x, y, box))}</a>'
        )


def _texts(x: float, y: float, box: Box) -> Iterator[str]:
    title = wrap(
        box.title, _CHARACTERS, max_lines=_MOST_LINES, placeholder=" …", break_on_hyphens=False
    )
    lines = [(13, one) for one in title] + [(12, box.below)] * bool(box.below)
    first = y - _LINE * (len(lines) - 1) / 2
    for number, (size, text) in enumerate(lines):
        place = f'x="{x:g}" y="{first + number * _LINE:g}"'
        yield f'<text {place} dy="0.35em" font-size="{size}">{escape(text)}</text>'
