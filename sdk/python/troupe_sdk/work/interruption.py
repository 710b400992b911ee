"""That this process is to end, or that what its detector does is not wanted any more."""

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
    """Set once. ``wake`` becomes readable then, for those who wait for a connection."""

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
    """Raises Cancelled in the middle of what a detector does, sleeping and waiting for a socket included.

    It does so by a signal, which Python delivers to the main thread alone. A detector that runs in another thread, or within a
    function of a library that does not come back, learns of it when it asks for its next frame.
    """

    def __init__(self) -> None:
        self._context: Context | None = None
        self._thread: int | None = None
        if threading.current_thread() is threading.main_thread():
            self._thread = threading.get_ident()
            signal.signal(SIGNAL, lambda *_: self._raise())

    @contextlib.contextmanager
    def watching(self, context: Context) -> Iterator[None]:
        """What happens within may be broken off."""
        self._context = context
        try:
            context.check()
            yield
        finally:
            self._context = None

    def interrupt(self, why: str, context: Context | None = None) -> None:
        """Breaks off the sub-job of this context; without one, whichever is worked on. May be called from any thread."""
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
            # Once: what cleans up after it is not to be broken off again.
            self._context = None
            raise Cancelled("the sub-job is not wanted any more")
