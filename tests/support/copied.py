"""A simulated class, some of whom have copied: each hides it in the way that its name says.

Honest students write right answers in a style that an exam accepts, another one for each exercise,
and typical wrong ones: what an exam knows as misconceptions, or a sign that is the wrong one.
"""

import ast
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.lesson.reference import read_reference
from autograder.checks.exam.exam import exams_of
from autograder.demo.standalone import standing_alone
from autograder.insight.similarity.usual import Usual, usual_of
from tests.support.course import COURSE

Answers = dict[str, str]
# What the notebooks import.
KNOWN = {"torch", "np", "nn", "math", "F"}


@dataclass(frozen=True)
class Ways:
    """In which ways an exercise is answered; the first right one is the reference."""

    given: str
    right: Sequence[str]
    wrong: Sequence[str]


def ways_of(lesson: str) -> dict[str, Ways]:
    """How the exercises of a lesson of this course are answered, by its reference and exams.

    They come by their names, so that what is drawn does not hang on the lesson's order.
    """
    file = COURSE.solution_module(lesson).__file__
    assert file
    references = read_reference(Path(file))
    found = {}
    for name, exam in sorted(exams_of(COURSE.exam_module(lesson)).items()):
        right = [standing_alone(one, name, KNOWN) for one in exam.accepted.values()]
        wrong = [standing_alone(one, name, KNOWN) for one in exam.misconceptions.values()]
        found[name] = Ways(
            "", [references[name].text, *filter(None, right)], [*filter(None, wrong)][:7]
        )
    return found


def usual_ways(ways: Mapping[str, Ways]) -> dict[str, Usual]:
    """What of it is usual."""
    return {
        name: usual_of(one.given, one.right[0], one.right[1:], one.wrong)
        for name, one in ways.items()
    }


def simulated_class(
    ways: Mapping[str, Ways],
    students: int,
    seed: int,
    copies: Sequence[str] = (),
    *,
    reference: float = 0.0,
    habit: float = 0.0,
) -> tuple[dict[str, Answers], set[tuple[str, str]]]:
    """What each student wrote, and the pairs of whom one has copied from the other.

    Args:
        ways: how each exercise may be answered.
        students: how many there are.
        seed: where the random numbers begin.
        copies: how each of those who copied has hidden it.
        reference: the share of right answers that are the reference, beyond those drawn as such.
        habit: the share in which a student takes to the same style everywhere, one of four.
    """
    rng = random.Random(seed)
    written = {}
    for number in range(students):
        skill, favourite = rng.betavariate(5, 2), rng.randrange(4)
        own = written[f"s{number:03}"] = dict[str, str]()
        for name, one in ways.items():
            own[name] = _answer(one, skill, rng)
            if own[name] in one.right and rng.random() < reference:
                own[name] = one.right[0]
            elif own[name] in one.right and rng.random() < habit:
                own[name] = one.right[favourite % len(one.right)]
    chosen = rng.sample(sorted(written), 2 * len(copies))
    pairs = set()
    for kind, source, copy in zip(copies, chosen[::2], chosen[1::2], strict=True):
        written[copy] = {name: disguised(text, kind) for name, text in written[source].items()}
        pairs.add((min(source, copy), max(source, copy)))
    return written, pairs


def _answer(ways: Ways, skill: float, rng: random.Random) -> str:
    luck = rng.random()
    if luck < skill or not ways.wrong:
        return rng.choice(ways.right)
    if luck > 0.95:
        return ways.given
    if rng.random() < 0.15:
        return ways.right[0].replace("-1", "0", 1).replace(" + ", " - ", 1)
    # The first mistakes are the frequent ones.
    return ways.wrong[min(len(ways.wrong) - 1, int(rng.expovariate(0.9)))]


def disguised(source: str, kind: str) -> str:
    """A source that does the same and looks different."""
    tree = ast.parse(source)
    for part in kind.split("+"):
        tree = _KINDS[part](tree)
    text = ast.unparse(ast.fix_missing_locations(tree))
    if "comments" not in kind:
        return text
    lines = text.split("\n")
    return "\n".join(f"{line}  # step {n}" if n % 2 else line for n, line in enumerate(lines))


def _renamed(tree: ast.Module) -> ast.Module:
    stored = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    names = {name: f"my_{name.lower()[::-1]}" for name in stored | _arguments(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = names.get(node.arg, node.arg)
    return tree


def _arguments(tree: ast.AST) -> set[str]:
    return {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)} - {"self"}


def _reordered(tree: ast.Module) -> ast.Module:
    """Two assignments that don't need each other, in each other's places."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for place in range(len(body) - 1) if isinstance(body, list) else ():
            one, other = body[place : place + 2]
            both = isinstance(one, ast.Assign) and isinstance(other, ast.Assign)
            if both and not _needs(one, other) and not _needs(other, one):
                body[place : place + 2] = [other, one]
    return tree


def _needs(one: ast.stmt, other: ast.stmt) -> bool:
    used = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}
    made = {
        node.id
        for node in ast.walk(other)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return bool(used & made)


def _rewritten(tree: ast.Module) -> ast.Module:
    """Loops from 0, and a result that gets a name before it is returned."""
    for node in ast.walk(tree):
        match node:
            case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[_] as arguments)):
                arguments.insert(0, ast.Constant(0))
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(last := body[-1], ast.Return):
            name = ast.Assign([ast.Name("outcome", ast.Store())], last.value or ast.Constant(None))
            body[-1:] = [name, ast.Return(ast.Name("outcome", ast.Load()))]
    return tree


_KINDS: Mapping[str, Callable[[ast.Module], ast.Module]] = {
    "names": _renamed,
    "order": _reordered,
    "loops": _rewritten,
    "comments": lambda tree: tree,
}
KINDS = ("names", "order+comments", "names+comments", "names+order", "loops+names")
