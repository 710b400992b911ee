"""Which frames of a video are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..properties import Properties
from .frame_times import RateCap


@dataclass(frozen=True)
class Sampling:
    #: The frames to report on, both ends included.
    start: int
    stop: int
    interval: int = 1
    #: The first frame to be delivered, warm-up included.
    first: int = 0
    #: Only I-frames, of which ``interval`` takes every n-th.
    key_frames: bool = False
    #: Single frames, ascending, in place of all others.
    frames: Sequence[int] | None = None
    #: Of I-frames, the first of each stretch of time, in place of every n-th.
    cap: RateCap | None = None
    #: Another sub-job looks at the frames just before ``start``.
    continues: bool = False

    def without_key_frames(self) -> Sampling:
        """For readers that do not tell key frames: they go by the interval or the cap."""
        if not self.key_frames:
            return self
        if self.cap is not None:
            frames = self.cap.frames(self.first, self.start, self.stop, self.continues)
            return replace(self, key_frames=False, frames=frames, cap=None)
        first = self.start - (self.start - self.first) // self.interval * self.interval
        return replace(self, key_frames=False, first=first)

    def wanted(self) -> Sequence[int]:
        """Numbers of the frames; of key frames, all that may be some."""
        if self.frames is not None:
            return self.frames
        return range(self.first, self.stop + 1, 1 if self.key_frames else self.interval)


def sampling_of(
    properties: Properties,
    range_: tuple[int, int],
    context_frames: int,
    length: int,
    cap: RateCap | None = None,
    continues: bool = False,
) -> Sampling:
    """``length``: frames of the video, -1 when unknown. Without a ``cap`` that goes by time, FRAME_INTERVAL contains it."""
    start, stop = max(0, range_[0]), range_[1]
    if length > 0:
        stop = min(stop, length - 1)
    interval = max(1, int(properties.number("FRAME_INTERVAL", 1)))
    look_back = min(max(0, context_frames), start)
    key_frames = properties.is_true("USE_KEY_FRAMES")
    if cap is not None:
        capped = Sampling(start, stop, interval, start - look_back, True, cap=cap, continues=continues)
        return capped if key_frames else capped.without_key_frames()
    first = start - look_back if key_frames else start - look_back // interval * interval
    return Sampling(start, stop, interval, first, key_frames)


def single_frames(frames: Sequence[int]) -> Sampling:
    return Sampling(frames[0], frames[-1], 1, frames[0], False, frames)
