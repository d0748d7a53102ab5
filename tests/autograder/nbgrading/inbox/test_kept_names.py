"""Under which names a student's files are kept."""

import mimetypes

import pytest

from autograder.nbgrading.inbox.kept_names import kept_name, name_handed_in

ACTIVE = (
    "report.html", "report.HTM", "a/b.xhtml", "x.svg", "x.svgz", "x.xml", "x.js", "x.mjs", "x.pdf",
    "x.shtml", "x.mht", "x.xsl", "x.wasm", "x.swf", "x.css", "x.html.gz", "data.csv.html", "x.rdf",
)  # fmt: skip
# Python would import them, or a program that is started beside them would run or obey them.
RUN = (
    "helper.py", "numpy.PY", "numpy/__init__.py", "ipykernel_launcher.py", "x.pyc", "x.pyd", "x.so",
    "x.abi3.so", "x.dll", "x.dylib", "x.pth", "x.egg", "x.whl", "x.pyw", "other.IPYNB", "x.ipynb",
    "sitecustomize.py", "jupyter_server_config.json", "jupyter_config.py", "kernel.json", ".env",
    "pyproject.toml", "setup.cfg", "pytest.ini", "matplotlibrc", "Makefile", "x.sh", "x.r",
    "git/config", "x.pyi", "x.yaml", "x.py ", "x.py.", "x.", ".py", "_.txt.py",
)  # fmt: skip
INERT = ("data.csv", "model.pt", "a/picture.png", "notes.md", "x.txt", "x_.txt.csv", "a.txt.csv")
ODD = ("x.html.txt", "x.html.txt.txt", "x.txt.txt", "Makefile_.txt", "Makefile_", "_.txt", "_")


@pytest.mark.parametrize("name", [*ACTIVE, *RUN])
def test_active_file_becomes_text(name: str) -> None:
    assert mimetypes.guess_type(kept_name(name)) == ("text/plain", None)


@pytest.mark.parametrize("name", INERT)
def test_inert_file_keeps_its_name(name: str) -> None:
    assert kept_name(name) == name


@pytest.mark.parametrize("name", [*ACTIVE, *RUN, *INERT, *ODD])
def test_code_finds_its_files(name: str) -> None:
    assert name_handed_in(kept_name(name)) == name


def test_names_stay_apart() -> None:
    names = {*ACTIVE, *RUN, *INERT, *ODD}
    for mark in (".txt", "_.txt", "_", ".txt.txt"):
        names |= {f"{name}{mark}" for name in names}
    assert len(set(map(kept_name, names))) == len(names)
