"""What all figures for files share: colours, labels and the size of text. Lengths are in inches, fonts in points."""

from collections.abc import Iterable, Mapping
from unicodedata import east_asian_width

from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK, FAINT = "#222222", "#6b6b6b"
#: Heads and curves in their order, as in the page (viz/board/draw/strokes.js): far apart in every colour blindness.
LINE_COLORS = ("#005af0", "#f00069", "#969600", "#008769", "#c30096", "#786900", "#2d96f0", "#e169a5")
_LONGEST_LABEL = 24  # characters


class Sheet:
    """A white figure on which things are placed in inches, from its lower left corner."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height = width, height
        # The label is the figure's name, which files carry in their metadata.
        self.figure = Figure(figsize=(width, height), facecolor="white", label=title)

    def axes(self, left: float, bottom: float, width: float, height: float) -> Axes:
        return self.figure.add_axes((left / self.width, bottom / self.height, width / self.width, height / self.height))

    def place(self, left: float, bottom: float) -> tuple[float, float]:
        return left / self.width, bottom / self.height


def label(text: str) -> str:
    """One line that can be read, cut where it would be too long."""
    line = visible(text)
    return line if len(line) <= _LONGEST_LABEL else line[: _LONGEST_LABEL - 1] + "…"


def visible(text: str) -> str:
    """One line that XML allows: a control character shows as its number."""
    return "".join(char if char.isprintable() else f"<U+{ord(char):04X}>" for char in text)


def room_for(labels: Iterable[str], font: float) -> float:
    """Room for the longest label; a letter is taken to be 0.62 as wide as the font is high, a Chinese one 1."""
    widths = (sum(1.0 if east_asian_width(char) in "WF" else 0.62 for char in label(text)) for text in labels)
    return max(widths, default=0.0) * font / 72


def number(value: float, decimals: int, texts: Mapping[str, str]) -> str:
    """With the decimal mark of the language, and without zeros after it."""
    whole, _, fraction = f"{value:.{decimals}f}".partition(".")
    kept = fraction.rstrip("0")
    return f"{whole}{texts['figure.positions.separators'][0]}{kept}" if kept else whole


def fraction(share: float, texts: Mapping[str, str]) -> str:
    """A share of 1 with four decimals, as on the page."""
    return f"{share:.4f}".replace(".", texts["figure.positions.separators"][0])


def percent(share: float, texts: Mapping[str, str]) -> str:
    """A share of 1 in percent, with one decimal where it is not whole."""
    return texts["figure.percent"].format(number=number(100 * share, 1, texts))
