"""Conversion of sub-jobs to job objects of the reference system, and of its results to messages of the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import mpf_component_api as mpf
from troupe_sdk.detection.report import Message, finding_track, picture_track, sound_track
from troupe_sdk.detection.task import Task
from troupe_sdk.errors import CODES, DetectionError
from troupe_sdk.model import Detection, FedTrack, Finding, Sound, Track
from troupe_sdk.picture.geometry import Region, Size, View

#: View of the stored medium. Components return boxes in its pixels.
AS_STORED = View(Size(0, 0), Size(0, 0), Region(0, 0, 0, 0), 0.0, False)
#: Errors of the reference system that have other names in Troupe.
OTHER_NAMES = {"OTHER_DETECTION_ERROR_TYPE": "UNRECOGNIZED_DETECTION_ERROR", "DETECTION_SUCCESS": "DETECTION_FAILED"}
#: Job classes for one track (or none) and for all tracks together, and their field for fed tracks.
SHAPES = {
    "image": ("ImageJob", "AllImageLocationsJob", "feed_forward_location"),
    "video": ("VideoJob", "AllVideoTracksJob", "feed_forward_track"),
    "audio": ("AudioJob", "AllAudioTracksJob", "feed_forward_track"),
    "generic": ("GenericJob", "AllGenericTracksJob", "feed_forward_track"),
}


def failure(error: Exception) -> Exception:
    """Returns the error with a code of the protocol, or the same error if it has none."""
    code = getattr(getattr(error, "error_code", None), "name", "")
    code = OTHER_NAMES.get(code, code)
    if not isinstance(error, mpf.DetectionException) or code not in CODES:
        return error
    return DetectionError(code, str(error.args[0]))


def job_of(task: Task, kind: str, tracks: Sequence[FedTrack], together: bool) -> Any:
    """Returns the job object for one call. ``tracks``: fed tracks to process, or none."""
    common: dict[str, Any] = {
        "job_name": f"Job {task.context.id}",
        "data_uri": task.path(),
        "job_properties": dict(task.properties),
        "media_properties": {**task.medium.metadata, "MIME_TYPE": task.medium.mime_type},
    }
    fed = [_fed(kind, track) for track in tracks]
    single, several, name = SHAPES[kind]
    more: dict[str, Any] = {name + "s": fed} if together else {name: fed[0]} if fed else {}
    return getattr(mpf, several if together else single)(**common, **_bounds(task, kind, tracks), **more)


def _bounds(task: Task, kind: str, tracks: Sequence[FedTrack]) -> dict[str, int]:
    if kind == "video":
        start = min((track.start_frame for track in tracks), default=task.range[0])
        return {"start_frame": start, "stop_frame": max((track.stop_frame for track in tracks), default=task.range[1])}
    if kind == "audio":
        start_time, stop_time = stretch_of(task)
        start = int(min((track.start_time for track in tracks), default=start_time))
        return {"start_time": start, "stop_time": int(max((track.stop_time for track in tracks), default=stop_time))}
    return {}


def stretch_of(task: Task) -> tuple[float, float]:
    """Returns start and stop of the sound to process, in milliseconds. A stop of -1 means the end."""
    medium = task.medium
    if medium.media_type == "VIDEO" and medium.fps > 0:
        return task.range[0] * 1000 / medium.fps, (task.range[1] + 1) * 1000 / medium.fps
    piece = task.work.get("time")
    if piece is not None:
        return piece["start"], piece["stop"]
    duration = medium.metadata.get("DURATION", "")
    return 0, float(duration) if duration.strip() != "" else -1


def _fed(kind: str, track: FedTrack) -> Any:
    said = dict(track.properties)
    if kind == "audio":
        return mpf.AudioTrack(int(track.start_time), int(track.stop_time), track.confidence, said)
    if kind == "generic":
        return mpf.GenericTrack(track.confidence, said)
    locations = {detection.frame: location_of(detection) for detection in track.detections}
    if kind == "image":
        return next(iter(locations.values()))
    return mpf.VideoTrack(track.start_frame, track.stop_frame, track.confidence, locations, said)


def location_of(detection: Detection) -> Any:
    x, y, width, height = (round(value) for value in (detection.x, detection.y, detection.width, detection.height))
    return mpf.ImageLocation(x, y, width, height, detection.confidence, {str(k): str(v) for k, v in detection.properties.items()})


def told(task: Task, kind: str, found: Any) -> Message:
    """Returns the message for a result of a component. Raises DetectionError for a result of another type."""
    _is(found, {"image": "ImageLocation", "video": "VideoTrack", "audio": "AudioTrack"}.get(kind, "GenericTrack"))
    if kind == "image":
        return picture_track(Track([_detection(0, found)], properties=found.detection_properties), lambda _: AS_STORED, (0, 0))
    if kind == "video":
        return _video_track(found, task.range)
    if kind == "audio":
        return _audio_track(task, found)
    return finding_track(_finding(found))


def _is(found: Any, name: str) -> None:
    if type(found).__name__ != name:
        raise DetectionError("DETECTION_FAILED", f"The component answered {found!r}, where {name} is expected.")


def _detection(frame: int, location: Any) -> Detection:
    _is(location, "ImageLocation")
    box = (location.x_left_upper, location.y_left_upper, location.width, location.height)
    return Detection(frame, *box, confidence=location.confidence, properties=location.detection_properties)


def _video_track(found: Any, bounds: tuple[int, int]) -> Message:
    locations: Mapping[int, Any] = found.frame_locations
    detections = [_detection(int(frame), locations[frame]) for frame in sorted(locations)]
    start = min([int(found.start_frame), *(detection.frame for detection in detections[:1])])
    stop = max([int(found.stop_frame), *(detection.frame for detection in detections[-1:])])
    track = Track(detections, found.confidence, found.detection_properties, start, stop)
    return picture_track(track, lambda _: AS_STORED, bounds)


def _audio_track(task: Task, found: Any) -> Message:
    medium, (first, last) = task.medium, task.range
    has_frames = medium.media_type == "VIDEO" and medium.fps > 0
    start, stop = max(0, found.start_time), found.stop_time
    if stop < 0:
        stop = max(start, stretch_of(task)[1])
    sound = Sound(start, stop, found.confidence, found.detection_properties)
    return sound_track(sound, lambda ms: max(first, min(last, int(ms * medium.fps / 1000))) if has_frames else 0, float("inf"))


def _finding(found: Any) -> Finding:
    """Returns a finding. A file that was made of a document has the track type MEDIA."""
    kind = "MEDIA" if "DERIVATIVE_MEDIA_TEMP_PATH" in found.detection_properties else None
    return Finding(found.detection_properties, found.confidence, kind)


def each(found: Iterable[Any] | None) -> Iterable[Any]:
    return () if found is None else found
