"""What a change of some files needs: the tests, exercises and lessons that could notice it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from autograder.course import lesson_number
from tools.course_graph import CourseGraph
from tools.course_readers import Readers, Reading

Tests = dict[str, set[str]]


@dataclass
class Selection:
    """What could notice a change.

    `whole` are files of tests, by how far they are from what was changed; of some others those
    tests that read a changed file, and of others those that are about the lessons concerned.
    """

    whole: dict[str, int] = field(default_factory=dict)
    reading: Tests = field(default_factory=dict)
    about_lessons: Tests = field(default_factory=dict)
    exercises: set[str] = field(default_factory=set)
    lessons: set[str] = field(default_factory=set)

    @property
    def files(self) -> list[str]:
        """All files of tests of which something is run, the nearest first."""
        chosen = sorted({*self.reading, *self.about_lessons} - self.whole.keys())
        return [*sorted(self.whole, key=lambda path: (self.whole[path], path)), *chosen]

    @property
    def concerned(self) -> list[str]:
        """The lessons and exercises as tests call them: 04_causal_attention, 04-causal_mask."""
        found = sorted(self.lessons)
        for lesson, exercise in (one.split("/") for one in sorted(self.exercises)):
            # A class has the same name without underscores, and capitals that nobody minds.
            names = dict.fromkeys((exercise, exercise.replace("_", "")))
            found += [f"{lesson_number(lesson)}-{name}" for name in names]
        return found


class Selector:
    """Finds what could notice changes, in the files of this repository as they are."""

    def __init__(self, graph: CourseGraph) -> None:
        self._graph = graph
        self._readers = Readers(graph)

    def select(self, paths: Iterable[str]) -> Selection:
        """What a change of these files, named from the root, needs."""
        made, paths = Selection(), list(paths)
        reached = self._graph.standing_on({node for path in paths for node in self._nodes(path)})
        for node, steps in reached.items():
            if node in self._graph.lessons:
                made.lessons.add(node)
            elif "/" in node:
                made.exercises.add(node)
            elif node.rpartition(".")[2].startswith("test_"):
                path = self._graph.modules[node].relative_to(self._graph.root)
                made.whole[path.as_posix()] = steps
        for file, tests in self._readers.tests.items():
            if file not in made.whole:
                self._choose(made, file, tests_noticing(tests, paths), tests_about(tests, made))
        return made

    def words(self, made: Selection) -> str:
        """By which pytest knows the tests of what is concerned: by what is in their names.

        One whose name has neither a lesson nor an exercise in it is about all of them.
        """
        lessons = self._graph.lessons
        ours = [one if one in lessons else f"[{one}" for one in made.concerned]
        all_of_them = [*lessons, *(f"[{lesson_number(one)}-" for one in lessons)]
        return " or ".join([*ours, f"not ({' or '.join(all_of_them)})"])

    def _nodes(self, path: str) -> set[str]:
        top, _, below = path.partition("/")
        if top == "notebooks":
            return {below.partition("/")[0]} & {*self._graph.lessons}
        return self._graph.modules_of(path)

    @staticmethod
    def _choose(made: Selection, file: str, reading: set[str], about: set[str]) -> None:
        if reading:
            made.reading[file] = reading
        if about - reading:
            made.about_lessons[file] = about - reading


def tests_noticing(tests: dict[str, Reading], paths: list[str]) -> set[str]:
    """Those that read one of these files."""
    return {name for name, one in tests.items() if any(map(one.notices, paths))}


def tests_about(tests: dict[str, Reading], made: Selection) -> set[str]:
    """Those that read one of the lessons concerned."""
    return {name for name, one in tests.items() if one.lessons & made.lessons}
