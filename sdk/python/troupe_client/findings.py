"""Tracks and detections of a detection document, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypedDict

from .types import Detection, DetectionMedium, DetectionOutputObject, Track

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]


class FoundTrack(TypedDict):
    """A track with its medium, action, algorithm and type."""

    medium: DetectionMedium
    action: str
    algorithm: str
    type: str
    track: Track


class Row(TypedDict):
    """One detection. Times are in milliseconds, boxes in pixels of the stored medium."""

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
    """Yields all tracks of a document, by medium and type, in the order of the document."""
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
    """Yields a row for each detection of each track."""
    for found in tracks(document):
        track = found["track"]
        for detection in track["detections"]:
            yield _row(document, found, track, detection)


def frame(document: DetectionOutputObject) -> pandas.DataFrame:
    """Returns all rows as a DataFrame of pandas; without detections, only its columns. Raises ImportError without pandas."""
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
