"""What a student hands in, or a learner opens, is data: no process of ours imports or obeys it.

Whatever starts a process, imports by a name, runs text, reads settings, or changes where modules
and files are looked for might take them from there. Each such place in the code stands here, with
the reason why it does not.
"""

import ast
from collections.abc import Iterator

from tests.support.course import ROOT

_WORDS = """
Popen check_call check_output system popen fork forkpty execv execve execvp posix_spawn spawnv
import_module __import__ run_module run_path exec_module spec_from_file_location exec
chdir fchdir NotebookClient start_new_kernel PyFileConfigLoader load_config_file Process Pool
ProcessPoolExecutor
"""
_CALLS = frozenset(_WORDS.split())
_OF_MODULES = {"subprocess.run", "subprocess.call", "asyncio.create_subprocess_exec", "eval"}
_PATHS = {"sys.path", "sys.meta_path", "sys.path_hooks"}

_SANDBOX = "in the sandbox, with no rights but the student's"
_COURSE = "puts the course's own root on the path"
_INSTRUCTORS = "the instructor's cells, which may do everything"
_LEARNERS = "a learner's own cells, on their own machine"

SAFE = {
    ("authoring/browser/lite.py", "run"): "-P, and begins in a folder that it has just made",
    ("authoring/browser/needs.py", "sys.path"): "only reads it",
    ("authoring/build/at_once.py", "ProcessPoolExecutor"): "PYTHONSAFEPATH, and the course's exams",
    ("authoring/build/build.py", "sys.path"): "adds a lesson's folder in source/, last",
    ("authoring/build/build_inputs.py", "sys.path"): "only reads it",
    ("authoring/lesson/alt_text.py", "import_module"): "what an author's text imports",
    ("authoring/retakes/anew.py", "import_module"): "the course's reference and exams",
    ("checks/defined.py", "exec"): _LEARNERS,
    ("checks/drivers/in_order.py", "run_module"): "our own driver of that name, not runpy's",
    ("checks/drivers/layouts.py", "run_module"): "our own driver of that name, not runpy's",
    ("checks/drivers/modes.py", "run_module"): "our own driver of that name, not runpy's",
    ("checks/drivers/second_call.py", "run_module"): "our own driver of that name, not runpy's",
    (
        "checks/hidden.py",
        "import_module",
    ): "the instructor's test cell names it, and no checks.json can",
    ("checks/locate/in_sandbox.py", "fork"): _SANDBOX,
    ("checks/locate/trials.py", "exec"): "a learner's own answer; of a submission, " + _SANDBOX,
    ("checks/source/own_files.py", "chdir"): "a lesson's in source/, or a learner's own",
    ("checks/source/own_files.py", "sys.path"): "a lesson's in source/, or a learner's own",
    ("checks/values/as_json.py", "import_module"): "only packages that came with the program",
    ("course.py", "import_module"): "the course's reference and exams",
    ("course.py", "sys.path"): _COURSE,
    ("grading/examiner.py", "exec"): "the instructor's test cells",
    ("grading/apart.py", "fork"): "goes on with what is loaded",
    ("grading/examiner_process.py", "fork"): "goes on with what is loaded",
    ("grading/jobs/fork_server.py", "fork"): "goes on with what is loaded",
    ("grading/jobs/processes.py", "Popen"): "-P: imports nothing from where it is started",
    ("grading/jobs/work.py", "sys.path"): _COURSE,
    ("grading/jobs/worker.py", "sys.path"): _COURSE,
    ("grading/ordinary/given.py", "exec"): _INSTRUCTORS,
    ("grading/ordinary/instructor_names.py", "import_module"): _INSTRUCTORS,
    ("learner/jupyter.py", "Popen"): "-P, begun and set outside of the folder that is opened",
    ("learner/marking.py", "exec"): "the course's own tests, where a learner's cells have run",
    ("learner/run_notebook.py", "NotebookClient"): f"runs all of that folder anyway: {_LEARNERS}",
    ("nbgrading/configuration.py", "PyFileConfigLoader"): "the course's own nbgrader_config.py",
    ("nbgrading/configuration.py", "sys.path"): _COURSE,
    ("nbgrading/pages/formgrader.py", "load_config_file"): "the server begins at the course's root",
    ("nbgrading/pages/rendering.py", "Popen"): "begins where the engine itself lies",
    ("nbgrading/pages/rendering.py", "fork"): "goes on with what is loaded",
    ("nbgrading/replaced.py", "import_module"): "nbgrader's modules, from a table",
    ("own_modules.py", "sys.path"): "only reads it",
    ("preload.py", "import_module"): "what course.toml names, before any submission is there",
    ("site/rendering.py", "run"): "Sphinx, on the course's own texts",
    ("student/rpc/student_side.py", "fork"): _SANDBOX,
    ("student/rpc/student_side.py", "sys.path"): _SANDBOX,
    ("student/sandbox/confine.py", "chdir"): _SANDBOX,
    ("student/sandbox/launcher.py", "Popen"): "-P, begun at /, with an environment of its own",
    ("student/sandbox/zygote.py", "chdir"): _SANDBOX,
    ("student/sandbox/zygote.py", "fork"): _SANDBOX,
    ("student/sandbox/zygote.py", "import_module"): "the entry that its launcher names",
}


def acts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            whole = ast.unparse(node.func)
            name = whole.rpartition(".")[2]
            if name in _CALLS or whole in _OF_MODULES:
                yield name
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in _PATHS:
            yield ast.unparse(node)


def test_every_place_has_its_reason() -> None:
    found = {
        (path.relative_to(ROOT / "autograder").as_posix(), act)
        for path in (ROOT / "autograder").rglob("*.py")
        for act in acts(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == SAFE.keys()


def test_lessons_library_starts_and_imports_nothing() -> None:
    for path in (ROOT / "companion").rglob("*.py"):
        assert [*acts(ast.parse(path.read_text(encoding="utf-8")))] == [], path
