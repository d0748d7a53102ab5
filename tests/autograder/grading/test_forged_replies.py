"""Whatever a student's process sends, grading comes to an end and gives nothing for it."""

from collections.abc import Iterator, Sequence
from typing import Any

import nbformat
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbformat.validator import validate

from autograder.grading.grade import grade
from autograder.grading.inert import broken_syntax, inert_outputs
from autograder.grading.ordinary.tests_beside import _told_by
from autograder.student.limits import Limits
from autograder.student.rpc.session import _as_json_has_it
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.sample import EVERYTHING
from tests.support.samples import make_cell

LIMITS = Limits(call_seconds=3, submission_seconds=60)
ANSWER = "def double(x):\n    return 2 * x"
# In place of the student's side: whatever is asked, the next of these is the reply.
FORGING = """
import builtins, numpy as np
from autograder.student.rpc.student_side import StudentSide
from autograder.student.rpc.codec.grammar import Reference, Unsupported
import gc
side = next(one for one in gc.get_objects() if type(one) is StudentSide)
forged = iter({replies})
answer = side._answer
def forge(request):
    if request[0] in {requests}:
        return next(forged, ("missing",))
    return answer(request)
side._answer = forge
"""
TYPES = ["stream", "error", "display_data", "execute_result"]
KINDS = ["text/plain", "text/html", "image/png", "image/jpeg", "text/latex"]

plain = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    st.sampled_from([np.zeros(2), np.zeros((0, 3)), np.float64("nan"), np.bool_(True), b"x", 1j]),
    st.sampled_from(["<![foo[x]]>", "<!", "<img src='data:", "=", "back", "callback", "stderr"]),
    st.sampled_from([*TYPES, *KINDS, "found", "returned", "raised", "ran", "missing"]),
)  # fmt: skip
values = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=5).map(tuple),
        st.dictionaries(st.one_of(st.text(max_size=3), st.sampled_from(KINDS)), inner, max_size=3),
    ),
    max_leaves=8,
)
outputs = st.one_of(
    values,
    st.fixed_dictionaries(
        {"output_type": st.one_of(values, st.sampled_from(TYPES))},
        optional={
            name: st.one_of(values, st.dictionaries(st.sampled_from(KINDS), values, max_size=3))
            for name in ("name", "text", "data", "ename", "evalue", "traceback")
        },
    ),
)


@given(st.lists(outputs, max_size=4))
@settings(max_examples=300 if EVERYTHING else 100, deadline=None)
def test_no_output_is_too_odd(forged: list[object]) -> None:
    sent = [_as_json_has_it(one) for one in forged]
    assert _told_by(sent, 1.0).verdict
    assert isinstance(broken_syntax(sent, "double"), str)
    for one in inert_outputs(sent, 10_000):
        validate(new_output(**one), ref="output", version=4, version_minor=5)


@pytest.mark.parametrize(
    "html", ["<![foo[x]]>", "<![CDATA[x", "<!x[", "<!--", "<![if x]>", "<!DOCTYPE [<!x"]
)
def test_html_that_no_parser_takes(html: str) -> None:
    shown = {"output_type": "display_data", "data": {"text/plain": "x", "text/html": html}}
    assert inert_outputs([shown], 1000)[0]["data"] == {"text/plain": "x"}


# Forged while it is graded


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as sandbox:
        yield sandbox


def earned(sandbox: Sandbox, *added: str) -> tuple[list[float], NotebookNode]:
    tests = ("assert double(2) == 4", "import numpy as np\nassert np.allclose(double(1), 2)")
    cells = [make_cell("code", ANSWER, "double", solution=True)]
    cells += [make_cell("code", test, f"test-{n}", grade=True, points=1)
              for n, test in enumerate(tests)]  # fmt: skip
    source = new_notebook(cells=cells)
    handed_in = nbformat.reads(nbformat.writes(source), as_version=4)
    handed_in.cells[0].source = "def double(x):\n    return 3"
    handed_in.cells[1:1] = map(new_code_cell, added)
    graded = grade(source, nbformat.writes(handed_in).encode(), sandbox)
    return [one.points for one in graded.verdicts], graded.notebook


def forging(requests: Sequence[str], *replies: str) -> str:
    return FORGING.format(replies=f"[{', '.join(replies)}]", requests=requests)


REPLIES = (
    "(np.zeros(2), 1)",
    "(np.zeros(2),)",
    "np.zeros(2)",
    "(np.str_('found'), 4, ())",
    "()",
    "[]",
    "None",
    "'found'",
    "('found',)",
    "('found', np.zeros(2), np.zeros(2))",
    "('found', 4, (np.zeros(2), None))",
    "('found', Reference('callback', 0), ())",
    "('found', Reference('object', 2**63), ())",
    "('found', Reference('dtype', 3), ())",
    "('found', Unsupported('found'), ())",
    "('back', 0)",
    "('back', -10**4000)",
    "('back', np.zeros(2))",
    "('callback', 0, ())",
    "('callback', 0, (), {})",
    "('callback', 0, (), {1: 2})",
    "('callback', 0, (), {'x': Reference('callback', 0)})",
    "('callback-backward', 0, [])",
    "('callback-backward', True, [[[]]])",
    "('callback-backward', 'x', ())",
    "('callback', True, (np.zeros(2),), {})",
    "('callback', np.zeros(2), (), {})",
    "('raised', 'NameError', 'NameError', 'x', '', '')",
    "('returned', 5, (), '', None, ())",
    "({'a': 1}, 2)",
)
TO_RUN = (
    "('ran', [{'output_type': 'error', 'ename': np.zeros(2), 'evalue': 'x'}])",
    "('ran', [{'output_type': 'error', 'ename': Reference('object', 0), 'evalue': 'x'}])",
    "('ran', [{'output_type': np.zeros(2)}, Reference('object', 0), np.zeros(2)])",
    "('ran', {})",
)
TO_CALLS = (
    "('returned', 5, (np.zeros(2),), '', np.zeros(2), ())",
    "('returned', 10**4299, (), '', 10**4299, (np.zeros(2),))",
    "('returned', 5, (), np.zeros(2), None, ())",
    "('returned', np.array([4, 4]), (), '', -1, ())",
    "('returned', float('nan'), (), '', None, ())",
    "('returned', np.zeros((0, 2)), (), '', None, ())",
    "('raised', '__class__', '__class__', '', '', '')",
    "('raised', 'BaseException', 'BaseException', 'x' * 10**6, 'y' * 10**6, 'z')",
    "('raised', 'KeyboardInterrupt', 'KeyboardInterrupt', '', '', '')",
    "('raised', 'ForkEnded', 'print', np.zeros(2), '', '')",
    "('ran', [])",
)


@pytest.mark.long
def test_forged_words_earn_nothing(sandbox: Sandbox) -> None:
    """Each is the first reply to be forged, then the next to the second test, and so on."""
    for number in range(0, len(REPLIES), 2):
        points, _ = earned(sandbox, forging(["find"], *REPLIES[number : number + 2]))
        assert points == [0, 0], REPLIES[number : number + 2]
    for number in range(0, len(TO_CALLS), 2):
        points, _ = earned(sandbox, forging(["call"], *TO_CALLS[number : number + 2]))
        assert points == [0, 0], TO_CALLS[number : number + 2]


def test_forged_outputs_of_a_cell_are_read(sandbox: Sandbox) -> None:
    """The cell that answers for itself is the one behind that which forges."""
    for reply in TO_RUN:
        points, _ = earned(sandbox, forging(["run"], reply), "pass")
        assert points == [0, 0], reply


@pytest.mark.long
@given(replies=st.lists(values, min_size=1, max_size=3), to=st.sampled_from(["find", "call"]))
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_drawn_replies_earn_nothing(sandbox: Sandbox, replies: list[Any], to: str) -> None:
    with np.printoptions(threshold=100):
        text = forging([to], *map(repr, replies)).replace("array(", "np.array(")
    points, _ = earned(sandbox, f"from numpy import nan, inf\n{text}")
    assert points == [0, 0]


def test_forged_outputs_cost_themselves(sandbox: Sandbox) -> None:
    html = "from IPython.display import HTML, display\ndisplay(HTML('<![foo[x]]>'))"
    points, notebook = earned(sandbox, html)
    assert points == [0, 0]
    assert notebook.cells[1].outputs
