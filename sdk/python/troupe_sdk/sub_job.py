"""A detector at work on a sub-job: what it is asked, and the lines of its answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from .client import Client
from .context import Context
from .detector import Detector
from .errors import DetectionError
from .geometry import Size, View
from .media.by_server import ServerReader, frame_from_server
from .media.frame_times import FrameTimes, RateCap, frame_times
from .media.images import Picture, read_image
from .media.sampling import Sampling, sampling_of
from .media.sound import sound_chunks
from .media.video import VideoReader, has_constant_rate, open_video
from .media_files import MediaFiles
from .model import SAMPLE_RATE, AudioSource, Document, Frame, Job, Medium, Sound, VideoSource
from .orientation import picture_view
from .pixels import fill_of, shown
from .properties import Properties
from .report import Message, finding_track, image_track, picture_track, sound_track

Assignment = Mapping[str, Any]
#: Of a medium that is one picture or none.
NO_FRAMES = (0, 0)


class SubJobs:
    """Does sub-jobs with one detector."""

    def __init__(self, detector: Detector, client: Client, files: MediaFiles) -> None:
        self._detector = detector
        self._client = client
        self._files = files

    def lines(self, assignment: Assignment, context: Context) -> Iterator[str]:
        """NDJSON: a track a line, and last what could not be looked at."""
        if assignment["kind"] != "DETECT":
            raise DetectionError("UNSUPPORTED_DATA_TYPE", f"This component cannot do {assignment['kind']}.")
        task = Task(self._detector, self._client, self._files, assignment, context)
        try:
            for track in task.tracks():
                yield json.dumps(track) + "\n"
        finally:
            self._files.close()
        for warning in context.warnings:
            yield json.dumps({"warning": warning}) + "\n"

    def ticked(self) -> None:
        """Nothing: frames and sound count as progress by themselves."""

    def close(self) -> None:
        self._files.close()
        self._detector.close()


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

    def tracks(self) -> Iterator[Message]:
        if self.work.get("feedForward") is not None:
            from .fed import in_fed_tracks

            yield from in_fed_tracks(self)
            return
        ask: dict[str, Callable[[], Iterator[Message]]] = {
            "video": self._in_video,
            "image": self._in_image,
            "audio": lambda: in_sound(self, self.job(), self._stretch(), self.range),
            "generic": lambda: in_document(self, self.job()),
        }
        yield from ask[method_for(self.detector, self.medium)]()

    def path(self) -> str:
        """Where the file of the medium lies on this host."""
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
        """Of a video whose rate varies; None where the rate says it all, or the server does not tell them."""
        if self.medium.media_type != "VIDEO" or has_constant_rate(self.medium):
            return None
        return frame_times(self.client, str(self.assignment["token"]))

    def timed(self, frame: Frame) -> Frame:
        """At its exact time."""
        return frame if self.times is None else replace(frame, time=self.times.of(frame.index))

    def sampling(self, properties: Properties, context_frames: int = 0) -> Sampling:
        """The frames of the range that the properties choose."""
        per_second = properties.number("FRAME_RATE_CAP", 0)
        cap = RateCap(per_second, self.times) if per_second > 0 and self.times is not None else None
        continues = bool(self.work.get("continues", False))
        return sampling_of(properties, self.range, context_frames, self.medium.length, cap, continues)

    def _in_video(self) -> Iterator[Message]:
        sampling = self.sampling(self.properties, int(self.work.get("contextFrames", 0)))
        if len(sampling.wanted()) == 0:
            return
        reader = self.open_video(sampling)
        try:
            view = picture_view(self.properties, self.medium.metadata, reader.size, with_region=True)
            size = (view.region.width, view.region.height)
            source = VideoSource(
                size, self.medium.fps, (sampling.start, sampling.stop), lambda: self._counted(reader, view, sampling)
            )
            for track in self.detector.video(source, self.job()):
                yield picture_track(track, lambda _: view, (sampling.start, sampling.stop))
        finally:
            reader.close()

    def _counted(self, reader: VideoReader, view: View, sampling: Sampling) -> Iterator[Frame]:
        """Upright frames, each of them told as progress, those of the warm-up included."""
        for frame in reader.frames():
            self.context.check()
            yield seen(view, self.timed(frame), self.fill)
            self.context.progress(frame.index - sampling.first + 1, sampling.stop - sampling.first + 1)

    def _in_image(self) -> Iterator[Message]:
        width, height, data = self.read_image()
        view = picture_view(self.properties, self.medium.metadata, Size(width, height), with_region=True)
        frame = seen(view, Frame(0, 0, width, height, data), self.fill)
        for track in self.detector.image(frame, self.job()):
            yield image_track(track, view)
        self.context.progress(1, 1)

    def _stretch(self) -> list[tuple[float, float | None]]:
        """All of a sound, or a piece of it; of a video, the time in which the frames of the range are on show."""
        time = self.work.get("time")
        if time is not None:
            length = float(self.medium.metadata.get("DURATION", "") or 0)
            return [(float(time["start"]), None if time["stop"] + 1 >= length else float(time["stop"]))]
        if self.times is not None:
            start, after = self.range[0], self.range[1] + 1
            return [(self.times.of(start), self.times.of(after) if after < len(self.times) else None)]
        if self.medium.media_type != "VIDEO" or self.medium.fps <= 0:
            return [(0.0, None)]
        return [(self.range[0] * 1000 / self.medium.fps, (self.range[1] + 1) * 1000 / self.medium.fps)]


def seen(view: View, frame: Frame, fill: int) -> Frame:
    """What a view shows of a stored picture."""
    if view.is_whole:
        return frame
    data = shown(view, frame.data, fill)
    return Frame(frame.index, frame.time, view.region.width, view.region.height, data, frame.warm_up)


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


def method_for(detector: Detector, medium: Medium) -> str:
    """How the detector is asked about a medium of this type: about the sound of a video only when it knows no pictures."""
    kinds = {"VIDEO": ("video", "audio"), "IMAGE": ("image",), "AUDIO": ("audio",), "UNKNOWN": ("generic",)}
    for method in kinds.get(medium.media_type, ()):
        if detector.knows(method):
            return method
    known = [kind for kind, methods in kinds.items() if any(detector.knows(method) for method in methods)]
    what = f"media of the type {medium.media_type} ({medium.mime_type})"
    raise DetectionError(
        "UNSUPPORTED_DATA_TYPE", f"This component does not process {what}, only {', '.join(known) or 'fed tracks'}."
    )


def in_sound(
    task: Task,
    job: Job,
    stretches: list[tuple[float, float | None]],
    frames: tuple[int, int],
    told: Callable[[float], None] | None = None,
) -> Iterator[Message]:
    """``stretches`` ascend; what lies between two of them is silent to the detector, so that times stay right."""
    medium, context = task.medium, task.context
    times = task.times
    has_frames = medium.media_type == "VIDEO" and medium.fps > 0
    start, stop = stretches[0][0], _end_of(stretches)
    length = float(medium.metadata.get("DURATION", "") or 0)
    heard = told or (lambda ms: context.progress(ms, (stop or length) - start if (stop or length) else 0))

    def frame_at(ms: float) -> int:
        at = int(ms * medium.fps / 1000) if times is None else times.frame_at(ms)
        return max(frames[0], min(frames[1], at)) if has_frames or times is not None else 0

    def chunks() -> Iterator[Any]:
        samples = 0
        for chunk in sound_chunks(task.path(), start, stop):
            context.check()
            _silence_between(stretches, chunk, start * SAMPLE_RATE / 1000 + samples)
            samples += len(chunk)
            yield chunk
            heard(round(samples * 1000 / SAMPLE_RATE))

    found: Iterable[Sound] = task.detector.audio(AudioSource(start, chunks), job)
    for sound in found:
        yield sound_track(sound, frame_at, float("inf") if stop is None else int(stop))


def _end_of(stretches: list[tuple[float, float | None]]) -> float | None:
    ends = [stop for _, stop in stretches]
    return None if None in ends else max(stop for stop in ends if stop is not None)


def _silence_between(stretches: list[tuple[float, float | None]], chunk: Any, at: float) -> None:
    """``at``: number of the first sample of the chunk on the medium's time line."""
    end: float | None = None
    for start, stop in stretches:
        begin = start * SAMPLE_RATE / 1000
        if end is not None and begin > end:
            first, last = (max(0, min(len(chunk), round(edge - at))) for edge in (end, begin))
            for place in range(first, last):
                chunk[place] = 0
        if stop is not None:
            end = max(end or 0.0, (stop + 1) * SAMPLE_RATE / 1000)


#: Told of components that know no pages.
PAGES_IGNORED = "The frameRanges have no effect: this component looks at all pages of a document."


def in_document(task: Task, job: Job, told: Callable[[], None] | None = None) -> Iterator[Message]:
    """Each finding, and whenever the detector says that it goes on, is told as progress: there is no other to see."""
    parts = [0]

    def working() -> None:
        parts[0] += 1
        task.context.check()
        task.context.progress(parts[0], 0)

    folder = task.files.output_folder(task.assignment)
    pages = task.work.get("pages")
    chosen = None if pages is None else [(int(page["start"]), int(page["stop"])) for page in pages]
    source = Document(task.path(), task.medium.mime_type, folder, told or working, chosen)
    for finding in task.detector.generic(source, job):
        source.working()
        yield task.files.handed_over(task.assignment, finding_track(finding))
    if source.ignores_pages:
        job.warn(PAGES_IGNORED)
