"""Figures as files: sizes, fonts, text that stays text, and what they tell of themselves."""

import io
import warnings
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from PIL import Image
from pypdf import PdfReader

from tests.viz.small import small_trace, small_view
from tests.viz.test_figures import odd_view
from viz.figures.files import FILE_FORMATS, figure_bytes
from viz.figures.heatmap import heatmap_figure
from viz.stamp import Stamp
from viz.text import texts

WORDS = texts("en")
STAMP = "Headlight 1.2.3, model small: ¿Qué? → Ñandú"


def odd_figure() -> Figure:
    return heatmap_figure(odd_view(), WORDS)


def svg_texts(content: bytes) -> list[str]:
    svg = ElementTree.fromstring(content)
    return ["".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")]


def test_png_has_300_dots_an_inch_and_says_what_it_is() -> None:
    figure = odd_figure()
    png = figure_bytes(figure, "png", STAMP)
    height, width = imread(io.BytesIO(png), format="png").shape[:2]
    axes_width, axes_height = figure.axes[0].get_position().size * figure.get_size_inches()
    assert width > 300 * axes_width
    assert height > 300 * axes_height
    picture = Image.open(io.BytesIO(png))
    assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.1)
    told = {name: picture.info[name] for name in ("Title", "Description", "Software")}
    assert told == {"Title": "Cross-attention, layer 3, head 1", "Description": STAMP, "Software": "Headlight"}


def test_svg_holds_every_token_as_text_and_every_cell_as_a_path() -> None:
    content = figure_bytes(odd_figure(), "svg", STAMP)
    written = svg_texts(content)
    for token in ("<s>", "▁él", "$a$", "</s>", "<2en>", "漢", "🎉", "x<U+0000><U+000A>", "attention weight", STAMP):
        assert token in written
    svg = ElementTree.fromstring(content)
    told = [item.text for item in svg.iter() if item.tag.startswith("{http://purl.org/dc/elements/1.1/}")]
    assert {"Cross-attention, layer 3, head 1", STAMP} <= set(told)
    meshes = [item for item in svg.iter() if (item.get("id") or "").startswith("QuadMesh")]
    assert len(list(meshes[0].iter("{http://www.w3.org/2000/svg}path"))) == 15


def test_pdf_keeps_its_text_with_accents_in_whole_fonts() -> None:
    pdf = PdfReader(io.BytesIO(figure_bytes(odd_figure(), "pdf", STAMP)))
    (page,) = pdf.pages
    lines = page.extract_text().splitlines()
    assert {"▁él", "$a$", "<2en>", "attention weight", STAMP} <= set(lines)
    assert pdf.metadata is not None
    assert (pdf.metadata.title, pdf.metadata.subject) == ("Cross-attention, layer 3, head 1", STAMP)
    fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]  # type: ignore[index]
    descendants = [font["/DescendantFonts"][0].get_object() for font in fonts if "/DescendantFonts" in font]
    assert descendants
    assert all(font["/Subtype"] == "/CIDFontType2" for font in descendants)  # TrueType
    assert all("/FontFile2" in font["/FontDescriptor"].get_object() for font in descendants)  # and embedded


def test_equal_figures_are_equal_files_and_leave_no_setting_behind() -> None:
    before = dict(matplotlib.rcParams)
    with ThreadPoolExecutor(4) as pool:
        for file_format in ("svg", "pdf"):
            assert len(set(pool.map(lambda _: figure_bytes(odd_figure(), file_format, STAMP), range(3)))) == 1  # noqa: B023
    assert dict(matplotlib.rcParams) == before


def test_the_stamp_is_in_the_file_and_leaves_the_figure() -> None:
    figure = odd_figure()
    assert figure_bytes(figure, "svg", STAMP) == figure_bytes(figure, "svg", STAMP)
    assert figure.texts == []


def test_a_figure_without_a_stamp_has_no_line_under_it() -> None:
    assert not any("Headlight" in text for text in svg_texts(figure_bytes(odd_figure(), "svg")))


def test_a_long_stamp_is_broken_and_cut_but_whole_in_the_metadata() -> None:
    stamp = "palabra " * 200
    content = figure_bytes(odd_figure(), "svg", stamp)
    lines = [text for text in svg_texts(content) if "palabra" in text]
    assert len(lines) > 2
    assert lines[-1].endswith("…")
    assert stamp in content.decode()


@pytest.mark.parametrize("file_format", FILE_FORMATS)
def test_characters_that_no_font_has_give_no_warning(file_format: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert figure_bytes(odd_figure(), file_format, "漢 🎉 \0")  # type: ignore[arg-type]


def test_a_format_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="png, svg, pdf, not 'gif'"):
        figure_bytes(heatmap_figure(small_view(), WORDS), "gif")  # type: ignore[arg-type]


def test_the_stamp_tells_model_sentence_output_and_version() -> None:
    trace = small_trace(source_text="one\n two", text="tres")
    assert Stamp.of(trace).line(WORDS).endswith(", model small: one two → tres")
    given = Stamp.of(small_trace(forced=True)).line(texts("es"))
    assert given.endswith("modelo small: library! → biblioteca (texto dado, no elegido por el modelo)")
