"""Fetch Pyodide, CPython for browsers, with packages that are built for it, into cache/pyodide/.

    .venv/bin/python -m tools.fetch_pyodide

This is for where only PyPI is reached; elsewhere Pyodide's own release does as well, unpacked. Most
of it lies in one wheel, that of a program which brings Pyodide along for its own web page: it is
taken out, and nothing of the program is installed or needed. tools/pyodide.txt has that wheel and
the packages that it lacks, each with its digest.
"""

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "cache" / "pyodide"
LIST = ROOT / "tools" / "pyodide.txt"
# What Python the program itself would need is beside the point, and so is what pip remarks of the
# places where it is told to look: errors are printed, and a digest says what was found.
_DOWNLOAD = (
    *("pip", "download", "-qq", "--no-deps", "--ignore-requires-python", "--require-hashes"),
    *("--only-binary", ":all:", "-r"),
)
_PROGRAM, _INSIDE = "open_webui-", "open_webui/frontend/pyodide/"
_KEPT = {".whl", ".wasm", ".mjs", ".json", ".zip"}
_LOCK, _LAST = "pyodide-lock.json", "pyodide.mjs"


def take_out(program: Path, others: list[Path], folder: Path) -> None:
    """Take Pyodide out of the program's wheel, and put other packages beside it.

    Its list of packages has the digests of those packages as Pyodide's release has them, which are
    packed anew there; they become those of the files that are here. What says that all is there,
    pyodide.mjs, comes last.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(program) as packed:
        found = {
            PurePosixPath(name).name: name
            for name in packed.namelist()
            if name == _INSIDE + PurePosixPath(name).name and PurePosixPath(name).suffix in _KEPT
        }
        lock = json.loads(packed.read(found.pop(_LOCK)))
        last = packed.read(found.pop(_LAST))
        for name, inside in found.items():
            (folder / name).write_bytes(packed.read(inside))
    by_file = {package["file_name"]: package for package in lock["packages"].values()}
    for wheel in others:
        content = wheel.read_bytes()
        by_file[wheel.name]["sha256"] = hashlib.sha256(content).hexdigest()
        (folder / wheel.name).write_bytes(content)
    (folder / _LOCK).write_text(json.dumps(lock), encoding="utf-8")
    (folder / _LAST).write_bytes(last)


def main() -> None:
    """Download what is on the list, and keep Pyodide and packages."""
    print("Fetching Pyodide and packages for it (110 MB to download, once)")
    with TemporaryDirectory() as downloads:
        subprocess.run([sys.executable, "-m", *_DOWNLOAD, LIST, "-d", downloads], check=True)
        wheels = sorted(Path(downloads).glob("*.whl"))
        (program,) = (wheel for wheel in wheels if wheel.name.startswith(_PROGRAM))
        take_out(program, [wheel for wheel in wheels if wheel != program], FOLDER)


if __name__ == "__main__":
    main()
