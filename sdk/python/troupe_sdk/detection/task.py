"""One sub-job of a detector: its medium, its properties and its frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..connection.client import Client
from ..context import Context
from ..detector import Detector
from ..files.media_files import MediaFiles
from ..media.by_server import ServerReader, frame_from_server
from ..media.frame_numbers import has_constant_rate
from ..media.frame_times import FrameTimes, RateCap, frame_times
from ..media.images import Picture, read_image
from ..media.sampling import Sampling, sampling_of
from ..media.video import VideoReader, open_video
from ..model import Frame, Job, Medium
from ..picture.pixels import fill_of
from ..properties import Properties

Assignment = Mapping[str, Any]


class Task:
    """One sub-job."""

    def __init__(self, detector: Detector, client: Client, files: MediaFiles, assignment: Assignment, context: Context) -> None:
        self.detector = detector
        self.client = client
        self.context = context
        self.assignment = assignment
        self.work: Mapping[str, Any] = assignment["work"]
        self.medium = medium_of(self.work["medium"])
        self.properties = Properties(self.work["properties"])
        self.range = (int(self.work["range"]["start"]), int(self.work["range"]["stop"]))
        self.files = files

    def job(self) -> Job:
        return Job(self.context, self.assignment["algorithm"], self.medium, self.properties)

    def path(self) -> str:
        """Returns the path of the medium on this host."""
        return self.files.path(self.assignment, self.context)

    def open_video(self, sampling: Sampling) -> VideoReader:
        token = str(self.assignment["token"])
        return open_video(
            self.path, sampling, self.medium, lambda: ServerReader(self.client, token, sampling, self.medium, self.context)
        )

    def read_image(self) -> Picture:
        token = str(self.assignment["token"])
        return read_image(self.path(), lambda: frame_from_server(self.client, token, 0))

    @property
    def fill(self) -> int:
        return fill_of(self.properties.get("ROTATION_FILL_COLOR", ""))

    @cached_property
    def times(self) -> FrameTimes | None:
        """Times of the frames of a video with a varying rate; None if the rate is constant or the server does not know the times."""
        if self.medium.media_type != "VIDEO" or has_constant_rate(self.medium):
            return None
        return frame_times(self.client, str(self.assignment["token"]))

    def timed(self, frame: Frame) -> Frame:
        """Returns the frame with its exact time."""
        return frame if self.times is None else replace(frame, time=self.times.of(frame.index))

    def sampling(self, properties: Properties, context_frames: int = 0) -> Sampling:
        """Returns the selection of the frames of the range that the properties describe."""
        per_second = properties.number("FRAME_RATE_CAP", 0)
        cap = RateCap(per_second, self.times) if per_second > 0 and self.times is not None else None
        continues = bool(self.work.get("continues", False))
        return sampling_of(properties, self.range, context_frames, self.medium.length, cap, continues)


def medium_of(message: Mapping[str, Any]) -> Medium:
    return Medium(
        media_id=int(message["mediaId"]),
        media_type=str(message["mediaType"]),
        mime_type=str(message["mimeType"]),
        length=int(message["length"]),
        fps=float(message["fps"]),
        metadata=Properties(message["metadata"]),
        inspected=bool(message["inspected"]),
    )
