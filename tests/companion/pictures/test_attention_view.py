import base64
import json
import re
import subprocess
import sys

import numpy as np
import pytest
import torch

from companion import HELLO_SHINY_SUN, attention_view, softmax
from companion.drawing.figure import one_line

WORDS = HELLO_SHINY_SUN.words
SCORES = HELLO_SHINY_SUN.vectors @ HELLO_SHINY_SUN.vectors.T
WEIGHTS = softmax(SCORES)
ALT = re.compile(r'<img [^>]*alt="([^"]*)"')
SVG = re.compile(r'<img [^>]*src="data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)"')


def data_of(output):
    """What the script is given."""
    (call,) = re.findall(r"attentionView\(document.*?, (\{.*\})\);\n", output["text/html"])
    return json.loads(call)


def weights_of(output):
    """`(frames, heads, queries, keys)`"""
    data = data_of(output)
    shape = (len(data["heads"]), len(data["queries"]), len(data["keys"]))
    stacks = [np.frombuffer(base64.b64decode(text), "<f4") for text in data["weights"]]
    return np.stack([stack.reshape(shape) for stack in stacks])


def picture_of(output):
    (svg,) = SVG.findall(output["text/html"])
    return base64.b64decode(svg).decode()


def test_one_output(published):
    attention_view(WEIGHTS, queries=WORDS, alt="Each looks\n at all.")
    (output,) = published
    assert set(output) == {"text/html", "text/plain"}
    assert output["text/plain"] == "Each looks at all."
    (alt,) = ALT.findall(output["text/html"])
    assert alt == "Each looks at all."


@pytest.mark.parametrize(
    "weights",
    [WEIGHTS, WEIGHTS.tolist(), torch.tensor(WEIGHTS, requires_grad=True), WEIGHTS[None]],
)
def test_kinds_of_weights(published, weights):
    attention_view(weights, queries=WORDS, alt="Attention.")
    np.testing.assert_allclose(weights_of(published[0])[0, 0], WEIGHTS, rtol=1e-6)


def test_half_precision_tensor(published):
    attention_view(torch.tensor(WEIGHTS).bfloat16(), queries=WORDS, alt="Attention.")
    np.testing.assert_allclose(weights_of(published[0])[0, 0], WEIGHTS, rtol=1e-2)


def test_heads_and_frames(published):
    stacks = {t: softmax(np.stack([SCORES[:2], -SCORES[:2]]) / t) for t in (0.5, np.float64(1.0))}
    attention_view(
        frames=stacks,
        slider="temperature",
        queries=WORDS[:2],
        keys=["Hallo", "helle", "Sonne"],
        heads=["near", "far"],
        focus=1,
        alt="Attention.",
    )
    data = data_of(published[0])
    assert data["heads"] == ["near", "far"]
    assert data["frames"] == ["0.5", "1.0"]
    assert data["slider"] == "temperature"
    assert data["keys"] == ["Hallo", "helle", "Sonne"]
    assert data["focus"] == 1
    np.testing.assert_allclose(weights_of(published[0]), list(stacks.values()), rtol=1e-6)


def test_hidden_keys_are_told(published):
    hidden = np.triu(np.ones((3, 3), dtype=bool), 1)
    attention_view(WEIGHTS, queries=WORDS, hidden=hidden, alt="Attention.")
    assert data_of(published[0])["hidden"] == [1, 2, 5]
    assert "<!-- hidden -->" in picture_of(published[0])


def test_picture_shows_all_heads(published):
    attention_view(np.stack([WEIGHTS] * 3), queries=WORDS, alt="Attention.")
    picture = picture_of(published[0])
    assert all(f"<!-- head {i} -->" in picture for i in (1, 2, 3))


def test_picture_shows_all_frames(published):
    frames = {t: softmax(SCORES / t) for t in (0.5, 1.0)}
    attention_view(frames=frames, slider="temperature", queries=WORDS, alt="Attention.")
    picture = picture_of(published[0])
    assert "<!-- temperature 0.5 -->" in picture
    assert "<!-- temperature 1.0 -->" in picture


@pytest.mark.long
@pytest.mark.parametrize(("words", "pictured"), [(4, 12), (8, 12), (14, 4), (30, 1)])
def test_view_stays_light(published, words, pictured):
    weights = softmax(np.random.default_rng(0).normal(size=(12, words, words)))
    attention_view(weights, queries=[f"word{i}" for i in range(words)], alt="Attention.")
    assert len(re.findall("<!-- head [0-9]+ -->", picture_of(published[0]))) == pictured
    assert len(published[0]["text/html"]) < 800_000


def test_words_end_no_script(published):
    words = ["</script><b>", "<!--<script>", "a & \u2028b"]
    attention_view(WEIGHTS, queries=words, title="</style>", alt="</script>")
    page = published[0]["text/html"]
    assert page.count("<script>") == page.count("</script>") == 1
    assert page.count("<style>") == page.count("</style>") == 2
    assert "<!--" not in page
    assert data_of(published[0])["queries"] == words


def test_nothing_from_elsewhere(published):
    attention_view(WEIGHTS, queries=WORDS, alt="Attention.")
    addresses = set(re.findall(r"\w+://[^\s\"')]+", published[0]["text/html"]))
    assert addresses == {"http://www.w3.org/2000/svg"}


def test_graded_notebook_keeps_picture(published):
    inert = pytest.importorskip("autograder.grading.inert")
    attention_view(WEIGHTS, queries=WORDS, alt="Attention.")
    output = {"output_type": "display_data", "data": published[0], "metadata": {}}
    (kept,) = inert.inert_outputs([output], 1_000_000)
    assert picture_of(published[0]) == picture_of(kept["data"])
    assert kept["data"]["text/plain"] == "Attention."
    assert "script" not in kept["data"]["text/html"]


def test_without_notebook(capsys):
    attention_view(WEIGHTS, queries=WORDS, alt="Attention.")
    assert capsys.readouterr().out == "Attention.\n"


def test_torch_is_not_needed():
    command = "import companion, sys; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", command], check=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": WEIGHTS[:2]}, r"has shape \(2, 3\), but should have shape \(3, 3\) or"),
        ({"weights": WEIGHTS[0]}, r"has shape \(3,\)"),
        ({"weights": np.ones((1, 2, 3, 3))}, r"has shape \(1, 2, 3, 3\)"),
        ({"weights": np.ones((0, 3, 3))}, "holds no head"),
        ({"weights": -WEIGHTS}, "a negative number or none at all"),
        ({"weights": WEIGHTS * np.nan}, "a negative number or none at all"),
        ({"weights": None}, "either weights or frames"),
        ({"frames": {1: WEIGHTS}}, "either weights or frames"),
        ({"weights": None, "frames": {}, "slider": "t"}, "frames holds no weights"),
        ({"weights": None, "frames": {1: WEIGHTS}}, "slider has no name"),
        (
            {"weights": None, "frames": {1: WEIGHTS, 2: [WEIGHTS, WEIGHTS]}, "slider": "t"},
            "The frame '2' has 2 heads, but the first frame has 1",
        ),
        ({"hidden": [[True]]}, r"The mask has shape \(1, 1\)"),
        ({"heads": ["a", "b"]}, "There are 2 names for 1 head"),
        ({"weights": [WEIGHTS, WEIGHTS], "heads": ["a", "a"]}, "the same name"),
        ({"queries": "Hello"}, "The queries are one text"),
        ({"keys": []}, "keys holds no word"),
        ({"alt": " "}, "alt text is empty"),
    ],
)
def test_mistakes_are_named(changes, message):
    call = {"weights": WEIGHTS, "queries": WORDS, "alt": "Attention.", **changes}
    weights = call.pop("weights")
    with pytest.raises(ValueError, match=message):
        attention_view(weights, **call)


def test_focus_is_a_query():
    with pytest.raises(IndexError, match="focus=3 is not a word"):
        attention_view(WEIGHTS, queries=WORDS, focus=3, alt="Attention.")


def test_alt_is_one_line():
    assert one_line(" a\n  b ") == "a b"
