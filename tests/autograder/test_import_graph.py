"""Imports are found in texts, and followed."""

from pathlib import Path

import pytest

from autograder.import_graph import ImportGraph

FILES = {
    "shop/__init__.py": "import lazy_loader\n",
    "shop/__init__.pyi": "from .fruit import apple as apple\nfrom .tools.knife import cut as cut\n",
    "shop/fruit.py": "import numpy as np\n",
    "shop/fruit.css": "red {}",
    "shop/tools/__init__.py": '"""What cuts?"""\n',
    "shop/tools/knife.py": "from ..fruit import apple\nfrom . import handle\n",
    "shop/tools/handle.py": "",
    "lonely.py": "from shop import (\n    cut,  # sharp\n)\n",
}


@pytest.fixture
def graph(tmp_path: Path) -> ImportGraph:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return ImportGraph({"shop": tmp_path / "shop", "lonely": tmp_path / "lonely.py"})


def test_index_is_asked_for_one_name(graph: ImportGraph) -> None:
    assert graph.imports_of("lonely") == {"shop.tools.knife"}
    assert graph.imports_of("shop") == {"shop.fruit", "shop.tools.knife"}
    assert graph.imports_of("shop.tools.knife") == {"shop.fruit", "shop.tools.handle"}


def test_imports_are_followed(graph: ImportGraph) -> None:
    everything = {"lonely", "shop.tools.knife", "shop.tools.handle", "shop.fruit"}
    assert graph.reached(["lonely"]) == everything
    assert {path.name for path in graph.files(["shop.fruit"])} == {
        *("fruit.py", "fruit.css", "__init__.pyi"),
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import shop.fruit as f, json", {"shop.fruit"}),
        ("if True: from shop import apple", {"shop.fruit"}),
        ("def f():\n    from shop.tools import \\\n        handle\n", {"shop.tools.handle"}),
        ("from shop import apple; import lonely", {"shop.fruit", "lonely"}),
        ("from shop to shop.\nimport of goods is taxed", set()),
    ],
)
def test_statements(graph: ImportGraph, text: str, found: set[str]) -> None:
    assert set(graph.named_in(text)) == found


def test_comments_and_brackets_hide_no_name(graph: ImportGraph) -> None:
    text = "from shop.tools import(\n    knife,  # (a sharp one)\n    handle,\n)\n"
    assert {*graph.named_in(text)} == {"shop.tools.knife", "shop.tools.handle"}


def test_full_names_are_found_in_strings(graph: ImportGraph) -> None:
    text = 'check = hidden_check("shop.tools.knife")\nimport lonely\nmy.shop.fruit'
    assert {*graph.mentioned_in(text)} == {"shop.tools.knife", "lonely"}
