"""Words as HTML: a student's written answer, and the lesson's own text on the feedback page.

Nothing in an answer is live. HTML, links and pictures are shown as the text that they were written
with. A formula of an answer is set if its every command is one that does no more than set
mathematics.
"""

import re
from html import escape, unescape
from typing import Any

from mistune import HTMLRenderer
from mistune.plugins import import_plugin
from nbconvert.filters.markdown_mistune import MarkdownWithMath

from autograder.authoring.lesson.formulas import as_mathml

_PLUGINS = "strikethrough", "table"
_FORMULA = 2000
_DEEPEST = 20
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{([^{}]*)\}")
_ENVIRONMENTS_LIST = """
align aligned alignedat array bmatrix Bmatrix cases equation gather gathered matrix pmatrix
smallmatrix split vmatrix Vmatrix
"""
_ENVIRONMENTS = frozenset(_ENVIRONMENTS_LIST.split())
# No links, styles, classes, ids, macros, colours, sizes, packages or characters by number.
_COMMANDS_LIST = """
alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi
varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi
Pi Sigma Upsilon Phi Psi Omega ell hbar Re Im aleph partial nabla infty emptyset varnothing
forall exists nexists neg lnot top bot angle prime frac dfrac tfrac sqrt binom dbinom tbinom sum
prod coprod int iint iiint oint bigcup bigcap bigoplus bigotimes bigvee bigwedge lim limsup
liminf sup inf max min arg argmax argmin sin cos tan cot sec csc arcsin arccos arctan sinh cosh
tanh coth exp log ln lg det dim ker deg gcd hom Pr mod bmod pmod operatorname pm mp times div
cdot ast star circ bullet oplus ominus otimes odot dagger cap cup vee wedge land lor setminus le
leq ge geq ne neq lt gt ll gg equiv sim simeq approx cong propto mid nmid parallel perp in notin
ni subset subseteq supset supseteq prec succ models vdash to gets leftarrow rightarrow
leftrightarrow Leftarrow Rightarrow Leftrightarrow longrightarrow longleftarrow Longrightarrow
mapsto longmapsto implies impliedby iff uparrow downarrow ldots cdots vdots ddots dots dotsc
dotsb quad qquad colon not left right middle big Big bigg Bigg bigl bigr Bigl Bigr lvert rvert
lVert rVert vert Vert langle rangle lfloor rfloor lceil rceil lbrace rbrace lbrack rbrack hat
widehat bar vec tilde widetilde dot ddot overline underline overbrace underbrace overset
underset stackrel limits nolimits substack mathrm mathbf mathit mathsf mathtt mathcal mathbb
mathfrak mathscr boldsymbol bm text textrm textbf textit texttt displaystyle textstyle begin end
hline
"""
_COMMANDS = frozenset(_COMMANDS_LIST.split())


def answer_to_html(text: str) -> str:
    """A written answer, rendered."""
    return _render(text, _Inert())


def lesson_to_html(text: str) -> str:
    """The words of a lesson, whose HTML and links are their author's own."""
    return _render(text, _Words(escape=False))


def comment_to_html(text: str) -> str:
    """The words of a grader: their lines and links as they are, and nothing taken for HTML."""
    return _render(text.replace("\n", "  \n"), _Words(escape=True))


def _render(text: str, renderer: HTMLRenderer) -> str:
    plugins = [import_plugin(name) for name in _PLUGINS]
    return MarkdownWithMath(renderer=renderer, plugins=plugins).render(text)


def is_plain_formula(tex: str) -> bool:
    """Whether a formula of a student's is set: short, shallow, and harmless in every command."""
    if len(tex) > _FORMULA or _depth(tex) > _DEEPEST:
        return False
    # A command may begin behind another's backslashes, so each backslash counts.
    commands = set(_COMMAND.findall(tex))
    environments = {name.rstrip("*") for name in _ENVIRONMENT.findall(tex)}
    begun = len(re.findall(r"\\(?:begin|end)(?![A-Za-z])", tex))
    return (
        commands <= _COMMANDS
        and environments <= _ENVIRONMENTS
        and begun == len(_ENVIRONMENT.findall(tex))
    )


def _depth(tex: str) -> int:
    depth = deepest = 0
    for step in re.findall(r"[{}]|\\left|\\begin|\\right|\\end", tex):
        depth += 1 if step in ("{", "\\left", "\\begin") else -1
        deepest = max(deepest, depth)
    return deepest


class Formulas:
    """What a renderer makes of formulas: MathML, which a browser sets by itself."""

    def inline_math(self, body: str) -> str:
        """A formula within a line."""
        return self.formula(unescape(body), "$", block=False)

    def block_math(self, body: str) -> str:
        """A formula with lines of its own."""
        return self.formula(unescape(body), "$$", block=True)

    def latex_environment(self, name: str, body: str) -> str:
        """A formula that LaTeX's own marks begin and end."""
        tex = unescape(f"\\begin{{{name}}}{body}\\end{{{name}}}")
        return self.formula(tex, "", block=True)

    def formula(self, tex: str, delimiter: str, *, block: bool) -> str:
        """Any of them, without the delimiters between which it was written."""
        return as_mathml(tex, block=block)


class _Words(Formulas, HTMLRenderer):
    """Markdown with formulas between dollars, whose links are their author's own."""

    def __init__(self, *, escape: bool) -> None:
        super().__init__(escape=escape)


class _Inert(Formulas, HTMLRenderer):
    """Writes tags of its own choice, without attributes, around text that is escaped."""

    def __init__(self) -> None:
        super().__init__(escape=True)

    def formula(self, tex: str, delimiter: str, *, block: bool) -> str:
        """Set if it can do nothing else; otherwise as it was written."""
        if is_plain_formula(tex):
            return super().formula(tex, delimiter, block=block)
        return f"<code>{escape(f'{delimiter}{tex}{delimiter}')}</code>"

    def text(self, text: str) -> str:
        # What was typed as an entity is shown as the character that it names.
        return escape(unescape(text))

    def link(self, text: str, url: str, title: str | None = None) -> str:
        shown = escape(unescape(url))
        return text if text == shown else f"{text} ({shown})"

    def image(self, text: str, url: str, title: str | None = None) -> str:
        return f"[{text}: {escape(unescape(url))}]"

    def inline_html(self, html: str) -> str:
        return escape(html)

    def block_html(self, html: str) -> str:
        return f"<p>{escape(html)}</p>\n"

    def heading(self, text: str, level: int, **attrs: Any) -> str:
        return f"<h{level}>{text}</h{level}>\n"

    def block_code(self, code: str, info: str | None = None) -> str:
        return f"<pre><code>{_as_typed(code)}</code></pre>\n"

    def codespan(self, text: str) -> str:
        return f"<code>{_as_typed(text)}</code>"


def _as_typed(code: str) -> str:
    # The graded notebook holds it in this form, for other programs that show notebooks.
    return escape(code.replace("&lt;", "<"))
