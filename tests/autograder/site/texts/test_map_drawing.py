"""The lessons as a drawing: each below all that it needs, and no line through a box."""

import re

from autograder.site.texts.map_drawing import Box, drawing

NEEDS = {
    "00": set[str](),
    "01": {"00"},
    "02": {"00", "01"},
    "03": {"02"},
    "04": {"00", "03", "05"},
    "05": set[str](),
}
RECT = re.compile(r'aria-label="Lesson (\w+)"><rect x="([\d.]+)" y="([\d.]+)"')
PATH = re.compile(r'd="M([\d.]+) ([\d.]+)C.*? ([\d.]+) ([\d.]+)"')


def drawn(needs: dict[str, set[str]]) -> str:
    return drawing([Box(name, f"Lesson {name}", "5 min", needs[name], "x.html") for name in needs])


def tops(svg: str) -> dict[str, float]:
    return {name: float(top) for name, _, top in RECT.findall(svg)}


def test_each_stands_below_what_it_needs() -> None:
    top = tops(drawn(NEEDS))
    assert top.keys() == NEEDS.keys()
    assert all(top[one] < top[name] for name, found in NEEDS.items() for one in found)


def test_what_is_needed_by_way_of_another_has_no_line_of_its_own() -> None:
    # 00 → 01 → 02 → 03 → 04, and 05 → 04, which passes three layers.
    assert len(PATH.findall(drawn(NEEDS))) == 4 + 4


def test_a_line_that_passes_layers_goes_beside_their_boxes() -> None:
    svg = drawn(NEEDS)
    boxes = {(float(left) + 88, float(top) + 31) for _, left, top in RECT.findall(svg)}
    lines = [tuple(map(float, one)) for one in PATH.findall(svg)]
    ends = {line[2:] for line in lines}
    passed = [line[:2] for line in lines if (line[0], line[1] - 31) not in boxes]
    assert len(passed) == 3
    assert {*passed} <= ends - boxes


def test_lessons_that_need_each_other_are_drawn_too() -> None:
    assert tops(drawn({"a": {"b"}, "b": {"a"}})).keys() == {"a", "b"}


def test_without_any_need_there_is_nothing_to_draw() -> None:
    assert drawn({"a": set(), "b": {"c"}}) == ""


def test_title_is_broken_into_lines_that_fit_and_cut_where_it_is_too_long() -> None:
    title = "07 · Multi-query and grouped-query attention"
    svg = drawing([Box("07", title, "5 min", {"b"}, "x"), Box("b", "word " * 30, "", set(), "b")])
    shown = re.findall(r">([^<]+)</text>", svg)
    assert shown[:3] == ["07 · Multi-query and", "grouped-query attention", "5 min"]
    assert shown[3:] == ["word word word word word", "word word word word …"]
    assert f'aria-label="{title}"' in svg


def test_names_are_escaped() -> None:
    svg = drawing([Box("<a>", '"', "", {"b"}, "&"), Box("b", "b", "", set(), "b")])
    assert "<a>" not in svg.replace("<a href", "")
    assert 'href="&amp;" aria-label="&quot;"' in svg
