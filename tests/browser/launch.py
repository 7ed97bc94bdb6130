"""A real server and a real Chromium: app.py in a process of its own, Debian's browser through Playwright."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.conftest import ROOT

_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
_SECONDS_TO_START = 120


@contextmanager
def running_app(**environment: str) -> Iterator[str]:
    """app.py with these environment variables more, on a port of its own; gives its address."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        port = _free_port()
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "app.py"],
                cwd=ROOT,
                env={**os.environ, "PORT": str(port), "HOST": "127.0.0.1", **environment},
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        try:
            _wait(process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(20)


def chromium_path() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def running_chromium(path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


def _wait(process: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(_SECONDS_TO_START * 10):
        if b"http://127.0.0.1" in log.read_bytes():
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"app.py did not start:\n{log.read_text()}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
