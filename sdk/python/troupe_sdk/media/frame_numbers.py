"""Numbers and times of the frames of a video."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import DetectionError
from ..model import Frame, Medium
from .sampling import Sampling


def has_constant_rate(medium: Medium) -> bool:
    """True if the number of a frame can be computed from its time."""
    return medium.inspected and medium.fps > 0 and medium.metadata.is_true("HAS_CONSTANT_FRAME_RATE")


def time_of(frame: int, medium: Medium) -> float:
    """Returns the time of a frame in milliseconds: an estimate if the frame rate varies, and 0 if it is unknown."""
    return frame * 1000 / medium.fps if medium.fps > 0 else 0.0


def whole_enough(frames: Iterator[Frame], sampling: Sampling) -> Iterator[Frame]:
    """Yields all frames. Raises DetectionError at the end if fewer than half of the expected frames were read.

    Otherwise an almost unreadable medium would look like one without findings.
    """
    delivered = 0
    for frame in frames:
        delivered += not frame.warm_up
        yield frame
    expected = 0 if sampling.key_frames else sum(1 for number in sampling.wanted() if number >= sampling.start)
    if delivered * 2 < expected:
        raise DetectionError(
            "COULD_NOT_READ_MEDIA",
            f"Only {delivered} of {expected} frames from frame {sampling.start} on could be read: the medium is truncated or damaged.",
        )
