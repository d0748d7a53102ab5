"""What is seen of a figure's description in the cell that draws it."""

from pathlib import Path

from autograder.authoring.lesson.kept_back import kept_back
from autograder.authoring.lesson.lesson import Code, Lesson, Prose

IMPORT = "from autograder import check, described"
CELL = """bars(
    {"größe": [1.0]},
    alt="Two bars – the first "
    "is taller.",
)
heatmap(x, alt="One map."); lines(y, alt="A line.", size=(1, 2))
draw(alt=text)
print("alt=\\"no call\\"")"""
KEPT = """bars(
    {{"größe": [1.0]}},
    alt=described("{bars}"),
)
heatmap(x, alt=described("{heatmap}")); lines(y, alt=described("{lines}"), size=(1, 2))
draw(alt=text)
print("alt=\\"no call\\"")"""


def lesson(*sources: str) -> Lesson:
    return Lesson(Path("tiny.md"), (*(Code(1, one) for one in sources), Prose(9, 'alt="text"')))


def cells(read: Lesson) -> list[str]:
    return [block.source for block in read.blocks if isinstance(block, Code)]


def test_descriptions_are_kept_back() -> None:
    read, descriptions = kept_back(lesson(IMPORT, CELL))
    assert list(descriptions.values()) == ["A line.", "One map.", "Two bars – the first is taller."]
    names = {name.partition("-")[0]: name for name in descriptions}
    assert cells(read) == [IMPORT, KEPT.format(**names)]
    assert read.blocks[-1] == Prose(9, 'alt="text"')


def test_lesson_that_does_not_ask_for_it_stays_as_it_is() -> None:
    whole = lesson("from autograder import check\nfrom gallery import described", CELL)
    assert kept_back(whole) == (whole, {})


def test_equal_descriptions_have_one_name() -> None:
    same = 'heatmap(x, alt="One map.")'
    read, descriptions = kept_back(lesson(IMPORT, same, same))
    assert len(descriptions) == 1
    assert cells(read)[1] == cells(read)[2]
