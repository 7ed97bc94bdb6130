"""The web surface through gradio_client, as a program would use it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from tests.browser.launch import running_app
from tests.conftest import CHECKPOINT
from transformer.translator import Translator


@pytest.fixture(scope="module")
def client(app_url: str) -> Iterator[Client]:
    client = Client(app_url, verbose=False)
    yield client
    client.close()


def test_only_two_endpoints_are_public(client: Client) -> None:
    assert set(client.view_api(return_format="dict")["named_endpoints"]) == {"/translate", "/trace"}


def test_translate_gives_what_the_translator_gives(client: Client, translator: Translator) -> None:
    for beam_size in (1, 4):
        got = client.predict(text="Me gusta estudiar.", target="en", beam_size=beam_size, api_name="/translate")
        want = translator.translate("Me gusta estudiar.", "en", beam_size)
        assert got["text"] == want.text
        assert tuple(got["tokens"]) == want.tokens
        assert got["log_probs"] == pytest.approx(want.log_probs, abs=1e-5)
        assert (got["finished"], got["dropped"]) == (True, 0)


def test_trace_gives_every_weight(client: Client, translator: Translator) -> None:
    got = client.predict(text="I like to study.", target="es", api_name="/trace")
    want = translator.trace("I like to study.", "es")
    assert got["format"] == "headlight-trace"
    assert got["version"] == 1
    assert got["text"] == want.text
    assert got["cross"][1][2][0] == pytest.approx(want.cross[1, 2, 0].tolist(), abs=1e-5)


def test_trace_takes_an_output_to_force(client: Client, translator: Translator) -> None:
    for forced in ("Me encanta aprender.", ""):
        got = client.predict(text="I like to study.", target="es", forced=forced, api_name="/trace")
        want = translator.trace("I like to study.", "es", forced=forced)
        assert got["forced"]
        assert got["text"] == forced
        assert got["output_tokens"] == list(want.output_tokens)
        assert got["log_probs"] == pytest.approx(want.log_probs.tolist(), abs=1e-4)
    with pytest.raises(AppError, match="forced must be a string"):
        client.predict(text="I like to study.", target="es", forced=["Me encanta."], api_name="/trace")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"text": "Hola.", "target": "fr", "beam_size": 1}, ("target", "en, es")),
        ({"text": "Hola.", "target": "en", "beam_size": 0}, ("beam_size", "1 to 12")),
        ({"text": "Hola.", "target": "en", "beam_size": 1000}, ("beam_size", "1 to 12")),
        ({"text": "Hola.", "target": "en", "beam_size": "2"}, ("beam_size", "whole number")),
        ({"text": "Hola.", "target": "en", "beam_size": 1.5}, ("beam_size", "whole number")),
        ({"text": ["Hola."], "target": "en", "beam_size": 1}, ("text", "string")),
        ({"text": None, "target": "en", "beam_size": 1}, ("text", "string")),
        ({"text": "Hola.", "target": ["en"], "beam_size": 1}, ("target", "en, es")),
        ({"text": "  ", "target": "en", "beam_size": 1}, ("text", "empty")),
    ],
)
def test_wrong_arguments_get_an_error_that_names_them(
    client: Client, arguments: dict[str, Any], words: tuple[str, str]
) -> None:
    with pytest.raises(AppError) as caught:
        client.predict(**arguments, api_name="/translate")
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("missing", ["model.safetensors", "config.json", "tokenizer.model"])
def test_a_broken_checkpoint_shows_a_sentence_instead_of_a_traceback(tmp_path: Path, missing: str) -> None:
    folder = tmp_path / "broken"
    folder.mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.model"):
        content = (CHECKPOINT / name).read_bytes()
        (folder / name).write_bytes(content[: len(content) // 2] if name == missing else content)
    with running_app(HEADLIGHT_CHECKPOINT=str(folder)) as url:
        page = httpx.get(url).text
    assert missing in page
    assert "Fetch the checkpoint folder again" in page
    assert "Traceback" not in page
