"""The drop zone alone in a page, with a server of the test's own in the place of /ui/upload."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from anyio import to_thread
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from mineru_core.api.errors import error_response
from mineru_core.document.page import Pixels
from mineru_core.errors import EncryptedOffice, UnsupportedType, WorkbenchError
from mineru_core.intake import sniff
from mineru_core.intake.compression import POLICY, compress, letter_height, shrink
from mineru_core.ui.components.drop_zone import SCRIPT, DropZone, drop_errors, drop_words, file_kinds
from mineru_core.ui.i18n import Translator
from mineru_core.ui.setup import asset
from tests.browser.alone import add_component, mount, sent
from tests.browser.conftest import WAIT_MS, CheckAccess
from tests.documents import EN_LINES, draw_lines, jpeg_bytes, png_bytes, table_pdf
from tests.servers import serve_thread

pytestmark = pytest.mark.browser

EN, ZH = Translator("en"), Translator("zh")
VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "intake" / "compression_vectors.json").read_text(encoding="utf-8")
)
LAN = "http://workbench.lan"
PAGE = f"""<!doctype html><html lang="en"><title>Drop zone</title><style>{asset("drop_zone.css")}</style>
<main style="width: 600px"><div class="zone"></div><label>Words <textarea></textarea></label>
<div role="grid" tabindex="0" aria-label="Cells"></div></main>"""
Give = Callable[..., None]


@dataclass
class Receiver:
    """What has come to the server, and what it answers: the next of ``answers``, else that it has the file. An upload
    named "held" is answered once ``let_go`` is set."""

    url: str = ""
    files: list[tuple[str, bytes]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    answers: list[tuple[int, str] | WorkbenchError] = field(default_factory=list)
    let_go: threading.Event = field(default_factory=threading.Event)

    async def upload(self, request: Request) -> Response:
        name, data = request.query_params["name"], await request.body()
        if name.startswith("held"):
            await to_thread.run_sync(self.let_go.wait, WAIT_MS / 1000)
        if self.answers:
            said = self.answers.pop(0)
            if isinstance(said, WorkbenchError):
                return error_response(request.scope, said)
            status, code = said
            return JSONResponse({"code": code}, status_code=status)
        self.files.append((name, data))
        return JSONResponse({"id": f"id-{len(self.files)}", "name": name, "size": len(data)}, status_code=201)

    async def remove(self, request: Request) -> Response:
        self.removed.append(request.path_params["id"])
        return Response(status_code=204)

    async def page(self, _request: Request) -> Response:
        return HTMLResponse(PAGE)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    app = Starlette(
        routes=[
            Route("/", receiver.page),
            Route("/ui/upload", receiver.upload, methods=["POST"]),
            Route("/ui/upload/{id}", receiver.remove, methods=["DELETE"]),
        ]
    )
    with serve_thread(app) as receiver.url:
        yield receiver
        receiver.let_go.set()


@pytest.fixture
def page(browser: Browser, receiver: Receiver) -> Iterator[Page]:
    """A page with the component's code; no error may come up in it, but for answers that tests ask for."""
    page = browser.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    open_at(page, receiver.url)
    yield page
    page.close()
    assert [text for text in complaints if "Failed to load resource" not in text] == []


def open_at(page: Page, url: str) -> None:
    page.goto(f"{url}/")
    add_component(page, SCRIPT)


def give(page: Page, t: Translator = EN, **changes: Any) -> None:
    """Mount the component, or tell it something new, as a run of the app does."""
    words = drop_words(t, 100, compact=False)
    zone = DropZone(words, drop_errors(t), file_kinds(t), t.language, ".pdf,.png", 100_000_000)
    mount(page, asdict(replace(zone, **changes)))


def told(page: Page) -> dict[str, Any]:
    """What the app was told last."""
    said = sent(page, "files")
    return dict(said[-1]) if said else {}


def choose(page: Page, *files: tuple[str, bytes], kind: str = "image/png") -> None:
    page.locator("input.pick").set_input_files(
        [{"name": name, "mimeType": kind, "buffer": data} for name, data in files]
    )


def row(page: Page, name: str) -> Locator:
    return page.locator(".file").filter(has_text=name)


def arrived(page: Page, name: str) -> Locator:
    one = row(page, name)
    expect(one).to_have_attribute("data-state", "done")
    return one


@cache
def noisy_page(size: int = 60, edge: int = 1600) -> Image.Image:
    """A page of text with the grain of a scan: megabytes as PNG. Letters are about two thirds of ``size`` high."""
    lines = draw_lines(EN_LINES * 3, size=size, width=edge)
    grain = np.random.default_rng(5).integers(0, 24, (lines.height, lines.width, 1), dtype=np.uint8)
    return Image.fromarray(np.where(np.asarray(lines) > grain, np.asarray(lines) - grain, 0).astype(np.uint8))


def drawn(vector: dict[str, Any]) -> Pixels:
    pixels = np.full((vector["height"], vector["width"], 3), vector["ground"], np.uint8)
    for x0, y0, x1, y1, value in vector["rectangles"]:
        pixels[y0:y1, x0:x1] = value
    return pixels


def in_browser(page: Page, pixels: Pixels, expression: str, *more: object) -> Any:
    """What the module's functions (``policy`` of it) make of the picture: ``expression`` over source, more, policy."""
    code = """async ([picture, more, policyOfServer]) => {
      const policy = await import(compressionModule());
      const bitmap = await createImageBitmap(await (await fetch(picture)).blob());
      const source = policy.sourceOf(bitmap);
      return EXPRESSION;
    }""".replace("EXPRESSION", expression)
    picture = "data:image/png;base64," + base64.b64encode(png_bytes(Image.fromarray(pixels))).decode()
    return page.evaluate(code, [picture, list(more), asdict(POLICY)])


# ---- the policy in the browser


def test_the_vectors_hold_in_the_browser(page: Page) -> None:
    for vector in VECTORS["pages"]:
        found = in_browser(page, drawn(vector), "policy.letterHeight(source, policyOfServer)")
        assert found == vector["letters"], vector["name"]
    cases = VECTORS["factors"]
    found = page.evaluate(
        """async ([cases, policyOfServer]) => {
          const policy = await import(compressionModule());
          return cases.map((c) => policy.shrinkFactor(c.width, c.height, c.letters, policyOfServer));
        }""",
        [cases, asdict(POLICY)],
    )
    assert found == pytest.approx([case["factor"] for case in cases], rel=1e-12)


@pytest.mark.parametrize("size", [30, 74])
def test_letters_of_real_text_are_as_high_as_the_server_measures(page: Page, size: int) -> None:
    pixels = np.asarray(noisy_page(size=size, edge=1500))
    assert in_browser(page, pixels, "policy.letterHeight(source, policyOfServer)") == letter_height(pixels)


@pytest.mark.parametrize("factor", [0.9, 0.53, 0.25])
def test_a_picture_shrinks_as_the_server_shrinks_it(page: Page, factor: float) -> None:
    pixels = np.random.default_rng(3).integers(0, 256, (211, 307, 3), dtype=np.uint8)
    expected = shrink(pixels, factor)
    height, width = expected.shape[:2]
    found = in_browser(page, pixels, "Array.from(policy.shrunk(source, ...more))", width, height)
    difference = np.abs(np.array(found).reshape(height, width, 4)[:, :, :3].astype(int) - expected)
    assert difference.max() <= 1


def test_a_transparent_picture_stands_on_white(page: Page) -> None:
    pixels = np.zeros((40, 60, 4), np.uint8)
    assert in_browser(page, pixels, "Array.from(policy.shrunk(source, 3, 2))") == [255] * 24


# ---- files on their way


@pytest.mark.parametrize("lan", [False, True], ids=["here", "plain http of a LAN"])
def test_a_large_picture_travels_small_and_says_so(page: Page, receiver: Receiver, lan: bool) -> None:
    if lan:
        page.route(f"{LAN}/**", lambda route: route.continue_(url=route.request.url.replace(LAN, receiver.url)))
        open_at(page, LAN)
        assert not page.evaluate("isSecureContext")
    give(page)
    picture = noisy_page()
    data = png_bytes(picture)
    assert len(data) > 2 * POLICY.max_bytes
    choose(page, ("扫描 1.png", data))
    one = arrived(page, "扫描 1.png")
    ((name, sent),) = receiver.files
    assert name == "扫描 1.png"
    assert len(sent) < 0.3 * len(data)
    expected = compress(np.asarray(picture))
    with Image.open(io.BytesIO(sent)) as travelled:
        assert (travelled.format, travelled.size) == ("WEBP", (expected.width, expected.height))
        assert letter_height(np.asarray(travelled.convert("RGB"))) == letter_height(
            shrink(np.asarray(picture), expected.scale)
        )
    expect(one.locator(".facts")).to_have_text(f"{len(data) / 1e6:.1f} MB → {len(sent) / 1e6:.1f} MB")
    expect(one.locator(".facts")).to_have_attribute(
        "title",
        EN(
            "drop.reduced",
            before=f"{picture.width} × {picture.height}",
            after=f"{expected.width} × {expected.height}",
        ),
    )
    assert told(page) == {"ids": ["id-1"], "pending": False, "failed": 0}
    assert page.evaluate("!reducer.workerFailed")


def test_a_turned_photo_travels_upright(page: Page, receiver: Receiver) -> None:
    give(page)
    lying = noisy_page().rotate(90, expand=True)
    data = jpeg_bytes(lying, orientation=6, quality=98)
    choose(page, ("photo.jpg", data), kind="image/jpeg")
    arrived(page, "photo.jpg")
    with Image.open(io.BytesIO(receiver.files[0][1])) as travelled:
        assert (travelled.width > travelled.height) == (lying.height > lying.width)
        assert travelled.getexif().get(0x0112, 1) == 1


def untouched_files() -> dict[str, bytes]:
    large = png_bytes(noisy_page())
    photo = jpeg_bytes(noisy_page(), quality=98)
    filler = bytes(600_000)
    return {
        "small.png": png_bytes(draw_lines(EN_LINES)),
        "paper.pdf": table_pdf() + filler,
        "slides.pptx": b"PK\x03\x04" + filler,
        "photo.heic": b"\x00\x00\x00\x18ftypheic" + filler,
        "pages.tiff": b"II*\x00" + filler,
        "half.png": large[: len(large) // 2],
        "half.jpg": photo[: len(photo) // 2],
        "fine print.png": png_bytes(noisy_page(size=16, edge=1800)),
    }


def test_what_must_not_be_re_encoded_travels_as_it_is(page: Page, receiver: Receiver) -> None:
    files = untouched_files()
    give(page)
    choose(page, *files.items(), kind="application/octet-stream")
    for name in files:
        arrived(page, name)
    assert dict(receiver.files) == files
    expect(page.locator(".facts", has_text="→")).to_have_count(0)


def test_without_workers_pictures_are_reduced_in_the_page(page: Page, receiver: Receiver) -> None:
    page.evaluate("() => { window.Worker = class { constructor() { throw new Error('no workers here'); } }; }")
    give(page)
    choose(page, ("scan.png", png_bytes(noisy_page())))
    arrived(page, "scan.png")
    assert receiver.files[0][1][8:12] == b"WEBP"


def test_a_browser_that_writes_no_webp_sends_a_jpeg(page: Page, receiver: Receiver) -> None:
    page.evaluate("""() => {
      window.Worker = class { constructor() { throw new Error("not the worker's canvas"); } };
      const { convertToBlob } = OffscreenCanvas.prototype;
      OffscreenCanvas.prototype.convertToBlob = function (options) {
        return convertToBlob.call(this, options.type === "image/webp" ? { type: "image/png" } : options);
      };
    }""")
    give(page)
    choose(page, ("scan.png", png_bytes(noisy_page())))
    arrived(page, "scan.png")
    assert receiver.files[0][1].startswith(b"\xff\xd8")


def test_a_failure_is_named_and_the_file_can_be_sent_again(page: Page, receiver: Receiver) -> None:
    receiver.answers = [(503, "storage-unavailable"), (502, "never heard of")]
    give(page)
    choose(page, ("a.png", b"first"))
    one = row(page, "a.png")
    expect(one).to_have_attribute("data-state", "failed")
    expect(one.locator(".facts")).to_contain_text(EN("error.storage-unavailable.title"))
    assert told(page) == {"ids": [], "pending": False, "failed": 1}
    one.get_by_role("button", name=EN("drop.retry", name="a.png")).click()
    expect(one.locator(".facts")).to_contain_text(EN("drop.network"))
    one.get_by_role("button", name=EN("drop.retry", name="a.png")).click()
    arrived(page, "a.png")
    assert receiver.files == [("a.png", b"first")]
    assert told(page) == {"ids": ["id-1"], "pending": False, "failed": 0}


def test_a_dead_connection_is_said(page: Page, receiver: Receiver) -> None:
    page.route("**/ui/upload?*", lambda route: route.abort())
    give(page)
    choose(page, ("a.png", b"first"))
    expect(row(page, "a.png").locator(".facts")).to_contain_text(EN("drop.network"))
    expect(page.get_by_role("status")).to_have_text(EN("drop.failed", name="a.png", why=EN("drop.network")))


def test_too_large_and_empty_files_are_not_sent(page: Page, receiver: Receiver) -> None:
    give(page, max_bytes=1000)
    choose(page, ("large.pdf", bytes(1001)), ("empty.pdf", b""), ("right.pdf", bytes(1000)))
    arrived(page, "right.pdf")
    expect(row(page, "large.pdf")).to_contain_text(EN("error.file-too-large.title"))
    expect(row(page, "empty.pdf")).to_contain_text(EN("error.empty-file.title"))
    expect(page.locator("button.again:visible")).to_have_count(0)
    assert [name for name, _ in receiver.files] == ["right.pdf"]


@pytest.mark.parametrize("t", [EN, ZH])
def test_a_file_that_cannot_be_read_says_what_helps(page: Page, receiver: Receiver, t: Translator) -> None:
    with pytest.raises(UnsupportedType) as refused:
        sniff(b"Rar!")
    receiver.answers = [refused.value, UnsupportedType("Nobody knows this one."), EncryptedOffice("A password.")]
    give(page, t)
    for name in ("pages.pdf", "b.pdf", "c.pdf"):
        choose(page, (name, b"x"))
        expect(row(page, name)).to_have_attribute("data-state", "failed")
    said = row(page, "pages.pdf").locator(".facts")
    for part in ("title", "hint"):
        expect(said).to_contain_text(t(f"error.unsupported-type.{part}"))
    expect(said).to_contain_text(t("error.unsupported-type.is", kind=t("kind.RAR archive")))
    expect(row(page, "b.pdf").locator(".facts")).to_contain_text(
        t("drop.unreadable", title=t("error.unsupported-type.title"), kind="", hint=t("error.unsupported-type.hint"))
    )
    expect(row(page, "c.pdf").locator(".facts")).to_contain_text(t("error.encrypted-office.hint"))
    expect(page.locator("button.again:visible")).to_have_count(0)
    assert told(page) == {"ids": [], "pending": False, "failed": 3}


def test_more_files_than_may_be_are_left_out_and_that_is_said(page: Page, receiver: Receiver) -> None:
    give(page, max_files=2)
    choose(page, *((f"{n}.pdf", b"x") for n in range(3)))
    arrived(page, "1.pdf")
    expect(page.locator(".file")).to_have_count(2)
    expect(page.get_by_role("alert")).to_have_text(EN("drop.too_many", count=2))
    row(page, "0.pdf").get_by_role("button", name=EN("drop.remove", name="0.pdf")).click()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_file_on_its_way_is_cancelled_and_one_that_arrived_taken_back(page: Page, receiver: Receiver) -> None:
    give(page)
    choose(page, ("held.pdf", b"x"), ("done.pdf", b"y"))
    arrived(page, "done.pdf")
    assert told(page)["pending"]
    row(page, "held.pdf").get_by_role("button", name=EN("drop.cancel", name="held.pdf")).click()
    expect(row(page, "held.pdf")).to_have_count(0)
    assert told(page) == {"ids": ["id-1"], "pending": False, "failed": 0}
    with page.expect_request(lambda request: request.method == "DELETE") as removal:
        row(page, "done.pdf").get_by_role("button", name=EN("drop.remove", name="done.pdf")).click()
    assert removal.value.url.endswith("/id-1")
    assert told(page) == {"ids": [], "pending": False, "failed": 0}
    expect(page.get_by_role("button", name=EN("drop.browse"))).to_be_focused()


def test_progress_is_told_in_numbers_and_to_screen_readers(page: Page, receiver: Receiver) -> None:
    give(page)
    choose(page, ("held.pdf", bytes(100_000)))
    bar = page.get_by_role("progressbar", name=EN("drop.progress", name="held.pdf"))
    expect(bar).to_have_js_property("value", 1)
    expect(row(page, "held.pdf")).to_contain_text("100%")
    receiver.let_go.set()
    arrived(page, "held.pdf")
    expect(page.get_by_role("status")).to_have_text(EN("drop.arrived", name="held.pdf"))


def test_many_files_come_in_at_once_and_are_told_in_their_order(page: Page, receiver: Receiver) -> None:
    give(page)
    names = [f"{n:02}.pdf" for n in range(30)]
    choose(page, *((name, name.encode()) for name in names))
    expect(page.locator('.file[data-state="done"]')).to_have_count(30)
    by_id = {f"id-{at + 1}": name for at, (name, _) in enumerate(receiver.files)}
    assert [by_id[one] for one in told(page)["ids"]] == names
    assert len(sent(page, "files")) == 2  # that they are coming, and that they are there


# ---- the page around it


PASTE = """([selector, parts]) => {
  const data = new DataTransfer();
  for (const [type, content] of parts) {
    if (type.startsWith("text/")) data.setData(type, content);
    else data.items.add(new File([content], "image.png", { type }));
  }
  const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true, composed: true });
  return document.querySelector(selector).dispatchEvent(event);
}"""


@pytest.mark.parametrize(
    ("where", "parts", "taken"),
    [
        ("body", ["image/png"], True),
        ("textarea", ["image/png"], True),
        ("body", ["text/plain", "image/png"], True),
        ("textarea", ["text/plain", "image/png"], False),
        ("[role=grid]", ["text/plain", "image/png"], False),
        ("textarea", ["text/plain"], False),
    ],
)
def test_a_picture_is_pasted_anywhere_and_text_where_text_goes(
    page: Page, receiver: Receiver, where: str, parts: list[str], taken: bool
) -> None:
    give(page)
    left_alone = page.evaluate(PASTE, [where, [[part, "content"] for part in parts]])
    assert left_alone != taken
    if taken:
        arrived(page, "image.png")
    expect(page.locator(".file")).to_have_count(int(taken))


def test_files_are_dropped_anywhere_on_the_page(page: Page, receiver: Receiver) -> None:
    give(page)
    page.evaluate("""() => {
      window.files = new DataTransfer();
      window.files.items.add(new File(["dropped"], "a.pdf"));
      window.drag = (type) => document.querySelector("textarea").dispatchEvent(
        new DragEvent(type, { dataTransfer: window.files, bubbles: true, cancelable: true }));
    }""")
    assert page.evaluate("drag('dragover')") is False  # taken: the browser must not open the file
    page.evaluate("() => { window.over = setInterval(drag, 50, 'dragover'); }")  # as a browser goes on telling
    expect(page.locator(".veil")).to_have_text(EN("drop.veil"))
    expect(page.locator(".veil")).to_be_visible()
    page.evaluate("() => { clearInterval(window.over); drag('drop'); }")
    expect(page.locator(".veil")).to_be_hidden()
    arrived(page, "a.pdf")
    assert receiver.files == [("a.pdf", b"dropped")]


def test_a_zone_that_is_gone_listens_no_more_and_sends_nothing(page: Page, receiver: Receiver) -> None:
    give(page)
    choose(page, ("held.pdf", b"x"))
    expect(row(page, "held.pdf")).to_have_attribute("data-state", "sending")
    with page.expect_event("requestfailed"):
        page.evaluate("() => { document.querySelector('.zone').remove(); done(); }")
    assert page.evaluate(PASTE, ["body", [["image/png", "content"]]])


def test_files_that_wait_on_the_server_are_shown_again(page: Page, receiver: Receiver) -> None:
    give(page, files=({"id": "7-a", "name": "waits.pdf", "size": 1234567},), arriving=True)
    expect(arrived(page, "waits.pdf").locator(".facts")).to_have_text("1.2 MB")
    page.wait_for_function("window.sent.length")
    assert told(page) == {"ids": ["7-a"], "pending": False, "failed": 0}
    give(page, ZH, files=())  # a later run of the page: the zone keeps its own files
    expect(row(page, "waits.pdf").get_by_role("button")).to_have_attribute(
        "aria-label", ZH("drop.remove", name="waits.pdf")
    )


def test_names_of_files_are_never_markup(page: Page, receiver: Receiver) -> None:
    give(page)
    names = ["<img src=x onerror=alert(1)>.png", "%name %why $&.png", "a\ud800b.png"]
    page.evaluate(
        """(names) => {
          const data = new DataTransfer();
          for (const name of names) data.items.add(new File(["x"], name));
          const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
          document.body.dispatchEvent(event);
        }""",
        names,
    )
    expect(page.locator('.file[data-state="done"]')).to_have_count(3)
    expect(page.locator("img[src=x]")).to_have_count(0)
    assert {name for name, _ in receiver.files} >= set(names[:2])
    expect(page.get_by_role("button", name=names[0])).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("t", [EN, ZH], ids=["en", "zh"])
def test_there_are_no_barriers(page: Page, receiver: Receiver, axe: CheckAccess, scheme: str, t: Translator) -> None:
    receiver.answers = [(503, "storage-unavailable")]
    ink, paper = ("#1e2422", "#fcfbf8") if scheme == "light" else ("#e9e6df", "#14181a")
    page.add_style_tag(
        content=f":root {{ color-scheme: {scheme}; --st-text-color: {ink}; --st-background-color: {paper}; }}"
        "body { color: var(--st-text-color); background: var(--st-background-color); }"
    )
    give(page, t)
    axe(page)
    choose(page, ("a.png", png_bytes(draw_lines(EN_LINES))))
    expect(row(page, "a.png")).to_have_attribute("data-state", "failed")
    choose(page, ("held.pdf", b"x"), ("done.pdf", b"y"))
    arrived(page, "done.pdf")
    axe(page)
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name=t("drop.browse"))).to_be_focused()


def test_the_camera_is_offered_where_there_is_a_finger(browser: Browser, receiver: Receiver) -> None:
    phone = browser.new_page(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    open_at(phone, receiver.url)
    give(phone)
    expect(phone.get_by_role("button", name=EN("drop.photo"))).to_be_visible()
    with phone.expect_file_chooser() as chooser:
        phone.get_by_role("button", name=EN("drop.photo")).tap()
    assert not chooser.value.is_multiple()
    chooser.value.set_files({"name": "image.jpg", "mimeType": "image/jpeg", "buffer": b"photo"})
    arrived(phone, "image.jpg")
    phone.close()
