"""Right answers to `learn_merges` in other styles."""

from collections import Counter, defaultdict
from itertools import pairwise

from companion import merge_pair
from solutions.exams.transformer.learn_merges.exam import merging

Pair = tuple[str, str]


@merging.accepts
def counted_in_a_dict(text: str, num_merges: int) -> list[Pair]:
    """Counts in a dict, the largest looked for by hand.

    Pairs are counted in a plain dict, and the largest count is looked for by hand. `>` keeps the
    first of several equal counts, and counts of 1 never win.
    """
    pieces = list(text)
    merges: list[Pair] = []
    for _ in range(num_merges):
        counts: dict[Pair, int] = {}
        for i in range(len(pieces) - 1):
            pair = (pieces[i], pieces[i + 1])
            counts[pair] = counts.get(pair, 0) + 1
        best, most = None, 1
        for pair, count in counts.items():
            if count > most:
                best, most = pair, count
        if best is None:
            return merges
        merges.append(best)
        pieces = merge_pair(pieces, best)
    return merges


@merging.accepts
def by_most_common(text: str, num_merges: int) -> list[Pair]:
    """Counter.most_common, which keeps the order of equal counts."""
    pieces = list(text)
    merges: list[Pair] = []
    for _ in range(num_merges):
        best = Counter(pairwise(pieces)).most_common(1)
        if not best or best[0][1] == 1:
            break
        merges.append(best[0][0])
        pieces = merge_pair(pieces, merges[-1])
    return merges


@merging.accepts
def largest_count_first(text: str, num_merges: int) -> list[Pair]:
    """First the largest count, then the first pair of the text that has it.

    First comes the largest count, and then the first pair of the text that has it, so the rule for
    ties has a line of its own.
    """
    pieces, merges = list(text), []
    for _ in range(num_merges):
        pairs = [(pieces[i], pieces[i + 1]) for i in range(len(pieces) - 1)]
        counts = Counter(pairs)
        largest = max(counts.values(), default=0)
        if largest < 2:
            break
        pair = next(one for one in pairs if counts[one] == largest)
        merges.append(pair)
        pieces = merge_pair(pieces, pair)
    return merges


@merging.accepts
def by_itself_again(text: str, num_merges: int) -> list[Pair]:
    """One merge, and the rest by a function that calls itself."""

    def more(pieces: list[str], left: int) -> list[Pair]:
        counts = Counter(pairwise(pieces))
        if not left or not counts:
            return []
        pair, count = counts.most_common(1)[0]
        return [pair, *more(merge_pair(pieces, pair), left - 1)] if count > 1 else []

    return more(list(text), num_merges)


@merging.accepts
def merged_by_hand(text: str, num_merges: int) -> list[Pair]:
    """Merged without `merge_pair`: each piece joins the last one, or stands by itself."""
    pieces, merges = list(text), []
    for _ in range(num_merges):
        stats: dict[Pair, int] = defaultdict(int)
        for pair in pairwise(pieces):
            stats[pair] += 1
        if not stats:
            break
        left, right = max(stats, key=lambda one: stats[one])
        if stats[left, right] < 2:
            break
        merges.append((left, right))
        new: list[str] = []
        open_left = False  # whether the last piece waits for its partner
        for piece in pieces:
            if open_left and piece == right:
                new[-1] += piece
                open_left = False
            else:
                new.append(piece)
                open_left = piece == left
        pieces = new
    return merges
