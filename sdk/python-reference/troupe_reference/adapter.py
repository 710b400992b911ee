"""Adapter that does sub-jobs with a component for the reference system."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from troupe_sdk.connection.client import Client
from troupe_sdk.context import Context
from troupe_sdk.detection.fed import fed_tracks
from troupe_sdk.detection.fed_answers import by_owner, given_back
from troupe_sdk.detection.methods import PAGES_IGNORED
from troupe_sdk.detection.report import Message
from troupe_sdk.detection.task import Task
from troupe_sdk.detector import Detector
from troupe_sdk.errors import DetectionError
from troupe_sdk.files.media_files import MediaFiles
from troupe_sdk.model import FedTrack, Medium

from . import current
from .jobs import each, failure, job_of, told

#: Share of the elapsed time that counts as progress if the component used more CPU time than this.
BUSY = 0.1
METHODS = {
    "image": ("get_detections_from_image", "get_detections_from_all_image_locations"),
    "video": ("get_detections_from_video", "get_detections_from_all_video_tracks"),
    "audio": ("get_detections_from_audio", "get_detections_from_all_audio_tracks"),
    "generic": ("get_detections_from_generic", "get_detections_from_all_generic_tracks"),
}
KINDS = {"VIDEO": ("video", "audio"), "IMAGE": ("image",), "AUDIO": ("audio",), "UNKNOWN": ("generic",)}


class ReferenceComponent:
    """Adapter of one component. It reports no progress itself, so its CPU time and its results count as progress."""

    def __init__(self, component: Any, client: Client, files: MediaFiles) -> None:
        self._component = component
        self._client = client
        self._files = files
        self._context: Context | None = None
        self._looked = (time.monotonic(), _computed())

    def lines(self, assignment: Mapping[str, Any], context: Context) -> Iterator[str]:
        if assignment["kind"] != "DETECT":
            raise DetectionError("UNSUPPORTED_DATA_TYPE", f"This component cannot do {assignment['kind']}.")
        task = Task(Detector(), self._client, self._files, assignment, context)
        self._context = context
        current.task = task
        try:
            for track in self._tracks(task):
                yield json.dumps(self._files.handed_over(assignment, track)) + "\n"
        except Exception as error:
            raise failure(error) from error
        finally:
            self._context = None
            current.task = None
            self._files.close()

    def ticked(self) -> None:
        now, computed = time.monotonic(), _computed()
        before, computed_before = self._looked
        context = self._context
        if context is not None and computed - computed_before > BUSY * (now - before):
            context.step()
        self._looked = (now, computed)

    def close(self) -> None:
        self._files.close()

    def _tracks(self, task: Task) -> Iterator[Message]:
        feed = task.work.get("feedForward")
        kind = self._kind_for(task.medium, together=feed is not None and bool(feed["allTracks"]))
        if feed is None:
            yield from self._found(task, kind, [], together=False)
            if task.work.get("pages") is not None:
                task.context.warn(PAGES_IGNORED)
            return
        tracks = fed_tracks(task, feed)
        together = bool(feed["allTracks"])
        courses: list[Sequence[FedTrack]] = [tracks] if together else [[track] for track in tracks]
        first = 0
        for course in courses if tracks else []:
            found = by_owner(self._found(task, kind, course, together), first, course)
            yield from given_back(found, first, course) if feed["annotate"] else found
            first += len(course)

    def _found(self, task: Task, kind: str, tracks: Sequence[FedTrack], together: bool) -> Iterator[Message]:
        method = getattr(self._component, METHODS[kind][together])
        for found in each(method(job_of(task, kind, tracks, together))):
            task.context.check()
            task.context.step()
            yield told(task, kind, found)

    def _kind_for(self, medium: Medium, together: bool) -> str:
        for kind in KINDS.get(medium.media_type, ()):
            if callable(getattr(self._component, METHODS[kind][together], None)):
                return kind
        wanted = METHODS[KINDS.get(medium.media_type, ("generic",))[0]][together]
        raise DetectionError(
            "UNSUPPORTED_DATA_TYPE", f"This component does not process media of the type {medium.media_type}: it has no {wanted}."
        )


def _computed() -> float:
    """Returns the CPU seconds of this process and of its finished child processes."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
