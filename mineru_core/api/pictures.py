"""GET /ui/pages/{job_id}/{n}?w=WIDTH: a page of a job's document as a picture, for its owner's browser only."""

from __future__ import annotations

import hashlib
import io
from functools import partial

from PIL import Image
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mineru_core.api.backend import Backend
from mineru_core.api.errors import in_one_shape
from mineru_core.api.middleware import owner_of
from mineru_core.document.page import Pixels
from mineru_core.errors import InvalidRequest, NoPages, TokenRequired

MIN_WIDTH, MAX_WIDTH, DEFAULT_WIDTH = 16, 4000, 1600
JPEG_QUALITY = 88
CACHE_CONTROL = "private, max-age=86400"
_MAX_DIGITS = 9
ENCODING_VERSION = 2
"""Part of the ETag: raise it when pictures are drawn differently."""


def routes(backend: Backend) -> list[Route]:
    """The route, standing on ``backend``."""

    async def page_picture(request: Request) -> Response:
        owner = owner_of(request.scope)
        if owner is None:
            raise TokenRequired("Pages are shown to the browser that uploaded them.", "Open the app in this browser.")
        place, width = request.path_params, _width(request.query_params.get("w"))
        number = whole_number(place["number"])
        if number is None:
            raise NoPages("The document has no such page.", "Pages are counted from 1.")
        known_tag = request.headers.get("if-none-match", "")
        return await backend.draw(partial(_answer, backend, place["job_id"], owner, number, width, known_tag))

    return [Route("/ui/pages/{job_id}/{number}", in_one_shape(page_picture), methods=["GET"])]


def encode_picture(pixels: Pixels, width: int) -> bytes:
    """A JPEG at most ``width`` pixels wide of (height, width, 3) uint8 RGB pixels; never larger than they are."""
    picture = Image.fromarray(pixels)
    if picture.width > width:
        height = max(1, round(picture.height * width / picture.width))
        picture = picture.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)
    out = io.BytesIO()
    # Full colour resolution: halved, it frays thin coloured text.
    picture.save(out, "JPEG", quality=JPEG_QUALITY, subsampling=0)
    return out.getvalue()


def _answer(backend: Backend, job_id: str, owner: str, number: int, width: int, known_tag: str) -> Response:
    with backend.service.document(job_id, owner) as document:
        tag = _etag(document.sha256, number, width)
        headers = {"ETag": tag, "Cache-Control": CACHE_CONTROL, "Vary": "Cookie"}
        if tag in known_tag:
            return Response(status_code=304, headers=headers)
        data = encode_picture(document.picture(number, width), width)
    return Response(data, media_type="image/jpeg", headers={**headers, "X-Content-Type-Options": "nosniff"})


def _etag(document_hash: str, number: int, width: int) -> str:
    key = f"{ENCODING_VERSION}/{document_hash}/{number}/{width}"
    return f'"{hashlib.sha256(key.encode()).hexdigest()[:32]}"'


def _width(text: str | None) -> int:
    if text is None:
        return DEFAULT_WIDTH
    width = whole_number(text)
    if width is None or not MIN_WIDTH <= width <= MAX_WIDTH:
        raise InvalidRequest(f"w must be a whole number of pixels from {MIN_WIDTH} to {MAX_WIDTH}.", "Correct w.")
    return width


def whole_number(text: str) -> int | None:
    """The number that the text is; None where it is none, or one without end (Python refuses to read those)."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS else None
