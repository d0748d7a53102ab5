"""An extension of JupyterLab for whoever learns: the scripts that lie beside this, in one file.

It has the form of those that are built beforehand, so nothing has to be installed, and JupyterLite
takes the same.
"""

import hashlib
import json
import shutil
from pathlib import Path

from autograder.checks.card.as_html import REPORT_MIME
from autograder.whole_file import write_whole

NAME = "autograder-learner"
# The first one makes an extension of the parts that the others add.
_SCRIPTS = (
    *("extension.js", "arriving.js", "ticks.js", "guesses.js", "click_twice.js"),
    *("run_above.js", "narrow.js", "last_run.js"),
)
_BEGIN_ANEW = "begin_anew.js"
# Where its button stands: in a notebook's toolbar, behind those that run cells.
_TOOLBAR = {
    "title": "Begin anew",
    "type": "object",
    "properties": {},
    "jupyter.lab.toolbars": {
        "Notebook": [{"name": "begin-anew", "command": f"{NAME}:begin-anew", "rank": 35}]
    },
}


def write_for_a_lab(folder: Path) -> None:
    """Write the extension into a folder of its own, where there is a work folder and a course."""
    _write(folder, *_SCRIPTS, "given_out_by_a_kernel.js", _BEGIN_ANEW, "start_page.js")


def write_for_a_course(folder: Path) -> None:
    """Write it where a course is taught, and no notebook is a learner's."""
    _write(folder, *_SCRIPTS, "formgrader_first.js")


def write_for_a_browser(folder: Path) -> None:
    """Write it where lessons run in a browser, and only the site has what was given out."""
    _write(folder, *_SCRIPTS, "given_out_by_a_site.js", "fresh_kernel.js", _BEGIN_ANEW)


def _write(folder: Path, *names: str) -> None:
    scripts = "\n".join(
        Path(__file__).with_name(name).read_text(encoding="utf-8") for name in names
    )
    # So that their names are no names of the whole page.
    report = f"const REPORT = {json.dumps(REPORT_MIME)};"
    script = f"(() => {{\n{report}\n{scripts}\n}})();\n".encode()
    # JupyterLab has browsers keep a script for a year, so another one needs another name.
    load = f"static/extension.{hashlib.sha256(script).hexdigest()[:16]}.js"
    package = {
        "name": NAME,
        "version": "1.0.0",
        "jupyterlab": {"extension": True, "_build": {"load": load, "extension": "./plugins"}},
    }
    # An earlier version may have left a button here that nothing stands behind now.
    shutil.rmtree(folder / "schemas", ignore_errors=True)
    described = {"package.json": package}
    if _BEGIN_ANEW in names:
        described[f"schemas/{NAME}/begin-anew.json"] = _TOOLBAR
    for file, content in described.items():
        write_whole(folder / file, f"{json.dumps(content, indent=1)}\n".encode())
    write_whole(folder / load, script)
