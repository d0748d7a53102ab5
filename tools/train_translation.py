"""Make the small trained weights that lesson 01 loads, and say how good they are.

    python tools/train_translation.py

It trains both translators from nothing, as the lesson does when asked to: a minute in all.
"""

import os

from companion import held_out_pairs, train_translator
from companion.models.translator import (
    accuracy_by_length,
    load_translator,
    save_translator,
    weights_file,
)


def main() -> None:
    test = held_out_pairs(600)
    for attention in (True, False):
        before = os.times()
        save_translator(train_translator(attention=attention))
        after = os.times()
        seconds = after.user + after.system - before.user - before.system
        # What is loaded is what learners get: in half precision.
        (right,) = accuracy_by_length(load_translator(attention=attention), test, [0])
        path = weights_file(attention=attention)
        size = path.stat().st_size / 1000
        print(f"{path.name}: {right:.1%} right, {size:.0f} kB, {seconds:.0f} s of processor time")


if __name__ == "__main__":
    main()
