"""Entry point, here and on Hugging Face Spaces: load the model once, build the page, serve it."""

import os
import sys
from pathlib import Path

import gradio as gr

from transformer.checkpoint import CheckpointError
from transformer.translator import Translator
from viz.tabs.page import build_failure_page, build_page, launch_options

CHECKPOINT = Path(os.environ.get("HEADLIGHT_CHECKPOINT", Path(__file__).parent / "checkpoints" / "es-en"))


def build(checkpoint: Path) -> gr.Blocks:
    """The page for a checkpoint folder; one that says what is wrong with it where it cannot be loaded."""
    try:
        return build_page(Translator.from_pretrained(checkpoint))
    except CheckpointError as error:
        print(f"headlight: {error}", file=sys.stderr)
        return build_failure_page(str(error))


demo = build(CHECKPOINT)


def main() -> None:
    """Serve at HOST and PORT, by default 127.0.0.1:7860; Gradio's own variables, which Spaces sets, count too."""
    # A proxy for the outside world must not stand between Gradio and its own server. Both spellings are in use.
    for name in ("no_proxy", "NO_PROXY"):
        os.environ[name] = ",".join(filter(None, [os.environ.get(name), "localhost", "127.0.0.1"]))
    port = os.environ.get("PORT")
    demo.launch(server_name=os.environ.get("HOST"), server_port=int(port) if port else None, **launch_options())


if __name__ == "__main__":
    main()
