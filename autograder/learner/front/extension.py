"""An extension of JupyterLab for whoever learns: the scripts that lie beside this, in one file.

It has the form of those that are built beforehand, so nothing has to be installed, and JupyterLite
takes the same.
"""

import hashlib
import json
from pathlib import Path

from autograder.whole_file import write_whole

NAME = "autograder-learner"
BEGIN_ANEW = f"{NAME}:begin-anew"
# The first one makes an extension of the parts that the others add.
_SCRIPTS = (
    *("extension.js", "arriving.js", "ticks.js", "guesses.js", "click_twice.js"),
    *("run_above.js", "begin_anew.js"),
)
# Where its button stands: in a notebook's toolbar, behind those that run cells.
_TOOLBAR = {
    "title": "Begin anew",
    "type": "object",
    "properties": {},
    "jupyter.lab.toolbars": {
        "Notebook": [{"name": "begin-anew", "command": BEGIN_ANEW, "rank": 35}]
    },
}


def write_for_a_lab(folder: Path) -> None:
    """Write the extension into a folder of its own, where there is a work folder and a course."""
    _write(folder, *_SCRIPTS, "given_out_by_a_kernel.js")


def write_for_a_browser(folder: Path) -> None:
    """Write it where lessons run in a browser, and only the site has what was given out."""
    _write(folder, *_SCRIPTS, "given_out_by_a_site.js", "fresh_kernel.js")


def _write(folder: Path, *names: str) -> None:
    scripts = "\n".join(
        Path(__file__).with_name(name).read_text(encoding="utf-8") for name in names
    )
    # So that their names are no names of the whole page.
    script = f"(() => {{\n{scripts}\n}})();\n".encode()
    # JupyterLab has browsers keep a script for a year, so another one needs another name.
    load = f"static/extension.{hashlib.sha256(script).hexdigest()[:16]}.js"
    package = {
        "name": NAME,
        "version": "1.0.0",
        "jupyterlab": {"extension": True, "_build": {"load": load, "extension": "./plugins"}},
    }
    described = {"package.json": package, f"schemas/{NAME}/begin-anew.json": _TOOLBAR}
    for file, content in described.items():
        write_whole(folder / file, f"{json.dumps(content, indent=1)}\n".encode())
    write_whole(folder / load, script)
