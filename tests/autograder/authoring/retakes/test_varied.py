"""What a retake draws is of the kind that was asked for, and the same for the same number."""

import numpy as np
import pytest

from autograder.authoring.retakes.varied import Chance, drawing, varied


def drawn(number: int, name: str = "WORDS") -> list[float]:
    return Chance(number, name).numbers((4, 5), 0.05, 0.99, decimals=2).ravel().tolist()


def test_same_number_and_name_draw_the_same() -> None:
    assert drawn(7) == drawn(7)
    assert drawn(7) != drawn(8)
    assert drawn(7) != drawn(7, "SCORES")


def test_numbers_of_retakes_that_were_given_out_stay() -> None:
    assert Chance(7, "WORDS").numbers((4,), 0.05, 0.99, decimals=2).tolist() == [
        0.31,
        0.84,
        0.91,
        0.96,
    ]


@pytest.mark.parametrize("number", range(20))
def test_every_number_is_written_with_all_its_decimals(number: int) -> None:
    numbers = Chance(number, "").numbers((3, 3), 0.21, 0.98, decimals=2)
    assert ((numbers >= 0.21) & (numbers <= 0.98)).all()
    assert all(len(f"{one:.12g}") == len("0.21") for one in numbers.ravel())


@pytest.mark.parametrize("number", range(20))
def test_signed_numbers_are_of_both_signs(number: int) -> None:
    numbers = Chance(number, "").numbers((2,), 1, 4, decimals=0, signed=True)
    assert sorted(np.sign(numbers).tolist()) == [-1, 1]
    assert {*np.abs(numbers).tolist()} <= {1, 2, 3, 4}


@pytest.mark.parametrize("number", range(20))
def test_weights_sum_to_one(number: int) -> None:
    weights = Chance(number, "").weights(6, decimals=2)
    assert weights.shape == (6,)
    assert (weights > 0).all()
    np.testing.assert_allclose(weights.sum(), 1)
    np.testing.assert_allclose(weights, weights.round(2))


def test_what_can_not_be_drawn_is_said() -> None:
    with pytest.raises(ValueError, match="one number alone"):
        Chance(1, "").numbers((1,), 1, 4, decimals=0, signed=True)
    with pytest.raises(ValueError, match="11 positive numbers of 1 decimals sum to more than 1"):
        Chance(1, "").weights(11, decimals=1)


def test_a_specimen_is_the_lessons_own_unless_a_retake_is_made() -> None:
    original = np.array([0.5, 1.5])

    def specimen() -> np.ndarray:
        return varied("PAIR", original, lambda chance: chance.numbers((2,), 1, 9, decimals=1))

    assert specimen() is original
    with drawing(3) as specimens:
        another = specimen()
    assert another is not original
    assert specimens.by_name == {"PAIR": another}
    assert specimens.in_place_of(original) is another
    assert specimens.in_place_of(specimens) is specimens
    assert specimen() is original
