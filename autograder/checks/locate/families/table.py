"""All families of small changes, in the order in which they are tried.

The nearest come first: what is more often the mistake, and smaller. Of these, what offers many
changes comes after what offers few, so that there is time for both.
"""

from autograder.checks.locate.families import arithmetic, axes, names, statements, steps
from autograder.checks.locate.families.change import Family, StatementFamily

NEARER: tuple[Family | StatementFamily, ...] = (
    *axes.FAMILIES,
    *arithmetic.FAMILIES,
    *names.FAMILIES,
    *names.NAMES,
    *axes.LETTERS,
    *arithmetic.NUMBERS,
    *steps.REMOVED,
    *steps.KEYWORDS,
    *statements.FAMILIES,
)
# What is left out may be what another mistake is made in, and so may what is multiplied by 0; and
# what is divided by its sum has lost any factor. Such a change hides the mistake.
TAKING_AWAY: tuple[Family | StatementFamily, ...] = (
    *arithmetic.LEFT_OUT,
    *arithmetic.NUMBERS,
    *steps.REMOVED,
    *steps.NORMALIZED,
    *statements.FAMILIES,
)
FAMILIES = (
    *NEARER,
    *steps.UNUSED,
    *arithmetic.RARER,
    *axes.RARER,
    *names.RARER,
    *statements.RARER,
    *steps.ADDED,
)
