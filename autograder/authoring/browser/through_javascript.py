"""`checks.json` in a form that comes through JavaScript as it was.

JupyterLite reads every file of JSON and writes it again before Python sees it. JavaScript has one
kind of number, so that 2.0 would come as 2, which is another argument.
"""

import json
from typing import Any

# Their entries come back in the dtype that stands beside them.
_WITH_DTYPE = ("array", "tensor")
_ARGUMENTS = "arguments"


def kept_whole(text: str) -> str:
    """The text of `checks.json`, with each argument 2.0 written as {"number": "2.0"}."""
    return json.dumps(_outside(json.loads(text)), ensure_ascii=False, separators=(",", ":"))


def _outside(value: Any) -> Any:
    """What is around the arguments, which has no numbers whose kind matters."""
    if isinstance(value, list):
        return [_outside(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _argument(one) if name == _ARGUMENTS else _outside(one) for name, one in value.items()
    }


def _argument(value: Any) -> Any:
    if isinstance(value, float):
        return {"number": str(value)} if value.is_integer() else value
    if isinstance(value, list):
        return [_argument(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: one if name in _WITH_DTYPE else _argument(one) for name, one in value.items()}
