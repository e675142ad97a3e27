"""Who may ask what: API keys and their collections, and the rule for listening beyond loopback. Knows nothing of Ray.

A key comes as ``Authorization: Bearer KEY``. Whatever is stored or sent on holds digests of keys; a key is random and
long (``ApiKey``), so SHA-256 without salt hides it.
"""

import hashlib
import hmac
import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from tgrag.errors import ConfigurationError, InvalidRequest, TgragError
from tgrag.serve.faults import response_of
from tgrag.serve.replies import failure
from tgrag.settings import EVERY_COLLECTION, ApiKey

OPEN_PATHS = frozenset({"/healthz", "/readyz", "/docs", "/openapi.json"})


class Unauthorized(TgragError):
    """The request has no key, or one that is not known."""

    code = "unauthorized"
    status = 401


class Forbidden(TgragError):
    """The key does not open what is asked for, whether that exists or not."""

    code = "forbidden"
    status = 403


class KeyDigest(BaseModel):
    """What a server keeps of a key."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    digest: str = Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the key, in hexadecimal")
    collections: tuple[str, ...] = Field(min_length=1, description="which it opens; * is every one")


@dataclass(frozen=True, slots=True)
class Grant:
    """What a request may see. collections: None is every one."""

    collections: frozenset[str] | None = None

    def collection(self, named: str | None) -> str | None:
        """Return the collection that is meant; None leaves it to the only one there is.

        Raises Forbidden, and InvalidRequest when none is named and the key opens several.
        """
        if self.collections is None:
            return named
        if named is None:
            if len(self.collections) > 1:
                raise InvalidRequest(f"collection: say which one of {', '.join(sorted(self.collections))}")
            (named,) = self.collections
        if named not in self.collections:
            raise Forbidden(f"this key does not open collection {named!r}")
        return named

    def visible(self) -> list[str] | None:
        return None if self.collections is None else sorted(self.collections)


class Access:
    """The keys of a server; without any, everything is open."""

    def __init__(self, keys: Sequence[KeyDigest]) -> None:
        self._keys = keys

    def grant(self, authorization: str | None) -> Grant:
        """Return what the header's key opens. Raises Unauthorized. Its time does not depend on which key fits."""
        if not self._keys:
            return Grant()
        scheme, _, key = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise Unauthorized("send an API key: the header Authorization: Bearer KEY")
        offered = digest(key.strip())
        fitting = [known for known in self._keys if hmac.compare_digest(known.digest, offered)]
        if not fitting:
            raise Unauthorized("this API key is not known here")
        opened = frozenset(name for known in fitting for name in known.collections)
        return Grant(None if EVERY_COLLECTION in opened else opened)


class Authentication:
    """ASGI middleware: lets a request in when its key is known, before its body is read; ``state["grant"]`` says more."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if (
            scope["type"] == "http"
            and scope["path"].removeprefix(scope.get("root_path", "")) not in OPEN_PATHS
        ):
            try:
                grant = self._access.grant(Headers(scope=scope).get("authorization"))
                scope["state"] = scope.get("state", {}) | {"grant": grant}
            except Unauthorized as error:
                app = response_of(failure(error))
        await app(scope, receive, send)


def digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def digests(keys: Iterable[ApiKey]) -> list[KeyDigest]:
    return [KeyDigest(digest=digest(key.key.get_secret_value()), collections=key.collections) for key in keys]


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def require_safe(host: str, has_keys: bool, ray_asks_for_token: bool = True) -> None:
    """Raise ConfigurationError when others could reach the host and not everything there asks who they are."""
    missing = []
    if not has_keys:
        missing.append("at least one API key (serve.api_keys)")
    if not ray_asks_for_token:
        missing.append("Ray's token mode (RAY_AUTH_MODE=token where Ray is started: its ports run code)")
    if missing and not is_loopback(host):
        raise ConfigurationError(
            f"serve.host {host} is beyond loopback, which needs {' and '.join(missing)}; "
            "without, listen on 127.0.0.1"
        )
