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
)
