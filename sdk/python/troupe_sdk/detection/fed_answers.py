"""To which fed track belongs what was found, and fed tracks that are given back with more properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model import Detection, FedTrack
from .report import ORIENTATION, Message, annotated


def by_owner(found: Iterator[Message], first: int, tracks: Sequence[FedTrack]) -> Iterator[Message]:
    """Says for each track in which of those that were looked at together it was found; ``first`` is the line of the first of them."""
    for track in found:
        yield {**track, "fed": first + owner(tracks, track)}


def owner(tracks: Sequence[FedTrack], found: Message) -> int:
    """The track whose box overlaps most with what was found, in its first frame; of sound, the one that shares most of its time."""
    first = found["detections"][0]
    if not (first["width"] > 0 and first["height"] > 0):
        scores = [_shared_time(track, found) for track in tracks]
    else:
        scores = [
            max([_overlap(box, first) for box in track.detections if box.frame == first["frame"]], default=-1.0)
            for track in tracks
        ]
    return max(range(len(tracks)), key=lambda index: scores[index])


def _shared_time(track: FedTrack, found: Message) -> float:
    if "startTime" not in found:
        return 0.0
    start, stop = float(found["startTime"]), float(found["stopTime"])
    return max(0.0, min(track.stop_time, stop) - max(track.start_time, start) + 1)


def _overlap(fed: Detection, found: Message) -> float:
    """Area of the intersection over area of the union."""
    x, y, w, h = (float(found[name]) for name in ("x", "y", "width", "height"))
    width = min(fed.x + fed.width, x + w) - max(fed.x, x)
    height = min(fed.y + fed.height, y + h) - max(fed.y, y)
    if width <= 0 or height <= 0:
        return 0.0
    return width * height / (fed.width * fed.height + w * h - width * height)


def given_back(found: Iterator[Message], first: int, tracks: Sequence[FedTrack]) -> Iterator[Message]:
    """All tracks that were looked at together, in order: each with the properties of the best that was found in it."""
    best: dict[int, Message] = {}
    for track in found:
        before = best.get(track["fed"])
        if before is None or track["confidence"] > before["confidence"]:
            best[track["fed"]] = track
    for line, fed in enumerate(tracks, first):
        itself = annotated(fed, line, {}, None, keeps_type=True)
        yield itself if line not in best else _annotated_by(itself, best[line])


def _annotated_by(itself: Message, found: Message) -> Message:
    """Of pictures, a detection takes what was found in its frame; sound and documents are one as a whole."""
    more = _own(found["properties"])
    by_frame = {one["frame"]: _own(one["properties"]) for one in found["detections"]}
    whole = all(one["width"] == 0 and one["height"] == 0 for one in found["detections"])
    detections = [
        {**one, "properties": {**one["properties"], **(more if whole else by_frame.get(one["frame"], {}))}}
        for one in itself["detections"]
    ]
    return {**itself, "properties": {**itself["properties"], **more}, "detections": detections}


def _own(properties: Mapping[str, str]) -> dict[str, str]:
    """How a found box lies is not said of the fed one."""
    return {name: value for name, value in properties.items() if name not in ORIENTATION}
