"""Which of nbgrader's names are replaced, by what and why: the one place that replaces any.

nbgrader has no settings for this. Each line of the table says what would happen without it, and
which test fails when nbgrader changes. The names are those of nbgrader 0.9.6; with one that is not
there, or is not looked up as we know it, nothing is graded.
"""

import dis
import inspect
import operator
from dataclasses import dataclass
from functools import cache
from importlib import import_module, metadata
from typing import Any

from autograder.errors import GradingFailed
from autograder.nbgrading.converter import SafeAutograde, SafeCommand
from autograder.nbgrading.generate import SafeGenerate
from autograder.nbgrading.gradebook.by_notebook import one_engine
from autograder.nbgrading.gradebook.revision import newest
from autograder.nbgrading.gradebook.transaction import opened
from autograder.nbgrading.inbox import lists
from autograder.nbgrading.inbox.zip_collect import unpacked_once
from autograder.nbgrading.pages import asked, assignments, formgrader, turns
from autograder.nbgrading.pages.feedback import SafeFeedback
from autograder.nbgrading.reading.handlers import WITH_OURS

_ANOTHER = (
    "nbgrader {} does not work by {} as we know it, and would run student code without a sandbox, "
    "or show what it wrote as it is: install a version that the course's pyproject.toml allows"
)


@dataclass(frozen=True)
class Replaced:
    """A name of nbgrader's, and what stands there instead.

    Attributes:
        where: the module of nbgrader's.
        name: the name in it; with a dot, that of a class's method or attribute.
        ours: what it is replaced by.
        why: what would happen otherwise.
        test: what fails when nbgrader changes, in tests/.
        used_by: the function in that module that looks the name up each time it is called.
    """

    where: str
    name: str
    ours: Any
    why: str
    test: str
    used_by: str = ""

    @property
    def is_known(self) -> bool:
        """Whether nbgrader has the name, and looks it up where we can put another."""
        try:
            module = import_module(f"nbgrader.{self.where}")
            found = operator.attrgetter(self.name)(module)
            if not self.used_by:
                return True
            is_another = not str(getattr(found, "__module__", "")).startswith("nbgrader.")
            if found is not self.ours and is_another:
                return False
            function = inspect.unwrap(operator.attrgetter(self.used_by)(module))
        except (AttributeError, ModuleNotFoundError):
            return False
        steps = dis.get_instructions(function)
        return any(step.opname == "LOAD_GLOBAL" and step.argval == self.name for step in steps)

    def replace(self) -> None:
        """Put ours there; a second time changes nothing."""
        holder, _, name = self.name.rpartition(".")
        module = import_module(f"nbgrader.{self.where}")
        setattr(operator.attrgetter(holder)(module) if holder else module, name, self.ours)


_API, _FORMS = "apps.api", "server_extensions.formgrader"
_CONVERTER = "autograder/nbgrading/test_converter.py"
_GENERATE = "autograder/nbgrading/test_generate.py"
_LISTS = "autograder/nbgrading/inbox/test_lists.py"
_WAY_OUT = "whole/test_way_out.py"
_BY_HAND = "whole/test_by_hand.py"
_FORMGRADER = "whole/test_formgrader.py"
_TURNS = "autograder/nbgrading/pages/test_turns.py"
_LOST = "autograder/nbgrading/test_no_grade_lost.py"


@cache
def table() -> tuple[Replaced, ...]:
    """All that is replaced."""
    return (
        # Steps that make notebooks: ours grade in the sandbox, and keep all or nothing.
        Replaced(_API, "Autograde", SafeAutograde,
                 "formgrader's button would run student code in the server",
                 f"{_FORMGRADER}::test_button_grades_safely",
                 used_by="NbGraderAPI.autograde"),
        Replaced("apps.autogradeapp", "Autograde", SafeCommand,
                 "`nbgrader autograde` would run student code with all that you may do",
                 f"{_CONVERTER}::test_another_nbgrader_grades_nothing",
                 used_by="AutogradeApp.start"),
        Replaced(_API, "GenerateAssignment", SafeGenerate,
                 "an interrupted Generate would leave half a release",
                 f"{_GENERATE}::test_failure_leaves_the_old_one",
                 used_by="NbGraderAPI.generate_assignment"),
        Replaced("apps.generateassignmentapp", "GenerateAssignment", SafeGenerate,
                 "the command would leave half a release, too",
                 f"{_GENERATE}::test_solution_that_does_not_pass_is_said",
                 used_by="GenerateAssignmentApp.start"),
        Replaced(_API, "GenerateFeedback", SafeFeedback,
                 "feedback would show what a student wrote as live HTML",
                 f"{_FORMGRADER}::test_nothing_runs_in_feedback",
                 used_by="NbGraderAPI.generate_feedback"),
        Replaced("apps.generatefeedbackapp", "GenerateFeedback", SafeFeedback,
                 "the command's feedback would be live, too",
                 f"{_WAY_OUT}::test_nothing_runs_in_feedback",
                 used_by="GenerateFeedbackApp.start"),
        # The gradebook, which each of nbgrader's steps opens and commits to for itself.
        *(Replaced(where, "Gradebook", opened,
                   "a grading that fails halfway would leave half of its scores",
                   f"{_LOST}::test_failure_changes_nothing")
          for where in (
              "converters.autograde", "converters.generate_assignment",
              "preprocessors.latesubmissions", "preprocessors.overwritecells",
              "preprocessors.saveautogrades", "preprocessors.savecells")),
        Replaced("preprocessors.getgrades", "Gradebook", opened,
                 "a page would ask the gradebook for each cell by itself",
                 f"{_WAY_OUT}::test_nothing_runs_in_feedback"),
        Replaced("api", "create_engine", one_engine,
                 "each opening of the gradebook would make its SQL anew",
                 f"{_CONVERTER}::test_same_again_is_left_alone"),
        Replaced("api", "get_alembic_version", newest,
                 "each new gradebook would start a program of its own, for a second or two",
                 "autograder/nbgrading/gradebook/test_revision.py::test_newest_revision_is_alembics",
                 used_by="Gradebook.__init__"),
        Replaced("plugins.zipcollect", "unzip", unpacked_once,
                 "a zip of zips that one student hands in would fill the disk",
                 "autograder/nbgrading/inbox/test_zip_collect.py::test_zip_within_a_zip_stays_one",
                 used_by="ExtractorPlugin.extract"),
        # What is listed of submissions and of lessons.
        Replaced("coursedir", "CourseDirectory._validate_assignment_id.func", assignments.in_full,
                 "nbgrader's commands would not know what ours call a lesson",
                 "autograder/nbgrading/pages/test_assignments.py::test_every_command_takes_how_a_name_begins"),
        Replaced("coursedir", "CourseDirectory.get_existing_timestamp", lists.existing_timestamp,
                 "one timestamp that can't be read would end the whole list",
                 f"{_LISTS}::test_every_reader_is_the_same"),
        Replaced(_API, "NbGraderAPI.get_submitted_timestamp", lists.submitted_timestamp,
                 "formgrader would read a student's timestamp in a way of its own",
                 f"{_LISTS}::test_time_of_one"),
        Replaced(_API, "NbGraderAPI.get_submitted_students", lists.submitted_students,
                 "a folder whose name can be nobody's would be graded as a student",
                 f"{_LISTS}::test_lists_of_students"),
        Replaced(_API, "NbGraderAPI.get_submission", lists.submission,
                 "a submission without a time would show no reason",
                 f"{_LISTS}::test_times_of_the_class"),
        Replaced(_API, "NbGraderAPI.get_submissions", lists.submissions,
                 "nor would those of a class",
                 f"{_LISTS}::test_times_of_the_class"),
        Replaced(_API, "NbGraderAPI.get_notebook_submissions", lists.notebook_submissions,
                 "the list for manual grading would not say why a submission is not graded",
                 "whole/test_hand_ins.py::test_what_was_noticed_is_said_everywhere"),
        Replaced(_API, "NbGraderAPI.get_source_assignments", assignments.sources,
                 "a clone, which has no instructor's notebooks, would list no lesson",
                 "autograder/nbgrading/pages/test_assignments.py::test_every_lesson_of_this_course_is_listed"),
        *(Replaced(_API, f"NbGraderAPI.{name}", ours,
                   "nobody would see which lessons have changed since they were built",
                   "whole/test_assignment_list.py::test_list_says_what_generate_builds")
          for name, ours in (("get_assignment", assignments.assignment),
                             ("get_assignments", assignments.assignments))),
        # Formgrader, which writes names into pages as they are and serves students' files.
        Replaced(_API, "NbGraderAPI.get_students", formgrader.students,
                 "a name from the gradebook could leave the page that it is written into",
                 f"{_WAY_OUT}::test_nothing_runs_in_a_list"),
        Replaced(f"{_FORMS}.base", "BaseHandler.prepare", formgrader.prepare,
                 "a name in an address could leave the page",
                 f"{_WAY_OUT}::test_nothing_runs_in_a_submission"),
        Replaced(f"{_FORMS}.base", "BaseHandler.on_finish", asked.end_transaction,
                 "what could not be saved would have every later request fail",
                 f"{_BY_HAND}::test_nothing_hostile_is_saved"),
        Replaced(f"{_FORMS}.base", "BaseApiHandler.get_json_body", asked.json_body,
                 "the gradebook would be sent what it can't hold, or emptied of what is not sent",
                 f"{_BY_HAND}::test_nothing_hostile_is_saved"),
        Replaced(f"{_FORMS}.base", "BaseApiHandler.write_error", asked.tell,
                 "why nothing is saved would be a page, of which no page shows anything",
                 f"{_BY_HAND}::test_nothing_hostile_is_saved"),
        Replaced(f"{_FORMS}.apihandlers", "CommentHandler.put", asked.save_comment,
                 "a comment could be saved for a text that nobody has read",
                 f"{_BY_HAND}::test_nothing_is_saved_for_another_text"),
        *(Replaced(f"{_FORMS}.apihandlers", f"{handler}.put", ours, why,
                   f"{_BY_HAND}::test_nothing_hostile_is_saved")
          for handler, ours, why in (
              ("GradeHandler", asked.save_grade, "an answer could have more points than there are"),
              ("StudentHandler", asked.save_student, "there could be students without a folder"),
              ("AssignmentHandler", asked.save_lesson, "no list could show when a lesson is due"))),
        Replaced(f"{_FORMS}.handlers", "FormgraderHandler.get", formgrader.first_page,
                 "a link to a student's folder would run the configuration in it",
                 f"{_WAY_OUT}::test_no_folder_is_taken_for_a_course"),
        Replaced(f"{_FORMS}.base", "BaseHandler.render", formgrader.render,
                 "values would be written into pages unescaped",
                 f"{_WAY_OUT}::test_nothing_runs_in_a_submission"),
        Replaced(f"{_FORMS}.base", "BaseApiHandler.set_default_headers", formgrader.as_data,
                 "a list would be sent as a page",
                 f"{_WAY_OUT}::test_list_is_no_page"),
        Replaced(f"{_FORMS}.handlers", "SubmissionFilesHandler.prepare", formgrader.prepare_file,
                 "a file's name would be refused for what is harmless in it",
                 f"{_WAY_OUT}::test_link_is_no_way_in"),
        Replaced(f"{_FORMS}.handlers", "SubmissionFilesHandler.content_security_policy",
                 formgrader.FILE_POLICY,
                 "a student's file would run scripts at the server's own address",
                 f"{_WAY_OUT}::test_file_is_inert"),
        Replaced(f"{_FORMS}.handlers", "SubmissionHandler.get", formgrader.submission,
                 "a submission would be rendered while everybody waits, and be live",
                 f"{_FORMGRADER}::test_nothing_runs_in_formgrader"),
        Replaced(f"{_FORMS}.handlers", "default_handlers", WITH_OURS,
                 "there would be no page with all answers to a question",
                 "whole/test_reading.py::test_three_answers_by_keyboard"),
        *(Replaced(f"{_FORMS}.apihandlers", f"{handler}.post", formgrader.beside_others(method),
                   "the server would answer nobody while this runs",
                   f"{_WAY_OUT}::test_server_answers_others")
          for handler, method in formgrader.ACTIONS.items()),
        *(Replaced("server_extensions.assignment_list.handlers", name, ours,
                   "the server could be left in a folder that a step of formgrader's is in",
                   f"{_TURNS}::test_a_list_waits_for_its_turn")
          for name, ours in turns.LISTING.items()),
    )  # fmt: skip


def install() -> None:
    """Replace all of it, in this process. Calling this again changes nothing.

    Raises:
        GradingFailed: when nbgrader is not made as we know it, and would grade without a sandbox.
    """
    for one in table():
        if not one.is_known:
            where = one.used_by or f"{one.where}.{one.name}"
            raise GradingFailed(_ANOTHER.format(metadata.version("nbgrader"), where))
    for one in table():
        one.replace()
