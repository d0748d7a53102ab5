"""A folder that looks like Pyodide's: its files are empty, its list of packages is not."""

import json
from collections.abc import Iterable
from pathlib import Path

KERNEL = ("micropip", "jedi", "ipython")
DRAWING = {"numpy": (), "matplotlib": ("numpy", "python_dateutil"), "python-dateutil": ("six",)}
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")


def like_pyodide(folder: Path, without: Iterable[str] = ()) -> Path:
    """Make one, without some packages' files."""
    folder.mkdir()
    packages = {
        name: {
            "name": name,
            "file_name": f"{name}-1-py3-none-any.whl",
            "imports": [name.replace("-", "_")],
            "depends": [*DRAWING.get(name, ())],
        }
        for name in (*KERNEL, *DRAWING, "six", "pandas")
    }
    files = {package["file_name"] for package in packages.values()}
    for file in {*FILES, *files} - {packages[name]["file_name"] for name in without}:
        (folder / str(file)).touch()
    (folder / "pyodide-lock.json").write_text(json.dumps({"info": {}, "packages": packages}))
    return folder
