"""What is kept of the wheel that Pyodide comes in, and what is put beside it."""

import hashlib
import json
import re
import zipfile
from pathlib import Path

from tools.fetch_pyodide import LIST, take_out

KEPT = ["numpy-2.4.3-cp314.whl", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide.mjs"]
LOCK, OTHER = "pyodide-lock.json", "six-1.17.0-py3-none-any.whl"
INSIDE = "open_webui/frontend/pyodide/"


def test_nothing_of_the_program_is_kept(tmp_path: Path) -> None:
    program, other, folder = tmp_path / "program.whl", tmp_path / OTHER, tmp_path / "a" / "b"
    with zipfile.ZipFile(program, "w") as packed:
        for name in (*KEPT, "pyodide.d.ts", "console.html", "more/pyodide.mjs"):
            packed.writestr(INSIDE + name, name)
        packages = {
            "six": {"file_name": OTHER, "sha256": "another"},
            "numpy": {"file_name": KEPT[0]},
        }
        packed.writestr(INSIDE + LOCK, json.dumps({"packages": packages}))
        packed.writestr("open_webui/main.py", "")
    other.write_text("six")
    take_out(program, [other], folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted([*KEPT, LOCK, OTHER])
    assert (folder / "pyodide.mjs").read_text() == "pyodide.mjs"
    listed = json.loads((folder / LOCK).read_text())["packages"]
    assert listed["six"]["sha256"] == hashlib.sha256(b"six").hexdigest()


def test_all_that_is_downloaded_is_known_by_its_digest() -> None:
    lines = [line for line in LIST.read_text().splitlines() if not line.startswith("#")]
    assert lines[0].startswith("open-webui==")
    assert len(lines) > 2
    for package, digest in zip(lines[::2], lines[1::2], strict=True):
        assert re.fullmatch(r"[a-z-]+==[\d.]+ \\", package)
        assert re.fullmatch(r" +--hash=sha256:[0-9a-f]{64}", digest)
