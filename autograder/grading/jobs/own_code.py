"""The course's own code as it is now, in a process that has imported it before.

JupyterLab's server lives for days: formgrader's button would grade with the exams and the reference
of the day it was started. So before each grading the course's modules are looked at, and forgotten
if one of them has changed: who needs them then imports them anew.
"""

import functools
import hashlib
import importlib
import importlib.util
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import GradingFailed
from autograder.grading.submitted_files import is_leaving, stamp
from autograder.import_graph import ImportGraph, names_any
from autograder.preload import package_of
from autograder.settings import (
    CONFIG,
    EXAMPLES_FILE,
    FILE,
    OWN,
    PROOFS_FILE,
    SOLUTIONS,
    read_settings,
)

_ENGINE = Path(__file__).resolve().parents[2]
# A module's name that is put together, as in f"solutions.exams.{lesson}".
_MADE_NAME = re.compile(rf"(?<![\w.])(?:{SOLUTIONS}|{OWN})(?:\.\w*)*\.?(?:\{{|%|[\"'] *[%+])")

# Of each file by its path. Some six hundred are looked at several times for each submission, as
# text, since a Path takes longer to make than a file takes to look at.
_Stamps = dict[str, tuple[int, int, int]]


@dataclass
class _Watched:
    """What a course's files were like when this process last looked, or when it started."""

    modules: _Stamps
    started_with: _Stamps


_watched: dict[Path, _Watched] = {}
_digests: dict[tuple[Path, Path], tuple[_Stamps, str]] = {}


def watch(root: Path) -> None:
    """Look at a course's files before any of its modules is imported."""
    root = root.resolve()
    if root not in _watched:
        _watched[root] = _Watched(_stamps(_tops(root)), _stamps(_start(root)))


def refresh(root: Path, folder: Path) -> bool:
    """Forget the course's own modules if one has changed, and always those beside notebooks.

    Args:
        root: the course's folder.
        folder: where the notebook that is graded lies, and modules of its own may.

    Returns:
        Whether any of the course's modules has changed.

    Raises:
        GradingFailed: when the settings, or this program, are others than when it was started.
    """
    watch(root)
    root = root.resolve()
    watched, now = _watched[root], _stamps(_tops(root))
    for path in _differing(watched.started_with, _stamps(_start(root))):
        raise GradingFailed(
            f"{path} has changed since this program was started: end it (JupyterLab, where it is "
            "formgrader), and start it again"
        )
    _forget([folder.absolute().parent, folder.resolve().parent])
    changed = _differing(watched.modules, now)
    if changed:
        _forget(_tops(root))
        for path in changed:
            # Python itself compares seconds and sizes, which may be those of before.
            with suppress(OSError, NotImplementedError):
                Path(importlib.util.cache_from_source(path)).unlink(missing_ok=True)
    importlib.invalidate_caches()
    watched.modules = now
    return bool(changed)


def digest_of(root: Path, folder: Path, preload: Sequence[str]) -> str:
    """By which the code that decides is known again: what the lesson's notebooks import of the
    reference and the exams, what `preload` names of the course's own, what lies beside the
    notebook, and the setting that decides points.

    Imports are followed by their text, so that an exam of another lesson can be mended.
    """
    root, folder = root.resolve(), folder.resolve()
    names = {SOLUTIONS, OWN, *map(package_of, preload)}
    tops = [top for top in _tops(root) if top.stem in names]
    # The notebook itself is compared as it is read, and not by its file.
    beside = {
        path: one for path, one in _stamps([folder], data=True).items() if _is_given(path, folder)
    }
    stamps = {**_stamps([*tops, *folder.glob("*.ipynb")], data=True), **beside}
    if _digests.get((root, folder), (None, ""))[0] != stamps:
        imported = [(path, root) for path in _imported(tops, folder, preload)]
        code = _digest([*imported, *((path, folder.parent) for path in beside)])
        _digests[root, folder] = stamps, code
    decides = f"{_digests[root, folder][1]} {read_settings(root).partial_credit}"
    return hashlib.sha256(decides.encode()).hexdigest()


def _is_given(path: str, folder: Path) -> bool:
    """Whether what lies in a lesson's folder comes to each submission, beside its notebook.

    The examples of its checks come as well, and are made of its exams, which are compared.
    """
    within = os.path.relpath(path, folder)
    is_file = not within.endswith((".ipynb", ".pyc")) and within != EXAMPLES_FILE
    return is_file and not is_leaving(within)


def _imported(tops: Sequence[Path], folder: Path, preload: Sequence[str]) -> list[str]:
    """The files of what a lesson's notebooks import, and of what `preload` does, in the end."""
    graph = ImportGraph({top.stem: top for top in tops if top.exists()})
    cells = [cell for path in folder.glob("*.ipynb") for cell in _cells(path)]
    named = {one for cell in cells for one in graph.mentioned_in(cell)}
    reached = graph.reached(named | ({*map(package_of, preload)} & graph.modules.keys()))
    # Python runs the packages around a module before it.
    around = {above for module in reached for above in _around(module)} & graph.modules.keys()
    reached |= graph.reached(one for one in around if not graph.is_index(one))
    if any(map(graph.may_import_any, reached)) or any(map(_makes_a_name, cells)):
        reached = {*graph.modules}
    passed_over = (PROOFS_FILE, CONFIG)
    return [str(path) for path in graph.files(reached | around) if path.name not in passed_over]


def _around(module: str) -> Iterator[str]:
    while "." in module:
        module = module.rpartition(".")[0]
        yield module


def _makes_a_name(cell: str) -> bool:
    return names_any(cell) or bool(_MADE_NAME.search(cell))


@functools.cache
def engine_digest() -> str:
    """By which this program is known again, as it was when it was first asked for here, and the
    Python that it runs in.
    """
    code = _digest([(path, _ENGINE) for path in _stamps([_ENGINE])])
    return f"{code} {sys.version_info.major}.{sys.version_info.minor}"


def _digest(parts: Iterable[tuple[str, Path]]) -> str:
    """Of files, each with the folder from which its name counts."""
    digest = hashlib.sha256()
    for path, above in sorted(parts):
        digest.update(f"{Path(path).relative_to(above)}\0".encode())
        digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return digest.hexdigest()


def _cells(notebook: Path) -> list[str]:
    """The text of each cell; none of a file that only has a notebook's name."""
    try:
        return ["".join(cell["source"]) for cell in json.loads(notebook.read_bytes())["cells"]]
    except (KeyError, TypeError, ValueError):
        return []


def _tops(root: Path) -> list[Path]:
    """What can be imported from the course's folder: its packages and modules."""
    packages = [path.parent for path in root.glob("*/__init__.py")]
    modules = [path for path in root.glob("*.py") if path.name != CONFIG]
    return sorted({*packages, root / SOLUTIONS, root / OWN, *modules} - {_ENGINE})


def _start(root: Path) -> list[Path]:
    """What is read once, when a process starts: the settings, and this program."""
    settings = [folder / name for folder in (root, root / OWN) for name in (CONFIG, FILE)]
    return [*settings, _ENGINE]


def _stamps(places: Iterable[Path], *, data: bool = False) -> _Stamps:
    """Of files as they are, and of the modules in folders; with `data` of all else there, too."""
    found: _Stamps = {}
    for place in places:
        with suppress(OSError):
            if place.is_dir():
                _add_files(str(place), "" if data else ".py", found)
            else:
                found[str(place)] = stamp(place.stat())
    return found


def _add_files(folder: str, ending: str, found: _Stamps) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != "__pycache__":
                        _add_files(entry.path, ending, found)
                elif entry.name.endswith(ending):
                    found[entry.path] = stamp(entry.stat())


def _differing(before: _Stamps, now: _Stamps) -> list[str]:
    return sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))


def _forget(places: Sequence[Path]) -> None:
    files = {str(place) for place in places if place.suffix == ".py"}
    folders = tuple(f"{place}{os.sep}" for place in places if place.suffix != ".py")
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if file in files or file.startswith(folders):
            del sys.modules[name]
