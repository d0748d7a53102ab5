"""Results for Gradescope: a `results.json` for each student and lesson.

The format is that of https://gradescope-autograders.readthedocs.io/en/latest/specs/. Texts have the
format `text`, which Gradescope shows as it is; a total `score` stands above those of the tests, as
a late penalty belongs to none of them. Students see results once the grades are published.

Gradescope has no answer to "not graded yet": a part that waits has the points that it has so far,
no status and a sentence, and so has the whole, `"final": false` among its `extra_data`.
"""

import json
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, Student
from traitlets import Enum

from autograder.nbgrading.exports.found import ScorePart, parts_of, records_of, remarks
from autograder.nbgrading.exports.scores import FEW, Score, ScoresExport

_AS_IT_IS = {"name_format": "text", "output_format": "text"}


class GradescopeExport(ScoresExport):
    """A folder of results: `<lesson>/<student>/results.json`."""

    visibility = Enum(
        ["after_published", "after_due_date", "visible", "hidden"],
        "after_published",
        help="When Gradescope shows the results to their student.",
    ).tag(config=True)

    def export(self, gradebook: Gradebook) -> None:
        """Write the files, to the folder gradescope where nothing else is asked for."""
        folder = Path(self.to or "gradescope")
        self.log.info("Exporting results for Gradescope to %s", folder)
        students = {student.id: student for student in self.students(gradebook)}
        no_folder = [name for name in students if not _is_folder(name)]
        self.say("left out, as no folder can be called so", no_folder)
        for lesson in self.lessons(gradebook):
            scores = self.scores(lesson, [*students.values()])
            self.say(
                f"{lesson.name}: points that are not final, as a part waits for your grade",
                [name for name, score in scores.items() if score and score.waits],
                FEW,
            )
            for name, score in scores.items():
                if score and name not in no_folder:
                    self._write(folder / lesson.name / name, students[name], score)
            missing = sum(score is None for score in scores.values())
            if missing:
                self.log.warning(
                    "%s: %d students handed nothing in; no file.", lesson.name, missing
                )

    def _write(self, folder: Path, student: Student, score: Score) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self._results(student, score), indent=1, ensure_ascii=False)
        (folder / "results.json").write_text(f"{text}\n", encoding="utf-8")

    def _results(self, student: Student, score: Score) -> dict[str, Any]:
        records = records_of(self, score.submission)
        return {
            "score": score.total,
            "output": "\n".join(remarks(score, records)),
            "output_format": "text",
            "visibility": self.visibility,
            "stdout_visibility": "hidden",
            "extra_data": {
                "lesson": score.submission.name,
                "student": student.id,
                "email": student.email or "",
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
    return name == Path(name).name and "\0" not in name and name not in ("", "..")
