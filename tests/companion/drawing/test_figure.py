import base64
import html.parser
import re
import sys

import matplotlib
import pytest

from companion import show
from companion.drawing.figure import render
from companion.drawing.theme import DARK, LIGHT, STYLES, ink_on, luminance

THEMES = {"light": LIGHT, "dark": DARK}
AWKWARD = "Weights <b>\"a\" & 'b'</b>"


def contrast(one, other):
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def draw(figure):
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="C1")
    axes.set_title("Rising")
    axes.set_axis_off()


class Images(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        if tag == "img":
            self.found.append(dict(attributes))


def image_of(output):
    images = Images()
    images.feed(output["text/html"])
    (image,) = images.found
    return image


def svg_of(uri):
    head, data = uri.split(",")
    assert head == "data:image/svg+xml;base64"
    return base64.b64decode(data, validate=True).decode()


def test_one_output_with_both_looks(published):
    show(draw, alt="A rising line.")
    (output,) = published
    assert set(output) == {"text/html", "text/plain"}
    image = image_of(output)
    (dark,) = re.findall(r'content: url\("([^"]+)"\)', output["text/html"])
    assert LIGHT.paper in svg_of(image["src"])
    assert DARK.paper in svg_of(dark)
    assert DARK.paper not in svg_of(image["src"])
    assert "<!-- Rising -->" in svg_of(image["src"])
    assert "max-width: 100%" in image["style"]


def test_dark_rule_names_its_image(published):
    show(draw, alt="A rising line.")
    image = image_of(published[0])
    rule = re.search(r"<style>(.*?) \{", published[0]["text/html"])
    assert rule[1] == f'[data-jp-theme-light="false"] .{image["class"]}'


def test_images_do_not_share_rules(published):
    show(draw, alt="A rising line.")
    show(lambda figure: figure.subplots().set_axis_off(), alt="Nothing.")
    assert image_of(published[0])["class"] != image_of(published[1])["class"]


def test_alt_is_escaped(published):
    show(draw, alt=AWKWARD)
    assert image_of(published[0])["alt"] == AWKWARD
    assert published[0]["text/plain"] == AWKWARD
    assert "<b>" not in published[0]["text/html"]


def test_alt_becomes_one_line(published):
    show(draw, alt="\n  A line\n  that rises.\n")
    assert image_of(published[0])["alt"] == published[0]["text/plain"] == "A line that rises."


@pytest.mark.parametrize("alt", ["", "  \n "])
def test_empty_alt_is_refused(alt, published):
    with pytest.raises(ValueError, match="The alt text is empty: pass alt=…"):
        show(draw, alt=alt)
    assert published == []


def test_alt_is_printed_outside_of_notebooks(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    show(draw, alt="A rising line.")
    assert capsys.readouterr().out == "A rising line.\n"


def test_real_shell_shows_figures(monkeypatch):
    from IPython.core.history import HistoryManager
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    # The history's database would be opened in the home folder of whoever runs the tests.
    monkeypatch.setattr(HistoryManager, "enabled", False)
    InteractiveShell.instance()
    try:
        with capture_output() as captured:
            show(draw, alt="A rising line.")
    finally:
        InteractiveShell.clear_instance()
    (output,) = captured.outputs
    assert output.data["text/plain"] == "A rising line."


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_same_bytes_twice(theme):
    assert render(draw, theme, (3, 2)) == render(draw, theme, (3, 2))


def test_settings_of_users_play_no_part():
    plain = render(draw, LIGHT, (3, 2))
    with matplotlib.rc_context({"axes.grid": True, "lines.linewidth": 9, "font.size": 30}):
        assert render(draw, LIGHT, (3, 2)) == plain
        assert matplotlib.rcParams["lines.linewidth"] == 9


def test_settings_survive_errors():
    before = dict(matplotlib.rcParams)
    with pytest.raises(ZeroDivisionError):
        show(lambda figure: 1 / 0, alt="Nothing.")
    assert dict(matplotlib.rcParams) == before


def test_text_outside_of_the_figure_is_kept():
    def width(x):
        def draw(figure):
            figure.subplots()
            figure.text(x, 0.5, "far")

        return float(re.search(rb'<svg[^>]*width="([\d.]+)pt"', render(draw, LIGHT, (2, 1)))[1])

    # One figure of two inches, at 72 points each, further to the right.
    assert width(2.5) == pytest.approx(width(1.5) + 2 * 72)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_text_is_readable(theme):
    for ink in (theme.ink, theme.muted, theme.cycle[0]):
        assert contrast(ink, theme.paper) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_lines_can_be_seen(theme):
    assert all(contrast(colour, theme.paper) >= 3 for colour in theme.cycle)


def test_themes_tell_the_same_story():
    assert len(LIGHT.cycle) == len(DARK.cycle) == len(set(LIGHT.cycle)) == len(set(DARK.cycle))
    assert len(set(STYLES)) == len(STYLES)


def test_luminance_of_known_colours():
    assert luminance("white") == pytest.approx(1)
    assert luminance("black") == 0
    assert luminance("#777777") == pytest.approx(0.1845, abs=1e-4)


def test_ink_is_readable_on_every_grey():
    greys = [str(step / 100) for step in range(101)]
    assert min(contrast(ink_on(grey), grey) for grey in greys) >= 4.5
