"""Parts of frames that are processed when tracks are fed forward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model import Detection, FedTrack
from ..properties import Properties
from .geometry import Placed, Size, View, box_around, orientation_of, region_view
from .orientation import picture_view


def frames_of(tracks: Sequence[FedTrack]) -> list[int]:
    """Returns the frames in which the tracks have detections, ascending, each once."""
    return sorted({detection.frame for track in tracks for detection in track.detections})


def fed_views(
    tracks: Sequence[FedTrack], kind: str, properties: Properties, metadata: Mapping[str, str], size: Size
) -> dict[int, View]:
    """Returns the views by frame, ascending, for tracks that are processed together.

    FRAME: whole frames, rotated as the properties say. REGION: the upright box of a detection; one box around the detections of
    several tracks in a frame. SUPERSET_REGION: one box around all detections. For regions, frames are omitted if none of their
    boxes overlaps the picture.
    """
    if kind == "FRAME":
        whole = picture_view(properties, metadata, size, with_region=False)
        return dict.fromkeys(frames_of(tracks), whole)
    boxes = _boxes_by_frame(tracks, size)
    if kind == "SUPERSET_REGION":
        every = [box for there in boxes.values() for box in there]
        around = region_view(box_around(every), size) if every else None
        return {} if around is None else dict.fromkeys(boxes, around)
    views = {frame: region_view(box_around(there), size) for frame, there in boxes.items()}
    return {frame: view for frame, view in views.items() if view is not None}


def _boxes_by_frame(tracks: Sequence[FedTrack], size: Size) -> dict[int, list[Placed]]:
    boxes: dict[int, list[Placed]] = {}
    for track in tracks:
        for detection in track.detections:
            box = placed(detection)
            if region_view(box, size) is not None:
                boxes.setdefault(detection.frame, []).append(box)
    return dict(sorted(boxes.items()))


def placed(detection: Detection) -> Placed:
    rotation, flip = orientation_of(detection.properties)
    return Placed(detection.x, detection.y, detection.width, detection.height, rotation, flip)


def largest(views: Mapping[int, View]) -> tuple[int, int]:
    """Returns the largest width and the largest height of the views, in pixels."""
    return max(view.region.width for view in views.values()), max(view.region.height for view in views.values())


def view_at(views: Mapping[int, View], frame: int) -> View:
    """Returns the view of a frame. If it has none, this is that of the nearest earlier frame, or else the first view."""
    before = [known for known in views if known <= frame]
    return views[max(before) if before else min(views)]
