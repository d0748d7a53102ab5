"""A lesson as an nbgrader source notebook: solutions and hidden tests in it, metadata on it."""

import hashlib
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.authoring.lesson.guesses import cell_to_guess, question_of
from autograder.authoring.lesson.lesson import (
    ENDING,
    Block,
    Check,
    Code,
    Exercise,
    Lesson,
    Prose,
    WrittenExercise,
    anchor,
)
from autograder.authoring.lesson.reference import Source
from autograder.checks.own_judgement import cell_to_tick, exercise_of, list_of
from autograder.checks.source.cells import FURTHER, PART, grade_id_of, own_mark

_SCHEMA = 3
# In pieces: what looks for imports line by line would take the second for one of this module.
_CHECK = (
    "### BEGIN HIDDEN TESTS\n"
    "from autograder import hidden_check\n"
    'check = hidden_check("{module}"{options})\n'
    "### END HIDDEN TESTS\n"
    "check({name})"
)
_SCHEME = """\
### BEGIN MARK SCHEME
**Model answer.** {answer}

**Marks.**

{scheme}
### END MARK SCHEME"""


def source_notebook(
    lesson: Lesson, sources: Mapping[str, Source], exams: Mapping[str, str], *, places: bool = True
) -> NotebookNode:
    """The instructor's notebook of a lesson.

    Args:
        lesson: what its author wrote.
        sources: the exercises in the reference, by name.
        exams: the module in which the exam of each exercise is declared, for those that have one.
        places: whether its tests say where to look in an answer that no hint explains.
    """
    options = "" if places else ", places=False"
    checks = {
        name: _CHECK.format(name=name, module=module, options=options)
        for name, module in exams.items()
    }
    cells: list[NotebookNode] = []
    for block, following in zip_longest(lesson.blocks, lesson.blocks[1:]):
        cells += _cells(block, lesson, sources, checks)
        cells += filter(None, [cell_to_guess(block, following)])
    _identify(cells)
    notebook: NotebookNode = new_notebook(
        cells=cells, metadata={**lesson.metadata, "language_info": _LANGUAGE}
    )
    return notebook


_LANGUAGE = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}


def _cells(
    block: Block,
    lesson: Lesson,
    sources: Mapping[str, Source],
    checks: Mapping[str, str],
) -> Iterator[NotebookNode]:
    match block:
        case Prose():
            yield new_markdown_cell(block.text)
        case Code():
            yield new_code_cell(block.source, metadata=_metadata(block))
        case Exercise():
            yield new_markdown_cell(_card(block, lesson))
            cell = new_code_cell(sources[block.name].text, metadata=_part(block, lesson))
            yield _marked(cell, block.name, solution=True)
        case Check():
            cell = new_code_cell(block.tests or checks[block.name])
            yield _marked(cell, f"{block.name}_check", grade=True, points=block.points)
        case WrittenExercise():
            yield from _written(block, lesson)


def _written(block: WrittenExercise, lesson: Lesson) -> Iterator[NotebookNode]:
    marks = "\n".join(filter(None, [list_of(block.to_tick), block.marking_scheme]))
    marks = "\n\n".join(filter(None, [block.scale, marks]))
    scheme = _SCHEME.format(answer=block.model_answer, scheme=marks)
    question = f"{_card(block, lesson)}\n\n{block.question}\n\n{scheme}"
    yield _marked(new_markdown_cell(question), f"{block.name}_question")
    answer = f"### BEGIN SOLUTION\n{block.model_answer}\n### END SOLUTION"
    yield _marked(
        new_markdown_cell(answer, metadata=_part(block, lesson)),
        block.name,
        solution=True,
        grade=True,
        points=block.points,
    )
    if block.to_tick:
        yield cell_to_tick(block.name, block.to_tick)


def _card(block: Exercise | WrittenExercise, lesson: Lesson) -> str:
    kind = "Exercise" if isinstance(block, Exercise) else "In your own words"
    difficulty = "●" * block.difficulty + "○" * (3 - block.difficulty)
    points = lesson.points[block.name]
    worth = f"{points} point{'s' if points > 1 else ''}"
    part = f" · {FURTHER}" if block.name in lesson.further else ""
    section = lesson.sections[block.name]
    # Whoever comes from the list of exercises has not read what stands above.
    title = section.removesuffix(ENDING)
    above = f" · explained in [{title}](#{anchor(section)})" if section else ""
    return (
        f"**{kind}** · `{block.name}` · {worth} · difficulty {difficulty} "
        f"· about {block.minutes} minutes{part}{above}"
    )


def _part(block: Exercise | WrittenExercise, lesson: Lesson) -> dict[str, dict[str, str]]:
    """What is written on an answer's cell for whoever counts how far a learner is."""
    return own_mark(PART, FURTHER) if block.name in lesson.further else {}


def _marked(
    cell: NotebookNode,
    grade_id: str,
    *,
    solution: bool = False,
    grade: bool = False,
    points: int = 0,
) -> NotebookNode:
    """A cell with nbgrader's metadata."""
    cell.metadata["nbgrader"] = {
        "cell_type": cell.cell_type,
        "grade": grade,
        "grade_id": grade_id,
        "locked": not solution,
        "schema_version": _SCHEMA,
        "solution": solution,
        "task": False,
    }
    if grade:
        cell.metadata["nbgrader"]["points"] = points
    return cell


def _metadata(block: Code) -> dict[str, object]:
    tags = {"tags": list(block.tags)} if block.tags else {}
    return {**block.metadata, **tags}


def _identify(cells: list[NotebookNode]) -> None:
    """Give each cell an id that stays when other cells change."""
    seen: dict[str, int] = {}
    for cell in cells:
        answered, asked = exercise_of(cell), question_of(cell)
        name = grade_id_of(cell) or (f"{answered}_points" if answered else "")
        name = name or (f"guess_{asked}" if asked else "")
        digest = hashlib.sha256(cell.source.encode()).hexdigest()[:12]
        stem = name.replace("_", "-")[:60] if name else digest
        seen[stem] = seen.get(stem, 0) + 1
        cell.id = stem if seen[stem] == 1 else f"{stem}-{seen[stem]}"
