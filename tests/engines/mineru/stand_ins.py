"""A model whose words a test decides: pages are coloured areas, and each colour has its text."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from mineru_vl_utils.vlm_client.base_client import VlmClient
from PIL import Image

from mineru_core.document.page import Page
from mineru_core.engines.base import BatchListener, LoadListener
from mineru_core.engines.mineru.local_client import BlockBatcher, LocalClient, is_layout, make_batcher
from mineru_core.engines.mineru.requests import BlockEnd, BlockOutput, BlockRequest
from mineru_core.runtime.context import RunContext

Colour = tuple[int, int, int]
WIDTH, HEIGHT = 400, 600
WHITE = (255, 255, 255)


@dataclass(frozen=True)
class Area:
    """An area of a page: MinerU's name of its sort, its place in thousandths, its turn, and what the model reads."""

    kind: str
    box: tuple[int, int, int, int]
    text: str = ""
    turn: str = "up"
    tail: str = ""
    colour: Colour = (0, 0, 0)
    logprob: float = -0.1
    end: BlockEnd = BlockEnd.COMPLETE
    tokens: tuple[tuple[str, float], ...] = ()
    """What the text is made of, each with its log probability, where a test looks at that."""

    @property
    def written(self) -> str:
        """As the model writes it at the layout step."""
        x0, y0, x1, y1 = self.box
        return (
            f"<|box_start|>{x0} {y0} {x1} {y1}<|box_end|><|ref_start|>{self.kind}<|ref_end|>"
            f"<|rotate_{self.turn}|>{self.tail}"
        )


def coloured(areas: Sequence[Area]) -> list[Area]:
    """The areas with a colour of its own each."""
    return [replace(area, colour=(10 + 7 * n, 90, 200 - 5 * n)) for n, area in enumerate(areas)]


def page_of(areas: Sequence[Area], number: int = 1, width: int = WIDTH, height: int = HEIGHT) -> Page:
    """A page with each area filled with its colour."""
    pixels = np.full((height, width, 3), 255, np.uint8)
    for area in areas:
        x0, y0, x1, y1 = area.box
        pixels[y0 * height // 1000 : y1 * height // 1000, x0 * width // 1000 : x1 * width // 1000] = area.colour
    return Page(pixels, "drawn.png", number)


@dataclass
class Model:
    """Answers with the areas of the page at the layout step, and with the text of an area's colour at the other.

    ``poison`` are texts at which a call breaks; ``gate`` holds calls, each of which is noted with its prompts.
    """

    areas: Sequence[Area]
    layout: str | None = None
    layout_tokens: Sequence[tuple[str, float]] = ()
    poison: frozenset[str] = frozenset()
    calls: list[list[str]] = field(default_factory=list)
    sizes: list[tuple[int, int]] = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)
    entered: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    at_work: threading.Lock = field(default_factory=threading.Lock)
    closed: bool = False

    def __post_init__(self) -> None:
        self.gate.set()

    @property
    def prompts(self) -> list[str]:
        """Prompts of all calls."""
        return [prompt for call in self.calls for prompt in call]

    def visual_tokens(self, request: BlockRequest) -> int:
        return max(1, request.image.width * request.image.height // 784)

    def generate(self, requests: Sequence[BlockRequest]) -> list[BlockOutput]:
        assert self.at_work.acquire(blocking=False), "two calls at once"
        try:
            self.calls.append([request.prompt.strip(" \n:") for request in requests])
            self.sizes += [request.image.size for request in requests]
            self.entered.release()
            assert self.gate.wait(20)
            return [self._answer(request) for request in requests]
        finally:
            self.at_work.release()

    def close(self) -> None:
        self.closed = True

    def _answer(self, request: BlockRequest) -> BlockOutput:
        if request.ctx.cancelled:
            return BlockOutput("", (), (), BlockEnd.STOPPED)
        if is_layout(request) and self.layout_tokens:
            return output_of(self.layout_tokens)
        if is_layout(request):
            text = self.layout if self.layout is not None else "".join(area.written for area in self.areas)
            return BlockOutput(text, (1, 2), (-0.1, -0.1))
        area = by_colour(request.image, self.areas)
        if area.text in self.poison:
            raise RuntimeError("a kernel broke")
        if area.tokens:
            return output_of(area.tokens, area.end)
        return BlockOutput(area.text, (1, 2), (area.logprob, area.logprob), area.end)


def output_of(tokens: Sequence[tuple[str, float]], end: BlockEnd = BlockEnd.COMPLETE) -> BlockOutput:
    """The output that these tokens make."""
    pieces, logprobs = zip(*tokens, strict=True)
    return BlockOutput("".join(pieces), tuple(range(len(pieces))), logprobs, end, pieces)


def by_colour(image: Image.Image, areas: Sequence[Area]) -> Area:
    """The area that a picture was cut out of, by its middle."""
    pixel = np.asarray(image.getpixel((image.width // 2, image.height // 2)), int)
    return min(areas, key=lambda area: int(np.abs(np.asarray(area.colour) - pixel).sum()))


class ModelBackend:
    """A backend with a stand-in for the model and the real batcher and client before it."""

    def __init__(self, model: Model, *, analyses_images: bool = False, batch_items: int = 8) -> None:
        self.model = model
        self.analyses_images = analyses_images
        self.batch_items = batch_items
        self.fingerprint = "stand-in"
        self.layout_size = (224, 224)
        self.batcher: BlockBatcher | None = None
        self.listener: BatchListener | None = None

    def load(self, progress: LoadListener | None = None) -> None:
        if progress is not None:
            progress("ready", 1.0)
        listener = self.listener
        self.batcher = make_batcher(
            self.model,
            batch_items=self.batch_items,
            on_batch=None if listener is None else lambda report: listener("blocks", report),
        )

    def close(self) -> None:
        if self.batcher is not None:
            self.batcher.close()
            self.batcher = None
            self.model.close()

    def client(self, ctx: RunContext) -> VlmClient:
        assert self.batcher is not None
        return LocalClient(self.batcher, ctx, 64)

    def listen(self, on_batch: BatchListener | None) -> None:
        self.listener = on_batch


PAGE: Mapping[str, Area] = dict(
    zip(
        ("title", "text", "caption", "table", "formula", "footer"),
        coloured(
            [
                Area("title", (100, 50, 900, 100), "Annual report"),
                Area("text", (100, 150, 900, 250), "Sales grew.\nCosts fell."),
                Area("table_caption", (100, 300, 900, 330), "Table 1"),
                Area("table", (100, 350, 900, 550), "<fcel>Year<fcel>Sales<nl><fcel>2025<fcel>7<nl>"),
                Area("equation", (100, 600, 900, 650), "\\[\nE = m c^{2}\n\\]"),
                Area("footer", (100, 950, 900, 980), "Page 3"),
            ]
        ),
        strict=True,
    )
)
