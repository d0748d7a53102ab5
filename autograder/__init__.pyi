"""What the engine offers to courses, and where each of it is."""

from .checks.check import check as check
from .checks.described import described as described
from .checks.drivers.run_module import (
    ModuleMismatch as ModuleMismatch,
)
from .checks.drivers.run_module import (
    run_module as run_module,
)
from .checks.exam.draw import Draw as Draw
from .checks.exam.exam import Exam as Exam
from .checks.gathering import gather as gather
from .checks.hidden import hidden_check as hidden_check
from .checks.values.compare import Tolerance as Tolerance
from .checks.values.outcome import driven as driven
from .checks.yours import yours as yours
from .learner.mark import mark as mark
from .learner.status import status as status
from .nbgrading.fail_closed import configure as configure
