"""A course as pages: every lesson, its map and tables, and the documents for its readers.

    notebooks/02_x/02_x.ipynb  → notebooks/02_x/02_x.html   with what its given cells show
    notebooks/02_x/            → notebooks/02_x/02_x.zip    what students get, to download
                               → notebooks/02_x/02_x-colab.ipynb  what Colab opens, if it can
    README.md                  → index.html                 the start
    docs/*.md                  → docs/*.html
    lite/                      → lite/                      lessons that run in the browser, if any

The pages need no server and ask nothing of another machine. They are made in a folder beside the
site's and take its place when all of them are there, so a site is an old or a new one, and whole.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from html import escape
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.authoring.browser import lite
from autograder.authoring.build.build import Built, build_lesson
from autograder.course import Course
from autograder.site.errors import SiteError
from autograder.site.lessons import colab, doors
from autograder.site.lessons.lesson_page import lesson_page
from autograder.site.lessons.outputs import outputs_of, worksheets_in
from autograder.site.lessons.to_come import foretaste
from autograder.site.place import refuse_others, take_place
from autograder.site.rendering import render
from autograder.site.secrets import refuse_secrets, secrets_of
from autograder.site.texts.contents import Contents, notebook_of
from autograder.site.texts.links import to_own_sections
from autograder.whole_folder import making

# Where a site is made unless somebody says otherwise; `make clean` removes both.
FOLDER = Path("build") / "site"
_OUTPUTS = Path("build") / "site-outputs"

# Called with how many steps are done, of how many, and what the next one is.
Progress = Callable[[int, int, str], None]


def make_site(course: Course, folder: Path, progress: Progress) -> Path:
    """Make the site of a course.

    Args:
        course: where it is.
        folder: the site's; a site that was made there before gives way to the new one.
        progress: called before each step, and after each cell that is run in it.

    Returns:
        The page to begin with.

    Raises:
        SiteError: for a folder of somebody's, for a course that is not built, and for a page that
            would show what students may not see.
        NotebookStopped: when a lesson can't be run to its end.
    """
    refuse_others(folder)
    in_browser = course.root / lite.FOLDER
    names, runnable = course.lessons(), doors.runnable(in_browser)
    lessons = [_built(course, name) for name in names]
    pages = {}
    for number, built in enumerate(lessons):
        step = partial(progress, number, len(names) + 1)
        step(built.lesson.name)
        pages[built.lesson.name] = _page(built, runnable, step)
    progress(len(names), len(names) + 1, "making the pages")
    with making(folder) as beside:
        texts, made = beside / "texts", beside / "pages"
        contents = Contents(course, lessons, runnable)
        _write_texts(contents, pages, texts)
        address, repository = course.settings.site, course.settings.repository
        render(texts, made, title=contents.title, repository=repository, address=address)
        for name in names:
            _pack(course.release_folder(name), (made / notebook_of(course, name)).parent)
        if colab.is_for_colab(course):
            for built in lessons:
                place = made / colab.beside_page(notebook_of(course, built.lesson.name))
                opened = colab.for_colab(built.student, repository)
                place.write_text(f"{nbformat.writes(opened)}\n", encoding="utf-8")
        refuse_secrets(_pages_in(made), secrets_of(lessons))
        if runnable:
            lite.lead_to_site(shutil.copytree(in_browser, made / lite.FOLDER))
        take_place(made, folder, beside / "before")
    return folder / "index.html"


def _built(course: Course, name: str) -> Built:
    """A lesson, of which students have what its text makes now."""
    built = build_lesson(course, name)
    path = course.root / notebook_of(course, name)
    there = path.read_text(encoding="utf-8") if path.is_file() else ""
    if there != f"{nbformat.writes(built.student)}\n":
        raise SiteError(f"{path} is not what the lesson's text makes: run `autograder build` first")
    return built


def _page(built: Built, runnable: Mapping[str, str], step: Callable[[str], None]) -> NotebookNode:
    course, name = built.course, built.lesson.name

    def count(done: int, cells: int) -> None:
        step(f"{name}: {done} of {cells} cells run")

    outputs = outputs_of(built, course.root / _OUTPUTS, count)
    shown = foretaste(built.exams, worksheets_in(built.exams))
    repository, notebook = course.settings.repository, notebook_of(course, name)
    buttons = doors.buttons(
        name,
        notebook,
        run_at=runnable.get(name, ""),
        colab=colab.address(repository, notebook) if colab.is_for_colab(course) else "",
        repository=repository,
    )
    page = lesson_page(built.student, outputs, shown, buttons)
    for cell in page.cells:
        if cell.cell_type == "markdown":
            cell.source = to_own_sections(cell.source)
    return page


def _write_texts(contents: Contents, pages: Mapping[str, NotebookNode], folder: Path) -> None:
    texts = dict(contents.texts())
    texts |= {
        notebook_of(contents.course, name): nbformat.writes(page) for name, page in pages.items()
    }
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    for picture in contents.pictures():
        shutil.copyfile(contents.course.root / picture, folder / picture)


def _pack(given_out: Path, folder: Path) -> None:
    """What students get of a lesson, in one file to download; the same content is the same file."""
    with ZipFile(folder / f"{given_out.name}.zip", "w") as packed:
        for path in sorted(given_out.rglob("*")):
            inside = path.relative_to(given_out.parent)
            if path.is_file() and not any(part.startswith(".") for part in inside.parts):
                packed.writestr(ZipInfo(inside.as_posix()), path.read_bytes(), ZIP_DEFLATED)


def _pages_in(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.rglob("*.html")):
        yield path.relative_to(folder), path.read_text(encoding="utf-8")
    for path in sorted(folder.rglob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        # Escaped, as a page is, whose tags are not read.
        yield path.relative_to(folder), "\n".join(escape(cell.source) for cell in cells)
