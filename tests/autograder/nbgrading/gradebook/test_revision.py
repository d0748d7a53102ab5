from alembic.script import ScriptDirectory
from nbgrader.dbutil import ALEMBIC_DIR

from autograder.nbgrading.gradebook.revision import newest


def test_newest_revision_is_alembics() -> None:
    assert newest() == ScriptDirectory(ALEMBIC_DIR).get_current_head()
