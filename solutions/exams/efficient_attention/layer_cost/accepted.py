"""Right answers to `layer_cost` in other styles, lesson 08."""

import math
from collections.abc import Callable

from solutions.exams.efficient_attention.layer_cost.exam import Cost, cost, dilated, log


@cost.accepts
def cost_by_conditions(kind: str, n: int, d: int, k: int = 2) -> Cost:
    """One condition after the other."""
    if kind == "self-attention":
        return n**2 * d, 1, 1
    if kind == "recurrent":
        return n * d**2, n, n
    if kind == "convolution":
        return k * n * d**2, 1, math.ceil((n - 1) / (k - 1))
    if kind == "sparse transformer":
        return n * int(n**0.5 + 0.5) * d, 1, 2
    if kind == "reformer":
        return n * math.ceil(math.log2(n)) * d, math.ceil(math.log2(n)), None
    if kind == "linformer":
        return n * k * d, 1, 1
    if kind == "linear attention":
        return n * d**2, 1, 1
    raise ValueError(kind)


@cost.accepts
def cost_by_match(kind: str, n: int, d: int, k: int = 2) -> Cost:
    """A match; the convolutions are counted by how far each of them reaches."""
    match kind:
        case "self-attention":
            return n * n * d, 1, 1
        case "recurrent":
            return n * d * d, n, n
        case "convolution":
            reached = range(k - 1, n + k - 2, k - 1)
            return n * d * d * k, 1, len(reached)
        case "sparse transformer":
            return n * math.isqrt(n) * d, 1, 2
        case "reformer":
            halvings = dilated(n, 2)
            return n * halvings * d, halvings, None
        case "linformer":
            return n * k * d, 1, 1
        case "linear attention":
            return n * d * d, 1, 1
        case _:
            raise ValueError(f"no layer of this kind: {kind}")


@cost.accepts
def cost_by_three_tables(kind: str, n: int, d: int, k: int = 2) -> Cost:
    """A table for the work, and what is special for steps and paths."""
    work_of: dict[str, Callable[[], int]] = {
        "self-attention": lambda: n * n * d,
        "recurrent": lambda: n * d * d,
        "convolution": lambda: k * n * d * d,
        "sparse transformer": lambda: n * round(math.sqrt(n)) * d,
        "reformer": lambda: n * log(n) * d,
        "linformer": lambda: n * k * d,
        "linear attention": lambda: n * d * d,
    }
    if kind not in work_of:
        raise ValueError(f"{kind} is none of {', '.join(work_of)}")
    steps_of = {"recurrent": n, "reformer": log(n)}
    paths = {
        "recurrent": n,
        "convolution": (n + k - 3) // (k - 1),
        "sparse transformer": 2,
        "reformer": None,
    }
    return work_of[kind](), steps_of.get(kind, 1), paths.get(kind, 1)


@cost.accepts
def cost_by_a_caught_error(kind: str, n: int, d: int, k: int = 2) -> Cost:
    """The dictionary's own error, turned into another one, and an assert."""
    assert n >= 2, "a text of two tokens at least"
    costs: dict[str, Cost] = {
        "self-attention": (n * n * d, 1, 1),
        "recurrent": (n * d * d, n, n),
        "convolution": (n * k * d * d, 1, -((1 - n) // (k - 1))),
        "sparse transformer": (n * math.isqrt(n) * d, 1, 2),
        "reformer": (n * len(f"{n - 1:b}") * d, len(f"{n - 1:b}"), None),
        "linformer": (n * k * d, 1, 1),
        "linear attention": (n * d * d, 1, 1),
    }
    try:
        return costs[kind]
    except KeyError:
        raise ValueError(f"unknown: {kind!r}") from None
