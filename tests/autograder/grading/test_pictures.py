"""Pictures that are drawn in no time stay; all others go, in time that grows with their size."""

import base64
import io
import struct
import time
from collections.abc import Callable

import pytest
from PIL import Image

from autograder.grading.inert import inert_outputs
from autograder.grading.pictures import Room, picture, pictures_in, taken_by_svg

NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
DOCTYPE = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">'


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\2\0\0\0"


def jpeg(width: int, height: int) -> bytes:
    sizes = struct.pack(">BHH", 8, height, width)
    return b"\xff\xd8\xff\xe0\0\4\0\0\xff\xc2\0\x11" + sizes + b"\3"


def in_base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


SMALL, HUGE = in_base64(png(100, 100)), in_base64(png(60_000, 60_000))

LARGE, USE = in_base64(png(5000, 4000)), '<use href="#A"/>'


def svg(inner: str, head: str = "") -> bytes:
    return f"{head}<svg {NAMES}>{inner}</svg>".encode()


PLAIN = {
    "as Matplotlib begins": svg(
        '<defs><style type="text/css">*{stroke-linejoin: round}</style></defs>',
        f'<?xml version="1.0" encoding="utf-8" standalone="no"?>\n{DOCTYPE}\n',
    ),
    "a letter twice": svg(
        '<defs><path id="A" d="M 0 0"/></defs><use xlink:href="#A"/><use xlink:href="#A" x="9"/>'
    ),
    "clipped": svg(
        '<clipPath id="c"><rect width="9" height="9"/></clipPath><g clip-path="url(#c)"/>'
    ),
    "a small picture": svg(f'<image xlink:href="data:image/png;base64,{SMALL}"/>'),
    "a comment": svg("<!-- <b>, as in text -->".replace("<b>", "b")),
}
NESTED = "".join(f'<g id="g{n + 1}"><use href="#g{n}"/><use href="#g{n}"/></g>' for n in range(40))
REFUSED = {
    "parts of parts": svg(f'<path id="g0" d="M 0 0"/>{NESTED}<use href="#g40"/>'),
    "a group used": svg('<g id="A"/><use xlink:href="#A"/>'),
    "a path and a group of one name": svg('<g id="A"/><path id="A"/><use href="#A"/>'),
    "used from elsewhere": svg('<use href="https://example.org/a.svg#A"/>'),
    "used twice at once": svg('<path id="A"/><g id="B"/><use href="#A" xlink:href="#B"/>'),
    "another name for use": svg('<s:use xmlns:s="http://www.w3.org/2000/svg" href="#A"/>'),
    "another name for href": svg(
        '<g id="A"/><use xmlns:l="http://www.w3.org/1999/xlink" l:href="#A"/>'
    ),
    "entities": svg("&b;", '<!DOCTYPE svg [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]>'),
    "an entity for a tag": svg("&b;", "<!DOCTYPE svg [<!ENTITY b '<g/>'>]>"),
    "clips of clips": svg(
        '<clipPath id="a"><rect clip-path="url(#b)"/></clipPath><clipPath id="b"><rect/></clipPath>'
    ),
    "a clip of two": svg('<clipPath id="a"><rect/><rect/></clipPath>'),
    "a filter": svg('<filter id="f"><feTurbulence numOctaves="9999"/></filter>'),
    "a pattern": svg('<pattern id="p"><rect/></pattern>'),
    "a script": svg("<script>alert(1)</script>"),
    "what moves": svg('<animate attributeName="x" dur="1ms"/>'),
    "HTML": svg("<foreignObject><p>hi</p></foreignObject>"),
    "a huge picture": svg(f'<image xlink:href="data:image/png;base64,{HUGE}"/>'),
    "a picture from elsewhere": svg('<image href="https://example.org/a.png"/>'),
    "text that is no UTF-8": svg("<g/>").decode().encode("utf-16"),
    "an encoding of its own": svg("<g/>", '<?xml version="1.0" encoding="utf-7"?>'),
    "too many parts": svg("<g/>" * 60_000),
    "a tag within a tag": svg("<g title=\"<use href='#a'/>\"/>"),
    "another href behind a bracket": svg(
        '<path id="A"/><g id="B"/><use xlink:href="#A" class=">" href="#B"/>'
    ),
    "a group's name in other letters": svg('<g id="&#65;"/><path id="A"/><use href="#A"/>'),
    "an SVG in a background": svg(
        '<g style="background:url(data:image/svg+xml;base64,PHN2Zy8+)"/>'
    ),
    "a filter in a style": svg('<g style="filter: blur(300px)"/>'),
    "a filter in a sheet": svg("<style>*{} g{filter: blur(300px)}</style>"),
    "a sheet behind another": svg("<style>*{stroke-linecap: butt} g{color: red}</style>"),
    "a sheet from elsewhere": svg("<g/>", '<?xml version="1.0"?><?xml-stylesheet href="a.css"?>'),
    "a sheet before all": svg("<g/>", '<?xml-stylesheet href="data:text/css,g{}"?>'),
    "a clip that is clipped": svg('<clipPath id="a" clip-path="url(#b)"><rect/></clipPath>'),
    "layers on layers": svg('<g opacity="0.9">' * 60 + "</g>" * 60),
    "layers beside layers": svg('<g style="opacity: 0.9"/>' * 2000),
    "dashes beyond number": svg('<path d="M 0 0 L 99999 0" style="stroke-dasharray: 0.002"/>'),
    "dashes for a group": svg('<g style="stroke-dasharray: 0.002"><path d="M 0 0 L 9 9"/></g>'),
    "a long path used often": svg(f'<path id="A" d="M{" 1 2" * 9000}"/>{USE * 9000}'),
    "large pictures": svg(f'<image href="data:image/png;base64,{LARGE}"/>' * 2),
    "enlarged again and again": svg('<g transform="scale(9999)">' * 9 + "</g>" * 9),
    "text where a tag hides": svg("<![CDATA[<g>]]>"),
}


@pytest.mark.parametrize("content", PLAIN.values(), ids=PLAIN)
def test_plain_svg_stays(content: bytes) -> None:
    assert taken_by_svg(content)
    assert "data:image/svg+xml" in pictures_in(shown(content), Room())


@pytest.mark.parametrize("content", REFUSED.values(), ids=REFUSED)
def test_other_svg_goes(content: bytes) -> None:
    assert taken_by_svg(content) is None
    assert pictures_in(shown(content), Room()) == ""


def shown(content: bytes) -> str:
    return f'<img src="data:image/svg+xml;base64,{in_base64(content)}" alt="a figure">'


@pytest.mark.parametrize(("kind", "make"), [("image/png", png), ("image/jpeg", jpeg)])
def test_pictures_have_bounds(kind: str, make: Callable[[int, int], bytes]) -> None:
    assert picture(kind, in_base64(make(640, 480)), Room())
    assert picture(kind, in_base64(make(60_000, 60_000)), Room()) == ""
    assert picture(kind, in_base64(make(640, 480)[:12]), Room()) == ""


def film(width: int, height: int) -> bytes:
    """A PNG of many pictures, behind a text that names what stands in front of the first."""
    parts = (b"\0\0\0\4tEXtIDAT", b"\0\0\0\x08acTL\0\0\0\x3c\0\0\0\0")
    return png(width, height) + b"\0" * 4 + b"".join(part + b"\0" * 4 for part in parts)


def seen_as_small(filling: bytes) -> bytes:
    """A large JPEG whose sizes stand elsewhere for who is led astray by what is put in front."""
    large = jpeg(60_000, 60_000)
    astray = large[:2] + filling + large[2:]
    length = int.from_bytes(astray[4:6], "big")
    return astray.ljust(4 + length, b"\0") + jpeg(1, 1)[8:]


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("image/png", film(640, 480)),
        ("image/jpeg", jpeg(640, 480) + b"\xff\xda\0\x08\1\1\0\1\x3f\0" * 2000),
        ("image/jpeg", seen_as_small(b"\xff")),
        ("image/jpeg", seen_as_small(b"\xff\1")),
        ("image/jpeg", seen_as_small(b"\xff\xd0")),
    ],
    ids=["a film", "two thousand times", "filling", "a mark alone", "another"],
)
def test_pictures_are_drawn_once(kind: str, content: bytes) -> None:
    assert picture(kind, in_base64(content), Room()) == ""
    name = kind.removeprefix("image/")
    assert pictures_in(f'<img src="data:{kind};base64,{in_base64(content)}">', Room()) == ""
    image = f'<image href="data:image/{name};base64,{in_base64(content)}"/>'
    assert taken_by_svg(svg(image)) is None


def test_pictures_that_programs_write_stay() -> None:
    for kind, options in (("png", {}), ("jpeg", {"progressive": True})):
        written = io.BytesIO()
        Image.effect_noise((64, 48), 50).convert("RGB").save(written, kind, **options)
        assert picture(f"image/{kind}", in_base64(written.getvalue()), Room())


LONG = svg(f'<path id="A" d="M{" 1 2" * 9000}"/>{USE * 250}')


@pytest.mark.parametrize(
    "shown_often",
    [
        {"text/html": shown(LONG)},
        {"text/html": shown(LONG) * 3},
        {"text/html": shown(svg(f'<image href="data:image/png;base64,{LARGE}"/>'))},
        {"image/png": LARGE},
    ],
    ids=["one after the other", "several in one output", "in an SVG", "a PNG"],
)
def test_pictures_of_a_page_have_bounds_together(shown_often: dict[str, str]) -> None:
    """Each of them is small and soon drawn; a thousand would keep a browser for minutes."""
    displayed = [{"output_type": "display_data", "data": shown_often}] * 12
    safe = inert_outputs(displayed, 10_000_000)
    kept = [one for one in safe if one["output_type"] == "display_data"]
    assert 0 < len(kept) <= 8
    assert "pictures were left out" in safe[-1]["text"]


def test_room_of_a_page_is_shared_by_its_cells() -> None:
    displayed = [{"output_type": "display_data", "data": {"image/png": LARGE}}]
    room = Room()
    cells = [inert_outputs(displayed, 10_000_000, room) for _ in range(12)]
    assert sum("data" in one for cell in cells for one in cell) == room_for(20_000_000)


def room_for(pixels: int) -> int:
    """How many pictures of so many points there is room for on a page."""
    return int(Room().pixels // pixels)


@pytest.mark.parametrize(
    "text",
    ["<img " * 200_000, "<img src=" + "a" * 1_000_000, "<" * 1_000_000, '<img alt="' * 100_000],
)
def test_html_is_read_in_time(text: str) -> None:
    begun = time.process_time()
    assert pictures_in(text, Room()) == ""
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    "text",
    [
        f"<svg><path id='A' d='M{' 1 2' * 400_000}'/>{USE * 40_000}</svg>".replace("'", '"'),
        "<svg><g" + ' id="a"' * 400_000,
        "<g id='" * 100_000,
        "<clipPath >" * 100_000,
        "<!DOCTYPE " * 100_000,
        "<?xml" + " " * 900_000,
    ],
)
def test_svg_is_read_in_time(text: str) -> None:
    begun = time.process_time()
    assert taken_by_svg(text.encode()) is None
    assert time.process_time() - begun < 2
