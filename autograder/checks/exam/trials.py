"""Trials: what an answer is tried on where it is itself a test, of right and wrong functions."""

from collections.abc import Callable
from typing import TypeVar

Specimen = Callable[..., object]
D = TypeVar("D")


def printed_trial(specimen: Specimen, arguments: object, on: str) -> Callable[[], object]:
    """A printed example, called by the specimen's name: learners can look it up."""

    def trial() -> object:
        return _behind(specimen, arguments)

    trial.__doc__ = _label(specimen.__name__, on)
    return trial


def drawn_trial(
    specimen: Specimen, sentence: str, arguments: Callable[[D], object], on: str
) -> Callable[[D], object]:
    """A hidden case, called by what the specimen does: its sentence up to the colon.

    Behind the colon stands what the test has to say of it, for those who read the exam.
    """

    def trial(draw: D) -> object:
        return _behind(specimen, arguments(draw))

    trial.__doc__ = _label(sentence.partition(":")[0].lower(), on)
    return trial


def _behind(specimen: Specimen, arguments: object) -> tuple[object, ...]:
    return (specimen, *(arguments if isinstance(arguments, tuple) else (arguments,)))


def _label(what: str, on: str) -> str:
    return f"{what}, {on}" if on else what
