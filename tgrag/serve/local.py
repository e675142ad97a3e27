"""``tgrag serve``: all applications on a Ray of its own, or on one that runs already, until Ctrl-C."""

import pkgutil
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, get_type_hints

from tgrag.cluster import connect, gpus_by_node
from tgrag.doctor.machine import port_fault
from tgrag.errors import ConfigurationError
from tgrag.models.gpu_shares import check_places
from tgrag.serve.access import require_safe
from tgrag.serve.config import build, served_engines
from tgrag.settings import Settings
from tgrag.shared_root import require_shared


def serve_until_interrupted(settings: Settings, address: str | None, report: Callable[[str], None]) -> None:
    """Deploy, tell the address, wait for Ctrl-C or SIGTERM, then end what was started here and nothing else.

    address: of a running Ray; a private one on loopback is started when None.
    Raises ConfigurationError when the port is taken, when the host is beyond loopback and there is no API key or Ray asks
    for no token, and when a model may find no GPU on this machine; a cluster may still grow.
    """
    config = build(settings)
    host, port = settings.serve.host, settings.serve.port
    _require_free(host, port)
    stop = threading.Event()
    _on_signal(stop)
    report(f"starting Ray {'at ' + address if address else 'on loopback'} …")
    connect(address)

    import ray
    from ray import serve
    from ray._private.authentication.authentication_utils import is_token_auth_enabled

    require_safe(host, bool(settings.serve.api_keys), is_token_auth_enabled())
    require_shared(settings.root)
    try:
        check_places(served_engines(settings), gpus_by_node())
    except ConfigurationError as error:
        if not address:
            raise
        report(f"waiting for GPUs, if this cluster can get more: {error.message}")
    try:
        names = [application["name"] for application in config["applications"]]
        report(f"deploying the applications {', '.join(names)} …")
        deploy(config)
        url = f"http://{host}:{port}"
        report(f"serving {settings.root} at {url} (API page: {url}/docs); Ctrl-C stops it. Try:")
        report(
            f"  curl {url}/v1/query -H 'Content-Type: application/json' -d '{{\"question\": \"Кто такой Германн?\"}}'"
        )
        stop.wait()
        report("stopping …")
    finally:
        if address:
            for name in reversed(names):
                serve.delete(name)
        else:
            serve.shutdown()
        ray.shutdown()


def _require_free(host: str, port: int) -> None:
    if fault := port_fault(host, port):
        raise ConfigurationError(f"{host}:{port} cannot be used ({fault}); choose another with --port")


def _on_signal(stop: threading.Event) -> None:
    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)


def deploy(config: dict[str, Any]) -> None:
    """Deploy all applications to the Ray that this process is connected to, and wait until they run."""
    from ray import serve

    serve.start(proxy_location=config["proxy_location"], http_options=config["http_options"])
    serve.run_many(
        [
            serve.RunTarget(application_of(stated), stated["name"], stated["route_prefix"])
            for stated in config["applications"]
        ]
    )


def application_of(stated: dict[str, Any]) -> Any:
    """Build an application as Serve does from its config: by import path, its arguments read as the builder wants them."""
    build_app = pkgutil.resolve_name(stated["import_path"])
    arguments = get_type_hints(build_app)["arguments"]
    return build_app(arguments(**stated["args"]))
