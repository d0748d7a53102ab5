"""Where the links of a text lead when it has become a page."""

from pathlib import PurePosixPath

import pytest

from autograder.site.texts.links import Links, slug

PAGES = {PurePosixPath(one) for one in ("README.md", "docs/a.md", "docs/b.md", "x/01_x/01_x.ipynb")}
HERE = PurePosixPath("docs/a.md")


def mended(text: str, repository: str = "") -> str:
    return Links(PAGES, repository).mended(text, HERE)


@pytest.mark.parametrize(
    "link",
    ["[b](b.md)", "[b](b.md#a-part)", "[up](../README.md)", "[here](#there)", "[x](https://a.org)"],
)
def test_links_between_pages_stay(link: str) -> None:
    assert mended(f"See {link}.") == f"See {link}."


def test_a_section_is_named_as_its_page_names_it() -> None:
    link = "[sums](../x/01_x/01_x.ipynb#Sums-by-letters%3A-einsum)"
    assert mended(link) == "[sums](../x/01_x/01_x.ipynb#sums-by-letters-einsum)"
    assert slug("Sums by letters: `einsum`") == "sums-by-letters-einsum"


def test_command_has_the_address() -> None:
    command = "```\ngit clone <this repository> mine\n```"
    assert mended(command) == command
    assert "git clone https://github.com/ada/mixing mine" in mended(command, "ada/mixing")
    assert mended("<this repository>", "ada/mixing") == "<this repository>"


def test_what_is_no_page_is_in_the_repository_or_no_link() -> None:
    text = "Look at [`code` of ours](../src/code.py#L3) and ![a [b] picture](c.png)."
    assert mended(text) == "Look at `code` of ours and a [b] picture."
    there = "https://github.com/ada/stats/blob/HEAD"
    assert mended(text, "ada/stats") == (
        f"Look at [`code` of ours]({there}/src/code.py#L3) "
        f"and ![a [b] picture]({there}/docs/c.png)."
    )


def test_what_lies_outside_of_the_course_is_no_link() -> None:
    assert mended("[x](../../other/x.md)", "ada/stats") == "x"


@pytest.mark.parametrize(
    "code", ["`[x](y.md)`", "``a ` [x](y.md)``", "```text\n[x](y.md)\n\n[x](z.md)\n```"]
)
def test_code_stays_as_it_is(code: str) -> None:
    assert mended(f"{code}\n\n[x](gone.md)") == f"{code}\n\nx"


def test_a_tick_alone_hides_no_link_of_the_next_paragraph() -> None:
    assert mended("One ` tick.\n\n[x](gone.md) and `code`") == "One ` tick.\n\nx and `code`"
