"""Runs cells as a notebook does, where there may be next to nothing, and prints what they show.

The argument is JSON: the `cells`, and the `folder` that they run in. What is printed is JSON too:
each report in every form that a front end may ask for.
"""

import json
import linecache
import os
import sys
from collections.abc import Iterable

from autograder.checks.card.as_html import bundle, collect


def run(folder: str, cells: Iterable[str]) -> list[dict[str, object]]:
    """What the cells show, run one after the other."""
    os.chdir(folder)
    sys.path.append(folder)
    namespace: dict[str, object] = {"__name__": "__main__"}
    with collect() as reports:
        for number, text in enumerate(cells):
            # With its lines on record, as IPython has them.
            name = f"cell {number}"
            linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
            exec(compile(text, name, "exec"), namespace)
    return [bundle(report) for report in reports]


print(json.dumps(run(**json.loads(sys.argv[1]))))
