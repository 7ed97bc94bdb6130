"""Matplotlib figures as files: PNG for slides, SVG and PDF for papers."""

import io
import textwrap
import threading
import warnings
from typing import Any, Literal, get_args

import matplotlib
from matplotlib.figure import Figure

from viz.figures.style import FAINT, visible

FileFormat = Literal["png", "svg", "pdf"]
FILE_FORMATS: tuple[FileFormat, ...] = get_args(FileFormat)

#: The PNG's resolution, in dots per inch.
RESOLUTION = 300

_STAMP_FONT = 6.0  # points
# The line at the lower edge is cut to so many characters; the metadata hold all of it.
_LONGEST_STAMP = 400

# Matplotlib reads these settings, and Python its warning filters, from the whole process: one file at a time.
_one_at_a_time = threading.Lock()
_SETTINGS: Any = {
    "svg.fonttype": "none",  # text stays text, so that an SVG can be searched and its font changed
    "svg.hashsalt": "headlight",  # equal figures become equal files
    "pdf.fonttype": 42,  # whole TrueType fonts go into the PDF: printers and editors read them
}


def figure_bytes(figure: Figure, file_format: FileFormat, stamp: str = "") -> bytes:
    """The figure as a file, cut to what is drawn, with `stamp` as a small line under it and in the metadata.

    The metadata's title is the figure's label, or else the title of its first axes.

    Safe to call from any thread. Raises ValueError for another format.
    """
    if file_format not in FILE_FORMATS:
        raise ValueError(f"the format must be one of {', '.join(FILE_FORMATS)}, not {file_format!r}")
    file = io.BytesIO()
    told = visible(stamp)
    line = _draw_stamp(figure, told)
    with _one_at_a_time, matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        # Characters that no font here has (Chinese, emoji) show as boxes in a PNG; an SVG keeps them for its reader.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure.savefig(
            file,
            format=file_format,
            dpi=RESOLUTION,
            bbox_inches="tight",
            pad_inches=0.08,
            metadata=_metadata(figure, file_format, told),
        )
    line.remove()
    return file.getvalue()


def _draw_stamp(figure: Figure, stamp: str) -> Any:
    """Below the figure, in as many lines as its width asks for."""
    letters = max(20, int(figure.get_figwidth() * 72 / (0.55 * _STAMP_FONT)))
    cut = textwrap.shorten(stamp, _LONGEST_STAMP, placeholder=" …")
    style: Any = {"fontsize": _STAMP_FONT, "color": FAINT, "parse_math": False}
    return figure.text(0, -0.04 / figure.get_figheight(), textwrap.fill(cut, letters), va="top", **style)


def _metadata(figure: Figure, file_format: FileFormat, stamp: str) -> dict[str, str | None]:
    title = str(figure.get_label()) or figure.axes[0].get_title("left")
    if file_format == "png":
        return {"Title": title, "Description": stamp, "Software": "Headlight"}
    if file_format == "svg":
        return {"Title": title, "Description": stamp, "Creator": "Headlight", "Date": None}
    return {"Title": title, "Subject": stamp, "Creator": "Headlight", "CreationDate": None}
