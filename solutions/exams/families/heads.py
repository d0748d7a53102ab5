"""What goes wrong with several heads: their axes, their scale, their output, and sharing them."""

import torch
from torch import Tensor, nn

from solutions.exams.families.family import Family
from solutions.exams.families.masks import Causal


class Heads(Causal):
    """Attention in heads: features are split among them and merged again."""

    head_dim: int

    def split(self, x: Tensor) -> Tensor:
        """(batch, tokens, features) to (batch, heads, tokens, head_dim)."""
        return x.reshape(*x.shape[:2], -1, self.head_dim).transpose(1, 2)

    def merge(self, contexts: Tensor) -> Tensor:
        """(batch, heads, tokens, head_dim) to (batch, tokens, features)."""
        return contexts.transpose(1, 2).flatten(2)

    def project(self, contexts: Tensor) -> Tensor:
        """The merged contexts after the projection of the output; here there is none."""
        return contexts

    def attend_in_heads(
        self, queries: Tensor, keys: Tensor, values: Tensor, hidden: Tensor | None = None
    ) -> Tensor:
        """All steps from the projections on: (batch, tokens, d_out)."""
        q, k, v = (self.split(x) for x in (queries, keys, values))
        return self.project(self.merge(self.attend(q, k, v, hidden)))


class SplitByWrongView(Heads):
    """Your split cuts through the tokens, as a view with the heads before the tokens does, so each
    head holds pieces of several tokens. Split the last axis into (heads, head_dim) first, then swap
    axes 1 and 2.
    """

    def split(self, x: Tensor) -> Tensor:
        return x.reshape(len(x), -1, x.shape[1], self.head_dim)


class MergedByWrongView(Heads):
    """The heads are right, but merging them mixes the tokens: swap axes 1 and 2, heads and tokens,
    before you merge.
    """

    def merge(self, contexts: Tensor) -> Tensor:
        return contexts.reshape(len(contexts), contexts.shape[2], -1)


class WrongViewThereAndBack(SplitByWrongView, MergedByWrongView):
    """Your split and your merge both mix the tokens. Split the last axis first, then swap axes 1
    and 2, and swap them back before you merge.
    """


class HeadsInterleaved(Heads):
    """After merging, the features of the heads alternate. All the features of head 0 should come
    first, then those of head 1, and so on.
    """

    def merge(self, contexts: Tensor) -> Tensor:
        return contexts.permute(0, 2, 3, 1).flatten(2)


class HeadsTakeTurns(Heads):
    """Your features are dealt out to the heads one at a time. Head 0 should have the first head_dim
    features: split into (heads, head_dim), in this order.
    """

    def split(self, x: Tensor) -> Tensor:
        return x.reshape(*x.shape[:2], self.head_dim, -1).permute(0, 3, 1, 2)


class TurnsThereAndBack(HeadsTakeTurns, HeadsInterleaved):
    """Your features are dealt out to the heads one at a time, and merged in the same way. Head 0
    should have the first head_dim features: split into (heads, head_dim), in this order, and merge
    in this order.
    """


SPLIT = Family(SplitByWrongView, HeadsTakeTurns)
MERGE = Family(MergedByWrongView, WrongViewThereAndBack, HeadsInterleaved, TurnsThereAndBack)


class NeverSwapped(Heads):
    """The heads were never moved in front of the tokens, so it is the heads of a token that attend
    to each other. After the split, swap the axes of tokens and heads, and swap them back before you
    merge.
    """

    def split(self, x: Tensor) -> Tensor:
        return super().split(x).transpose(1, 2)

    def merge(self, contexts: Tensor) -> Tensor:
        return super().merge(contexts.transpose(1, 2))


# For exercises that try as many heads as tokens: with other numbers the mask does not fit.
SWAP = Family(NeverSwapped)


class ScaledByAllFeatures(Heads):
    """Your scores are divided by the square root of the width of all heads together. A score is a
    sum of head_dim products, so divide by the square root of the width of one head.
    """

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return float((queries.shape[1] * keys.shape[-1]) ** 0.5)


class ScaledByHeads(Heads):
    """Your scores are divided by the square root of the number of heads. Use the width of a head,
    head_dim.
    """

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return float(queries.shape[1] ** 0.5)


class KeysSwappedAsBefore(Heads):
    """In the product with the queries, your keys have axes 1 and 2 swapped, which was right without
    heads. Now these axes are heads and tokens: it is the last two that have to be swapped,
    transpose(-2, -1).
    """

    def product(self, queries: Tensor, keys: Tensor) -> Tensor:
        return queries @ keys.transpose(1, 2)


class SoftmaxOverHeads(Heads):
    """Your softmax runs over the heads, and a key that is hidden from all of them gives 0 / 0, NaN.
    Each head has its own softmax, over the keys, the last axis.
    """

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=1)


class HeadsWeighAlike(Heads):
    """All your heads have the same weights, the average over the heads. Each head should keep its
    own.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        weights = super().weigh(scores, hidden)
        return weights.mean(dim=1, keepdim=True).expand_as(weights)


HEADS = Family(
    ScaledByAllFeatures, ScaledByHeads, KeysSwappedAsBefore, SoftmaxOverHeads, HeadsWeighAlike
)


class FirstKeysForAll(Heads):
    """All your heads use the keys of head 0. Each head has its own keys: for head h, these are the
    features from h · head_dim on.
    """

    def product(self, queries: Tensor, keys: Tensor) -> Tensor:
        return super().product(queries, keys[:, :1])


class ComparedAsOneHead(Heads):
    """All your heads have the same weights: queries and keys were compared with all their features
    at once, as in one wide head. Split both, so that each head compares its own features.
    """

    def product(self, queries: Tensor, keys: Tensor) -> Tensor:
        heads = super().product(queries, keys)
        return heads.sum(dim=1, keepdim=True).expand_as(heads)


class ComparedAndScaledAsOneHead(ComparedAsOneHead, ScaledByAllFeatures):
    """All your heads have the same weights, those of one wide head: queries and keys were compared
    with all their features at once, and the scores divided by the square root of that width. Split
    both, so that each head compares its own features.
    """


# For exercises in which every head has keys of its own.
COMPARED = Family(FirstKeysForAll, ComparedAsOneHead, ComparedAndScaledAsOneHead)


class NotProjected(Heads):
    """These are the merged contexts as they were before out_proj. Pass them through it and return
    its output.
    """

    def project(self, contexts: Tensor) -> Tensor:
        return contexts


class ProjectedTwice(Heads):
    """The output projection is applied twice. Apply it only once."""

    def project(self, contexts: Tensor) -> Tensor:
        return super().project(super().project(contexts))


OUTPUT = Family(NotProjected, ProjectedTwice)


class DropoutOnTheOutput(Heads):
    """You drop features of the output of out_proj. Drop attention weights, after the softmax and
    before they are multiplied by the values; nothing else is dropped.
    """

    dropout: nn.Dropout

    def drop(self, weights: Tensor) -> Tensor:
        return weights

    def project(self, contexts: Tensor) -> Tensor:
        dropped: Tensor = self.dropout(super().project(contexts))
        return dropped


class DropoutOnTheOutputToo(Heads):
    """Besides attention weights you drop features of the output of out_proj, as GPT-2 does. Drop
    only weights, after the softmax and before they are multiplied by the values.
    """

    dropout: nn.Dropout

    def project(self, contexts: Tensor) -> Tensor:
        dropped: Tensor = self.dropout(super().project(contexts))
        return dropped


OUTPUT_DROPPED = Family(DropoutOnTheOutput, DropoutOnTheOutputToo)

# --- heads that are shared -----------------------------------------------------------------------


class SharedHeads(Heads):
    """Attention in which several query heads read one key/value head."""

    num_heads: int

    def share(self, x: Tensor) -> Tensor:
        """(batch, key/value heads, tokens, head_dim) to (batch, num_heads, tokens, head_dim)."""
        return x.repeat_interleave(self.num_heads // x.shape[1], dim=1)

    def attend(
        self, queries: Tensor, keys: Tensor, values: Tensor, hidden: Tensor | None = None
    ) -> Tensor:
        return super().attend(queries, self.share(keys), self.share(values), hidden)


class Tiled(SharedHeads):
    """Your query heads go through the key/value heads in order, as `repeat` arranges them: from the
    first to the last, and then from the first again. Neighbouring query heads should share one,
    which is the order of `repeat_interleave`.
    """

    def share(self, x: Tensor) -> Tensor:
        return x.repeat(1, self.num_heads // x.shape[1], 1, 1)


class SharesMiscounted(SharedHeads):
    """Your query head h reads key/value head h // num_kv_heads. Divide h by the number of query
    heads that share a key/value head, num_heads // num_kv_heads.
    """

    def share(self, x: Tensor) -> Tensor:
        return x[:, torch.arange(self.num_heads) // x.shape[1]]


class SharesMiscountedInColumns(SharesMiscounted):
    """Your query head h reads the columns of key/value head h // num_kv_heads, and where there is
    no such head, it gets no columns at all. Divide h by the number of query heads that share a
    key/value head, num_heads // num_kv_heads.
    """

    def attend(
        self, queries: Tensor, keys: Tensor, values: Tensor, hidden: Tensor | None = None
    ) -> Tensor:
        num_kv_heads, width = keys.shape[1], keys.shape[-1]
        columns = keys.transpose(1, 2).flatten(2)
        for head in range(self.num_heads):
            start = head // num_kv_heads * width
            self.product(queries[:, head], columns[..., start : start + width])
        return super().attend(queries, keys, values, hidden)


class RepeatedByTheirNumber(SharedHeads):
    """You repeated each key/value head as many times as there are key/value heads. Repeat it once
    for each query head that shares it: num_heads // num_kv_heads times.
    """

    def share(self, x: Tensor) -> Tensor:
        return x.repeat_interleave(x.shape[1], dim=1)


class FirstHeadForAll(SharedHeads):
    """All your query heads read the first key/value head. Each key/value head should be read by its
    own group of neighbouring query heads.
    """

    def share(self, x: Tensor) -> Tensor:
        return x[:, :1].expand(-1, self.num_heads, -1, -1)


class SharedHeadsAveraged(SharedHeads):
    """You averaged the key/value heads, so all the query heads read the same one. Each key/value
    head should be read by its own query heads.
    """

    def share(self, x: Tensor) -> Tensor:
        return x.mean(dim=1, keepdim=True).expand(-1, self.num_heads, -1, -1)


class RepeatedAlongTokens(SharedHeads):
    """You repeated the tokens of the keys instead of the heads: the axis of the heads is 1."""

    def share(self, x: Tensor) -> Tensor:
        return x.repeat_interleave(self.num_heads // x.shape[1], dim=2)


class NeverRepeated(SharedHeads):
    """The product pairs query heads with key/value heads one to one, but there are more query
    heads: repeat each key/value head for the query heads that share it. Without repeating, only one
    key/value head for all of them, or one for each, would fit.
    """

    def share(self, x: Tensor) -> Tensor:
        return x


SHARED = Family(
    Tiled,
    SharesMiscounted,
    SharesMiscountedInColumns,
    RepeatedByTheirNumber,
    FirstHeadForAll,
    SharedHeadsAveraged,
    RepeatedAlongTokens,
    NeverRepeated,
)
