"""Entry point, here and on Hugging Face Spaces: load the model once, build the page, serve it."""

import os
import sys
from pathlib import Path

import gradio as gr
import torch

from transformer.checkpoint import CheckpointError
from transformer.translator import Translator
from viz.tabs.page import build_failure_page, build_page, launch_options
from viz.tabs.translate import DIRECTIONS

CHECKPOINT = Path(os.environ.get("HEADLIGHT_CHECKPOINT", Path(__file__).parent / "checkpoints" / "es-en"))


def build(checkpoint: Path) -> gr.Blocks:
    """The page for a checkpoint folder; one that says what is wrong with it where it cannot be loaded."""
    # A step of decoding is too little work to be shared: one thread is faster than two, and two visitors fit. Before
    # the first sentence is translated, so that its numbers are to the last bit those of the same sentence later.
    torch.set_num_threads(1)
    try:
        translator = Translator.from_pretrained(checkpoint)
        if set(translator.tokenizer.languages) != set(DIRECTIONS):
            found, known = (", ".join(sorted(languages)) for languages in (translator.tokenizer.languages, DIRECTIONS))
            raise CheckpointError(f"{checkpoint} translates into {found}, but this page is made for {known}.")
    except CheckpointError as error:
        print(f"headlight: {error}", file=sys.stderr)
        return build_failure_page(str(error))
    return build_page(translator)


demo = build(CHECKPOINT)


def main() -> None:
    """Serve at HOST and PORT, by default 127.0.0.1:7860; Gradio's own variables, which Spaces sets, count too."""
    # A proxy for the outside world must not stand between Gradio and its own server. Both spellings are in use.
    for name in ("no_proxy", "NO_PROXY"):
        os.environ[name] = ",".join(filter(None, [os.environ.get(name), "localhost", "127.0.0.1"]))
    port = os.environ.get("PORT") or None
    if port is not None and not (port.isdecimal() and int(port) < 65536):
        sys.exit(f"headlight: PORT must be a number from 0 to 65535, not {port!r}")
    demo.launch(server_name=os.environ.get("HOST"), server_port=port and int(port), **launch_options())


if __name__ == "__main__":
    main()
