"""Interface between a worker and the component that does its sub-jobs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from ..context import Context

Assignment = dict[str, Any]


class Component(Protocol):
    """Component that does sub-jobs."""

    def lines(self, assignment: Assignment, context: Context) -> Iterator[str]:
        """Yields the lines of the answer (NDJSON)."""
        ...

    def ticked(self) -> None:
        """Runs in another thread after each heartbeat while a sub-job is processed."""
        ...

    def close(self) -> None: ...
