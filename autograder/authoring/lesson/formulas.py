"""Formulas as MathML, which browsers set by themselves: no script, no network.

The library gives text back as it came, brackets and all, so nothing of its own writing is used:
its tree is written out here, with the elements and attributes that mathematics needs.
"""

import re
from collections.abc import Iterator
from html import escape, unescape
from itertools import groupby
from xml.etree.ElementTree import Element

from latex2mathml.converter import Converter

_ELEMENTS_LIST = """
math mrow mi mn mo mtext mspace msub msup msubsup munder mover munderover mfrac msqrt mroot mtable
mtr mtd mstyle mpadded mphantom
"""
_ELEMENTS = frozenset(_ELEMENTS_LIST.split())
_ATTRIBUTES_LIST = """
display displaystyle scriptlevel stretchy fence form lspace rspace width mathvariant linethickness
accent minsize maxsize symmetric columnalign columnspacing rowspacing
"""
_ATTRIBUTES = frozenset(_ATTRIBUTES_LIST.split())
_VALUE = re.compile(r"[\w .%+-]*")
# In MathML as browsers have it, a width is a length.
_WIDTHS = {
    "negativethinmathspace": "-0.1667em",
    "negativemediummathspace": "-0.2222em",
    "thinmathspace": "0.1667em",
    "mediummathspace": "0.2222em",
    "thickmathspace": "0.2778em",
}
# The library knows the form that stands alone; within a formula they look alike.
_ENVIRONMENTS = {"aligned": "align*", "gathered": "gather*", "equation": "align*"}
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(\w+)\}")


def as_mathml(tex: str, *, block: bool) -> str:
    """A formula as MathML; what the library can't read is shown as it was written."""
    shape = "block" if block else "inline"
    try:
        tree = Converter(display=shape).convert_to_element(_ENVIRONMENT.sub(_known, tex.strip()))
        return "".join(_written(tree))
    # It has no exception of its own for most of what it can't read.
    except Exception:
        return f"<code>{escape(tex)}</code>"


def _known(found: re.Match[str]) -> str:
    return f"\\{found[1]}{{{_ENVIRONMENTS.get(found[2], found[2])}}}"


def _written(element: Element) -> Iterator[str]:
    name = element.tag if element.tag in _ELEMENTS else "mrow"
    attributes = "".join(
        f' {key}="{_WIDTHS.get(value, value)}"'
        for key, value in element.attrib.items()
        if key in _ATTRIBUTES and _VALUE.fullmatch(value)
    )
    yield f"<{name}{attributes}>"
    # The library writes signs as entities.
    yield escape(unescape(element.text or ""))
    for child in _joined(list(element)):
        yield from _written(child)
        yield escape(unescape(child.tail or ""))
    yield f"</{name}>"


def _joined(children: list[Element]) -> Iterator[Element]:
    """Upright letters in a row are one word, such as softmax."""
    for upright, group in groupby(children, key=_is_upright):
        if upright:
            word = Element("mi")
            word.text = "".join(letter.text or "" for letter in group)
            yield word
        else:
            yield from group


def _is_upright(element: Element) -> bool:
    return element.tag == "mi" and element.get("mathvariant") == "normal"
