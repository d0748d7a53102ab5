"""Is a module made rightly of arguments in order? Asked of every module that `run_module` drives.

Its cases give them by name, and whoever uses a class in a notebook mostly does not.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from autograder.checks.drivers import second_call
from autograder.checks.drivers.run_module import run_module
from autograder.checks.values.outcome import Outcome

WORDS = "made of arguments in order"
_EXCHANGED = (
    "Your class is right when its arguments are given by name, and wrong when they are given in "
    "order. Have `__init__` take them in the order that the exercise gives."
)


def made_in_order(
    module_class: Callable[..., Any], settings: Mapping[str, object], *others: Any
) -> dict[str, Any]:
    """As `run_module`, of a module that is made of the same settings, without their names."""
    return run_module(lambda **given: module_class(*given.values()), settings, *others)


def has_an_order(arguments: Collection[Any]) -> bool:
    """Whether a module is called once, and made of several arguments."""
    settings, *_ = arguments
    return second_call.is_called_once(arguments) and len(settings) > 1


def how_many_settings(arguments: Collection[Any]) -> int:
    """Of how many arguments a module is made: where all are given, all have their order."""
    settings, *_ = arguments
    return len(settings)


def what_is_exchanged(expected: object, found: Outcome) -> str:
    """A sentence for whoever is wrong where arguments have no names, and nowhere else."""
    return _EXCHANGED
