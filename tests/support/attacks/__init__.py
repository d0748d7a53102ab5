"""The corpus: submissions that cheat, spy, break or flood, by people who have read our source.

The attacked exercise is lesson 02's `attention_weights`, answered wrongly, or, where an attack
gives `tests`, the exercise `double` of an ordinary notebook with these tests. Numbers are those of
the classes in `docs/security_appendix.md`.

SEARCHED are about what stock nbgrader has not, the search for the place to look at and functions
that are lent: these are not in the table there.

In the code, words such as @COURSE@ stand for what an attacker would have found out: where the
course, the user's home and this repository are, and where somebody listens. Code that gets what it
must not get prints BREACH, or what it found; `test_attacks` looks for both.
"""

from tests.support.attacks.attack import LESSON, WRONG, WRONG_DOUBLE, Attack
from tests.support.attacks.ends import ENDS
from tests.support.attacks.folders import FOLDERS
from tests.support.attacks.in_process import IN_PROCESS
from tests.support.attacks.liars import LIARS
from tests.support.attacks.notebooks import NOTEBOOKS
from tests.support.attacks.ordinary import ORDINARY
from tests.support.attacks.outside import OUTSIDE
from tests.support.attacks.protocol import PROTOCOL
from tests.support.attacks.searched import SEARCHED
from tests.support.attacks.spies import SPIES
from tests.support.attacks.wasted import WASTED

__all__ = ["ATTACKS", "LESSON", "ORDINARY", "SEARCHED", "WRONG", "WRONG_DOUBLE", "Attack"]

ATTACKS: tuple[Attack, ...] = (
    *IN_PROCESS, *LIARS, *SPIES, *PROTOCOL, *ENDS, *OUTSIDE, *NOTEBOOKS, *FOLDERS, *ORDINARY,
    *WASTED,
)  # fmt: skip
