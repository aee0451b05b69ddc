"""A component alone in a page, with the test in the server's place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, Route

ORIGIN = "http://workbench.test"

_HTML = """<!DOCTYPE html><html lang="en"><head><title>Alone</title><style>
  :root { --st-font: sans-serif; --st-text-color: #1e2422; --st-background-color: #fcfbf8;
    --st-primary-color: #0b6e63; }
  %s
</style></head><body>%s</body></html>"""

_MOUNT = """(data) => {
  const tell = (name, value) => {
    window.sent.push([name, value]);
    window.toServer?.(value);
  };
  window.done = mount({
    data, parentElement: document.querySelector("main"), setTriggerValue: tell, setStateValue: tell,
  });
}"""


@contextmanager
def component_page(
    browser: Browser,
    *,
    script: str,
    style: str,
    body: str,
    serve: Callable[[Route], None],
    refuses: bool = False,
    **context: Any,
) -> Iterator[Page]:
    """A page with the component's code, to be mounted in the ``main`` of ``body``; no error may come up in it.

    ``serve`` answers whatever the component asks for; where it ``refuses`` some of it, the browser's own complaints of
    that are no errors. ``context`` goes to the browser's context.
    """
    opened = browser.new_context(**{"viewport": {"width": 900, "height": 900}, "reduced_motion": "reduce", **context})
    page = opened.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.route(f"{ORIGIN}/**", serve)
    page.route(f"{ORIGIN}/", lambda route: route.fulfill(body=_HTML % (style, body), content_type="text/html"))
    page.goto(f"{ORIGIN}/")
    add_component(page, script)
    yield page
    opened.close()
    assert [text for text in complaints if not (refuses and "Failed to load resource" in text)] == []


def add_component(page: Page, script: str) -> None:
    """Put a component's code into a page that has a place for it."""
    page.add_script_tag(content=script.replace("export default function", "window.mount = function"))
    page.evaluate("window.sent = []")


def mount(page: Page, data: Mapping[str, Any]) -> None:
    """Mount the component, or tell it something new: what a run of the app does."""
    page.evaluate(_MOUNT, data)


def sent(page: Page, name: str) -> list[Any]:
    """Everything of that name that the component has sent so far."""
    return [value for key, value in page.evaluate("window.sent") if key == name]
