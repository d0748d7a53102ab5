"""Right answers to exercises about language models, and the mistakes made in them.

As in `functions`, they were written from the exercises' texts alone.
"""

from benchmarks.mistakes.answers import Answers

LOSS = Answers(
    lesson="09_transformer",
    task="cross_entropy",
    right="""
def next_token_loss(logits, tokens):
    predictions = logits[:, :-1]
    targets = tokens[:, 1:]
    logs = predictions - predictions.logsumexp(dim=-1, keepdim=True)
    return -logs.gather(-1, targets.unsqueeze(-1)).mean()
""",
    wrong={
        "not shifted": {"logits[:, :-1]": "logits", "tokens[:, 1:]": "tokens"},
        "shifted the other way": {
            "logits[:, :-1]": "logits[:, 1:]",
            "tokens[:, 1:]": "tokens[:, :-1]",
        },
        "the sum, not the mean": {".mean()": ".sum()"},
        "no minus": {"-logs.gather": "logs.gather"},
        "normalised over the tokens": {"dim=-1, keepdim": "dim=1, keepdim"},
        "large logits overflow": {
            "predictions.logsumexp(dim=-1, keepdim=True)": (
                "predictions.exp().sum(dim=-1, keepdim=True).log()"
            ),
        },
        "probabilities, not their logarithms": {"-logs.gather": "-logs.exp().gather"},
    },
)

DISTRIBUTION = Answers(
    lesson="09_transformer",
    task="topk_sampling",
    right="""
def next_token_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    logits = logits / temperature
    if top_k is not None:
        largest = logits.topk(min(top_k, len(logits))).values
        logits = logits.masked_fill(logits < largest[-1], -torch.inf)
    if top_p is not None:
        shares, order = logits.softmax(dim=-1).sort(descending=True)
        before = shares.cumsum(dim=-1) - shares
        logits = logits.index_fill(0, order[before >= top_p], -torch.inf)
    return logits.softmax(dim=-1)
""",
    wrong={
        "multiplied by the temperature": {"logits / temperature": "logits * temperature"},
        "the k-th most likely is dropped": {"logits < largest": "logits <= largest"},
        "the k least likely are kept": {
            "len(logits))).values": "len(logits)), largest=False).values",
            "logits < largest[-1]": "logits > largest[-1]",
        },
        "dropped logits are 0": {
            "logits < largest[-1], -torch.inf": "logits < largest[-1], 0.0",
            "before >= top_p], -torch.inf": "before >= top_p], 0.0",
        },
        "a mask in the sorted order": {
            "logits.index_fill(0, order[before >= top_p], ": "logits.masked_fill(before >= top_p, ",
        },
        "from the least likely on": {"sort(descending=True)": "sort()"},
    },
)

ENCODE = Answers(
    lesson="09_transformer",
    task="bpe",
    right="""
def encode(text, merges):
    pieces = list(text)
    for left, right in merges:
        merged, i = [], 0
        while i < len(pieces):
            if pieces[i : i + 2] == [left, right]:
                merged.append(left + right)
                i += 2
            else:
                merged.append(pieces[i])
                i += 1
        pieces = merged
    return pieces
""",
    wrong={
        "the merges backwards": {"in merges:": "in reversed(merges):"},
        "a merged piece is taken again": {"i += 2": "i += 1"},
        "the last piece is lost": {"len(pieces):": "len(pieces) - 1:"},
        "words to begin with": {"list(text)": "text.split()"},
        "only the first merge": {"pieces = merged\n": "return merged\n"},
        "compared when joined": {
            "pieces[i : i + 2] == [left, right]": (
                '"".join(pieces[i : i + 2]) == left + right and i + 1 < len(pieces)'
            ),
        },
        "each pair merged once": {
            "i += 2\n": "merged += pieces[i + 2 :]\n                break\n",
        },
    },
)

SPECULATIVE = Answers(
    lesson="10_your_gpt",
    task="speculative_decoding",
    right="""
def speculative_step(p, q, drafted, uniforms):
    accepted = 0
    while accepted < len(drafted):
        token = drafted[accepted]
        if uniforms[accepted] >= p[accepted, token] / q[accepted, token]:
            break
        accepted += 1
    last = p[accepted]
    if accepted < len(drafted):
        last = (last - q[accepted]).clamp(min=0)
        last = last / last.sum()
    drawn = (last.cumsum(dim=-1)[:-1] <= uniforms[-1]).sum(dim=-1, keepdim=True)
    return torch.cat((drafted[:accepted], drawn))
""",
    wrong={
        "the ratio upside down": {
            "p[accepted, token] / q[accepted, token]": "q[accepted, token] / p[accepted, token]",
        },
        "p alone, without the ratio": {" / q[accepted, token]": ""},
        "redrawn from the model's distribution": {
            "(last - q[accepted]).clamp(min=0)": "p[accepted]",
        },
        "redrawn from where the draft is too high": {
            "(last - q[accepted])": "(q[accepted] - last)",
        },
        "the rest is not normalised": {"last / last.sum()": "last"},
        "the rejected token stays": {"drafted[:accepted]": "drafted[: accepted + 1]"},
        "accepted where p is above q, and never by chance": {
            "uniforms[accepted] >= p[accepted, token] / q[accepted, token]": (
                "p[accepted, token] < q[accepted, token]"
            ),
        },
    },
)
