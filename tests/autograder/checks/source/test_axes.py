"""Names of axes are those that a learner reads in the docstring."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from autograder.checks.source.axes import axes_of

QUERIES = "queries", "keys"


def documented(returns: str) -> Callable[..., object]:
    def answer(scores: object, inputs: object) -> object:
        return None

    answer.__doc__ = f"""Something.

    Args:
        scores: one per query and key,
            (queries, keys), or (batch, queries, keys).
        inputs: the words, (tokens, d_in).

    Returns:
        {returns}

    Raises:
        ValueError: for (this, that).
    """
    return answer


@pytest.mark.parametrize(
    ("sentence", "returns", "axes"),
    [
        ("One score per word, (tokens,), in their dtype.", (), {"": [("tokens",)]}),
        ("(..., n − 1), where n (below zero, if one likes) is", (), {"": [("...", "n − 1")]}),
        ("The product, (m, n): entry (i, j) is", (), {"": [("m", "n")]}),
        ("(d,); or one for each row, (m, d).", (), {"": [("d",), ("m", "d")]}),
        ("One number.", (), {}),
        ("Weights of the same shape.", (), {"": [QUERIES, ("batch", *QUERIES)]}),
        ("In the shape and dtype of the inputs.", (), {"": [("tokens", "d_in")]}),
        ("A tensor laid out like the `inputs`", (), {}),
        ("A, (k, d), and b, (v, d).", ("a", "b"), {"a": [("k", "d")], "b": [("v", "d")]}),
        ("Both, each (k, d).", ("a", "b"), {"a": [("k", "d")], "b": [("k", "d")]}),
        ("The matrix, (k, d); and how many.", ("a", "b"), {}),
    ],
)  # fmt: skip
def test_axes_in_a_docstring(
    sentence: str, returns: Sequence[str], axes: dict[str, object]
) -> None:
    assert axes_of(documented(sentence), returns) == axes


class Module:
    """A module."""

    def forward(self, x: object) -> tuple[np.ndarray, np.ndarray]:
        """Attend.

        Returns:
            The contexts, (batch, d), and the weights, (batch, source).
        """
        raise NotImplementedError


class InItsClass:
    """A module.

    Returns:
        The contexts, (batch, d).
    """

    def forward(self, x: object) -> np.ndarray:
        """Attend."""
        raise NotImplementedError


class InASentence:
    """A module.

    Call it with inputs of shape (batch, tokens, d_in), tokens at most 9. It
    returns the contexts, (batch, tokens, h · d): those of head 0 first (or so, or so).

    Args:
        d: a size of another shape, (d, d).
    """

    def forward(self, x: object) -> np.ndarray:
        raise NotImplementedError


class OfTheSameShape:
    """Call it with a batch of shape (batch, d). It returns a new tensor of the same shape."""

    def forward(self, x: object) -> np.ndarray:
        raise NotImplementedError


class InForward:
    """A module, (of, no) shape."""

    def forward(self, x: object) -> np.ndarray:
        """The contexts, (tokens, d), of a sentence (tokens, d_in). What (a, b) is, is told."""
        raise NotImplementedError


def test_axes_of_a_module_in_sentences() -> None:
    assert axes_of(InASentence, ()) == {"output": [("batch", "tokens", "h · d")]}
    assert axes_of(OfTheSameShape, ()) == {"output": [("batch", "d")]}
    assert axes_of(InForward, ()) == {"output": [("tokens", "d")]}


def test_axes_of_a_module() -> None:
    assert axes_of(Module, ()) == {
        "output[0]": [("batch", "d")],
        "output[1]": [("batch", "source")],
    }
    assert axes_of(InItsClass, ()) == {"output": [("batch", "d")]}
    assert axes_of(type("Bare", (), {}), ()) == {}
