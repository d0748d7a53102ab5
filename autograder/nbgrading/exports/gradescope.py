"""Results for Gradescope: a `results.json` for each student and lesson.

The format is that of https://gradescope-autograders.readthedocs.io/en/latest/specs/. Texts have the
format `text`, which Gradescope shows as it is; a total `score` stands above those of the tests, as
a late penalty belongs to none of them. Students see results once the grades are published.

Gradescope has no answer to "not graded yet": a part that waits has the points that it has so far,
no status and a sentence, and so has the whole, `"final": false` among its `extra_data`.
"""

import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, Student
from traitlets import Enum

from autograder.grading.submitted_files import NAME_BYTES
from autograder.nbgrading.exports.found import ScorePart, parts_of, records_of, remarks
from autograder.nbgrading.exports.scores import FEW, NOT_GRADED, Score, ScoresExport
from autograder.whole_file import write_whole

_RESULTS = "results.json"
_AS_IT_IS = {"name_format": "text", "output_format": "text"}


class GradescopeExport(ScoresExport):
    """A folder of results: `<lesson>/<student>/results.json`."""

    default = "gradescope"

    visibility = Enum(
        ["after_published", "after_due_date", "visible", "hidden"],
        "after_published",
        help="When Gradescope shows the results to their student.",
    ).tag(config=True)

    def write(self, gradebook: Gradebook, destination: Path) -> None:
        """Write the files, and take away those of an earlier export that are true no more."""
        students = {student.id: student for student in self.students(gradebook)}
        no_folder = [name for name in students if not _is_folder(name)]
        self.say("left out, as no folder can be called so", no_folder)
        emails = self._emails(gradebook, [*students.values()])
        for lesson in self.lessons(gradebook):
            scores = self.scores(lesson, [*students.values()])
            self.say(
                f"{lesson.name}: points that are not final, as a part waits for your grade",
                self.waiting(scores),
                FEW,
            )
            stale = []
            for name, score in scores.items():
                if name in no_folder:
                    continue
                path = destination / lesson.name / name / _RESULTS
                if score and score is not NOT_GRADED:
                    self._write(path, name, emails[name], score)
                elif path.exists():
                    path.unlink()
                    stale.append(name)
            self.say(
                f"{lesson.name}: the {_RESULTS} of an earlier export is removed, as there is no "
                "score now",
                stale,
            )
            missing = sum(score is None for score in scores.values())
            if missing:
                self.log.warning(
                    "%s: %d students handed nothing in; no file.", lesson.name, missing
                )

    def _emails(self, gradebook: Gradebook, students: Sequence[Student]) -> dict[str, str]:
        """By which e-mail each student is known; "" where it would be another's as well."""
        emails = {one.id: (one.email or "").strip() for one in gradebook.students}
        often = Counter(email.casefold() for email in emails.values())
        without = [one.id for one in students if not emails[one.id]]
        self.say(
            "results that nobody is found by, as the gradebook has no e-mail for them", without
        )
        shared = [
            one.id for one in students if emails[one.id] and often[emails[one.id].casefold()] > 1
        ]
        self.say("results that nobody is found by, as they share their e-mail", shared)
        return {**emails, **dict.fromkeys(shared, "")}

    def _write(self, path: Path, student: str, email: str, score: Score) -> None:
        text = json.dumps(self._results(student, email, score), indent=1, ensure_ascii=False)
        write_whole(path, f"{text}\n".encode())

    def _results(self, student: str, email: str, score: Score) -> dict[str, Any]:
        records = records_of(self, score.submission)
        return {
            "score": score.total,
            "output": "\n".join(remarks(score, records)),
            "output_format": "text",
            "visibility": self.visibility,
            "stdout_visibility": "hidden",
            "extra_data": {
                "lesson": score.submission.name,
                "student": student,
                "email": email,
                "final": not score.waits,
            },
            "tests": [_test(part) for part in parts_of(score.submission, records)],
        }


def _test(part: ScorePart) -> dict[str, Any]:
    status = "passed" if part.points >= part.out_of else "failed"
    return {
        "name": part.name,
        "score": part.points,
        "max_score": part.out_of,
        **({} if part.waits else {"status": status}),
        "output": part.words,
        **_AS_IT_IS,
    }


def _is_folder(name: str) -> bool:
    is_one = name == Path(name).name and "\0" not in name and name not in ("", "..")
    return is_one and len(os.fsencode(name)) <= NAME_BYTES
