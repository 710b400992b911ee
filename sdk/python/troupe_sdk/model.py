"""Inputs and results of a detector."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .properties import Properties

if TYPE_CHECKING:
    from .context import Context

#: Samples per second of the sound that detectors receive.
SAMPLE_RATE = 16_000


@dataclass(frozen=True)
class Frame:
    """An upright picture: sampled, rotated and cropped as the properties say. For a fed track, it can be the region of the track."""

    #: Number of the frame in the medium, from 0; 0 for an image.
    index: int
    #: Milliseconds from the start of the medium.
    time: float
    #: Width and height in pixels.
    width: int
    height: int
    #: RGB, ``width * height * 3`` bytes, row by row from the top left.
    data: bytes
    #: True for a frame before the range of the sub-job: learn from it, but report nothing.
    warm_up: bool = False

    def array(self) -> Any:
        """Returns the pixels as a numpy array of the shape (height, width, 3), RGB, ``uint8``. It is read-only.

        Raises ImportError if numpy is not installed.
        """
        import numpy

        return numpy.frombuffer(self.data, numpy.uint8).reshape(self.height, self.width, 3)

    def picture(self) -> Any:
        """Returns the frame as an RGB image of Pillow. Raises ImportError if Pillow is not installed."""
        from PIL import Image

        return Image.frombytes("RGB", (self.width, self.height), self.data)


@dataclass
class Detection:
    """A box in pixels of the frame in which it was found, with the origin at the top left.

    With the property ROTATION, the box is rotated by this number of degrees counter-clockwise around its corner (x, y).
    """

    #: Number of the frame, as in ``Frame.index``.
    frame: int
    x: float
    y: float
    width: float
    height: float
    #: -1 if the detector has none.
    confidence: float = -1.0
    properties: Mapping[str, object] = field(default_factory=dict)


@dataclass
class Track:
    """An object in one or more frames."""

    #: At least one, and at most one for each frame. The frames ascend.
    detections: Sequence[Detection]
    #: None: the highest confidence of the detections.
    confidence: float | None = None
    properties: Mapping[str, object] = field(default_factory=dict)
    #: First and last frame of the track. None: those of the first and last detection.
    start_frame: int | None = None
    stop_frame: int | None = None
    #: Track type. None: that of the algorithm.
    type: str | None = None


@dataclass
class Sound:
    """A stretch of sound, in milliseconds from the start of the medium."""

    start_time: float
    stop_time: float
    confidence: float = -1.0
    properties: Mapping[str, object] = field(default_factory=dict)
    type: str | None = None


@dataclass
class Finding:
    """A finding in a document, or in another medium that is neither picture nor sound."""

    properties: Mapping[str, object] = field(default_factory=dict)
    confidence: float = -1.0
    type: str | None = None


@dataclass
class Remark:
    """Result for a fed track: properties that are added to those of the track and of its detections."""

    properties: Mapping[str, object] = field(default_factory=dict)
    #: New confidence of the track and its detections. None: theirs stays.
    confidence: float | None = None


@dataclass(frozen=True)
class FedTrack:
    """A track of an earlier task that this sub-job processes.

    Times are in milliseconds, and boxes in pixels of the stored medium. ``detections`` are those to process.
    """

    #: Index of the task that found the track; -1 for a text of a media selector.
    task: int
    #: Number of the track among those of that task and medium.
    line: int
    type: str
    start_frame: int
    stop_frame: int
    start_time: float
    stop_time: float
    confidence: float
    properties: Properties
    detections: tuple[Detection, ...]
    #: The track as the server sent it.
    message: Mapping[str, Any]


@dataclass(frozen=True)
class Medium:
    media_id: int
    #: VIDEO, IMAGE, AUDIO or UNKNOWN.
    media_type: str
    mime_type: str
    #: Number of frames of a video; 1 for an image, else -1.
    length: int
    #: Frames per second of a video; 0 if unknown.
    fps: float
    metadata: Properties
    #: False if length, rate and metadata come from the client, and the server did not check them.
    inspected: bool


class Job:
    """The current sub-job: its medium, its properties and its fed tracks."""

    def __init__(self, context: Context, algorithm: str, medium: Medium, properties: Properties) -> None:
        self._context = context
        self.algorithm = algorithm
        self.medium = medium
        #: Effective properties of this sub-job, with defaults. Some may be secret, so do not log them.
        self.properties = properties
        #: The track to process if tracks are fed one by one, else None.
        self.fed: FedTrack | None = None
        #: All tracks if they are fed together (FEED_FORWARD_ALL_TRACKS), else None.
        self.all_fed: Sequence[FedTrack] | None = None

    @property
    def id(self) -> str:
        return self._context.id

    @property
    def traceparent(self) -> str | None:
        """Trace of the job, as a header of W3C Trace Context for requests to other services; None if there is no trace."""
        return self._context.traceparent

    @property
    def cancelled(self) -> bool:
        """True if the result is no longer needed. A loop that reads no frames must test this, or call ``check``."""
        return self._context.cancelled

    def check(self) -> None:
        """Raises ``Cancelled`` if the result is no longer needed."""
        self._context.check()

    def progress(self, done: float, total: float = 0) -> None:
        """Reports that ``done`` of ``total`` units are processed. A total of 0 is unknown. Frames and sound count without it.

        If ``done`` does not grow for two minutes (SILENCE_MS), the server takes the sub-job back and counts an attempt.
        """
        self._context.progress(done, total)

    def warn(self, message: str) -> None:
        """Adds a warning to the detection document, about a part of the medium that could not be processed.

        Each sub-job keeps at most 20 different warnings of at most 4,000 characters.
        """
        self._context.warn(message)


class VideoSource:
    """Iterable frames of a video for this sub-job: sampled, rotated and cropped as the properties say."""

    def __init__(self, size: tuple[int, int], fps: float, bounds: tuple[int, int], frames: Callable[[], Iterator[Frame]]) -> None:
        #: Size of the frames in pixels. Fed regions differ in size: then the largest width and the largest height.
        self.width, self.height = size
        #: Frames per second of the medium; 0 if unknown.
        self.fps = fps
        #: First and last frame to report on, both included.
        self.start, self.stop = bounds
        self._frames = frames

    def __iter__(self) -> Iterator[Frame]:
        return self._frames()

    def batches(self, size: int) -> Iterator[list[Frame]]:
        """Yields the same frames in lists of up to ``size``, for models that process several frames together."""
        batch: list[Frame] = []
        for frame in self:
            batch.append(frame)
            if len(batch) >= size:
                yield batch
                batch = []
        if batch:
            yield batch


class AudioSource:
    """Iterable chunks of sound: ``array.array('h')`` with 16-bit samples, mono, 16,000 samples per second."""

    def __init__(self, start_time: float, chunks: Callable[[], Iterable[Any]]) -> None:
        #: Time of the first sample, in milliseconds from the start of the medium.
        self.start_time = start_time
        self.rate = SAMPLE_RATE
        self._chunks = chunks

    def __iter__(self) -> Iterator[Any]:
        return iter(self._chunks())


class Document:
    """A document, or another medium that is neither picture nor sound."""

    def __init__(
        self,
        path: str,
        mime_type: str,
        output_folder: str,
        working: Callable[[], None],
        pages: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        #: Absolute path of the file.
        self.path = path
        self.mime_type = mime_type
        #: Existing folder for files that are made of the document. Only this sub-job uses it.
        self.output_folder = output_folder
        #: Function to call during long work without findings. It reports progress, as each finding does, and raises
        #: ``Cancelled`` if the result is no longer needed.
        self.working = working
        self._pages = pages
        #: True if the job selects pages and the detector has not read ``pages``.
        self.ignores_pages = pages is not None

    @property
    def pages(self) -> Sequence[tuple[int, int]] | None:
        """Ranges of pages to process, as ascending pairs of first and last page, from 1; None: all pages.

        If the job selects pages and the detector does not read this, the medium gets a warning.
        """
        self.ignores_pages = False
        return self._pages
