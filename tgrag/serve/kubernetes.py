"""The same deployment for KubeRay 1.5.1 or newer: a RayService that serves, a RayJob that indexes.

``python -m tgrag.serve.kubernetes service|job [--image IMAGE] [--gpus N] [--workers N] …`` prints one for the settings
in force. Secrets are not in it: every pod takes its environment from the Secret ``tgrag`` (TGRAG_SERVE__API_KEYS,
AWS_ACCESS_KEY_ID, …), and the operator makes Ray's token.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import yaml

from tgrag import __version__
from tgrag.errors import ConfigurationError
from tgrag.serve.config import build
from tgrag.settings import Settings, load_settings

NAME = "tgrag"
SECRET = "tgrag"
USER = 1000  # of the images in docker/
ALL_INTERFACES = "0.0.0.0"  # of a pod; the ingress refuses it without a key of the Secret
SERVICE_PORT = 8000  # where the operator's Service expects it
Manifest = dict[str, Any]

HEADER = """\
# {what}
# Written by `python -m tgrag.serve.kubernetes {arguments}` with TGRAG_ROOT={root}.
"""


@dataclass(frozen=True, slots=True)
class Size:
    """workers: pods beside the head. cpus, memory: of a worker; gpus: of a worker, which makes it one for models."""

    image: str = "tgrag:cpu"
    workers: int = 1
    cpus: int = 4
    memory: str = "8Gi"
    gpus: int = 0


USUAL = Size()


def service(settings: Settings, size: Size, revision: str = __version__) -> Manifest:
    """Return the RayService. Raises ConfigurationError on a root that pods do not share."""
    config = build(settings.model_copy(update={"serve": _on_loopback(settings)}), revision)
    config["http_options"] = {"host": ALL_INTERFACES, "port": SERVICE_PORT}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayService",
        "metadata": {"name": NAME},
        "spec": {
            "serveConfigV2": yaml.safe_dump(config, sort_keys=False, allow_unicode=True),
            "rayClusterConfig": _cluster(settings, size),
        },
    }


def job(settings: Settings, size: Size, inputs: Sequence[str], collection: str) -> Manifest:
    """Return a RayJob that indexes on a cluster of its own, which goes when it is done."""
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "metadata": {"name": f"{NAME}-index"},
        "spec": {
            "entrypoint": shlex.join(["tgrag", "index", *inputs, "--collection", collection]),
            "shutdownAfterJobFinishes": True,
            "ttlSecondsAfterFinished": 600,
            "backoffLimit": 2,  # a run goes on where the one before was stopped
            "rayClusterSpec": _cluster(settings, size),
        },
    }


def _on_loopback(settings: Settings) -> Any:
    """Return the serve section for the builder, which wants no key there: the pods have it."""
    return settings.serve.model_copy(update={"host": "127.0.0.1"})


def _cluster(settings: Settings, size: Size) -> Manifest:
    if "://" not in settings.root:
        raise ConfigurationError(f"root {settings.root} is a folder, which pods do not share; name s3://…")
    head = {"cpu": "2", "memory": "8Gi"}
    worker = {"cpu": str(size.cpus), "memory": size.memory}
    gpus = {"nvidia.com/gpu": str(size.gpus)} if size.gpus else {}
    return {
        "rayVersion": version("ray"),
        "authOptions": {"mode": "token"},
        "headGroupSpec": {
            "rayStartParams": {"dashboard-host": ALL_INTERFACES},  # the operator asks it, with the token
            "template": _pod("ray-head", settings.root, size.image, head),
        },
        "workerGroupSpecs": [
            {
                "groupName": "workers",
                "replicas": size.workers,
                "minReplicas": size.workers,
                "maxReplicas": size.workers,
                "rayStartParams": {},
                "template": _pod("ray-worker", settings.root, size.image, worker | gpus),
            }
        ],
    }


def _pod(name: str, root: str, image: str, resources: dict[str, str]) -> Manifest:
    return {
        "spec": {
            "automountServiceAccountToken": False,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": USER,
                "runAsGroup": USER,
                "fsGroup": USER,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [
                {
                    "name": name,
                    "image": image,
                    "env": [{"name": "TGRAG_ROOT", "value": root}],
                    "envFrom": [{"secretRef": {"name": SECRET}}],
                    "resources": {"requests": resources, "limits": resources},
                    "securityContext": {
                        "allowPrivilegeEscalation": False,
                        "capabilities": {"drop": ["ALL"]},
                    },
                }
            ],
        }
    }


def render(arguments: Sequence[str]) -> str:
    """Return a manifest as YAML, as the command line asks for it."""
    parser = argparse.ArgumentParser(prog="python -m tgrag.serve.kubernetes")
    parser.add_argument("kind", choices=("service", "job"))
    parser.add_argument("--image", default=USUAL.image)
    parser.add_argument("--workers", type=int, default=USUAL.workers, help="pods beside the head")
    parser.add_argument("--cpus", type=int, default=USUAL.cpus, help="of a worker")
    parser.add_argument("--memory", default=USUAL.memory, help="of a worker")
    parser.add_argument("--gpus", type=int, default=USUAL.gpus, help="of a worker")
    parser.add_argument("--revision", default=__version__, help="change it to redeploy the same config")
    parser.add_argument("--input", action="append", default=[], help="for job: what to index; repeatable")
    parser.add_argument("--collection", default="library", help="for job")
    asked = parser.parse_args(arguments)
    settings = load_settings()
    size = Size(asked.image, asked.workers, asked.cpus, asked.memory, asked.gpus)
    if asked.kind == "service":
        manifest = service(settings, size, asked.revision)
        what = "Serves the API inside the cluster, at the Service tgrag-serve-svc:8000."
    else:
        manifest = job(settings, size, asked.input, asked.collection)
        what = "Indexes into a collection; apply it again, under another name, for another run."
    header = HEADER.format(what=what, arguments=shlex.join(arguments), root=settings.root)
    return header + yaml.dump(manifest, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)


class Dumper(yaml.SafeDumper):
    """Writes text of several lines as such, and what occurs twice twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    ),
)


if __name__ == "__main__":
    try:
        print(render(sys.argv[1:]), end="")
    except ConfigurationError as error:
        sys.exit(f"error[{error.code}]: {error.message}")
