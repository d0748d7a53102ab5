"""Does an attention do without a table of scores, as one of a long text has to?"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

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
    with _watched(queries, keys):
        return attention(queries, keys, values, feature_map)


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
    with _watched(queries, keys):
        return attention(queries, keys, values, block_size, causal)


def _watched(queries: Tensor, keys: Tensor) -> AbstractContextManager[object]:
    long = min(queries.shape[-2], keys.shape[-2]) >= _LONG
    return _NoTable(queries, keys) if long else nullcontext()


class _NoTable(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sees what every operation of PyTorch returns."""

    def __init__(self, queries: Tensor, keys: Tensor) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.queries, self.keys = queries.shape[-2], keys.shape[-2]
        self.pairs = queries.shape[:-1].numel() * self.keys

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        made = func(*args, **(kwargs or {}))
        for tensor in _tensors_in(made):
            if _numbers_kept(tensor) >= self.pairs:
                raise TableMismatch(
                    f"with {self.queries} queries and {self.keys} keys, a tensor was made that "
                    f"has {self.queries} × {self.keys} numbers or more: one for each pair"
                )
        return made


def _tensors_in(made: object) -> Iterable[Tensor]:
    if isinstance(made, Tensor):
        yield made
    elif isinstance(made, tuple | list):
        for one in made:
            yield from _tensors_in(one)


def _numbers_kept(tensor: Tensor) -> int:
    """How many numbers are in memory: what is only broadcast takes none."""
    return min(tensor.numel(), tensor.untyped_storage().nbytes() // tensor.element_size())
