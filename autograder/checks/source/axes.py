"""The names of the axes of what an exercise returns, read from the reference's own docstring.

A docstring says "The context vectors, (tokens, d_in), and the attention weights, (tokens, tokens)",
or "Weights of the same shape and dtype", which is that of the first argument. Of a class it may say
"Call it with inputs of shape (batch, tokens, d_in). It returns …", or `forward` has a sentence of
its own. Where nothing is said that can be read so, axes have no names.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from typing import get_origin

Shape = tuple[str, ...]

_SECTION = r"^{}:\n(?P<text>.*?)(?=^\S|\Z)"
_GROUP = re.compile(r"\(([^()]*,[^()]*)\)")
_AXIS = re.compile(r"(?!\d+$)\w+(?: ?[·*+/−-] ?\w+)*|\.\.\.")
_ARGUMENT = re.compile(r"^    (\w+): (.*?)(?=^    \w|\Z)", re.MULTILINE | re.DOTALL)
_LIKE = re.compile(r"[Ii]n the shape (?:and dtype )?of (?:the )?`?(\w+)|laid out like the (\w+)")
_SAME = re.compile(r"\bsame shape\b|\b[Ii]n the shape and dtype\b")
_IT_RETURNS = re.compile(r"\bIt returns (.*?)(?:[.:](?= )|\Z)")
# What `run_module` calls what came out of a module.
_OUTPUT = "output"


def axes_of(reference: Callable[..., object], returns: Sequence[str]) -> dict[str, list[Shape]]:
    """The shapes that each part of the result may have, by the part's name in messages.

    Args:
        reference: the function, or the class, of whose `forward` the result is then called
            "output".
        returns: the words for the parts of a tuple.
    """
    is_class = isinstance(reference, type)
    called = getattr(reference, "forward", None) if is_class else reference
    if called is None:
        return {}
    text = inspect.getdoc(called) or ""
    if is_class and "Returns:" not in text:
        text = inspect.getdoc(reference) or ""
        if "Returns:" not in text:
            return _of_a_call(text, called.__doc__ or "")
    section = re.search(_SECTION.format("Returns"), text, re.MULTILINE | re.DOTALL)
    if not section:
        return {}
    found = " ".join(section["text"].split())
    whole = _OUTPUT if is_class else ""
    parts = list(returns) or [whole]
    if not returns and get_origin(inspect.signature(called).return_annotation) is tuple:
        parts = [f"{whole}[{n}]" for n in range(len(_shapes(found)))]
    if len(parts) == 1:
        return _named(parts, [_shapes(found) or list(_alike(found, text))])
    shapes = _shapes(found)
    if len(shapes) < len(parts) and shapes and re.search(r"\beach\b", found):
        shapes += [shapes[-1]] * (len(parts) - len(shapes))
    return _named(parts, [[shape] for shape in shapes]) if len(shapes) == len(parts) else {}


def _of_a_call(of_class: str, of_forward: str) -> dict[str, list[Shape]]:
    """The shape of a module's output, where no section says it."""
    sentences = " ".join(of_class.partition("\n\nArgs")[0].split())
    told = _IT_RETURNS.search(sentences)
    found = told[1] if told else " ".join(of_forward.split()).partition(". ")[0]
    alike = _shapes(sentences) if _SAME.search(found) else []
    return _named([_OUTPUT], [(_shapes(found) or alike)[:1]])


def _named(parts: Sequence[str], shapes: Sequence[list[Shape]]) -> dict[str, list[Shape]]:
    # A later pair in brackets, such as the (i, j) of an entry, is no shape.
    first = [list({len(one): one for one in reversed(found)}.values())[::-1] for found in shapes]
    return {part: found for part, found in zip(parts, first, strict=True) if found}


def _shapes(text: str) -> list[Shape]:
    return [shape for group in _GROUP.findall(text) if (shape := _shape(group))]


def _shape(group: str) -> Shape:
    axes = tuple(axis.strip() for axis in group.split(",") if axis.strip())
    return axes if all(map(_AXIS.fullmatch, axes)) else ()


def _alike(found: str, text: str) -> Iterator[Shape]:
    """The shapes of the argument that the result is said to resemble."""
    section = re.search(_SECTION.format("Args"), text, re.MULTILINE | re.DOTALL)
    arguments = dict(_ARGUMENT.findall(section["text"])) if section else {}
    like = _LIKE.search(found)
    if like:
        yield from _shapes(" ".join(arguments.get(like[1] or like[2], "").split()))
    elif _SAME.search(found) and arguments:
        yield from _shapes(" ".join(next(iter(arguments.values())).split()))
