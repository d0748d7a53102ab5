"""Whether a statement does something that its names don't show: it seeds, sets, writes, patches.

What is left out when grading must be missed by nobody. Where a text leaves that open, the answer is
yes. Functions of modules are taken to do what is usual; an author who knows better says so.
"""

import ast
from collections.abc import Set

from autograder.checks.source.effects import FILLS, WRITES, root_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# How random numbers go on. A generator of the notebook's own is a value with a name.
_SEEDS = _words("seed manual_seed manual_seed_all set_rng_state setstate set_state")
# What changes how other code behaves, or what lies on the disk.
_ACTING = _words(
    "open write writelines write_text write_bytes save savez savez_compressed savetxt savefig "
    "tofile dump to_csv to_json to_excel to_pickle to_parquet mkdir makedirs unlink remove rmtree "
    "rename touch symlink_to chdir chmod copyfile copytree move extractall system popen run Popen "
    "check_call check_output putenv unsetenv seterr seterrcall reload import_module __import__ "
    "exec eval globals locals vars simplefilter filterwarnings rc rcdefaults basicConfig "
    "setrecursionlimit settrace setprofile signal alarm Thread Process input exit quit _exit"
)
# `set_printoptions`, `set_default_dtype`, `use_deterministic_algorithms`; of a module's functions
# alone, since a picture's methods begin like that too.
_SETTING = ("set_", "use_", "use", "enable_", "disable_", "register_")


def acts(statement: ast.stmt, modules: Set[str], acting: Set[str]) -> bool:
    """Whether leaving a statement out could be felt where none of its names is used.

    Args:
        statement: what stands in a cell, functions with their bodies.
        modules: the names that were imported.
        acting: the notebook's own functions and classes that act.
    """
    return any(_acts(node, modules, acting) for node in ast.walk(statement))


def _acts(node: ast.AST, modules: Set[str], acting: Set[str]) -> bool:
    match node:
        case ast.Global() | ast.ImportFrom(names=[ast.alias("*")]):
            return True
        case ast.Name(name):
            return name in acting
        case (
            ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del())
        ):
            return bool(root_of(node) & modules)
        case ast.Call(ast.Name(name)):
            return name in _ACTING | _SEEDS or (name in modules and name.startswith(_SETTING))
        case ast.Call(ast.Attribute(of, method)):
            if method in _ACTING:
                return True
            sets = method in _SEEDS | (WRITES - FILLS) or method.startswith(_SETTING)
            return sets and bool(root_of(of) & modules)
    return False
