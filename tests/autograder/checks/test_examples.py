import base64
import bz2
import json

import numpy as np
import pytest

from autograder.authoring.build import shipping
from autograder.checks import examples
from autograder.checks.card.as_text import lines_of
from autograder.checks.drivers.ways import WAYS
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.judge import judge
from autograder.checks.packed import pack, unpack
from autograder.checks.values.compare import Tolerance
from autograder.errors import CheckError, ExamError
from companion import rope, softmax
from tests.support.samples import Affine, affine_exam, mix, mixing_exam

CHECKS = shipping.write({"mix": mixing_exam()})


@pytest.fixture(autouse=True)
def nothing_again():
    """What is shipped above has the case that others leave out."""


def read_back(folder, content: str | bytes) -> dict[str, examples.Printed]:
    content = content if isinstance(content, bytes) else content.encode()
    (folder / examples.FILE).write_bytes(content)
    return dict(examples.read(folder))


def other_answer(weights, values):
    return values * 3


def no_answer(weights, values):
    raise NotImplementedError


ANSWERS = [mix, *mixing_exam().misconceptions.values(), other_answer, no_answer]


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.__name__)
def test_same_verdict_after_shipping(tmp_path, answer):
    shipped = read_back(tmp_path, CHECKS)["mix"]
    assert judge("mix", answer, shipped.cases, shipped.hints) == mixing_exam().preview(answer)


def test_names_of_inputs_are_kept(tmp_path):
    exam = affine_exam()
    exam.inputs = ("query", "keys")
    shipped = read_back(tmp_path, shipping.write({"Affine": exam}))["Affine"]
    assert {case.inputs for case in shipped.cases} == {("query", "keys")}
    assert shipped.cases[0].axes == exam.printed_cases()[0].axes


@pytest.mark.parametrize("reveal", [True, False])
def test_settings_are_kept(tmp_path, reveal, monkeypatch):
    monkeypatch.delitem(WAYS, "again")

    def parts(x):
        return x + 1, x

    exam = Exam(parts, returns=("context", "weights"), reveal=reveal)

    @exam.example
    def one():
        """one number"""
        return np.ones(1)

    shipped = read_back(tmp_path, shipping.write({"parts": exam}))["parts"]
    for case, original in zip(shipped.cases, exam.printed_cases(), strict=True):
        assert case.label == original.label
        assert case.names == original.names == ("context", "weights")
        assert case.reveal == original.reveal == reveal
        assert case.tolerance == original.tolerance


def test_several_exercises(tmp_path):
    exams = {"second": mixing_exam(), "first": mixing_exam()}
    assert list(read_back(tmp_path, shipping.write(exams))) == ["second", "first"]


def test_same_text_twice():
    assert shipping.write({"mix": mixing_exam()}) == CHECKS
    assert CHECKS.endswith("}\n")


def test_no_hidden_case_is_shipped():
    """What hidden cases try is told; what they are is not, nor what holds of every answer."""
    exam = json.loads(CHECKS)["exercises"]["mix"]
    assert [case["label"] for case in exam["cases"]] == [
        case.label for case in mixing_exam().printed_cases()
    ]
    assert exam["untried"] == ["a mixture drawn at random"]
    assert "twice the values" not in CHECKS
    assert "return" not in CHECKS


def test_missing_file(tmp_path):
    with pytest.raises(CheckError) as error:
        examples.read(tmp_path / "nowhere")
    assert str(error.value) == (
        f"checks.json is not in {tmp_path / 'nowhere'}: keep it beside the notebook it came with"
    )


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "7",
        '"format"',
        b"\xff",
        "{}",
        '{"format": 5}',
        '{"format": 5, "exercises": []}',
        '{"format": 5, "exercises": {"mix": []}}',
        '{"format": 5, "exercises": {"mix": {"hints": {}}}}',
        CHECKS.replace('"array"', '"arrays","more"'),
        CHECKS.replace('"float32"', '"float33"'),
        CHECKS.replace('"shape":[3]', '"shape":[4]'),
        CHECKS.replace('"tolerance"', '"tolerances"'),
    ],
)
def test_damaged_file(tmp_path, content):
    with pytest.raises(CheckError) as error:
        read_back(tmp_path, content)
    sentence = str(error.value)
    assert sentence.startswith(f"{tmp_path / 'checks.json'} is damaged (")
    assert sentence.endswith("copy it again from where the notebook came from")
    assert "\n" not in sentence


def test_cut_off_file(tmp_path):
    for length in range(0, len(CHECKS) - 2, 50):
        with pytest.raises(CheckError, match="is damaged"):
            read_back(tmp_path, CHECKS[:length])


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The examples of two lessons in the installed package, of which both have a `mix`."""
    folder = tmp_path / "lessons"
    folder.mkdir()
    for number, other in (("01", "Affine"), ("02", "by_hand")):
        exams = {"mix": mixing_exam(), other: affine_exam()}
        text = json.dumps(json.loads(shipping.write(exams)) | {"lesson": number})
        (folder / f"{number}_x.json").write_text(text)
    monkeypatch.setattr(examples, "INSTALLED", folder)
    examples.installed.cache_clear()
    yield tmp_path
    examples.installed.cache_clear()


@pytest.mark.parametrize(
    ("names", "around", "lesson"),
    [
        (["Affine"], [], "01"),
        (["by_hand"], ["Affine", "mix"], "02"),
        (["mix"], ["np", "mix", "by_hand"], "02"),
        ([], ["np", "Affine"], "01"),
    ],
)
def test_installed_examples(installed, names, around, lesson):
    found = examples.of_notebook(installed, names, around)
    assert (found.lesson, found.is_installed) == (lesson, True)


def test_those_beside_the_notebook_go_before_the_installed_ones(installed):
    (installed / examples.FILE).write_text(CHECKS)
    found = examples.of_notebook(installed, ["Affine"], [])
    assert ([*found], found.is_installed) == (["mix"], False)


@pytest.mark.parametrize(
    ("names", "what"), [(["old", "mix2"], "called old"), ([], "of this notebook")]
)
def test_notebook_of_another_version(installed, names, what):
    with pytest.raises(CheckError) as error:
        examples.of_notebook(installed, names, ["np", *names])
    assert str(error.value) == (
        f"checks.json is not in {installed}, and the installed {examples.installed_version()} has "
        f"no exercise {what}: keep the file beside the notebook it came with, or install the "
        "version of the course that they are from"
    )


def test_a_clone_has_no_installed_examples(tmp_path):
    with pytest.raises(CheckError, match=r"keep it beside the notebook it came with$"):
        examples.of_notebook(tmp_path, ["mix"], ["mix"])


def a_worksheet() -> Exam:
    def by_hand():
        return {"scores": [0.78423, -12.5417], "mean": 3.142e-3}

    exam = Exam(by_hand, tolerance=Tolerance(absolute=6e-5), reveal=False)

    @exam.example
    def numbers():
        """your numbers"""
        return ()

    @exam.misconception
    def doubled():
        """Twice as much."""
        return {"scores": [1.56846, -25.0834], "mean": 6.284e-3}

    return exam


def test_worksheet_keeps_its_numbers(tmp_path):
    text = shipping.write({"by_hand": a_worksheet()})
    for digits in ("7842", "5417", "3.14", "0031", "5684", "0834", "6.28", "0062"):
        assert digits not in text
    (case,) = read_back(tmp_path, text)["by_hand"].cases
    assert case.expected.value == {"scores": [0.78423, -12.5417], "mean": 3.142e-3}


@pytest.mark.parametrize(
    ("numbers", "finding", "hint"),
    [
        ({"scores": [0.7842, -12.5417], "mean": 0.0031}, "", ""),
        ({"scores": [1.5685, -25.0834], "mean": 0.0063}, "scores[0]", "Twice as much."),
        ({"scores": [0.7842, -12.5], "mean": 0.0031}, "scores[1]", ""),
    ],
)
def test_packed_numbers_are_compared(tmp_path, numbers, finding, hint):
    shipped = read_back(tmp_path, shipping.write({"by_hand": a_worksheet()}))["by_hand"]
    report = judge("by_hand", lambda: numbers, shipped.cases, shipped.hints)
    assert report.hint == hint
    said = " ".join(lines_of(report))
    assert finding in said
    assert not any(number in said for number in ("0.7842", "12.5417"))


@pytest.mark.parametrize(
    "value", [None, 7, 0.1, "ä", [], {"dict": {"a": [1.5, {"number": "nan"}]}}, list(range(9999))]
)
def test_packed_comes_back(value):
    assert unpack(pack(value)) == value


def test_packed_is_the_same_everywhere():
    word = "QlpoOTFBWSZTWZsPX0kAAAwbgBAFf/AACgoAmAogADFABiNNNGhQD1AaaDJ5AAYtUr4gREZmnUQKvxdy"
    assert pack({"scores": [0.7842, 1.3569]}) == word + "RThQkJsPX0k="


@pytest.mark.parametrize("word", ["", "x", "QQ==", "Qlpo", "QlpoOTFBWSZTWZsP", "ä", 7, None, []])
def test_damaged_word(tmp_path, word):
    damaged = json.loads(CHECKS)
    damaged["exercises"]["mix"]["outcomes"] = word
    with pytest.raises(CheckError, match="is damaged"):
        read_back(tmp_path, json.dumps(damaged))


def test_word_that_unpacks_to_very_much():
    """Two hundred characters of it are 70 MB, and two thousand would be gigabytes."""
    with pytest.raises(ValueError, match="larger than any of ours"):
        unpack(base64.b64encode(bz2.compress(b" " * 70_000_000)).decode())


OLDER = "get the lesson anew, notebook and checks.json together"
NEWER = "is from a newer version of the course"


@pytest.mark.parametrize(("version", "what_to_do"), [("0", OLDER), ("3", OLDER), ("6", NEWER)])
def test_other_format(tmp_path, version, what_to_do):
    with pytest.raises(CheckError) as error:
        read_back(tmp_path, CHECKS.replace('"format":5', f'"format":{version}'))
    sentence = str(error.value)
    assert sentence.startswith(f"{tmp_path / 'checks.json'} is from a")
    assert f"(format {version}, and this program reads 5)" in sentence
    assert what_to_do in sentence
    assert "\n" not in sentence


def apply(function, x):
    return function(x)


def exam_with(*functions) -> Exam:
    exam = Exam(apply)

    @exam.example
    def example():
        """the mean of two"""
        return list(functions), np.ones(2)

    return exam


def test_function_that_is_missing(tmp_path):
    text = shipping.write({"apply": exam_with(softmax)})
    for missing in ("no_such_module:softmax", "companion:no_such_function", "os:system"):
        with pytest.raises(CheckError) as error:
            read_back(tmp_path, text.replace("companion:softmax", missing))
        sentence = str(error.value)
        asks = f"{tmp_path / 'checks.json'} asks for what is not here ({missing} is no function "
        assert sentence.startswith(asks)
        assert "\n" not in sentence


def test_function_beside_the_reference():
    exam = Exam(rope)
    exam.example(documented(lambda: [softmax]))
    with pytest.raises(ExamError) as error:
        shipping.write({"rope": exam})
    assert str(error.value) == (
        "the exam of rope prints companion:softmax, which learners don't have"
    )


def test_function_of_a_module():
    """What a package does not offer itself may move, and break what has been shipped."""
    with pytest.raises(ExamError, match=r"a learner's check would not find tests:apply$"):
        shipping.write({"apply": exam_with(softmax, apply)})


def documented(function):
    function.__doc__ = "a sentence"
    return function


def test_driver_is_shipped_by_name(tmp_path):
    text = shipping.write({"Affine": affine_exam()})
    assert json.loads(text)["exercises"]["Affine"]["use"] == "autograder:run_module"
    shipped = read_back(tmp_path, text)["Affine"]
    for answer in (Affine, *affine_exam().misconceptions.values(), no_answer):
        assert judge("Affine", answer, shipped.cases, shipped.hints) == affine_exam().preview(
            answer
        )


def test_driver_that_is_missing(tmp_path):
    text = shipping.write({"Affine": affine_exam()}).replace("run_module", "run_no_module")
    with pytest.raises(CheckError, match="asks for what is not here"):
        read_back(tmp_path, text)


def test_damaged_tensor(tmp_path):
    text = shipping.write({"Affine": affine_exam()})
    for old, new in (('"shape":[3,2]', '"shape":[3,3]'), ('"dtype":"float32"', '"dtype":"f"')):
        with pytest.raises(CheckError, match="is damaged"):
            read_back(tmp_path, text.replace(old, new))


def test_driver_beside_the_reference():
    with pytest.raises(ExamError, match="companion:softmax, which learners don't have"):
        shipping.write({"rope": Exam(rope, use=softmax)})


def test_driver_nobody_can_import():
    with pytest.raises(ExamError, match="would not find"):
        shipping.write({"apply": Exam(apply, use=lambda answer, x: answer(x))})


@pytest.mark.parametrize("forbids", [(), ("mean",), ("mean", "sum")])
def test_rules_are_shipped(tmp_path, forbids):
    exam = Exam(mix, forbids=forbids)

    @exam.example
    def one():
        """one"""
        return np.ones(2), np.ones((2, 3))

    text = shipping.write({"mix": exam})
    assert ("forbids" in json.loads(text)["exercises"]["mix"]) == bool(forbids)
    assert read_back(tmp_path, text)["mix"].forbids == forbids


def test_groups_stay_hidden():
    exam = mixing_exam()

    @exam.case
    def one(draw):
        """a case of a group"""
        return draw.weights("tokens"), draw("tokens d_in")

    exam.half_but_for("secret group", one)
    assert "secret" not in shipping.write({"mix": exam})


def test_specimens_stay_hidden(tmp_path):
    def is_even(function, x):
        return bool(np.allclose(function(x), function(-x)))

    def squares(x):
        """The secret squares: even."""
        return x**2

    exam = Exam(is_even)
    exam.tries([squares], lambda draw: draw("d"))
    text = shipping.write({"is_even": exam})
    assert "secret" not in text
    assert read_back(tmp_path, text)["is_even"].untried == (
        "other functions, right and wrong ones",
    )
