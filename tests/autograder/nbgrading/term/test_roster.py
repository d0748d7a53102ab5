"""A table of students is read as spreadsheets save it, and what is wrong in it has its line."""

import csv
import io
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.errors import RosterError
from autograder.nbgrading.term.roster import Listed, read_roster, update_gradebook
from tests.support.gradebooks import gradebook_in

pytestmark = pytest.mark.filterwarnings("ignore:Object of type .* not in session")

LESSONS = {"02": "02_vectors", "03": "03_tensors"}
TABLE = """\
id,last_name,first_name,email,lms_user_id,extension,extension 02
ada,Lovelace,Ada,ada@example.org,1815,,

ben,"Babbage, Jr.",Ben "the" B,,1791,2,7.5
"""
BEN = {"last_name": "Babbage, Jr.", "first_name": 'Ben "the" B', "email": "", "lms_user_id": "1791"}


def read(path: Path, content: str | bytes) -> list[Listed]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_roster(path, LESSONS.__getitem__)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "roster.csv"


def test_table(path: Path) -> None:
    ada, ben = read(path, TABLE.replace('Ben "the" B', '"Ben ""the"" B"'))
    assert (ada.id, ada.names["email"], ada.extension("02_vectors")) == (
        "ada", "ada@example.org", timedelta(),
    )  # fmt: skip
    assert ben.names == BEN
    assert ben.extension("02_vectors") == timedelta(days=7.5)
    assert ben.extension("03_tensors") == timedelta(days=2)


@pytest.mark.parametrize(
    "save",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace(",", ";").encode(),
        lambda text: text.replace(",", "\t").encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.replace("id,", "ID ,").encode(),
    ],
    ids=["mark", "windows", "semicolons", "tabs", "utf-16", "capitals"],
)
def test_as_spreadsheets_save_it(path: Path, save) -> None:
    text = "id,last_name\nada,Lovelace\nmüller,Müller\n李雷,李\n"
    assert [one.id for one in read(path, save(text))] == ["ada", "müller", "李雷"]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("", ":1: no column is called id, which names each student's folder"),
        ("name\nada\n", ":1: no column is called id, which names each student's folder"),
        ("id,age\n", ":1: no column can be called 'age': there are id, last_name, first_name, "
         "email, lms_user_id, extension, extension 02"),
        ("id,email,email\n", ":1: two columns are called email"),
        ("id\nada\nben\nada\n", ":4: ada is on line 2 as well"),
        ("id,email\nada\nben,b,c\n", ":3: this row has 3 cells and the first 2: put quotes around "
         "what has a separator in it"),
        ("id,email\n,a@b\n", ":2: '' is no id: "),
        ("id\no'brien\n", ":2: \"o'brien\" is no id: "),
        ("id,extension\nada,two\n", ":2: an extension is a number of days, as in 2 or 0.5, not "
         "'two'"),
        ("id,extension\nada,-1\n", ":2: an extension is a number of days, as in 2 or 0.5, not "
         "'-1'"),
        ("id,extension\nada,nan\n", ":2: an extension is a number of days"),
        (f"id,email\nada,{'x' * 129}\n", ":2: email can't be 'xxx"),
        ("id,last_name\nada,Love\0lace\n", ":2: last_name can't be 'Love"),
        ("last_name,id\nBabbage\n", ":2: '' is no id"),
        ('id,first_name\nada,"\x1b[31mAda"\n', ":2: first_name can't be '"),
        ('id\n"ada\n', ":2: this is not CSV: unexpected end of data"),
        (b"id\nada\nm\xfcller\n", ":3: this is not UTF-8: save it from the spreadsheet as CSV "
         "UTF-8"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(path: Path, table: str | bytes, said: str) -> None:
    with pytest.raises(RosterError) as error:
        read(path, table)
    assert str(error.value).startswith(f"{path}{said}")


def test_missing_file(path: Path) -> None:
    with pytest.raises(RosterError, match=r"can't be read: No such file"):
        read_roster(path, str)


any_name = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), max_size=20)


@given(st.lists(st.tuples(any_name, any_name), max_size=5))
def test_names_arrive_as_they_were_written(tmp_path_factory, names) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["id", "last_name", "first_name"])
    writer.writerows([f"s{place}", *pair] for place, pair in enumerate(names))
    found = read(path, text.getvalue())
    assert [(one.names["last_name"], one.names["first_name"]) for one in found] == names


FIRST = ["Zoë", "Søren", "Анна", "Ἑλένη", "محمد", "雷", 'William "Bill"', "Jean-Luc"]
LAST = ["O'Brien", "Müller, Jr.", "Иванов", "Παπαδόπουλος", "الخوارزمي", "李", "de la Cruz; III"]


def test_a_class_of_three_hundred_in_five_scripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["id", "first_name", "last_name"])
    names = {f"s{n:03}": (FIRST[n % len(FIRST)], LAST[n % len(LAST)]) for n in range(300)}
    writer.writerows([one, *pair] for one, pair in names.items())
    students = read(tmp_path / "roster.csv", text.getvalue())
    with gradebook_in(tmp_path, monkeypatch) as gradebook:
        assert update_gradebook(gradebook, students) == (300, 0)
        kept = {one.id: (one.first_name, one.last_name) for one in gradebook.students}
    assert kept == names


def test_gradebook_learns_and_forgets_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with gradebook_in(tmp_path, monkeypatch) as gradebook:
        gradebook.add_student("ada", email="old@example.org", first_name="Ada")
        gradebook.add_student("gone")
        listed = [
            Listed("ada", {"email": "new@example.org", "first_name": ""}),
            Listed("李雷", {"last_name": "李"}),
        ]
        assert update_gradebook(gradebook, listed) == (1, 1)
        assert update_gradebook(gradebook, listed) == (0, 0)
        ada = gradebook.find_student("ada")
        assert (ada.first_name, ada.email) == ("Ada", "new@example.org")
        assert {one.id for one in gradebook.students} == {"ada", "gone", "李雷"}
