"""Frames of videos as they are stored: not rotated, not mirrored, RGB. Numbers start at 0, in the order of display."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from ..errors import DetectionError
from ..model import Frame, Medium
from ..picture.geometry import Size
from .programs import ffmpeg, library
from .sampling import Sampling


class VideoReader(Protocol):
    @property
    def size(self) -> Size: ...

    def frames(self) -> Iterator[Frame]:
        """Yields the frames. Can be called only once for each reader."""
        ...

    def close(self) -> None: ...


def open_video(
    path: Callable[[], str], sampling: Sampling, medium: Medium, from_server: Callable[[], VideoReader] | None = None
) -> VideoReader:
    """Opens a video with ffmpeg, OpenCV or, finally, as frames from the server, which need no file on this host.

    Raises DetectionError if none of them is available, or if the video cannot be read.
    """
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
