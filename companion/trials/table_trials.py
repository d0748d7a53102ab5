"""Does an attention do without a table of scores, as one of a long text has to?"""

from collections.abc import Callable, Iterable
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from companion.beside import made_beside
from companion.specimens.feature_maps import elu_plus_one

# In shorter texts, a tensor that is as large as the table may be made of a few features of each.
_LONG = 32


class TableMismatch(Exception):
    """A tensor as large as the table of scores was made. The message says so to the learner."""


def try_features(
    attention: Callable[..., object],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    feature_map: Callable[[Tensor], Tensor],
) -> object:
    """Call a linear attention, and look at the tensors that it makes, if the text is long.

    Args:
        attention: called with all that follows.
        queries: (…, queries, d_k).
        keys: (…, keys, d_k).
        values: (…, keys, d_v).
        feature_map: handed on.

    Returns:
        What comes back.

    Raises:
        TableMismatch: when a tensor has as many numbers as there are pairs of a query and a key.
    """
    return _watched(attention, queries, keys, values, feature_map)


def try_blocks(
    attention: Callable[..., object],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    block_size: int,
    causal: bool,
) -> object:
    """Call an attention in blocks, and look at the tensors that it makes, if the text is long.

    Args:
        attention: called with all that follows.
        queries: (…, queries, d_k).
        keys: (…, keys, d_k).
        values: (…, keys, d_v).
        block_size: handed on.
        causal: handed on.

    Returns:
        What comes back.

    Raises:
        TableMismatch: when a tensor has as many numbers as there are pairs of a query and a key.
    """
    return _watched(attention, queries, keys, values, block_size, causal)


def map_features(
    attention: Callable[..., object], queries: Tensor, keys: Tensor, values: Tensor
) -> object:
    """Call a linear attention with the map of elu + 1, however long the text is.

    A function of the grader's would be asked back about each token of it.

    Args:
        attention: called with the next three, and the map.
        queries: (…, queries, d_k).
        keys: (…, keys, d_k).
        values: (…, keys, d_v).

    Returns:
        What comes back.
    """
    return attention(queries, keys, values, made_beside(attention, feature_map))


def feature_map() -> Callable[[Tensor], Tensor]:
    """The map of elu + 1."""
    return elu_plus_one


def _watched(
    attention: Callable[..., object], queries: Tensor, keys: Tensor, *others: object
) -> object:
    long = min(queries.shape[-2], keys.shape[-2]) >= _LONG
    if not long:
        return attention(queries, keys, *others)
    pairs = queries.shape[:-1].numel() * keys.shape[-2]
    watching = made_beside(attention, NoTable, queries.shape[-2], keys.shape[-2], pairs)
    watching.begin()
    try:
        return attention(queries, keys, *others)
    finally:
        watching.end()


class NoTable(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sees, from its beginning to its end, what every operation of PyTorch returns.

    It is at work in the process of the answer, and so it can but take points away: that a text is
    too long for a table is tried in addition.
    """

    def __init__(self, queries: int, keys: int, pairs: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.queries, self.keys, self.pairs = queries, keys, pairs

    def begin(self) -> None:
        """Watch from now on."""
        self.__enter__()  # type: ignore[no-untyped-call]

    def end(self) -> None:
        """Watch no more."""
        self.__exit__(None, None, None)  # type: ignore[no-untyped-call]

    def _look_at(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> object:
        made = func(*args, **(kwargs or {}))
        for tensor in _tensors_in(made):
            if _numbers_kept(tensor) >= self.pairs:
                raise TableMismatch(
                    f"with {self.queries} queries and {self.keys} keys, a tensor was made that "
                    f"has {self.queries} × {self.keys} numbers or more: one for each pair"
                )
        return made


# PyTorch wraps what the class itself defines, and the wrapper imports its compiler: that takes
# seconds, for which a learner's answer would be blamed.
NoTable.__torch_dispatch__ = NoTable._look_at  # type: ignore[method-assign, assignment]


def _tensors_in(made: object) -> Iterable[Tensor]:
    if isinstance(made, Tensor):
        yield made
    elif isinstance(made, tuple | list):
        for one in made:
            yield from _tensors_in(one)


def _numbers_kept(tensor: Tensor) -> int:
    """How many numbers are in memory: what is only broadcast takes none."""
    return min(tensor.numel(), tensor.untyped_storage().nbytes() // tensor.element_size())
