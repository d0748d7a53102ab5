"""The folder `lite/` of a site: lessons that run in a browser, by JupyterLite.

What a learner writes stays in the browser, under the name of its file, and goes there before a file
of the site with the same name. So the name of a lesson's notebook has the digest of what was given
out: a newer lesson is another file, and the start page finds the older ones with work in them.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import quote

from jupyter_core.paths import jupyter_path

from autograder.authoring.browser.needs import needs_of
from autograder.authoring.browser.pyodide import NotForBrowsers, Pyodide
from autograder.authoring.browser.through_javascript import kept_whole
from autograder.authoring.browser.wheels import Wheel
from autograder.checks.card.as_html import REPORT_MIME
from autograder.checks.examples import FILE
from autograder.checks.source.opening import opening_of
from autograder.course import Course
from autograder.settings import where_set
from autograder.whole_folder import making, may_replace, take_place

# In the course, unless somebody says otherwise.
FOLDER = Path("lite")
# What a browser loads at the first time, compressed by the server or not.
LOADED = "30 to 40 MB"
# By it a folder is known that this has made, and may replace.
MARK = "jupyter-lite.json"
_EXTENSION = "@jupyterlite/pyodide-kernel-extension"
# What the kernel begins with; without the first two it would look on the network.
_KERNEL = ("micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython")
_HERE = Path(__file__).parent
_PAGE = ("start.css", "start.js")
_APPS = ("notebooks", "tree")
# In the pages, where a site that takes the folder in leads back to its own.
_SITE = "<!-- site -->"
# What JupyterLite's own tools need, and nobody who visits the site does.
_NOT_SERVED = ("rspack.config*.js", "package.json", "doc", "repl")
_SETTINGS = {
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 10},
    # Light or dark, as the reader's other pages are.
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
}


@dataclass(frozen=True)
class Page:
    """A lesson's notebook: where it lies below the folder of files, and its title."""

    lesson: str
    file: str
    title: str


def address(lesson: str) -> str:
    """The address of a lesson below `lite/`: it leads on to the notebook in which one works."""
    return f"index.html?lesson={quote(lesson)}"


def lessons_in(folder: Path) -> list[str]:
    """The lessons that are in such a folder; none where there is no folder."""
    return sorted({notebook.parent.name for notebook in folder.glob("files/*/*.ipynb")})


def make_lite(
    course: Course, out: Path, pyodide: Path, extend: Callable[[Path], None] | None = None
) -> list[str]:
    """Make the folder anew, and return the lessons that are in it.

    Args:
        course: its setting `browser` names the lessons.
        out: the folder; replaced when this has made it.
        pyodide: where Pyodide and packages for it lie.
        extend: writes an extension of JupyterLab, which the lessons shall have, into a folder.

    Raises:
        NotForBrowsers: when a lesson or this machine lacks what it takes, or the folder is
            somebody's own.
    """
    lessons = list(course.lessons_in("browser").values())
    if not lessons:
        raise NotForBrowsers(
            "no lesson is to run in a browser: name some in "
            f'{where_set(course.root, "browser")}, as in browser = ["00"]'
        )
    if not may_replace(out, MARK):
        raise NotForBrowsers(f"{out} holds what was not made by this: choose another folder")
    available = Pyodide(pyodide)
    needs = needs_of(course, lessons, available)
    with making(out) as work:
        wheels = [*_kernel_wheels(), *needs.wheels(work)]
        packages = [*needs.packages, *_KERNEL]
        available.copy(work / "static" / "pyodide", packages, wheels)
        pages = [_give_out(course, lesson, work / "lessons") for lesson in lessons]
        extensions = [_extension()]
        if extend:
            extend(work / "extension")
            extensions.append(work / "extension")
        _configure(course, work, [*packages, *(wheel.name for wheel in wheels)], extensions)
        _build(work)
        made = work / "made"
        _write_start_page(course, made, pages)
        take_place(made, out, work / "before")
    return lessons


def lead_to_site(folder: Path) -> None:
    """Have the pages of such a folder, which lies in that of a site, lead to the site's start."""
    for page in (folder / "index.html", *folder.glob("*/index.html")):
        text = page.read_text(encoding="utf-8")
        start = "../" * (len(page.relative_to(folder).parts))
        link = f'<a href="{start}index.html">All pages of the course</a>'
        page.write_text(text.replace(_SITE, link), encoding="utf-8")


def _kernel_wheels() -> Iterator[Wheel]:
    """What the extension brings along, listed so that all is loaded at the same time."""
    index = json.loads((_extension() / "static" / "pypi" / "all.json").read_text("utf-8"))
    for name, package in index.items():
        if name in _KERNEL:
            ((version, (file,)),) = package["releases"].items()
            path = _extension() / "static" / "pypi" / file["filename"]
            yield Wheel(path, name, version, (name.replace("-", "_"),))


def _extension() -> Path:
    for place in jupyter_path("labextensions"):
        if (found := Path(place, _EXTENSION)).is_dir():
            return found
    raise NotForBrowsers(
        "jupyterlite-pyodide-kernel is not installed here: "
        "`pip install -c constraints.txt '.[browser]'` brings it"
    )


def _give_out(course: Course, lesson: str, folder: Path) -> Page:
    """Copy what students get of a lesson; its notebook under a name that tells the version."""
    mine = folder / lesson
    shutil.copytree(
        course.release_folder(lesson), mine, ignore=shutil.ignore_patterns(".*", "__pycache__")
    )
    if (checks := mine / FILE).is_file():
        checks.write_text(kept_whole(checks.read_text(encoding="utf-8")), encoding="utf-8")
    notebook = mine / f"{lesson}.ipynb"
    content = notebook.read_bytes()
    named = notebook.rename(mine / f"{lesson}-{hashlib.sha256(content).hexdigest()[:8]}.ipynb")
    return Page(lesson, f"{lesson}/{named.name}", opening_of(named).title or lesson)


def _configure(
    course: Course, work: Path, packages: Iterable[str], extensions: Iterable[Path]
) -> None:
    kernel = {
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": sorted({*packages})},
    }
    site = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "contentsStorageName": _storage(course),
            "litePluginSettings": {f"{_EXTENSION}:kernel": kernel},
        },
    }
    build = {
        "apps": [*_APPS],
        "contents": ["lessons"],
        "output_dir": "made",
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        "no_libarchive": True,
        # Of this environment's extensions only those that are named.
        "ignore_sys_prefix": ["federated_extensions"],
        "federated_extensions": [str(extension) for extension in extensions],
    }
    written = {MARK: site, "jupyter_lite_config.json": {"LiteBuildConfig": build}}
    for name, content in (written | {"overrides.json": _SETTINGS}).items():
        (work / name).write_text(json.dumps(content), encoding="utf-8")


def _storage(course: Course) -> str:
    """What the browser's store of a course's notebooks is called."""
    return f"lessons of {course.settings.id}"


def _build(work: Path) -> None:
    command = [sys.executable, "-P", "-m", "jupyterlite_core", "build"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True)
    if done.returncode:
        last = (done.stdout + done.stderr).strip().splitlines()[-1:]
        raise NotForBrowsers(f"JupyterLite could not make the folder: {''.join(last)}")


def _write_start_page(course: Course, made: Path, pages: Iterable[Page]) -> None:
    for pattern in _NOT_SERVED:
        for path in made.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    data = {
        "storage": _storage(course),
        "lessons": [vars(page) for page in pages],
        "report": REPORT_MIME,
    }
    # The data stands in a script, which the first "</" would end.
    filled = Template((_HERE / "start.html").read_text(encoding="utf-8")).substitute(
        data=json.dumps(data, ensure_ascii=False).replace("</", "<\\/"),
        loaded=LOADED,
        titles="".join(f"<li>{escape(page.title)}</li>" for page in pages),
    )
    (made / "index.html").write_text(filled, encoding="utf-8")
    for name in _PAGE:
        shutil.copyfile(_HERE / name, made / name)
    back = (_HERE / "back.html").read_text(encoding="utf-8")
    for app in _APPS:
        page = made / app / "index.html"
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("</body>", f"{back}</body>"), encoding="utf-8")
