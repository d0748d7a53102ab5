"""A lesson as one course has it: its points, and which exercise an entry of course.toml means."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from autograder.authoring.lesson.lesson import Check, WrittenExercise
from autograder.authoring.lesson.notebook import source_notebook
from autograder.authoring.lesson.personal import course_lesson, retake_of, scaled, warnings_of
from autograder.authoring.lesson.reading import read_lesson
from autograder.authoring.lesson.reference import read_reference
from autograder.checks.source.cells import grade_id_of
from autograder.course import Course
from autograder.errors import LessonNameError, SettingError
from tests.support.course import COURSE
from tests.support.own_course import TEXT, own_course
from tests.support.small_course import LESSON, small_course

TO_TICK = "### BEGIN POINTS\n- 3 points: It is.\n- 1 point: It was.\n### END POINTS\n"


def set_to(course: Course, settings: str) -> None:
    (course.root / "course.toml").write_text(settings, encoding="utf-8")


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """Two lessons, each with an exercise called mix."""
    course = small_course(tmp_path)
    text = course.lesson_file(LESSON).read_text(encoding="utf-8")
    text = text.replace("### BEGIN MARK", f"{TO_TICK}### BEGIN MARK")
    course.lesson_file(LESSON).write_text(text, encoding="utf-8")
    for old, new in (("} match", "} other_match"), ("} shares_of", "} other"), ("} why", "} how")):
        text = text.replace(old, new)
    course.lesson_file("02_other").write_text(text, encoding="utf-8")
    return course


def test_lessons_of_this_course_are_as_they_are_written() -> None:
    for name in COURSE.lessons():
        assert course_lesson(COURSE, name) == read_lesson(COURSE.lesson_file(name))


@pytest.mark.parametrize("entry", ["01/mix", f"{LESSON}/mix"])
def test_points_of_ones_own(course: Course, entry: str) -> None:
    set_to(course, f'points = {{match = 7, "{entry}" = 1}}')
    assert course_lesson(course, LESSON).points == {"match": 7, "shares_of": 3, "mix": 1, "why": 4}
    assert course_lesson(course, "02_other").points["mix"] == 2


def test_points_of_an_answer_in_words_are_shared_out(course: Course) -> None:
    set_to(course, "points = {why = 8}")
    *_, why = course_lesson(course, LESSON).blocks
    assert isinstance(why, WrittenExercise)
    assert [(one.worth, one.text) for one in why.to_tick] == [(6, "It is."), (2, "It was.")]
    assert why.marking_scheme == "- 8 points: because of the division."
    assert why.scale == ""
    set_to(course, "points = {why = 4}")
    assert course_lesson(course, LESSON) == read_lesson(course.lesson_file(LESSON))


SCHEME = "- 4 points: because of the division."


@pytest.mark.parametrize(
    ("scheme", "twice"),
    [
        ("- 1 point: yes.\n- 2.5 points: why.", "- 2 points: yes.\n- 5 points: why."),
        ("- The fourth point: give half a point.", "- The fourth point: give 1 point."),
        ("- First point: half a point for one part.", "- First point: 1 point for one part."),
        ("It gets a point, or costs one point.", "It gets 2 points, or costs 2 points."),
        ("- The second point: this earns no point.", "- The second point: this earns no point."),
        ("- Accept any reason.", "- Accept any reason."),
        # What is not understood as a whole stays as it is.
        ("- A quarter of a point for a word.", ""),
        ("- 2 points, or 1/2 point.", ""),
        ("- He has a point there: 1 point.", ""),
        ("- Two points: yes.", ""),
        ("- `points` is a list: 1 point.", ""),
        ("3 for a reason.", ""),
        ("- Two for a reason.", ""),
        ("- A reason (2), and 1 point for words.", ""),
        ("- A reason: 2", ""),
        ("- A reason: +2 pts", ""),
        ("- ½ for a reason", ""),
    ],
)
@pytest.mark.parametrize("listed", ["", TO_TICK])
def test_marks_are_for_the_points_of_the_answer(
    course: Course, scheme: str, twice: str, listed: str
) -> None:
    file = course.lesson_file(LESSON)
    text = file.read_text(encoding="utf-8")
    assert text.count(SCHEME) == text.count(TO_TICK) == 1
    file.write_text(text.replace(SCHEME, scheme).replace(TO_TICK, listed), encoding="utf-8")
    set_to(course, "points = {why = 8}")
    *_, why = course_lesson(course, LESSON).blocks
    assert isinstance(why, WrittenExercise)
    assert why.marking_scheme == (twice or scheme)
    # Where nothing names an amount, a list above it does.
    understood = twice and (listed or twice != scheme)
    assert why.scale == ("" if understood else BELOW if listed else ABOVE)


ABOVE = "These marks are for 4 points; here the answer is worth 8, so give the same shares of that."
BELOW = (
    "The first 2 marks are for the 8 points that the answer is worth here. What is said behind "
    "them is for 4 points: give the same shares of 8."
)


def test_scale_is_said_above_the_marks(course: Course) -> None:
    file = course.lesson_file(LESSON)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(SCHEME, "- Two points: yes."), encoding="utf-8")
    set_to(course, "points = {why = 8}")
    lesson, sources = course_lesson(course, LESSON), read_reference(course.reference_file(LESSON))
    cells = source_notebook(lesson, sources, dict.fromkeys(lesson.points, "exams")).cells
    question = next(one.source for one in cells if grade_id_of(one) == "why_question")
    marks = f"**Marks.**\n\n{BELOW}\n\n- 6 points: It is.\n- 2 points: It was.\n- Two points: yes."
    assert marks in question


def test_marks_of_this_course_can_be_shared_out() -> None:
    """All that they say of points is understood, so that their amounts are those of the answer."""
    for name in COURSE.lessons():
        for block in read_lesson(COURSE.lesson_file(name)).blocks:
            if isinstance(block, WrittenExercise):
                assert scaled(block.marking_scheme, Fraction(2)) is not None


@pytest.mark.parametrize(
    ("settings", "line", "said"),
    [
        (
            "\npoints = {why = 6}",
            2,
            r"why is marked by a list of points \(3, 1\), of which 6 can't",
        ),
        ("points = {why = 6}", 1, "choose a multiple of 4$"),
        (
            '[points]\nmatch = 1\n"maths" = 1',
            3,
            "points: no exercise .* is called 'maths'; did you mean 01/match\\?$",
        ),
        ('leave_out = [\n "02/match"]', 2, r"called '02/match'; did you mean 01/match\?$"),
        ('leave_out = ["own_words"]', 1, "no exercise of the course's lessons"),
        (
            '[leave_out]\nmix = "gone"',
            2,
            'several lessons have an exercise mix: write "01/mix" or "02/mix"$',
        ),
    ],
)
def test_settings_that_mean_no_exercise(
    course: Course, settings: str, line: int, said: str
) -> None:
    set_to(course, settings)
    with pytest.raises(SettingError, match=said) as raised:
        course_lesson(course, LESSON)
    assert str(raised.value).startswith(f"{course.root / 'course.toml'}:{line}: ")


def test_what_is_said_of_a_lesson_holds_for_its_retake(course: Course) -> None:
    other = course.lesson_file("02_other")
    front = "---\nkernelspec:"
    text = other.read_text(encoding="utf-8")
    assert text.count(front) == 1
    other.write_text(text.replace(front, f"---\nretake_of: {LESSON}\nkernelspec:"), "utf-8")
    assert [retake_of(course, name) for name in course.lessons()] == ["", LESSON]
    for entries, points in (
        ("mix = 7", [7, 7]),
        ('"01/mix" = 7', [7, 7]),
        ('"02/mix" = 5, "01/mix" = 7', [7, 5]),
        ('"01/mix" = 7, "02/mix" = 5, mix = 3', [7, 5]),
        ('"02/mix" = 7', [2, 7]),
        ('"2/mix" = 7', [2, 7]),
    ):
        set_to(course, f"points = {{{entries}}}")
        lessons = [course_lesson(course, name) for name in course.lessons()]
        assert [lesson.points["mix"] for lesson in lessons] == points


@pytest.mark.parametrize("setting", ["points = {%s = 1}", "leave_out = [%s]", "core = [%s]"])
@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('"total"', r"total is an exercise of your own: say it in .*mine/01\.md, where it stands$"),
        ('"01/total"', "total is an exercise of your own"),
        (
            '"other_match"',
            "other_match is in 02_other, which is none of the lessons that `lessons`",
        ),
        ('"02/mix"', "mix is in 02_other, which is none"),
        ('"02/total"', "no exercise of the course's lessons is called '02/total'"),
    ],
)
def test_setting_about_what_the_lessons_do_not_have(
    course: Course, setting: str, entry: str, said: str
) -> None:
    """What one adds is weighed where it stands, and a lesson that is not chosen has no settings."""
    own = course.root / "mine" / "01.md"
    own.parent.mkdir()
    own.write_text(TEXT, encoding="utf-8")
    set_to(course, f'lessons = ["01"]\n{setting % entry}\n')
    with pytest.raises(SettingError, match=said) as raised:
        course_lesson(course, LESSON)
    assert f"course.toml:2: {setting.partition(' ')[0]}: " in str(raised.value)


def test_only_chosen_lessons_are_meant(course: Course) -> None:
    set_to(course, 'lessons = ["01"]\nleave_out = ["mix"]')
    assert course.lessons() == [LESSON]
    assert "mix" not in course_lesson(course, LESSON).points


def test_what_the_documents_show(tmp_path: Path) -> None:
    for path in (*COURSE.source.glob("*.md"), *COURSE.solutions.glob("*.py")):
        copy = tmp_path / path.relative_to(COURSE.root)
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(path.read_bytes())
    shown = (COURSE.root / "docs" / "own_course.md").read_text(encoding="utf-8")
    _, _, shown = shown.partition("## Take over the lessons of others")
    (settings,) = re.findall(r"^```toml\n(.*?)^```", shown, re.DOTALL | re.MULTILINE)
    (text,) = re.findall(r"^````text\n(.*?)^````", shown, re.DOTALL | re.MULTILINE)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "course.toml").write_text(settings, encoding="utf-8")
    (tmp_path / "mine" / "02.md").write_text(text, encoding="utf-8")
    course = Course(tmp_path)
    lessons = {name[:2]: course_lesson(course, name) for name in course.lessons()}
    assert [*lessons] == ["00", "02", "03"]
    assert lessons["02"].points["attention_weights"] == 3
    assert lessons["02"].with_tests == {"most_attended"}
    assert [{**one.left_out} for one in lessons.values()] == [
        *({}, {"context_vector": True}, {"design_weights": True}),
    ]


def test_own_text_and_left_out_together(tmp_path: Path) -> None:
    course = own_course(tmp_path, '[leave_out]\nshares_of = "worked"\nwhy = "gone"\n')
    lesson = course_lesson(course, LESSON)
    assert [*lesson.points] == ["match", "largest", "mix", "total", "own_words"]
    assert lesson.left_out == {"shares_of": True, "why": False}
    assert lesson.own == {"largest", "total"}
    assert lesson.with_tests == {"total"}
    assert [one.points for one in lesson.blocks if isinstance(one, Check)] == [2, 1, 2, 2]


def test_what_is_left_out_elsewhere_is_pointed_at(course: Course) -> None:
    with course.lesson_file("02_other").open("a", encoding="utf-8") as text:
        text.write("\nAs `match` does, and `mix`.\n")
    set_to(course, 'leave_out = ["match", "01/mix"]')
    (said,) = warnings_of(course, course_lesson(course, "02_other"))
    assert re.search(r"02_other\.md:\d+: the text speaks of `match`", said)


def test_lessons_that_the_course_does_not_have_are_pointed_at(course: Course) -> None:
    with course.lesson_file(LESSON).open("a", encoding="utf-8") as text:
        text.write("\nLessons 00, 01 and 02 say so.\n\nLesson 02a does not, as lesson 02 said.\n")
    (course.source / "03_more.md").write_text("# More\n")
    assert not [*warnings_of(course, course_lesson(course, LESSON))]
    set_to(course, 'lessons = ["01"]')
    (said,) = warnings_of(course, course_lesson(course, LESSON))
    assert re.search(r"01_mixing\.md:\d+: the text .* and in one more place of lesson 02,", said)
    with course.lesson_file(LESSON).open("a", encoding="utf-8") as text:
        text.write("\nNor does lesson 03.\n")
    (said,) = warnings_of(course, course_lesson(course, LESSON))
    assert "here and in 2 more places of lessons 02 and 03, which this course does not have" in said


def test_section_that_has_lost_an_exercise_is_to_be_read(course: Course) -> None:
    set_to(course, '[leave_out]\n"01/why" = "gone"\nmatch = "worked"')
    lesson = course_lesson(course, LESSON)
    title = read_lesson(lesson.path).sections["why"]
    (said,) = (one for one in warnings_of(course, lesson) if "section" in one)
    where, _, sentence = said.partition(": ")
    line = int(where.rpartition(":")[2])
    assert lesson.path.read_text(encoding="utf-8").split("\n")[line - 1] == f"## {title}"
    assert sentence.startswith("`why` is gone from the section that begins here: read it once")


def test_lesson_before_one_that_it_needs(course: Course) -> None:
    path = course.lesson_file("02_other")
    front, _, text = path.read_text(encoding="utf-8").partition("\n# ")
    needs = "**You need** what lesson 01 has. **It takes** about 20 minutes."
    path.write_text(f"{front}\n# {text.replace(chr(10), f'{chr(10)}{chr(10)}{needs}{chr(10)}', 1)}")
    assert not [*warnings_of(course, course_lesson(course, "02_other"))]
    set_to(course, 'lessons = ["02", "01"]')
    (said,) = warnings_of(course, course_lesson(course, "02_other"))
    assert re.search(r"02_other\.md:\d+: this lesson needs 01, which `lessons` has behind it", said)
    assert not [*warnings_of(course, course_lesson(course, LESSON))]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["03.md"], r"mine/03\.md belongs to no lesson: call it as one of 01_mixing, 02_other"),
        (["mixing.md"], r"mine/mixing\.md belongs to no lesson"),
        (["01.md", f"{LESSON}.md"], r"mine/01_mixing\.md and .*/01\.md belong to the same lesson"),
    ],
)
def test_own_texts_that_belong_nowhere(course: Course, names: list[str], said: str) -> None:
    course.own.mkdir()
    (course.own / "README.md").write_text("What is mine.", encoding="utf-8")
    course_lesson(course, LESSON)
    for name in names:
        (course.own / name).write_text("% after\n\nMine.\n", encoding="utf-8")
    with pytest.raises(LessonNameError, match=said):
        course_lesson(course, LESSON)
