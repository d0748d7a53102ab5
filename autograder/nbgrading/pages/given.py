"""What the pages of a class have in common, the lesson's own words and code, rendered once.

A page is made in a fork, and what it has rendered ends with that. So a fork hands it over with its
page, and the next one has it from the start.
"""

import json
from collections.abc import Callable

# Lessons have some hundred; what students add to their notebooks is not among them.
_MOST = 5000

_rendered: dict[tuple[str, str], str] = {}


def once(kind: str, text: str, render: Callable[[str], str]) -> str:
    """What a function makes of a text, and of nothing else.

    Args:
        kind: by which the function is known.
        text: what is rendered.
        render: how.
    """
    if (kind, text) not in _rendered:
        _rendered[kind, text] = render(text)
    return _rendered[kind, text]


def count() -> int:
    """How much is known, for `since`."""
    return len(_rendered)


def since(known: int) -> bytes:
    """What has been rendered since so much was known."""
    return json.dumps([[*key, html] for key, html in [*_rendered.items()][known:]]).encode()


def keep(content: bytes) -> None:
    """Know what a fork has rendered, of a number of lessons at most."""
    new = {(kind, text): html for kind, text, html in json.loads(content)}
    if len(_rendered) + len(new) > _MOST:
        _rendered.clear()
    _rendered.update(new)
