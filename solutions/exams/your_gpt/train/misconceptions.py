"""What goes wrong in `train`."""

import copy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.optim import SGD, AdamW, Optimizer

from solutions.exams.your_gpt.train.variant import LossOf, Training, declared


@declared
class GradientsPileUp(Training):
    """Each step goes along the gradients of earlier steps as well, because they are added up. Call
    `optimizer.zero_grad()` in every step, before `backward()`.
    """

    def change(self, optimizer: Optimizer, loss: Tensor) -> None:
        torch.autograd.backward(loss)
        optimizer.step()


@declared
class NothingMoves(Training):
    """No parameter of the model ever changes: `optimizer.step()` is missing, or there are no
    gradients when it is called, or the learning rate is 0 then, or the optimizer was made with
    other parameters, such as those of a copy. `backward()` comes before `step()`, and `zero_grad()`
    not between the two.
    """

    def change(self, optimizer: Optimizer, loss: Tensor) -> None:
        optimizer.zero_grad()
        torch.autograd.backward(loss)


@declared
class GradientsOfZero(Training):
    """Your model learns nothing, because all gradients are 0 when `optimizer.step()` is called;
    what still changes is the weight decay of AdamW. Between `backward()` and `step()`, nothing may
    set the gradients to 0.
    """

    def change(self, optimizer: Optimizer, loss: Tensor) -> None:
        torch.autograd.backward(loss)
        optimizer.zero_grad(set_to_none=False)
        optimizer.step()


@declared
class StepBeforeBackward(Training):
    """Each step is taken along the gradients of the step before, or stopped by PyTorch because the
    parameters have changed since the loss was computed: `step()` comes after `backward()`.
    """

    def change(self, optimizer: Optimizer, loss: Tensor) -> None:
        optimizer.step()
        optimizer.zero_grad()
        torch.autograd.backward(loss)


@declared
class Uphill(Training):
    """The loss rises instead of falling: the parameters move along the gradients, not against them.
    Is there a minus sign too many, or `maximize=True`?
    """

    def optimizer(self, model: nn.Module, learning_rate: float) -> Optimizer:
        return AdamW(model.parameters(), lr=learning_rate, maximize=True)


@declared
class BySgd(Training):
    """All else is as it should be, but the loss hardly falls, as with plain SGD, too small a
    learning rate, or a large weight decay. An optimiser that gives each parameter a step of its own
    size, such as AdamW with the weight decay that it has by default, learns much faster.
    """

    def optimizer(self, model: nn.Module, learning_rate: float) -> Optimizer:
        return SGD(model.parameters(), lr=learning_rate)


@declared
class FreshOptimizer(Training):
    """The optimiser is made anew in every step, so it forgets what it knows about earlier
    gradients. Make it once, before the loop.
    """

    def kept(self, optimizer: Optimizer, model: nn.Module, learning_rate: float) -> Optimizer:
        return self.optimizer(model, learning_rate)


@declared
class OwnLearningRate(Training):
    """With a tiny learning rate the parameters move much farther than they should, so you use
    another one. Pass on the one that you are given: lr=learning_rate.
    """

    def optimizer(self, model: nn.Module, learning_rate: float) -> Optimizer:
        return AdamW(model.parameters(), lr=0.1)


@declared
class UsualLearningRate(Training):
    """With a tiny learning rate the parameters move too far, and with a large one the loss hardly
    falls: yours is always the same. Pass on the one that you are given: lr=learning_rate.
    """

    def optimizer(self, model: nn.Module, learning_rate: float) -> Optimizer:
        return AdamW(model.parameters())


@declared
class FirstParameterOnly(Training):
    """Most parameters never change, as when the optimiser knows of the first one alone. Give it
    `model.parameters()`, which has them all.
    """

    def optimizer(self, model: nn.Module, learning_rate: float) -> Optimizer:
        return AdamW([next(model.parameters())], lr=learning_rate)


@declared
class WithoutEmbedding(Training):
    """The first parameter of the model, the embedding, never changes. Give the optimiser
    `model.parameters()`, which has it as well.
    """

    def optimizer(self, model: nn.Module, learning_rate: float) -> Optimizer:
        _, *others = model.parameters()
        return AdamW(others or [nn.Parameter(torch.zeros(1))], lr=learning_rate)


@declared
class CopyTrained(Training):
    """The model that you were given is as it was: you train a copy of it. Train the model itself,
    in place.
    """

    def __call__(self, model: nn.Module, *arguments: Any) -> Any:
        return super().__call__(copy.deepcopy(model), *arguments)


@declared
class InEvaluation(Training):
    """The model is trained in evaluation mode, in which dropout, for example, is off. If you switch
    to that mode to look at a loss, switch back with `model.train()`.
    """

    def loss(self, loss_of: LossOf, model: nn.Module, excerpts: Tensor) -> Tensor:
        model.eval()
        return super().loss(loss_of, model, excerpts)


@declared
class TokensDrawnAlone(Training):
    """The tokens of your excerpts do not follow each other in the text, as when each of them is
    drawn by itself. Draw only where an excerpt begins, and take `context_length` tokens from there.
    """

    def excerpts(self, text: Tensor, batch_size: int, context_length: int) -> Tensor:
        return text[torch.randint(len(text), (batch_size, context_length))]


@declared
class ExcerptByExcerpt(Training):
    """You call the model once for each excerpt. Give it all excerpts of a step in one call, as a
    tensor of shape (batch_size, context_length): `loss_of` averages over them.
    """

    def loss(self, loss_of: LossOf, model: nn.Module, excerpts: Tensor) -> Tensor:
        return torch.stack([loss_of(model(one), one) for one in torch.split(excerpts, 1)]).mean()


@declared
class LastExcerptMissing(Training):
    """No excerpt begins at the last token where one can, so the last token of the text is never
    seen. A text of t tokens has t − context_length + 1 excerpts, and `torch.randint` never draws
    its upper bound.
    """

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        return torch.randint(max(1, num_tokens - context_length), (batch_size,))


@declared
class LastExcerptMissingOrNone(Training):
    """No excerpt begins at the last token where one can, and in a text of a single excerpt there
    is none left: the bound of `torch.randint` is too small by 1. It never draws the bound itself.
    """

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        return torch.randint(num_tokens - context_length, (batch_size,))


@declared
class OneTokenMore(Training):
    """Your excerpts have one token too many. They have `context_length` tokens, of which `loss_of`
    predicts all but the first.
    """

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        return torch.randint(max(1, num_tokens - context_length), (batch_size,))

    def excerpts(self, text: Tensor, batch_size: int, context_length: int) -> Tensor:
        return super().excerpts(text, batch_size, context_length + 1)


@declared
class ShiftedTwice(Training):
    """You give the model the excerpts without their last token, and `loss_of` those without their
    first. It shifts the ids itself, so give both the same whole excerpts.
    """

    def loss(self, loss_of: LossOf, model: nn.Module, excerpts: Tensor) -> Tensor:
        return loss_of(model(excerpts[:, :-1]), excerpts[:, 1:])


@declared
class ShiftedTwiceByLogits(Training):
    """You give `loss_of` the logits without the last position and the ids without the first. It
    shifts the ids itself, so give it all logits and all ids of an excerpt.
    """

    def loss(self, loss_of: LossOf, model: nn.Module, excerpts: Tensor) -> Tensor:
        return loss_of(model(excerpts)[:, :-1], excerpts[:, 1:])


@declared
class ShiftedTwiceByRolling(Training):
    """You move the ids by one position before `loss_of` is given them. It shifts the ids itself, so
    give it those that the model was given.
    """

    def loss(self, loss_of: LossOf, model: nn.Module, excerpts: Tensor) -> Tensor:
        return loss_of(model(excerpts), excerpts.roll(-1, dims=1))


@declared
class OwnLoss(Training):
    """`loss_of` is never called. Use it, because a loss of your own may differ: it may ask for the
    token that the model has just been given, for example, and not for the next.
    """

    def loss(self, loss_of: LossOf, model: nn.Module, excerpts: Tensor) -> Tensor:
        return cross_entropy(model(excerpts).flatten(0, 1), excerpts.flatten())


@declared
class NotTracked(Training):
    """PyTorch says that nothing requires a gradient. The logits or the loss were computed within
    `torch.no_grad()`, or cut off from the graph by `.detach()`, `.data` or `.item()`.
    """

    def loss(self, loss_of: LossOf, model: nn.Module, excerpts: Tensor) -> Tensor:
        return loss_of(model(excerpts).detach(), excerpts)


@declared
class LossesAfterwards(Training):
    """The model is called twice in each step, as when the loss is computed once more after the
    change. Keep the loss by which the gradients are computed.
    """

    def noted(self, loss: Tensor, loss_of: LossOf, model: nn.Module, excerpts: Tensor) -> Any:
        return loss_of(model(excerpts), excerpts).item()


@declared
class LossTensors(Training):
    """Your list holds tensors, and unless they are detached, each keeps the whole graph of its
    step. Keep numbers, as `loss.item()` gives them.
    """

    def noted(self, loss: Tensor, loss_of: LossOf, model: nn.Module, excerpts: Tensor) -> Any:
        return loss


@declared
class OneStepMore(Training):
    """There is one step too many: `range(steps)` has `steps` turns."""

    def turns(self, steps: int) -> int:
        return steps + 1


@declared
class OneStepLess(Training):
    """There is one step too few: `range(steps)` has `steps` turns."""

    def turns(self, steps: int) -> int:
        return steps - 1


@declared
class OneStepOnly(Training):
    """There is one step only. Does your function return inside the loop?"""

    def turns(self, steps: int) -> int:
        return 1


@declared
class ReturnForgotten(Training):
    """The model is trained as it should be, but nothing is returned. Return the losses."""

    def returned(self, losses: list[Any]) -> Any:
        return None


@declared
class NoLosses(Training):
    """The model is trained as it should be, but your list of losses is empty. Append the loss of
    each step to it.
    """

    def returned(self, losses: list[Any]) -> Any:
        return []


@declared
class LastLossOnly(Training):
    """The model is trained as it should be, but you return a single number. Return the losses of
    all steps, in a list.
    """

    def returned(self, losses: list[Any]) -> Any:
        return losses[-1]


@declared
class LossesAsTensor(Training):
    """The model is trained as it should be, but you return a tensor. Return a list of floats."""

    def returned(self, losses: list[Any]) -> Any:
        return torch.tensor(losses)


@declared
class LossesAveraged(Training):
    """The losses in your list are not those of the steps, as when each is the mean of all so far.
    Keep the loss of each step by itself, as it is.
    """

    def returned(self, losses: list[Any]) -> Any:
        return (torch.tensor(losses).cumsum(0) / torch.arange(1, len(losses) + 1)).tolist()
