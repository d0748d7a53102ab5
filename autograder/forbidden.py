"""When does a name lead to what a rule forbids? Asked of a student's source, and of what it calls.

Libraries give what does the work for a public function that function's name behind an underscore,
with words put in: `_scaled_dot_product_flash_attention` is `scaled_dot_product_attention`.
"""

from collections.abc import Container


def matches(word: str, path: str, own: Container[str] = ()) -> bool:
    """Whether a path such as `torch.softmax` is to, or through, what has this name.

    Args:
        word: the name that a rule forbids.
        path: names with dots between them, or any other text.
        own: functions of the student's, which may be called as a library's private ones are.
    """
    return any(
        part == word or (part.startswith("_") and part not in own and _holds(part, word))
        for part in path.split(".")
    )


def _holds(private: str, word: str) -> bool:
    left = iter(private.split("_"))
    return all(part in left for part in word.split("_"))
