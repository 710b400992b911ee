"""Heartbeats from a separate thread, so that a detector keeps its lease during long computations."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..connection.access import AccessError
from ..connection.client import Client
from ..context import Context
from ..errors import AwayError, ProtocolError

#: Seconds without an answer after which a heartbeat counts as lost and the next one is sent.
ASTRAY_S = 5.0


class Heartbeat:
    """Sender of heartbeats for the current sub-job. They renew the leases of all sub-jobs that this process holds.

    The server recognizes a stalled detector by the progress in the context, not by missing heartbeats.
    """

    def __init__(
        self, client: Client, ticked: Callable[[], None] = lambda: None, log: Callable[[str], None] = lambda _: None
    ) -> None:
        self._log = log
        self._client = client
        self._ticked = ticked
        self._changed = threading.Condition()
        self._beating: tuple[str, Context, Callable[[str], None]] | None = None
        self._every_s = 1.0
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
        self._thread.start()

    def begin(self, token: str, every_ms: float, context: Context, over: Callable[[str], None]) -> None:
        """Starts heartbeats for a sub-job. If its result is no longer needed, the thread calls ``over`` with the reason."""
        with self._changed:
            self._beating = (token, context, over)
            every_s = max(0.02, every_ms / 1000)
            if every_s != self._every_s:
                self._every_s = every_s
                self._changed.notify()

    def end(self) -> None:
        with self._changed:
            self._beating = None

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(ASTRAY_S + 1)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait(self._every_s)
                if self._closed:
                    return
                beating = self._beating
            if beating is not None:
                try:
                    self._beat(*beating)
                    self._ticked()
                except Exception as error:
                    # Heartbeats continue after any error. Without them the lease would be lost.
                    self._log(f"heartbeat: {type(error).__name__}: {error}")

    def _beat(self, token: str, context: Context, over: Callable[[str], None]) -> None:
        try:
            go = self._client.heartbeat(token, context.done, context.total, ASTRAY_S)
        except (AwayError, ProtocolError, AccessError):
            # The server is unavailable or busy. The lease lasts until the next heartbeats.
            return
        with self._changed:
            still = self._beating is not None and self._beating[0] == token
        if still and go != "on":
            over("the sub-job was cancelled" if go == "cancelled" else "the lease was lost")
