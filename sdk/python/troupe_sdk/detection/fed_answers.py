"""Assignment of results to fed tracks, and fed tracks with added properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model import Detection, FedTrack
from .report import ORIENTATION, Message, annotated


def by_owner(found: Iterator[Message], first: int, tracks: Sequence[FedTrack]) -> Iterator[Message]:
    """Adds the input line of its fed track to each result. ``first``: line of the first of the fed tracks."""
    for track in found:
        yield {**track, "fed": first + owner(tracks, track)}


def owner(tracks: Sequence[FedTrack], found: Message) -> int:
    """Returns the index of the fed track to which a result belongs.

    Its box overlaps most with the first detection of the result. For a result without a box, such as sound, it shares most time.
    """
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
    """Returns the area of the intersection divided by the area of the union."""
    x, y, w, h = (float(found[name]) for name in ("x", "y", "width", "height"))
    width = min(fed.x + fed.width, x + w) - max(fed.x, x)
    height = min(fed.y + fed.height, y + h) - max(fed.y, y)
    if width <= 0 or height <= 0:
        return 0.0
    return width * height / (fed.width * fed.height + w * h - width * height)


def given_back(found: Iterator[Message], first: int, tracks: Sequence[FedTrack]) -> Iterator[Message]:
    """Yields all fed tracks in order, each with the properties of its result with the highest confidence."""
    best: dict[int, Message] = {}
    for track in found:
        before = best.get(track["fed"])
        if before is None or track["confidence"] > before["confidence"]:
            best[track["fed"]] = track
    for line, fed in enumerate(tracks, first):
        itself = annotated(fed, line, {}, None, keeps_type=True)
        yield itself if line not in best else _annotated_by(itself, best[line])


def _annotated_by(itself: Message, found: Message) -> Message:
    """Returns the fed track with added properties. Detections get those of their frame; without boxes, those of the result."""
    more = _own(found["properties"])
    by_frame = {one["frame"]: _own(one["properties"]) for one in found["detections"]}
    whole = all(one["width"] == 0 and one["height"] == 0 for one in found["detections"])
    detections = [
        {**one, "properties": {**one["properties"], **(more if whole else by_frame.get(one["frame"], {}))}}
        for one in itself["detections"]
    ]
    return {**itself, "properties": {**itself["properties"], **more}, "detections": detections}


def _own(properties: Mapping[str, str]) -> dict[str, str]:
    """Returns the properties without the orientation of the found box, which is not that of the fed box."""
    return {name: value for name, value in properties.items() if name not in ORIENTATION}
