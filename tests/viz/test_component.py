"""The script and the style sheet that the page gets, and the places where the board draws."""

import json
import re
from pathlib import Path

import pytest

import viz.board
from viz.board.bundle import bundle
from viz.board.component import (
    attention_view,
    board_css,
    board_head,
    masks_view,
    notice_view,
    result_view,
    steps_view,
)
from viz.text import LANGUAGES, texts

BOARD = Path(viz.board.__file__).parent
SOURCES = {path.relative_to(BOARD).as_posix(): path.read_text(encoding="utf-8") for path in BOARD.rglob("*.js")}


def write(folder: Path, **modules: str) -> Path:
    """`a__b` is b.js in the folder a."""
    for name, source in modules.items():
        path = folder / f"{name.replace('__', '/')}.js"
        path.parent.mkdir(exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return folder


def test_a_module_stands_behind_all_that_it_imports_and_once(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        top='import { left } from "./left.js";\nimport { right } from "./right.js";\nleft(right);\n',
        left='import { BASE } from "./deep/base.js";\nexport function left() {}\n',
        right='import { BASE } from "./deep/base.js";\nexport const right = BASE + END;\n',
        deep__base='import { END } from "../end.js";\nexport const BASE = END;\n',
        end="export const END = 1;\n",
    )
    joined = bundle(folder, "top.js")
    order = re.findall(r"^// ([\w/]+)\.js$", joined, re.MULTILINE)
    assert order == ["end", "deep/base", "left", "right", "top"]
    assert "import" not in joined
    assert "export" not in joined


@pytest.mark.parametrize(
    ("modules", "complaint"),
    [
        (
            {"top": 'import { a } from "./b.js";\nconst same = 1;\n', "b": "export const same = 2;\n"},
            "both define same",
        ),
        ({"top": 'import { a as c } from "./b.js";\n', "b": "export const a = 1;\n"}, "renames"),
        ({"top": 'import { a } from "./b.js";\n', "b": 'import { t } from "./top.js";\n'}, "top.js -> b.js -> top.js"),
        ({"top": 'import * as b from "./b.js";\n'}, "cannot be joined"),
        ({"top": "export default 1;\n"}, "cannot be joined"),
    ],
)
def test_what_cannot_be_joined_is_refused(tmp_path: Path, modules: dict[str, str], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        bundle(write(tmp_path, **modules), "top.js")


def test_every_module_of_the_board_is_in_the_app_s_script_or_in_the_saved_page_s() -> None:
    joined = bundle(BOARD, "adapter.js") + bundle(BOARD, "alone.js")
    assert set(re.findall(r"^// ([\w/-]+\.js)$", joined, re.MULTILINE)) == set(SOURCES)


def test_a_text_cannot_end_the_script() -> None:
    head = board_head({"en": {"key": "</script><script>alert(1)</script> <!-- «ñ»"}})
    assert head.count("</script") == 1
    assert head.count("<script") == 1
    assert "<!--" not in head
    sent = re.search(r"^start\((.*)\);$", head, re.MULTILINE)
    assert sent is not None
    assert json.loads(sent[1]) == {"en": {"key": "</script><script>alert(1)</script> <!-- «ñ»"}}


def test_no_module_makes_markup_of_text_or_asks_another_host() -> None:
    for name, source in SOURCES.items():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", source), (
            name
        )
        assert not re.search(r"fetch\(|XMLHttpRequest|https?://", source), name
    assert not re.search(r"@import|url\(", board_css())


def test_gradio_keeps_every_rule_of_the_style_sheet() -> None:
    """It drops at-rules other than these from what `launch(css=...)` gets."""
    assert set(re.findall(r"^\s*(@[\w-]+)", board_css(), re.MULTILINE)) <= {"@media"}


def test_only_the_adapter_and_what_it_names_around_the_board_know_of_gradio() -> None:
    knowing = {name for name, source in SOURCES.items() if re.search("gradio|headlight", source, re.IGNORECASE)}
    assert knowing == {"adapter.js", "around.js"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_that_the_board_names_has_words(language: str) -> None:
    used = set(re.findall(r'\bt\("([\w.]+)"', "".join(SOURCES.values())))
    used |= {f"map.{kind}{end}" for kind in ("encoder_self", "decoder_self", "cross") for end in ("", ".reading")}
    used |= {f"readout.{what}{end}" for what in ("read", "written") for end in ("", "_forbidden")}
    assert len(used) > 25
    assert sorted(used - set(texts(language))) == []


def test_both_languages_have_the_same_keys_and_places() -> None:
    english, spanish = texts("en"), texts("es")
    assert set(english) == set(spanish)
    for key, sentence in english.items():
        assert sorted(re.findall(r"\{\w+\}", sentence)) == sorted(re.findall(r"\{\w+\}", spanish[key])), key


def test_views_have_their_ids_values_and_empty_templates() -> None:
    views = [result_view('{"a":1}'), attention_view(), steps_view(), masks_view('{"b":2}'), notice_view()]
    assert [view.elem_id for view in views] == ["result", "attention", "steps", "masks", "notice"]
    assert [view.value for view in views] == ['{"a":1}', "", "", '{"b":2}', ""]
    for view in views:
        assert view.html_template == ""
        assert view.js_on_load.count(f"view: '{view.elem_id}'") == 1
