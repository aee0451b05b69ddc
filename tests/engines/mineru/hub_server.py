"""Both hubs on a loopback server, which can break off, fail, or give other bytes than it said."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

REPOSITORY = "opendatalab/MinerU2.5-2509-1.2B"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class HubServer:
    """``files`` are what the repository holds. ``break_after`` bytes of an answer the connection is closed, as often
    as ``breaks`` says; ``statuses`` are given in turn before anything else; ``asked`` are the ranges asked for."""

    files: dict[str, bytes]
    commit: str = COMMIT
    break_after: int = 0
    breaks: int = 0
    statuses: list[int] = field(default_factory=list)
    lies: dict[str, bytes] = field(default_factory=dict)
    ignores_ranges: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/api/models/{owner}/{name}/revision/{revision}", self._hf_info),
                Route("/{owner}/{name}/resolve/{revision}/{path:path}", self._hf_file),
                Route("/api/v1/models/{owner}/{name}/repo/files", self._ms_list),
                Route("/api/v1/models/{owner}/{name}/repo", self._ms_file),
            ]
        )

    async def _hf_info(self, request: Request) -> Response:
        if self._repository(request) != REPOSITORY or request.path_params["revision"] not in ("main", self.commit):
            code = "RepoNotFound" if self._repository(request) != REPOSITORY else "RevisionNotFound"
            return Response(status_code=404, headers={"X-Error-Code": code})
        siblings = []
        for name, content in self.files.items():
            entry: dict[str, object] = {"rfilename": name, "size": len(content)}
            if name.endswith(".safetensors"):
                sha256 = hashlib.sha256(content).hexdigest()
                entry["lfs"] = {"sha256": sha256, "size": len(content), "pointerSize": 100}
            entry["blobId"] = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
            siblings.append(entry)
        return JSONResponse({"id": REPOSITORY, "modelId": REPOSITORY, "sha": self.commit, "siblings": siblings})

    async def _hf_file(self, request: Request) -> Response:
        return self._file(request, request.path_params["path"])

    async def _ms_list(self, request: Request) -> Response:
        if self._repository(request) != REPOSITORY.replace("opendatalab", "OpenDataLab"):
            return Response(status_code=404)
        files = [
            {"Path": name, "Size": len(content), "Sha256": hashlib.sha256(content).hexdigest(), "Type": "blob"}
            for name, content in self.files.items()
        ]
        files.append({"Path": "folder", "Size": 0, "Sha256": "", "Type": "tree"})
        return JSONResponse({"Code": 200, "Data": {"Files": files}, "Success": True})

    async def _ms_file(self, request: Request) -> Response:
        return self._file(request, unquote(request.query_params["FilePath"]))

    def _repository(self, request: Request) -> str:
        return f"{request.path_params['owner']}/{request.path_params['name']}"

    def _file(self, request: Request, name: str) -> Response:
        wanted = request.headers.get("range", "")
        self.asked.append((name, wanted))
        self.tokens.add(request.headers.get("authorization", ""))
        if self.statuses:
            return Response(status_code=self.statuses.pop(0))
        content = self.lies.get(name, self.files[name])
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and not self.ignores_ranges else 0
        body = content[start:]
        headers = {"Content-Length": str(len(body))}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        return StreamingResponse(self._stream(body), status_code=206 if start else 200, headers=headers)

    async def _stream(self, body: bytes) -> AsyncIterator[bytes]:
        if self.breaks and len(body) > self.break_after:
            self.breaks -= 1
            yield body[: self.break_after]
            raise ConnectionResetError("the server goes away")
        for at in range(0, len(body), 65_536):
            yield body[at : at + 65_536]
