"""Selection of the frames of a video to process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..properties import Properties
from .frame_times import RateCap


@dataclass(frozen=True)
class Sampling:
    #: First and last frame to report on, both included.
    start: int
    stop: int
    interval: int = 1
    #: First frame to deliver. Frames before ``start`` are the warm-up.
    first: int = 0
    #: True: only key frames (I-frames), and of these every n-th, where n is ``interval``.
    key_frames: bool = False
    #: Numbers of single frames, ascending. They replace the selection by the other fields.
    frames: Sequence[int] | None = None
    #: With ``key_frames``: the first key frame of each stretch of time, instead of every n-th.
    cap: RateCap | None = None
    #: True if another sub-job processes the frames just before ``start``.
    continues: bool = False

    def without_key_frames(self) -> Sampling:
        """Returns the selection by interval or cap instead of key frames, for readers that cannot recognize key frames."""
        if not self.key_frames:
            return self
        if self.cap is not None:
            frames = self.cap.frames(self.first, self.start, self.stop, self.continues)
            return replace(self, key_frames=False, frames=frames, cap=None)
        first = self.start - (self.start - self.first) // self.interval * self.interval
        return replace(self, key_frames=False, first=first)

    def wanted(self) -> Sequence[int]:
        """Returns the numbers of the frames to deliver. With ``key_frames``, any frame of the range could be one."""
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
    """Returns the selection that the properties describe.

    ``length``: number of frames of the video, -1 if unknown. ``cap``: limit for a varying frame rate. For a constant rate, the
    server has included FRAME_RATE_CAP in FRAME_INTERVAL.
    """
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
