"""Frames of videos, numbered from 0 as they are shown, as they are stored: not turned, not mirrored, RGB."""

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
