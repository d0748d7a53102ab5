"""What the tests of the sandbox run as a student process: it does whatever it is told."""

import ast
import socket

from autograder.student.limits import Limits
from autograder.student.sandbox.control import Link


def obey(sock: socket.socket, limits: Limits) -> None:
    """Run the code of each message; answer what its last expression is, or its error."""
    link = Link(sock)
    namespace: dict[str, object] = {"sock": sock, "limits": limits}
    while True:
        try:
            code = str(link.receive()["code"])
        except EOFError:
            return
        try:
            answer = {"value": repr(_run(ast.parse(code), namespace))}
        except BaseException as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        link.send(answer)


def _run(tree: ast.Module, namespace: dict[str, object]) -> object:
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<student>", "exec"), namespace)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "<student>", "eval"), namespace)
    return None
