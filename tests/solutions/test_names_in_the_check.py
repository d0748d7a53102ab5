"""What a learner's check says of a known mistake is true of it: its own hint, or one like it.

The check knows the printed examples alone, and what differs in hidden cases only may look alike
there. Then the hint that it gives has to be true of both.
"""

import re

import pytest

from autograder.authoring.build.proofs import Proofs
from tests.support.course import COURSE, every_exam

PROOFS = {lesson: Proofs(COURSE).of(lesson) for lesson in COURSE.lessons()}
# Why the check does not name a mistake, as the build says it.
_ANOTHERS = re.compile("gives what (.+) gives on the printed examples")

# By exercise: the mistakes, and the other ones whose hints are told and say what is true of either.
TRUE_OF_BOTH = {
    "01_additive_attention/luong_score": {"part_of_dot": "parts_of_a_name"},
    "02_dot_product_self_attention/is_permutation_equivariant": {"any_word": "any_number"},
    # By the width squared, or by twice the width: a key has two features.
    "04_causal_attention/CausalAttention": {"BracketsMissingInThePower": "DividedByTheSquare"},
    "05_multi_head_attention/MultiHeadAttention": {
        "BracketsMissingInThePower": "DividedByTheSquare"
    },
    "07_grouped_query_attention/decode_step": {
        "brackets_missing_in_the_power": "divided_by_the_square"
    },
    # It says what has to be a multiple of what.
    "07_grouped_query_attention/GroupedQueryAttention": {"FeaturesSharedOut": "SharesUnchecked"},
    # A leak in the second sentence goes unseen by either.
    "05_multi_head_attention/is_blind_to_padding": {"last_place_only": "first_sentence_only"},
    # It does not say that two columns divide 0 by 0, and names both ways to come there.
    "06_positional_encoding/sinusoidal_encoding": {"divided_by_less": "ends_at_ten_thousand"},
    # It names a tolerance and a softmax.
    "06_positional_encoding/is_relative": {
        "a_thousandth_allowed": "too_tolerant",
        "weights_compared": "too_tolerant",
    },
    # It names the lower triangle and token 0.
    "08_efficient_attention/layers_until_all_meet": {"first_token_followed_alone": "always_causal"},
    # Who splits at any whitespace splits at spaces.
    "09_transformer/learn_merges": {"SplitAtWhitespace": "WithinWords"},
}


@pytest.mark.parametrize("place", every_exam())
def test_check_says_what_is_true(place: str) -> None:
    exam, (lesson, name) = every_exam()[place], place.split("/")
    told = {
        mistake: found[1]
        for mistake, why in PROOFS[lesson][name].unnamed.items()
        if (found := _ANOTHERS.match(why)) and exam.hints[found[1]] != exam.hints[mistake]
    }
    assert told == TRUE_OF_BOTH.get(place, {})
