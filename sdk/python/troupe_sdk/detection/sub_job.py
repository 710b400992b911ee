"""Sub-jobs of a detector, and the lines of its answers."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..connection.client import Client
from ..context import Context
from ..detector import Detector
from ..errors import DetectionError
from ..files.media_files import MediaFiles
from .fed import in_fed_tracks
from .methods import in_document, in_image, in_sound, in_video, method_for, stretch_of
from .report import Message
from .task import Assignment, Task


class SubJobs:
    """Component that does sub-jobs with one detector."""

    def __init__(self, detector: Detector, client: Client, files: MediaFiles) -> None:
        self._detector = detector
        self._client = client
        self._files = files

    def lines(self, assignment: Assignment, context: Context) -> Iterator[str]:
        """Yields NDJSON: one line for each track, then the warnings."""
        if assignment["kind"] != "DETECT":
            raise DetectionError("UNSUPPORTED_DATA_TYPE", f"This component cannot do {assignment['kind']}.")
        task = Task(self._detector, self._client, self._files, assignment, context)
        try:
            for track in tracks_of(task):
                yield json.dumps(track) + "\n"
        finally:
            self._files.close()
        for warning in context.warnings:
            yield json.dumps({"warning": warning}) + "\n"

    def ticked(self) -> None:
        """Does nothing, because frames and sound count as progress already."""

    def close(self) -> None:
        self._files.close()
        self._detector.close()


def tracks_of(task: Task) -> Iterator[Message]:
    """Returns the results of the detector for the medium, or for the fed tracks."""
    if task.work.get("feedForward") is not None:
        return in_fed_tracks(task)
    method = method_for(task.detector, task.medium)
    if method == "video":
        return in_video(task)
    if method == "image":
        return in_image(task)
    if method == "audio":
        return in_sound(task, task.job(), stretch_of(task), task.range)
    return in_document(task, task.job())
