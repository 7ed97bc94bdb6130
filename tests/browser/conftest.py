"""Fixtures of the browser tests: the app, Chromium, and visitors who note what they were asked to fetch."""

import os
import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
import torch
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.browser.launch import chromium_path, running_app, running_chromium

expect.set_options(timeout=30_000)  # a slow day is no failure


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """As the app computes, so that float32 sums are taken in the same order here."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def app_url() -> Iterator[str]:
    with running_app() as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        message = "the page's tests need Chromium: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with running_chromium(path) as browser:
        yield browser


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

    def open(self, shows: str) -> Page:
        self.page.goto(self.url)
        self.page.wait_for_selector(shows)
        return self.page


@pytest.fixture
def open_visitor(browser: Browser, app_url: str) -> Iterator[Callable[..., Visitor]]:
    """Open a window with Playwright's context options (locale, viewport, color_scheme); closed after the test.

    shows: what is to be seen before the test goes on.
    """
    contexts: list[BrowserContext] = []

    def open_one(url: str = app_url, shows: str = "#attention [data-drawn]", **options: object) -> Visitor:
        context = browser.new_context(**{"locale": "en-GB", **options})  # type: ignore[arg-type]
        contexts.append(context)
        visitor = Visitor(context, url)
        visitor.open(shows)
        return visitor

    yield open_one
    for context in contexts:
        context.close()
