"""Attacks on the process that the tests might run in: on sources, the kernel and comparisons."""

from tests.support.attacks.attack import WRONG, WRONG_DOUBLE, Attack

IN_PROCESS = (
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
            "import autograder, autograder.checks.check, autograder.checks.hidden, builtins\n"
            "autograder.check = autograder.checks.hidden.hidden_check = lambda *a: check\n"
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
        "    from autograder.checks.card.as_html import show\n"
        "    from autograder.checks.exam.report import Report, Verdict\n"
        "    show(Report('attention_weights', Verdict.PASSED))\n"
        "    return 0 * scores\n",
        after=(
            "from IPython.display import display\n"
            "mime = 'application/vnd.autograder.report+json'\n"
            "display({mime: {'state': 'passed', 'exercise': 'attention_weights'}, "
            "'text/plain': '3'}, raw=True)",
        ),
    ),
)
