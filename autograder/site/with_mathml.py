"""An extension of Sphinx: formulas as MathML, which browsers set by themselves.

No script is loaded, and a page is complete the moment it is there.
"""

from typing import TYPE_CHECKING, Any

from docutils import nodes

from autograder.authoring.lesson.formulas import as_mathml

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator


def setup(app: "Sphinx") -> dict[str, Any]:
    """Let Sphinx set formulas so."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(translator: "HTML5Translator", node: nodes.math) -> None:
    _write(translator, node, block=False)


def _block(translator: "HTML5Translator", node: nodes.math_block) -> None:
    _write(translator, node, block=True)


def _write(translator: "HTML5Translator", node: nodes.Element, *, block: bool) -> None:
    html = as_mathml(node.astext(), block=block)
    around = '<div class="formula">{}</div>' if block else '<span class="in-line">{}</span>'
    translator.body.append(around.format(html))
    raise nodes.SkipNode
