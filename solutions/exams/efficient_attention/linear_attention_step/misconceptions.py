"""The known wrong answers to `linear_attention_step`, lesson 08."""

from typing import Any

import torch
from torch import Tensor

from companion import elu_plus_one
from solutions.exams.efficient_attention._long_texts import FeatureMap
from solutions.exams.efficient_attention.linear_attention_step.exam import State, step
from solutions.exams.families import PAIR
from solutions.exams.families.family import Answer, Family


class Steps:
    """The step in parts, each for a slip to get wrong."""

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        asked, offered = feature_map(query), feature_map(key)
        new = self.summary(state[0], offered, value), self.total(state[1], offered)
        return self.context(asked, new), new

    def summary(self, summary: Tensor, offered: Tensor, value: Tensor) -> Tensor:
        return summary + torch.outer(offered, value)

    def total(self, total: Tensor, offered: Tensor) -> Tensor:
        return total + offered

    def context(self, asked: Tensor, state: State) -> Tensor:
        return asked @ state[0] / (asked @ state[1])


class OwnElu(Steps):
    """You take elu(x) + 1 for the features, whatever `feature_map` is. That is right for this map
    alone: call `feature_map`, which is passed to you.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        return super().answer(state, query, key, value, elu_plus_one)


class ScaledOnEachSide(Steps):
    """You divided the query and the key by the fourth root of d_k before you took their features,
    as Performers do. Here the feature map takes both as they are.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        asked, offered = (x / x.shape[-1] ** 0.25 for x in (query, key))
        return super().answer(state, asked, offered, value, feature_map)


class KeyFeaturesSummed(Steps):
    """You add the sum of the key's features to every number of the second sum. It has a number for
    each feature: add the key features as they are.
    """

    def total(self, total: Tensor, offered: Tensor) -> Tensor:
        return total + offered.sum()


class SummedApart(Steps):
    """The state is right, but you divided by the sum of the query's features times that of the
    second sum, each summed by itself. The sum of the weights is their dot product.
    """

    def context(self, asked: Tensor, state: State) -> Tensor:
        return asked @ state[0] / (asked.sum() * state[1].sum())


class AskedBeforeAdding(Steps):
    """You use the query before its own token is in the state, so the first token finds nothing, and
    0 / 0 is NaN. Add the new token first: it sees itself.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        _, new = super().answer(state, query, key, value, feature_map)
        return self.context(feature_map(query), state), new


class AskedBeforeAddingButTheFirst(AskedBeforeAdding):
    """You use the query before its own token is in the state, which then lacks it for all tokens
    but the first, which gets its own value. Add the new token first: it sees itself.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        context, new = super().answer(state, query, key, value, feature_map)
        return value if context.isnan().any() else context, new


class OldStateReturned(Steps):
    """The context is right, but you return the state as it was before. The next token needs the
    state with this token in it.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        context, _ = super().answer(state, query, key, value, feature_map)
        return context, state


class NothingAdded(Steps):
    """The new token never gets into the state. Add its key features times its value to the first
    sum, and its key features to the second.
    """

    def summary(self, summary: Tensor, offered: Tensor, value: Tensor) -> Tensor:
        return summary

    def total(self, total: Tensor, offered: Tensor) -> Tensor:
        return total


class SummaryNotUpdated(Steps):
    """The first sum of your state lacks the new token: add its key features times its value."""

    def summary(self, summary: Tensor, offered: Tensor, value: Tensor) -> Tensor:
        return summary


class TotalNotUpdated(Steps):
    """The second sum of your state lacks the new token: add its key features."""

    def total(self, total: Tensor, offered: Tensor) -> Tensor:
        return total


class PastForgotten(Steps):
    """Your state contains only the new token. Add it to the sums over the earlier tokens."""

    def summary(self, summary: Tensor, offered: Tensor, value: Tensor) -> Tensor:
        return torch.outer(offered, value)

    def total(self, total: Tensor, offered: Tensor) -> Tensor:
        return offered


class SummaryForgotten(Steps):
    """The first sum of your state contains only the new token. Add its product to the old sum."""

    def summary(self, summary: Tensor, offered: Tensor, value: Tensor) -> Tensor:
        return torch.outer(offered, value)


class TotalForgotten(Steps):
    """The second sum of your state contains only the new token. Add its key features to the old
    sum.
    """

    def total(self, total: Tensor, offered: Tensor) -> Tensor:
        return offered


class Undivided(Steps):
    """The state is right, but your context is not divided, so the weights do not sum to 1. Divide
    by the query's features times the sum of the key features.
    """

    def context(self, asked: Tensor, state: State) -> Tensor:
        return asked @ state[0]


class DividedByAllFeatures(Steps):
    """The state is right, but you divided by the sum of the key features without using the query.
    Divide by the query's features times the sum of the key features.
    """

    def context(self, asked: Tensor, state: State) -> Tensor:
        return asked @ state[0] / state[1].sum()


class DividedByTheQueryFeatures(Steps):
    """The state is right, but you divided by the sum of the query's features. Divide by the query's
    features times the sum of the key features.
    """

    def context(self, asked: Tensor, state: State) -> Tensor:
        return asked @ state[0] / asked.sum()


class DividedByFeatures(Steps):
    """The state is right, but you divided by a vector, feature by feature. The divisor is one
    number: the query's features times the sum of the key features.
    """

    def context(self, asked: Tensor, state: State) -> Tensor:
        return asked @ state[0] / state[1]


class DividedByTheProducts(Steps):
    """The state is right, but you divided by products that you did not add up. The divisor is one
    number, the dot product of the query's features and the sum of the key features.
    """

    def context(self, asked: Tensor, state: State) -> Tensor:
        return asked @ state[0] / (asked * state[1])


class ValuesAsked(Steps):
    """The state is right, but you multiplied the query along the wrong axis of the first sum. The
    features are its rows, so the query's features go on the left.
    """

    def context(self, asked: Tensor, state: State) -> Tensor:
        return state[0] @ asked / (asked @ state[1])


class OuterProductTurned(Steps):
    """Your product of value and key features is transposed. The first sum of the state has a row
    for each feature, and a column for each number of a value.
    """

    def summary(self, summary: Tensor, offered: Tensor, value: Tensor) -> Tensor:
        return summary + torch.outer(value, offered)


class NumberByNumber(Steps):
    """You multiplied key features and value entry by entry. Each feature has to be multiplied by
    each number of the value, which is an outer product.
    """

    def summary(self, summary: Tensor, offered: Tensor, value: Tensor) -> Tensor:
        return summary + offered * value


class DotProductAdded(Steps):
    """You added one number to the whole state, the dot product of key features and value. Each
    feature has to be multiplied by each number of the value, which is an outer product.
    """

    def summary(self, summary: Tensor, offered: Tensor, value: Tensor) -> Tensor:
        return summary + offered @ value


class RawKeyInTheSummary(Steps):
    """In the first sum of your state you used the key as it is. Add its features times
    the value.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        new = state[0] + torch.outer(key, value), state[1] + feature_map(key)
        return self.context(feature_map(query), new), new


class RawKeyInTheTotal(Steps):
    """In the second sum of your state you used the key as it is. Add its features."""

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        new = state[0] + torch.outer(feature_map(key), value), state[1] + key
        return self.context(feature_map(query), new), new


class KeyUnmapped(Steps):
    """Your key goes into the state as it is. Take its features first, for both sums."""

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        new = state[0] + torch.outer(key, value), state[1] + key
        return self.context(feature_map(query), new), new


class QueryUnmapped(Steps):
    """The state is right, but you use the query as it is. Take its features, too."""

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        _, new = super().answer(state, query, key, value, feature_map)
        return self.context(query, new), new


class NothingMapped(Steps):
    """Neither the query nor the key has gone through the feature map. Take the features of the
    query and of the key.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        return super().answer(state, query, key, value, lambda x: x)


class RolesSwapped(Steps):
    """You swapped query and key. The key goes into the state, and the query reads from it."""

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        return super().answer(state, key, query, value, feature_map)


class QueryAdded(Steps):
    """You added the query's features to the state. It is the key that goes in."""

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        return super().answer(state, query, query, value, feature_map)


class QueryInTheSecondSum(Steps):
    """You added the query's features to the second sum. It is the key that goes into both sums."""

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        asked, offered = feature_map(query), feature_map(key)
        new = self.summary(state[0], offered, value), self.total(state[1], asked)
        return self.context(asked, new), new


class QueryInTheFirstSum(Steps):
    """You added the query's features, times the value, to the first sum. It is the key that goes
    into both sums.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        asked, offered = feature_map(query), feature_map(key)
        new = self.summary(state[0], asked, value), self.total(state[1], offered)
        return self.context(asked, new), new


class KeyAsks(Steps):
    """The state is right, but you read from it with the key. Use the query."""

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        return super().answer(state, key, key, value, feature_map)


class DividedInTheState(Steps):
    """You divided the first sum before you put it into the state. Keep both sums as they are, and
    divide only the context.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        context, (summary, total) = super().answer(state, query, key, value, feature_map)
        return context, (summary / (feature_map(query) @ total), total)


class StateOverwritten(Steps):
    """The numbers are right, but you have changed the caller's state, too, as `+=` does. Make a new
    one, with +.
    """

    def summary(self, summary: Tensor, offered: Tensor, value: Tensor) -> Tensor:
        return summary.add_(torch.outer(offered, value))

    def total(self, total: Tensor, offered: Tensor) -> Tensor:
        return total.add_(offered)


class StateSwapped(Steps):
    """The two sums of your state are swapped. The sum of the products comes first, then that of the
    key features.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        context, (summary, total) = super().answer(state, query, key, value, feature_map)
        return context, (total, summary)


class ThreeResults(Steps):
    """You return three things. The exercise asks for two: the context, and the state, which is
    itself a tuple of two.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        context, new = super().answer(state, query, key, value, feature_map)
        return context, *new


Family(
    OwnElu,
    ScaledOnEachSide,
    KeyFeaturesSummed,
    SummedApart,
    AskedBeforeAdding,
    AskedBeforeAddingButTheFirst,
    OldStateReturned,
    NothingAdded,
    SummaryNotUpdated,
    TotalNotUpdated,
    PastForgotten,
    SummaryForgotten,
    TotalForgotten,
    Undivided,
    DividedByAllFeatures,
    DividedByTheQueryFeatures,
    DividedByFeatures,
    DividedByTheProducts,
    ValuesAsked,
    OuterProductTurned,
    NumberByNumber,
    DotProductAdded,
    RawKeyInTheSummary,
    RawKeyInTheTotal,
    KeyUnmapped,
    QueryUnmapped,
    NothingMapped,
    RolesSwapped,
    QueryAdded,
    QueryInTheSecondSum,
    QueryInTheFirstSum,
    KeyAsks,
    DividedInTheState,
    StateOverwritten,
    StateSwapped,
    ThreeResults,
).apply(step, Steps)
PAIR.apply(step)


class InFloat32(Answer):
    """The numbers are right, but float64 went in and float32 came out, which is what torch makes
    unless told otherwise. Keep the dtype of what you are given.
    """

    def answer(self, *arguments: object) -> object:
        context, state = self.right(*arguments)
        return context.float(), tuple(part.float() for part in state)


Family(InFloat32).apply(step)
