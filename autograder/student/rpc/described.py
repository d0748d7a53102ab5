"""A function's signature and docstring as plain values, and made again of them."""

import inspect
from typing import Any

from autograder.errors import ReplyNotUnderstood
from autograder.student.rpc.stand_in import Description

_KINDS = tuple(inspect._ParameterKind)
_PLAIN = {
    kind.__name__: kind for kind in (int, float, complex, str, bytes, bool, list, tuple, dict, set)
}


def describe(function: Any) -> tuple[object, ...]:
    """What a function says of itself, to be sent; in the student's process."""
    doc = getattr(function, "__doc__", None)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return (doc, (), None)
    parameters = tuple(
        (
            one.name,
            _KINDS.index(one.kind),
            () if one.default is one.empty else (one.default,),
            _sent(one.annotation),
        )
        for one in signature.parameters.values()
    )
    return (doc, parameters, _sent(signature.return_annotation))


def description_of(found: object) -> Description:
    """What was sent, made again.

    Raises:
        ReplyNotUnderstood: when it is no description.
    """
    match found:
        case (doc, tuple(parameters), returned):
            try:
                made = [_parameter(*one) for one in parameters]
                signature = inspect.Signature(made, return_annotation=_received(returned))
            except (TypeError, ValueError, IndexError) as error:
                raise ReplyNotUnderstood("a signature that is none") from error
        case _:
            raise ReplyNotUnderstood("a function did not say what it is")
    annotations = {one.name: one.annotation for one in made if one.annotation is not one.empty}
    if signature.return_annotation is not signature.empty:
        annotations["return"] = signature.return_annotation
    return Description(doc if type(doc) is str else None, signature, annotations)


def _parameter(name: str, kind: int, default: tuple[object, ...], annotation: object) -> Any:
    given = default[0] if default else inspect.Parameter.empty
    hint = _received(annotation)
    return inspect.Parameter(name, _KINDS[kind], default=given, annotation=hint)


def _sent(annotation: object) -> object:
    if annotation is inspect.Parameter.empty:
        return None
    name = getattr(annotation, "__name__", "")
    if _PLAIN.get(name) is annotation:
        return ("type", name)
    return ("text", annotation if isinstance(annotation, str) else repr(annotation))


def _received(annotation: object) -> object:
    match annotation:
        case ("type", str(name)) if name in _PLAIN:
            return _PLAIN[name]
        case ("text", str(text)):
            return text
    return inspect.Parameter.empty
