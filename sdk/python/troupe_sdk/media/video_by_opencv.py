"""Frames from OpenCV, which counts them while it decodes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..errors import DetectionError
from ..model import Frame, Medium
from ..picture.geometry import Size
from .frame_numbers import has_constant_rate, time_of, whole_enough
from .programs import FORMATS, refuse_playlist
from .sampling import Sampling

#: Last frame number that is reached without seeking.
NEAR_FRAMES = 250


class OpenCvReader:
    """Reader of frames with OpenCV. It cannot recognize key frames, so FRAME_INTERVAL replaces USE_KEY_FRAMES."""

    def __init__(self, cv2: Any, path: str, sampling: Sampling, medium: Medium) -> None:
        refuse_playlist(path)
        # Options for FFmpeg. Options that the user has set stay as they are.
        os.environ.setdefault("OPENCV_FFMPEG_CAPTURE_OPTIONS", f"protocol_whitelist;file|format_whitelist;{FORMATS}")
        self._cv2 = cv2
        self._sampling = sampling.without_key_frames()
        self._medium = medium
        self._capture = cv2.VideoCapture(path, cv2.CAP_FFMPEG)
        if not self._capture.isOpened():
            raise DetectionError("COULD_NOT_OPEN_MEDIA", "OpenCV cannot open the video.")
        self._capture.set(cv2.CAP_PROP_ORIENTATION_AUTO, 0)
        get = self._capture.get
        self.size = Size(int(get(cv2.CAP_PROP_FRAME_WIDTH)), int(get(cv2.CAP_PROP_FRAME_HEIGHT)))

    def frames(self) -> Iterator[Frame]:
        return whole_enough(self._all(), self._sampling)

    def _all(self) -> Iterator[Frame]:
        wanted = self._sampling.wanted()
        if len(wanted) == 0:
            return
        chosen = set(wanted)
        position = self._begin(wanted[0])
        while position <= wanted[-1] and self._capture.grab():
            if position in chosen:
                ok, picture = self._capture.retrieve()
                if ok:
                    yield self._frame(position, picture)
            position += 1

    def _begin(self, first: int) -> int:
        """Returns the position at which decoding begins.

        This is ``first`` if the frame rate is constant and OpenCV seeks exactly. Otherwise it is 0.
        """
        where = self._cv2.CAP_PROP_POS_FRAMES
        if first <= NEAR_FRAMES or not has_constant_rate(self._medium):
            return 0
        self._capture.set(where, first)
        if int(self._capture.get(where)) == first:
            return first
        self._capture.set(where, 0)
        return 0

    def _frame(self, index: int, picture: Any) -> Frame:
        height, width = picture.shape[:2]
        data = self._cv2.cvtColor(picture, self._cv2.COLOR_BGR2RGB).tobytes()
        return Frame(index, time_of(index, self._medium), width, height, data, index < self._sampling.start)

    def close(self) -> None:
        self._capture.release()
