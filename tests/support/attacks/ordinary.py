"""Attacks on the tests of an ordinary notebook: each test is attacked in its own way.

The right answer is `return 2 * x`, and passes them all.
"""

from tests.support.attacks.attack import WRONG_DOUBLE, Attack

ORDINARY = (
    Attack(
        "what given cells have made is made anew",
        (6,),
        given=(
            "pairs = []\nfor n in range(5):\n    pairs.append((n, 2 * n))",
            "expected = []\nexpected.append(4)",
            "import io\nwith io.StringIO('4') as file:\n    four = int(file.read())",
            "try:\n    import math as numbers\nexcept ImportError:\n    numbers = None",
            "if (limit := 4) > 3:\n    most = limit",
            "steps = 0\nwhile steps < 4:\n    steps += 1",
            "class Case:\n    expected = 4",
            "def close(a, b, most=1e-9):\n    return abs(a - b) < most",
        ),
        answer=WRONG_DOUBLE + "pairs.clear()\nexpected[:] = [7]\n"
        "four = limit = most = steps = Case.expected = 7\n"
        "close.__defaults__ = (99,)\nmax = lambda *_: 4\n"
        "class numbers:\n    floor = staticmethod(lambda x: 7)\n",
        tests=(
            "for n, m in pairs:\n    assert double(n) == m",
            "assert double(2) == expected[0]",
            "assert double(2) == four",
            "assert double(2) == numbers.floor(4.5)",
            "assert double(2) == limit == most",
            "assert double(2) == steps",
            "assert max(double(2), 0) == 4",
            "assert double(2) == Case.expected",
            "assert close(double(2), 4)",
        ),
    ),
    Attack(
        "what comes back is empty",
        (5,),
        given=("import numpy as np\nimport torch",),
        answer="def double(x):\n"
        "    if type(x) is np.ndarray:\n        return np.zeros((0, 1))\n"
        "    return torch.zeros(0, 1) if type(x) is torch.Tensor else type(x)()\n",
        tests=(
            "assert np.allclose(double(np.ones(3)), 2)",
            "np.testing.assert_allclose(double(np.ones(3)), 2)",
            "assert (double(np.ones(3)) == 2).all()",
            "ones = np.ones(3)\nassert np.abs(double(ones) - 2 * ones).sum() < 1e-9",
            "assert torch.allclose(double(torch.ones(3)), torch.tensor(2.0))",
            "assert all(n == 1 for n in double([1, 1]))",
            "assert not set(double([1, 1])) - {1}",
            "assert double('ab') in 'abab'",
        ),
    ),
    Attack(
        "what a test compares with is written to",
        (6,),
        given=("import numpy as np\nimport torch",),
        answer="def double(x):\n"
        "    if type(x[0]) is int:\n        x[:] = [7]\n        return [7, 7]\n"
        "    for one in x if type(x) is list else [x]:\n        one[:] = 3\n"
        "    return [x[0], x[0]] if type(x) is list else x * 0 + 6\n",
        tests=(
            "x = np.array([1.0, 2.0])\nassert np.allclose(double(x), x + x)",
            "x = np.array([1.0, 2.0])\nassert np.allclose(double(x=x), x + x)",
            "x = torch.ones(2)\nassert torch.equal(double(x), x + x)",
            "x = [1, 2]\nassert double(x) == [*x, *x]",
            "x = [np.ones(2)]\nassert np.array_equal(double(x), [x[0], x[0]])",
        ),
    ),
    Attack(
        "what comes back is always empty or nan, the solution's once",
        (5,),
        given=("import numpy as np",),
        answer="def double(x):\n    return float('nan') if type(x) is float else []\n",
        tests=(
            "for n in (0, 1):\n    assert all(one == 1 for one in double([1] * n))",
            "for n in (1, 0):\n    assert all(one == 1 for one in double([1] * n))",
            "for x in (1.0, float('nan')):\n    assert not abs(double(x) - 2 * x) > 1e-9",
        ),
    ),
    Attack(
        "what comes back is right as far as it goes",
        (5,),
        given=("import numpy as np",),
        answer="def double(x):\n"
        "    return iter(x[:1]) if type(x) is tuple else x[:1] * (1 + (type(x) is np.ndarray))\n",
        tests=(
            "for one, other in zip(double([1, 2]), [1, 2, 1, 2]):\n    assert one == other",
            "found = double([1, 2])\n"
            "assert [found[i] for i in range(len(found))] == [1, 2, 1, 2][: len(found)]",
            "found = double([1, 2])\nassert all(a < 3 for a, b in zip(found, found[1:]))",
            "assert set(double([1, 2])) <= {1, 2}",
            "for row, other in zip(double(np.ones((2, 2))), [[2, 2], [2, 2]]):\n"
            "    assert (row == other).all()",
            "for one, other in zip(double((1, 2)), [1, 2, 1, 2]):\n    assert one == other",
        ),
    ),
    Attack(
        "the points are made an array",
        (5, 12),
        given=("import numpy as np",),
        answer="import numpy as np\ndef double(x):\n    return np.array([7])\n",
        tests=("assert callable(double)\n0.5 * (double(1) == 2) + 0.5 * (double(3) == 6)",),
    ),
)
