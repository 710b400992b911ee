"""Results of a detector as messages for the server: boxes in pixels of the stored medium, times in milliseconds.

A result that the server would refuse raises DetectionError, with a message for the author. It fails the sub-job at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import DetectionError
from ..model import Detection, FedTrack, Finding, Sound, Track
from ..picture.geometry import View, box_to_medium

Message = dict[str, Any]
#: Properties that describe the orientation of a box.
ORIENTATION = ("ROTATION", "HORIZONTAL_FLIP")


def picture_track(track: object, view_of: Callable[[int], View], bounds: tuple[int, int]) -> Message:
    """Returns the message for a track. ``view_of``: gives the view of a frame. ``bounds``: first and last frame allowed."""
    if not isinstance(track, Track):
        raise _bad(f"{track!r} was found in pictures, where Track is expected")
    if len(track.detections) == 0:
        raise _bad("a track has no detections; it needs at least one")
    frames = [_frame(detection, bounds) for detection in track.detections]
    if any(later <= earlier for earlier, later in zip(frames, frames[1:])):
        raise _bad(f"the detections of a track must ascend by frame, each frame once; these are in the frames {frames[:20]}")
    start = frames[0] if track.start_frame is None else int(track.start_frame)
    stop = frames[-1] if track.stop_frame is None else int(track.stop_frame)
    if not bounds[0] <= start <= frames[0] or not frames[-1] <= stop <= bounds[1]:
        raise _bad(
            f"a track from frame {start} to {stop} must hold its detections ({frames[0]} to {frames[-1]}) and lie in {_range(bounds)}"
        )
    best = max(_confidence(detection.confidence) for detection in track.detections)
    return {
        "startFrame": start,
        "stopFrame": stop,
        **_typed(track.type),
        "confidence": _confidence(best if track.confidence is None else track.confidence),
        "properties": texts(track.properties),
        "detections": [_detection(detection, view_of(detection.frame)) for detection in track.detections],
    }


def image_track(track: object, view: View) -> Message:
    """Returns the message for a track in a single picture. The track has the same orientation as its one detection."""
    message = picture_track(track, lambda _: view, (0, 0))
    lies = {name: value for name, value in message["detections"][0]["properties"].items() if name in ORIENTATION}
    return {**message, "properties": {**message["properties"], **lies}}


def _frame(detection: object, bounds: tuple[int, int]) -> int:
    if not isinstance(detection, Detection):
        raise _bad(f"{detection!r} stands among the detections of a track, where Detection is expected")
    frame = int(detection.frame)
    if not bounds[0] <= frame <= bounds[1]:
        raise _bad(f"a detection is in frame {frame}, which is not in {_range(bounds)}")
    return frame


def _range(bounds: tuple[int, int]) -> str:
    return f"the range of the sub-job, {bounds[0]} to {bounds[1]}"


def _detection(detection: Detection, view: View) -> Message:
    numbers = [_number(value, "a box") for value in (detection.x, detection.y, detection.width, detection.height)]
    box = box_to_medium(view, *numbers)
    properties = texts(detection.properties)
    own = _number(properties.pop("ROTATION", "0") or 0, "the property ROTATION")
    # The box is rotated in its frame, and the frame in the medium. Both counter-clockwise, also if the frame is mirrored.
    degrees = round((box.rotation + own) % 360, 2) % 360
    if degrees != 0:
        properties["ROTATION"] = format(degrees, "g")
    if box.flip:
        properties["HORIZONTAL_FLIP"] = "TRUE"
    return {
        "frame": int(detection.frame),
        "x": box.x,
        "y": box.y,
        "width": box.width,
        "height": box.height,
        "confidence": _confidence(detection.confidence),
        "properties": properties,
    }


def sound_track(sound: object, frame_at: Callable[[float], int], latest: float) -> Message:
    """Returns the message for a sound. ``frame_at``: gives the frame at a time, 0 without frames. ``latest``: in milliseconds."""
    if not isinstance(sound, Sound):
        raise _bad(f"{sound!r} was found in sound, where Sound is expected")
    start = _number(sound.start_time, "the start of a sound")
    stop = min(_number(sound.stop_time, "the stop of a sound"), latest)
    if not 0 <= start <= stop:
        raise _bad(f"a sound from {start} to {stop} ms must not stop before it starts, nor start before 0")
    confidence, properties = _confidence(sound.confidence), texts(sound.properties)
    return {
        "startFrame": frame_at(start),
        "stopFrame": frame_at(stop),
        "startTime": start,
        "stopTime": stop,
        **_typed(sound.type),
        "confidence": confidence,
        "properties": properties,
        "detections": [_placeless(frame_at(start), start, confidence, properties)],
    }


def finding_track(finding: object) -> Message:
    if not isinstance(finding, Finding):
        raise _bad(f"{finding!r} was found in a document, where Finding is expected")
    confidence, properties = _confidence(finding.confidence), texts(finding.properties)
    return {
        "startFrame": 0,
        "stopFrame": 0,
        "startTime": 0,
        "stopTime": 0,
        **_typed(finding.type),
        "confidence": confidence,
        "properties": properties,
        "detections": [_placeless(0, 0, confidence, properties)],
    }


def annotated(track: FedTrack, line: int, more: Mapping[str, str], confidence: float | None, keeps_type: bool) -> Message:
    """Returns the message for a fed track with more properties, on the track and on all its detections."""
    told = track.message
    names = ["startFrame", "stopFrame", "startTime", "stopTime"] + (["type"] if keeps_type else [])
    return {
        "fed": line,
        **{name: told[name] for name in names if told.get(name) is not None},
        "confidence": told["confidence"] if confidence is None else confidence,
        "properties": {**told.get("properties", {}), **more},
        "detections": [
            {
                **detection,
                "confidence": detection["confidence"] if confidence is None else confidence,
                "properties": {**detection.get("properties", {}), **more},
            }
            for detection in told["detections"]
        ],
    }


def texts(properties: Mapping[str, object]) -> dict[str, str]:
    """Converts values to text, such as ``True`` to ``TRUE``. Values that are None are omitted."""
    return {str(name): _text(value) for name, value in properties.items() if value is not None}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value)


def _placeless(frame: int, time: float, confidence: float, properties: Mapping[str, str]) -> Message:
    box = {"x": 0, "y": 0, "width": 0, "height": 0}
    return {"frame": frame, "time": time, **box, "confidence": confidence, "properties": properties}


def _typed(type: str | None) -> Message:
    return {} if type is None else {"type": type}


def _confidence(value: object) -> float:
    return _number(value, "a confidence")


def _number(value: object, what: str) -> float:
    """Converts a number, such as one of numpy, for JSON. Raises DetectionError for NaN and infinity."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise _bad(f"{what} is {value!r}, which is no finite number")
    return int(number) if number == int(number) else number


def _bad(what: str) -> DetectionError:
    return DetectionError("DETECTION_FAILED", f"The detector answered what cannot be told: {what}.")
