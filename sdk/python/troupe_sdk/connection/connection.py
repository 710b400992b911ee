"""HTTP to one server with the standard library. Connections are reused, and additional certificates can be trusted."""

from __future__ import annotations

import http.client
import json
import os
import select
import socket
import ssl
import threading
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import IO, Union

from ..errors import AwayError, ProtocolError

Body = Union[bytes, IO[bytes], None]

#: Seconds after which an idle connection is not reused, because the server or a proxy may close it soon.
IDLE_S = 4.0
#: Seconds without a byte after which a connection counts as broken. Claims wait up to 25 seconds.
SILENCE_S = 60.0
LONGEST_ERROR = 500


def certificates(environment: Mapping[str, str]) -> ssl.SSLContext:
    """Returns the trusted authorities: of the system, SSL_CERT_FILE, TROUPE_CA_FILE and NODE_EXTRA_CA_CERTS."""
    context = ssl.create_default_context()
    for name in ("TROUPE_CA_FILE", "NODE_EXTRA_CA_CERTS"):
        path = environment.get(name, "")
        if path != "":
            context.load_verify_locations(cafile=path)
    return context


class Answer:
    """An answer whose body is not read yet. The connection is reused only after its whole body was read."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self._response = response

    def read(self, size: int | None = None) -> bytes:
        try:
            return self._response.read(size) if size is not None else self._response.read()
        except (OSError, http.client.HTTPException) as error:
            raise AwayError(f"the answer broke off: {error}") from error

    def lines(self) -> Iterator[bytes]:
        """Yields the lines of the body as they arrive. Raises AwayError if the connection breaks."""
        try:
            yield from self._response
        except (OSError, http.client.HTTPException) as error:
            raise AwayError(f"the answer broke off: {error}") from error


class Connection:
    """Connection to one server. Each thread has its own."""

    def __init__(self, url: str, environment: Mapping[str, str] | None = None) -> None:
        parts = urllib.parse.urlsplit(url.rstrip("/"))
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"{url!r} is no address of a server: it must begin with http:// or https://")
        self.prefix = parts.path
        self._host, self._port = parts.hostname, parts.port
        self._tls = certificates(environment or os.environ) if parts.scheme == "https" else None
        self._local = threading.local()

    def send(
        self,
        method: str,
        path: str,
        body: Body = None,
        headers: Mapping[str, str] | None = None,
        silence_s: float = SILENCE_S,
        wake: int | None = None,
    ) -> Answer:
        """Sends a request and returns the answer, whatever its status.

        ``silence_s``: seconds without a byte after which the connection counts as broken. ``wake``: a file descriptor. If it
        becomes readable before the answer begins, the connection is closed. Raises AwayError for a broken or closed connection,
        and ProtocolError with status 0 if the certificate is not trusted.
        """
        kept = self._kept()
        try:
            return self._exchange(kept or self._fresh(silence_s), method, path, body, headers or {}, silence_s, wake)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            # The server may have closed an idle connection. So the request is sent once more over a new connection.
            if kept is None or isinstance(error, TimeoutError):
                raise self._failure(error) from error
        if hasattr(body, "seek"):
            body.seek(0)  # type: ignore[union-attr]
        try:
            return self._exchange(self._fresh(silence_s), method, path, body, headers or {}, silence_s, wake)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> Exception:
        if isinstance(error, ssl.SSLCertVerificationError):
            # A retry cannot help.
            why = f"the certificate of {self._host} is not trusted ({error.verify_message})"
            return ProtocolError(0, f"{why}: name the file of its authority in TROUPE_CA_FILE.")
        return AwayError(f"{self._host}: {error or type(error).__name__}")

    def close(self) -> None:
        connection = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection is not None:
            connection.close()

    def _kept(self) -> http.client.HTTPConnection | None:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            return None
        if connection.sock is None or time.monotonic() - self._local.used > IDLE_S:
            self.close()
            return None
        return connection

    def _fresh(self, silence_s: float) -> http.client.HTTPConnection:
        self.close()
        connection: http.client.HTTPConnection
        if self._tls is None:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=silence_s)
        else:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=silence_s, context=self._tls)
        self._local.connection = connection
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        body: Body,
        headers: Mapping[str, str],
        silence_s: float,
        wake: int | None,
    ) -> Answer:
        connection.sock.settimeout(silence_s)
        connection.request(method, self.prefix + path, body=body, headers=_with_length(headers, body))
        if wake is not None:
            readable, _, _ = select.select([connection.sock, wake], [], [], silence_s)
            if wake in readable and connection.sock not in readable:
                self.close()
                raise AwayError("this process is to end")
        response = connection.getresponse()
        self._local.used = time.monotonic()
        return Answer(response)


def _with_length(headers: Mapping[str, str], body: Body) -> dict[str, str]:
    if body is None or isinstance(body, bytes):
        return dict(headers)
    at = body.tell()
    body.seek(0, os.SEEK_END)
    length = body.tell() - at
    body.seek(at)
    return {**headers, "content-length": str(length)}


def refusal(method: str, path: str, answer: Answer) -> ProtocolError:
    text = answer.read().decode("utf-8", "replace")[:LONGEST_ERROR]
    return ProtocolError(answer.status, f"{method} {path}: {answer.status} {text}", _retry_after(answer), _said(text))


def _said(text: str) -> str:
    """Returns the message of a refusal for a person."""
    try:
        message = json.loads(text)["message"]
    except (ValueError, KeyError, TypeError):
        return text.strip() or "without a reason"
    return str(message)


def _retry_after(answer: Answer) -> float | None:
    try:
        return max(0.0, float(answer.headers.get("retry-after", "")))
    except ValueError:
        return None
