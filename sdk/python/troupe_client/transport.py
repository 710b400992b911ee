"""Requests to one server, repeated while it is busy or starting."""

from __future__ import annotations

import json
import os
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any, Callable, Union

from troupe_sdk.connection.connection import Answer, Body, Connection
from troupe_sdk.errors import AwayError, ProtocolError

from .errors import RefusedError, UnreachableError

Token = Union[str, Callable[[], str]]
Query = Mapping[str, object]

#: Seconds for which failed connections are retried, because a starting server refuses them.
CONNECT_S = 5.0
#: Seconds for which a request is retried after status 503 of a busy server.
BUSY_S = 60.0
#: Longest pause in seconds before a retry, even if the server requests a longer one.
LONGEST_PAUSE_S = 10.0
CONNECT_GAP_S = 0.2
#: Seconds without a byte after which a connection counts as broken.
SILENCE_S = 60.0


class Transport:
    """Requests with a token. ``token``: a text, or a function that returns one. It is called for each request, and after 401."""

    def __init__(self, url: str, token: Token, environment: Mapping[str, str] | None = None) -> None:
        self.url = url.rstrip("/")
        self._environment = os.environ if environment is None else environment
        self._token = token
        self._connection = Connection(self.url, self._environment)

    def json(
        self,
        method: str,
        path: str,
        query: Query | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Returns the JSON of a successful answer, or None if it is empty. Raises RefusedError and UnreachableError."""
        content = None if body is None else json.dumps(body).encode()
        known = {**({} if body is None else {"content-type": "application/json"}), **(headers or {})}
        return self.json_of(method, path, query, content, known)

    def json_of(
        self,
        method: str,
        path: str,
        query: Query | None = None,
        content: Body = None,
        headers: Mapping[str, str] | None = None,
        silence_s: float = SILENCE_S,
    ) -> Any:
        """Does the same as ``json`` with a body of any kind. ``silence_s``: seconds without a byte that break the connection."""
        text = self.send(method, with_query(path, query), content, headers, silence_s).read()
        if text == b"":
            return None
        try:
            return json.loads(text)
        except ValueError:
            raise UnreachableError(f"What answers at {self.url} is not a Troupe server. Check the address.") from None

    def send(
        self,
        method: str,
        path: str,
        body: Body = None,
        headers: Mapping[str, str] | None = None,
        silence_s: float = SILENCE_S,
        connection: Connection | None = None,
    ) -> Answer:
        """Returns a successful answer, whose body is not read yet. Raises RefusedError and UnreachableError.

        ``connection``: a separate connection, for long answers.
        """
        began = time.monotonic()
        renewed = False
        start = 0 if body is None or isinstance(body, bytes) else body.tell()
        while True:
            waited = time.monotonic() - began
            if body is not None and not isinstance(body, bytes):
                body.seek(start)
            try:
                answer = self._once(connection or self._connection, method, path, body, headers or {}, silence_s)
            except AwayError as error:
                if waited > CONNECT_S:
                    raise UnreachableError(f"No server answers at {self.url}: {error}. Check the address.") from error
                time.sleep(CONNECT_GAP_S)
                continue
            except ProtocolError as error:
                raise UnreachableError(str(error)) from error
            if answer.status == 401 and callable(self._token) and not renewed:
                answer.read()
                renewed = True
            elif answer.status == 503 and waited < BUSY_S:
                answer.read()
                time.sleep(_pause_of(answer))
            elif 200 <= answer.status < 300:
                return answer
            else:
                raise refusal(method, path, answer)

    def lines(self, path: str, headers: Mapping[str, str], silence_s: float) -> Iterator[str]:
        """Yields the lines of an answer as they arrive, over a separate connection. Raises UnreachableError if it breaks."""
        connection = Connection(self.url, self._environment)
        try:
            answer = self.send("GET", path, None, headers, silence_s, connection)
            for line in answer.lines():
                yield line.decode("utf-8", "replace")
        except AwayError as error:
            raise UnreachableError(f"The connection to {self.url} broke: {error}") from error
        finally:
            connection.close()

    def _once(
        self, connection: Connection, method: str, path: str, body: Body, headers: Mapping[str, str], silence_s: float
    ) -> Answer:
        token = self._token() if callable(self._token) else self._token
        known = {"accept": "application/json", **headers}
        if token != "":
            known["authorization"] = f"Bearer {token}"
        return connection.send(method, path, body, known, silence_s)


def with_query(path: str, query: Query | None) -> str:
    """Returns the path with the parameters that are not None. Values of a list are separated by commas."""
    given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
    return path if given == {} else f"{path}?{urllib.parse.urlencode(given)}"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(each) for each in value)
    return str(value)


def refusal(method: str, path: str, answer: Answer) -> RefusedError:
    """Returns the error for a refused request, with the message of the server."""
    try:
        said = json.loads(answer.read())
    except ValueError:
        said = None
    members: Mapping[str, Any] = said if isinstance(said, dict) else {}
    core = members.get("coreResponse")
    message = (core or {}).get("message") or members.get("message")
    return RefusedError(answer.status, str(message or _words(method, path, answer.status)), members.get("code"))


def _words(method: str, path: str, status: int) -> str:
    bare = path.split("?")[0]
    if status == 401:
        return "The server does not accept the token. It may have expired: get a new one."
    if status == 400 and "/jobs/" in bare:
        return f"The server does not know the job {urllib.parse.unquote(bare.split('/jobs/')[1].split('/')[0])}."
    return f"The server answered {method} {bare} with status {status}."


def _pause_of(answer: Answer) -> float:
    try:
        return min(max(float(answer.headers.get("retry-after", "")), CONNECT_GAP_S), LONGEST_PAUSE_S)
    except ValueError:
        return 1.0
