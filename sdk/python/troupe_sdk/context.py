"""Progress, warnings and cancellation of a sub-job."""

from __future__ import annotations

from .errors import Cancelled

#: Most warnings that are kept for one sub-job. The server keeps as many for each medium and action.
MOST_WARNINGS = 20
#: Most characters of a warning. The rest is cut off.
LONGEST_WARNING = 4000


class Context:
    """State of one sub-job: its progress, its warnings, and whether its result is still needed."""

    def __init__(self, id: str, traceparent: str | None = None) -> None:
        self.id = id
        self.traceparent = traceparent
        self.done = 0.0
        self.total = 0.0
        self._steps = 0.0
        self._why: str | None = None
        self._warnings: dict[str, None] = {}

    @property
    def cancelled(self) -> bool:
        """True if the result is no longer needed."""
        return self._why is not None

    def cancel(self, why: str) -> None:
        """Marks the result as no longer needed. Only the first reason is kept."""
        self._why = self._why or why

    def check(self) -> None:
        """Raises Cancelled if the result is no longer needed."""
        if self._why is not None:
            raise Cancelled(self._why)

    def progress(self, done: float, total: float) -> None:
        """Sets the progress to ``done`` of ``total`` units. A total of 0 is unknown."""
        self.done = self._steps + done
        self.total = self._steps + total if total > 0 else 0.0

    def step(self) -> None:
        """Counts one step of progress outside of the detector, such as a fetched block of the medium."""
        self._steps += 1
        self.done += 1

    def warn(self, message: str) -> None:
        """Adds a warning, unless it is blank or known. Ignores it if there are 20 others already."""
        text = message.strip()[:LONGEST_WARNING]
        if text != "" and (text in self._warnings or len(self._warnings) < MOST_WARNINGS):
            self._warnings[text] = None

    @property
    def warnings(self) -> list[str]:
        return list(self._warnings)
