"""Functions to try your own tests on: some have the property that a test looks for, some do not.

A test that you write is right when it says yes to the first kind and no to the second.
"""

import numpy as np

from companion.functions import softmax


def plain_attention(inputs: np.ndarray, /) -> np.ndarray:
    """Dot-product self-attention with nothing to train and no scaling, as PyTorch computes it.

    Args:
        inputs: `(tokens, d_in)`.

    Returns:
        The contexts, `(tokens, d_in)`, float64.
    """
    X = np.array(inputs, dtype=np.float64)
    return _mixed(X, X)


def attention_with_positions(inputs: np.ndarray, /) -> np.ndarray:
    """The same attention, on inputs that were first told where they stand.

    To every feature of token i it adds i/2, then it attends.

    Args:
        inputs: `(tokens, d_in)`.

    Returns:
        The contexts, `(tokens, d_in)`, float64.
    """
    X = np.array(inputs, dtype=np.float64)
    return plain_attention(X + 0.5 * np.arange(len(X))[:, np.newaxis])


def attention_map(inputs: np.ndarray) -> np.ndarray:
    """The attention weights behind `plain_attention`, for pictures.

    Args:
        inputs: `(tokens, d_in)`.

    Returns:
        The weights, `(tokens, tokens)`, float64: queries on rows, keys on columns.
    """
    X = np.array(inputs, dtype=np.float64)
    # Mixing the unit vectors of the words leaves nothing but the weights themselves.
    return _mixed(X, np.eye(len(X)))


def _mixed(X: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values, mixed by self-attention over X; by NumPy in a browser, which has no torch."""
    try:
        import torch
    except ModuleNotFoundError:
        return np.asarray(softmax(X @ X.T) @ values)
    queries, mixed = torch.from_numpy(X), torch.from_numpy(values)
    attend = torch.nn.functional.scaled_dot_product_attention
    return np.asarray(attend(queries, queries, mixed, scale=1.0).numpy())


def leave_as_is(inputs: np.ndarray, /) -> np.ndarray:
    """No attention at all: every word keeps its vector.

    Args:
        inputs: `(tokens, d_in)`.

    Returns:
        A copy of the inputs, float64.
    """
    return np.array(inputs, dtype=np.float64)


def copy_first_word(inputs: np.ndarray, /) -> np.ndarray:
    """Every word gets the vector of whichever word stands first.

    Args:
        inputs: `(tokens, d_in)`.

    Returns:
        An array of the shape of the inputs, float64.
    """
    X = np.array(inputs, dtype=np.float64)
    return np.repeat(X[:1], len(X), axis=0)


def reversed_attention(inputs: np.ndarray, /) -> np.ndarray:
    """The contexts of `plain_attention`, handed out from the last word to the first.

    Args:
        inputs: `(tokens, d_in)`.

    Returns:
        The contexts in reverse, `(tokens, d_in)`, float64.
    """
    return plain_attention(inputs)[::-1]


def attention_with_a_slip(inputs: np.ndarray, /) -> np.ndarray:
    """The contexts of `plain_attention`, with 0.1 too much in whichever row is the last.

    Args:
        inputs: `(tokens, d_in)`.

    Returns:
        The contexts, `(tokens, d_in)`, float64.
    """
    contexts = plain_attention(inputs)
    contexts[-1] += 0.1
    return contexts


def attention_with_an_echo(inputs: np.ndarray, /) -> np.ndarray:
    """The contexts of `plain_attention`, all of them larger by the first number of the first word.

    Args:
        inputs: `(tokens, d_in)`.

    Returns:
        The contexts, `(tokens, d_in)`, float64.
    """
    contexts: np.ndarray = plain_attention(inputs) + np.asarray(inputs)[0, 0]
    return contexts


def torch_softmax(x: np.ndarray, /) -> np.ndarray:
    """PyTorch's softmax over the last axis.

    Args:
        x: `(..., n)`.

    Returns:
        An array of the shape of `x`.
    """
    return softmax(x, axis=-1)


def shares(x: np.ndarray, /) -> np.ndarray:
    """Every number as its share of the sum over the last axis: another way to make a sum of 1.

    Args:
        x: `(..., n)`, with sums that are not zero.

    Returns:
        An array of the shape of `x`.
    """
    numbers = np.asarray(x)
    return np.asarray(numbers / numbers.sum(axis=-1, keepdims=True))
