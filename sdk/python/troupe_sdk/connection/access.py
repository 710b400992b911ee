"""Access tokens with which a component identifies itself to the server."""

from __future__ import annotations

import base64
import json
import threading
import time
import urllib.parse
from collections.abc import Mapping
from typing import Any, Protocol

from ..errors import AwayError
from .connection import Connection

#: Seconds before its expiry at which a token is renewed, or a tenth of its lifetime if that is shorter.
AHEAD_S = 30.0
#: Lifetime in seconds of a token that does not state one.
DEFAULT_LIFE_S = 300.0


#: Statuses of a provider, or a proxy before it, that is busy or starting. The request is repeated later.
PASSING = frozenset({408, 425, 429})


class AccessError(Exception):
    """Error of a provider that issues no token. The message never contains the secret."""


class Access(Protocol):
    def token(self) -> str: ...

    def refused(self, token: str) -> bool:
        """Reports that the server has refused the token. Returns True if there is another one to try."""
        ...


class FixedToken:
    def __init__(self, token: str) -> None:
        self._token = token

    def token(self) -> str:
        return self._token

    def refused(self, token: str) -> bool:
        return False


class ClientCredentials:
    """Access tokens of a client of an OpenID Connect provider, each renewed before it expires."""

    def __init__(self, issuer: str, client_id: str, secret: str, environment: Mapping[str, str] | None = None) -> None:
        self._issuer = issuer.rstrip("/")
        self._client_id = client_id
        self._secret = secret
        self._environment = environment
        self._lock = threading.Lock()
        self._token: str | None = None
        self._renew_at = 0.0
        #: True after the provider has issued a token, which proves that the issuer is right.
        self._is_known = False

    def token(self) -> str:
        with self._lock:
            if self._token is None or time.monotonic() >= self._renew_at:
                self._renew()
            assert self._token is not None
            return self._token

    def refused(self, token: str) -> bool:
        with self._lock:
            if self._token == token:
                self._token = None
        return True

    def _renew(self) -> None:
        asked = time.monotonic()
        try:
            body = self._ask()
        except AwayError:
            # The current token may still be valid for a while.
            if self._token is None:
                raise
            self._renew_at = asked + 1.0
            return
        life = _seconds(body.get("expires_in"))
        self._token = str(body["access_token"])
        self._is_known = True
        self._renew_at = asked + life - min(AHEAD_S, life / 10)

    def _ask(self) -> dict[str, Any]:
        endpoint = self._endpoint()
        words = f"{urllib.parse.quote_plus(self._client_id)}:{urllib.parse.quote_plus(self._secret)}"
        headers = {
            "authorization": f"Basic {base64.b64encode(words.encode()).decode()}",
            "content-type": "application/x-www-form-urlencoded",
            "accept": "application/json",
        }
        status, body = self._json("POST", endpoint, b"grant_type=client_credentials", headers)
        if status == 200 and isinstance(body.get("access_token"), str):
            return body
        if status >= 500 or status in PASSING:
            raise AwayError(f"{endpoint} answered {status}")
        reason = ": ".join(str(body[name]) for name in ("error", "error_description") if body.get(name)) or f"status {status}"
        raise AccessError(f'{endpoint} gave no token to client "{self._client_id}": {reason}. Check the client id and secret.')

    def _endpoint(self) -> str:
        address = f"{self._issuer}/.well-known/openid-configuration"
        status, body = self._json("GET", address, None, {"accept": "application/json"})
        endpoint = body.get("token_endpoint")
        if status != 200 or not isinstance(endpoint, str):
            why = f"{address} does not say where tokens are issued (status {status}). Check the issuer."
            # Behind a load balancer, a starting provider may answer 404. If it was never found, the address is wrong.
            is_away = status >= 500 or status in PASSING or (self._is_known and status == 404)
            raise AwayError(why) if is_away else AccessError(why)
        if address.startswith("https:") and not endpoint.startswith("https:"):
            raise AccessError(f"{address} would send the client secret over plain http to {endpoint}.")
        return endpoint

    def _json(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        parts = urllib.parse.urlsplit(url)
        connection = Connection(f"{parts.scheme}://{parts.netloc}", self._environment)
        try:
            answer = connection.send(method, urllib.parse.urlunsplit(("", "", parts.path, parts.query, "")), body, headers, 10.0)
            text = answer.read()
        finally:
            connection.close()
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        return answer.status, value if isinstance(value, dict) else {}


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) and value > 0 else DEFAULT_LIFE_S
