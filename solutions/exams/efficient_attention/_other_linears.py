"""LINEAR: what goes wrong in linear attention, where it is that of others, and in its division."""

import torch
from torch import Tensor

from companion import elu_plus_one
from solutions.exams.efficient_attention._long_texts import MAPPED, FeatureMap, Linear
from solutions.exams.families.family import Family


class OwnElu(Linear):
    """You take elu(x) + 1 for the features, whatever `feature_map` is. That is right for this map
    alone: call `feature_map`, which is passed to you.
    """

    def own(self, x: Tensor) -> Tensor:
        return elu_plus_one(x)

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return super().answer(queries, keys, values, self.own)


class OwnRelu(OwnElu):
    """You take the ReLU for the features, whatever `feature_map` is. Call `feature_map`, which is
    passed to you.
    """

    def own(self, x: Tensor) -> Tensor:
        return torch.relu(x)


class OwnExponential(OwnElu):
    """You take exponentials for the features, whatever `feature_map` is. Call `feature_map`, which
    is passed to you.
    """

    def own(self, x: Tensor) -> Tensor:
        return torch.exp(x)


class SoftmaxOnEachSide(Linear):
    """This is another linear attention, that of Shen and others (2018): a softmax of the queries
    over their features and one of the keys over the tokens, without a division. Here the features
    come from `feature_map`, and you divide by the sum of the weights.
    """

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return self.mix(torch.softmax(queries, dim=-1), torch.softmax(keys, dim=-2), values)


class SharesOnEachSide(Linear):
    """You divide a query's features by their sum, and each feature of the keys by its sum over the
    tokens. Leave the features as they are, and divide only once, at the end: by the sum of the
    query's weights.
    """

    def attend(self, asked: Tensor, offered: Tensor, values: Tensor) -> Tensor:
        shares = offered / offered.sum(dim=-2, keepdim=True)
        return self.mix(asked / asked.sum(dim=-1, keepdim=True), shares, values)


class SoftmaxOnEachSideScaled(SoftmaxOnEachSide):
    """This is another linear attention, that of Shen and others (2018), with a scale: a softmax of
    the queries over their features, divided by √d_k, and one of the keys over the tokens. Here the
    features come from `feature_map`, there is no scale, and you divide by the sum of the weights.
    """

    def mix(self, asked: Tensor, offered: Tensor, values: Tensor) -> Tensor:
        return super().mix(asked / asked.shape[-1] ** 0.5, offered, values)


class ScaledOnEachSide(Linear):
    """You divided queries and keys by the fourth root of d_k before you took their features, as
    Performers do. Here the feature map takes both as they are.
    """

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        asked, offered = (x / x.shape[-1] ** 0.25 for x in (queries, keys))
        return super().answer(asked, offered, values, feature_map)


class FeaturesRaised(Linear):
    """You added a number such as 1e-3 to the features, as Performers do. Here the features are
    positive already: take them as they are.
    """

    def attend(self, asked: Tensor, offered: Tensor, values: Tensor) -> Tensor:
        return super().attend(asked + 1e-3, offered + 1e-3, values)


class SummedApart(Linear):
    """You divided by the sum of the query's features times that of all key features, each summed
    by itself. The sum of the weights is a dot product: multiply feature by feature, and then sum.
    """

    def attend(self, asked: Tensor, offered: Tensor, values: Tensor) -> Tensor:
        total = asked.sum(dim=-1, keepdim=True) * self.total(offered).sum(dim=-1, keepdim=True)
        return self.divide(self.mix(asked, offered, values), total)


class FeaturesOfTheSum(Linear):
    """You sum the keys, and take the features of this sum. A feature map is not linear: take the
    features of each key first, and sum these.
    """

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        self.keys, self.feature_map = keys, feature_map
        return super().answer(queries, keys, values, feature_map)

    def total(self, offered: Tensor) -> Tensor:
        return self.feature_map(self.over(self.keys, -2))


class MixtureOverItsSum(Linear):
    """You divided each context by the sum of its own numbers. It is the weights that sum to 1:
    divide by the query's features times the sum of the key features.
    """

    def divide(self, mixed: Tensor, total: Tensor) -> Tensor:
        return mixed / mixed.sum(dim=-1, keepdim=True)


class AFewTooMany(Linear):
    """You added a number such as 1e-3 or more to the sum of the weights, which makes the contexts
    smaller. The features are positive, so nothing has to be added; at most something as small as
    1e-6.
    """

    def divide(self, mixed: Tensor, total: Tensor) -> Tensor:
        return mixed / (total + 1e-3)


class SumLostItsAxis(Linear):
    """The sum of the weights has lost its axis, so it divides columns, or fits nowhere. Each
    query's row has to be divided by that query's sum: keep the axis, with length 1.
    """

    def divide(self, mixed: Tensor, total: Tensor) -> Tensor:
        return mixed / total[..., 0]


LINEAR = MAPPED + Family(
    OwnElu,
    OwnRelu,
    OwnExponential,
    SoftmaxOnEachSide,
    SoftmaxOnEachSideScaled,
    SharesOnEachSide,
    ScaledOnEachSide,
    FeaturesRaised,
    SummedApart,
    FeaturesOfTheSum,
    MixtureOverItsSum,
    AFewTooMany,
    SumLostItsAxis,
)
