"""What a worker is given to do its sub-jobs with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from ..context import Context

Assignment = dict[str, Any]


class Component(Protocol):
    """What does the sub-jobs."""

    def lines(self, assignment: Assignment, context: Context) -> Iterator[str]:
        """The lines of the answer."""
        ...

    def ticked(self) -> None:
        """Called now and then while a sub-job is worked on, by another thread."""
        ...

    def close(self) -> None: ...
