"""The manifests for KubeRay: as the generator writes them, valid for Serve, and with no secret and no privilege."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import ray
import yaml
from ray.serve.schema import ServeDeploySchema

from tgrag.errors import ConfigurationError
from tgrag.serve.kubernetes import Size, job, render, service
from tgrag.settings import load_settings

FOLDER = Path(__file__).parents[3] / "docker" / "k8s"
ROOT = "s3://tgrag/indexes"
ARGUMENTS = {"rayservice.yaml": ["service"], "rayjob.yaml": ["job", "--input", "s3://tgrag/books"]}


@pytest.fixture(autouse=True)
def root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGRAG_ROOT", ROOT)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_the_files_are_what_the_generator_writes(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == render(ARGUMENTS[name])


def test_every_file_there_is_generated() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(ARGUMENTS)


def read(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def test_the_service_embeds_the_serve_config() -> None:
    schema = ServeDeploySchema.model_validate(
        yaml.safe_load(read("rayservice.yaml")["spec"]["serveConfigV2"])
    )
    assert (schema.http_options.host, schema.http_options.port) == ("0.0.0.0", 8000)
    assert [application.name for application in schema.applications] == ["embed", "rag"]
    assert schema.applications[-1].args["root"] == ROOT


def clusters() -> list[Any]:
    return [
        read("rayservice.yaml")["spec"]["rayClusterConfig"],
        read("rayjob.yaml")["spec"]["rayClusterSpec"],
    ]


def pods(cluster: Any) -> list[Any]:
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    return [group["template"]["spec"] for group in groups]


def test_ray_asks_for_a_token_and_is_of_the_release_that_is_tested() -> None:
    for cluster in clusters():
        assert cluster["authOptions"] == {"mode": "token"}
        assert cluster["rayVersion"] == ray.__version__


def test_pods_have_no_privileges_and_their_secrets_from_a_secret() -> None:
    for pod in (pod for cluster in clusters() for pod in pods(cluster)):
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == 1000
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["env"] == [{"name": "TGRAG_ROOT", "value": ROOT}]
        assert container["envFrom"] == [{"secretRef": {"name": "tgrag"}}]
        assert container["resources"]["limits"] == container["resources"]["requests"]


def test_workers_get_what_is_asked_for() -> None:
    size = Size("tgrag:gpu", workers=3, cpus=16, memory="128Gi", gpus=1)
    cluster = service(load_settings(), size)["spec"]["rayClusterConfig"]
    (group,) = cluster["workerGroupSpecs"]
    assert (group["replicas"], group["minReplicas"], group["maxReplicas"]) == (3, 3, 3)
    head, worker = (pod["containers"][0] for pod in pods(cluster))
    assert worker["resources"]["limits"] == {"cpu": "16", "memory": "128Gi", "nvidia.com/gpu": "1"}
    assert "nvidia.com/gpu" not in head["resources"]["limits"]
    assert head["image"] == worker["image"] == "tgrag:gpu"


def test_a_job_indexes_what_it_is_told_however_it_is_called() -> None:
    entrypoint = job(load_settings(), Size(), ["s3://b/Война и мир", "s3://b/x"], "library")["spec"][
        "entrypoint"
    ]
    assert shlex.split(entrypoint) == [
        "tgrag",
        "index",
        "s3://b/Война и мир",
        "s3://b/x",
        "--collection",
        "library",
    ]


def test_keys_are_digests_and_the_settings_of_the_host_are_not_the_pods(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = "a-long-and-random-key-of-a-test-0123"
    monkeypatch.setenv("TGRAG_SERVE__API_KEYS", json.dumps([{"key": key, "collections": ["*"]}]))
    monkeypatch.setenv("TGRAG_SERVE__PORT", "9999")
    written = render(["service"])
    assert key not in written and "digest" in written and "9999" not in written


def test_a_folder_is_no_root_for_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGRAG_ROOT", "/srv/tgrag")
    for arguments in ARGUMENTS.values():
        with pytest.raises(ConfigurationError, match="pods do not share"):
            render(arguments)
    done = subprocess.run(
        [sys.executable, "-m", "tgrag.serve.kubernetes", "service"], capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stderr.startswith("error[configuration_error]: root /srv/tgrag")
