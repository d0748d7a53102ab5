"""Packs values so that nobody reads them in passing: not by opening a file, nor by searching it.

That is no lock. A worksheet's numbers have four decimals, so whatever a check can compare with, a
program finds in a moment, and the check itself tells right from wrong as often as it is asked.
"""

import base64
import bz2
import json
from typing import Any

# What our own exams pack has a million or two; a word of two kilobytes can unpack to gigabytes.
_MOST = 64 << 20


def pack(value: Any) -> str:
    """What `json` can write, as one word; the same everywhere for the same value."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # The bytes of zlib's and lzma's are not the same in all of their versions.
    return base64.b64encode(bz2.compress(text.encode())).decode()


def unpack(word: str) -> Any:
    """What was packed.

    Raises:
        ValueError: when this was not.
    """
    try:
        packed = bz2.BZ2Decompressor()
        text = packed.decompress(base64.b64decode(word, validate=True), _MOST)
    except OSError as error:
        raise ValueError(f"what is packed in it is none of ours: {error}") from error
    if not packed.eof:
        raise ValueError("what is packed in it breaks off, or is larger than any of ours")
    return json.loads(text)
