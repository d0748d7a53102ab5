"""Attacks by the file of a notebook: cells that are changed, marked, doubled or deleted."""

import json
from collections.abc import Callable
from typing import Any

from tests.support.attacks.attack import Attack

Cells = list[dict[str, Any]]


def edited(change: Callable[[Cells], object]) -> Callable[[dict[str, Any]], bytes]:
    """A file whose cells were changed."""

    def whole(notebook: dict[str, Any]) -> bytes:
        change(notebook["cells"])
        return json.dumps(notebook).encode()

    return whole


def _marks(cell: dict[str, Any]) -> dict[str, Any]:
    marks: dict[str, Any] = cell["metadata"].get("nbgrader", {})
    return marks


def _tests(cells: Cells) -> Cells:
    return [cell for cell in cells if _marks(cell).get("grade_id", "").endswith("_check")]


def _each_test(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], bytes]:
    return edited(lambda cells: [change(cell) for cell in _tests(cells)])


def _tag(cell: dict[str, Any]) -> None:
    cell["metadata"]["tags"] = ["skip-execution", "otter_ignore", "remove-cell"]


def _forge_result(cell: dict[str, Any]) -> None:
    cell["outputs"] = [
        {
            "output_type": "execute_result",
            "execution_count": 1,
            "data": {"text/plain": "3", "text/html": "<script>alert('BREACH')</script>"},
            "metadata": {},
        }
    ]


def _make_solution(cell: dict[str, Any]) -> None:
    _marks(cell).update(solution=True, locked=False, points=1000)
    cell["source"] = "3"


def _unlock(cell: dict[str, Any]) -> None:
    _marks(cell).update(locked=False, points=1000, checksum="0" * 32, schema_version=1)
    cell["metadata"].update(editable=True, deletable=True)
    cell["source"] = "pass"


def _to_markdown(cell: dict[str, Any]) -> None:
    cell["cell_type"] = "markdown"


def delete_tests(cells: Cells) -> None:
    cells[:] = [cell for cell in cells if cell not in _tests(cells)]


def _double_tests(cells: Cells) -> None:
    for cell in _tests(cells):
        cells.append({**cell, "source": "pass"})
        cells.insert(0, {**cell, "source": "pass"})


def _swap_names(cells: Cells) -> None:
    """The answer to an exercise under the name of another, and tests under a name that is new."""
    for cell in cells:
        marks = _marks(cell)
        if marks.get("grade_id") == "context_vector":
            marks["grade_id"] = "attention_weights_check"
            cell["source"] = "3"
        elif marks.get("grade_id") == "attention_weights_check":
            marks["grade_id"] = "context_vector_check"


def _odd_metadata(cells: Cells) -> None:
    odd: list[Any] = [
        None,
        [],
        "x",
        {"nbgrader": 7},
        {"nbgrader": {"grade_id": ["x"]}},
        {"nbgrader": []},
    ]
    for cell, metadata in zip(cells, odd, strict=False):
        cell["metadata"] = metadata
    more: list[Any] = [None, 7, "cell", [], {"cell_type": ["code"], "source": {"a": 1}}]
    cells += more


def _same_checksum(cells: Cells) -> None:
    """A question left as it was, with the marks of one that was answered."""
    for cell in cells:
        if _marks(cell).get("grade_id") == "what_it_cannot_do":
            _marks(cell).update(checksum="1" * 32, points=4, grade=True, solution=False)
            cell["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": "4"}}]


def _scripts(cells: Cells) -> None:
    for cell in cells:
        if _marks(cell).get("grade_id") == "what_it_cannot_do":
            cell["source"] = (
                "<script>alert(1)</script> <img src=x onerror=alert(1)> "
                "[look](javascript:alert(1)) [see][a] ![](javascript:alert(1))\n\n"
                "[a]: javascript:alert(1)\n\n$\\href{javascript:alert(1)}{x}$\n\n"
                "<javascript:alert(1)>"
            )


def surrogates(cells: Cells) -> None:
    for cell in cells:
        if _marks(cell).get("solution"):
            cell["source"] = "text = '\ud800'\n" + "".join(cell["source"])


def many_cells(notebook: dict[str, Any]) -> bytes:
    notebook["cells"] += [{"cell_type": "code"}] * 300_000
    return json.dumps(notebook).encode()


def _cut(notebook: dict[str, Any]) -> bytes:
    text = json.dumps(notebook).encode()
    return text[: len(text) // 2]


NOTEBOOKS = (
    Attack("tests are tagged to be skipped", (2,), whole=_each_test(_tag)),
    Attack("results are forged in the file", (3, 12), whole=_each_test(_forge_result)),
    Attack("tests are marked as solutions", (30, 3), whole=_each_test(_make_solution)),
    Attack("tests are emptied and unlocked", (30,), whole=_each_test(_unlock)),
    Attack("tests become markdown", (30, 2), whole=_each_test(_to_markdown)),
    Attack("tests are deleted", (30, 14), whole=edited(delete_tests)),
    Attack("tests are doubled and empty", (30,), whole=edited(_double_tests)),
    Attack("names of cells are swapped", (30,), whole=edited(_swap_names)),
    Attack("metadata of odd shapes", (30, 14), whole=edited(_odd_metadata)),
    Attack("an unanswered question is marked as answered", (30,), whole=edited(_same_checksum)),
    Attack("scripts in an answer in words", (24,), whole=edited(_scripts)),
    Attack("half a surrogate pair in the sources", (14, 30), whole=edited(surrogates)),
    Attack("file is cut off", (14,), whole=_cut),
    Attack("nested a hundred thousand deep", (14, 16), whole=lambda _: b"[" * 100_000),
    Attack(
        "scripts in every kind of output",
        (24,),
        added=(
            "from IPython.display import display\n"
            "bad = '<script>alert(1)</script><img src=x onerror=alert(1)>'\n"
            "kinds = ('text/html', 'text/markdown', 'text/latex', 'image/svg+xml',\n"
            "         'application/javascript', 'application/vnd.jupyter.widget-view+json',\n"
            "         'application/vnd.autograder.report+json', 'image/png')\n"
            "for kind in kinds: display({kind: bad, 'text/plain': 'x'}, raw=True)",
            "text = '<script>alert(1)</script>'\nraise type(text, (Exception,), {})(text)",
        ),
    ),
)
