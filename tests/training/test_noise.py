import random

import pytest

from transformer.training.noise import NOISES, all_noises, some_noises

TEXT = "¿Qué pasó ayer, Ángel? ¡Mañana lloverá…!"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("lower case", "¿qué pasó ayer, ángel? ¡mañana lloverá…!"),
        ("no accents", "¿Que paso ayer, Angel? ¡Manana llovera…!"),
        ("no final punctuation", "¿Qué pasó ayer, Ángel? ¡Mañana lloverá"),
        ("no opening marks", "Qué pasó ayer, Ángel? Mañana lloverá…!"),
        ("doubled spaces", "¿Qué  pasó  ayer,  Ángel?  ¡Mañana  lloverá…!"),
    ],
)
def test_each_noise_by_value(name: str, wanted: str) -> None:
    assert NOISES[name](TEXT) == wanted


def test_all_noises_together() -> None:
    assert all_noises(TEXT) == "que  paso  ayer,  angel?  manana  llovera"


def test_noises_leave_nothing_to_do_alone() -> None:
    assert all_noises("hola") == "hola"
    assert NOISES["no final punctuation"]("Hola. ") == "Hola"
    assert NOISES["no final punctuation"]("3.5") == "3.5"


def test_some_noises_draws_each_with_an_even_chance() -> None:
    rng = random.Random(0)
    drawn = [some_noises(TEXT, rng) for _ in range(400)]
    lowered = sum("ngel" in text and "Á" not in text and "A" not in text for text in drawn)
    doubled = sum("  " in text for text in drawn)
    assert 160 < lowered < 240
    assert 160 < doubled < 240
    assert len(set(drawn)) == 2**5  # five noises that do not depend on each other
