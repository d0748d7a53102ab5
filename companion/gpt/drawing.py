"""The whole model of lesson 10 as one drawing, in which learners see what is their own."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from companion.drawing.figure import UNTOLD, Draw, one_line, picture, publish
from companion.drawing.labels import POINTS_PER_INCH
from companion.drawing.sheet import arrow, box, sheet

_SIZE, _SMALL = 11.0, 9.5
_WIDTH, _HEIGHT = 640.0, 654.0
_TALL, _LOW, _PLUS = 38.0, 24.0, 9.0
_GAP, _LONG_GAP = 15.0, 34.0

# The line of the model, with the residual connections to the left of it, and where it ends.
_MIDDLE, _WIDE, _ASIDE = 118.0, 140.0, 26.0
_IN_TRAINING, _IN_WRITING = 66.0, 226.0
# Inside the attention: queries, keys, values, and the mask.
_LEFT, _RIGHT, _TOP = 280.0, 636.0, 554.0
_Q, _K, _V, _MASK, _MIXED = 330.0, 422.0, 606.0, 528.0, 465.0

_INSIDE = (
    *("split_heads", "apply_rope", "KVCache", "repeat_kv", "decoding_mask"),
    *("masked_attention_weights", "merge_heads"),
)
_ATTENTION = "RotaryAttention"
_NAMES = (
    *("RMSNorm", _ATTENTION, *_INSIDE, "FeedForward"),
    *("next_token_loss", "next_token_distribution"),
)


@dataclass(frozen=True)
class _Part:
    """Which lesson a part is from, whether it is the learner's own, and what it is called then."""

    lesson: str = ""
    mine: bool = False
    own: str = "yours"

    @property
    def sign(self) -> str:
        whose = f"✓ {self.own}" if self.mine else "library’s"
        return f"{whose} · {_title(self.lesson)}" if self.lesson else whose


# A part's name, as in `Parts`, the folder of its lesson or "", and whether it is the learner's own.
Found = tuple[str, str, bool]


def parts_of_gpt(found: Sequence[Found], *, alt: str = UNTOLD) -> None:
    """Show a GPT from the tokens to the next one, and which of its parts are the learner's.

    Below it are links to the lessons of the parts that are not.

    Args:
        found: for each part its name, as in `Parts`, the folder of its lesson or "", and whether
            it is the learner's own. What is left out is the library's.
        alt: what the picture shows, for those who can't see it; whose the parts are is added.

    Raises:
        ValueError: when a name is no part of the drawing, or `alt` is empty.
    """
    draw, size, alt = drawing_of_gpt(found, alt)
    publish(picture(draw, size, alt) + _links(_named(found)), alt)


def drawing_of_gpt(
    found: Sequence[Found], alt: str, own: str = "yours"
) -> tuple[Draw, tuple[float, float], str]:
    """The drawing of `parts_of_gpt`, its size in inches, and its alt text.

    Args:
        found: as there.
        alt: as there.
        own: what a part of the learner's is called, by whoever speaks.

    Raises:
        ValueError: when a name is no part of the drawing, or `alt` is empty.
    """
    parts = _named(found, own)

    def draw(figure: Figure) -> None:
        axes = sheet(figure, _WIDTH, _HEIGHT, upwards=True)
        _Model(axes, parts).draw()
        _Attention(axes, parts).draw()

    size = (_WIDTH / POINTS_PER_INCH, _HEIGHT / POINTS_PER_INCH)
    return draw, size, f"{one_line(alt)} {_in_words(parts)}"


def _named(found: Sequence[Found], own: str = "yours") -> dict[str, _Part]:
    parts = dict.fromkeys(_NAMES, _Part(own=own))
    for name, lesson, mine in found:
        if name not in _NAMES:
            raise ValueError(f"{name!r} is not in the drawing: pass some of {', '.join(_NAMES)}.")
        parts[name] = _Part(lesson, mine, own)
    return parts


class _Lines:
    """Lines that climb through boxes; `up` is how high each has come, by its place."""

    def __init__(self, axes: Axes, parts: Mapping[str, _Part], up: dict[float, float]) -> None:
        self.axes, self.parts, self.up = axes, parts, up

    def part(self, name: str, left: float, right: float, *lines: float, gap: float = _GAP) -> float:
        """A part that these lines go through; how high its middle is."""
        part = self.parts[name]
        middle = self._reach(lines, gap, _TALL)
        place, size = ((left + right) / 2, middle), (right - left, _TALL)
        ink = box(self.axes, place, size, "C0" if part.mine else "", dashed=not part.mine)
        weight = "bold" if part.mine else "normal"
        self.write(place[0], middle + 7, name, ink)
        self.write(place[0], middle - 9, part.sign, ink, size=_SMALL, weight=weight)
        return middle

    def given(self, text: str, left: float, right: float, *lines: float, gap: float = _GAP) -> None:
        """What no exercise asks for."""
        middle = self._reach(lines, gap, _LOW)
        edge = matplotlib.rcParams["grid.color"]
        corner = (left, middle - _LOW / 2)
        self.axes.add_patch(
            Rectangle(corner, right - left, _LOW, facecolor=edge, edgecolor=edge, zorder=2)
        )
        self.write((left + right) / 2, middle, text, _ink())

    def write(
        self, x: float, y: float, text: str, ink: str, size: float = _SIZE, weight: str = "normal"
    ) -> None:
        """A text around a place."""
        look: dict[str, Any] = {"ha": "center", "va": "center_baseline", "size": size, "zorder": 3}
        self.axes.text(x, y, text, color=ink, weight=weight, **look)

    def to(self, start: tuple[float, float], end: tuple[float, float], colour: str = "") -> None:
        """An arrow."""
        arrow(self.axes, start, end, colour=colour or _ink(), linewidth=1.2)

    def _reach(self, lines: Sequence[float], gap: float, tall: float) -> float:
        """Draw these lines up to a box that is so tall; its middle."""
        bottom = max(self.up[line] for line in lines) + gap
        for line in lines:
            if self.up[line] < bottom:
                self.to((line, self.up[line]), (line, bottom))
            self.up[line] = bottom + tall
        return bottom + tall / 2


class _Model(_Lines):
    """From the tokens at the bottom to the next one at the top."""

    def __init__(self, axes: Axes, parts: Mapping[str, _Part]) -> None:
        super().__init__(axes, parts, {_MIDDLE: 18.0})
        self.left, self.right = _MIDDLE - _WIDE / 2, _MIDDLE + _WIDE / 2

    def draw(self) -> None:
        self.write(_MIDDLE, 8, "token ids", _ink())
        self.given("embedding", self.left, self.right, _MIDDLE, gap=_LONG_GAP)
        bottom = self.up[_MIDDLE] + 10
        attention = self._added_to_its_input(_ATTENTION)
        self._added_to_its_input("FeedForward")
        self._block(bottom, self.up[_MIDDLE] + 12)
        self._zoom(attention)
        self.up[_MIDDLE] += 12
        self._line("RMSNorm")
        self.given("logits", self.left, self.right, _MIDDLE, gap=_LONG_GAP)
        self._ends()

    def _line(self, name: str) -> float:
        return self.part(name, self.left, self.right, _MIDDLE, gap=_LONG_GAP)

    def _added_to_its_input(self, name: str) -> float:
        """A layer behind its normalisation, and the connection around both."""
        fork = self.up[_MIDDLE] + 20
        self.axes.plot([_MIDDLE, _MIDDLE], [self.up[_MIDDLE], fork], color=_ink(), linewidth=1.2)
        self.up[_MIDDLE] = fork
        self.part("RMSNorm", self.left, self.right, _MIDDLE)
        layer = self.part(name, self.left, self.right, _MIDDLE)
        plus = self.up[_MIDDLE] + _GAP + _PLUS
        self.to((_MIDDLE, self.up[_MIDDLE]), (_MIDDLE, plus - _PLUS))
        self.axes.plot([_MIDDLE, _ASIDE, _ASIDE], [fork, fork, plus], color="C4", linewidth=1.8)
        arrow(self.axes, (_ASIDE, plus), (_MIDDLE - _PLUS, plus), colour="C4", linewidth=1.8)
        self.axes.plot(_MIDDLE, plus, "o", markersize=2 * _PLUS, markerfacecolor="none",
                       markeredgecolor=_ink())  # fmt: skip
        self.write(_MIDDLE, plus, "+", _ink(), size=14)
        self.up[_MIDDLE] = plus + _PLUS
        return layer

    def _block(self, bottom: float, top: float) -> None:
        _frame(self.axes, 8, bottom, self.right + 12, top)
        self.axes.text(14, top - 8, "block × N", ha="left", va="center", size=_SMALL)

    def _zoom(self, attention: float) -> None:
        """Lines from the attention to what is inside it."""
        look: dict[str, Any] = {"color": _muted(), "linewidth": 0.8, "linestyle": ":"}
        for edge, corner in ((-_TALL / 2, 2.0), (_TALL / 2, _TOP)):
            self.axes.plot([self.right, _LEFT], [attention + edge, corner], **look)

    def _ends(self) -> None:
        """What is made of the logits: in training, and in writing."""
        start = self.up[_MIDDLE]
        fork = start + 14
        self.axes.plot([_MIDDLE, _MIDDLE], [start, fork], color=_ink(), linewidth=1.2)
        ends = {
            _IN_TRAINING: ("next_token_loss", 128.0, "in training: the loss"),
            _IN_WRITING: ("next_token_distribution", 164.0, "in writing: the next token"),
        }
        self.axes.plot([*ends], [fork, fork], color=_ink(), linewidth=1.2)
        for place, (name, wide, text) in ends.items():
            self.up[place] = fork
            self.part(name, place - wide / 2, place + wide / 2, place)
            self.to((place, self.up[place]), (place, self.up[place] + 18))
            self.write(place, self.up[place] + 27, text, _ink())


class _Attention(_Lines):
    """What the attention layer does with its inputs, from below to above."""

    def __init__(self, axes: Axes, parts: Mapping[str, _Part]) -> None:
        super().__init__(axes, parts, dict.fromkeys((_Q, _K, _V), 30.0))
        self.left, self.right = _Q - 38, _V + 26

    def draw(self) -> None:
        _frame(self.axes, _LEFT, 2, _RIGHT, _TOP)
        self._inputs()
        for name, line in (("W_query", _Q), ("W_key", _K), ("W_value", _V)):
            self.given(name, line - 35, line + (35 if line < _V else 26), line)
        self.part("split_heads", self.left, self.right, _Q, _K, _V)
        self.part("apply_rope", self.left, _K + 38, _Q, _K)
        self.part("KVCache", _K - 38, self.right, _K, _V)
        self.part("repeat_kv", _K - 38, self.right, _K, _V)
        self._weights()
        self.given("weights · values", self.left, self.right, _Q, _V)
        self.up[_MIXED] = self.up[_V]
        self.part("merge_heads", self.left, self.right, _MIXED)
        self.given("out_proj", _MIXED - 60, _MIXED + 60, _MIXED)
        self.to((_MIXED, self.up[_MIXED]), (_MIXED, self.up[_MIXED] + _GAP))
        self._title()

    def _inputs(self) -> None:
        """The tokens, which are projected three times."""
        self.write(_MIXED, 12, "inputs", _ink())
        self.axes.plot([_MIXED, _MIXED], [20, 30], color=_ink(), linewidth=1.2)
        self.axes.plot([_Q, _V], [30, 30], color=_ink(), linewidth=1.2)

    def _weights(self) -> None:
        """From queries, keys and the mask to the weights; the values pass them by."""
        low = max(self.up[_Q], self.up[_K])
        self.given("q kᵀ / √head_dim", self.left, _K + 30, _Q, _K)
        self.up[_MASK] = low + _GAP
        self.part("decoding_mask", _MASK - 52, _MASK + 52, _MASK, gap=0)
        self.part("masked_attention_weights", self.left, _MASK + 52, _Q, _MASK)

    def _title(self) -> None:
        """Which part this shows from inside, if it is the learner's or will be."""
        part = self.parts[_ATTENTION]
        text = f"inside {_ATTENTION}" + ("" if part.mine else f", once it is {part.own}")
        self.axes.text(_LEFT + 8, _TOP - 10, text, ha="left", va="center", size=_SMALL)


def _frame(axes: Axes, left: float, bottom: float, right: float, top: float) -> None:
    """A thin line around what belongs together."""
    look: dict[str, Any] = {
        "facecolor": "none",
        "edgecolor": _muted(),
        "linewidth": 0.8,
        "zorder": 0,
    }
    axes.add_patch(Rectangle((left, bottom), right - left, top - bottom, **look))


def _ink() -> str:
    return str(matplotlib.rcParams["text.color"])


def _muted() -> str:
    return str(matplotlib.rcParams["axes.edgecolor"])


def _title(lesson: str) -> str:
    """A lesson by the number that its folder begins with."""
    return f"lesson {lesson.partition('_')[0]}"


def _in_words(parts: Mapping[str, _Part]) -> str:
    """Whose the parts are, for who can't see the drawing."""
    own = [name for name, part in parts.items() if part.mine]
    others = [name for name, part in parts.items() if not part.mine]
    called = parts[_ATTENTION].own.capitalize()
    return f"{called}: {', '.join(own) or 'none'}. The library’s: {', '.join(others) or 'none'}."


def _links(parts: Mapping[str, _Part]) -> str:
    """The lessons of what is missing, each with its parts."""
    missing: dict[str, list[str]] = {}
    for name, part in parts.items():
        if part.lesson and not part.mine:
            missing.setdefault(part.lesson, []).append(f"<code>{name}</code>")
    if not missing:
        return ""
    items = "".join(
        f'<li><a href="{html.escape(_address(lesson))}">{html.escape(_title(lesson))}</a>: '
        f"{', '.join(names)}</li>"
        for lesson, names in sorted(missing.items())
    )
    return f"<p>What is still the library’s, and where you can write it:</p><ul>{items}</ul>"


def _address(lesson: str) -> str:
    """From the notebook in the folder beside it."""
    return f"../{quote(lesson)}/{quote(lesson)}.ipynb"
