"""When does a name lead to what a rule forbids? Asked of a student's source, and of what it calls.

Libraries give what does the work for a public function that function's name behind an underscore,
with words put in: `_scaled_dot_product_flash_attention` is `scaled_dot_product_attention`.
"""


def matches(word: str, path: str) -> bool:
    """Whether a path such as `torch.softmax` is to, or through, what has this name.

    Args:
        word: the name that a rule forbids.
        path: names of a library's with dots between them.
    """
    return any(
        part == word or (part.startswith("_") and _holds(part, word)) for part in path.split(".")
    )


def _holds(private: str, word: str) -> bool:
    left = iter(private.split("_"))
    return all(part in left for part in word.split("_"))
