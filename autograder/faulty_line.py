"""Which line of a course's own files an error came from, for a sentence in a traceback's place."""

import traceback
from pathlib import Path

from autograder.errors import CourseError, ExamError, SolutionError


def told_with_line(
    error: Exception, root: Path, otherwise: tuple[Path, int] | None = None
) -> Exception:
    """What an author's code raised, as one sentence that begins with the file and the line.

    Args:
        error: what was raised while code of the course ran.
        root: the course's folder.
        otherwise: the file and the line of an exam that contradicts itself, where no line of it
            has raised the error.

    Returns:
        A SolutionError, or an ExamError in the place of another one; the error itself where it is
        a sentence of another kind, or no line of the course is to blame.
    """
    place = _last_place(error, root)
    if isinstance(error, ExamError):
        place = place or otherwise
    elif isinstance(error, CourseError):
        return error
    if place is None:
        return error
    path, line = place
    if isinstance(error, ExamError):
        # Some are told with their place already.
        return error if str(error).startswith(str(root)) else ExamError(f"{path}:{line}: {error}")
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return SolutionError(path, line, f"{type(error).__name__}: {said}")


def _last_place(error: Exception, root: Path) -> tuple[Path, int] | None:
    places = [
        (Path(frame.filename), frame.lineno or 1)
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((Path(error.filename), error.lineno or 1))
    # The engine may lie in the course's folder, and a virtual environment too.
    engine, others = Path(__file__).parent, {"site-packages", "dist-packages"}
    own = [
        place
        for place in places
        if place[0].is_relative_to(root)
        and not place[0].is_relative_to(engine)
        and not others & {*place[0].parts}
    ]
    return own[-1] if own else None
