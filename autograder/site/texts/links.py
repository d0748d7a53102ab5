"""Where the links of a text lead when the text has become a page.

Texts link to files of the course. A file that is a page of the site too is linked as it is; any
other is at the course's repository, or is no link any more where none is known. A section of a
notebook is named as JupyterLab names it, and becomes the name that its page gives it. In code,
`<this repository>` becomes the address, where it is known.
"""

import re
from collections.abc import Set
from dataclasses import dataclass
from pathlib import PurePosixPath
from posixpath import normpath
from urllib.parse import unquote

# Code first: what looks like a link in it is none. Code within a line ends with its paragraph.
_CODE_OR_LINK = re.compile(
    r"(?P<code>^(?P<fence>`{3,}).*?^(?P=fence)|(?P<ticks>`+)(?!`)(?:(?!\n\n).)+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^()\s]+)\)",
    re.DOTALL | re.MULTILINE,
)
_SCHEME = re.compile(r"[a-z][a-z+.-]*:", re.IGNORECASE)
_WITHIN = re.compile(r"(?<=\]\()#(?P<section>[^()\s]+)(?=\))")
# What a text says in a command that works in any clone of it.
_HERE = "<this repository>"
_NO_WORD = re.compile(r"[^\w\- ]")


@dataclass(frozen=True)
class Links:
    """Which files of a course the site has, as paths from its root, and where the others are."""

    pages: Set[PurePosixPath]
    repository: str = ""

    def mended(self, text: str, file: PurePosixPath) -> str:
        """A text of the course, in Markdown, with links as its page needs them."""

        def mend(found: re.Match[str]) -> str:
            if found["code"]:
                return self._told_where(found[0])
            said = self.mended(found["text"], file)
            target = self._target(found["target"], file)
            if target is None:
                return said
            return f"{found['image']}[{said}]({target})"

        return _CODE_OR_LINK.sub(mend, text)

    def _told_where(self, code: str) -> str:
        """Commands for whoever has no clone yet, with the address that they need."""
        here = f"https://github.com/{self.repository}" if self.repository else _HERE
        return code.replace(_HERE, here)

    def _target(self, target: str, file: PurePosixPath) -> str | None:
        if _SCHEME.match(target) or target.startswith("#"):
            return target
        address, _, section = target.partition("#")
        path = PurePosixPath(normpath(file.parent / unquote(address)))
        if path in self.pages:
            return f"{address}#{_named(section)}" if section else address
        if self.repository and not path.is_relative_to(".."):
            return f"{in_repository(self.repository, path)}{'#' * bool(section)}{section}"
        return None


def in_repository(repository: str, path: PurePosixPath) -> str:
    """The address of a file of the course on GitHub, in the branch that it shows first."""
    return f"https://github.com/{repository}/blob/HEAD/{path}"


def to_own_sections(text: str) -> str:
    """A text of a notebook, whose links within it lead to the sections of its page."""
    return _WITHIN.sub(lambda found: f"#{_named(found['section'])}", text)


def _named(section: str) -> str:
    """What a page calls a section that JupyterLab calls so."""
    return slug(unquote(section).replace("-", " "))


def slug(heading: str) -> str:
    """What a section's heading is called in an address, as GitHub calls it."""
    return _NO_WORD.sub("", heading.strip().lower()).replace(" ", "-")
