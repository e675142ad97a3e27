"""The Serve config: the same for ``serve deploy``, ``tgrag serve`` and the demo.

``python -m tgrag.serve.config [REVISION]`` prints it for the settings in force.
"""

import sys
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, field_validator

from tgrag import __version__
from tgrag.serve.access import KeyDigest, digests, require_safe
from tgrag.settings import (
    ChatSettings,
    RerankSettings,
    SearchSettings,
    ServeSettings,
    Settings,
    load_settings,
)

MODELS = "models"
RAG = "rag"

HEADER = """\
# The two applications of tgrag, each redeployed alone: edit, then `serve deploy serve_config.yaml`.
# root: a folder that every node of the cluster sees, or s3://bucket/prefix.
# revision: Serve leaves an unchanged config as it runs; change this after an upgrade of the code.
# chat: what differs from the defaults. Its key is never written here: set TGRAG_CHAT__API_KEY where Ray is started.
# api_keys: digests of serve.api_keys, which may also be set where Ray is started (TGRAG_SERVE__API_KEYS).
# Written by `python -m tgrag.serve.config`.
"""


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    revision: str = Field("", description="change it to redeploy an otherwise unchanged application")


class ModelsArguments(Arguments):
    embedders: int = Field(1, ge=1, description="replicas of the embedder")


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

    Raises ConfigurationError on a host beyond loopback without an API key.
    """
    serving = settings.serve
    require_safe(serving.host, bool(serving.api_keys))
    return {
        "proxy_location": "EveryNode",
        "http_options": {"host": serving.host, "port": serving.port},
        "applications": [
            {
                "name": MODELS,
                "route_prefix": None,
                "import_path": "tgrag.serve.app:models_app",
                "args": {"revision": revision, "embedders": serving.embedders},
            },
            {
                "name": RAG,
                "route_prefix": "/",
                "import_path": "tgrag.serve.app:rag_app",
                "args": {
                    "revision": revision,
                    "root": settings.root,
                    "search": settings.search.model_dump(mode="json"),
                    "chat": settings.chat.model_dump(mode="json", exclude={"api_key"}, exclude_defaults=True),
                    "rerank": settings.rerank.model_dump(mode="json"),
                    "api_keys": [key.model_dump(mode="json") for key in digests(serving.api_keys)],
                    "serve": serving.model_dump(
                        mode="json", exclude={"host", "port", "embedders", "api_keys"}
                    ),
                },
            },
        ],
    }


def render(settings: Settings, revision: str = __version__) -> str:
    """Return the config as YAML."""
    return HEADER + yaml.safe_dump(build(settings, revision), sort_keys=False, allow_unicode=True)


if __name__ == "__main__":
    print(render(load_settings(), *sys.argv[1:2]), end="")
