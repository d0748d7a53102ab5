"""Comments that a tutor keeps, to give them again: for each question some, in the course.

They lie in `comments.json` beside the gradebook:

    version     of this form: 1
    questions   for each question, named lesson/question, its comments, the oldest first
"""

import json
from pathlib import Path

from filelock import FileLock

from autograder.errors import NotSaved
from autograder.whole_file import write_whole

NAME = "comments.json"
_VERSION = 1
_MOST, _LONGEST = 60, 2000


class CommentBank:
    """The comments of a course."""

    def __init__(self, root: Path) -> None:
        """Those in a course's folder."""
        self._file = root / NAME
        self._lock = FileLock(root / f".{NAME}.lock")

    def of(self, question: str) -> list[str]:
        """What is kept for a question.

        Raises:
            NotSaved: when the file can't be read; it is left as it is.
        """
        return self._read().get(question, [])

    def keep(self, question: str, comment: str) -> list[str]:
        """Keep one more for a question, and say which there are then.

        Raises:
            NotSaved: when there are too many, or it is too long, or the file can't be read.
        """
        comment = comment.strip()
        with self._lock:
            kept = self._read()
            own = kept.setdefault(question, [])
            if not comment or comment in own:
                return own
            if len(own) >= _MOST or len(comment) > _LONGEST:
                raise NotSaved(
                    f"The comment is not kept: a question has at most {_MOST} to reuse, of "
                    f"{_LONGEST:,} characters each."
                )
            own.append(comment)
            self._write(kept)
            return own

    def forget(self, question: str, comment: str) -> list[str]:
        """Keep one no longer, and say which are left.

        Raises:
            NotSaved: when the file can't be read.
        """
        with self._lock:
            kept = self._read()
            own = [one for one in kept.get(question, []) if one != comment]
            self._write({**kept, question: own})
            return own

    def _read(self) -> dict[str, list[str]]:
        try:
            written = json.loads(self._file.read_text(encoding="utf-8"))
            if written["version"] != _VERSION:
                raise ValueError(f"it is of form {written['version']}")
            return {
                str(question): [str(comment) for comment in comments]
                for question, comments in written["questions"].items()
            }
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise NotSaved(
                f"The comments in {NAME} can't be read ({type(error).__name__}: {error}). Nothing "
                "in it was changed: mend the file, or move it away."
            ) from error

    def _write(self, kept: dict[str, list[str]]) -> None:
        questions = {question: comments for question, comments in kept.items() if comments}
        text = json.dumps(
            {"version": _VERSION, "questions": questions}, indent=1, ensure_ascii=False
        )
        write_whole(self._file, f"{text}\n".encode())
