"""The texts of a site: its start, its map and its documents, and how they hang together."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from autograder.authoring.build.build import Built
from autograder.authoring.lesson.lesson import WrittenExercise
from autograder.checks.source.opening import opening_of
from autograder.course import Course
from autograder.site.texts.course_map import OnMap, begin, map_page
from autograder.site.texts.documents import Shelf, shelves
from autograder.site.texts.links import Links

_README = PurePosixPath("README.md")
_START, _MAP = PurePosixPath("index.md"), PurePosixPath("map.md")
_PICTURES = frozenset((".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp"))


def notebook_of(course: Course, lesson: str) -> PurePosixPath:
    """A student's notebook, as a path from the course's root."""
    path = course.release_folder(lesson) / f"{lesson}.ipynb"
    return PurePosixPath(path.relative_to(course.root).as_posix())


@dataclass(frozen=True)
class Contents:
    """What stands around the lessons of a site.

    Args:
        course: where it is.
        lessons: all of them, in their order.
        runnable: the addresses of those that run in the browser, by their names.

    Raises:
        SiteError: for a list of documents that is not as it should be.
    """

    course: Course
    lessons: Sequence[Built]
    runnable: Mapping[str, str]

    @cached_property
    def title(self) -> str:
        """What the course is called: as the first line of its README says, or by its id."""
        heading = self._readme.partition("\n")[0]
        return heading[2:].strip() if heading.startswith("# ") else self.course.settings.id

    def texts(self) -> Iterator[tuple[PurePosixPath, str]]:
        """The texts that become pages, but for lessons, each with its path from the start."""
        links = Links(
            {*self._documents, *self._notebooks, *self.pictures(), _README},
            self.course.settings.repository,
        )
        yield _START, self._start(links)
        yield _MAP, map_page(self._on_map, self.runnable)
        for document in self._documents:
            text = (self.course.root / document).read_text(encoding="utf-8")
            yield document, links.mended(text, document)

    def pictures(self) -> Iterator[PurePosixPath]:
        """The pictures that lie beside documents, as paths from the course's root."""
        for folder in sorted({document.parent for document in self._documents}):
            for path in sorted((self.course.root / folder).iterdir()):
                if path.suffix.lower() in _PICTURES:
                    yield folder / path.name

    @cached_property
    def _readme(self) -> str:
        path = self.course.root / _README
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    @cached_property
    def _shelves(self) -> list[Shelf]:
        return shelves(self.course)

    @property
    def _documents(self) -> list[PurePosixPath]:
        return [document for shelf in self._shelves for document in shelf.documents]

    @property
    def _notebooks(self) -> list[PurePosixPath]:
        return [notebook_of(self.course, built.lesson.name) for built in self.lessons]

    @cached_property
    def _on_map(self) -> list[OnMap]:
        return [
            OnMap(
                built.lesson.name,
                str(notebook.with_suffix("")),
                opening_of(self.course.root / notebook),
                len(built.lesson.points),
                sum(built.lesson.points.values()),
                sum(isinstance(block, WrittenExercise) for block in built.lesson.blocks),
            )
            for built, notebook in zip(self.lessons, self._notebooks, strict=True)
        ]

    def _start(self, links: Links) -> str:
        """The README, with a way into the course below its first paragraph."""
        heading, _, rest = links.mended(self._readme, _README).partition("\n")
        introduction, _, rest = rest.strip().partition("\n\n")
        contents = [("The course", [_MAP]), ("Lessons", self._notebooks)]
        contents += [(shelf.heading, [*shelf.documents]) for shelf in self._shelves]
        lists = [_list(heading, pages) for heading, pages in contents]
        parts = (heading or f"# {self.title}", introduction, begin(self._on_map, self.runnable))
        return "\n\n".join(filter(None, [*parts, rest, *lists])) + "\n"


def _list(heading: str, pages: Iterable[PurePosixPath]) -> str:
    """A part of the list of all pages that stands beside each of them."""
    names = "\n".join(str(page.with_suffix("")) for page in pages)
    return f"```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{names}\n```"
