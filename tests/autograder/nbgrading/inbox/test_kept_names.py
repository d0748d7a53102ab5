"""Under which names a student's files are kept."""

import mimetypes

import pytest

from autograder.nbgrading.inbox.kept_names import kept_name, name_handed_in

ACTIVE = (
    "report.html", "report.HTM", "a/b.xhtml", "x.svg", "x.svgz", "x.xml", "x.js", "x.mjs", "x.pdf",
    "x.shtml", "x.mht", "x.xsl", "x.wasm", "x.swf", "x.css", "x.html.gz", "data.csv.html", "x.rdf",
)  # fmt: skip
INERT = ("data.csv", "model.pt", "helper.py", "a/picture.png", "README", "notes.md", "x.txt")


@pytest.mark.parametrize("name", ACTIVE)
def test_active_file_becomes_text(name: str) -> None:
    assert mimetypes.guess_type(kept_name(name)) == ("text/plain", None)


@pytest.mark.parametrize("name", INERT)
def test_inert_file_keeps_its_name(name: str) -> None:
    assert kept_name(name) == name


@pytest.mark.parametrize("name", [*ACTIVE, *INERT, "x.html.txt", "x.html.txt.txt", "x.txt.txt"])
def test_code_finds_its_files(name: str) -> None:
    assert name_handed_in(kept_name(name)) == name


def test_names_stay_apart() -> None:
    names = [*ACTIVE, *INERT, *(f"{name}.txt" for name in (*ACTIVE, *INERT))]
    assert len(set(map(kept_name, names))) == len(names)
