"""Which modules import which, read from their text: nothing is imported to find it out.

A package with a stub (`__init__.pyi`) only says what it offers, and is asked for one name at a
time: whoever imports a name from it reaches the module that has it, and none of its others.
"""

import ast
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

# An import statement, which with names in brackets goes over several lines.
_STATEMENT = re.compile(
    r"(?:^|[:;])[ \t]*"
    r"(from[ \t]+[.\w]+[ \t]+import[ \t]*\((?:[^()#]|#[^\n]*)*\)"
    r"|from[ \t]+[.\w]+[ \t]+import[ \t]+[^\n(;#]+|import[ \t]+[^\n(;#]+)",
    re.MULTILINE,
)
_DOTTED = re.compile(r"\w+(?:\.\w+)*")
_BY_NAME = (
    *("import_module", "__import__", "iter_modules", "walk_packages", "resolve_name", "runpy"),
    "spec_from_file_location",
)
_GOES_ON = re.compile(r"\\\n[ \t]*")


class ImportGraph:
    """The modules below some folders, and what each imports of the others.

    Args:
        places: by the name of each package, or of a module that is in none, its folder or file.
        through: whether to look through an index to the module that has what is imported from it.
    """

    def __init__(self, places: Mapping[str, Path], *, through: bool = True) -> None:
        self.modules: dict[str, Path] = {}
        for name, place in places.items():
            below = sorted(_modules_below(str(place))) if place.is_dir() else [""]
            for one in below:
                module = f"{name}{one.removesuffix('.py').replace('/', '.')}"
                self.modules[module.removesuffix(".__init__")] = Path(f"{place}{one}")
        self._through = through
        self._imports: dict[str, frozenset[str]] = {}
        self._offers: dict[str, Mapping[str, str]] = {}

    def is_index(self, module: str) -> bool:
        """Whether it only says what a package offers."""
        return self.modules[module].with_suffix(".pyi").exists()

    def imports_of(self, module: str) -> frozenset[str]:
        """The modules that a module imports, wherever in it, those of its stub included."""
        if module not in self._imports:
            path = self.modules[module]
            files = [path, path.with_suffix(".pyi")] if self.is_index(module) else [path]
            texts = [one.read_text(encoding="utf-8") for one in files]
            is_package = path.stem == "__init__"
            found = {one for text in texts for one in self.named_in(text, module, is_package)}
            self._imports[module] = frozenset(found - {module})
        return self._imports[module]

    def named_in(self, text: str, module: str = "", is_package: bool = False) -> Iterator[str]:
        """The modules of which the imports in a text speak, as one of `module`."""
        package = module if is_package else module.rpartition(".")[0]
        for name in names_imported(text, package):
            if known := self._longest_known(name):
                rest = name[len(known) + 1 :].partition(".")[0]
                yield self._offered(known).get(rest, known)

    def mentioned_in(self, text: str) -> Iterator[str]:
        """The modules that a text imports, or calls by their full names."""
        yield from self.named_in(text)
        yield from filter(None, map(self._longest_known, _DOTTED.findall(text)))

    def may_import_any(self, module: str) -> bool:
        """Whether a module imports what only its run can tell."""
        return names_any(self.modules[module].read_text(encoding="utf-8"))

    def reached(self, modules: Iterable[str]) -> set[str]:
        """These modules, and all that they import, directly or not."""
        found, waiting = set[str](), {*modules}
        while waiting:
            found |= waiting
            waiting = {one for module in waiting for one in self.imports_of(module)} - found
        return found

    def files(self, modules: Iterable[str]) -> set[Path]:
        """What these modules are made of: their texts, stubs, and all else in their folders."""
        paths = {self.modules[module] for module in modules}
        return paths | {one for folder in {path.parent for path in paths} for one in _data(folder)}

    def _offered(self, module: str) -> Mapping[str, str]:
        """The names that an index offers, and the module that each of them is from."""
        if module not in self._offers:
            is_asked = self._through and self.is_index(module)
            self._offers[module] = dict(self._offers_of(module)) if is_asked else {}
        return self._offers[module]

    def _offers_of(self, module: str) -> Iterator[tuple[str, str]]:
        stub = self.modules[module].with_suffix(".pyi").read_text(encoding="utf-8")
        for name in names_imported(stub, module):
            if known := self._longest_known(name):
                yield name.rpartition(".")[2], known

    def _longest_known(self, name: str) -> str:
        while name and name not in self.modules:
            name = name.rpartition(".")[0]
        return name


def names_any(text: str) -> bool:
    """Whether a text imports by a name that it makes."""
    return any(word in text for word in _BY_NAME)


@cache
def names_imported(text: str, package: str) -> tuple[str, ...]:
    """The full names of all that a text imports, `package` being where it stands."""
    return tuple(_names_imported(text, package))


def _names_imported(text: str, package: str) -> Iterator[str]:
    for statement in _STATEMENT.findall(_GOES_ON.sub(" ", text)):
        try:
            (node,) = ast.parse(statement).body
        except (SyntaxError, ValueError):
            continue  # a sentence that begins like one
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            start = ".".join([*(above if node.level else []), *filter(None, [node.module])])
            yield from (f"{start}.{alias.name}" for alias in node.names)


def _modules_below(folder: str) -> Iterator[str]:
    """The files of modules in a folder and below, each as a text that goes on where that ends: a
    Path takes longer to make and to compare than a folder to read.
    """
    for above, _, names in os.walk(folder):
        within = above[len(folder) :].replace(os.sep, "/")
        yield from (f"{within}/{name}" for name in names if name.endswith(".py"))


def _data(folder: Path) -> Iterator[Path]:
    """The files of a package that are no modules: styles, scripts, templates, weights."""
    if (folder / "__init__.py").exists():
        with os.scandir(folder) as entries:
            for entry in entries:
                is_no_module = not entry.name.startswith(".") and not entry.name.endswith(".py")
                if is_no_module and entry.is_file():
                    yield Path(entry.path)
