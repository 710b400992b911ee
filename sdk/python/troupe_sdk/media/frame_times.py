"""When the frames of a video are shown, as the server tells it."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from ..connection.client import WORKER, Client
from ..errors import Cancelled, ProtocolError

#: Absorbs the rounding of sums, as on the server.
TINY = 1e-6
#: The same for borders between stretches of time.
TINIER = 1e-9


class FrameTimes:
    """Milliseconds of the medium, whole and ascending."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._times = [math.floor(start + i * delta + TINY) for start, delta, count in table["runs"] for i in range(count)]

    def __len__(self) -> int:
        return len(self._times)

    def of(self, frame: int) -> int:
        """The last frame's for those behind the end."""
        return self._times[min(max(0, frame), len(self._times) - 1)]

    def frame_at(self, ms: float) -> int:
        """The frame that is on show at this time."""
        return max(0, bisect_right(self._times, ms) - 1)


class RateCap:
    """At most so many frames for a second of the medium: the first of each stretch of 1/cap seconds."""

    def __init__(self, per_second: float, times: FrameTimes) -> None:
        self._per_second = per_second
        self._times = times

    def stretch_of(self, frame: int) -> int:
        """Times are rounded down, so a frame counts from the end of its millisecond."""
        return math.floor((self._times.of(frame) + 1) * self._per_second / 1000 - TINIER)

    def frames(self, first: int, start: int, stop: int, continues: bool) -> list[int]:
        """From ``first`` to ``stop``. Frame ``start`` is among them, unless another sub-job ``continues`` before it."""
        last = min(stop, len(self._times) - 1)
        return [frame for frame in range(first, last + 1) if (frame == start and not continues) or self._begins(frame)]

    def _begins(self, frame: int) -> bool:
        return frame == 0 or self.stretch_of(frame) != self.stretch_of(frame - 1)


def frame_times(client: Client, token: str) -> FrameTimes | None:
    """None: the server does not know them, or is of an older version."""
    try:
        table = client.retried(lambda: client.call("GET", f"{WORKER}/leases/{token}/frames").read())
    except ProtocolError as error:
        if error.status == 404:
            return None
        if error.status == 409:
            raise Cancelled("the lease was lost") from error
        raise
    times = FrameTimes(json.loads(table))
    return times if len(times) > 0 else None
