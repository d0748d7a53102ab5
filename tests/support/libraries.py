"""All that everybody has and can be called: what a library offers is no answer by itself."""

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import numpy as np
import torch

import companion

# The course's own modules one by one: an answer can import from each of them.
_WITHIN = [
    import_module(one.name)
    for one in pkgutil.walk_packages(companion.__path__, "companion.")
    if not one.name.rpartition(".")[2].startswith("_")
]
MODULES = (companion, *_WITHIN, torch.nn, torch.nn.functional, np)
# What changes the whole process, waits for somebody, or writes to a disk.
_LEFT_ALONE = (
    *("set_", "seterr", "save", "load", "fromfile", "from_file", "tofile", "memmap", "savetxt"),
    *("loadtxt", "genfromtxt", "printoptions", "test", "info", "show_config", "DataSource"),
    *("open_course", "get_include"),
)


def callables() -> dict[str, object]:
    """Every public callable of these modules, and of what `companion` offers, by its path."""
    found: dict[str, object] = {}
    for module in MODULES:
        for name, value in _public(module):
            found[f"{module.__name__}.{name}"] = value
            if type(value).__module__.startswith("companion"):
                parts = ((part, getattr(value, part, None)) for part in dir(value))
                found |= {
                    f"{module.__name__}.{name}.{part}": one
                    for part, one in parts
                    if not part.startswith("_")
                }
    return {
        path: value
        for path, value in found.items()
        if callable(value) and not any(word in path for word in _LEFT_ALONE)
    }


def _public(module: ModuleType) -> Iterator[tuple[str, object]]:
    for name in getattr(module, "__all__", None) or dir(module):
        value = getattr(module, name, None)
        if not name.startswith("_") and not inspect.ismodule(value):
            yield name, value
