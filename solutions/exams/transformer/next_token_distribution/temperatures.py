"""What goes wrong in `next_token_distribution` where a temperature is kept away from 0."""

from collections.abc import Callable

from torch import Tensor

from solutions.exams.transformer.next_token_distribution.misconceptions import Choosing, declared


def _another_near_zero(name: str, changed: Callable[[float], float]) -> None:
    """Declare an answer that divides by something else than the temperature where it is tiny."""

    def tempered(_: Choosing, logits: Tensor, temperature: float) -> Tensor:
        return logits / changed(temperature)

    hint = (
        "Where the temperature is tiny, you divide by a larger number, as after adding 1e-8 or "
        "`max(temperature, 1e-5)`. It is never 0: divide by the temperature itself."
    )
    declared(type(name, (Choosing,), {"tempered": tempered, "__doc__": hint}))


_another_near_zero("LittleAdded", lambda temperature: temperature + 1e-8)
_another_near_zero("LittleMoreAdded", lambda temperature: temperature + 1e-6)
_another_near_zero("VeryLittleAdded", lambda temperature: temperature + 1e-9)
_another_near_zero("BoundedBelow", lambda temperature: max(temperature, 1e-5))
