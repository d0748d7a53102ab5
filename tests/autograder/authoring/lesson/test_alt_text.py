import sys
from types import ModuleType
from typing import Any

import pytest

from autograder.authoring.lesson.alt_text import Pictures, undescribed_in_prose

PYPLOT = (
    "pyplot draws pictures without alt text: use the course's figures, or set pyplot = true in "
    "course.toml"
)


@pytest.fixture(autouse=True)
def gallery(monkeypatch):
    """A module with one function that draws, one that does not, and a class."""

    class Frame:
        def __init__(self, alt):
            self.alt = alt

    module: Any = ModuleType("gallery")
    module.draw = lambda *numbers, alt: alt
    module.load = lambda name: name
    module.Frame = Frame
    module.SIZE = 3
    monkeypatch.setitem(sys.modules, "gallery", module)


def test_pyplot_where_a_course_allows_it():
    pictures = Pictures(pyplot=True)
    assert list(pictures.undescribed("import matplotlib.pyplot as plt\nplt.plot([1, 2])")) == []


def undescribed(*cells: str) -> list[tuple[int, str]]:
    """What is found in the last of the cells."""
    pictures = Pictures()
    found = [list(pictures.undescribed(cell)) for cell in cells]
    assert not any(found[:-1])
    return found[-1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("![](a.png)", 1),
        ("words\n\nsee ![ ](a.png) here", 3),
        ("![a map](a.png) ![](b.png)", 1),
        ("words\n![][map]", 2),
    ],
)
def test_image_without_alt(text, line):
    assert list(undescribed_in_prose(text)) == [(line, "an image has no alt text")]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<img src='a.png'>", 1),
        ("words\n<img\n  src='a.png'\n>", 2),
        ("words\n<p><IMG src='a.png' /></p>", 2),
        ('<img src="a.png" alt="">', 1),
        ("<img alt='' src='a.png'>", 1),
        ('<img src="a.png" alt="a map"> <img src="b.png">', 1),
    ],
)
def test_tag_without_alt(text, line):
    assert list(undescribed_in_prose(text)) == [(line, "an <img> has no alt text")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[](a.png) and wait! [a](b)",
        "![a map of words](a.png)",
        "<img src='a.png' alt='a map'>",
        '<img alt="a map" src="a.png"/>',
        "<imgs>",
        "<img\n  src='a.png'\n  alt='a map'\n>",
        "![a map][map] ![map][]",
    ],
)
def test_described_in_prose(text):
    assert list(undescribed_in_prose(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "import matplotlib.pyplot as plt",
        "import math, matplotlib.pyplot",
        "from matplotlib import pyplot",
        "from matplotlib import cm, pyplot as plt",
        "from matplotlib.pyplot import plot, show",
    ],
)
def test_pyplot(text):
    assert undescribed(f"import math\n{text}") == [(2, PYPLOT)]


@pytest.mark.parametrize("text", ["import matplotlib", "from matplotlib import colors", "plt.x()"])
def test_other_imports(text):
    assert undescribed(text) == []


@pytest.mark.parametrize("arguments", ["1", "1, size=2", "1, alt=''", "1, alt='  '", "1, alt=None"])
def test_call_without_alt(arguments):
    assert undescribed(f"from gallery import draw\n\nx = draw({arguments})") == [
        (3, "draw draws a figure without alt text: pass alt=…")
    ]


@pytest.mark.parametrize("alt", ["'a map'", "text", "f'{x} words'", "describe(x)"])
def test_call_with_alt(alt):
    assert undescribed(f"from gallery import draw\ndraw(1, alt={alt})") == []


def test_call_in_later_cell():
    found = undescribed(
        "from gallery import draw", "y = 1", "for _ in x:\n    draw(y)\n    draw(z)"
    )
    assert [line for line, _ in found] == [2, 3]


def test_other_name():
    ((line, words),) = undescribed("from gallery import draw as sketch", "draw(1)\nsketch(1)")
    assert line == 2
    assert words.startswith("sketch draws")


def test_call_within_call():
    assert len(undescribed("from gallery import draw", "show(draw(1), draw(2, alt='two'))")) == 1


def test_what_does_not_draw():
    text = "from gallery import load, Frame, SIZE, missing\nload(1)\nFrame(2)\nmissing(3)\nother(4)"
    assert undescribed(text) == []


def test_relative_import():
    assert undescribed("from . import gallery\ngallery(1)") == []


def test_import_of_nothing():
    with pytest.raises(ImportError, match="no_such_module"):
        undescribed("from no_such_module import draw")


def test_broken_code():
    with pytest.raises(SyntaxError):
        undescribed("draw(")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import gallery", "gallery.draw"),
        ("import gallery as rooms", "rooms.draw"),
        ("import gallery.east", "gallery.east.sketch"),
        ("import gallery.east as east", "east.sketch"),
        ("from gallery import east", "east.sketch"),
    ],
)
def test_call_through_module(monkeypatch, text, name):
    east: Any = ModuleType("gallery.east")
    east.sketch = lambda *numbers, alt: alt
    monkeypatch.setitem(sys.modules, "gallery.east", east)
    monkeypatch.setattr(sys.modules["gallery"], "east", east, raising=False)
    assert undescribed(text, f"{name}(1)\n{name}(2, alt='two')") == [
        (1, f"{name} draws a figure without alt text: pass alt=…")
    ]


def test_module_that_does_not_draw():
    assert undescribed("import gallery", "gallery.load(1)\ngallery.missing(2)\nx.draw(3)") == []
