"""One typed settings tree: flags > environment > YAML file > profile defaults.

Environment: ``TGRAG_ROOT``, ``TGRAG_CHUNK__LIMIT``, … (two underscores go one level down).
YAML file: ``--config FILE``, else ``TGRAG_CONFIG``, else ``tgrag.yaml`` in the working directory.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    YamlConfigSettingsSource,
)

from tgrag.errors import ConfigurationError
from tgrag.profiles import PROFILES, Profile
from tgrag.records import LANGUAGES, Language
from tgrag.settings_file import check_file, config_path

AnswerForm = Literal["json_schema", "json_object", "text"]
LimitParameter = Literal["max_tokens", "max_completion_tokens"]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class ParseSettings(Section):
    """How a document is read, and its limits; one that passes them is a dead letter."""

    pdf: Literal["native", "layout"] = Field(
        "native",
        description="native: Docling's parser and tgrag's layout rules; layout: Docling's layout models",
    )
    artifacts_path: str | None = Field(None, description="folder with Docling's models (layout, OCR)")
    ocr: Literal["none", "rapidocr", "tesseract"] = Field(
        "none", description="text recognition for pages without readable text"
    )
    ocr_languages: tuple[Language, ...] = Field(LANGUAGES, min_length=1)
    timeout_seconds: float = Field(
        60, gt=0, description="wall seconds until the next page, or the whole file, is read"
    )
    document_seconds: float = Field(3600, gt=0, description="wall seconds a document")
    memory_mb: int = Field(
        3000, ge=512, description="address space of the parsing process beyond its own code"
    )
    max_file_mb: int = Field(200, ge=1, description="larger files are refused")

    def recipe(self) -> dict[str, Any]:
        """Return the part of the settings that the outcome of a parse depends on."""
        return self.model_dump(mode="json", include={"pdf", "ocr", "ocr_languages"})


class ChunkSettings(Section):
    tokenizer: Literal["multilingual-e5-small"] = "multilingual-e5-small"
    limit: int = Field(
        480, ge=32, le=508, description="tokens a text unit, special tokens and prefix not counted"
    )
    earliest_cut: float = Field(
        0.5, gt=0, le=1, description="share of the limit before which no unit ends without need"
    )
    overlap: int = Field(
        0,
        ge=0,
        description="tokens of whole sentences that a unit repeats from the one before, at most half the limit",
    )
    join_below: int = Field(
        96, ge=0, description="a chapter's last unit with fewer tokens is evened out with the one before"
    )

    @field_validator("overlap")
    @classmethod
    def _overlap_leaves_room(cls, overlap: int, info: Any) -> int:
        if 2 * overlap > info.data.get("limit", 2 * overlap):
            raise ValueError("overlap must be at most half of limit")
        return overlap


class ChatSettings(Section):
    """The chat model, and how hard it may be driven, which changes no answer."""

    backend: Literal["none", "openai", "serve", "recorded"] = Field(
        "none", description="openai: any OpenAI-compatible server; serve: models.chat on this Ray"
    )
    base_url: str = Field("http://127.0.0.1:8001/v1", description="of an OpenAI-compatible server")
    model: str = Field("", description="as the server calls it")
    revision: str = Field("", description="of the model's weights: another one asks everything anew")
    api_key: SecretStr = Field(SecretStr(""), description="never stored nor shown")
    recording: str | None = Field(None, description="JSONL of recorded answers, for the recorded back end")
    answer_form: AnswerForm = Field(
        "json_schema", description="how a server is held to JSON; text: by the prompt alone"
    )
    limit_parameter: LimitParameter = Field(
        "max_tokens", description="what the server calls the longest answer"
    )
    send_temperature: bool = Field(True, description="hosted models that reason take none")
    max_in_flight: int = Field(8, ge=1, description="calls at once, of all workers together (article: 8)")
    timeout_seconds: float = Field(120, gt=0, description="a call")
    attempts: int = Field(4, ge=1, description="of a call that fails for a passing reason")
    requests_per_minute: int | None = Field(None, ge=1, description="of all workers together")
    tokens_per_minute: int | None = Field(None, ge=1, description="in and out, of all workers together")

    def recipe(self) -> dict[str, Any]:
        """Return the part of the settings that an answer depends on."""
        return self.model_dump(
            include={"model", "revision", "answer_form", "limit_parameter", "send_temperature"}
        )


class ExtractSettings(Section):
    method: Literal["fast", "llm"] = Field("fast", description="llm: by the chat model of the chat section")
    resolve: Literal["rules", "llm"] = Field(
        "rules",
        description="llm: what the rules on who is who leave open is decided by the chat model where it extracts",
    )
    prompt_language: Language | None = Field(None, description="of the prompts; the document's without it")
    reasoning: bool = Field(False, description="a short field to think in first, which helps small models")
    context_sentences: int = Field(
        0, ge=0, le=2, description="of the unit before, to read but not to extract"
    )
    max_entities: int = Field(16, ge=1, description="of a unit's answer")
    max_relationships: int = Field(16, ge=0, description="of a unit's answer")
    max_answer_tokens: int = Field(
        8_000,
        ge=64,
        description="the longest answer that max_entities and max_relationships allow has to fit",
    )
    max_entities_per_sentence: int = Field(
        6, ge=2, description="co-occurrence is recorded among the first so many"
    )


class WindowSettings(Section):
    """Sliding windows over text units; 20 with an overlap of 5 are the source article's."""

    size: int = Field(20, ge=2)
    overlap: int = Field(5, ge=0)
    max_members: int = Field(50, ge=1)

    @field_validator("overlap")
    @classmethod
    def _overlap_is_smaller_than_size(cls, overlap: int, info: Any) -> int:
        if overlap >= info.data.get("size", overlap + 1):
            raise ValueError("overlap must be smaller than size")
        return overlap


class ReportSettings(Section):
    """The report of a window, one call."""

    method: Literal["llm", "extractive"] = Field(
        "llm", description="llm: by the chat model where it extracts too; extractive: sentences of the text"
    )
    max_input_tokens: int = Field(
        10_000, ge=200, description="of a window's entities and relationships; the most important are shown"
    )
    max_answer_tokens: int = Field(4_000, ge=400, description="the longest report has to fit")


class EmbedSettings(Section):
    backend: Literal["embedded", "serve"] = Field(
        "embedded",
        description="embedded: multilingual-e5-small in this process; serve: models.embed on this Ray",
    )
    model: Literal["multilingual-e5-small"] = Field(
        "multilingual-e5-small", description="the embedded one; what serves is models.embed.model"
    )
    state_characters: int = Field(
        120, ge=40, description="of an entity state's first description, embedded with its name"
    )
    title_weight: float = Field(
        0.3,
        ge=0,
        description="of a book's title in the vector of its first text unit, against 1 for the text",
    )


class IndexSettings(Section):
    """How a run is carried out; nothing here changes what it makes."""

    workers: int | None = Field(None, ge=1, description="parallel workers a stage; all CPUs when not set")
    lease_seconds: float = Field(
        30, gt=1, description="a run that shows no sign of life for so long has lost its lease"
    )
    own_engines: bool = Field(
        False, description="start vLLM's engines inside the workers rather than ask the deployments of models"
    )
    wait_seconds: float = Field(
        0, ge=0, description="how long to wait for another run on the same collection"
    )


class SignalSettings(Section):
    """Weights of what speaks for a text unit besides its likeness to the question, in the temporal mode.

    A weight counts against the fused score of vectors and words, whose best units have 1 to 3; 0 leaves a signal out.
    """

    clauses: float = Field(
        1.0, ge=0, description="a search for each clause of the question; embeds up to six texts"
    )
    second_step: float = Field(
        0.6, ge=0, description="search again from the first hits, without clauses; embeds three texts"
    )
    title_links: float = Field(0.4, ge=0, description="titles of other units that the first hits name")
    bridges: float = Field(
        0.5, ge=0, description="names of the first hits that lead to the question's other words"
    )
    dates: float = Field(0.5, ge=0, description="years and intervals that the question names")
    neighbours: float = Field(
        0.5, ge=0, description="mean of the units before and after, for the first units"
    )
    scene: float = Field(
        0.8,
        ge=0,
        description="mean of the units before and after, for the others; half of it for those beyond",
    )
    shared_names: float = Field(0.3, ge=0, description="rare names of the first hits, in any document")
    pagerank: float = Field(0.0, ge=0, description="walk from the entities that the question names")
    evidence: float = Field(0.0, ge=0, description="evidence of the chosen entity states")


class SearchSettings(Section):
    candidates: int = Field(50, ge=1, description="text units from each first-stage ranking (article: 50)")
    classic_units: int = Field(5, ge=1, description="text units in the classic context (article: 5)")
    entities: int = Field(15, ge=1, description="entity states kept (article: 15)")
    entity_factor: int = Field(3, ge=1, description="candidates for each entity kept (article: 3)")
    relationships_per_entity: int = Field(10, ge=1)
    communities: int = Field(5, ge=0)
    budget_tokens: int = Field(12_000, ge=200, description="size of the temporal context")
    communities_share: float = Field(0.10, ge=0, le=1)
    entities_share: float = Field(0.35, ge=0, le=1)
    answer_sentences: int = Field(4, ge=1, description="quotes in an extractive answer")
    signals: SignalSettings = SignalSettings()


class RerankSettings(Section):
    backend: Literal["local", "serve"] = Field(
        "local", description="local: in the process that searches; serve: models.rerank on this Ray"
    )
    model: str = Field(
        "",
        description="folder or hub name of a cross-encoder with one label; without it the fused rank stands",
    )
    revision: str = ""
    max_tokens: int = Field(512, ge=16, description="of a question and a passage together")
    batch: int = Field(32, ge=1, description="pairs that go through the model at once")


EVERY_COLLECTION = "*"


class ApiKey(Section):
    """A key to the HTTP API. It has to be random: what is kept of it elsewhere is its plain digest."""

    key: SecretStr = Field(min_length=32, description="visible ASCII; never stored nor shown")
    collections: tuple[str, ...] = Field(min_length=1, description="which it opens; * is every one")

    @field_validator("key")
    @classmethod
    def _fits_a_header(cls, key: SecretStr) -> SecretStr:
        if not all("!" <= letter <= "~" for letter in key.get_secret_value()):
            raise ValueError("an API key is visible ASCII without spaces")
        return key


class EngineSettings(Section):
    """A vLLM engine, one a replica of its deployment."""

    model: str = Field("", description="folder or hub name of the model; without it, it is not deployed")
    revision: str = Field("", description="of the model on the hub")
    replicas: int = Field(1, ge=1)
    replicas_per_node: int | None = Field(
        None, ge=1, description="at most; 1 spreads fractions over nodes of one GPU"
    )
    gpus: float = Field(0, ge=0, description="of a replica, as Ray books them: a fraction, or whole ones")
    memory_share: float | None = Field(
        None, gt=0, lt=1, description="of the GPU's whole memory, which vLLM takes for weights and cache"
    )
    max_model_len: int | None = Field(None, ge=16, description="tokens of a request and its answer")
    max_sequences: int | None = Field(
        None,
        ge=1,
        description="in the engine at once, more wait in it; without it as many answers as the memory holds at full length",
    )
    tensor_parallel: int = Field(1, ge=1, description="GPUs over which one copy of the model is spread")
    max_ongoing_requests: int = Field(256, ge=1, description="of a replica; its engine puts them in order")
    max_queued_requests: int = Field(1000, ge=1, description="of a caller; more are refused")
    engine: dict[str, Any] = Field({}, description="any other of vLLM's engine arguments, by its name there")
    environment: dict[str, str] = Field({}, description="variables of the engine's process")


class EmbedEngineSettings(EngineSettings):
    query_prefix: str = Field(
        "", description='before a question, such as "query: " for models of the e5 family'
    )
    passage_prefix: str = ""


class ModelsSettings(Section):
    """The models that run on this Ray as deployments of their own."""

    chat: EngineSettings = EngineSettings()
    embed: EmbedEngineSettings = EmbedEngineSettings()
    rerank: EngineSettings = EngineSettings()


class ServeSettings(Section):
    host: str = Field("127.0.0.1", description="beyond loopback only with api_keys and Ray's token mode")
    api_keys: tuple[ApiKey, ...] = Field((), description="who may ask; without any, everybody on the machine")
    port: int = Field(8000, ge=1, le=65535)
    retrievers: int = Field(1, ge=1, description="replicas of the query path")
    embedders: int = Field(1, ge=1, description="replicas of the embedded model")
    poll_seconds: float = Field(
        1, gt=0, description="how often a replica looks for a newly published version"
    )
    max_ongoing_requests: int = Field(32, ge=1, description="requests in a replica at once")
    max_queued_requests: int = Field(400, ge=1, description="requests waiting; more get 503")
    timeout_seconds: float = Field(60, gt=0, description="a question that takes longer gets 504")
    max_open_collections: int = Field(8, ge=1, description="snapshots a replica keeps open")
    traces: str = Field(
        "",
        description="of questions: an OTLP collector's address, such as http://127.0.0.1:4318/v1/traces; none without",
    )


class ProfileDefaults(PydanticBaseSettingsSource):
    """What the chosen profile sets, where nothing else does."""

    def __call__(self) -> dict[str, Any]:
        return PROFILES.get(self.current_state.get("profile", "lite"), {})

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return self().get(field_name), field_name, False


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="TGRAG_", env_nested_delimiter="__", extra="forbid", frozen=True, validate_default=True
    )

    root: str = Field(
        "tgrag-data", description="where indexes live: a folder or an s3://bucket/prefix address"
    )
    profile: Profile = Field(
        "lite",
        description="lite: nothing to download, no GPU, no key; openai: extraction by an OpenAI-compatible server; h100: "
        "vLLM's models on one 80 GB GPU; cpu: the same without a GPU, models named by models.*.model",
    )
    parse: ParseSettings = ParseSettings()
    chunk: ChunkSettings = ChunkSettings()
    extract: ExtractSettings = ExtractSettings()
    chat: ChatSettings = ChatSettings()
    windows: WindowSettings = WindowSettings()
    report: ReportSettings = ReportSettings()
    embed: EmbedSettings = EmbedSettings()
    index: IndexSettings = IndexSettings()
    search: SearchSettings = SearchSettings()
    rerank: RerankSettings = RerankSettings()
    models: ModelsSettings = ModelsSettings()
    serve: ServeSettings = ServeSettings()

    @model_validator(mode="before")
    @classmethod
    def _served_chat_is_named(cls, stated: dict[str, Any]) -> dict[str, Any]:
        """A chat model on this Ray is called what ``models.chat`` calls it, unless the chat section says otherwise."""
        chat, served = stated.get("chat"), (stated.get("models") or {}).get("chat")
        if isinstance(chat, dict) and isinstance(served, dict) and chat.get("backend") == "serve":
            named = {name: served[name] for name in ("model", "revision") if served.get(name)}
            return stated | {"chat": named | chat}
        return stated

    @property
    def decisions_by_llm(self) -> bool:
        """Whether a language model decides which names are one where the rules do not."""
        return self.extract.method == "llm" and self.extract.resolve == "llm"

    @property
    def reports_by_llm(self) -> bool:
        return self.extract.method == self.report.method == "llm"

    @field_validator("root")
    @classmethod
    def _absolute(cls, root: str) -> str:
        scheme, separator, place = root.partition("://")
        return f"{scheme}://{place.rstrip('/')}" if separator else str(Path(root).expanduser().resolve())

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        sources: tuple[PydanticBaseSettingsSource, ...] = (init_settings, env_settings)
        path = config_path()
        if path is not None:
            check_file(path)
            sources += (YamlConfigSettingsSource(settings_cls, yaml_file=path),)
        return (*sources, ProfileDefaults(settings_cls))

    def recipe(self) -> dict[str, Any]:
        """Return the part of the settings that an index version depends on."""
        sections = self.model_dump(mode="json", include={"chunk", "extract", "windows", "embed"})
        del sections["embed"]["backend"]  # who embeds stands in the manifest as the embedder's identity
        if self.extract.method == "llm":
            return sections | {
                "report": self.report.model_dump(),
                "chat": self.chat.recipe(),
            }
        return sections | {
            "extract": {"method": "fast", "max_entities_per_sentence": self.extract.max_entities_per_sentence}
        }

    def made_as(self, recipe: Mapping[str, Any]) -> "Settings":
        """Return these settings with everything that an index version depends on as its recipe says.

        Raises ConfigurationError when the recipe is not one of this release.
        """
        try:
            sections = {
                name: type(getattr(self, name)).model_validate(
                    getattr(self, name).model_dump() | dict(stated)
                )
                for name, stated in recipe.items()
            }
        except (AttributeError, TypeError, ValidationError):
            raise ConfigurationError(
                "the index was made by another release of tgrag; index it again"
            ) from None
        return self.model_copy(update=sections)

    @property
    def gives_up_language_model(self) -> bool:
        """Whether somebody asked for extraction without a language model, rather than asking for nothing."""
        return self.extract.method == "fast" and (
            "profile" in self.model_fields_set or "method" in self.extract.model_fields_set
        )


def load_settings(**flags: Any) -> Settings:
    """Read the settings; flags that are None do not count. Raises ConfigurationError that names each bad value."""
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise ConfigurationError(f"settings: {faults}") from None
    except SettingsError as error:
        raise ConfigurationError(f"settings: {error}; a section in a TGRAG_ variable is JSON") from None
