"""Matplotlib figures as files: PNG for slides, SVG for papers."""

import io
import threading
import warnings
from typing import Any, Literal

import matplotlib
from matplotlib.figure import Figure

FileFormat = Literal["png", "svg"]

#: The PNG's resolution, in dots per inch.
RESOLUTION = 300

# Matplotlib reads these settings, and Python its warning filters, from the whole process: one file at a time.
_one_at_a_time = threading.Lock()


def figure_bytes(figure: Figure, file_format: FileFormat) -> bytes:
    """The figure as a file, cut to what is drawn; its metadata name the title of its first axes and this program.

    Safe to call from any thread.
    """
    file = io.BytesIO()
    # Text stays text, so that an SVG can be searched and its font changed; the salt makes equal figures equal files.
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "headlight"}
    with _one_at_a_time, matplotlib.rc_context(settings), warnings.catch_warnings():
        # Characters that no font here has (Chinese, emoji) show as boxes in a PNG; an SVG keeps them for its reader.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure.savefig(
            file,
            format=file_format,
            dpi=RESOLUTION,
            bbox_inches="tight",
            pad_inches=0.08,
            metadata=_metadata(figure, file_format),
        )
    return file.getvalue()


def _metadata(figure: Figure, file_format: FileFormat) -> dict[str, str | None]:
    title = figure.axes[0].get_title("left")
    if file_format == "png":
        return {"Title": title, "Software": "Headlight"}
    return {"Title": title, "Creator": "Headlight", "Date": None}
