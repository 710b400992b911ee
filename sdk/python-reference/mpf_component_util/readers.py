"""Readers of pictures and videos: sampled, rotated and cropped as the job says. Results are converted to the stored medium."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from troupe_sdk.media.images import read_image
from troupe_sdk.media.sampling import Sampling, sampling_of, single_frames
from troupe_sdk.media.video import VideoReader, open_video
from troupe_sdk.model import Detection, FedTrack, Frame, Medium
from troupe_sdk.picture.geometry import Size as SourceSize
from troupe_sdk.picture.geometry import View, box_to_medium
from troupe_sdk.picture.orientation import picture_view
from troupe_sdk.picture.pixels import fill_of, seen
from troupe_sdk.picture.views import fed_views, view_at
from troupe_sdk.properties import Properties

from .utils import Size

#: Properties for showing a picture as it is stored.
AS_IT_IS = Properties({})


def _array(frame: Frame) -> Any:
    """Returns the pixels as an array of the shape (height, width, 3) in the order blue, green, red, as OpenCV does."""
    return frame.array()[:, :, ::-1].copy()


def _put_back(location: Any, view: View) -> None:
    box = box_to_medium(view, location.x_left_upper, location.y_left_upper, location.width, location.height)
    location.x_left_upper, location.y_left_upper = int(box.x), int(box.y)
    location.width, location.height = int(box.width), int(box.height)
    said = location.detection_properties
    if box.rotation != 0:
        said["ROTATION"] = format((float(said.get("ROTATION", 0) or 0) + box.rotation) % 360, "g")
    if box.flip:
        said["HORIZONTAL_FLIP"] = "true"


def _task() -> Any | None:
    """Returns the current sub-job, or None in the tests of a component."""
    try:
        return importlib.import_module("troupe_reference.current").task
    except ImportError:
        return None


def _fed(locations: dict[int, Any]) -> FedTrack:
    detections = tuple(
        Detection(
            frame, one.x_left_upper, one.y_left_upper, one.width, one.height, one.confidence, dict(one.detection_properties)
        )
        for frame, one in sorted(locations.items())
    )
    frames = sorted(locations)
    return FedTrack(0, 0, "", frames[0], frames[-1], 0, 0, -1, AS_IT_IS, detections, {})


def _views(job: Any, size: SourceSize, locations: dict[int, Any] | None, transformed: bool) -> dict[int, View]:
    """Returns the views by frame for regions of a fed track; else one view for frame 0."""
    properties = Properties(job.job_properties) if transformed else AS_IT_IS
    kind = properties.get("FEED_FORWARD_TYPE", "NONE").upper()
    if locations and kind in ("REGION", "SUPERSET_REGION"):
        views = fed_views([_fed(locations)], kind, properties, job.media_properties, size)
        if views:
            return views
    return {0: picture_view(properties, job.media_properties, size, with_region=not locations)}


class ImageReader:
    def __init__(self, image_job: Any) -> None:
        task = _task()
        width, height, data = task.read_image() if task is not None else read_image(image_job.data_uri)
        location = image_job.feed_forward_location
        views = _views(image_job, SourceSize(width, height), None if location is None else {0: location}, True)
        self._view = next(iter(views.values()))
        fill = fill_of(image_job.job_properties.get("ROTATION_FILL_COLOR", ""))
        self._image = _array(seen(self._view, Frame(0, 0, width, height, data), fill))

    def get_image(self) -> Any:
        return self._image

    def reverse_transform(self, image_location: Any) -> None:
        _put_back(image_location, self._view)


class ImageReaderMixin:
    def get_detections_from_image(self, image_job: Any) -> Iterator[Any]:
        reader = ImageReader(image_job)
        for location in self.get_detections_from_image_reader(image_job, reader):
            reader.reverse_transform(location)
            yield location

    def get_detections_from_image_reader(self, image_job: Any, image_reader: ImageReader) -> Any:
        raise NotImplementedError


class VideoCapture:
    """Reader of the frames of a segment. They are numbered from 0, without the frames that are left out."""

    def __init__(self, video_job: Any, enable_frame_transformers: bool = True, enable_frame_filtering: bool = True) -> None:
        self._job = video_job
        self._medium = self._medium_of(video_job)
        self._sampling = self._sampling_of(video_job, enable_frame_filtering)
        self._shows_fed = enable_frame_filtering and video_job.feed_forward_track is not None
        self._numbers = list(self._sampling.wanted())
        self._transformed = enable_frame_transformers
        self._fill = fill_of(video_job.job_properties.get("ROTATION_FILL_COLOR", ""))
        self._position = 0
        self._views: dict[int, View] = {}
        self._reader: VideoReader | None = None
        self._frames: Iterator[Frame] = iter(())
        self._source = SourceSize(*self._open_at(0).size)
        locations = getattr(video_job.feed_forward_track, "frame_locations", None)
        self._views = _views(video_job, self._source, locations, enable_frame_transformers)

    @staticmethod
    def _medium_of(job: Any) -> Medium:
        task = _task()
        if task is not None:
            medium: Medium = task.medium
            return medium
        metadata = Properties(job.media_properties)
        return Medium(0, "VIDEO", "", metadata.integer("FRAME_COUNT", -1), metadata.number("FPS", 0), metadata, False)

    def _sampling_of(self, job: Any, filtered: bool) -> Sampling:
        track = job.feed_forward_track
        if not filtered:
            return sampling_of(AS_IT_IS, (0, max(0, self._medium.length - 1)), 0, self._medium.length)
        if track is not None:
            return single_frames(sorted(track.frame_locations))
        properties = Properties(job.job_properties)
        task = _task()
        if task is not None and task.range == (job.start_frame, job.stop_frame):
            sampling: Sampling = task.sampling(properties).without_key_frames()
            return sampling
        return sampling_of(properties, (job.start_frame, job.stop_frame), 0, self._medium.length).without_key_frames()

    def _open(self, sampling: Sampling) -> VideoReader:
        task = _task()
        if task is not None:
            reader: VideoReader = task.open_video(sampling)
            return reader
        return open_video(lambda: self._job.data_uri, sampling, self._medium)

    def _open_at(self, position: int) -> VideoReader:
        """Opens the video again at this position."""
        self.release()
        reader = self._open(single_frames(self._numbers[position:] or self._numbers[-1:] or [self._sampling.start]))
        self._reader, self._frames, self._position = reader, reader.frames(), position
        return reader

    def _following(self) -> Frame | None:
        """Returns the next frame, or None at the end. Damaged frames are skipped."""
        if self._position >= len(self._numbers):
            return None
        frame = next(self._frames, None)
        if frame is None:
            return None
        self._position = self._numbers.index(frame.index, self._position) + 1
        task = _task()
        if task is not None:
            task.context.check()
            task.context.step()
        return seen(self._view_of(frame.index), frame, self._fill)

    def _view_of(self, number: int) -> View:
        return view_at(self._views, number)

    def read(self) -> tuple[bool, Any]:
        frame = self._following()
        return (False, None) if frame is None else (True, _array(frame))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        was_read, frame = self.read()
        if not was_read:
            raise StopIteration
        return frame

    def is_opened(self) -> bool:
        return self._reader is not None

    def release(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader = None

    @property
    def frame_count(self) -> int:
        return len(self._numbers)

    @property
    def frame_rate(self) -> float:
        return self._medium.fps / max(1, self._sampling.interval)

    @property
    def frame_size(self) -> Size:
        number = self._numbers[min(max(0, self._position - 1), len(self._numbers) - 1)]
        region = self._view_of(number).region
        return Size(region.width, region.height)

    @property
    def original_frame_size(self) -> Size:
        return Size(*self._source)

    @property
    def current_frame_position(self) -> int:
        return self._position

    @property
    def current_time_in_millis(self) -> float:
        return self._position * 1000 / self.frame_rate if self.frame_rate > 0 else 0.0

    @property
    def frame_position_ratio(self) -> float:
        return self._position / len(self._numbers) if self._numbers else 0.0

    def set_frame_position(self, frame_index: int) -> bool:
        if not 0 <= frame_index < len(self._numbers):
            return False
        if frame_index != self._position:
            self._open_at(frame_index)
        return True

    def get_initialization_frames_if_available(self, num_requested_frames: int) -> list[Any]:
        """Returns up to this many frames before the segment, one interval apart; none for fed tracks."""
        if self._shows_fed or not self._numbers:
            return []
        first, interval = self._numbers[0], self._sampling.interval
        count = max(0, min(num_requested_frames, first // interval))
        if count == 0:
            return []
        reader = self._open(single_frames([first - back * interval for back in range(count, 0, -1)]))
        try:
            return [_array(seen(self._view_of(first), frame, self._fill)) for frame in reader.frames()]
        finally:
            reader.close()

    def reverse_transform(self, video_track: Any) -> None:
        """Converts frame numbers of the segment to those of the video, and boxes to pixels of the stored picture."""
        last = len(self._numbers) - 1
        number = [self._numbers[min(max(0, at), last)] for at in (video_track.start_frame, video_track.stop_frame)]
        video_track.start_frame, video_track.stop_frame = number
        placed = {}
        for at, location in sorted(video_track.frame_locations.items()):
            frame = self._numbers[min(max(0, at), last)]
            _put_back(location, self._view_of(frame))
            placed[frame] = location
        video_track.frame_locations = placed


class VideoCaptureMixin:
    def get_detections_from_video(self, video_job: Any) -> Iterator[Any]:
        capture = VideoCapture(video_job)
        try:
            for track in self.get_detections_from_video_capture(video_job, capture):
                capture.reverse_transform(track)
                yield track
        finally:
            capture.release()

    def get_detections_from_video_capture(self, video_job: Any, video_capture: VideoCapture) -> Any:
        raise NotImplementedError
