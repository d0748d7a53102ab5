"""What a function that trains language models is tried with: models and losses that take notes."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from companion.beside import made_beside
from companion.gpt.model import LibraryGPT
from companion.gpt.parts import LIBRARY
from companion.threads import one_thread

_VOCABULARY = 20
# Of the GPTs: vocabulary, d_model, num_heads, num_kv_heads, d_hidden, num_blocks.
_Sizes = tuple[int, int, int, int, int, int]
_TINY: _Sizes = (_VOCABULARY, 8, 2, 1, 16, 1)
_SMALL: _Sizes = (512, 64, 4, 2, 128, 1)
# How many times its learning rate may an optimiser move a parameter in a step? Adam 3 times at
# most, RMSprop 10 times; whoever takes a larger learning rate, hundreds of times.
_FARTHEST = 20
# With so many draws for each place, none is left out but once in a million trainings.
_DRAWS = 16
# Of so many places, as many draws are never all equally far apart, but once in a billion trainings.
_PLACES = 4
# In the first and the last step the learning rate may be 0.
_RESTING = 2
# Less than this part of the loss is left after many steps.
_FALL = 0.8

Train = Callable[..., object]


def try_training(
    train: Train,
    model: str,
    text: Tensor,
    steps: int,
    batch_size: int,
    context_length: int,
    learning_rate: float,
    real_text: bool = False,
) -> dict[str, object]:
    """Train a small language model in its training mode, and note what it was trained on and how.

    Args:
        train: the function to try, called with a model, a loss function and the last five.
        model: "table" for a table with the logits of the token after each token, all 0 at first,
            or "gpt" for a GPT with one block.
        text: ids below 20, no two pieces of it alike, `(tokens,)`.
        steps: how often the parameters are to change.
        batch_size: how many pieces each step takes.
        context_length: how many tokens a piece has.
        learning_rate: the largest one.
        real_text: whether a real text is to be learned as well. That is not done here, since what
            was learned is judged where no answer can reach it.

    Returns:
        What is the same for all right answers, whatever they draw and whichever optimiser they use:
        what is returned and whether these are the losses, what the model was called with, which
        parameters changed, if there are more than two steps, and by which gradients. If there are
        enough draws, also the places at which pieces began, and whether these are in a row; if
        steps are many and large, also whether the loss fell.
    """
    num_places = len(text) - context_length + 1
    notes = made_beside(train, Notes, model)
    notes.begin()
    try:
        losses = train(
            notes.model, notes.loss, text, steps, batch_size, context_length, learning_rate
        )
    finally:
        notes.end()
    # In another process, each look at the notes is a message.
    parameters, noted, given = notes.parameters, notes.losses, notes.given
    fewest = notes.fewest_steps
    begun = [[_place(one, text.tolist()) for one in step] for step in given]
    never = _unchanged(notes.names, parameters)
    found: dict[str, object] = {
        "returned": _described(losses),
        "the losses are those of the steps": _alike(losses, noted),
        "they are those of the next tokens": _alike(noted, _recomputed(model, parameters, given)),
        "calls of the model": len(given),
        "shapes of its inputs": sorted(set(notes.shapes)),
        "pieces are parts of the text": all(place is not None for step in begun for place in step),
        "the loss is given the same ids": notes.same_ids,
        "the model is in training mode": all(notes.modes),
        "gradients are cleared before each step": notes.cleared,
        "gradients are those of the present parameters": notes.present,
        "the parameters change after each call of the model": _change_in_every_step(parameters),
        **({"parameters that never change": never} if steps > _RESTING else {}),
        "no parameter moves too far": (_farthest(parameters) <= _FARTHEST * learning_rate * steps),
        "one optimiser for all steps": fewest is None or fewest >= min(2, steps),
    }
    if steps > 1 and num_places > 1:
        found["pieces change from step to step"] = any(step != begun[0] for step in begun)
    if steps > 1 and num_places > 1 and batch_size > 1:
        found["pieces of a step differ"] = any(len(set(step)) > 1 for step in begun)
    if steps * batch_size >= _DRAWS * num_places:
        places = {place for step in begun for place in step if place is not None}
        found["places at which pieces begin"] = sorted(places)
    if steps * (batch_size - 1) >= _DRAWS and num_places >= _PLACES:
        found["where a piece begins tells where the next one does"] = _in_a_row(begun, num_places)
    if steps * learning_rate >= 1:
        found["the loss"] = _tendency(noted)
    return found


def logits_after_training(
    train: Train, text: Tensor, prompts: Tensor, steps: int, learning_rate: float, seed: int
) -> Tensor:
    """Train a small GPT on a text, and ask it what comes next in others.

    Args:
        train: the function to try.
        text: ids below 512, `(tokens,)`.
        prompts: the beginnings of texts, `(prompts, tokens)`; pieces of the text are as long.
        steps: how often the parameters are to change.
        learning_rate: the largest one.
        seed: of the parameters, and of what is drawn without a generator.

    Returns:
        The logits of the token after each prompt, `(prompts, 512)`.
    """
    model, loss = made_beside(train, small_gpt, seed), made_beside(train, loss_of_tokens)
    numbers = made_beside(train, Numbers, seed)
    numbers.begin()
    try:
        train(model, loss, text, steps, 16, prompts.shape[1], learning_rate)
        learned = dict(model.state_dict())
    finally:
        numbers.end()
    # Its parameters are what it has learned: what it says by itself may come from elsewhere.
    judged = small_gpt(seed).eval()
    judged.load_state_dict(learned)
    with torch.no_grad():
        logits: Tensor = judged(prompts)[:, -1]
    return logits


def small_gpt(seed: int) -> nn.Module:
    """The same GPT each time, large enough to learn a text."""
    return _seeded(_SMALL, seed)


def loss_of_tokens() -> Callable[[Tensor, Tensor], Tensor]:
    """The loss of a model that predicts each next token."""
    return LIBRARY.next_token_loss


class Numbers:
    """From its beginning to its end, random numbers from a seed, computed on one thread."""

    def __init__(self, seed: int) -> None:
        self._seed, self._stack = seed, ExitStack()

    def begin(self) -> None:
        """Draw from the seed from now on."""
        self._stack.enter_context(one_thread())
        self._stack.enter_context(torch.random.fork_rng(devices=[]))
        torch.manual_seed(self._seed)

    def end(self) -> None:
        """Draw on as before."""
        self._stack.close()


class _Table(nn.Module):
    """The logits of each next token, by the last token alone."""

    def __init__(self) -> None:
        super().__init__()
        self.logits = nn.Embedding(_VOCABULARY, _VOCABULARY)
        nn.init.zeros_(self.logits.weight)

    def forward(self, ids: Tensor) -> Tensor:
        logits: Tensor = self.logits(ids)
        return logits


class Notes:
    """What becomes of a model while it is trained, noted in the process in which it is trained.

    Args:
        model: "table" or "gpt".
    """

    def __init__(self, model: str) -> None:
        self.model = _Watched(_inner(model), self._note_call)
        self.names = [name.removeprefix("inner.") for name, _ in self.model.named_parameters()]
        self.given: list[list[tuple[int, ...]]] = []
        self.shapes: list[tuple[int, ...]] = []
        self.modes: list[bool] = []
        self.losses: list[float] = []
        self.parameters: list[list[Tensor]] = []
        self.same_ids = self.cleared = self.present = True
        self._used: list[object] = []
        self._stack = ExitStack()
        for index, parameter in enumerate(self.model.parameters()):
            self._watch(index, parameter)

    def begin(self) -> None:
        """Note which optimisers take steps."""
        handle = register_optimizer_step_pre_hook(lambda used, *_: self._used.append(used))
        self._stack.callback(handle.remove)
        self._stack.enter_context(one_thread())

    def end(self) -> None:
        """Note what the parameters are in the end."""
        self._stack.close()
        self._note_parameters()

    @property
    def fewest_steps(self) -> int | None:
        """How many steps that optimiser took that took the fewest; None if there was none."""
        return min(Counter(map(id, self._used)).values(), default=None)

    def loss(self, logits: Tensor, ids: Tensor) -> Tensor:
        """The loss of the next tokens, which is noted."""
        loss: Tensor = LIBRARY.next_token_loss(logits, ids)
        self.losses.append(loss.item())
        given = [tuple(piece) for piece in ids.reshape(-1, ids.shape[-1]).tolist()]
        self.same_ids &= bool(self.given) and given == self.given[-1]
        return loss

    def _note_call(self, ids: Tensor, training: bool) -> None:
        self._note_parameters()
        self.given.append([tuple(piece) for piece in ids.reshape(-1, ids.shape[-1]).tolist()])
        self.shapes.append(tuple(ids.shape))
        self.modes.append(training)

    def _note_parameters(self) -> None:
        self.parameters.append([one.detach().clone() for one in self.model.parameters()])

    def _watch(self, index: int, parameter: nn.Parameter) -> None:
        arrived: list[Tensor] = []
        at: list[Tensor] = []

        def arrives(gradient: Tensor) -> None:
            # What is added up before the parameter moves belongs to one step.
            of_this_step = bool(at) and torch.equal(parameter.detach(), at[0])
            arrived[1:] = [arrived[-1] + gradient] if of_this_step else []
            arrived[:1] = [gradient.clone()]
            at[:] = [parameter.detach().clone()]
            self.present &= torch.equal(at[0], self.parameters[-1][index])

        def is_added(parameter: Tensor) -> None:
            gradient = parameter.grad
            self.cleared &= gradient is not None and any(
                torch.equal(gradient, expected) for expected in arrived
            )

        parameter.register_hook(arrives)  # type: ignore[no-untyped-call]
        parameter.register_post_accumulate_grad_hook(is_added)  # type: ignore[no-untyped-call]


@torch.no_grad()
def _recomputed(
    model: str, noted: Sequence[Sequence[Tensor]], given: Sequence[Sequence[tuple[int, ...]]]
) -> list[float]:
    """The losses of the steps, by the parameters and the pieces that were noted."""
    inner, losses = _inner(model), []
    for parameters, pieces in zip(noted, given, strict=False):
        for mine, theirs in zip(inner.parameters(), parameters, strict=True):
            mine.copy_(theirs)
        ids = torch.tensor(pieces)
        losses.append(LIBRARY.next_token_loss(inner(ids), ids).item())
    return losses


def _inner(model: str) -> nn.Module:
    return _Table() if model == "table" else _seeded(_TINY, 0)


def _place(piece: tuple[int, ...], text: list[int]) -> int | None:
    """Where in a text a piece of any length begins; None if it is no part of it."""
    places = range(len(text) - len(piece) + 1)
    return next((n for n in places if text[n : n + len(piece)] == [*piece]), None)


def _in_a_row(begun: Sequence[Sequence[int | None]], num_places: int) -> bool:
    """Whether the pieces of a step begin equally far apart, and in all steps as far."""
    places = [[place for place in step if place is not None] for step in begun]
    return len({(b - a) % num_places for step in places for a, b in pairwise(step)}) == 1


def _change_in_every_step(noted: Sequence[Sequence[Tensor]]) -> bool:
    """Whether parameters do, but for the first step and the last."""
    steps = pairwise(noted[1:-1])
    return all(not all(map(torch.equal, old, new)) for old, new in steps)


def _unchanged(names: Sequence[str], noted: Sequence[Sequence[Tensor]]) -> list[str]:
    """The names of parameters that are what they were."""
    kept = map(torch.equal, noted[0], noted[-1])
    return [name for name, is_kept in zip(names, kept, strict=True) if is_kept]


def _farthest(noted: Sequence[Sequence[Tensor]]) -> float:
    """How far the parameter has moved that has moved the farthest."""
    pairs = zip(noted[0], noted[-1], strict=True)
    return max((new - old).abs().max().item() for old, new in pairs)


def _tendency(losses: Sequence[float]) -> str:
    """What becomes of the loss, in words."""
    if not losses:
        return "is never computed"
    change = losses[-1] / losses[0]
    return "falls" if change < _FALL else "rises" if change > 1 / _FALL else "hardly changes"


class _Watched(nn.Module):
    """Calls another model, and tells of it before."""

    tell: Callable[[Tensor, bool], None]

    def __init__(self, inner: nn.Module, tell: Callable[[Tensor, bool], None]) -> None:
        super().__init__()
        self.inner = inner
        # A function is not copied with the module, so that a copy tells the same notes.
        self.tell = lambda ids, training: tell(ids, training)

    def forward(self, ids: Tensor) -> Tensor:
        self.tell(ids, self.training)
        logits: Tensor = self.inner(ids)
        return logits


def _described(losses: object) -> str:
    """What was returned, in words."""
    if not isinstance(losses, list):
        return f"a {type(losses).__name__}"
    kinds = sorted({"float" if isinstance(one, float) else type(one).__name__ for one in losses})
    return f"a list of {len(losses)}, each of them a {' or a '.join(kinds) or 'float'}"


def _alike(losses: object, noted: Sequence[float]) -> bool:
    if not isinstance(losses, list) or len(losses) != len(noted):
        return False
    if not all(isinstance(one, int | float | Tensor) for one in losses):
        return False
    found = torch.tensor([float(one) for one in losses])
    return torch.allclose(found, torch.tensor(noted), rtol=1e-4)


def _seeded(sizes: _Sizes, seed: int) -> nn.Module:
    """The same GPT each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LibraryGPT(*sizes)
