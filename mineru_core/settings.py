"""Settings, read from ``MINERU_WORKBENCH_…`` variables first, then from ``config.toml`` in the home folder.

Nested names are joined with two underscores: ``MINERU_WORKBENCH_LIMITS__MAX_PAGES=50``. Nothing is read at import:
``load_settings()`` reads when it is called, and a value that cannot be right raises ``InvalidSetting`` naming it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Literal

from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, IPvAnyNetwork, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from mineru_core.errors import InvalidSetting

HOME_VARIABLE = "MINERU_WORKBENCH_HOME"

_STORAGE_URL = re.compile(r"(valkeys?|rediss?)://[^/\s]+(/\d*)?$|(valkey|redis)\+unix:///\S+$")


def default_home() -> Path:
    """The home folder: ``$MINERU_WORKBENCH_HOME``, else the platform's user data folder."""
    given = os.environ.get(HOME_VARIABLE)
    return Path(given).expanduser() if given else user_data_path("mineru-workbench", appauthor=False)


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LimitSettings(_Section):
    """What a document may have at most."""

    max_file_bytes: int = Field(default=100_000_000, gt=0, description="bytes of one uploaded file")
    max_page_pixels: int = Field(default=100_000_000, gt=0, description="pixels of one page, before any reduction")
    max_pages: int = Field(default=500, gt=0, description="pages of one document")


class PdfSettings(_Section):
    """How PDF pages become pictures."""

    dpi: int = Field(default=150, ge=36, le=600, description="resolution a page is rendered at, dots per inch")
    text_layer: bool = Field(default=True, description="whether a PDF's own words are used where they are good")


class EngineSettings(_Section):
    """Which engine reads, and how many calls it takes at once (None: by the number of cores)."""

    name: str = Field(default="embedded", description="embedded, mineru, mineru-tiny, mineru-server or echo")
    choices: tuple[str, ...] | None = Field(
        default=None, description="engines that may be chosen for a document, beside engine.name; all if unset"
    )
    pages_in_flight: int | None = Field(default=None, ge=1, description="pages admitted at once")
    engine_calls: int | None = Field(default=None, ge=1, description="concurrent calls into one model")
    batch_items: int = Field(default=32, ge=1, description="text lines of one recognition call")
    share_calls: bool = Field(default=True, description="whether lines of all pages share recognition calls")
    compress: bool = Field(default=True, description="whether pages are reduced as far as their letters allow")
    deadline_s: float = Field(default=600.0, gt=0, description="seconds a document may take at most")
    echo_delay_s: float = Field(default=0.0, ge=0, description="seconds the echo engine spends on a page, for trials")


class MineruSettings(_Section):
    """The MinerU2.5 model in this process: which weights, from where, and how they are run."""

    model: str = Field(
        default="opendatalab/MinerU2.5-2509-1.2B", description="repository of the weights, or a folder that holds them"
    )
    hub: Literal["huggingface", "modelscope"] = Field(
        default="huggingface", description="where weights are fetched from: huggingface or modelscope"
    )
    endpoint: str | None = Field(default=None, description="address of the hub or a mirror; the public one if unset")
    revision: str | None = Field(default=None, description="revision of the repository; its newest if unset")
    offline: bool = Field(default=False, description="whether to use only weights that are there already")
    device: Literal["auto", "cpu", "cuda", "mps"] = Field(default="auto", description="auto, cpu, cuda or mps")
    precision: Literal["auto", "bf16", "fp32", "int8"] = Field(default="auto", description="auto, bf16, fp32 or int8")
    batch_items: int = Field(default=8, ge=1, description="blocks of one generate call")
    max_new_tokens: int = Field(default=4096, ge=16, description="tokens a block may take at most")
    vision_cache_bytes: int = Field(
        default=512_000_000, ge=0, description="bytes of memory for pictures the model has seen; 0: none"
    )


class MineruServerSettings(_Section):
    """The MinerU2.5 model on OpenAI-compatible servers (vLLM, LMDeploy, llama.cpp)."""

    urls: tuple[str, ...] = Field(default=(), description="addresses of the servers, the preferred first")
    model: str | None = Field(default=None, description="name the servers give the model; asked for if unset")
    api_key: SecretStr | None = Field(default=None, description="key sent as bearer token")
    timeout_s: float = Field(default=300.0, gt=0, description="seconds one block may take")
    connect_timeout_s: float = Field(default=5.0, gt=0, description="seconds a connection may take")
    concurrency: int = Field(default=32, ge=1, description="blocks on their way to one server at once")
    attempts: int = Field(default=4, ge=1, description="tries for one block, over all servers")
    breaker_failures: int = Field(default=3, ge=1, description="failures in a row that take a server out")
    breaker_open_s: float = Field(default=15.0, gt=0, description="seconds until it is tried again")


class TextModelSettings(_Section):
    """A text model on an OpenAI-compatible server that answers free questions over the recognised text."""

    url: str | None = Field(
        default=None, description="address of a text model for free questions, such as http://host/v1; off if unset"
    )
    model: str | None = Field(default=None, description="name the server gives the model")
    api_key: SecretStr | None = Field(default=None, description="key sent to it as bearer token")
    timeout_s: float = Field(default=60.0, gt=0, description="seconds a free question may take, over all tries")


class JobSettings(_Section):
    """The queue of documents (None: by the number of cores, and by how fast documents are read)."""

    workers: int | None = Field(default=None, ge=1, description="documents open at once")
    waiting_places: int | None = Field(default=None, ge=1, description="documents that may wait; beyond them, refused")
    departure_s: float = Field(
        default=10.0,
        ge=0,
        description="seconds from the end of a reader's last page to that of the jobs it waited for; batches go on",
    )


class ServingSettings(_Section):
    """What one process may take up."""

    memory_ceiling_bytes: int | None = Field(
        default=None,
        ge=0,
        description="resident memory above which new documents are refused while others are read; 0: no ceiling",
    )


class StoreSettings(_Section):
    """How long uploads and results are kept."""

    retention_days: float = Field(default=7.0, gt=0, description="days an upload and its results are kept")
    max_bytes: int = Field(default=5_000_000_000, gt=0, description="bytes of all uploads; the oldest go first")


class CacheSettings(_Section):
    """What is kept of readings and answers, so that nothing is read twice."""

    enabled: bool = Field(default=True, description="whether readings and answers are kept to be given again")
    memory_bytes: int = Field(default=32_000_000, ge=0, description="bytes of memory for them; 0: none")
    disk_bytes: int = Field(default=2_000_000_000, ge=0, description="bytes of disk for them; 0: none")


class ServerSettings(_Section):
    """Where the UI and the HTTP API listen."""

    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8501, ge=1, le=65535, description="port to listen on")
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="least level logged")
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="names browsers reach the server by, such as docs.example.com or *.example.com; *: any. Addresses, "
        "names without a dot, .local, .lan and the machine's own name always are",
    )
    trusted_proxies: tuple[IPvAnyNetwork, ...] = Field(
        default=(), description="addresses or networks of proxies whose X-Forwarded-For says who is calling"
    )
    cors_origins: tuple[str, ...] = Field(
        default=(), description="web pages, by origin, whose scripts may call the HTTP API with a token"
    )


class RateSettings(_Section):
    """How many documents one caller of the HTTP API, or one browser, may hand in, whatever their pages."""

    per_minute: int = Field(default=20, ge=0, description="documents a minute, on average over five; 0: no limit")
    burst: int = Field(default=40, ge=1, description="documents in any one minute")
    local: bool = Field(default=False, description="whether callers on the machine itself, without token, are limited")
    storage_url: SecretStr | None = Field(
        default=None,
        description="Valkey or Redis that several servers count in together, such as valkey://host:6379/0; "
        "each counts for itself if unset, and while it does not answer",
    )

    @field_validator("storage_url")
    @classmethod
    def _is_a_storage(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not _STORAGE_URL.match(url.get_secret_value()):
            raise ValueError(
                "not an address such as valkey://host:6379/0, rediss://:password@host or valkey+unix:///path"
            )
        return url


class LoadtestSettings(_Section):
    """What the built-in load test may do."""

    allow_remote: bool = Field(
        default=False, description="whether load tests may be aimed at other machines than this one"
    )
    token: SecretStr | None = Field(default=None, description="bearer token sent to a server that is named by address")
    max_seconds: float = Field(default=3600.0, gt=0, description="seconds one load test may last")
    max_rate_per_s: float = Field(default=200.0, gt=0, description="requests a second it may send")


class Settings(BaseSettings):
    """Every setting; immutable once made."""

    model_config = SettingsConfigDict(
        env_prefix="MINERU_WORKBENCH_", env_nested_delimiter="__", frozen=True, extra="forbid"
    )

    home: Path = Field(default_factory=default_home, description="folder of models, blobs, cache and state.db")
    models: Path | None = Field(default=None, description="folder of the weights; models/ in the home folder if unset")
    limits: LimitSettings = LimitSettings()
    pdf: PdfSettings = PdfSettings()
    engine: EngineSettings = EngineSettings()
    mineru: MineruSettings = MineruSettings()
    mineru_server: MineruServerSettings = MineruServerSettings()
    text_model: TextModelSettings = TextModelSettings()
    jobs: JobSettings = JobSettings()
    serving: ServingSettings = ServingSettings()
    store: StoreSettings = StoreSettings()
    cache: CacheSettings = CacheSettings()
    server: ServerSettings = ServerSettings()
    rate: RateSettings = RateSettings()
    loadtest: LoadtestSettings = LoadtestSettings()

    @property
    def models_dir(self) -> Path:
        """Folder of the weights."""
        return self.models if self.models is not None else self.home / "models"

    @property
    def blobs_dir(self) -> Path:
        """Folder of uploads and results, by content hash."""
        return self.home / "blobs"

    @property
    def cache_dir(self) -> Path:
        """Folder of what was read and answered before; it may be deleted at any moment."""
        return self.home / "cache"

    @property
    def database_path(self) -> Path:
        """SQLite file of jobs and references."""
        return self.home / "state.db"

    @property
    def pages_in_flight(self) -> int:
        """Pages admitted at once: 2 cores 4, 4 cores 6, 8 cores 8, 16 cores 12, unless set."""
        return self.engine.pages_in_flight or _by_cores({2: 4, 4: 6, 8: 8, 16: 12})

    @property
    def engine_calls(self) -> int:
        """Concurrent calls into one model: 2 cores 1, 4 cores 2, 8 cores 4, 16 cores 6, unless set."""
        return self.engine.engine_calls or _by_cores({2: 1, 4: 2, 8: 4, 16: 6})

    @property
    def job_workers(self) -> int:
        """Documents open at once: two for each page in flight, unless set; pages are what is bounded."""
        return self.jobs.workers or 2 * self.pages_in_flight

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  the signature is pydantic-settings'
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments first, then the environment, then config.toml."""
        toml = TomlConfigSettingsSource(settings_cls, toml_file=default_home() / "config.toml")
        return init_settings, env_settings, toml


def available_cores() -> int:
    """Cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _by_cores(table: dict[int, int]) -> int:
    """The value of the largest key not above the number of cores (the smallest key's value below all)."""
    cores = available_cores()
    fitting = [value for key, value in sorted(table.items()) if key <= cores]
    return fitting[-1] if fitting else table[min(table)]


def load_settings(**overrides: Any) -> Settings:
    """Read the settings now. Raises ``InvalidSetting`` that names each wrong value."""
    try:
        return Settings(**overrides)
    except (ValidationError, ValueError) as error:
        raise InvalidSetting(_explain(error)) from error


def _explain(error: ValidationError | ValueError) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
    return f"config.toml cannot be read: {error}"
