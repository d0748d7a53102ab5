import json
import statistics

import numpy as np
import pytest

from autograder.checks import examples
from autograder.errors import CheckError, ExamError
from autograder.exam.exam import Exam
from autograder.exam.judge import judge
from tests.support.samples import Affine, affine_exam, mix, mixing_exam

CHECKS = examples.write({"mix": mixing_exam()})


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


@pytest.mark.parametrize("reveal", [True, False])
def test_settings_are_kept(tmp_path, reveal):
    def parts(x):
        return x + 1, x

    exam = Exam(parts, returns=("context", "weights"), reveal=reveal)

    @exam.example
    def one():
        """one number"""
        return np.ones(1)

    shipped = read_back(tmp_path, examples.write({"parts": exam}))["parts"]
    for case, original in zip(shipped.cases, exam.printed_cases(), strict=True):
        assert case.label == original.label
        assert case.names == original.names == ("context", "weights")
        assert case.reveal == original.reveal == reveal
        assert case.tolerance == original.tolerance


def test_several_exercises(tmp_path):
    exams = {"second": mixing_exam(), "first": mixing_exam()}
    assert list(read_back(tmp_path, examples.write(exams))) == ["second", "first"]


def test_same_text_twice():
    assert examples.write({"mix": mixing_exam()}) == CHECKS
    assert CHECKS.endswith("}\n")


def test_nothing_hidden_is_shipped():
    exam = json.loads(CHECKS)["exercises"]["mix"]
    assert [case["label"] for case in exam["cases"]] == [
        case.label for case in mixing_exam().printed_cases()
    ]
    assert "drawn at random" not in CHECKS
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
        '{"format": 2}',
        '{"format": 2, "exercises": []}',
        '{"format": 2, "exercises": {"mix": []}}',
        '{"format": 2, "exercises": {"mix": {"hints": {}}}}',
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


OLDER = "get the lesson anew, notebook and checks.json together"
NEWER = "is from a newer version of the course"


@pytest.mark.parametrize(("version", "what_to_do"), [("0", OLDER), ("1", OLDER), ("3", NEWER)])
def test_other_format(tmp_path, version, what_to_do):
    with pytest.raises(CheckError) as error:
        read_back(tmp_path, CHECKS.replace('"format":2', f'"format":{version}'))
    sentence = str(error.value)
    assert sentence.startswith(f"{tmp_path / 'checks.json'} is from a")
    assert f"(format {version}, and this program reads 2)" in sentence
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
    text = examples.write({"apply": exam_with(statistics.fmean)})
    for missing in ("no_such_module:fmean", "statistics:no_such_function"):
        with pytest.raises(CheckError) as error:
            read_back(tmp_path, text.replace("statistics:fmean", missing))
        sentence = str(error.value)
        assert sentence.startswith(f"{tmp_path / 'checks.json'} needs what is not installed (")
        assert "no_such" in sentence
        assert "\n" not in sentence


def test_function_beside_the_reference():
    exam = Exam(statistics.mean)
    exam.example(documented(lambda: [statistics.fmean]))
    with pytest.raises(ExamError) as error:
        examples.write({"mean": exam})
    assert str(error.value) == (
        "the exam of mean prints statistics:fmean, which learners don't have"
    )


def test_function_of_a_module():
    """What a package does not offer itself may move, and break what has been shipped."""
    with pytest.raises(ExamError, match=r"learners import from tests, which does not offer it$"):
        examples.write({"apply": exam_with(statistics.fmean, apply)})


def documented(function):
    function.__doc__ = "a sentence"
    return function


def test_driver_is_shipped_by_name(tmp_path):
    text = examples.write({"Affine": affine_exam()})
    assert json.loads(text)["exercises"]["Affine"]["use"] == "autograder:run_module"
    shipped = read_back(tmp_path, text)["Affine"]
    for answer in (Affine, *affine_exam().misconceptions.values(), no_answer):
        assert judge("Affine", answer, shipped.cases, shipped.hints) == affine_exam().preview(
            answer
        )


def test_driver_that_is_missing(tmp_path):
    text = examples.write({"Affine": affine_exam()}).replace("run_module", "run_no_module")
    with pytest.raises(CheckError, match="needs what is not installed"):
        read_back(tmp_path, text)


def test_damaged_tensor(tmp_path):
    text = examples.write({"Affine": affine_exam()})
    for old, new in (('"shape":[3,2]', '"shape":[3,3]'), ('"dtype":"float32"', '"dtype":"f"')):
        with pytest.raises(CheckError, match="is damaged"):
            read_back(tmp_path, text.replace(old, new))


def test_driver_beside_the_reference():
    with pytest.raises(ExamError, match="statistics:correlation, which learners don't have"):
        examples.write({"mean": Exam(statistics.mean, use=statistics.correlation)})


def test_driver_nobody_can_import():
    with pytest.raises(ExamError, match="which does not offer it"):
        examples.write({"apply": Exam(apply, use=lambda answer, x: answer(x))})


@pytest.mark.parametrize("forbids", [(), ("mean",), ("mean", "sum")])
def test_rules_are_shipped(tmp_path, forbids):
    exam = Exam(mix, forbids=forbids)

    @exam.example
    def one():
        """one"""
        return np.ones(2), np.ones((2, 3))

    text = examples.write({"mix": exam})
    assert ("forbids" in json.loads(text)["exercises"]["mix"]) == bool(forbids)
    assert read_back(tmp_path, text)["mix"].forbids == forbids


def test_groups_stay_hidden():
    exam = mixing_exam()

    @exam.case(group="secret group")
    def one(draw):
        """a secret case"""
        return draw.weights("tokens"), draw("tokens d_in")

    assert "secret" not in examples.write({"mix": exam})
