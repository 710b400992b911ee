"""The end of this process, and the interruption of a detector whose result is no longer needed."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator

from ..context import Context
from ..errors import Cancelled

SIGNAL = signal.SIGUSR1


class Stop:
    """Flag that is set once when the process must end. Then ``wake`` (a file descriptor) becomes readable and ends a claim."""

    def __init__(self) -> None:
        self.why = ""
        self._event = threading.Event()
        self.wake, self._writing_end = os.pipe()

    def set(self, why: str) -> None:
        if self._event.is_set():
            return
        self.why = why
        self._event.set()
        os.write(self._writing_end, b".")

    @property
    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> None:
        self._event.wait(seconds)


class Interrupter:
    """Interruption of the running detector: raises Cancelled inside it, even while it sleeps or waits for a socket.

    This uses a signal, which Python delivers only to the main thread. In another thread, or in a long call of a library, the
    detector is interrupted when it requests its next frame.
    """

    def __init__(self) -> None:
        self._context: Context | None = None
        self._thread: int | None = None
        if threading.current_thread() is threading.main_thread():
            self._thread = threading.get_ident()
            signal.signal(SIGNAL, lambda *_: self._raise())

    @contextlib.contextmanager
    def watching(self, context: Context) -> Iterator[None]:
        """Allows interruptions inside the block. Raises Cancelled at once if the context is already cancelled."""
        self._context = context
        try:
            context.check()
            yield
        finally:
            self._context = None

    def interrupt(self, why: str, context: Context | None = None) -> None:
        """Interrupts the sub-job of this context, or else the current one. Can be called from any thread."""
        current = self._context
        if current is None or (context is not None and context is not current):
            if context is not None:
                context.cancel(why)
            return
        current.cancel(why)
        if self._thread is not None:
            signal.pthread_kill(self._thread, SIGNAL)

    def _raise(self) -> None:
        context = self._context
        if context is not None and context.cancelled:
            # Raised only once, so that the cleanup of the detector is not interrupted.
            self._context = None
            raise Cancelled("the sub-job is not wanted any more")
