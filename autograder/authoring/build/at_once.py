"""Proving the exercises of a lesson, several at once.

A process that proves is begun anew and imports the exams by itself, and with them torch: to fork
one that has threads, as whoever shows progress has, may leave it waiting for ever. So a few
exercises are proved here, one after the other.
"""

import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Self

from autograder.authoring.build.matching import every_exam
from autograder.authoring.build.proving import Proved, prove
from autograder.authoring.build.shipping import Entry
from autograder.authoring.build.slips import refuse_slips
from autograder.checks.exam.exam import Exam
from autograder.course import Course
from autograder.environment import variables
from autograder.errors import ExamError
from autograder.faulty_line import told_with_line

# With fewer, importing takes longer than what is won.
_WORTH_IT = 4
# Has Python look for no module where somebody happens to work.
_SAFE_PATH = {"PYTHONSAFEPATH": "1"}


class Provers:
    """Prove exercises, here or in processes of their own, which are kept for the next lesson.

    Args:
        processes: how many prove at once; with 1, all is proved here.
    """

    def __init__(self, processes: int = 1) -> None:
        self._processes = processes
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._pool:
            if kind:
                for process in active_children():
                    process.terminate()
            self._pool.shutdown(cancel_futures=True)

    def prove(
        self,
        course: Course,
        lesson: str,
        exams: Mapping[str, Exam],
        there: Mapping[str, Entry],
        progress: Callable[[str], None],
    ) -> Iterator[Proved]:
        """Prove some exercises of a lesson, in their order.

        Args:
            course: where the lesson is.
            lesson: its full name.
            exams: by exercise, these ones and others.
            there: what ships of each that is to be proved.
            progress: called with the name of each exercise that is waited for.

        Raises:
            ExamError, SolutionError: for what does not fit together, see `proving`.
        """
        if self._processes == 1 or len(there) < _WORTH_IT:
            for name, entry in there.items():
                progress(name)
                yield _proved(course, lesson, exams[name], entry)
            return
        self._pool = self._pool or ProcessPoolExecutor(
            self._processes, get_context("spawn"), initializer=_leave_interrupts_to_whoever_waits
        )
        # What is long comes first, so that all processes end at about the same time.
        longest = sorted(there, key=lambda name: len(str(there[name])), reverse=True)
        with variables(_SAFE_PATH):
            begun = {
                name: self._pool.submit(_proved_there, course.root, lesson, name, there[name])
                for name in longest
            }
        for name in there:
            progress(name)
            try:
                yield begun[name].result()
            except BrokenProcessPool:
                raise ExamError(
                    f"a process that proved the exercises of {lesson} was ended from outside, "
                    "perhaps for want of memory: build it with --workers 1"
                ) from None


def _leave_interrupts_to_whoever_waits() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _proved_there(root: Path, lesson: str, exercise: str, there: Entry) -> Proved:
    course = Course(root)
    return _proved(course, lesson, every_exam(course, lesson)[exercise], there)


def _proved(course: Course, lesson: str, exam: Exam, there: Entry) -> Proved:
    try:
        refuse_slips(exam)
        return prove(exam, there, places=course.has_places(lesson))
    except Exception as error:
        raise told_with_line(error, course.root, exam.where) from error
