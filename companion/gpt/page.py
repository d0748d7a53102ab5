"""A page about one's own GPT, to keep or to send to friends: one HTML file that asks for nothing.

It has no script and makes no request. All that comes from the learner or the model is escaped, and
whoever can't see its two pictures finds the same in words and in tables below them.
"""

import base64
import html
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure
from torch import nn

from companion.drawing.figure import Draw, publish, render
from companion.drawing.theme import DARK, LIGHT, STYLES, Theme
from companion.gpt.drawing import Found, drawing_of_gpt

FILE = "my_gpt.html"
_MARK = '<meta name="generator" content="companion: page_of_gpt">'
# Nothing is fetched, whatever a text pretends to be.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_CURVES = (6.4, 3.4)
_STYLE = """\
:root { color-scheme: light dark; %s }
@media (prefers-color-scheme: dark) { :root { %s } }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 44rem; background: var(--paper);
  color: var(--ink); font: 1.05rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { line-height: 1.2; margin: 0.5rem 0 } h2 { margin: 2.2rem 0 0.4rem; line-height: 1.25 }
.wide { overflow-x: auto; margin: 1rem 0 } .wide img { display: block; height: auto }
.parts img { width: 100%%; min-width: 34rem } .curves img { width: 100%%; min-width: 22rem }
table { border-collapse: collapse; margin: 1rem 0; width: 100%% }
th, td { border-bottom: 1px solid var(--faint); padding: 0.3rem 0.8rem 0.3rem 0; text-align: left }
th, td { overflow-wrap: normal } th[scope=row] { overflow-wrap: anywhere }
.number { text-align: right; font-variant-numeric: tabular-nums } td.number { white-space: nowrap }
code { font-family: ui-monospace, monospace; font-size: 0.92em }
.own { color: var(--first); font-weight: 600 }
blockquote { border-left: 4px solid var(--first); margin: 1.2rem 0; padding: 0.1rem 0 0.1rem 1rem;
  white-space: pre-wrap }
"""


def page_of_gpt(
    found: Sequence[Found],
    *,
    model: nn.Module,
    vocabulary: int,
    losses: Mapping[str, float] | None = None,
    curves: Mapping[str, Sequence[float]] | None = None,
    every: int = 1,
    texts: Mapping[str, str] | None = None,
    title: str = "My GPT",
    file: str | Path = FILE,
) -> None:
    """Write a page about your GPT: its parts, how it learned, and what it writes.

    What is not there, such as the curves of a training that has not been run, is left out.

    Args:
        found: for each part its name, the folder of its lesson or "", and whether it is yours.
        model: whose parameters are counted.
        vocabulary: among how many tokens it chooses.
        losses: what it has reached, by the name of the text.
        curves: losses on the way, by name.
        every: how many steps there are from one point of the curves to the next.
        texts: what it has written, by the beginning that it was given.
        title: what the page is called.
        file: where it is written; it is replaced when it is such a page.

    Raises:
        ValueError: when a name is no part of the drawing.
        FileExistsError: when another file of this name is there.
    """
    path = Path(file)
    if path.exists() and _MARK not in path.read_text(encoding="utf-8", errors="replace"):
        raise FileExistsError(f"{path} is there and is no such page: pass another file=….")
    sections = [
        _about(found, title, sum(one.numel() for one in model.parameters()), vocabulary),
        _parts(found),
        _learning(losses or {}, curves or {}, every, vocabulary),
        _writing(texts or {}),
    ]
    _write(path, _page(title, sections))
    said = f"Your page is in {path.name}: open it in a browser, or send it to somebody."
    publish(f'<p><a href="{html.escape(path.name)}">{html.escape(said)}</a></p>', said)


def _write(path: Path, text: str) -> None:
    """The whole page or none, so that one who is reading it never finds half of one."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def _page(title: str, sections: Sequence[str]) -> str:
    style = _STYLE % (_colours(LIGHT), _colours(DARK))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{_MARK}\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"<main>\n{''.join(sections)}</main>\n</body>\n</html>\n"
    )


def _colours(theme: Theme) -> str:
    named = {"paper": theme.paper, "ink": theme.ink, "muted": theme.muted, "faint": theme.faint}
    named["first"] = theme.cycle[0]
    return "; ".join(f"--{name}: {colour}" for name, colour in named.items())


def _about(found: Sequence[Found], title: str, parameters: int, vocabulary: int) -> str:
    mine = sum(is_mine for _, _, is_mine in found)
    by = f"{mine} of its {len(found)} parts I wrote myself" if mine else "it is made of given parts"
    return (
        f"<h1>{html.escape(title)}</h1>\n<p>This is a language model of {parameters:,} parameters. "
        f"It reads a text and predicts its next token, one of {vocabulary:,}; {by}, and I trained "
        "it on my own computer.</p>\n"
    )


def _parts(found: Sequence[Found]) -> str:
    if not found:
        return ""
    draw, size, alt = drawing_of_gpt(found, "The model, from its tokens to the next one.", "mine")
    rows = "".join(
        f"<tr><th scope=row><code>{html.escape(name)}</code></th><td>{_whose(is_mine)}</td>"
        f"<td>{html.escape(lesson.partition('_')[0]) or '–'}</td></tr>\n"
        for name, lesson, is_mine in found
    )
    return (
        "<h2>Its parts</h2>\n<p>A token goes in at the bottom, and its way leads through these "
        f"parts.</p>\n{_picture(draw, size, alt, 'parts', 'drawing of the model')}"
        "<table>\n<tr><th scope=col>part</th><th scope=col>whose</th><th scope=col>lesson</th></tr>"
        f"\n{rows}</table>\n"
    )


def _whose(is_mine: bool) -> str:
    return '<span class="own">✓ mine</span>' if is_mine else "the library’s"


def _learning(
    losses: Mapping[str, float],
    curves: Mapping[str, Sequence[float]],
    every: int,
    vocabulary: int,
) -> str:
    shown = {name: curve for name, curve in curves.items() if len(curve) > 1}
    if not (losses or shown):
        return ""
    guessing = math.log(vocabulary)
    parts = [
        "<h2>How it learned</h2>\n<p>The loss says how much the next token surprises it. Who only "
        f"guesses has a loss of {guessing:.2f}, as if choosing among {vocabulary:,} tokens; "
        "training lowers it.</p>\n"
    ]
    if shown:
        alt = "; ".join(
            f"{name}: from {curve[0]:.2f} to {curve[-1]:.2f}" for name, curve in shown.items()
        )
        draw = _drawn(shown, every)
        parts.append(
            _picture(
                draw, _CURVES, f"Losses over the training. {alt}.", "curves", "curves of the losses"
            )
        )
    if losses:
        given = {"guessing at random": guessing, **losses}
        rows = "".join(
            f"<tr><th scope=row>{html.escape(name)}</th><td class=number>{loss:.2f}</td>"
            f"<td class=number>{_choices(loss)}</td></tr>\n"
            for name, loss in given.items()
        )
        parts.append(
            "<table>\n<tr><th scope=col>text</th><th scope=col class=number>loss</th>"
            f"<th scope=col class=number>as if among</th></tr>\n{rows}</table>\n"
        )
    return "".join(parts)


def _choices(loss: float) -> str:
    """The perplexity; of a loss that is no number, or a very large one, none can be given."""
    return f"{math.exp(loss):,.0f} tokens" if loss < 50 else "–"


def _drawn(curves: Mapping[str, Sequence[float]], every: int) -> Draw:
    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for place, (name, curve) in enumerate(curves.items()):
            steps = range(0, every * len(curve), every)
            axes.plot(steps, curve, label=name, linestyle=STYLES[place % len(STYLES)])
        axes.set_xlabel("step")
        axes.set_ylabel("loss")
        axes.grid(visible=True)
        axes.legend()

    return draw


def _writing(texts: Mapping[str, str]) -> str:
    if not texts:
        return ""
    return "".join(
        ["<h2>What it writes</h2>\n<p>I wrote the words that are set apart; it went on.</p>\n"]
        + [f"<blockquote>{''.join(_quoted(*one))}</blockquote>\n" for one in texts.items()]
    )


def _quoted(beginning: str, text: str) -> Iterator[str]:
    if text.startswith(beginning) and beginning:
        yield f'<strong class="own">{html.escape(beginning)}</strong>'
        text = text.removeprefix(beginning)
    yield html.escape(text)


def _picture(draw: Draw, size: tuple[float, float], alt: str, kind: str, label: str) -> str:
    """A drawing for light and for dark paper, which a narrow screen can move sideways."""
    light, dark = (_uri(render(draw, theme, size)) for theme in (LIGHT, DARK))
    return (
        f'<div class="wide {kind}" tabindex="0" role="region" aria-label="{label}"><picture>'
        f'<source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img alt="{html.escape(alt)}" src="{light}"></picture></div>\n'
    )


def _uri(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode('ascii')}"
