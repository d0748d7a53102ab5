"""A page that shows what only the instructor has is never published."""

from html import escape
from pathlib import Path

import pytest

from autograder.authoring.build.build import Built
from autograder.site.errors import SiteError
from autograder.site.secrets import Secret, refuse_secrets, secrets_of
from tests.support.site_course import SECRETS

PAGE = Path("docs/page.html")


@pytest.fixture(scope="module")
def secrets(built: Built) -> list[Secret]:
    return secrets_of([built])


@pytest.mark.parametrize("what", SECRETS)
def test_each_kind_of_secret_is_found(what: str, secrets: list[Secret]) -> None:
    page = f"<html><body><p>Look:</p><pre>{escape(SECRETS[what])}</pre></body></html>"
    with pytest.raises(SiteError, match=f"^{PAGE} would show {what}: "):
        refuse_secrets([(PAGE, page)], secrets)


@pytest.mark.parametrize("what", SECRETS)
def test_it_is_found_in_colours_and_over_lines(what: str, secrets: list[Secret]) -> None:
    coloured = "\n  ".join(f"<b>{escape(one)}</b>" for one in SECRETS[what])
    with pytest.raises(SiteError, match=what):
        refuse_secrets([(PAGE, f"<style>b {{}}</style>{coloured}")], secrets)


def test_what_students_are_given_is_no_secret(built: Built, secrets: list[Secret]) -> None:
    text = "\n\n".join(escape(cell.source) for cell in built.student.cells)
    refuse_secrets([(PAGE, text)], secrets)
    hints = [hint for exam in built.exams.values() for hint in exam.hints.values()]
    refuse_secrets([(PAGE, " ".join(hints))], secrets)
