"""The files for `ray up`, by the means that Ray itself reads them with."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from ray.autoscaler._private.util import prepare_config, validate_config

REPOSITORY = Path(__file__).parents[3]
FILES = ("cluster.yaml", "cluster-aws.yaml")


def read(name: str) -> Any:
    return yaml.safe_load((REPOSITORY / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", FILES)
def test_ray_takes_it(name: str) -> None:
    validate_config(prepare_config(read(name)))


@pytest.mark.parametrize("name", FILES)
def test_ray_would_not_take_a_fault(name: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        validate_config(prepare_config(read(name) | {"worker_nodes_typo": {}}))


def test_on_premises_it_grows_by_an_address() -> None:
    config = read("cluster.yaml")
    before = prepare_config(config)["max_workers"]
    config["provider"]["worker_ips"].append("10.0.0.13")
    grown = prepare_config(config)
    validate_config(grown)
    (node,) = grown["available_node_types"].values()
    assert grown["max_workers"] == node["max_workers"] == node["min_workers"] == before + 1


def test_in_the_cloud_it_grows_by_itself() -> None:
    config = prepare_config(read("cluster-aws.yaml"))
    assert config["available_node_types"]["gpu"]["max_workers"] == config["max_workers"] == 4


@pytest.mark.parametrize("name", FILES)
def test_every_node_starts_through_the_script_that_wants_the_token(name: str) -> None:
    """And nothing tells the dashboard, through which jobs come, to listen elsewhere than on loopback."""
    config = prepare_config(read(name))
    for role in ("head", "worker"):
        *stops, start = config[f"{role}_start_ray_commands"]
        assert f"scripts/node {role} " in start
        assert all(command.endswith("ray stop") for command in stops)
    assert "dashboard-host" not in json.dumps(config)
    assert config["file_mounts"]["~/.ray/auth_token"] == "~/.ray/auth_token"


@pytest.mark.parametrize("name", FILES)
def test_nothing_that_nodes_need_is_left_out_of_what_is_copied(name: str) -> None:
    """Ray hands the same patterns to rsync for every file mount."""
    config = read(name)
    assert not {"tgrag.env", "auth_token"} & set(config["rsync_exclude"])
    assert config["file_mounts"]["~/tgrag"] == "."
    assert all("~/tgrag/tgrag.env" in config[f"{role}_start_ray_commands"][-1] for role in ("head", "worker"))


def test_from_outside_the_cloud_only_ssh_comes_in() -> None:
    (permission,) = read("cluster-aws.yaml")["provider"]["security_group"]["IpPermissions"]
    assert (permission["FromPort"], permission["ToPort"]) == (22, 22)
    assert all(not where["CidrIp"].startswith("0.0.0.0") for where in permission["IpRanges"])
