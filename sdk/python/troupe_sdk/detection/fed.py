"""Calls of a detector for fed tracks: one by one, or all together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..media.images import Picture
from ..media.sampling import single_frames
from ..model import Detection, FedTrack, Frame, Job, VideoSource
from ..picture.geometry import Size
from ..picture.pixels import seen
from ..picture.views import fed_views, frames_of, largest, view_at
from ..properties import Properties
from .fed_answers import by_owner, given_back
from .methods import in_document, in_sound, method_for
from .report import Message, annotated, image_track, picture_track, texts
from .task import Task


class Course:
    """Tracks for one call of the detector. ``first``: line of the first track in the input, from 0."""

    def __init__(self, first: int, tracks: Sequence[FedTrack]) -> None:
        self.first = first
        self.tracks = tracks


class Counter:
    """Progress over all calls of the detector."""

    def __init__(self, task: Task, total: float) -> None:
        self._task = task
        self._total = total
        self._done = 0.0

    def more(self, step: float = 1) -> None:
        self._done += step
        self._task.context.check()
        self._task.context.progress(self._done, self._total)


def in_fed_tracks(task: Task) -> Iterator[Message]:
    """Yields results, each with the input line of its fed track. Annotated tracks keep the order of the input."""
    feed: Mapping[str, Any] = task.work["feedForward"]
    tracks = fed_tracks(task, feed)
    if task.detector.knows("fed"):
        yield from _said(task, feed, tracks)
        return
    ask = _asker(task, feed, tracks)
    together = bool(feed["allTracks"])
    courses = [Course(0, tracks)] if together else [Course(line, [track]) for line, track in enumerate(tracks)]
    for course in courses if tracks else []:
        task.context.check()
        job = task.job()
        job.all_fed = tracks if together else None
        job.fed = None if together else course.tracks[0]
        found = by_owner(ask(course, job), course.first, course.tracks)
        yield from given_back(found, course.first, course.tracks) if feed["annotate"] else found


def fed_tracks(task: Task, feed: Mapping[str, Any]) -> list[FedTrack]:
    lines = feed.get("lines")
    text = task.client.input(str(feed["input"])).decode() if lines is None else str(lines)
    return [fed_track(json.loads(line)) for line in text.split("\n") if line.strip() != ""]


def fed_track(message: Mapping[str, Any]) -> FedTrack:
    detections = tuple(
        Detection(
            frame=int(one["frame"]),
            x=one["x"],
            y=one["y"],
            width=one["width"],
            height=one["height"],
            confidence=one["confidence"],
            properties=Properties(one.get("properties", {})),
        )
        for one in message["detections"]
    )
    return FedTrack(
        task=int(message["task"]),
        line=int(message["line"]),
        type=str(message.get("type", "")),
        start_frame=int(message["startFrame"]),
        stop_frame=int(message["stopFrame"]),
        start_time=float(message.get("startTime", 0)),
        stop_time=float(message.get("stopTime", 0)),
        confidence=float(message["confidence"]),
        properties=Properties(message.get("properties", {})),
        detections=detections,
        message=message,
    )


def _said(task: Task, feed: Mapping[str, Any], tracks: Sequence[FedTrack]) -> Iterator[Message]:
    """Yields the remarks of the detector about tracks, without reading the medium."""
    counter = Counter(task, len(tracks))
    for line, track in enumerate(tracks):
        job = task.job()
        job.fed = track
        remarks = list(task.detector.fed(track, job))
        if feed["annotate"]:
            more: dict[str, str] = {}
            confidence = None
            for remark in remarks:
                more.update(texts(remark.properties))
                confidence = remark.confidence if remark.confidence is not None else confidence
            yield annotated(track, line, more, confidence, keeps_type=True)
        else:
            for remark in remarks:
                yield annotated(track, line, texts(remark.properties), remark.confidence, keeps_type=False)
        counter.more()


Ask = Callable[[Course, Job], Iterator[Message]]


def _asker(task: Task, feed: Mapping[str, Any], tracks: Sequence[FedTrack]) -> Ask:
    """Returns a function that calls the detector for the part of the medium that the tracks of a course cover."""
    method = method_for(task.detector, task.medium)
    kind = str(feed["type"])
    if method == "video":
        frames = Counter(task, sum(len(frames_of([track])) for track in tracks))
        return lambda course, job: _in_video(task, kind, course, job, frames)
    if method == "image":
        looks = Counter(task, len(tracks))
        pictures: list[Picture] = []

        def picture() -> Picture:
            if not pictures:
                pictures.append(task.read_image())
            return pictures[0]

        return lambda course, job: _in_image(task, kind, course, job, looks, picture)
    if method == "audio":
        heard = Counter(task, sum(track.stop_time - track.start_time + 1 for track in tracks))
        return lambda course, job: in_sound(task, job, *_stretches(course), told=_steps(heard))
    parts = Counter(task, 0)
    return lambda _, job: in_document(task, job, parts.more)


def _steps(counter: Counter) -> Callable[[float], None]:
    """Returns a function that takes a position in milliseconds and counts the distance from the last one."""
    before = [0.0]

    def at(ms: float) -> None:
        step = ms - before[0] if ms >= before[0] else ms
        before[0] = ms
        counter.more(step)

    return at


def _stretches(course: Course) -> tuple[list[tuple[float, float | None]], tuple[int, int]]:
    stretches: list[tuple[float, float | None]] = [(track.start_time, track.stop_time) for track in course.tracks]
    frames = min(track.start_frame for track in course.tracks), max(track.stop_frame for track in course.tracks)
    return sorted(stretches, key=lambda stretch: stretch[0]), frames


def _in_video(task: Task, kind: str, course: Course, job: Job, counter: Counter) -> Iterator[Message]:
    """Yields the results for a video. Reads only the frames that the tracks need."""
    frames = [frame for frame in frames_of(course.tracks) if task.medium.length <= 0 or frame < task.medium.length]
    if not frames:
        return
    reader = task.open_video(single_frames(frames))
    try:
        views = fed_views(course.tracks, kind, task.properties, task.medium.metadata, reader.size)
        if not views:
            return

        def shown() -> Iterator[Frame]:
            for frame in reader.frames():
                task.context.check()
                if frame.index in views:
                    yield seen(views[frame.index], task.timed(frame), task.fill)
                    counter.more()

        source = VideoSource(largest(views), task.medium.fps, (min(views), max(views)), shown)
        for track in task.detector.video(source, job):
            yield picture_track(track, lambda frame: view_at(views, frame), task.range)
    finally:
        reader.close()


def _in_image(
    task: Task, kind: str, course: Course, job: Job, counter: Counter, picture: Callable[[], Picture]
) -> Iterator[Message]:
    width, height, data = picture()
    views = fed_views(course.tracks, kind, task.properties, task.medium.metadata, Size(width, height))
    for view in list(views.values())[:1]:
        for track in task.detector.image(seen(view, Frame(0, 0, width, height, data), task.fill), job):
            yield image_track(track, view)
    counter.more()
