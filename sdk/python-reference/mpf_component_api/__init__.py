"""Names that components for the reference system's Python API import: jobs, results and errors."""

from __future__ import annotations

import enum
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional

#: Names of mappings that older components create.
Properties = dict
FrameLocationMap = dict


@dataclass
class ImageLocation:
    x_left_upper: int
    y_left_upper: int
    width: int
    height: int
    confidence: float = -1
    detection_properties: dict[str, str] = field(default_factory=dict)


@dataclass
class VideoTrack:
    start_frame: int
    stop_frame: int
    confidence: float = -1
    frame_locations: dict[int, ImageLocation] = field(default_factory=dict)
    detection_properties: dict[str, str] = field(default_factory=dict)


@dataclass
class AudioTrack:
    start_time: int
    stop_time: int
    confidence: float = -1
    detection_properties: dict[str, str] = field(default_factory=dict)


@dataclass
class GenericTrack:
    confidence: float = -1
    detection_properties: dict[str, str] = field(default_factory=dict)


class VideoJob(NamedTuple):
    job_name: str
    data_uri: str
    start_frame: int
    stop_frame: int
    job_properties: Mapping[str, str]
    media_properties: Mapping[str, str]
    feed_forward_track: Optional[VideoTrack] = None  # noqa: UP045 - evaluated by Python 3.9


class AllVideoTracksJob(NamedTuple):
    job_name: str
    data_uri: str
    start_frame: int
    stop_frame: int
    job_properties: Mapping[str, str]
    media_properties: Mapping[str, str]
    feed_forward_tracks: Optional[Sequence[VideoTrack]] = None  # noqa: UP045


class ImageJob(NamedTuple):
    job_name: str
    data_uri: str
    job_properties: Mapping[str, str]
    media_properties: Mapping[str, str]
    feed_forward_location: Optional[ImageLocation] = None  # noqa: UP045


class AllImageLocationsJob(NamedTuple):
    job_name: str
    data_uri: str
    job_properties: Mapping[str, str]
    media_properties: Mapping[str, str]
    feed_forward_locations: Optional[Sequence[ImageLocation]] = None  # noqa: UP045


class AudioJob(NamedTuple):
    job_name: str
    data_uri: str
    #: Milliseconds. A ``stop_time`` of -1 means the end of the sound.
    start_time: int
    stop_time: int
    job_properties: Mapping[str, str]
    media_properties: Mapping[str, str]
    feed_forward_track: Optional[AudioTrack] = None  # noqa: UP045


class AllAudioTracksJob(NamedTuple):
    job_name: str
    data_uri: str
    start_time: int
    stop_time: int
    job_properties: Mapping[str, str]
    media_properties: Mapping[str, str]
    feed_forward_tracks: Optional[Sequence[AudioTrack]] = None  # noqa: UP045


class GenericJob(NamedTuple):
    job_name: str
    data_uri: str
    job_properties: Mapping[str, str]
    media_properties: Mapping[str, str]
    feed_forward_track: Optional[GenericTrack] = None  # noqa: UP045


class AllGenericTracksJob(NamedTuple):
    job_name: str
    data_uri: str
    job_properties: Mapping[str, str]
    media_properties: Mapping[str, str]
    feed_forward_tracks: Optional[Sequence[GenericTrack]] = None  # noqa: UP045


class DetectionError(enum.IntEnum):
    DETECTION_SUCCESS = 0
    OTHER_DETECTION_ERROR_TYPE = 1
    DETECTION_NOT_INITIALIZED = 2
    UNSUPPORTED_DATA_TYPE = 3
    COULD_NOT_OPEN_DATAFILE = 4
    COULD_NOT_READ_DATAFILE = 5
    FILE_WRITE_ERROR = 6
    BAD_FRAME_SIZE = 7
    DETECTION_FAILED = 8
    INVALID_PROPERTY = 9
    MISSING_PROPERTY = 10
    MEMORY_ALLOCATION_FAILED = 11
    GPU_ERROR = 12
    NETWORK_ERROR = 13
    COULD_NOT_OPEN_MEDIA = 14
    COULD_NOT_READ_MEDIA = 15
    # Names in older components.
    UNRECOGNIZED_DATA_TYPE = 3
    INVALID_DATAFILE_URI = 14
    IMAGE_READ_ERROR = 15
    BOUNDING_BOX_SIZE_ERROR = 8
    DETECTION_TRACKING_FAILED = 8
    INVALID_FRAME_INTERVAL = 9
    INVALID_START_FRAME = 9
    INVALID_STOP_FRAME = 9
    PROPERTY_IS_NOT_INT = 9
    PROPERTY_IS_NOT_FLOAT = 9
    INVALID_ROTATION = 9

    def exception(self, message: str) -> DetectionException:
        return DetectionException(message, self)


class DetectionException(Exception):
    error_code: DetectionError

    def __init__(self, message: str, error_code: Any = DetectionError.OTHER_DETECTION_ERROR_TYPE, *args: Any) -> None:
        super().__init__(message, error_code, *args)
        known = isinstance(error_code, DetectionError)
        self.error_code = error_code if known else DetectionError.OTHER_DETECTION_ERROR_TYPE

    def __str__(self) -> str:
        return f"{self.args[0]} (DetectionError.{self.error_code.name})"


def configure_logging(log_file_name: str, debug: bool = False, replace_existing_config: bool = False) -> logging.Logger:
    """Configures logging to standard error instead of a file, and returns a logger."""
    named = logging.getLevelName(os.environ.get("LOG_LEVEL", "").upper())
    level = named if isinstance(named, int) else logging.DEBUG if debug else logging.INFO
    form = "%(asctime)s %(levelname)-5s [%(filename)s:%(lineno)d] - %(message)s"
    logging.basicConfig(format=form, level=level, stream=sys.stderr, force=replace_existing_config)
    return logging.getLogger(os.path.splitext(os.path.basename(log_file_name or ""))[0] or "component")
