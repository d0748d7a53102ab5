"""Functions of the examiner's that a student's code may call, as long as they are lent to it."""

from collections.abc import Callable

from autograder.student.rpc.codec.grammar import Reference


class Lent:
    """What is lent, by number; a number is never given twice."""

    def __init__(self) -> None:
        self.functions: dict[int, Callable[..., object]] = {}
        self.so_far = 0

    def lend(self, function: Callable[..., object]) -> Reference:
        """Lend a function; this is what is sent for it."""
        self.functions[self.so_far] = function
        self.so_far += 1
        return Reference("callback", self.so_far - 1)

    def take_back(self, first: int) -> dict[int, Callable[..., object]]:
        """Take back what has this number or a later one; it may be lent once more."""
        taken = {n: function for n, function in self.functions.items() if n >= first}
        for number in taken:
            del self.functions[number]
        return taken
