"""What a function that trains language models is tried with: models and losses that take notes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

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
        parameters changed and by which gradients. If there are enough draws, also the places at
        which pieces began; if steps are many and large, also whether the loss fell.
    """
    windows = [tuple(piece) for piece in text.unfold(0, context_length, 1).tolist()]
    notes = _Notes(_Table() if model == "table" else _seeded(_TINY, 0))
    with one_thread(), _noting_optimizers() as used:
        losses = train(
            notes.model, notes.loss, text, steps, batch_size, context_length, learning_rate
        )
    notes.note_parameters()
    begun = [
        [windows.index(one) if one in windows else None for one in step] for step in notes.given
    ]
    found: dict[str, object] = {
        "returned": _described(losses),
        "the losses are those of the steps": _alike(losses, notes.losses),
        "calls of the model": len(notes.given),
        "shapes of its inputs": sorted(set(notes.shapes)),
        "pieces are parts of the text": all(place is not None for step in begun for place in step),
        "the loss is given the same ids": notes.same_ids,
        "the model is in training mode": all(notes.modes),
        "gradients are cleared before each step": notes.cleared,
        "gradients are those of the present parameters": notes.present,
        "the parameters change in every step": notes.changes_in_every_step,
        "parameters that never change": notes.unchanged,
        "no parameter moves too far": notes.farthest <= _FARTHEST * learning_rate * steps,
        "one optimiser for all steps": len({id(one) for one in used}) < max(2, steps),
    }
    if steps > 1 and len(windows) > 1:
        found["pieces are drawn anew"] = any(step != begun[0] for step in begun)
    if steps > 1 and len(windows) > 1 and batch_size > 1:
        found["pieces of a step differ"] = any(len(set(step)) > 1 for step in begun)
    if steps * batch_size >= _DRAWS * len(windows):
        places = {place for step in begun for place in step if place is not None}
        found["places at which pieces begin"] = sorted(places)
    if steps * learning_rate >= 1:
        found["the loss"] = notes.tendency
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
    model = _seeded(_SMALL, seed)
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        train(model, LIBRARY.next_token_loss, text, steps, 16, prompts.shape[1], learning_rate)
        with torch.no_grad():
            logits: Tensor = model.eval()(prompts)[:, -1]
    return logits


class _Table(nn.Module):
    """The logits of each next token, by the last token alone."""

    def __init__(self) -> None:
        super().__init__()
        self.logits = nn.Embedding(_VOCABULARY, _VOCABULARY)
        nn.init.zeros_(self.logits.weight)

    def forward(self, ids: Tensor) -> Tensor:
        logits: Tensor = self.logits(ids)
        return logits


class _Notes:
    """What becomes of a model while it is trained."""

    def __init__(self, inner: nn.Module) -> None:
        self.model = _Watched(inner, self.note_call)
        self.given: list[list[tuple[int, ...]]] = []
        self.shapes: list[tuple[int, ...]] = []
        self.modes: list[bool] = []
        self.losses: list[float] = []
        self.same_ids = self.cleared = self.present = True
        self._parameters: list[list[Tensor]] = []
        for index, parameter in enumerate(self.model.parameters()):
            self._watch(index, parameter)

    def note_call(self, ids: Tensor, training: bool) -> None:
        self.note_parameters()
        self.given.append([tuple(piece) for piece in ids.reshape(-1, ids.shape[-1]).tolist()])
        self.shapes.append(tuple(ids.shape))
        self.modes.append(training)

    def note_parameters(self) -> None:
        self._parameters.append([one.detach().clone() for one in self.model.parameters()])

    def loss(self, logits: Tensor, ids: Tensor) -> Tensor:
        """The loss of the next tokens, which is noted."""
        loss: Tensor = LIBRARY.next_token_loss(logits, ids)
        self.losses.append(loss.item())
        given = [tuple(piece) for piece in ids.reshape(-1, ids.shape[-1]).tolist()]
        self.same_ids &= bool(self.given) and given == self.given[-1]
        return loss

    def _watch(self, index: int, parameter: nn.Parameter) -> None:
        arrived: list[Tensor] = []

        def arrives(gradient: Tensor) -> None:
            arrived[:] = [gradient.clone()]
            self.present &= torch.equal(parameter.detach(), self._parameters[-1][index])

        def is_added(parameter: Tensor) -> None:
            gradient = parameter.grad
            self.cleared &= gradient is not None and torch.equal(gradient, arrived[0])

        parameter.register_hook(arrives)  # type: ignore[no-untyped-call]
        parameter.register_post_accumulate_grad_hook(is_added)  # type: ignore[no-untyped-call]

    @property
    def changes_in_every_step(self) -> bool:
        """Whether parameters do; in the first and the last the learning rate may be 0."""
        steps = zip(self._parameters[1:-2], self._parameters[2:-1], strict=True)
        return all(not all(map(torch.equal, old, new)) for old, new in steps)

    @property
    def tendency(self) -> str:
        """What becomes of the loss, in words."""
        if not self.losses:
            return "is never computed"
        change = self.losses[-1] / self.losses[0]
        return "falls" if change < _FALL else "rises" if change > 1 / _FALL else "hardly changes"

    @property
    def unchanged(self) -> list[str]:
        """The names of parameters that are what they were."""
        names = [name.removeprefix("inner.") for name, _ in self.model.named_parameters()]
        kept = map(torch.equal, self._parameters[0], self._parameters[-1])
        return [name for name, is_kept in zip(names, kept, strict=True) if is_kept]

    @property
    def farthest(self) -> float:
        """How far the parameter has moved that has moved the farthest."""
        pairs = zip(self._parameters[0], self._parameters[-1], strict=True)
        return max((new - old).abs().max().item() for old, new in pairs)


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


@contextmanager
def _noting_optimizers() -> Iterator[list[object]]:
    """The optimisers that take steps, each as often as it does."""
    used: list[object] = []

    def note(optimizer: object, *_: object) -> None:
        used.append(optimizer)

    handle = register_optimizer_step_pre_hook(note)
    try:
        yield used
    finally:
        handle.remove()


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
