"""Fetch Pyodide, CPython for browsers, and the NumPy that is built for it, into cache/pyodide/.

    .venv/bin/python -m tools.fetch_pyodide

Both lie in one wheel on PyPI, that of a program which brings Pyodide along for its own web page.
They are taken out of it; nothing of the program is installed or needed.
"""

import re
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).resolve().parents[1] / "cache" / "pyodide"
# It has Pyodide 314.0.3, which is Python 3.14, and NumPy 2.4.3. What Python the program itself
# would need is beside the point.
_DOWNLOAD = ("pip", "download", "-q", "--no-deps", "--ignore-requires-python", "open-webui==0.12.4")
_INSIDE = re.compile(
    r"open_webui/frontend/pyodide/"
    r"(pyodide\.mjs|pyodide\.asm\.\w+|pyodide-lock\.json|python_stdlib\.zip|numpy-[^/]+\.whl)"
)


def take_out(wheel: Path, folder: Path) -> None:
    """Take out of the wheel what Node needs; pyodide.mjs comes last, and says that all is there."""
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as packed:
        found = [name for name in packed.namelist() if _INSIDE.fullmatch(name)]
        for name in sorted(found, key=lambda name: name.endswith("/pyodide.mjs")):
            (folder / PurePosixPath(name).name).write_bytes(packed.read(name))


def main() -> None:
    """Download the wheel, and keep a sixth of it."""
    print("Fetching Pyodide and NumPy for it (106 MB to download, once)")
    with TemporaryDirectory() as downloads:
        subprocess.run([sys.executable, "-m", *_DOWNLOAD, "-d", downloads], check=True)
        (wheel,) = Path(downloads).glob("*.whl")
        take_out(wheel, FOLDER)


if __name__ == "__main__":
    main()
