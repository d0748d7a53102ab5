"""Memory of a process that grades a whole class."""

import functools
import gc


@functools.cache
def keep_what_is_there() -> None:
    """Have Python leave alone what is in memory now, when it looks for cycles from here on.

    It looks among all objects only when there are a quarter more of them; counted with the
    libraries, that is what a hundred submissions leave behind. To be called after the first
    submission, by a process that does nothing but grade: in a server, what others have left behind
    would stay for good.
    """
    gc.collect()
    gc.freeze()
