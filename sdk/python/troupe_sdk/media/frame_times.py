"""Times of the frames of a video, as the server reports them."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from ..connection.client import WORKER, Client
from ..errors import Cancelled, ProtocolError

#: Tolerance in milliseconds for rounding errors of sums, as on the server.
TINY = 1e-6
#: Tolerance for rounding errors at the borders between stretches of time.
TINIER = 1e-9


class FrameTimes:
    """Times of all frames of a video, in whole milliseconds, ascending."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._times = [math.floor(start + i * delta + TINY) for start, delta, count in table["runs"] for i in range(count)]

    def __len__(self) -> int:
        return len(self._times)

    def of(self, frame: int) -> int:
        """Returns the time of a frame in milliseconds; for a frame after the end, that of the last frame."""
        return self._times[min(max(0, frame), len(self._times) - 1)]

    def frame_at(self, ms: float) -> int:
        """Returns the number of the frame that is shown at this time in milliseconds."""
        return max(0, bisect_right(self._times, ms) - 1)


class RateCap:
    """Limit of frames per second of the medium. It selects the first frame of each stretch of 1/cap seconds."""

    def __init__(self, per_second: float, times: FrameTimes) -> None:
        self._per_second = per_second
        self._times = times

    def stretch_of(self, frame: int) -> int:
        """Returns the number of the stretch of a frame. The end of its millisecond counts, because times are rounded down."""
        return math.floor((self._times.of(frame) + 1) * self._per_second / 1000 - TINIER)

    def frames(self, first: int, start: int, stop: int, continues: bool) -> list[int]:
        """Returns the selected frames from ``first`` to ``stop``, both included.

        ``start`` is always selected, unless ``continues`` is true: then another sub-job has the frames before it.
        """
        last = min(stop, len(self._times) - 1)
        return [frame for frame in range(first, last + 1) if (frame == start and not continues) or self._begins(frame)]

    def _begins(self, frame: int) -> bool:
        return frame == 0 or self.stretch_of(frame) != self.stretch_of(frame - 1)


def frame_times(client: Client, token: str) -> FrameTimes | None:
    """Returns the times of all frames, or None if the server does not know them or is an older version.

    Raises Cancelled if the lease is lost.
    """
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
