"""Pictures that a student's code displays, if whoever opens the page can draw them in no time.

A picture of a few kilobytes can keep a browser busy for minutes: an SVG whose parts are made of one
another, a PNG that unpacks to gigabytes, a JPEG that is drawn two thousand times. So an SVG has to
be one as Matplotlib writes it, and no picture has more than so many points, nor draws them again
and again; nor have all pictures of a page. What is looked at here is read once, from left to right.
"""

import base64
import binascii
import math
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape

# Each pixel takes four bytes where it is drawn.
_PIXELS = 25_000_000
_ELEMENTS = 50_000
_SVG_BYTES = 4_000_000
_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
_DEEPEST = 50
# What is drawn, counted in letters of paths; what costs a browser more counts as so many.
_STROKES = 10_000_000
_PART, _DASH, _CURVE, _CUT_OUT, _LAYER = 400, 10, 20, 2000, 10_000
_LARGER = 1e6
# Of all pictures of a page, some times as much as of one: a lesson's figures take a tenth of it.
_ON_A_PAGE = 4
# What Matplotlib writes: nothing that moves, filters, repeats or loads anything.
_KNOWN = frozenset(
    {
        *("svg", "metadata", "rdf:RDF", "cc:Work", "cc:Agent", "defs", "style", "g", "path", "use"),
        *("dc:type", "dc:format", "dc:date", "dc:creator", "dc:title", "clipPath", "rect", "image"),
    }
)
_ATTRIBUTES = frozenset(
    {
        *("id", "d", "style", "clip-path", "transform", "x", "y", "width", "height", "opacity"),
        *("href", "xlink:href", "type", "version", "viewBox", "preserveAspectRatio"),
        *("xmlns", "xmlns:xlink", "xmlns:dc", "xmlns:cc", "xmlns:rdf", "rdf:resource", "rdf:about"),
    }
)
# A browser reads an SVG as XML. What stands here reads to both as the same, letter by letter.
_TAG = re.compile(r'<([A-Za-z:]+)((?:\s+[\w:-]+="[^"<>&]*")*)\s*/?>')
_ATTRIBUTE = re.compile(r'\s([\w:-]+)="([^"]*)"')
_NO_TAG = re.compile(r"</[A-Za-z:]+\s*>|<!--[^<>]*-->|<!DOCTYPE [^\[\]<>]*>")
_NESTING = re.compile(r"<(/?)[A-Za-z:][^<>]*?(/?)>")
_CLIP = re.compile(
    r'<clipPath id="([^"]*)"\s*>\s*<(?:rect|path)((?:(?!clip-path)[^<>])*)/>\s*</clipPath>'
)
_SHEET = re.compile(
    r"<style[^<>]*>\s*\*\s*\{\s*(?:stroke-line(?:join|cap):\s*\w+\s*+(?:;\s*)?+)*+\}\s*</style>"
)
_STYLE = re.compile(
    r"\s*+(?:(?:fill|fill-opacity|fill-rule|stroke|stroke-width|stroke-linecap|stroke-linejoin|"
    r"stroke-miterlimit|stroke-opacity|stroke-dashoffset|opacity|image-rendering)"
    r"\s*+:\s*+[#\w.-]++|stroke-dasharray\s*+:[\d., ]++)\s*+"
)
_DASHES = re.compile(r"stroke-dasharray\s*:([\d., ]+)")
_LINES = re.compile(r"[MLQCz\d.,\s-]*")
_NUMBER = re.compile(r"\d++\.?\d*+|\.\d++")
_TRANSFORM = re.compile(r"(?:\s*(?:translate|rotate|scale)\([\d.,\s-]*\))*\s*")
_SCALE = re.compile(r"scale\(([^()]*)\)")
_TO_CLIP = re.compile(r"url\(#([^()]*)\)")
_TO_PNG = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=\s]++)")
_IMAGE = re.compile(r"<img\s([^<>]*)>")
_SOURCE = re.compile(r'\bsrc="data:image/(svg\+xml|png|jpeg);base64,([A-Za-z0-9+/]+={0,2})"')
_ALT = re.compile(r'\balt="([^"]*)"')
# The sizes of a JPEG stand behind one of these; others have parts of it.
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_WITHOUT_LENGTH = frozenset({*range(0xD0, 0xDA), 0xFF})
# A JPEG that comes in parts is drawn once for each; programs write ten, and in a preview as many.
_SCAN, _SCANS = b"\xff\xda", 24
# By this part of it a PNG is a film.
_MOVES = b"acTL"


@dataclass
class Room:
    """What the pictures of a page may still take of the browser that draws them.

    Attributes:
        pixels: points of PNGs and JPEGs.
        strokes: what is drawn of SVGs, counted as for one of them.
        lines: of text, each of which has a place of its own, however short it is.
        was_too_small: whether there was a picture that it was too small for. From then on none is
            looked at: that takes time as well.
        left_out: whether pictures were left out since somebody was told.
    """

    pixels: float = _ON_A_PAGE * _PIXELS
    strokes: float = _ON_A_PAGE * _STROKES
    lines: int = 100_000
    was_too_small: bool = False
    left_out: bool = False

    def has(self, pixels: float, strokes: float) -> bool:
        """Whether there is as much left, which is then taken."""
        self.was_too_small |= pixels > self.pixels or strokes > self.strokes
        if self.is_closed():
            return False
        self.pixels -= pixels
        self.strokes -= strokes
        return True

    def is_closed(self) -> bool:
        """Whether one more picture is left out, without a look at it."""
        self.left_out |= self.was_too_small
        return self.was_too_small


def picture(kind: str, value: object, room: Room) -> str:
    """A PNG or JPEG in base64, or "" for what is none, or has too many points.

    Args:
        kind: "image/png" or "image/jpeg".
        value: what was displayed under this name.
        room: what is left on the page.
    """
    if not isinstance(value, str) or room.is_closed():
        return ""
    content = _decoded("".join(value.split()))
    pixels = _pixels(content) if content.startswith(_PNG if kind == "image/png" else _JPEG) else 0
    is_shown = 0 < pixels <= _PIXELS and room.has(pixels, 0)
    return base64.b64encode(content).decode() if is_shown else ""


def pictures_in(html: str, room: Room) -> str:
    """The pictures of HTML, one after the other, each in an `<img>`, in which no script runs.

    Args:
        html: what was displayed.
        room: what is left on the page.
    """
    return "".join(_images(html, room))


def _images(html: str, room: Room) -> Iterator[str]:
    for tag in _IMAGE.finditer(html):
        if room.is_closed():
            return
        source, alt = _SOURCE.search(tag[1]), _ALT.search(tag[1])
        takes = _taken_by(source[1], _decoded(source[2])) if source else None
        if source and takes and room.has(*takes):
            said = escape(unescape(alt[1] if alt else ""), quote=True)
            data = f"data:image/{source[1]};base64,{source[2]}"
            yield f'<img src="{data}" alt="{said}" style="max-width:100%">'


def _taken_by(kind: str, content: bytes) -> tuple[float, float] | None:
    """The points and strokes of a picture; None for one that is not shown."""
    if kind == "svg+xml":
        return taken_by_svg(content)
    pixels = _pixels(content)
    return (pixels, 0) if 0 < pixels <= _PIXELS else None


def taken_by_svg(content: bytes) -> tuple[float, float] | None:
    """The points and strokes of an SVG that has nothing but what Matplotlib writes.

    None for one that has anything else, or too much of it.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    declared = re.match(r"\s*<\?xml\s[^<>?]*\?>", text)
    has_encoding = declared and "encoding" in declared[0] and '"utf-8"' not in declared[0].lower()
    if len(content) > _SVG_BYTES or has_encoding or "\0" in text:
        return None
    text = text[declared.end() :] if declared else text
    found = _TAG.findall(text)
    # Whatever begins here is known: no entity is declared, and nothing is read as something else.
    begun = text.count("<") - len(_NO_TAG.findall(text))
    if not begun == len(found) <= _ELEMENTS or _depth(text) > _DEEPEST:
        return None
    tags = [(name, dict(_ATTRIBUTE.findall(rest))) for name, rest in found]
    names = [name for name, _ in tags]
    is_plain = (
        names[:1] == ["svg"]
        and names.count("svg") == 1
        and _KNOWN.issuperset(names)
        and names.count("style") == len(_SHEET.findall(text))
        and names.count("clipPath") == len(_CLIP.findall(text))
        and all(_is_plain(name, attributes) for name, attributes in tags)
    )
    if not is_plain:
        return None
    pixels = sum(_pixels(_png_of(rest)) for name, rest in tags if name == "image")
    strokes = _strokes(tags, _CLIP.findall(text))
    return (pixels, strokes) if pixels <= _PIXELS and strokes <= _STROKES else None


_Attributes = dict[str, str]


def _depth(text: str) -> int:
    depth = deepest = 0
    for closes, alone in _NESTING.findall(text):
        depth += -1 if closes else 0 if alone else 1
        deepest = max(deepest, depth)
    return deepest


def _is_plain(name: str, attributes: _Attributes) -> bool:
    style = attributes.get("style", "")
    return (
        _ATTRIBUTES.issuperset(attributes)
        and all(_STYLE.fullmatch(one) for one in style.split(";") if one.strip())
        # What a group says of dashes holds for all that is in it.
        and (name in ("path", "use") or "dash" not in style)
        and _LINES.fullmatch(attributes.get("d", "")) is not None
        and _TRANSFORM.fullmatch(attributes.get("transform", "")) is not None
        and (
            "clip-path" not in attributes or _TO_CLIP.fullmatch(attributes["clip-path"]) is not None
        )
        and ("href" not in attributes or "xlink:href" not in attributes)
        and (name != "image" or _pixels(_png_of(attributes)) > 0)
    )


def _strokes(tags: Sequence[tuple[str, _Attributes]], clips: Sequence[tuple[str, str]]) -> float:
    """What is drawn; without end where anything but paths is used, or by another part's name."""
    # Of two with one name, a browser takes the first.
    paths = {one["id"]: one for name, one in reversed(tags) if name == "path" and "id" in one}
    others = {rest["id"] for name, rest in tags if name != "path" and "id" in rest}
    cut_out = {name: len(rest) + _CUT_OUT * (" d=" in rest) for name, rest in reversed(clips)}
    strokes, larger = 0.0, 1.0
    for name, rest in tags:
        drawn = rest
        if name == "use":
            target = _href(rest).removeprefix("#")
            if target not in paths or target in others or not _href(rest).startswith("#"):
                return math.inf
            drawn = paths[target]
        path, style = drawn.get("d", ""), rest.get("style", "")
        strokes += len(path) + _CURVE * (path.count("Q") + path.count("C"))
        strokes += _DASH * max(_dashes(path, style), _dashes(path, drawn.get("style", "")))
        strokes += cut_out.get(rest.get("clip-path", "")[5:-1], 0)
        strokes += _PART if name in ("path", "use", "rect", "image") else 0
        layered = name == "g" and ("opacity" in rest or re.search(r"(?<!-)opacity", style))
        strokes += _LAYER if layered else 0
        scales = " ".join(_SCALE.findall(rest.get("transform", "")))
        larger *= max([1.0, *map(float, _NUMBER.findall(scales))])
        if strokes > _STROKES or larger > _LARGER:
            return math.inf
    return strokes


def _dashes(path: str, style: str) -> float:
    """No fewer than a path is drawn with: it is no longer than twice what its numbers make."""
    found = _DASHES.search(style)
    parts = [float(one) for one in _NUMBER.findall(found[1])] if found else []
    length = 2 * sum(map(float, _NUMBER.findall(path))) if parts else 0
    return length * len(parts) / sum(parts) if sum(parts) else 0


def _href(attributes: _Attributes) -> str:
    return attributes.get("href", attributes.get("xlink:href", ""))


def _png_of(attributes: _Attributes) -> bytes:
    found = _TO_PNG.fullmatch(_href(attributes))
    content = _decoded("".join(found[1].split())) if found else b""
    return content if content.startswith(_PNG) else b""


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _pixels(content: bytes) -> int:
    """How many points a PNG or a JPEG has, as it says at its beginning.

    0 for anything else, and for what a browser draws more than once.
    """
    if content.startswith(_PNG) and content[12:16] == b"IHDR" and len(content) > 24:
        width, height = struct.unpack(">II", content[16:24])
        return 0 if _MOVES in _parts_of_png(content) else int(width * height)
    if content.startswith(_JPEG) and content.count(_SCAN) <= _SCANS:
        return _pixels_of_jpeg(content)
    return 0


def _parts_of_png(content: bytes) -> Iterator[bytes]:
    """The names of the parts in front of the picture itself."""
    place = len(_PNG)
    while (name := content[place + 4 : place + 8]) not in (b"", b"IDAT"):
        yield name
        place += 12 + int.from_bytes(content[place : place + 4], "big")


def _pixels_of_jpeg(content: bytes) -> int:
    place = 2
    # What has no length, or filling in front of it, a browser would read on from another place.
    while content[place : place + 1] == b"\xff" and content[place + 1 : place + 2] > b"\xbf":
        segment = content[place : place + 9]
        if len(segment) < 9 or segment[1] in _WITHOUT_LENGTH:
            return 0
        if segment[1] in _FRAMES:
            height, width = struct.unpack(">HH", segment[5:9])
            return int(width * height)
        place += 2 + max(2, int.from_bytes(segment[2:4], "big"))
    return 0
