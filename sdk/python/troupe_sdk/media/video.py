"""Frames of videos, numbered from 0 as they are shown, as they are stored: not turned, not mirrored, RGB."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from ..errors import DetectionError
from ..geometry import Size
from ..model import Frame, Medium
from .programs import ffmpeg, library
from .sampling import Sampling


class VideoReader(Protocol):
    @property
    def size(self) -> Size: ...

    def frames(self) -> Iterator[Frame]:
        """Once a reader."""
        ...

    def close(self) -> None: ...


def open_video(
    path: Callable[[], str], sampling: Sampling, medium: Medium, from_server: Callable[[], VideoReader] | None = None
) -> VideoReader:
    """By the program ffmpeg, OpenCV or, last, as pictures from the server, which then need no file here."""
    program = ffmpeg()
    if program is not None:
        from .video_by_ffmpeg import FfmpegReader

        return FfmpegReader(program, path(), sampling, medium)
    cv2 = library("cv2")
    if cv2 is not None:
        from .video_by_opencv import OpenCvReader

        return OpenCvReader(cv2, path(), sampling, medium)
    if from_server is not None:
        return from_server()
    raise DetectionError("COULD_NOT_READ_MEDIA", "Videos cannot be read here: install ffmpeg or OpenCV for the component.")


def has_constant_rate(medium: Medium) -> bool:
    """Whether frames may be numbered by their times."""
    return medium.inspected and medium.fps > 0 and medium.metadata.is_true("HAS_CONSTANT_FRAME_RATE")


def time_of(frame: int, medium: Medium) -> float:
    """Milliseconds; an estimate where the rate varies."""
    return frame * 1000 / medium.fps if medium.fps > 0 else 0.0


def whole_enough(frames: Iterator[Frame], sampling: Sampling) -> Iterator[Frame]:
    """Fails when fewer than half of the frames could be read: little of the medium was looked at, and to say nothing would lie."""
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
