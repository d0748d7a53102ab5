"""What a student may write so that something runs, or is asked for, where others look at it."""

import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_output
from playwright.sync_api import Browser, Dialog, Page

from tests.support.lab import PATIENCE

# Where a formula may be a link, an address without // is one beside the page.
MATH = r" $\href{http:report.html}{open me}$ \[\href{http:report.html}{x}\]"
# All that a mouse and a keyboard may do to what is on a page.
TOUCH = """() => {
    for (const element of document.querySelectorAll("#notebook-container *")) {
        for (const kind of ["mouseover", "mouseenter", "focus", "toggle", "pointerover", "begin"]) {
            element.dispatchEvent(new Event(kind, {bubbles: true}));
        }
    }
}"""
FOLLOWED = """() => [...document.querySelectorAll("#notebook-container *")].flatMap(element =>
    ["href", "xlink:href", "src", "action", "formaction", "data", "srcdoc"]
        .map(name => element.getAttribute(name) || "")
        .filter(value => /^\\s*(javascript:|data:(?!image\\/(png|jpeg|svg))|<)|report/i.test(value))
)"""


@dataclass
class Listener:
    """A server that notes who asks it for what, and gives a page where it has one."""

    address: str = ""
    asked: list[str] = field(default_factory=list)
    pages: dict[str, bytes] = field(default_factory=dict)


@contextmanager
def listening() -> Iterator[Listener]:
    """A server on this machine, as a student might have one elsewhere."""
    notes = Listener()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path not in notes.pages:
                notes.asked.append(self.path)
            self.send_response(200 if self.path in notes.pages else 404)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(notes.pages.get(self.path, b""))

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    notes.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield notes
    server.shutdown()
    server.server_close()


def written(address: str) -> dict[str, str]:
    """Injections into a written answer, by name."""
    page = base64.b64encode(f"<script>{hit(address, 'data')}</script>".encode()).decode()
    return {
        "script": f"<script>{hit(address, 'script')}</script>",
        "onerror": f'<img src=x onerror="{hit(address, "onerror")}">',
        "link": f"[here](javascript:{hit(address, 'link').replace(' ', '')})",
        "autolink": f"<javascript:{hit(address, 'autolink').replace(' ', '')}>",
        "srcdoc": f'<iframe srcdoc="<script>{hit(address, "srcdoc")}</script>"></iframe>',
        "refresh": f'<meta http-equiv="refresh" content="0;url={address}/refresh">',
        "style": f"<style>body {{background: url({address}/style)}}</style>",
        "svg": f'<svg/onload="{hit(address, "svg")}"></svg>',
        "details": f'<details open ontoggle="{hit(address, "details")}">more</details>',
        "data": f"[here](data:text/html;base64,{page})",
        "form": f'<form action="javascript:{hit(address, "form")}"><button>x</button></form>',
        "pixel": f"![a picture]({address}/pixel.png)",
        "distant pixel": f"![a picture][far]\n\n[far]: {address}/distant.png",
        "mathjax": f"$\\href{{javascript:{hit(address, 'mathjax')}}}{{x}}$",
        "relative mathjax": r"$\href{http:report.html}{open me}$ \\(\href{http:report.html}{x}\\)",
        "macro": r"$\def\a{\href{http:report.html}{open}}\a$ $\let\b\href \b{http:report.html}{x}$",
        "display": "$$\\href{http:report.html}{open me}$$\n\n"
        "\\begin{align}\\href{http:report.html}{x}\\end{align}",
        "overlay": r"$\style{position:fixed;top:0}{\rule{99em}{99em}}$ $\class{x}{y} \cssId{i}{j}$",
        "split": "$\\hr<b></b>ef{http:report.html}{x}$ $x$`$`\\href{http:report.html}{x}$",
        "relative": "[here](http:report.html) <http:report.html> https://example.org/report.html",
        "clobber": "# attention_weights\n\n<a name=why id=notebook-container>x</a>",
        "hidden mathjax": f"&#36;&#92;href{{javascript:{hit(address, 'hidden')}}}{{x}}&#36;",
    }


def displayed(address: str) -> dict[str, str]:
    """Injections by code that displays or raises something, by name."""
    html = f'<script>{hit(address, "shown")}</script><img src=x onerror="{hit(address, "img")}">'
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' onload=\"{hit(address, 'svg2')}\"></svg>"
    start = "from IPython.display import *\n"
    raw = "application/javascript", "text/html", "text/markdown", "image/svg+xml", "image/png"
    return {
        "HTML": f"{start}display(HTML({html!r}))",
        "Javascript": f"{start}display(Javascript({hit(address, 'javascript')!r}))",
        "SVG": f"{start}display(SVG({svg!r}))",
        "Markdown": f"{start}display(Markdown({html!r}))",
        "Latex": f"{start}display(Latex(r'$\\href{{javascript:{hit(address, 'latex')}}}{{x}}$'))",
        "IFrame": f"{start}display(IFrame('{address}/iframe', 100, 100))",
        "Image": f"{start}display(Image(url='{address}/image'))",
        "raw": f"{start}display(dict.fromkeys({raw!r}, {html!r}), raw=True)",
        "picture": f"{start}display(HTML('<img src=\"data:image/svg+xml;base64,"
        f'{base64.b64encode(svg.encode()).decode()}" alt="x" onload="alert(1)">\'))',
        "repr": f"class Shown:\n    def _repr_html_(self):\n        return {html!r}\n"
        f"    __repr__ = _repr_html_\nShown()",
        "print": f"import sys\nprint({html!r})\nprint({html!r}, file=sys.stderr)",
        "raise": f"raise ValueError({html + MATH!r})",
        "name": f"raise type({html!r}, (Exception,), {{}})({html!r})",
        "comment": f"# </script></pre>{html}",
    }


def answers(address: str) -> dict[str, str]:
    """Answers that carry an injection into what a test says of them."""
    html = f'<img src=x onerror="{hit(address, "said")}">'
    return {
        "attention_scores": f"def attention_scores(*args):\n    raise ValueError({html + MATH!r})",
        "attention_weights": f"def attention_weights(scores):\n    return {html!r}",
    }


def hit(address: str, name: str) -> str:
    return f"window.__hit='{name}';new Image().src='{address}/{name}'"


def hostile(address: str, solved: NotebookNode) -> NotebookNode:
    """A submission full of injections, with forged outputs besides."""
    html = f"<script>{hit(address, 'forged')}</script>"
    data = {"text/html": html, "application/javascript": hit(address, "js"), "text/plain": html}
    texts = "\n\n".join(written(address).values())
    for cell in solved.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution"):
            cell.source = texts if cell.cell_type == "markdown" else cell.source
            cell.source = answers(address).get(marks.grade_id, cell.source)
        if cell.cell_type == "code":
            cell.outputs = [new_output("display_data", data)]
    solved.cells += [new_code_cell(text) for text in displayed(address).values()]
    return solved


@contextmanager
def quiet_page(browser: Browser) -> Iterator[Page]:
    """A page that reaches this machine alone, and on which a dialog is a failure."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.route(
        lambda url: not url.startswith(("http://127.0.0.1", "data:", "about:")),
        lambda route: route.abort(),
    )
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    yield page
    context.close()
    assert dialogs == []


def assert_nothing_ran(page: Page, listener: Listener) -> None:
    before = page.url.split("?")[0]
    page.evaluate(TOUCH)
    page.wait_for_timeout(250)
    assert page.url.split("?")[0] == before
    for frame in page.frames:
        assert frame.evaluate("window.__hit") is None
    assert page.evaluate(FOLLOWED) == []
    assert listener.asked == []
