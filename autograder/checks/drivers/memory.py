"""How much memory this process may take, where its kernel can refuse more."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

with suppress(ImportError):
    # Neither Windows nor a browser has it.
    import resource


@contextmanager
def memory_limit(most: int) -> Iterator[bool]:
    """Have the kernel refuse what goes this far beyond what there is now; whether it does."""
    if sys.platform != "linux":
        yield False
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    bounds = [one for one in before if one != resource.RLIM_INFINITY]
    limit = min([_data_bytes() + most, *bounds])
    resource.setrlimit(resource.RLIMIT_DATA, (limit, before[1]))
    try:
        yield True
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _data_bytes() -> int:
    pages = Path("/proc/self/statm").read_text().split()[5]
    return int(pages) * resource.getpagesize()
