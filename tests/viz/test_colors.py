"""Colours that mean something: told apart by the colour-blind, and seen on the light and on the dark page.

Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), give
the matrices for linear RGB at full severity; Sharma, Wu and Dalal (2005) the distance CIEDE2000.
"""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import viz.board
from viz.figures.style import LINE_COLORS

Floats = NDArray[np.float64]

VISION: dict[str, Floats] = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
#: The grounds of the light and the dark page, and of the page that is saved to open offline.
GROUNDS = ("#ffffff", "#0f0f11", "#16181d")
#: 2 is a difference that is seen side by side; lines lie apart, and the faint ones are mixed with the ground.
LEAST_DISTANCE = 12.0


def linear(color: str) -> Floats:
    """sRGB "#rrggbb" -> linear RGB (3), 0 to 1."""
    values = np.array([int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it, 1 to 21."""
    darker, lighter = sorted(float(linear(color) @ [0.2126, 0.7152, 0.0722]) for color in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def lab(rgb: Floats) -> Floats:
    """Linear RGB (3) -> CIELAB (3) under D65."""
    to_xyz = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    )
    ratio = to_xyz @ np.clip(rgb, 0, 1) / to_xyz.sum(1)
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def ciede2000(one: Floats, other: Floats) -> float:
    """Distance of two colours in CIELAB."""
    mean_chroma = (np.hypot(*one[1:]) + np.hypot(*other[1:])) / 2
    stretch = 1.5 - 0.5 * np.sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7))
    chroma = [float(np.hypot(color[1] * stretch, color[2])) for color in (one, other)]
    hue = [float(np.degrees(np.arctan2(color[2], color[1] * stretch))) % 360 for color in (one, other)]
    turn = (hue[1] - hue[0] + 180) % 360 - 180
    lightness, strength = (one[0] + other[0]) / 2, sum(chroma) / 2
    middle = (hue[0] + turn / 2) % 360
    shape = (
        1
        - 0.17 * np.cos(np.radians(middle - 30))
        + 0.24 * np.cos(np.radians(2 * middle))
        + 0.32 * np.cos(np.radians(3 * middle + 6))
        - 0.20 * np.cos(np.radians(4 * middle - 63))
    )
    blue = 60 * np.exp(-(((middle - 275) / 25) ** 2))
    rotation = -2 * np.sqrt(strength**7 / (strength**7 + 25**7)) * np.sin(np.radians(blue))
    light = (other[0] - one[0]) / (1 + 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2))
    strong = (chroma[1] - chroma[0]) / (1 + 0.045 * strength)
    turned = 2 * np.sqrt(chroma[0] * chroma[1]) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * strength * shape)
    return float(np.sqrt(light**2 + strong**2 + turned**2 + rotation * strong * turned))


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [  # from the table that Sharma, Wu and Dalal publish to test programs with
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_distance_is_the_published_one(one: tuple[float, ...], other: tuple[float, ...], distance: float) -> None:
    assert ciede2000(np.array(one), np.array(other)) == pytest.approx(distance, abs=1e-4)


@pytest.mark.parametrize("vision", VISION)
def test_colours_of_lines_are_told_apart(vision: str) -> None:
    seen = {color: lab(VISION[vision] @ linear(color)) for color in LINE_COLORS}
    distances = {pair: ciede2000(seen[pair[0]], seen[pair[1]]) for pair in combinations(LINE_COLORS, 2)}
    closest = min(distances, key=lambda pair: distances[pair])
    assert distances[closest] >= LEAST_DISTANCE, closest


@pytest.mark.parametrize("ground", GROUNDS)
def test_colours_of_lines_are_seen_on_every_ground(ground: str) -> None:
    assert min(contrast(color, ground) for color in LINE_COLORS) >= 3


def test_the_page_and_the_files_have_the_same_colours() -> None:
    source = (Path(viz.board.__file__).parent / "draw" / "strokes.js").read_text(encoding="utf-8")
    found = re.search(r"^const COLORS = \[(.*)\];$", source, re.MULTILINE)
    assert found
    assert tuple(re.findall(r'"(#\w{6})"', found[1])) == LINE_COLORS
