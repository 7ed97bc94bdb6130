"""A real server and a real Chromium: app.py in a process of its own, Debian's browser through Playwright."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, sync_playwright

from tests.conftest import ROOT

_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def start_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Start app.py with extra environment variables; gives its address. All are ended with the session."""
    running: list[subprocess.Popen[bytes]] = []

    def start(**environment: str) -> str:
        port = _free_port()
        log = tmp_path_factory.mktemp("app") / "log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "app.py"],
                cwd=ROOT,
                env={**os.environ, "PORT": str(port), "HOST": "127.0.0.1", **environment},
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        running.append(process)
        for _ in range(1200):
            if b"http://127.0.0.1" in log.read_bytes():
                return f"http://127.0.0.1:{port}"
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
        raise AssertionError(log.read_text())

    yield start
    for process in running:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="session")
def app_url(start_app: Callable[..., str]) -> str:
    return start_app()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        message = "the page's tests need Chromium: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        yield browser
        browser.close()


class Visitor:
    """A browser window on the app, and every address outside this machine that it asked for."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.url = url
        self.foreign: list[str] = []
        self.errors: list[str] = []
        context.route(re.compile(".*"), self._only_local)
        context.set_default_timeout(30_000)
        self.page: Page = context.new_page()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _only_local(self, route: Route) -> None:
        parts = urlsplit(route.request.url)
        if parts.scheme in ("data", "blob") or parts.hostname == "127.0.0.1":
            route.continue_()
        else:
            self.foreign.append(route.request.url)
            route.abort()

    def open(self) -> Page:
        self.page.goto(self.url)
        self.page.wait_for_selector("#attention [data-drawn]")
        return self.page


@pytest.fixture
def open_visitor(browser: Browser, app_url: str) -> Iterator[Callable[..., Visitor]]:
    """Open a window with Playwright's context options (locale, viewport, color_scheme); closed after the test."""
    contexts: list[BrowserContext] = []

    def open_one(url: str = app_url, **options: object) -> Visitor:
        context = browser.new_context(**{"locale": "en-GB", **options})  # type: ignore[arg-type]
        contexts.append(context)
        visitor = Visitor(context, url)
        visitor.open()
        return visitor

    yield open_one
    for context in contexts:
        context.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
