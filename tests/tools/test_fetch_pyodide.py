"""What is kept of the wheel that Pyodide comes in."""

import zipfile
from pathlib import Path

from tools.fetch_pyodide import take_out

KEPT = ["numpy-2.4.3-cp314.whl", "pyodide-lock.json", "pyodide.asm.wasm", "pyodide.mjs"]


def test_nothing_of_the_program_is_kept(tmp_path: Path) -> None:
    wheel, folder = tmp_path / "program.whl", tmp_path / "cache" / "pyodide"
    inside = "open_webui/frontend/pyodide/"
    with zipfile.ZipFile(wheel, "w") as packed:
        for name in (*KEPT, "pandas-3.0.2-cp314.whl", "console.html", "more/pyodide.mjs"):
            packed.writestr(inside + name, name)
        packed.writestr("open_webui/main.py", "")
    take_out(wheel, folder)
    assert sorted(path.name for path in folder.iterdir()) == KEPT
    assert (folder / "pyodide.mjs").read_text() == "pyodide.mjs"
