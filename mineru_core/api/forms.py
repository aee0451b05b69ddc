"""Forms whose files go to disk as they come, into the blob store's keeping, rather than to a folder of temporary files
and from there into memory and to disk again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine
from functools import partial
from io import BytesIO
from typing import Any

import anyio
from fastapi import HTTPException, Request, UploadFile
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

from mineru_core.api.backend import Backend
from mineru_core.api.errors import UploadTooLarge
from mineru_core.store.blobs import Incoming

BUFFER_BYTES = 1 << 20
"""Bytes of a file that are held before they are written: a smaller file is never written on its way."""

MULTIPART = "multipart/form-data"


class ArrivingFile(UploadFile):
    """A file of a form: ``incoming`` is what of it has been written to disk, None for a small one."""

    def __init__(self, backend: Backend, filename: str | None, headers: Headers) -> None:
        super().__init__(file=BytesIO(), size=0, filename=filename, headers=headers)
        self.incoming: Incoming | None = None
        self._backend = backend
        self._most = backend.settings.limits.max_file_bytes
        self._held = bytearray()

    async def write(self, data: bytes) -> None:
        """Take the next bytes. Raises ``UploadTooLarge`` as soon as they are too many."""
        self.size = (self.size or 0) + len(data)
        if self.size > self._most:
            raise UploadTooLarge(self._most)
        self._held += data
        if len(self._held) >= BUFFER_BYTES:
            await self._flush()

    async def seek(self, offset: int) -> None:
        """The parser's word that the file is whole; only its beginning can be gone to."""
        if offset:
            raise ValueError("a file that has come is read from its beginning")
        if self.incoming is not None:
            await self._flush()

    async def read(self, size: int = -1) -> bytes:
        """All of the file; a part of it is not to be had."""
        if size >= 0:
            raise ValueError("a file that has come is read whole")
        if self.incoming is None:
            return bytes(self._held)
        return await self._backend.call(partial(self._backend.service.uploads.whole, self.incoming))

    async def close(self) -> None:
        """Give up what has not been kept."""
        incoming, self.incoming, self._held = self.incoming, None, bytearray()
        if incoming is not None:
            with anyio.CancelScope(shield=True):
                await self._backend.call(incoming.close)

    async def _flush(self) -> None:
        uploads = self._backend.service.uploads
        if self.incoming is None:
            self.incoming = await self._backend.call(uploads.receive)
        await self._backend.call(partial(uploads.write, self.incoming, self._held))
        self._held = bytearray()


class ArrivingForm(MultiPartParser):
    """Starlette's parser with files that go to disk as they come."""

    def __init__(self, backend: Backend, headers: Headers, stream: AsyncGenerator[bytes, None]) -> None:
        super().__init__(headers, stream)
        self._backend = backend
        self._arriving: list[ArrivingFile] = []

    def on_headers_finished(self) -> None:
        """A part begins."""
        super().on_headers_finished()
        spooled = self._current_part.file
        if spooled is not None:
            spooled.file.close()
            self._current_part.file = ArrivingFile(self._backend, spooled.filename, spooled.headers)
            self._arriving.append(self._current_part.file)

    async def close(self) -> None:
        """Give up what of its files has not been kept: those of a form that broke off as well, which it does not have
        among its fields."""
        for file in self._arriving:
            await file.close()


def arriving_files(backend: Backend) -> type[APIRoute]:
    """Routes that take the files of their forms so."""

    class ArrivingRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def take_and_handle(request: Request) -> Response:
                kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
                if kind != MULTIPART:
                    return await handle(request)
                form = ArrivingForm(backend, request.headers, request.stream())
                try:
                    # Where the request would keep a form that it has parsed itself.
                    request._form = await form.parse()
                    return await handle(request)
                except MultiPartException as error:
                    raise HTTPException(400, error.message) from None
                except ClientDisconnect:
                    raise HTTPException(400, "The upload was broken off.") from None  # for the log: nobody is there
                finally:
                    await form.close()

            return take_and_handle

    return ArrivingRoute
