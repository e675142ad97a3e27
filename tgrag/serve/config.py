"""The Serve config: the same for ``serve deploy``, ``tgrag serve`` and the demo.

``python -m tgrag.serve.config [REVISION]`` prints it for the settings in force.
"""

import sys
from collections.abc import Iterator
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, field_validator

from tgrag import __version__
from tgrag.errors import ConfigurationError, TgragError
from tgrag.models.gpu_shares import check_shares
from tgrag.models.served import EMBED, RERANK
from tgrag.serve.access import KeyDigest, digests, require_safe
from tgrag.settings import (
    ChatSettings,
    EmbedEngineSettings,
    EngineSettings,
    RerankSettings,
    SearchSettings,
    ServeSettings,
    Settings,
    load_settings,
)

CHAT, RAG = "chat", "rag"
PROXY_LOCATION = "EveryNode"

HEADER = """\
# The applications of tgrag, each redeployed alone: edit, then `serve deploy serve_config.yaml`.
# root: a folder that every node of the cluster sees, or s3://bucket/prefix.
# revision: Serve leaves an unchanged config as it runs; change this after an upgrade of the code.
# chat: what differs from the defaults. Its key is never written here: set TGRAG_CHAT__API_KEY where Ray is started.
# api_keys: digests of serve.api_keys, which may also be set where Ray is started (TGRAG_SERVE__API_KEYS).
# Written by `python -m tgrag.serve.config`.
"""


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    revision: str = Field("", description="change it to redeploy an otherwise unchanged application")


class LocalEmbedArguments(Arguments):
    replicas: int = Field(1, ge=1)


class EngineArguments(Arguments):
    engine: EngineSettings


class EmbedArguments(Arguments):
    engine: EmbedEngineSettings


class RagArguments(Arguments):
    root: str
    search: SearchSettings = SearchSettings()
    chat: ChatSettings = Field(
        ChatSettings(), description="what the replicas' environment does not say; never the key"
    )
    rerank: RerankSettings = RerankSettings()
    api_keys: tuple[KeyDigest, ...] = ()
    serve: ServeSettings = ServeSettings()

    @field_validator("serve")
    @classmethod
    def _holds_no_key(cls, serve: ServeSettings) -> ServeSettings:
        if serve.api_keys:
            raise ValueError("a Serve config holds digests of keys, under api_keys, not keys")
        return serve


def build(settings: Settings, revision: str = __version__) -> dict[str, Any]:
    """Return the config in the form of Serve's own schema (ServeDeploySchema).

    Raises ConfigurationError on a host beyond loopback without an API key, when a model that is to be served has no name,
    and when models that may come together on a GPU take more memory than it has.
    """
    serving = settings.serve
    require_safe(serving.host, bool(serving.api_keys))
    check_shares(served_engines(settings))
    return {
        "proxy_location": PROXY_LOCATION,
        "http_options": {"host": serving.host, "port": serving.port},
        "applications": [*_models(settings, revision), _rag(settings, revision)],
    }


def served_engines(settings: Settings) -> dict[str, EngineSettings]:
    """Return the engines that run on this Ray, by the names of their applications."""
    backends = {
        EMBED: settings.embed.backend,
        CHAT: settings.chat.backend,
        RERANK: settings.rerank.backend,
    }
    return {name: getattr(settings.models, name) for name, backend in backends.items() if backend == "serve"}


def _models(settings: Settings, revision: str) -> Iterator[dict[str, Any]]:
    """Return the applications of the models that are served here, the embedder always among them."""
    if settings.embed.backend == "embedded":
        yield _application(
            EMBED,
            "local_embed_app",
            LocalEmbedArguments(revision=revision, replicas=settings.serve.embedders),
        )
    else:
        yield _application(
            EMBED, "embed_app", EmbedArguments(revision=revision, engine=settings.models.embed)
        )
    for name, engine in served_engines(settings).items():
        if name != EMBED:
            yield _application(name, f"{name}_app", EngineArguments(revision=revision, engine=engine))


def _application(name: str, builder: str, arguments: Arguments) -> dict[str, Any]:
    if not getattr(getattr(arguments, "engine", None), "model", True):
        variable = f"TGRAG_MODELS__{name.upper()}__MODEL"
        raise ConfigurationError(
            f"models.{name}.model names no model; set it, or {variable}, to a folder or hub name"
        )
    return {
        "name": name,
        "route_prefix": None,
        "import_path": f"tgrag.serve.models:{builder}",
        "args": arguments.model_dump(mode="json", exclude_defaults=True) | {"revision": arguments.revision},
    }


def _rag(settings: Settings, revision: str) -> dict[str, Any]:
    return {
        "name": RAG,
        "route_prefix": "/",
        "import_path": "tgrag.serve.app:rag_app",
        "args": {
            "revision": revision,
            "root": settings.root,
            "search": settings.search.model_dump(mode="json"),
            "chat": settings.chat.model_dump(mode="json", exclude={"api_key"}, exclude_defaults=True),
            "rerank": settings.rerank.model_dump(mode="json"),
            "api_keys": [key.model_dump(mode="json") for key in digests(settings.serve.api_keys)],
            "serve": settings.serve.model_dump(
                mode="json", exclude={"host", "port", "embedders", "api_keys"}
            ),
        },
    }


def render(settings: Settings, revision: str = __version__) -> str:
    """Return the config as YAML."""
    return HEADER + yaml.safe_dump(build(settings, revision), sort_keys=False, allow_unicode=True)


if __name__ == "__main__":
    try:
        print(render(load_settings(), *sys.argv[1:2]), end="")
    except TgragError as error:
        sys.exit(f"error[{error.code}]: {error.message}")
