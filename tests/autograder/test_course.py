import sys
from pathlib import Path

import pytest

from autograder.checks.progress import MANIFEST
from autograder.cli import main
from autograder.course import Course, lesson_number, module_name
from autograder.errors import (
    CourseNotFound,
    LessonNameError,
    LessonNotFound,
    ReferenceNotFound,
    SettingError,
    SolutionError,
)
from autograder.settings import ABOUT_LESSONS

LESSONS = ("00_foundations", "02_dot_product_self_attention")


def make_course(root: Path, lessons=LESSONS) -> Course:
    (root / "source").mkdir(parents=True)
    (root / "nbgrader_config.py").touch()
    for package in (root / "solutions", root / "solutions" / "exams"):
        package.mkdir()
        (package / "__init__.py").touch()
    for lesson in lessons:
        (root / "source" / f"{lesson}.md").touch()
    return Course(root)


def write_reference(course: Course, lesson: str, text: str) -> None:
    (course.solutions / f"{module_name(lesson)}.py").write_text(text)


@pytest.fixture
def course(tmp_path, monkeypatch):
    # Both are changed by importing a reference; what was there before comes back afterwards.
    monkeypatch.setattr(sys, "path", sys.path.copy())
    before = {
        name: m for name, m in sys.modules.items() if name.split(".")[0] in ("solutions", "mine")
    }
    yield make_course(tmp_path.resolve() / "course")
    for name in [name for name in sys.modules if name.split(".")[0] in ("solutions", "mine")]:
        del sys.modules[name]
    sys.modules.update(before)


@pytest.mark.parametrize("below", ["", "source", "solutions/exams"])
def test_find_from_below(course, below):
    assert Course.find(course.root / below) == course


@pytest.mark.parametrize("place", ["submitted", "autograded", "feedback", "exchange"])
def test_course_that_a_student_hands_in_is_none(course, place):
    """Its nbgrader_config.py is Python, which runs wherever it is taken for the course's."""
    folder = course.root / place / "ada" / "01_x"
    (folder / "source").mkdir(parents=True)
    (folder / "nbgrader_config.py").touch()
    assert Course.find(folder / "source") == course


def test_find_from_current_folder(course, monkeypatch):
    monkeypatch.chdir(course.source)
    assert Course.find() == course


@pytest.mark.parametrize("missing", ["nbgrader_config.py", "source"])
def test_half_a_course(course, missing):
    (course.root / missing).rename(course.root / "elsewhere")
    with pytest.raises(CourseNotFound, match="not in a course"):
        Course.find(course.root)


@pytest.mark.parametrize("setting", ABOUT_LESSONS)
def test_setting_names_lessons_that_are_there(course, setting):
    def write(name, chosen=""):
        value = {"demo": f'"{name}"', "due": f'{{"{name}" = 2026-11-30 12:00:00}}'}
        text = f'{chosen}{setting} = {value.get(setting, f"""["{name}"]""")}\n'
        (course.root / "course.toml").write_text(text)

    first, second, *_ = course.lessons()
    write(lesson_number(second))
    assert course.lessons_in(setting) == {lesson_number(second): second}
    assert course.has_places(second) is (setting != "without_places")
    # Whoever takes over a course of others leaves lessons out, and their settings as they are.
    write(second, f'lessons = ["{first}"]\n')
    assert course.lessons_in(setting) == {}
    write("77_nothing")
    with pytest.raises(SettingError, match=f"course.toml:1: {setting}: no lesson is called '77"):
        course.lessons_in(setting)


@pytest.mark.parametrize("words", [["update"], ["reset", "01"], ["again"]], ids=" ".join)
def test_folder_of_ones_own_leads_to_its_course(words, tmp_path, monkeypatch, capsys):
    (tmp_path / MANIFEST).write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["autograder", *words])
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr().err
    assert said.startswith(f"autograder: {tmp_path.resolve()} is a folder of your own, outside")
    assert f"--folder {tmp_path.resolve()}" in said


def test_no_course_on_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["autograder", "lab"])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert said.out == ""
    assert said.err.startswith(f"autograder: {tmp_path.resolve()} is not in a course")
    assert said.err.count("\n") == 1


def test_lessons_in_order(course):
    names = ("week2.md", "week10.md", "10_last.md", "9_Capital.md", "01_text.txt", "01_added.md")
    for name in (*names, "README.md"):
        (course.source / name).touch()
    assert course.lessons() == [
        *("00_foundations", "01_added", "02_dot_product_self_attention", "9_Capital", "10_last"),
        *("week2", "week10"),
    ]


def test_letter_puts_a_lesson_in_between(course):
    for name in ("00b_tensors", "01_vectors"):
        (course.source / f"{name}.md").touch()
    assert course.lessons() == ["00_foundations", "00b_tensors", "01_vectors", LESSONS[1]]
    assert course.lessons_named(["00", "00b", "00_f", "00b_t", "01"]) == [
        *("00_foundations", "00b_tensors", "00_foundations", "00b_tensors", "01_vectors")
    ]
    assert course.lessons_named(["1", "2"]) == ["01_vectors", LESSONS[1]]
    with pytest.raises(LessonNotFound, match="several lessons are called '0'"):
        course.lessons_named(["0"])
    (course.source / "02").mkdir()
    asked = ("00b", "01", "02", "0", "of_another_course")
    assert [*map(course.in_full, asked)] == ["00b_tensors", "01_vectors", *asked[2:]]


@pytest.mark.parametrize(
    ("lesson", "number"), [("00b_tensors", "00b"), (LESSONS[1], "02"), ("week1", "week1")]
)
def test_lesson_number(lesson, number):
    assert lesson_number(lesson) == number


@pytest.mark.parametrize("name", ["week-1", "01_", "3", "2_1_sets", "01_class", "exams", "a b"])
def test_name_that_no_module_can_have(course, name):
    (course.source / f"{name}.md").touch()
    with pytest.raises(LessonNameError, match=r"as in week1\.md or 01_vectors\.md$") as raised:
        course.lessons()
    assert str(raised.value).startswith(str(course.source / f"{name}.md"))


def test_lessons_that_would_share_a_reference(course):
    (course.source / "07_foundations.md").touch()
    with pytest.raises(LessonNameError, match=r"07_foundations\.md and .*/00_foundations\.md "):
        course.lessons()


def test_folders(course):
    lesson = LESSONS[1]
    assert course.lesson_file(lesson) == course.root / "source" / f"{lesson}.md"
    assert course.release_folder(lesson) == course.root / "notebooks" / lesson


@pytest.mark.parametrize(
    ("lesson", "module"),
    [(LESSONS[1], LESSONS[1][3:]), ("week1", "week1"), ("3_a_1_b", "a_1_b"), ("00b_a", "a")],
)
def test_module_name(lesson, module):
    assert module_name(lesson) == module


def test_solution_module(course):
    write_reference(course, LESSONS[0], "ANSWER = 42")
    assert course.solution_module(LESSONS[0]).ANSWER == 42


def test_exam_module(course):
    (course.solutions / "exams" / "foundations.py").write_text("POINTS = 3")
    assert course.exam_module(LESSONS[0]).POINTS == 3


def test_another_course_before(course, tmp_path):
    other = make_course(tmp_path.resolve() / "other")
    write_reference(course, LESSONS[0], "ANSWER = 42")
    write_reference(other, LESSONS[0], "ANSWER = 43")
    assert course.solution_module(LESSONS[0]).ANSWER == 42
    assert other.solution_module(LESSONS[0]).ANSWER == 43
    assert course.solution_module(LESSONS[0]).ANSWER == 42


@pytest.mark.parametrize("kind", ["solution_module", "exam_module"])
def test_reference_missing(course, kind):
    with pytest.raises(ReferenceNotFound, match=r"foundations\.py is missing"):
        getattr(course, kind)(LESSONS[0])


def test_reference_imports_nonsense(course):
    write_reference(course, LESSONS[0], "\nimport no_such_module")
    with pytest.raises(SolutionError, match=r"foundations\.py:2: .*no_such_module") as caught:
        course.solution_module(LESSONS[0])
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def choose(course, text):
    (course.root / "course.toml").write_text(text)


@pytest.mark.parametrize("chosen", [["02", "00"], [LESSONS[1], "00_f"], ["02"]])
def test_lessons_that_are_chosen(course, chosen):
    choose(course, f"lessons = {chosen}")
    expected = [next(one for one in LESSONS if one.startswith(name[:2])) for name in chosen]
    assert course.lessons() == expected
    assert [path.stem for path in course.texts()] == expected
    assert course.lessons_not_chosen() == {*LESSONS} - {*expected}
    with pytest.raises(LessonNotFound, match="no lesson is called '99': there are "):
        course.lessons_named(["99"])


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('\nlessons = ["00",\n  "07"]', 3, "no lesson is called '07': there are 00_foundations, "),
        ('lessons = ["0"]', 1, "several lessons are called '0'"),
        ('lessons = [\n"00",\n"00_foundations"]', 3, "00_foundations stands there twice"),
        ('lessons = [""]', 1, "several lessons are called ''"),
    ],
)
def test_lessons_that_can_not_be_chosen(course, text, line, said):
    choose(course, text)
    with pytest.raises(SettingError) as raised:
        course.lessons()
    assert str(raised.value).startswith(f"{course.root / 'course.toml'}:{line}: lessons: {said}")


def test_what_a_course_adds(course):
    lesson = LESSONS[1]
    assert course.own_text(lesson) is None
    for path in (course.own / "02.md", course.own / "exams" / f"{lesson[3:]}.py"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (course.solutions / "exams" / f"{lesson[3:]}.py").touch()
    assert course.own_text(lesson) == course.own / "02.md"
    assert course.own_text(LESSONS[0]) is None
    assert course.own_reference_file(lesson) == course.own / "solutions" / f"{lesson[3:]}.py"
    names = [module.__name__ for module in course.exam_modules(lesson)]
    assert names == [f"{package}.exams.{lesson[3:]}" for package in ("solutions", "mine")]


def test_what_another_course_adds(course, tmp_path):
    other = make_course(tmp_path.resolve() / "other")
    for each, answer in ((course, 42), (other, 43)):
        (each.solutions / "exams" / "foundations.py").touch()
        (each.own / "exams").mkdir(parents=True)
        (each.own / "exams" / "foundations.py").write_text(f"ANSWER = {answer}")
    for each, answer in ((course, 42), (other, 43), (course, 42)):
        assert answer == each.exam_modules(LESSONS[0])[1].ANSWER
