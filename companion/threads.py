"""How many processor threads PyTorch may use."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch compute on one thread, and afterwards on as many as before.

    For small matrices a second thread costs more than it brings, and a measurement should not
    depend on how many there are.
    """
    import torch  # Not before it is needed, so that importing this package stays quick.

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
