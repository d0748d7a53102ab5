"""The folder of a site: never one of somebody else's, and always a whole site."""

from pathlib import Path

from autograder import whole_folder
from autograder.site.errors import SiteError

# By this file a folder is known to be a site that was made here.
_MARK = ".made-by-autograder-site"


def refuse_others(folder: Path) -> None:
    """Refuse a folder in which something lies that a new site would take the place of.

    Raises:
        SiteError: for anything but an empty folder or a site that was made here.
    """
    if not whole_folder.may_replace(folder, _MARK):
        raise SiteError(
            f"{folder} is not a site that was made here, and would be overwritten: choose another "
            "folder, or move it away"
        )


def take_place(made: Path, folder: Path, before: Path) -> None:
    """Put a new site where an old one may be.

    Args:
        made: the new one.
        folder: where it belongs.
        before: where the old one goes.
    """
    (made / _MARK).touch()
    # GitHub Pages would leave out the folders whose names begin with _.
    (made / ".nojekyll").touch()
    whole_folder.take_place(made, folder, before)
