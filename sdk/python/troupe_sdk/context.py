"""What a sub-job works in: its progress, its warnings, and whether it is still wanted."""

from __future__ import annotations

from .errors import Cancelled

#: Warnings of one sub-job; the server tells no more of a medium.
MOST_WARNINGS = 20
LONGEST_WARNING = 4000


class Context:
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
        return self._why is not None

    def cancel(self, why: str) -> None:
        self._why = self._why or why

    def check(self) -> None:
        if self._why is not None:
            raise Cancelled(self._why)

    def progress(self, done: float, total: float) -> None:
        self.done = self._steps + done
        self.total = self._steps + total if total > 0 else 0.0

    def step(self) -> None:
        """Something that comes before the work got on: while a medium is fetched, say."""
        self._steps += 1
        self.done += 1

    def warn(self, message: str) -> None:
        """Equal ones are told once."""
        text = message.strip()[:LONGEST_WARNING]
        if text != "" and (text in self._warnings or len(self._warnings) < MOST_WARNINGS):
            self._warnings[text] = None

    @property
    def warnings(self) -> list[str]:
        return list(self._warnings)
