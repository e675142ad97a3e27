"""The Serve config: the same for ``serve deploy``, ``tgrag serve`` and the demo.

``python -m tgrag.serve.config [REVISION]`` prints it for the settings in force.
"""

import sys
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

from tgrag import __version__
from tgrag.errors import ConfigurationError
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
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")

HEADER = """\
# The two applications of tgrag, each redeployed alone: edit, then `serve deploy serve_config.yaml`.
# root: a folder that every node of the cluster sees, or s3://bucket/prefix.
# revision: Serve leaves an unchanged config as it runs; change this after an upgrade of the code.
# chat: what differs from the defaults. Its key is never written here: set TGRAG_CHAT__API_KEY where Ray is started.
# Written by `python -m tgrag.serve.config`.
"""


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

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
    serve: ServeSettings = ServeSettings()


def build(settings: Settings, revision: str = __version__) -> dict[str, Any]:
    """Return the config in the form of Serve's own schema (ServeDeploySchema).

    Raises ConfigurationError on a host beyond loopback: the API asks for no key yet.
    """
    if settings.serve.host not in LOOPBACK_HOSTS:
        raise ConfigurationError(
            f"serve.host {settings.serve.host}: the API has no authentication, so it listens on loopback only; "
            "put a proxy with authentication in front of it"
        )
    serving = settings.serve
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
                    "serve": serving.model_dump(mode="json", exclude={"host", "port", "embedders"}),
                },
            },
        ],
    }


def render(settings: Settings, revision: str = __version__) -> str:
    """Return the config as YAML."""
    return HEADER + yaml.safe_dump(build(settings, revision), sort_keys=False, allow_unicode=True)


if __name__ == "__main__":
    print(render(load_settings(), *sys.argv[1:2]), end="")
