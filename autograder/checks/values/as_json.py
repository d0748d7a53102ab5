"""Values as JSON and back: the numbers that are shipped beside a notebook.

Arrays and tensors keep their dtype and every digit, a generator its seed. A function is written as
the name under which it can be imported, so only functions that learners have too can be shipped.
"""

import contextlib
import importlib
import inspect
import math
import re
import site
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np

from autograder.checks.values.outcome import MADE_BESIDE, Outcome, Raised
from autograder.checks.values.tensors import as_array, dtype_name, is_generator, is_tensor
from autograder.errors import ExamError

# Of the engine, what exams are made of: the rest imports what it is told to, and deletes folders.
_OURS = re.compile(r"autograder(\.checks\.(drivers|exam|values)\.\w+)?|companion(\.\w+)*")


def to_json(value: object) -> Any:
    """A value as what `json` can write.

    Raises:
        ExamError: for a value that can't be shipped, or would not come back as it was.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"number": str(value)}
    if isinstance(value, np.ndarray):
        numbers = [to_json(entry) for entry in _digits(value)]
        return {"array": numbers, "shape": list(value.shape), "dtype": str(value.dtype)}
    if is_tensor(value):
        # What is computed requires gradients as well; only a leaf was made to.
        gradients = {"requires_grad": True} if value.requires_grad and value.is_leaf else {}
        entries = [to_json(entry) for entry in _digits(as_array(value))]
        shape = list(value.shape)
        return {"tensor": entries, "shape": shape, "dtype": dtype_name(value), **gradients}
    if is_generator(value):
        return {"generator": value.initial_seed()}
    if isinstance(value, list):
        return {"list": [to_json(entry) for entry in value]}
    if isinstance(value, tuple):
        return {"tuple": [to_json(entry) for entry in value]}
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise ExamError(f"a printed example can't hold a dict with the key {key!r}")
        return {"dict": {key: to_json(entry) for key, entry in value.items()}}
    if inspect.isfunction(value):
        return {"function": importable(value)}
    raise ExamError(f"a printed example can't hold a {type(value).__name__}")


def _digits(array: np.ndarray) -> list[object]:
    """The entries, each with as many digits as its own kind of number needs to come back."""
    if array.dtype == np.float32:
        return [float(str(entry)) for entry in array.ravel()]
    entries: list[object] = array.ravel().tolist()
    return entries


def from_json(written: Any) -> object:
    """The value that `to_json` wrote."""
    if not isinstance(written, dict):
        return written
    (kind,) = written.keys() - {"shape", "dtype", "requires_grad"}
    content = written[kind]
    match kind:
        case "number":
            return float(content)
        case "array":
            numbers = [from_json(entry) for entry in content]
            return np.array(numbers, dtype=_dtype(written["dtype"])).reshape(written["shape"])
        case "tensor":
            return _tensor(written)
        case "generator":
            import torch

            return torch.Generator().manual_seed(content)
        case "list":
            return [from_json(entry) for entry in content]
        case "tuple":
            return tuple(from_json(entry) for entry in content)
        case "dict":
            return {key: from_json(entry) for key, entry in content.items()}
        case _:
            return find(content)


def _dtype(name: str) -> str | type:
    """The dtype of an array that was written; NumPy's own integers have 32 bits in a browser."""
    return int if name == "int64" else name


def _tensor(written: dict[str, Any]) -> object:
    # A lesson without tensors doesn't wait for torch.
    import torch

    numbers = [from_json(entry) for entry in written["tensor"]]
    made = torch.tensor(numbers, dtype=getattr(torch, written["dtype"]))
    return made.reshape(written["shape"]).requires_grad_(written.get("requires_grad", False))


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome without the learner's line, which no reference has."""
    written: dict[str, Any] = {}
    if outcome.raised:
        written["raised"] = [outcome.raised.kind, outcome.raised.message]
    else:
        written["value"] = to_json(outcome.value)
    if outcome.changed:
        written["changed"] = list(outcome.changed)
    return written


def outcome_from_json(written: dict[str, Any]) -> Outcome:
    """The outcome that `outcome_to_json` wrote."""
    raised = Raised(*written["raised"]) if "raised" in written else None
    return Outcome(from_json(written.get("value")), raised, tuple(written.get("changed", ())))


def importable(function: Callable[..., object]) -> str:
    """The public name under which `find` finds a function: its package's own, not its module's.

    Raises:
        ExamError: when its package does not offer it, so that moving a module would break what has
            been shipped.
    """
    package = function.__module__.partition(".")[0]
    name = f"{package}:{function.__qualname__}"
    with contextlib.suppress(ImportError):
        if find(name) is function:
            return name
    raise ExamError(
        f"a printed example can't hold the function {function.__module__}.{function.__qualname__}: "
        f"a learner's check would not find {name}"
    )


def can_be_imported(value: object) -> bool:
    """Whether this is a function that learners can import."""
    if not inspect.isfunction(value):
        return False
    try:
        return bool(importable(value))
    except ExamError:
        return False


def made_where(answer: object, function: Callable[..., object]) -> Callable[..., object]:
    """A function that learners can import, in the process of an answer: a stand-in for it there.

    One of this process would be called back from there, and no gradient goes along.
    """
    elsewhere = getattr(type(answer), MADE_BESIDE, None)
    return elsewhere(answer, find, (importable(function),)) if elsewhere else function


def find(name: str) -> Callable[..., object]:
    """The function or class of this name, such as "companion:rope".

    Whoever wrote the name may have meant harm. So nothing is imported for it but what came with
    this program, and nothing counts that a module has only imported itself. A module of the
    course's own counts once it is imported: by the lesson, or because `preload` names it.

    Args:
        name: a package and what it offers; or a module of it and what that defines.

    Raises:
        ImportError: when there is none.
    """
    module, attribute = name.split(":")
    found = None
    if _OURS.fullmatch(module):
        found = getattr(importlib.import_module(module), attribute, None)
    elif not module.startswith("autograder.") and _is_the_courses(sys.modules.get(module)):
        found = getattr(sys.modules[module], attribute, None)
    is_either = inspect.isroutine(found) or inspect.isclass(found)
    home = str(getattr(found, "__module__", ""))
    is_defined_there = home == module or home.partition(".")[0] == module
    if module == "autograder":
        is_defined_there = _OURS.fullmatch(home) is not None
    if attribute.startswith("_") or not is_either or not is_defined_there:
        raise ImportError(
            f"{name} is no function that autograder or companion offers, nor one of a module of "
            "the course's own that has been imported"
        )
    return cast(Callable[..., object], found)


def _is_the_courses(module: ModuleType | None) -> bool:
    """Whether a module is neither Python's own nor installed, as those of a course are."""
    file = getattr(module, "__file__", None) or ""
    libraries = map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib"))
    installed = [*libraries, *site.getsitepackages(), site.getusersitepackages()]
    return bool(file) and not any(Path(file).is_relative_to(folder) for folder in installed)
