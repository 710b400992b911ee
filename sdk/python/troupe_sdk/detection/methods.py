"""Calls of a detector for videos, pictures, sound and documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..detector import Detector
from ..errors import DetectionError
from ..media.sampling import Sampling
from ..media.sound import sound_chunks
from ..media.video import VideoReader
from ..model import SAMPLE_RATE, AudioSource, Document, Frame, Job, Medium, Sound, VideoSource
from ..picture.geometry import Size, View
from ..picture.orientation import picture_view
from ..picture.pixels import seen
from .report import Message, finding_track, image_track, picture_track, sound_track
from .task import Task


def method_for(detector: Detector, medium: Medium) -> str:
    """Returns the detector's method for this type of medium. For a video, this is ``audio`` only if there is no ``video``.

    Raises DetectionError if there is none.
    """
    kinds = {"VIDEO": ("video", "audio"), "IMAGE": ("image",), "AUDIO": ("audio",), "UNKNOWN": ("generic",)}
    for method in kinds.get(medium.media_type, ()):
        if detector.knows(method):
            return method
    known = [kind for kind, methods in kinds.items() if any(detector.knows(method) for method in methods)]
    what = f"media of the type {medium.media_type} ({medium.mime_type})"
    raise DetectionError(
        "UNSUPPORTED_DATA_TYPE", f"This component does not process {what}, only {', '.join(known) or 'fed tracks'}."
    )


def in_video(task: Task) -> Iterator[Message]:
    sampling = task.sampling(task.properties, int(task.work.get("contextFrames", 0)))
    if len(sampling.wanted()) == 0:
        return
    reader = task.open_video(sampling)
    try:
        view = picture_view(task.properties, task.medium.metadata, reader.size, with_region=True)
        size = (view.region.width, view.region.height)
        source = VideoSource(
            size, task.medium.fps, (sampling.start, sampling.stop), lambda: _counted(task, reader, view, sampling)
        )
        for track in task.detector.video(source, task.job()):
            yield picture_track(track, lambda _: view, (sampling.start, sampling.stop))
    finally:
        reader.close()


def _counted(task: Task, reader: VideoReader, view: View, sampling: Sampling) -> Iterator[Frame]:
    """Yields upright frames. Each counts as progress, including those of the warm-up."""
    for frame in reader.frames():
        task.context.check()
        yield seen(view, task.timed(frame), task.fill)
        task.context.progress(frame.index - sampling.first + 1, sampling.stop - sampling.first + 1)


def in_image(task: Task) -> Iterator[Message]:
    width, height, data = task.read_image()
    view = picture_view(task.properties, task.medium.metadata, Size(width, height), with_region=True)
    frame = seen(view, Frame(0, 0, width, height, data), task.fill)
    for track in task.detector.image(frame, task.job()):
        yield image_track(track, view)
    task.context.progress(1, 1)


def stretch_of(task: Task) -> list[tuple[float, float | None]]:
    """Returns the stretch of sound to process, in milliseconds; None as the stop means the end.

    For a video, this is the time in which the frames of the range are shown.
    """
    time = task.work.get("time")
    if time is not None:
        length = float(task.medium.metadata.get("DURATION", "") or 0)
        return [(float(time["start"]), None if time["stop"] + 1 >= length else float(time["stop"]))]
    if task.times is not None:
        start, after = task.range[0], task.range[1] + 1
        return [(task.times.of(start), task.times.of(after) if after < len(task.times) else None)]
    if task.medium.media_type != "VIDEO" or task.medium.fps <= 0:
        return [(0.0, None)]
    return [(task.range[0] * 1000 / task.medium.fps, (task.range[1] + 1) * 1000 / task.medium.fps)]


def in_sound(
    task: Task,
    job: Job,
    stretches: list[tuple[float, float | None]],
    frames: tuple[int, int],
    told: Callable[[float], None] | None = None,
) -> Iterator[Message]:
    """Yields results for sound. ``stretches`` ascend. Samples between them are set to 0, so that times stay correct."""
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
    """Sets samples between stretches to 0. ``at``: number of the first sample of the chunk, counted from time 0 of the medium."""
    end: float | None = None
    for start, stop in stretches:
        begin = start * SAMPLE_RATE / 1000
        if end is not None and begin > end:
            first, last = (max(0, min(len(chunk), round(edge - at))) for edge in (end, begin))
            for place in range(first, last):
                chunk[place] = 0
        if stop is not None:
            end = max(end or 0.0, (stop + 1) * SAMPLE_RATE / 1000)


#: Warning about components that do not support pages.
PAGES_IGNORED = "The frameRanges have no effect: this component processes all pages of a document."


def in_document(task: Task, job: Job, told: Callable[[], None] | None = None) -> Iterator[Message]:
    """Yields results for a document. Findings and calls of ``working`` count as progress, because nothing else shows any."""
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
