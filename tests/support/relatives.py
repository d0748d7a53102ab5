"""Holes that were found where our own side collects, renders, lists and judges, with relatives of
each: what somebody would try next who has read how it was mended.

A test holds each of them. Most stand there by name or by the input itself, which is the `case`
here: `test_security` looks for it in the test's file. Where stock nbgrader has such a part, it is
tried with the same input, see `benchmarks/relatives.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Relative:
    """One thing to try.

    Attributes:
        name: what it does, in a few words.
        test: the test that holds it, as `file::function` below tests/.
        case: the words by which the test's file names it; none if the function is about it alone.
        stock: how it is tried on stock nbgrader; nothing if that has no such part.
        ours: what comes of it here.
    """

    name: str
    test: str
    case: str = ""
    stock: str = ""
    ours: str = ""


@dataclass(frozen=True)
class Hole:
    """What was once open, what comes of it now, and its relatives.

    Attributes:
        name: what happened.
        ours: what comes of it now, where a relative says nothing else.
        relatives: at least three.
        without: why stock nbgrader has no such hole, where it has no such part.
    """

    name: str
    ours: str
    relatives: tuple[Relative, ...]
    without: str = ""


def _each(test: str, stock: str, cases: dict[str, str], ours: str = "") -> Iterator[Relative]:
    """Relatives of one test: what they do, and what they are called there."""
    for case, name in cases.items():
        yield Relative(name, test, case, stock, ours)


_ZIP = "autograder/nbgrading/term/test_zip_hand_ins"
_ANSWERS = "autograder/nbgrading/pages/test_answers"
_COLLECT = "autograder/nbgrading/inbox/test_collect"
_EXAMINER = "autograder/grading/test_examiner_process"
_FORGED = "autograder/grading/test_forged_replies"
_GRADE = "autograder/grading/test_grade"
_LETTERS = "autograder/nbgrading/pages/test_letters"
_ZIP = "autograder/nbgrading/term/test_zip_hand_ins"
_SANDBOX = "autograder/student/sandbox/test_sandbox"
_RULES = "autograder/checks/exam/test_rules"
_STAMPS = "autograder/nbgrading/inbox/test_timestamps"
_ATTACK = "whole/test_attacks::test_attack_earns_nothing"
_FOLDER = "whole/test_attacks::test_folder_earns_nothing"
_WRONG = "does not pass"
_AS_HONEST = "as an honest wrong answer"

HOLES = (
    Hole(
        "what a student wrote or handed in runs where formgrader shows it",
        "shown as text",
        (
            *_each(f"{_ANSWERS}::test_formula_that_could_do_more_is_text", "formula", {
                r"\href{http:report.html}{x}": "a formula with a link to a file beside the page",
                r"\text{\href{http:report.html}{x}}": "the link within the formula's text",
                r"\def\a{\href}\a{http:report.html}{x}": "a macro of one's own that makes the link",
                r"\style{position:fixed}{x}": "a formula that covers the page",
                r"\cssId{why}{x}": "a formula with the id of the field for the score",
                r"\require{html}": "a formula that loads an extension",
            }),
            *_each(f"{_ANSWERS}::test_nothing_is_live", "answer", {
                "<script>alert(1)</script>": "a script in an answer in words",
                "[here](http:report.html)": "a link in an answer in words",
                "![picture](report.svg) ![picture][far]\n\n[far]: report.svg": "a picture that is "
                "a file of the student's",
                "<svg/onload=alert(1)>\n\n<iframe srcdoc='<script>alert(1)</script>'>": "a drawing "
                "and a frame",
                "# <a name=why>heading</a>": "a heading in the place of the field for the score",
            }),
            Relative("an exception's message with a formula",
                     "whole/test_way_out::test_nothing_runs_in_a_submission", "", "message"),
            *_each("whole/test_way_out::test_file_is_inert", "file", {
                "report.html": "a page beside the notebook",
                "report.xhtml": "a page by its other name",
                "report.svg": "a drawing with a script",
                "report.pdf": "a document",
            }, "kept and served as plain text"),
        ),
    ),
    Hole(
        "the name of a folder runs in formgrader's lists",
        "set aside, and said",
        (
            *_each(f"{_COLLECT}::test_odd_names_cost_themselves", "folder_named", {
                "<img src=x onerror=alert(1)>": "a folder in the exchange called as a picture with "
                "a script",
                "..": "a student called `..`",
                "-rf": "a student called as an option",
                "a b": "a student with a blank in the name",
                "[red]": "a student called as an order to the terminal",
            }),
            *_each(f"{_COLLECT}::test_odd_names_cost_themselves", "time_named", {
                "soon": "a folder whose time is a word",
                "9999-12-31": "a folder of the year 9999",
                "12:00": "a folder of no day",
            }),
            *_each("autograder/nbgrading/inbox/test_lists::test_lists_of_students", "listed", {
                "<img src=x onerror=alert(1)>": "a folder of that name in `submitted/`",
                "x;y": "a folder called as two orders",
            }, "listed nowhere"),
        ),
    ),
    Hole(
        "a wrong answer passes: the test compares nothing, or with what the student has made",
        _WRONG,
        (*_each(_ATTACK, "tests", {
            "for n, m in pairs:\n    assert double(n) == m": "a list filled in a loop is emptied",
            "assert double(2) == expected[0]": "a list filled by a call is filled anew",
            "assert double(2) == four": "a name bound by `with` is bound anew",
            "assert double(2) == numbers.floor(4.5)": "a module imported within `try` is replaced",
            "assert double(2) == limit == most": "names bound by `:=` and within `if` are set",
            "assert double(2) == steps": "a name counted up by `while` is set",
            "assert max(double(2), 0) == 4": "a builtin function is replaced",
            "assert double(2) == Case.expected": "an attribute of a given class is set",
            "assert close(double(2), 4)": "a given function gets other defaults",
        }), *_each(_ATTACK, "tests", {
            "assert np.allclose(double(np.ones(3)), 2)": "an empty array is close to everything",
            "assert (double(np.ones(3)) == 2).all()": "all of an empty array is right",
            "assert all(n == 1 for n in double([1, 1]))": "so is all of an empty list",
            "assert double('ab') in 'abab'": "an empty text is a part of every other",
            "for one, other in zip(double([1, 2]), [1, 2, 1, 2]):\n    assert one == other":
                "`zip` ends with the shorter list",
            "assert set(double([1, 2])) <= {1, 2}": "a set with less is a part of the right one",
        }, "waits for a human")),
    ),
    Hole(
        "somebody else's work is collected, or takes the place of a student's own",
        "set aside, and said; earlier work stays",
        (
            Relative("a notebook that is a link to the instructor's",
                     f"{_COLLECT}::test_links_are_not_followed", "notebook", "linked"),
            Relative("a folder that is a link to another student's",
                     f"{_COLLECT}::test_links_are_not_followed", "folder", "linked"),
            *_each(f"{_COLLECT}::test_doubtful_replaces_nothing", "newer", {
                "as_link": "a newer folder whose notebook is a link",
                "as_pipe": "a newer folder whose notebook is a pipe",
                "as_folder": "a newer folder whose notebook is a folder",
                "closed": "a newer folder whose notebook is closed",
                "closed_folder": "a newer folder that is closed",
            }),
            Relative("a newer folder of another user's in a student's name",
                     f"{_COLLECT}::test_owner_is_the_student", "by mallory", "newer"),
            Relative("a hard link to somebody else's file",
                     f"{_COLLECT}::test_hard_links_of_others_files"),
            Relative("a folder that becomes a link while it is read",
                     "autograder/grading/test_submitted_files::test_folder_that_becomes_a_link"),
            Relative("a newer folder whose notebook its owner keeps from being opened",
                     f"{_COLLECT}::test_doubtful_replaces_nothing", "leased"),
            Relative("an exchange of a student's own in the place of the course's",
                     f"{_COLLECT}::test_exchange_that_somebody_has_put_there",
                     ours="nothing is collected, and said"),
            Relative("somebody who has taken another's name on the learning platform",
                     f"{_ZIP}::test_who_takes_anothers_name_hands_in_for_nobody"),
        ),
        "not tried: it takes two users, or a race",
    ),
    Hole(
        "what a student's code returns fills the grader's memory",
        "costs that test",
        (
            *_each(f"{_EXAMINER}::test_large_tests_are_ended", "", {
                "assert [double(0) for _ in range(100)] == [0] * 100": "4 MB for each of 100 calls",
                "assert [double(0) for _ in range(3)] == [0] * 3": "long strings with an emoji",
                "assert not double(np.zeros((1, 2))).sum(axis=0).any()": "an axis of length 0",
                "assert 2 ** double(3) == 64": "a power of what was returned",
                "assert not np.zeros(double(3)).any()": "an array as long as what was returned",
                "assert list(range(double(3))) == [0, 1, 2, 3, 4, 5]": "a list as long as that",
            }),
            Relative("small values that are large as objects",
                     "autograder/student/rpc/codec/test_codec::test_memory_of_small_values"),
        ),
        "its tests run in the student's own process",
    ),
    Hole(
        "a page of a submission takes minutes, and formgrader waits for it",
        "a page within 10 s, or plain text",
        (
            Relative("99,000 lines of one blank",
                     "autograder/nbgrading/pages/test_rendering::test_blanks_cost_nothing",
                     "test_blanks_cost_nothing", "long_cell"),
            Relative("a line of 50,000 `a.`", "autograder/nbgrading/pages/test_rendering"
                     "::test_page_that_takes_too_long_is_plain", "a.", "long_cell"),
            *_each(f"{_ANSWERS}::test_long_answers_lose_nothing", "long_cell", {
                "\\\\[": "an answer of 33,000 `\\\\[`",
                "[a](": "an answer of 25,000 links that do not end",
                "**a": "an answer of 33,000 emphases that do not end",
                "\\begin{a}": "an answer of 11,000 environments",
            }, "cut to 20,000 characters, and a page in time"),
        ),
    ),
    Hole(
        "a test finds no end with what a student's code returned",
        "the test took too long",
        tuple(_each(f"{_EXAMINER}::test_endless_test_is_ended", "endless", {
            "assert not is_prime(double(3))": "a prime of 27 digits",
            "assert sum(range(double(3))) == 15": "a long range",
            "assert double(3) ** double(2) == 1296": "a power of large numbers",
            "import re\nassert not re.match('(a+)+$', double('b'))": "a text for a regular "
            "expression",
            "import time\ntime.sleep(double(0))\nassert double(5) == 10": "a pause of 10^6 s",
            "try:\n    assert sum(range(double(3))) == 15\nexcept BaseException:\n    pass": "a "
            "long range, and a test that catches everything",
        })),
    ),
    Hole(
        "one timestamp takes formgrader's list away from the whole class",
        "shown as such in its own row",
        (
            *_each(f"{_STAMPS}::test_what_is_no_plain_file", "stamp", {
                "empty": "an empty file",
                "link": "a link to a file",
                "endless": "a link to no end of zeros",
                "circle": "a link to itself",
                "mkfifo": "a pipe",
                "mkdir": "a folder",
            }),
            *_each(f"{_STAMPS}::test_no_time", "stamp", {
                "nonsense": "a word",
                "9999-12-31 23:59:59 -23": "a time that its zone carries out of range",
                "2030-01-02 12:00:00 /etc/localtime": "a time zone that is a file",
                "2030-01-02T12:00:00+99:99": "a zone 99 hours away",
            }),
        ),
    ),
    Hole(
        "processes hold more memory than all of them may",
        "ended as out of memory",
        tuple(_each(f"{_SANDBOX}::test_memory_bomb_that_hides", "", {
            "copies of what was inherited": "forks that write to what they inherited",
            "copies by forks of forks": "forks of forks that do",
            "copies where nobody may look": "forks that nobody may look into",
            "memory that was inherited and given to another": "memory that its first owner gave up",
            "processes that stop each other": "processes that are stopped",
        })),
        "it limits no memory",
    ),
    Hole(
        "old full marks stay after a newer submission that is wrong",
        _AS_HONEST,
        (*_each(_FOLDER, "attack", {
            "a file that nobody may read": "a file of mode 000",
            "timestamp of 400 digits": "a timestamp of 400 digits",
            "a folder in the place of a file of the course's": "a folder called as a file of ours",
            "a pipe among the files": "a pipe among the files",
            "surrogates through nbgrader": "half a surrogate pair in the sources",
            "tests deleted after full marks": "a notebook without its tests",
            "three hundred thousand cells": "three hundred thousand cells",
        }),
            Relative("17 nested folders with names of 250 characters",
                     "autograder/nbgrading/test_converter"
                     "::test_no_old_score_after_a_blank_resubmission", "nested", "nested"),
        ),
    ),
    Hole(
        "what a process replies or displays crashes the grader",
        "costs itself",
        (
            *_each(f"{_FORGED}::test_html_that_no_parser_takes", "shown_html", {
                "<![foo[x]]>": "HTML with a section that nobody knows",
                "<![CDATA[x": "HTML with a section that does not end",
                "<!DOCTYPE [<!x": "HTML with a declaration that does not end",
            }, "left out"),
            *_each(f"{_FORGED}::test_forged_words_earn_nothing", "", {
                "(np.zeros(2), 1)": "a reply that begins with an array",
                "('found', Reference('object', 2**63), ())": "an object with a number too large",
                "('back', -10**4000)": "a place with 4,000 digits",
                "('returned', 10**4299, (), '', 10**4299, (np.zeros(2),))": "numbers that can't be "
                "printed",
                "('raised', '__class__', '__class__', '', '', '')": "an exception called as an "
                "attribute",
            }),
        ),
        "nothing replies to it",
    ),
    Hole(
        "a name breaks the table of a class",
        "shown as it is",
        (
            *_each("autograder/checks/card/test_terminal::test_table_of_a_class", "", {
                "b].txt": "a file called as the end of an order to the terminal",
                "[link=http:report.html]here[/link]": "a link in the terminal",
                "\x1b[2J\x1b[1;1Hall right": "an order that clears the terminal",
                "\u202egnp.exe": "letters that turn the writing around",
            }),
            *_each("autograder/nbgrading/exports/test_table::test_names_are_text", "exported", {
                '=HYPERLINK("http:report.html")': "a first name that is a formula",
                "@SUM(1)": "a formula as other programs write it",
                "a,b": "a first name with a comma",
                "a\nb": "a first name of two lines",
            }, "text in its own column"),
        ),
        "it shows no table in the terminal",
    ),
    Hole(
        "an answer uses the function that it must do without",
        "breaks the rule",
        (
            *_each(f"{_RULES}::test_walked_around", "", {
                "a line for the shell": "`x = !true` in the cell",
                "another exercise's cell": "an alias in another exercise's cell",
                "an added cell": "the answer in an added cell",
                "a file": "the answer in a file beside the notebook",
                "a private name": "the library's own inner function",
                "a text within a text": "a text that runs a text",
            }),
            *_each("autograder/student/rpc/test_watching::test_call_is_seen", "", {
                "by a name made at run time": "a name that is made at run time",
                "by the operators' table": "the function by PyTorch's table of operators",
                "by a library": "a layer that calls the function",
            }),
        ),
        "it has no such rule",
    ),
    Hole(
        "an object of the student's answers the test itself",
        _WRONG,
        tuple(_each(f"{_GRADE}::test_objects_do_not_answer_for_themselves", "objects", {
            "assert thing() == 4": "it is equal to everything",
            "assert len(thing()) == 4": "its length is what was expected",
            "assert thing()[0] == 4": "so is its first item",
            "assert 4 in thing()": "it contains everything",
            "assert thing().equals(4)": "it has a method `equals`",
            "assert thing().isupper()": "it has a method `isupper`",
            "assert bool(thing())": "it is true",
            "assert not thing().missing": "an attribute of it is false",
        })),
    ),
    Hole(
        "a test catches the end of the student's process as if it were an exception",
        "ended, so not passed",
        tuple(_each(f"{_EXAMINER}::test_end_of_a_process_is_no_exception", "caught", {
            "else:\n    raise AssertionError": "`except Exception`, with `else`",
            "except:\n    pass\nassert double(5) == 10": "an `except` that catches everything",
            "finally:\n        return 1\nassert asked()": "`finally` with `return`",
            "contextlib.suppress(BaseException)": "`contextlib.suppress`",
            "assertRaises(BaseException)": "`assertRaises`",
        })),
    ),
    Hole(
        "what a lent function said in one test earns the point of another",
        _WRONG,
        tuple(_each(f"{_GRADE}::test_what_a_lent_function_said_is_not_kept", "lent", {
            "in a file": "it is kept in a file",
            "in shared memory": "in shared memory",
            "in a pipe": "in a pipe",
            "by another process": "by another process",
        })),
    ),
    Hole(
        "the numbers that a check is shipped with are answers",
        _AS_HONEST,
        (
            Relative("a worksheet's numbers are read out",
                     "whole/test_security::test_points_that_can_be_read_out_are_counted",
                     ours="possible, see \"What remains possible\""),
            *_each(_ATTACK, "attack", {
                "expected numbers are looked up in checks.json": "the numbers of an exercise are "
                "looked up",
                "checks.json is forged and results are written": "`checks.json` is written anew",
            }),
            Relative("another lesson's function is the answer",
                     "autograder/student/rpc/test_watching::test_companions_function_is_seen",
                     "companion", ours="breaks the rule"),
        ),
        "it ships no checks",
    ),
    Hole(
        "feedback shows more than one expected number, or a live link",
        "at most one number",
        (
            Relative("eight numbers of one case",
                     "autograder/checks/exam/test_judge::test_one_expected_number_at_most"),
            Relative("infinities, truths and large numbers",
                     "autograder/checks/exam/test_judge::test_second_number_is_veiled"),
            Relative("hidden inputs in messages", _ATTACK, "hidden inputs leave in messages",
                     "attack", _AS_HONEST),
            *_each(f"{_ANSWERS}::test_nothing_is_live", "answer", {
                "https://example.org/report.html www.example.org": "an address in the text",
                "<http:report.html> and <someone@example.org>": "an address in angle brackets",
                "[here][far]\n\n[far]: http:report.html": "a link whose address stands elsewhere",
            }, "shown as text"),
        ),
        "its messages are the tests' own",
    ),
    Hole(
        "what a student's code shows keeps a browser busy for minutes",
        "left out",
        (
            *_each("autograder/grading/test_pictures::test_pictures_are_drawn_once", "", {
                "two thousand times": "a JPEG that comes in 2,000 parts",
                "a film": "a PNG that is a film",
                "filling": "a JPEG whose size stands elsewhere for who does not skip filling",
                "a mark alone": "the same with a mark that has no length",
            }),
            Relative("a letter with 100,000 accents", f"{_LETTERS}::test_what_takes_long_goes",
                     ours="a letter with twenty"),
            Relative("160,000 letters of ever other scripts",
                     f"{_LETTERS}::test_what_takes_long_goes", ours="`?` after so many"),
            Relative("a million lines", "autograder/grading/test_inert"
                     "::test_lines_of_a_page_have_bounds_together"),
        ),
        "not tried: what a browser takes was not measured",
    ),
    Hole(
        "one student's file stops what is done for all, or holds it up for minutes",
        "costs that file",
        (
            Relative("a folder in a zip whose name has more bytes than a file system takes",
                     f"{_ZIP}::test_name_that_can_not_be_made_costs_itself"),
            Relative("5 kB of bzip2 or LZMA that are gigabytes",
                     f"{_ZIP}::test_what_unpacks_without_bounds_is_left_out"),
            Relative("a hexadecimal number that Python reads and does not write",
                     "whole/test_readers::test_texts_stop_nobody", ours="compared line by line"),
            Relative("a large notebook of no lesson, beside the folders of lessons",
                     "autograder/nbgrading/pages/test_records"
                     "::test_what_is_of_no_lesson_is_read_once", ours="read once"),
            Relative("a notebook that takes long to be found unreadable",
                     "autograder/nbgrading/inbox/test_which_notebook"
                     "::test_what_has_not_changed_is_read_once", ours="read once in a minute"),
        ),
        "not tried: most of these commands are not of nbgrader",
    ),
)  # fmt: skip


def all_relatives() -> dict[str, Relative]:
    """All of them, by the numbers under which the page has them."""
    return {
        f"{number}.{place}": replace(one, ours=one.ours or hole.ours)
        for number, hole in enumerate(HOLES, 1)
        for place, one in enumerate(hole.relatives, 1)
    }
