"""What a page shows below a lesson's cells: nothing of an exercise, and no worksheet's answer."""

from pathlib import Path

import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder import yours
from autograder.authoring.build.build import Built
from autograder.authoring.build.shipping import write
from autograder.checks.examples import FILE
from autograder.checks.source.cells import grade_id_of
from autograder.errors import NotebookStopped
from autograder.site.lessons import outputs
from autograder.site.lessons.outputs import Outputs, as_seen, outputs_of, worksheets_in
from tests.support.course import every_exam
from tests.support.samples import mixing_exam, run_cell
from tests.support.site_course import WORKSHEET


@pytest.fixture(scope="module")
def kept_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def told() -> list[tuple[int, int]]:
    return []


@pytest.fixture(scope="module")
def found(built: Built, kept_in: Path, told: list[tuple[int, int]]) -> Outputs:
    return outputs_of(built, kept_in, lambda done, cells: told.append((done, cells)))


def printed(found: Outputs) -> str:
    return "".join(one.get("text", "") for shown in found.values() for one in shown)


def test_given_cells_show_what_the_solutions_make_of_them(found: Outputs) -> None:
    assert printed(found) == "mixed: [7.]\n"
    assert any("text/html" in one.get("data", {}) for shown in found.values() for one in shown)


def test_bits_are_one_text_and_a_bar_is_seen_as_it_ended() -> None:
    bits = ["begun\n", "\r░░  0%", "\r█░ 50%", "\r██ 100%\n", "done\r\n"]
    picture = new_output("display_data", {"text/plain": "a picture"})
    given = [new_output("stream", name="stdout", text=one) for one in bits]
    given += [picture, new_output("stream", name="stdout", text="after it")]
    before, between, after = as_seen(given)
    assert before.text == "begun\n██ 100%\ndone\r\n"
    assert (between, after.text) == (picture, "after it")
    assert given[0].text == "begun\n"


def test_each_cell_that_is_run_is_counted(found: Outputs, told: list[tuple[int, int]]) -> None:
    cells = len(told)
    assert told == [(number, cells) for number in range(1, cells + 1)]
    assert cells > len(found)


@pytest.mark.parametrize(
    ("shown", "seen"),
    [
        ('<p><a href="my_page.html">Your page.</a></p>', "<p>Your page.</p>"),
        *[(f'<a href="{to}">x</a>', f'<a href="{to}">x</a>') for to in ("https://a.org", "#here")],
    ],
)
def test_nothing_leads_to_a_file_that_a_page_has_not_beside_it(shown: str, seen: str) -> None:
    (output,) = as_seen([new_output("display_data", {"text/html": shown})])
    assert output.data["text/html"] == seen


def test_nobody_is_told_that_their_answer_has_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / FILE).write_text(write({"mix": mixing_exam()}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"yours": yours}
    run_cell("def mix(weights, values):\n    return weights @ values\n", names)
    run_cell("yours(mix, otherwise=max)\nprint('and so on')", names)
    given = capsys.readouterr().out
    assert given.startswith("Your mix has passed")
    (seen,) = as_seen([new_output("stream", name="stdout", text=given)])
    assert seen.text == "and so on\n"
    assert as_seen([new_output("stream", name="stdout", text=given.splitlines(True)[0])]) == []


@pytest.mark.parametrize(
    ("tags", "ename", "said"),
    [
        ([], "KeyError", "a given cell fails, .*'shown = 1': KeyError: x. If it is meant to"),
        ([], "KeyboardInterrupt", "'shown = 1': it was interrupted after 60 minutes"),
        (["raises-exception"], "KeyError", ""),
    ],
)
def test_given_cell_that_fails_stops_the_site(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    tags: list[str], ename: str, said: str,
) -> None:  # fmt: skip
    """On a busy machine, a cell was interrupted, and the page published as if nothing was."""

    def run(notebook: NotebookNode, *_: object, **__: object) -> None:
        cell = next(one for one in notebook.cells if one.cell_type == "code" and not one.metadata)
        cell.source, cell.metadata["tags"] = "shown = 1", tags
        cell.outputs = [new_output("error", ename=ename, evalue="x")]

    monkeypatch.setattr(outputs, "run", run)
    if said:
        with pytest.raises(NotebookStopped, match=said):
            outputs_of(built, tmp_path)
        assert not any(tmp_path.iterdir())
    else:
        assert any(outputs_of(built, tmp_path).values())


def test_no_exercise_and_no_check_shows_anything(built: Built, found: Outputs) -> None:
    asked = {cell.id for cell in built.student.cells if grade_id_of(cell)}
    assert len(asked) > 10
    assert not asked & found.keys()


def test_the_answer_of_a_worksheet_is_shown_nowhere(found: Outputs, kept_in: Path) -> None:
    assert str(WORKSHEET) not in printed(found)
    assert worksheets_in(every_exam()) >= {
        "00_foundations/dot_and_cosine_by_hand",
        "10_your_gpt/gpt_sizes_by_hand",
    }


def test_students_get_nothing_that_a_cell_has_written(built: Built, found: Outputs) -> None:
    folder = built.course.release_folder(built.lesson.name)
    assert {path.name for path in folder.iterdir()} == {f"{folder.name}.ipynb", "checks.json"}


def test_what_has_not_changed_is_not_run_again(
    built: Built, found: Outputs, kept_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise NotebookStopped("it would run")

    monkeypatch.setattr(outputs, "run", refuse)
    assert outputs_of(built, kept_in) == found
    solution = built.course.reference_file(built.lesson.name)
    before = solution.read_text(encoding="utf-8")
    (kept,) = kept_in.iterdir()
    (kept_in / kept.name).write_text(kept.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    with pytest.raises(NotebookStopped):
        outputs_of(built, kept_in)
    assert solution.read_text(encoding="utf-8") == before
