"""Streaming jobs: pipelines over live streams."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from .errors import UnreachableError
from .events import server_events
from .transport import Transport
from .types import (
    HourlyCounts,
    StreamingJobCancelResponse,
    StreamingJobCreationRequest,
    StreamingJobCreationResponse,
    StreamingJobInfo,
    StreamingJobRestartRequest,
    StreamRecordingList,
    ZoneEvent,
)

PATH = "/rest/streaming/jobs"
#: Seconds without data after which a stream of events counts as broken.
SILENCE_S = 45.0
#: Seconds between two requests for the state of a job while no events arrive.
LOOK_S = 0.5


class Streams:
    """Streaming jobs: ``client.streams``. Their ids are numbers."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, request: StreamingJobCreationRequest) -> StreamingJobCreationResponse:
        """Starts a streaming job. It runs until the stream ends or the job is cancelled."""
        return cast(StreamingJobCreationResponse, self._transport.json("POST", PATH, None, request))

    def restart(self, job_id: int, changes: StreamingJobRestartRequest) -> StreamingJobCreationResponse:
        """Replaces a stored job by a new one with these members changed. The stored job is cancelled."""
        answer = self._transport.json("POST", f"{PATH}/{job_id}/restart", None, changes)
        return cast(StreamingJobCreationResponse, answer)

    def list(self, is_active: bool = True) -> list[int]:
        """Returns the ids of active streaming jobs; with ``is_active=False``, also of those that have ended."""
        return cast("list[int]", self._transport.json("GET", PATH, {"isActive": is_active})["jobIds"])

    def show(self, job_id: int) -> StreamingJobInfo:
        """Returns the state of a streaming job, with all details."""
        return cast(StreamingJobInfo, self._transport.json("GET", f"{PATH}/{job_id}", {"details": True}))

    def events(self, job_id: int) -> Iterator[Mapping[str, Any]]:
        """Yields the events of a stream, until it ends or the connection breaks.

        ``type`` is job, trackBegan, trackEnded, segment, reconnecting, warning, counts or missed.
        """
        lines = self._transport.lines(f"{PATH}/{job_id}/events", {"accept": "text/event-stream"}, SILENCE_S)
        try:
            for event in server_events(lines):
                yield {**json.loads(event.data), "type": event.name}
        except UnreachableError:
            return

    def wait(self, job_id: int) -> StreamingJobInfo:
        """Waits until a streaming job has ended, successfully or not, and returns its state."""
        while True:
            for _ in self.events(job_id):
                pass
            job = self.show(job_id)
            if job["endDate"] is not None:
                return job
            time.sleep(LOOK_S)

    def picture(self, job_id: int) -> bytes:
        """Returns the newest frame as a JPEG, with the boxes of its detections."""
        return self._transport.send("GET", f"{PATH}/{job_id}/frame.jpg", None, {"accept": "image/jpeg"}).read()

    def zone_events(
        self, job_id: int, kind: Literal["RULE", "OTHER"] | None = None, limit: int = 100
    ) -> list[ZoneEvent]:
        """Returns the newest ``limit`` events of zones and rules, newest first."""
        query: dict[str, object] = {"limit": limit} if kind is None else {"limit": limit, "kind": kind}
        answer = self._transport.json("GET", f"{PATH}/{job_id}/zone-events", query)
        return cast("list[ZoneEvent]", answer["events"])

    def hourly_counts(self, job_id: int) -> HourlyCounts:
        """Returns the numbers of tracks, entries, crossings and events of rules by hour."""
        return cast(HourlyCounts, self._transport.json("GET", f"{PATH}/{job_id}/counts"))

    def recordings(self, job_id: int) -> StreamRecordingList:
        """Returns the recordings of the stream."""
        return cast(StreamRecordingList, self._transport.json("GET", f"{PATH}/{job_id}/recordings"))

    def cancel(self, job_id: int, do_cleanup: bool = False) -> StreamingJobCancelResponse:
        """Cancels a streaming job. ``do_cleanup``: also delete the files of the job."""
        answer = self._transport.json("POST", f"{PATH}/{job_id}/cancel", {"doCleanup": do_cleanup})
        return cast(StreamingJobCancelResponse, answer)
