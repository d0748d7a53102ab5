"""Every section of the five documents has its place in a lesson, under a heading that exists."""

import re
from collections.abc import Iterator

import pytest

from autograder.authoring.build.tables.curriculum import FILE
from autograder.course import lesson_number
from tests.support.course import COURSE

# In the order of the documents, as they are read without the lines that only name a page's parts.
SECTIONS = {
    "S0": (
        "Introduction",
        "Calculation logic",
        "Obtaining attention weights",
        "Obtaining one query vector and one key vector",
        "Computing a single raw weight",
        "All raw weights for a single query vector",
        "Scaling the attention weights",
        "Iterating to get all attention weights",
        "Obtaining value vectors and context vectors",
        "Value vectors",
        "Computing a context vector",
        "Iterative calculation of context vectors",
        "Complete calculation logic of a self-attention module",
        "Practical implementation",
        "2 equivalent workflows to obtain the Query, Key and Value Matrices",
        "Matrix multiplication as dot-products",
        "Conclusion",
    ),
    "S1": (
        "Attention Mechanisms and Self-Attention in Neural Networks",
        "Understanding Attention Mechanisms",
        "Example: Machine Translation",
        "Introduction to Self-Attention",
        "Key Concepts",
        "Calculating Attention Weights: A Step-by-Step Example",
        "Step 1: Compute Attention Scores",
        "Step 2: Normalize Attention Scores to Obtain Attention Weights",
        "Step 3: Compute the Context Vector",
        "Summary of the Process",
        "Self-Attention with Trainable Weights",
        "Step 1: Compute Queries, Keys, and Values",
        "Step 2: Compute Scaled Dot-Product Attention",
        "Step 3: Compute Context Vectors",
        "Code Example (self-attention)",
        "Causal Attention: Hiding Future Words",
        "Applying a Causal Attention Mask",
        "Masking Additional Attention Weights with Dropout",
        "Code Example (causal attention)",
        "Extending Single-Head Attention to Multi-Head Attention",
        "Code Example (multi-head attention)",
    ),
    "S2": (
        "What are Transformers?",
        "How Do Transformers Learn Context from Data?",
        "What is the Attention Mechanism?",
        "What is Self-Attention?",
        "Where and How Does Self-Attention Feature in Transformers?",
        "Self-Attention",
        "Attention Weight Matrix (A)",
        "How Does the QK-Module Work?",
        "The Process Begins",
        "Multi-Head Attention",
        "Transformer in a Nutshell",
        "'Attention Is Really All You Need'",
        "Blank Template for Hand-Exercise",
    ),
    "S3": (
        "Introduction",
        "Attention Mechanism Basics",
        "Types of Attention",
        "Attention Math",
        "Computational Difference Between Luong- and Bahdanau-",
        "Sparse",
        "Linearized",
        "Query and Grouped-Query",
        "8.2 Self",
        "Transformer Encoder (overview)",
        "Transformer Encoder",
        "Positional Encoding",
        "Implementation and Complexity",
        "Implementation",
        "Complexity by Model",
        "Frequently Asked Questions",
    ),
    "S4": (
        "Introduction",
        "Motivation: Why Attention?",
        "Single Headed Attention Mechanism",
        "Matrix Computation",
        "Advanced Attention",
    ),
}
_TABLE = re.compile(
    r"^\| (S\d) \| lesson and heading \|\n\|[- |]+\|\n((?:\|.*\|\n)+)", re.MULTILINE
)
_HEADING = re.compile(r"^##+ (.+)$", re.MULTILINE)


def places() -> Iterator[tuple[str, str, str]]:
    """Document, section, and the places that the table gives for it."""
    for document, body in _TABLE.findall((COURSE.root / FILE).read_text(encoding="utf-8")):
        for line in body.splitlines():
            section, where = line.strip("| ").split(" | ")
            yield document, section, where


HEADINGS = {
    f"{lesson_number(lesson)} · {heading}"
    for lesson in COURSE.lessons()
    for heading in _HEADING.findall(COURSE.lesson_file(lesson).read_text(encoding="utf-8"))
}


@pytest.mark.parametrize("document", SECTIONS)
def test_no_section_is_missing(document: str) -> None:
    assert tuple(section for one, section, _ in places() if one == document) == SECTIONS[document]


@pytest.mark.parametrize(("document", "section", "where"), list(places()))
def test_section_has_a_heading(document: str, section: str, where: str) -> None:
    assert set(where.split("; ")) <= HEADINGS
