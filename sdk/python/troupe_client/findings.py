"""What a detection document has, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypedDict

from .types import Detection, DetectionMedium, DetectionOutputObject, Track

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]


class FoundTrack(TypedDict):
    """A track with the places that it is in."""

    medium: DetectionMedium
    action: str
    algorithm: str
    type: str
    track: Track


class Row(TypedDict):
    """One detection. Times are milliseconds, boxes are pixels of the medium as it is stored."""

    jobId: str
    mediaId: int
    path: str
    action: str
    algorithm: str
    type: str
    classification: str | None
    trackId: str
    frame: int
    time: int
    x: int
    y: int
    width: int
    height: int
    confidence: float
    isExemplar: bool


#: The columns of a table of detections.
COLUMNS = tuple(Row.__annotations__)


def tracks(document: DetectionOutputObject) -> Iterator[FoundTrack]:
    """All tracks of a document: medium by medium, type by type, as the document has them."""
    for medium in document["media"]:
        for track_type, entries in medium["output"].items():
            for entry in entries:
                for track in entry.get("tracks", []):
                    yield {
                        "medium": medium,
                        "action": entry["source"],
                        "algorithm": entry["algorithm"],
                        "type": track_type,
                        "track": track,
                    }


def rows(document: DetectionOutputObject) -> Iterator[Row]:
    """A row for each detection of each track."""
    for found in tracks(document):
        track = found["track"]
        for detection in track["detections"]:
            yield _row(document, found, track, detection)


def frame(document: DetectionOutputObject) -> pandas.DataFrame:
    """The same as a frame of pandas, which must be installed. Without detections it has its columns and no rows."""
    try:
        import pandas
    except ImportError:
        raise ImportError("pandas is not installed: pip install pandas, or use rows() in place of frame().") from None
    return pandas.DataFrame(list(rows(document)), columns=list(COLUMNS))


def _row(document: DetectionOutputObject, found: FoundTrack, track: Track, detection: Detection) -> Row:
    medium = found["medium"]
    properties: dict[str, Any] = {**track["trackProperties"], **detection["detectionProperties"]}
    return {
        "jobId": document["jobId"],
        "mediaId": medium["mediaId"],
        "path": medium["path"],
        "action": found["action"],
        "algorithm": found["algorithm"],
        "type": found["type"],
        "classification": properties.get("CLASSIFICATION"),
        "trackId": track["id"],
        "frame": detection["offsetFrame"],
        "time": detection["offsetTime"],
        "x": detection["x"],
        "y": detection["y"],
        "width": detection["width"],
        "height": detection["height"],
        "confidence": detection["confidence"],
        "isExemplar": detection["offsetFrame"] == track["exemplar"]["offsetFrame"],
    }
