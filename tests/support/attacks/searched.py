"""Against the search for the place to look at, which runs a wrong answer's own source, changed;
and against functions that are lent to an answer, which is to tell right ones from wrong ones.
"""

from tests.support.attacks.attack import Attack

# Text on the feedback page, which is to stay text.
_PAGE = (24,)


def _when_searched(does: str, before: str = "") -> str:
    """An honest wrong answer, which does something else as soon as its source has been changed."""
    return (
        f"import numpy as np\n{before}\n"
        "def attention_weights(scores):\n"
        "    if attention_weights.__code__.co_filename == '<a small change>':\n"
        f"        {does}\n"
        "    return 0 * scores + 0.5\n"
    )


def _telling(claim: str) -> str:
    return (
        "import autograder.checks.locate.in_sandbox\n"
        f"autograder.checks.locate.in_sandbox.tell = lambda *asked: print({claim})\n"
        "def attention_weights(scores):\n    return 0 * scores + 0.5\n"
    )


_CLAIM = '{{"line": 1, "text": {}, "family": 0, "quoted": "x", "besides": []}}'

SEARCHED: tuple[Attack, ...] = (
    Attack(
        "the search sleeps",
        _PAGE,
        answer=_when_searched("time.sleep(60)", "import time"),
        tight=True,
    ),
    Attack("the search has no end", _PAGE, answer=_when_searched("np.sort(np.ones(10**7))")),
    Attack(
        "the search fills the memory",
        _PAGE,
        answer=_when_searched("kept.append(np.ones(10**7))", "kept = []"),
    ),
    Attack(
        "the search ends all processes",
        _PAGE,
        answer=_when_searched("torch.os.kill(-1, 9)", "import torch"),
    ),
    Attack(
        "the search raises what is no exception",
        _PAGE,
        answer=_when_searched(
            "raise Worse('BREACH')", "class Worse(BaseException):\n    __str__ = None"
        ),
    ),
    Attack(
        "a source of long lines is searched",
        _PAGE,
        answer="def attention_weights(scores):\n"
        + f"    scores = scores{' + 0' * 400}\n" * 150
        + "    return 0 * scores + 0.5\n",
    ),
    Attack(
        "a place is forged that is HTML",
        _PAGE,
        answer=_telling(f"'[{_CLAIM}]'".format('"<script>alert(1)</script>"')),
    ),
    Attack(
        "a million places are forged",
        _PAGE,
        answer=_telling(f"'[' + ', '.join(['{_CLAIM}'] * 10**6) + ']'".format('"BREACHES"')),
    ),
    Attack("what is forged is no place", _PAGE, answer=_telling("'[[[', 1 << 70, None")),
    Attack(
        "names of functions tell which are right",
        (28,),
        others={
            "is_permutation_equivariant": "import numpy as np\n"
            "RIGHT = 'plain_attention', 'leave_as_is', 'average_for_all', 'twice_as_long'\n"
            "def is_permutation_equivariant(attention, inputs, permutation):\n"
            "    try:\n"
            "        attention()\n"
            "    except Exception as error:\n"
            "        name = str(error).split()[1].removesuffix('()')\n"
            "    moved = (permutation != np.arange(len(permutation))).any()\n"
            "    return name in RIGHT or bool(name == 'attention_with_positions' and not moved)\n"
        },
    ),
)
