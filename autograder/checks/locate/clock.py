"""The processor time of a search, and what ends a call that would go on after it."""

import time
from collections.abc import Callable

# In a browser Python has one thread, and no clock but the process's.
processor_time: Callable[[], float] = getattr(time, "thread_time", time.process_time)


class TooLong(BaseException):
    """A call has run for longer than any honest one; no `Exception`, so that few catch it."""
