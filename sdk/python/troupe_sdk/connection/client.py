"""The worker protocol, with one method for each message. Safe messages are repeated while the server is unavailable."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any, TypeVar

from ..errors import AwayError, ProtocolError
from .access import Access
from .connection import Answer, Body, Connection, refusal

T = TypeVar("T")

WORKER = "/worker/v1"
#: Statuses of a server, or a proxy before it, that is busy or unavailable. The same message may succeed later.
PASSING = frozenset({500, 502, 503, 504})
#: Seconds for which a message is repeated. After a longer time, the server has given the sub-job to another process.
PATIENCE_S = 600.0
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 5.0
#: Longest pause in seconds that the server can request with Retry-After.
LONGEST_RETRY_AFTER_S = 30.0


def instance_name() -> str:
    """Returns a unique name of this process for the server."""
    host = re.sub(r"[^\w.-]", "", socket.gethostname(), flags=re.ASCII)[:60]
    return f"{host}:{os.getpid()}:{secrets.token_hex(4)}"


class Client:
    def __init__(
        self,
        server_url: str,
        access: Access,
        instance: str | None = None,
        environment: Mapping[str, str] | None = None,
        patience_s: float = PATIENCE_S,
        log: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._log = log
        self.connection = Connection(server_url, environment)
        self.access = access
        self.instance = instance or instance_name()
        self.patience_s = patience_s
        #: Set when the process must end. Then no message is repeated.
        self.ending = threading.Event()

    def claim(self, algorithms: Sequence[str], most: int, wait_ms: int, wake: int | None = None) -> list[dict[str, Any]]:
        message = {"algorithms": list(algorithms), "max": most, "waitMs": wait_ms, "inTurn": True}
        work: list[dict[str, Any]] = self._json("POST", f"{WORKER}/claim", message, wake=wake)["work"]
        return work

    def answers(self, answers: Sequence[Mapping[str, Any]], algorithms: Sequence[str], most: int) -> dict[str, Any]:
        message = {"answers": list(answers), "algorithms": list(algorithms), "max": most}
        return self.retried(lambda: self._json("POST", f"{WORKER}/answers", message))

    def result(self, token: str, body: bytes | IO[bytes], cpu_ms: float | None = None) -> None:
        times = {} if cpu_ms is None else {"troupe-cpu-ms": f"{cpu_ms:.1f}"}
        headers = {"content-type": "application/x-ndjson", **times}

        def send() -> None:
            if not isinstance(body, bytes):
                body.seek(0)
            self.call("POST", f"{WORKER}/leases/{token}/result", body, headers).read()

        self.retried(send)

    def failure(self, token: str, failure: Mapping[str, str]) -> None:
        self.retried(lambda: self._json("POST", f"{WORKER}/leases/{token}/failure", failure))

    def release(self, token: str) -> None:
        """Gives the sub-job back without an attempt. A lost lease is not an error."""
        try:
            self._json("POST", f"{WORKER}/leases/{token}/release", {})
        except ProtocolError as error:
            if error.status != 409:
                raise

    def heartbeat(self, token: str, done: float, total: float, silence_s: float) -> str:
        """Sends a heartbeat. Returns ``on``, ``cancelled`` or ``lost``."""
        try:
            answer = self._json("POST", f"{WORKER}/leases/{token}/heartbeat", {"done": done, "total": total}, silence_s=silence_s)
        except ProtocolError as error:
            if error.status == 409:
                return "lost"
            raise
        return str(answer["go"])

    def input(self, path: str) -> bytes:
        """Returns the fed tracks of a sub-job as NDJSON, if they are too large for the claim."""
        return self.retried(lambda: self.call("GET", path).read())

    def register(self, descriptor: bytes) -> str:
        """Registers a component. Returns the message of the server."""
        path = "/rest/components/registerUnmanaged"
        answer = self.retried(
            lambda: json.loads(self.call("POST", path, descriptor, {"content-type": "application/json"}).read())
        )
        return str(answer.get("message", ""))

    def call(
        self,
        method: str,
        path: str,
        body: Body = None,
        headers: Mapping[str, str] | None = None,
        silence_s: float = 60.0,
        wake: int | None = None,
    ) -> Answer:
        """Sends a request, and once more with a new token after status 401. Raises ProtocolError unless the status is 2xx."""
        for last in (False, True):
            token = self.access.token()
            known = {"authorization": f"Bearer {token}", "troupe-instance": self.instance, **(headers or {})}
            answer = self.connection.send(method, path, body, known, silence_s, wake)
            if 200 <= answer.status < 300:
                return answer
            error = refusal(method, path, answer)
            if last or answer.status != 401 or not self.access.refused(token):
                raise error
            if hasattr(body, "seek"):
                body.seek(0)  # type: ignore[union-attr]
        raise AssertionError("unreachable")

    def _json(self, method: str, path: str, message: object, silence_s: float = 60.0, wake: int | None = None) -> dict[str, Any]:
        body = json.dumps(message).encode()
        answer = self.call(method, path, body, {"content-type": "application/json"}, silence_s, wake)
        try:
            value: dict[str, Any] = json.loads(answer.read())
        except ValueError as error:
            raise AwayError(f"{method} {path}: the answer is no JSON") from error
        return value

    def retried(self, send: Callable[[], T]) -> T:
        """Returns the result of ``send``, which is repeated while the server is busy or unavailable.

        Raises the error of ``send`` if a retry cannot help, after ``patience_s`` seconds, or if this process must end.
        """
        until = time.monotonic() + self.patience_s
        for pause in pauses():
            try:
                return send()
            except (AwayError, ProtocolError) as error:
                if not is_passing(error) or time.monotonic() > until or self.ending.is_set():
                    raise
                self._log(f"sent again in a moment: {error}")
                asked = error.retry_after if isinstance(error, ProtocolError) else None
                self.ending.wait(max(pause, min(asked or 0.0, LONGEST_RETRY_AFTER_S)))
        raise AssertionError("unreachable")


def pauses() -> Iterator[float]:
    """Yields the seconds between attempts without end. Each pause is twice as long as the last one, up to a limit."""
    pause = FIRST_PAUSE_S
    while True:
        yield pause
        pause = min(pause * 2, LONGEST_PAUSE_S)


def is_passing(error: Exception) -> bool:
    """True if the same message may succeed later."""
    return isinstance(error, AwayError) or (isinstance(error, ProtocolError) and error.status in PASSING)
