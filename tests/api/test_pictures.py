"""Pages as pictures, for their owner's browser only."""

from __future__ import annotations

import io
import secrets

import httpx
import numpy as np
import pytest
from PIL import Image

from mineru_core.api.middleware import OWNER_COOKIE
from mineru_core.api.pictures import DEFAULT_WIDTH, MAX_WIDTH, MIN_WIDTH, encode_picture
from tests.api.conftest import Api
from tests.api.errors import assert_error
from tests.documents import draw_lines, png_bytes, scanned_pdf

OWNER = secrets.token_urlsafe(32)
COOKIE = {"Cookie": f"{OWNER_COOKIE}={OWNER}"}
PAGES = [draw_lines([f"page {number}"], width=2000) for number in (1, 2)]


@pytest.fixture(scope="module")
def job(api: Api) -> str:
    return api.service.submit(scanned_pdf(PAGES), name="two.pdf", owner=OWNER).id


def get(api: Api, path: str, **headers: str) -> httpx.Response:
    return api.client.get(path, headers={**COOKIE, **headers})


def size_of(answer: httpx.Response) -> tuple[int, int]:
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/jpeg"
    return Image.open(io.BytesIO(answer.content)).size


def test_gives_the_page_at_the_wanted_width(api: Api, job: str) -> None:
    assert size_of(get(api, f"/ui/pages/{job}/1?w=500"))[0] == 500
    assert size_of(get(api, f"/ui/pages/{job}/1"))[0] == DEFAULT_WIDTH
    assert size_of(get(api, f"/ui/pages/{job}/1?w={MAX_WIDTH}"))[0] <= 2000
    first, second = get(api, f"/ui/pages/{job}/1").content, get(api, f"/ui/pages/{job}/2").content
    assert first != second


def test_the_browser_keeps_it_to_itself(api: Api, job: str) -> None:
    answer = get(api, f"/ui/pages/{job}/1?w=300")
    assert answer.headers["cache-control"].startswith("private")
    assert answer.headers["vary"].lower().startswith("cookie")
    tag = answer.headers["etag"]
    again = get(api, f"/ui/pages/{job}/1?w=300", **{"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    tags = {get(api, f"/ui/pages/{job}/{page}?w={width}").headers["etag"] for page in (1, 2) for width in (300, 301)}
    assert len(tags) == 4


def test_nobody_else_sees_it(api: Api, job: str) -> None:
    other = f"{OWNER_COOKIE}={secrets.token_urlsafe(32)}"
    assert_error(api.client.get(f"/ui/pages/{job}/1"), 403, "token-required")
    assert_error(
        api.client.get(f"/ui/pages/{job}/1", headers={"Cookie": f"{OWNER_COOKIE}=local"}), 403, "token-required"
    )
    assert_error(api.client.get(f"/ui/pages/{job}/1", headers={"Cookie": other}), 404, "not-found")
    assert_error(get(api, "/ui/pages/no-such-job/1"), 404, "not-found")


@pytest.mark.parametrize("page", ["0", "3", "x", "99999999999999999999", "9" * 5000])
def test_a_page_that_is_not_there(api: Api, job: str, page: str) -> None:
    assert_error(get(api, f"/ui/pages/{job}/{page}"), 422, "no-pages")


@pytest.mark.parametrize("width", ["", "0", "15", "4001", "1e3", "-500", "٣٠٠", "9" * 30, "0000016" + "9" * 5000])
def test_a_width_that_is_off(api: Api, job: str, width: str) -> None:
    assert_error(get(api, f"/ui/pages/{job}/1?w={width}"), 422, "invalid-request")


@pytest.mark.parametrize("width", [MIN_WIDTH, 100, 333])
def test_a_picture_is_never_enlarged_and_keeps_its_shape(width: int) -> None:
    pixels = np.zeros((50, 100, 3), np.uint8)
    shown = Image.open(io.BytesIO(encode_picture(pixels, width)))
    assert shown.size == (min(width, 100), round(min(width, 100) / 2))


def test_colours_stay(api: Api) -> None:
    pixels = np.zeros((40, 40, 3), np.uint8)
    pixels[:, ::2] = (220, 30, 30)
    shown = np.asarray(Image.open(io.BytesIO(encode_picture(pixels, 40))).convert("RGB")).astype(int)
    assert abs(shown[20, 20] - (220, 30, 30)).max() < 25
    assert shown[20, 21].max() < 25


def test_a_picture_of_a_picture(api: Api) -> None:
    job = api.service.submit(png_bytes(draw_lines(["alone"])), name="a.png", owner=OWNER)
    assert size_of(get(api, f"/ui/pages/{job.id}/1"))[0] == 800
