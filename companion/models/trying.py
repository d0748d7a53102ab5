"""Your own attention, put into the trained translator."""

from collections.abc import Callable

import torch
from torch import nn

from companion.models.translator import WIDTH, Translation, Translator, load_translator


def translate_with(attention_class: Callable[..., nn.Module], sentence: str) -> Translation | None:
    """Translate with the shipped translator, but with your attention in the place of its own.

    Args:
        attention_class: a class like `AdditiveAttention(query_dim, key_dim, hidden_dim)`, with the
            parameters `W_query`, `W_key` and `v`; it is given the trained weights.
        sentence: in German.

    Returns:
        The translation; None, and a line that says why, where the class does not work yet.
    """
    translator = load_translator(attention=True)
    try:
        with torch.no_grad():
            own = attention_class(WIDTH, 2 * WIDTH, WIDTH)
            _hand_over(translator, own)
            translator.look_through(lambda *seen: own(*seen))
            return translator.translate(sentence)
    except NotImplementedError:
        print("Your attention is not implemented yet.")
    except Exception as error:
        print(f"Your attention stopped with a {type(error).__name__}: {error}")
    return None


def _hand_over(translator: Translator, own: nn.Module) -> None:
    """Load the translator's weights, whether into an nn.Linear or into an nn.Parameter."""
    trained = {
        "W_query": translator.from_state.weight,
        "W_key": translator.from_annotation.weight,
        "v": translator.rating.weight,
    }
    state = own.state_dict()
    for name, weight in trained.items():
        if name in state:
            state[name] = weight.T.reshape(state[name].shape)
        else:
            state[f"{name}.weight"] = weight
    own.load_state_dict(state)
