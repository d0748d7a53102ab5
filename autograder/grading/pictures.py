"""Pictures that a student's code displays, if whoever opens the page can draw them in no time.

A picture of a few kilobytes can keep a browser busy for minutes: an SVG whose parts are made of one
another, or a PNG that unpacks to gigabytes. So an SVG has to be one as Matplotlib writes it, and no
picture has more than so many points. What is looked at here is read once, from left to right.
"""

import base64
import binascii
import re
import struct
from collections.abc import Iterator
from html import escape, unescape

# Each pixel takes four bytes where it is drawn.
_PIXELS = 25_000_000
_ELEMENTS = 50_000
_SVG_BYTES = 4_000_000
_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
# What Matplotlib writes: nothing that moves, filters, repeats or loads anything.
_KNOWN = frozenset(
    {
        *("svg", "metadata", "rdf:RDF", "cc:Work", "cc:Agent", "defs", "style", "g", "path", "use"),
        *("dc:type", "dc:format", "dc:date", "dc:creator", "dc:title", "clipPath", "rect", "image"),
    }
)
_TAG = re.compile(r"<([^\s<>/!?]+)([^<>]*)>")
_ID = re.compile(r"""\bid\s*=\s*["']([^"']*)""")
_CLIP = re.compile(r"<clipPath [^<>]*>\s*<(?:rect|path)((?:(?!clip-path)[^<>])*)/>\s*</clipPath>")
_TO_OWN = re.compile(r'\s(?:xlink:)?href="#([^"]*)"')
_TO_PNG = re.compile(r'\s(?:xlink:)?href="data:image/png;base64,\s*([A-Za-z0-9+/=\s]+)"')
_DOCTYPE = re.compile(r"<!DOCTYPE [^\[\]<>]*>")
_IMAGE = re.compile(r"<img\s([^<>]*)>")
_SOURCE = re.compile(r'\bsrc="data:image/(svg\+xml|png|jpeg);base64,([A-Za-z0-9+/]+={0,2})"')
_ALT = re.compile(r'\balt="([^"]*)"')
# The sizes of a JPEG stand behind one of these; others have parts of it.
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


def picture(kind: str, value: object) -> str:
    """A PNG or JPEG in base64, or "" for what is none, or has too many points.

    Args:
        kind: "image/png" or "image/jpeg".
        value: what was displayed under this name.
    """
    content = _decoded("".join(value.split())) if isinstance(value, str) else b""
    pixels = _pixels(content) if content.startswith(_PNG if kind == "image/png" else _JPEG) else 0
    return base64.b64encode(content).decode() if 0 < pixels <= _PIXELS else ""


def pictures_in(html: str) -> str:
    """The pictures of HTML, one after the other, each in an `<img>`, in which no script runs."""
    return "".join(_images(html))


def _images(html: str) -> Iterator[str]:
    for tag in _IMAGE.finditer(html):
        source, alt = _SOURCE.search(tag[1]), _ALT.search(tag[1])
        if source and _is_drawn_soon(source[1], _decoded(source[2])):
            said = escape(unescape(alt[1] if alt else ""), quote=True)
            data = f"data:image/{source[1]};base64,{source[2]}"
            yield f'<img src="{data}" alt="{said}" style="max-width:100%">'


def _is_drawn_soon(kind: str, content: bytes) -> bool:
    return is_plain_svg(content) if kind == "svg+xml" else 0 < _pixels(content) <= _PIXELS


def is_plain_svg(content: bytes) -> bool:
    """Whether an SVG has nothing but what Matplotlib writes, and not too much of it."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    declared = re.match(r"\s*<\?xml[^<>]*\?>", text)
    has_encoding = declared and "encoding" in declared[0] and '"utf-8"' not in declared[0].lower()
    if len(content) > _SVG_BYTES or has_encoding or "\0" in text:
        return False
    # Declared entities stand for other texts, as often as they are named.
    if text.count("<!") != len(_DOCTYPE.findall(text)) + text.count("<!--"):
        return False
    tags = _TAG.findall(text)
    names = [name for name, _ in tags]
    # What begins like a tag is one that was read here as well.
    begun = len(re.findall(r"<(?![/!?])", text))
    if not begun == len(tags) <= _ELEMENTS or names[:1] != ["svg"] or not _KNOWN.issuperset(names):
        return False
    if names.count("clipPath") != len(_CLIP.findall(text)):
        return False
    paths = {found for name, rest in tags if name == "path" for found in _ID.findall(rest)}
    others = {found for name, rest in tags if name != "path" for found in _ID.findall(rest)}
    return all(
        rest.count("href") == 1 and bool({*_TO_OWN.findall(rest)} & (paths - others))
        if name == "use"
        else _shows_a_small_png(rest)
        for name, rest in tags
        if name in ("use", "image")
    )


def _shows_a_small_png(attributes: str) -> bool:
    found = _TO_PNG.findall(attributes)
    if attributes.count("href") != 1 or len(found) != 1:
        return False
    return 0 < _pixels(_decoded("".join(found[0].split()))) <= _PIXELS


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _pixels(content: bytes) -> int:
    """How many points a PNG or a JPEG has, as it says at its beginning; 0 for anything else."""
    if content.startswith(_PNG) and content[12:16] == b"IHDR" and len(content) > 24:
        width, height = struct.unpack(">II", content[16:24])
        return int(width * height)
    place = 2
    while content.startswith(_JPEG) and content[place : place + 1] == b"\xff":
        segment = content[place : place + 9]
        if len(segment) < 9:
            return 0
        if segment[1] in _FRAMES:
            height, width = struct.unpack(">HH", segment[5:9])
            return int(width * height)
        place += 2 + max(2, int.from_bytes(segment[2:4], "big"))
    return 0
