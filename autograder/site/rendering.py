"""From a folder of texts and notebooks to pages: Sphinx, in a process of its own.

What it says of itself goes nowhere; what it warns of is an error, because then a link leads nowhere
or a text is not read as its author meant it.
"""

import errno
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from pprint import pformat

from autograder.site.errors import SiteError

_EXTENSIONS = ("myst_nb", "autograder.site.with_mathml")
_THEME = "sphinx_book_theme"
_STATIC = Path(__file__).parent / "static"
_SHOWN = 5
# What comes with a theme and is for those who change it.
_NOT_SERVED = ("*.map", "*macros.html")
# Where Sphinx keeps what it has read, among the texts.
_READ = ".doctrees"
# Sphinx colours what it says, whoever listens.
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


def render(texts: Path, pages: Path, *, title: str, repository: str, address: str) -> None:
    """Make pages of the texts in a folder.

    Args:
        texts: the folder; what is in it is a page, if it is a text or a notebook.
        pages: the folder to make.
        title: of the site.
        repository: where the course lies on GitHub, as owner/name, or nothing.
        address: where the site is published, or nothing.

    Raises:
        SiteError: when something is not as it should be, or Sphinx is not installed.
    """
    missing = [name for name in ("sphinx", "myst_nb", _THEME) if not _is_installed(name)]
    if missing:
        raise SiteError(
            f"{' and '.join(missing)} must be installed to make a site: in a clone of the course, "
            "`pip install -c constraints.txt '.[site]'` brings all that it takes"
        )
    settings = _settings(title, repository, address)
    lines = [f"{name} = {pformat(value)}\n" for name, value in settings.items()]
    (texts / "conf.py").write_text("".join(lines), encoding="utf-8")
    home = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH", "")]))
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-b",
        "html",
        "-d",
        _READ,
        ".",
        str(pages),
    ]
    done = subprocess.run(
        command,
        cwd=texts,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    warned = [line for line in _COLOUR.sub("", done.stderr).splitlines() if line.strip()]
    if done.returncode or warned:
        raise SiteError(f"the pages can't be made: {_some(warned, texts)}")
    for pattern in _NOT_SERVED:
        for file in pages.glob(f"_static/**/{pattern}"):
            file.unlink()


def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _some(warned: Iterable[str], texts: Path) -> str:
    # Where the texts lay while pages were made of them means nothing to a reader.
    said = [line.replace(f"{texts.resolve()}/", "").strip() for line in warned]
    if any((full := os.strerror(errno.ENOSPC)) in line for line in said):
        # Each file that could not be copied has a line of its own.
        return f"the disk is full ({full}): make room, and make them again"
    more = f" (and {len(said) - _SHOWN} more lines)" if len(said) > _SHOWN else ""
    return "; ".join(said[:_SHOWN]) + more or "Sphinx stopped and did not say why"


def _settings(title: str, repository: str, address: str) -> Mapping[str, object]:
    on_github = f"https://github.com/{repository}" if repository else ""
    return {
        "project": title,
        "html_title": title,
        "html_baseurl": address,
        "extensions": list(_EXTENSIONS),
        "exclude_patterns": [_READ],
        "html_theme": _THEME,
        "html_context": {"default_mode": "auto"},
        "html_theme_options": {
            "home_page_in_toc": True,
            # The search stands in the sidebar already.
            "navbar_persistent": [],
            "show_navbar_depth": 1,
            "show_toc_level": 2,
            "use_download_button": False,
            "use_fullscreen_button": False,
            # Else each page would end with "By Author name not set".
            "footer_content_items": [],
            "repository_url": on_github,
            "use_repository_button": bool(on_github),
        },
        "html_static_path": [str(_STATIC)],
        "html_favicon": str(_STATIC / "icon.svg"),
        "html_css_files": ["site.css"],
        "html_js_files": ["site.js"],
        "html_copy_source": False,
        "html_show_sourcelink": False,
        "html_show_copyright": False,
        "html_show_sphinx": False,
        "html_math_renderer": "mathml",
        "nb_code_prompt_show": "Show the {type}",
        "nb_code_prompt_hide": "Hide the {type}",
        "nb_execution_mode": "off",
        "nb_ipywidgets_js": {},
        "myst_enable_extensions": ["attrs_block", "dollarmath"],
        "myst_heading_anchors": 6,
        "myst_heading_slug_func": "autograder.site.texts.links.slug",
        # A document may begin with any level of heading, and a lesson may skip one.
        "suppress_warnings": ["myst.header"],
    }
