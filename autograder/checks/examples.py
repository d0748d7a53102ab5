"""`checks.json`: the printed examples of a lesson, with the numbers that come out of them.

Written by the build beside each notebook (`shipping`), read here by the learner's check. It holds
what the reference and each misconception give on the printed examples, in a few words each what
hidden cases try, and the descriptions of figures. The outcomes are packed, so that nobody who opens
or searches the file comes upon the numbers that a worksheet asks for: those of all exercises,
because another one often computes the same numbers.

A wheel of the course has the same files, so that a check also works where somebody has the notebook
alone, as in Colab. A clone has none there: it would be a second copy.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

from autograder.checks.exam.case import Case
from autograder.checks.packed import unpack
from autograder.checks.values.as_json import find, from_json, outcome_from_json
from autograder.checks.values.compare import Tolerance
from autograder.checks.values.precision import printed
from autograder.errors import CheckError, NotInstalled

FILE = "checks.json"
FORMAT = 5
# Where setup.py puts those of all lessons, in a wheel.
INSTALLED = Path(__file__).parent / "lessons"


@dataclass(frozen=True)
class Printed:
    """What a learner's check knows of one exercise."""

    cases: tuple[Case, ...]
    hints: Mapping[str, str]
    forbids: tuple[str, ...] = ()
    places: bool = True
    untried: tuple[str, ...] = ()


class Shipped(Mapping[str, Printed]):
    """The printed examples of a lesson, by exercise; each is decoded when it is asked for."""

    def __init__(
        self,
        path: Path,
        lesson: str,
        exercises: Mapping[str, Any],
        descriptions: Mapping[str, str],
    ) -> None:
        self._path = path
        self._exercises = exercises
        self.lesson = lesson
        """What the lesson is called for short, such as 02."""
        self.descriptions = descriptions
        """What figures of the lesson show, by name."""
        self.is_installed = path.parent == INSTALLED
        """Whether they are the installed package's, and not those beside a notebook."""

    def __getitem__(self, name: str) -> Printed:
        """What is known of an exercise.

        Raises:
            KeyError: when the lesson has none of that name.
            CheckError: when what the file says of it is not ours, or asks for what is not here.
        """
        written = self._exercises[name]
        with _saying_what_to_do(self._path):
            return as_printed(written)

    def __contains__(self, name: object) -> bool:
        # Decoding one may need what is not installed.
        return name in self._exercises

    def __iter__(self) -> Iterator[str]:
        return iter(self._exercises)

    def __len__(self) -> int:
        return len(self._exercises)


def read(folder: Path) -> Shipped:
    """The printed examples of the lesson in `folder`.

    Raises:
        CheckError: when the file is missing or not ours.
    """
    return _read(folder / FILE)


def of_notebook(folder: Path, names: Sequence[str], around: Collection[str]) -> Shipped:
    """The printed examples of the notebook that runs in `folder`: those beside it, or installed.

    Args:
        folder: where `checks.json` lies, if it does.
        names: what may be the name of the exercise, the likeliest first; none where that is open.
        around: all names of the notebook. Two lessons may have an exercise of the same name, but
            they don't share the rest.

    Raises:
        CheckError: when there are none, or they are not ours.
    """
    if (folder / FILE).exists() or not INSTALLED.is_dir():
        return read(folder)

    def shared(one: Shipped) -> int:
        return len(one.keys() & {*names, *around})

    fitting = (one for one in installed() if not names or one.keys() & {*names})
    best = max(fitting, key=shared, default=None)
    if best is None or not shared(best):
        raise CheckError(
            f"{FILE} is not in {folder}, and the installed {installed_version()} has no exercise "
            f"{f'called {names[0]}' if names else 'of this notebook'}: keep the file beside the "
            "notebook it came with, or install the version of the course that they are from"
        )
    return best


@cache
def installed() -> tuple[Shipped, ...]:
    """The printed examples of all lessons in the installed package; none in a clone.

    Raises:
        CheckError: when one of the files is not ours.
    """
    return tuple(_read(path) for path in sorted(INSTALLED.glob("*.json")))


@cache
def installed_version() -> str:
    """The installed course and its version, as in "statistics-course 0.1.0"."""
    (name, *_) = packages_distributions()[__name__.partition(".")[0]]
    return f"{name} {version(name)}"


def _read(path: Path) -> Shipped:
    with _saying_what_to_do(path):
        written = json.loads(path.read_text(encoding="utf-8"))
        if written["format"] != FORMAT:
            raise CheckError(f"{path} {_of_another_version(written['format'])}")
        lesson = str(written.get("lesson", path.absolute().parent.name))
        return Shipped(path, lesson, {**written["exercises"]}, {**written.get("descriptions", {})})


@contextmanager
def _saying_what_to_do(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise CheckError(
            f"{FILE} is not in {path.parent}: keep it beside the notebook it came with"
        ) from None
    except ImportError as error:
        if missing := NotInstalled.of(error):
            raise CheckError(str(missing)) from error
        raise CheckError(
            f"{path} asks for what is not here ({error}): run the notebook from its first cell, "
            "and if that changes nothing, install the version of the course that it came with"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise CheckError(
            f"{path} is damaged ({error}): copy it again from where the notebook came from"
        ) from error


def _of_another_version(found: object) -> str:
    if isinstance(found, int) and found < FORMAT:
        return (
            f"is from an older version of the course (format {found}, and this program reads "
            f"{FORMAT}): get the lesson anew, notebook and {FILE} together, from where you had it "
            "(`autograder update` carries your work over), or install the version of the course "
            "that it came with"
        )
    return (
        f"is from a newer version of the course (format {found}, and this program reads "
        f"{FORMAT}): install the version of the course that the notebook came with"
    )


def as_printed(written: Mapping[str, Any]) -> Printed:
    """What is known of an exercise, from what is written of it."""
    use = find(written["use"]) if "use" in written else None
    words = {"axes": written.get("axes", {}), "inputs": tuple(written.get("inputs", ()))}
    cases = tuple(
        replace(_read_case(case | outcomes, written["hints"], use), **words)
        for case, outcomes in zip(written["cases"], unpack(written["outcomes"]), strict=True)
    )
    forbids, places = tuple(written.get("forbids", ())), written.get("places", True)
    return Printed(cases, written["hints"], forbids, places, tuple(written.get("untried", ())))


def _read_case(
    written: dict[str, Any],
    misconceptions: Iterable[str],
    use: Callable[..., object] | None,
) -> Case:
    expected = outcome_from_json(written["expected"])
    way = written.get("way", "")
    # Of what the engine asks, no misconception says anything, nor where its numbers are noise.
    noise = written.get("noise", ())
    misconceptions = () if way else [name for name in misconceptions if name not in noise]
    mistaken = dict.fromkeys(misconceptions, expected) | {
        name: outcome_from_json(one) for name, one in written["lookalikes"].items()
    }
    names = tuple(written["names"])
    arguments = {name: from_json(value) for name, value in written["arguments"].items()}
    return Case(
        label=written["label"],
        arguments=arguments,
        expected=expected,
        tolerance=printed(Tolerance(*written["tolerance"]), arguments, expected.value, names),
        lookalikes={name: partial(mistaken.__getitem__, name) for name in misconceptions},
        names=names,
        reveal=written["reveal"],
        use=use,
        printed=True,
        single=frozenset(written.get("single", ())),
        way=way,
    )
