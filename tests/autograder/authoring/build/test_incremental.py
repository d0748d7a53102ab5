"""What has changed is built again, and nothing else."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_output

from autograder.authoring.build import build_inputs
from autograder.authoring.build.build import Built
from autograder.authoring.build.build_inputs import PROOFS, Inputs, digest_of
from autograder.authoring.build.incremental import (
    RECORD,
    BuildState,
    build,
    changed_lessons,
    states,
)
from autograder.authoring.lesson.release import student_notebook
from autograder.course import Course
from autograder.errors import ExamError, GradingFailed, NotebookEdited, SettingError
from autograder.settings import ABOUT_LESSONS
from tests.support.sample import sample
from tests.support.samples import FRONT_MATTER

pytestmark = pytest.mark.slow

LESSON = (
    FRONT_MATTER
    + """\
# {title}

```{{exercise}} {name}
:difficulty: 1
:minutes: 5
```

```{{check}} {name}
:points: 2
```
"""
)
REFERENCE = '''\
def {name}(x: float) -> float:
    """A multiple of x."""
    ### BEGIN SOLUTION
    return {factor} * x
    ### END SOLUTION
'''
EXAM = '''\
from autograder import Exam
from solutions.{module} import {name}
from solutions.exams.shared import NUMBER

{name}_exam = Exam({name})


@{name}_exam.example
def one():
    """one number"""
    return (NUMBER,)


@{name}_exam.misconception
def unchanged(x):
    """This is x itself: multiply it."""
    return x
'''


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """One that was never built, unless `built` is asked for as well."""
    return new_course(tmp_path)


def new_course(root: Path) -> Course:
    """Two lessons; the exams of both share a module, and the second one's also uses the first."""
    for folder in ("source", "solutions/exams"):
        (root / folder).mkdir(parents=True)
    texts = {
        "nbgrader_config.py": "",
        "solutions/__init__.py": "",
        "solutions/exams/__init__.py": "",
        "solutions/exams/shared.py": "NUMBER = 1.5\n",
    }
    for number, (module, name, factor) in enumerate(
        [("two", "double", 2), ("four", "fourfold", 4)]
    ):
        words = {"title": module, "module": module, "name": name, "factor": factor}
        texts[f"source/0{number}_{module}.md"] = LESSON.format(**words)
        texts[f"solutions/{module}.py"] = REFERENCE.format(**words)
        texts[f"solutions/exams/{module}.py"] = EXAM.format(**words)
    texts["solutions/exams/four.py"] += "\n\nfrom solutions import two as reference\n"
    for path, text in texts.items():
        (root / path).write_text(text, encoding="utf-8")
    return Course(root)


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    course = new_course(tmp_path_factory.mktemp("built"))
    build(course)
    return course.root


@pytest.fixture
def built(course: Course, built_once: Path) -> None:
    """What a build makes is there: none of it says where, so a copy is as good as a build."""
    shutil.copytree(built_once, course.root, dirs_exist_ok=True)


FIRST, SECOND = "00_two", "01_four"
BOTH = [FIRST, SECOND]
OF_TEXTS = ["the curriculum", "the glossary"]
TABLES = [*OF_TEXTS, "the misconceptions"]
EXERCISES = [f"{FIRST}: double", f"{SECOND}: fourfold"]


def made(course: Course, *lessons: str, force: bool = False) -> list[str]:
    """What a build makes, without the exercises that it proves."""
    return [one for one in told(course, *lessons, force=force) if one not in EXERCISES]


def proved(course: Course, force: bool = False) -> list[str]:
    """The exercises that a build proves."""
    return [one for one in told(course, force=force) if one in EXERCISES]


def told(course: Course, *lessons: str, force: bool = False) -> list[str]:
    products: list[str] = []
    build(course, lessons, force=force, progress=lambda *step: products.append(step[-1]))
    return products


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_second_build_makes_nothing(course: Course) -> None:
    assert made(course) == [*BOTH, *TABLES]
    assert made(course) == []
    assert made(course, force=True) == [*BOTH, *TABLES]


def test_lesson_that_does_not_pass_its_trial_is_not_written(course: Course) -> None:
    def trial(built: Built) -> None:
        assert built.course == course
        if built.lesson.name == SECOND:
            raise GradingFailed("its solution does not pass")

    for _ in range(2):
        with pytest.raises(GradingFailed):
            build(course, trial=trial)
        assert course.release_folder(FIRST).exists()
        assert not course.release_folder(SECOND).exists()
    # What is there was tried before.
    assert made(course) == [SECOND, *TABLES]


def test_what_is_wrong_with_an_exam_is_said_before_the_solution_is_tried(course: Course) -> None:
    exams = course.solutions / "exams" / "two.py"
    append(exams, '\n\n@double_exam.case\ndef not_drawn():\n    """nothing"""\n')
    with pytest.raises(ExamError, match=rf"^{exams}:5: .*not_drawn\(\) takes 0"):
        build(course, [FIRST], trial=lambda built: pytest.fail("it was tried"))


def test_named_lessons_alone(course: Course) -> None:
    assert made(course, SECOND) == [SECOND]
    assert not course.release_folder(FIRST).exists()
    assert not (course.root / "docs").exists()


@pytest.mark.parametrize(
    ("path", "products"),
    sample(
        [
            ("source/00_two.md", [FIRST, *OF_TEXTS]),
            ("source/01_four.md", [SECOND, *OF_TEXTS]),
            ("solutions/four.py", [SECOND, *TABLES]),
            ("solutions/exams/four.py", [SECOND, *TABLES]),
            ("solutions/two.py", [*BOTH, *TABLES]),
            ("solutions/exams/two.py", [FIRST, *TABLES]),
            ("solutions/exams/shared.py", [*BOTH, *TABLES]),
            ("nbgrader_config.py", [*BOTH, *TABLES]),
        ],
        3,
    ),
)
def test_what_changed_is_made(course: Course, built: None, path: str, products: list[str]) -> None:
    append(course.root / path, "\n" if path.endswith(".md") else "\n# changed\n")
    assert made(course) == products
    assert made(course) == []


@pytest.mark.parametrize(
    ("path", "text", "products"),
    sample(
        [
            ("own_numbers.py", "# changed", [SECOND, *TABLES]),
            ("source/01_four/given_with_it.py", "# changed", [SECOND, *OF_TEXTS]),
            ("mine/nbgrader_config.py", "# changed", [*BOTH, *TABLES]),
            ("mine/course.toml", "pyplot = false", [*BOTH, *TABLES]),
        ],
        3,
    ),
)
def test_what_a_course_has_besides(
    course: Course, path: str, text: str, products: list[str]
) -> None:
    for name in ("own_numbers.py", "source/01_four/given_with_it.py", path):
        (course.root / name).parent.mkdir(exist_ok=True)
        (course.root / name).touch()
    append(course.solutions / "exams" / "four.py", "\nimport own_numbers\n")
    made(course)
    append(course.root / path, f"{text}\n")
    assert made(course) == products


# What a term has otherwise than the one before.
TERM = """
due = {"00" = 2026-11-30T23:59:00Z}
late = {per_day = 0.1}
demo = "00"
"""


@pytest.mark.parametrize("setting", TERM.split("\n")[1:-1])
def test_another_term_makes_no_lesson_again(course: Course, built: None, setting: str) -> None:
    (course.root / "course.toml").write_text(setting, encoding="utf-8")
    assert made(course) == []


def test_new_notebook_has_the_change(course: Course, built: None) -> None:
    append(course.lesson_file(FIRST), "\nOne more sentence.\n")
    release = course.release_folder(FIRST) / f"{FIRST}.ipynb"
    instructors = course.source / FIRST / f"{FIRST}.ipynb"
    assert build(course) == [instructors, release]
    assert "One more sentence." in release.read_text(encoding="utf-8")


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: append(path, " ")])
def test_spoilt_product_is_made_again(
    course: Course, built: None, spoil: Callable[[Path], None]
) -> None:
    for folder in (course.source / FIRST, course.release_folder(FIRST), course.root / "docs"):
        for path in sorted(folder.iterdir()):
            text = path.read_text(encoding="utf-8")
            spoil(path)
            assert build(course) == [path]
            assert path.read_text(encoding="utf-8") == text


def test_what_is_proved_is_not_proved_again(course: Course) -> None:
    assert proved(course) == EXERCISES
    append(course.lesson_file(FIRST), "\nOne more sentence.\n")
    (course.root / RECORD).unlink()
    assert proved(course) == []
    assert proved(course, force=True) == EXERCISES


@pytest.mark.parametrize(
    ("path", "exercises"),
    sample(
        [
            ("solutions/exams/four.py", EXERCISES[1:]),
            ("solutions/two.py", EXERCISES),
            ("solutions/exams/shared.py", EXERCISES),
            ("nbgrader_config.py", []),
        ],
        3,
    ),
)
def test_what_an_exam_is_made_of_is_proved_again(
    course: Course, built: None, path: str, exercises: list[str]
) -> None:
    append(course.root / path, "\n# changed\n")
    assert proved(course) == exercises


@pytest.mark.parametrize("path", [f"notebooks/{FIRST}/checks.json", PROOFS.as_posix()])
def test_proof_is_about_what_is_there(course: Course, built: None, path: str) -> None:
    text = (course.root / path).read_text(encoding="utf-8")
    (course.root / path).write_text(text.replace("double", "doubled"), encoding="utf-8")
    (course.root / RECORD).unlink()
    assert proved(course) == EXERCISES[:1]
    assert (course.root / path).read_text(encoding="utf-8") == text


NEVER = """

@double_exam.misconception
def right(x):
    \"\"\"This is right.\"\"\"
    return x + x
"""
TWICE = NEVER.replace("right", "as_it_came").replace("x + x", "1 * x")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (NEVER, "the misconception right of double is never caught: it is right on every case"),
        (TWICE, "the misconception as_it_came of double can't be told from unchanged: add a case"),
    ],
)
def test_dead_misconception_is_refused(course: Course, more: str, sentence: str) -> None:
    path = course.solutions / "exams" / "two.py"
    append(path, more)
    with pytest.raises(ExamError) as caught:
        build(course)
    assert str(caught.value).startswith(f"{path}:5: {sentence}")
    assert "\n" not in str(caught.value)
    assert not course.release_folder(FIRST).exists()


def test_damaged_record_counts_as_none(course: Course, built: None) -> None:
    for record in ("", "[]", "{}", '{"format": 1}', '{"format": 0}', "\x00"):
        (course.root / RECORD).write_text(record)
        assert made(course) == [*BOTH, *TABLES]


def test_damaged_entry_counts_as_none(course: Course, built: None) -> None:
    path = course.root / RECORD
    written = json.loads(path.read_text(encoding="utf-8"))
    written["products"][FIRST] = "damaged"
    path.write_text(json.dumps(written), encoding="utf-8")
    assert made(course) == [FIRST]


def test_states(course: Course) -> None:
    def now() -> list[BuildState]:
        return [*states(course).values()]

    assert now() == [BuildState.NOT_BUILT, BuildState.NOT_BUILT]
    build(course)
    assert now() == [BuildState.BUILT, BuildState.BUILT]
    append(course.lesson_file(FIRST), "\nOne more sentence.\n")
    assert now() == [BuildState.CHANGED, BuildState.BUILT]
    assert changed_lessons(course) == [FIRST]
    change(course, mend_a_test)
    assert now() == [BuildState.EDITED, BuildState.BUILT]
    assert changed_lessons(course) == []


def test_clone_has_nothing_that_changed(course: Course, built: None) -> None:
    """It brings the students' notebooks, and neither the instructor's nor a record."""
    append(course.lesson_file(FIRST), "\nOne more sentence.\n")
    (course.root / RECORD).unlink()
    assert states(course)[FIRST] is BuildState.BUILT
    shutil.rmtree(course.source / FIRST)
    assert states(course)[FIRST] is BuildState.NOT_BUILT
    assert changed_lessons(course) == []


def test_progress(course: Course) -> None:
    steps: list[tuple[int, int, str]] = []
    build(course, progress=lambda *step: steps.append(step))
    products = [FIRST, EXERCISES[0], SECOND, EXERCISES[1], *TABLES]
    assert steps == list(zip([0, 0, 1, 1, 2, 3, 4], [5] * 7, products, strict=True))


def test_change_in_the_midst_is_not_taken_for_built(course: Course) -> None:
    def meddle(done: int, steps: int, product: str) -> None:
        if product == FIRST:
            append(course.lesson_file(FIRST), "\nToo late, or not.\n")

    build(course, progress=meddle)
    assert FIRST in made(course)


def test_nothing_changed_needs_no_torch(course: Course, built: None) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from autograder.course import Course\n"
        "from autograder.authoring.build.incremental import build, changed_lessons\n"
        "course = Course(Path(sys.argv[1])); build(course, course.lessons(), progress=sys.exit)\n"
        "assert changed_lessons(course) == []\n"
        "print([name for name in ('torch', 'nbgrader', 'nbformat') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(course.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_packages_beside_the_course_go_in_when_imported(course: Course) -> None:
    package = course.root / "pictures"
    package.mkdir()
    (package / "__init__.py").write_text("from pictures.colours import RED\n")
    before = {lesson: Inputs(course).of_lesson(lesson) for lesson in BOTH}
    cell = "\n```{code-cell} ipython3\nfrom pictures import RED\n```\n"
    append(course.lesson_file(FIRST), cell)
    with_import = Inputs(course).of_lesson(FIRST)
    (package / "colours.css").write_text("red {}")
    assert Inputs(course).of_lesson(FIRST) != with_import
    assert Inputs(course).of_lesson(SECOND) == before[SECOND]


def test_what_may_import_anything_takes_all(course: Course) -> None:
    append(course.solutions / "exams" / "two.py", "\n# importlib.import_module\n")
    before = Inputs(course).of_exercise(FIRST, "double")
    append(course.solutions / "four.py", "\n# changed\n")
    assert Inputs(course).of_exercise(FIRST, "double") != before


def test_proof_holds_wherever_the_engine_is_installed(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the course in an order of paths, or behind it."""
    found = set[str]()
    for place in ("0", "~"):
        engine = course.root.parent / place / "autograder"
        shutil.copytree(build_inputs._ENGINE, engine, ignore=shutil.ignore_patterns("__pycache__"))
        with monkeypatch.context() as patched:
            patched.setattr(build_inputs, "_ENGINE", engine)
            found.add(Inputs(course).of_exercise(FIRST, "double"))
        shutil.rmtree(engine.parent)
    assert len(found) == 1


def test_table_whose_maker_has_changed_is_made(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = course.root.parent / "engine" / "autograder"
    shutil.copytree(build_inputs._ENGINE, engine, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(build_inputs, "_ENGINE", engine)
    made(course)
    append(engine / "authoring" / "build" / "tables" / "glossary.py", "\n# changed\n")
    assert made(course) == TABLES


@pytest.mark.parametrize("other", ["two.cpython-311.pyc", "four.pyc"])
def test_what_python_makes_goes_not_in(course: Course, other: str) -> None:
    before = Inputs(course).of_exercise(FIRST, "double")
    (course.solutions / "__pycache__").mkdir()
    (course.solutions / "__pycache__" / other).write_bytes(b"compiled")
    assert Inputs(course).of_exercise(FIRST, "double") == before


def source_of(course: Course) -> Path:
    return course.source / FIRST / f"{FIRST}.ipynb"


def change(course: Course, edit: Callable[[Any], None]) -> None:
    notebook = nbformat.read(source_of(course), as_version=4)
    edit(notebook)
    nbformat.write(notebook, source_of(course))


def mend_a_test(notebook: Any) -> None:
    test = next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade"))
    test.source += "\nassert True"


def give_more_points(notebook: Any) -> None:
    test = next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade"))
    test.metadata.nbgrader.points += 1


def run_and_save(notebook: Any) -> None:
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cell.execution_count = number
            cell.outputs = [new_output("stream", text="1")]
        cell.metadata["collapsed"] = True
    notebook.metadata["kernelspec"] = {"name": "other", "display_name": "Other"}


@pytest.mark.parametrize(("edit", "force"), [(mend_a_test, False), (give_more_points, True)])
def test_edited_notebook_is_left_alone(
    course: Course, built: None, edit: Callable[[Any], None], force: bool
) -> None:
    change(course, edit)
    edited = source_of(course).read_bytes()
    students = (course.release_folder(FIRST) / f"{FIRST}.ipynb").read_bytes()
    for lesson in BOTH:
        append(course.lesson_file(lesson), "\nMore to read.\n")
    with pytest.raises(NotebookEdited) as caught:
        build(course, force=force)
    said = str(caught.value)
    assert str(source_of(course)) in said
    assert f"put the edit into {course.lesson_file(FIRST)}" in said
    assert f"move {FIRST}.md out of" in said
    assert source_of(course).read_bytes() == edited
    assert (course.release_folder(FIRST) / f"{FIRST}.ipynb").read_bytes() == students
    other = course.release_folder(SECOND) / f"{SECOND}.ipynb"
    assert "More to read" in other.read_text(), "nobody else is kept from being built"
    source_of(course).unlink()
    build(course)
    assert "More to read" in source_of(course).read_text()


def test_run_notebook_is_not_an_edited_one(course: Course, built: None) -> None:
    change(course, run_and_save)
    append(course.lesson_file(FIRST), "\nMore to read.\n")
    build(course)
    assert "More to read" in source_of(course).read_text()


def unsigned(notebook: Any) -> None:
    del notebook.metadata["autograder"]


def test_notebook_of_an_earlier_build(course: Course, built: None) -> None:
    """It carries no digest; what is remembered of it decides."""
    change(course, unsigned)
    record = json.loads((course.root / RECORD).read_text())
    parts = record["products"][FIRST]["made"]
    (name,) = (part for part in parts if part.startswith("source/") and part.endswith(".ipynb"))
    parts[name] = digest_of(source_of(course).read_bytes())
    (course.root / RECORD).write_text(json.dumps(record))
    append(course.lesson_file(FIRST), "\nMore to read.\n")
    build(course)
    assert "autograder" in nbformat.read(source_of(course), as_version=4).metadata
    change(course, unsigned)
    with pytest.raises(NotebookEdited):
        build(course)


def test_students_get_no_digest(course: Course, built: None) -> None:
    source = nbformat.read(source_of(course), as_version=4)
    students = course.release_folder(FIRST) / f"{FIRST}.ipynb"
    assert f"{nbformat.writes(student_notebook(source))}\n" == students.read_text()


@pytest.mark.parametrize("setting", ABOUT_LESSONS)
def test_setting_about_a_lesson_that_is_not_there_is_refused(course: Course, setting: str) -> None:
    value = {"demo": '"week9"', "due": "{week9 = 2026-11-30 12:00:00}"}.get(setting, '["week9"]')
    (course.root / "course.toml").write_text(f"{setting} = {value}\n")
    with pytest.raises(
        SettingError, match=f"course.toml:1: {setting}: no lesson is called 'week9'"
    ):
        build(course, [FIRST])
