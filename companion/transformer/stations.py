"""What lesson 05's reader has at each step on the way from a text to the next word."""

import torch

from companion.numbers import number_text
from companion.reader.model import Reader

Station = list[tuple[str, str]]
_LAST, _BEST, _FEATURES = 6, 5, 5


@torch.no_grad()
def stations_of(reader: Reader, text: str) -> dict[str, Station]:
    """The numbers of a trained model while it reads a text; of several vectors, the last token's.

    Args:
        reader: the model, from `load_reader`.
        text: the text that it reads.

    Returns:
        The name of each step and what is there, for `next_word_line`.
    """
    reading = reader.read(text)
    numbers = reader.pieces.encode(text)
    cut = max(len(numbers) - _LAST, 0)
    names = [f"“{name}”" for name in reading.pieces]
    stations: dict[str, Station] = {
        "1  text": [(text if len(text) < 60 else "…" + text[-58:], "")],
        "2  tokens and their ids": [
            *([("…", "")] if cut else []),
            *((name, str(number)) for name, number in zip(names[cut:], numbers[cut:], strict=True)),
        ],
        "3  vector of the last token": _some(reader.tokens.weight[numbers[-1]]),
    }
    for layer, weights in enumerate(reading.weights[:, :, -1].mean(dim=1), start=1):
        best = weights.topk(min(4, len(numbers)))
        stations[f"{3 + layer}  attention layer {layer} reads"] = [
            (names[place], f"{share:.0%}")
            for place, share in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]
    stream = torch.empty(0)

    def keep(_: object, inputs: tuple[torch.Tensor, ...]) -> None:
        nonlocal stream
        stream = inputs[0][0, -1]

    hook = reader.last_norm.register_forward_pre_hook(keep)
    try:
        logits = reader(torch.tensor([numbers]))[0][0, -1]
    finally:
        hook.remove()
    after = 4 + len(reading.weights)
    stations[f"{after}  vector after the blocks"] = _some(stream)
    stations[f"{after + 1}  normalised"] = _some(reader.last_norm(stream))
    best = logits.topk(_BEST)
    likely = [f"“{reader.pieces.pieces[number]}”" for number in best.indices.tolist()]
    shares = logits.softmax(dim=-1)[best.indices].tolist()
    stations[f"{after + 2}  highest logits"] = [
        (name, f"{logit:.2f}") for name, logit in zip(likely, best.values.tolist(), strict=True)
    ]
    stations[f"{after + 3}  probabilities"] = [
        (name, f"{share:.1%}") for name, share in zip(likely, shares, strict=True)
    ]
    stations[f"{after + 4}  next token"] = [(likely[0], "")]
    return stations


def _some(vector: torch.Tensor) -> Station:
    """The first features of a vector, and how many there are."""
    first = [(number_text(number, 2), "") for number in vector[:_FEATURES].tolist()]
    return [*first, ("…", f"{len(vector)} features")]
