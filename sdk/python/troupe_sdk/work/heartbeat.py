"""Heartbeats from a thread of their own: a detector that computes for a minute keeps its lease."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..connection.access import AccessError
from ..connection.client import Client
from ..context import Context
from ..errors import AwayError, ProtocolError

#: A heartbeat that got no answer in this time (seconds) went astray: the next one goes without it.
ASTRAY_S = 5.0


class Heartbeat:
    """Beats for one sub-job at a time; what it beats goes for all that are held in turn.

    Whether the detector still gets anywhere is judged by the progress in the context, not by the beats.
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
        """``over`` is called, by the thread, when the sub-job is not wanted any more."""
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
                    # Without heartbeats the lease would be lost, whatever it was.
                    self._log(f"heartbeat: {type(error).__name__}: {error}")

    def _beat(self, token: str, context: Context, over: Callable[[str], None]) -> None:
        try:
            go = self._client.heartbeat(token, context.done, context.total, ASTRAY_S)
        except (AwayError, ProtocolError, AccessError):
            # The server is away, or busy: the lease is long enough for the next beats.
            return
        with self._changed:
            still = self._beating is not None and self._beating[0] == token
        if still and go != "on":
            over("the sub-job was cancelled" if go == "cancelled" else "the lease was lost")
