"""How the engine itself asks every function of tensors, and every module, beside the cases that an
exam declares.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from autograder.checks.drivers import (
    again,
    back_propagation,
    in_order,
    layouts,
    modes,
    second_call,
)
from autograder.checks.drivers.run_module import run_module
from autograder.checks.values.outcome import Outcome


@dataclass(frozen=True)
class Way:
    """One of them.

    `words` stand behind the label of the case that is called so, and `about` is the aspect by which
    an exam leaves it out. `driver` makes the driver of the names of the arguments; one that works
    `around` the exam's own driver is called with it first. It is at work
    `here` even where the answer is in another process, also on a `printed` example, and also
    `with_functions` among the arguments if learners can import these. Whatever is wrong there is of
    that aspect alone if it `costs_no_more`. It is asked where the exam's own driver is the one `of`
    which it is a kind, and if it `changes_nothing` only where the reference does as in the case. Of
    calls that are alike, the one that it `prefers` most is made so.
    """

    words: str
    about: str
    driver: Callable[[Sequence[str]], Callable[..., object]]
    is_for: Callable[[Collection[object]], bool]
    tells: Callable[[object], bool]
    hint: Callable[[object, Outcome], str]
    here: bool = False
    with_functions: bool = False
    printed: bool = True
    costs_no_more: bool = False
    of: Callable[..., object] | None = None
    around: bool = False
    changes_nothing: bool = False
    prefers: Callable[[Collection[object]], int] = lambda _: 0


def _has_numbers(given: Collection[object]) -> bool:
    return any(map(back_propagation.is_floating, given))


def _has_axes(given: Collection[object]) -> bool:
    return any(map(layouts.has_axes, given))


_NO_GRADIENTS = Way(
    modes.NO_GRADIENTS,
    "no_grad",
    lambda _: modes.without_gradients,
    _has_numbers,
    layouts.is_finite,
    modes.what_hangs_on_gradients,
    here=True,
    with_functions=True,
    printed=False,
    costs_no_more=True,
)
_AFTER_OTHERS = Way(
    second_call.WORDS,
    "calls",
    lambda _: second_call.after_others,
    second_call.is_called_once,
    lambda _: True,
    second_call.what_is_kept,
    here=True,
    costs_no_more=True,
    of=run_module,
    prefers=second_call.how_much_could_be_kept,
)
WAYS: Mapping[str, Way] = {
    "gradients": Way(
        back_propagation.WORDS,
        "gradients",
        lambda names: partial(back_propagation.with_gradients, tuple(names)),
        _has_numbers,
        back_propagation.come_back,
        lambda expected, found: back_propagation.what_is_cut_off(
            cast("Mapping[str, Any]", expected), found.value
        ),
        here=True,
        with_functions=True,
    ),
    "transposed": Way(
        layouts.TRANSPOSED,
        "layout",
        lambda _: layouts.transposed,
        _has_axes,
        layouts.is_told_apart,
        layouts.what_stops,
        with_functions=True,
        costs_no_more=True,
    ),
    "expanded": Way(
        layouts.EXPANDED,
        "layout",
        lambda _: layouts.expanded,
        _has_axes,
        layouts.is_told_apart,
        layouts.what_stops,
        printed=False,
        with_functions=True,
        costs_no_more=True,
    ),
    "module transposed": Way(
        layouts.TRANSPOSED,
        "layout",
        lambda _: layouts.module_with_transposed,
        lambda given: _has_axes(given) and second_call.is_called_once(given),
        lambda _: True,
        layouts.what_stops,
        printed=False,
        costs_no_more=True,
        of=run_module,
    ),
    "in order": Way(
        in_order.WORDS,
        "order",
        lambda _: in_order.made_in_order,
        in_order.has_an_order,
        lambda _: True,
        in_order.what_is_exchanged,
        printed=False,
        costs_no_more=True,
        of=run_module,
        changes_nothing=True,
        prefers=in_order.how_many_settings,
    ),
    "after others": _AFTER_OTHERS,
    # What a dropout does hangs on all that was drawn before: here is none, or next to none.
    "after others in training": replace(
        _AFTER_OTHERS,
        words=second_call.IN_TRAINING,
        is_for=partial(second_call.is_called_once, in_training=True),
        printed=False,
        changes_nothing=True,
    ),
    "other mode": Way(
        modes.OTHER_MODE,
        "mode",
        lambda _: modes.in_the_other_mode,
        modes.is_one_call,
        lambda _: True,
        modes.what_hangs_on_the_mode,
        here=True,
        printed=False,
        costs_no_more=True,
        of=run_module,
        changes_nothing=True,
    ),
    "again": Way(
        again.WORDS,
        "calls",
        lambda _: again.called_again,
        again.can_be_repeated,
        lambda _: True,
        again.what_is_left,
        with_functions=True,
        costs_no_more=True,
        changes_nothing=True,
    ),
    "settings": Way(
        again.AFTERWARDS,
        "calls",
        lambda _: again.settings_kept,
        lambda _: True,
        lambda _: True,
        again.what_is_set,
        here=True,
        printed=False,
        costs_no_more=True,
        around=True,
    ),
    "no gradients": _NO_GRADIENTS,
    "module without gradients": replace(
        _NO_GRADIENTS,
        driver=lambda _: modes.module_without_gradients,
        is_for=second_call.is_called_once,
        tells=lambda _: True,
        with_functions=False,
        of=run_module,
    ),
}
