"""Attention to point at: an interactive view, with a static picture where no script may run.

All of it stands in one HTML output: the picture, and a script that puts the interactive view in its
place. JupyterLab runs the script in outputs that it trusts, and exported HTML runs it too. Wherever
scripts are taken out, the picture is what stays.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from companion.drawing.figure import UNTOLD, one_line, picture, publish
from companion.numbers import Array, check_index, counted, to_array, to_mask
from companion.pictures.heatmap import drawing

# Grading keeps one mebibyte of what a cell displays, and nobody wants a heavier notebook.
_MOST_CELLS = 800
_MOST_NUMBERS = 200
_MOST_COLUMNS_WITH_NUMBERS = 10


def attention_view(
    weights: Any = None,
    *,
    queries: Sequence[str],
    keys: Sequence[str] | None = None,
    heads: Sequence[str] | None = None,
    frames: Mapping[Any, Any] | None = None,
    slider: str = "",
    focus: int | None = None,
    title: str = "",
    alt: str = UNTOLD,
    hidden: Any = None,
) -> None:
    """Show attention weights to explore: point at a word, and see where it looks.

    The queries stand on one side, the keys on the other, joined by lines that are as wide as the
    weights are large; a switch turns the lines into a grid. Pointing at a query shows where it
    looks, pointing at a key who looks at it. A click or the Enter key keeps a word in focus.

    ```python
    attention_view(
        frames={t: softmax(scores / t) for t in (0.5, 1.0, 2.0)},
        slider="temperature",
        queries=["Hello", "shiny", "sun"],
        alt="The lower the temperature, the more each word looks at a single word.",
    )
    ```

    Args:
        weights: `(queries, keys)` or `(heads, queries, keys)`, none negative; an array, a tensor or
            nested lists.
        queries: the words that look.
        keys: the words that are looked at; left out, they are the queries.
        heads: the name of each head; left out, the heads are numbered from 1.
        frames: in place of `weights`, the weights for each position of a slider, all of one shape.
        slider: what the slider moves through, such as "temperature"; needed with `frames`.
        focus: a query to start with, counted from 0.
        title: a line above the view.
        alt: what there is to see, for those who can't see it.
        hidden: a mask of `(queries, keys)`, True where a key is hidden from a query; these cells of
            the grid are grey.

    Raises:
        ValueError: when the weights fit neither the words nor the heads, the mask does not fit the
            words, a weight is negative or not a number, not exactly one of `weights` and `frames`
            is given, or `alt` is empty.
        IndexError: when no query is in focus.
    """
    alt = one_line(alt)
    words = _Words(_texts(queries, "queries"), _texts(queries if keys is None else keys, "keys"))
    if focus is not None:
        check_index(focus, words.queries, name="focus")
    positions = _positions(weights, frames, slider)
    stacks = _read(positions, words)
    names = _head_names(heads, len(stacks[0]))
    mask = to_mask(hidden, len(words.queries), len(words.keys))
    view = _View(words, names, stacks, list(positions), slider, title, mask)
    publish(_page(view, focus, alt), alt)


@dataclass(frozen=True)
class _Words:
    queries: list[str]
    keys: list[str]


@dataclass(frozen=True)
class _View:
    words: _Words
    heads: list[str]
    stacks: list[Array]
    labels: list[str]
    slider: str
    title: str
    hidden: npt.NDArray[np.bool_]


def _texts(words: Sequence[str], name: str) -> list[str]:
    if isinstance(words, str):
        raise ValueError(f"The {name} are one text: pass a list of words.")
    texts = [str(word) for word in words]
    if not texts:
        raise ValueError(f"There is nothing to show: {name} holds no word.")
    return texts


def _positions(weights: Any, frames: Mapping[Any, Any] | None, slider: str) -> dict[str, Any]:
    """The weights for each position of the slider; without a slider, one position without name."""
    if (weights is None) == (frames is None):
        raise ValueError("Pass either weights or frames: one to show, or one per slider position.")
    if frames is None:
        return {"": weights}
    if not frames:
        raise ValueError("There is nothing to show: frames holds no weights.")
    if not slider:
        raise ValueError('The slider has no name: pass slider=…, such as "temperature".')
    return {str(position): value for position, value in frames.items()}


def _read(positions: Mapping[str, Any], words: _Words) -> list[Array]:
    """The weights of each position, `(heads, queries, keys)`."""
    stacks: list[Array] = []
    for position, values in positions.items():
        name = f"The frame {position!r}" if position else "The array of weights"
        stack = _stack(values, name, words)
        if stacks and len(stack) != len(stacks[0]):
            raise ValueError(
                f"{name} has {counted(len(stack), 'head')}, but the first frame has "
                f"{len(stacks[0])}: pass the same heads at each position."
            )
        stacks.append(stack)
    return stacks


def _stack(values: Any, name: str, words: _Words) -> Array:
    rows, columns = len(words.queries), len(words.keys)
    shape: tuple[int | None, ...] = (rows, columns)
    if np.ndim(values.detach() if hasattr(values, "detach") else values) == 3:
        shape = (None, rows, columns)
    wanted = (
        f"shape ({rows}, {columns}) or (heads, {rows}, {columns}), because there are "
        f"{rows} queries and {columns} keys"
    )
    array = to_array(values, name=name, shape=shape, wanted=wanted)
    if not array.size:
        raise ValueError(f"{name} holds no head: pass at least one.")
    if not (np.isfinite(array) & (array >= 0)).all():
        raise ValueError(f"{name} holds a negative number or none at all: pass attention weights.")
    return array.reshape(-1, rows, columns)


def _head_names(heads: Sequence[str] | None, count: int) -> list[str]:
    names = [str(i + 1) for i in range(count)] if heads is None else _texts(heads, "heads")
    if len(names) != count:
        raise ValueError(
            f"There {'is' if len(names) == 1 else 'are'} {counted(len(names), 'name')} for "
            f"{counted(count, 'head')}: pass one name for each head."
        )
    if len(set(names)) != count:
        raise ValueError("Two heads have the same name: pass a different one for each.")
    return names


def _page(view: _View, focus: int | None, alt: str) -> str:
    data = {
        "queries": view.words.queries,
        "keys": view.words.keys,
        "heads": view.heads,
        "frames": view.labels,
        "slider": view.slider,
        "title": view.title,
        "focus": focus,
        "hidden": view.hidden.flatten().nonzero()[0].tolist(),
        "alt": alt,
        "weights": [_packed(stack) for stack in view.stacks],
    }
    return (
        f'<div class="companion-attention"><style>{_asset("css")}</style>'
        f"{_static(view, focus, alt)}"
        # The script is told which element is its own by its place: identifiers would be doubled
        # where an output is shown twice.
        f"<script>(() => {{\n{_asset('js')}\n"
        f"attentionView(document.currentScript.parentElement, {_script_text(data)});\n"
        "})();</script></div>"
    )


def _static(view: _View, focus: int | None, alt: str) -> str:
    """The picture of all positions of the slider, or of all heads at its first position."""
    maps = _maps(view)
    columns = len(view.words.keys)
    size = len(view.words.queries) * columns
    shown = dict(list(maps.items())[: max(1, _MOST_CELLS // size)])
    numbered = columns <= _MOST_COLUMNS_WITH_NUMBERS and size * len(shown) <= _MOST_NUMBERS
    draw, inches = drawing(
        shown,
        rows=[_shortened(word) for word in view.words.queries],
        columns=[_shortened(word) for word in view.words.keys],
        row_name="queries",
        column_name="keys",
        highlight_row=focus,
        decimals=2 if numbered else None,
        same_scale=True,
        hidden=view.hidden,
    )
    return picture(draw, inches, alt)


def _maps(view: _View) -> dict[str, Array]:
    if len(view.heads) > 1:
        return {
            f"head {name}" if name.isdecimal() else name: matrix
            for name, matrix in zip(view.heads, view.stacks[0], strict=True)
        }
    if len(view.stacks) > 1:
        named = zip(view.labels, view.stacks, strict=True)
        return {f"{view.slider} {label}": stack[0] for label, stack in named}
    return {view.title: view.stacks[0][0]}


def _shortened(word: str) -> str:
    # A dollar sign would start a formula.
    word = word.replace("$", r"\$")
    return word if len(word) <= 16 else f"{word[:15]}…"


def _packed(stack: Array) -> str:
    return base64.b64encode(stack.astype("<f4").tobytes()).decode("ascii")


def _script_text(data: object) -> str:
    """JSON that can't end the script around it, whatever the words are."""
    text = json.dumps(data, ensure_ascii=True)
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


@cache
def _asset(kind: str) -> str:
    asset = files("companion.pictures") / f"attention_view.{kind}"
    return asset.read_text(encoding="utf-8").strip()
