"""What a detector is given and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .properties import Properties

if TYPE_CHECKING:
    from .context import Context

#: Samples a second of the sound that detectors get.
SAMPLE_RATE = 16_000


@dataclass(frozen=True)
class Frame:
    """An upright picture; of a track that is fed forward, the part that is to be looked at."""

    #: Number of the frame within the medium; 0 for an image.
    index: int
    #: Milliseconds from the start of the medium.
    time: float
    width: int
    height: int
    #: RGB, ``width * height * 3`` bytes, row by row from the top left.
    data: bytes
    #: Read only to warm up, before the range of the sub-job: learn from it, report nothing.
    warm_up: bool = False

    def array(self) -> Any:
        """The pixels as a numpy array of the shape (height, width, 3), RGB; numpy must be installed."""
        import numpy

        return numpy.frombuffer(self.data, numpy.uint8).reshape(self.height, self.width, 3)

    def picture(self) -> Any:
        """The frame as a picture of Pillow, which must be installed."""
        from PIL import Image

        return Image.frombytes("RGB", (self.width, self.height), self.data)


@dataclass
class Detection:
    """A box in the pixels of the frame it was found in.

    With a property ROTATION it is turned by so many degrees, counter-clockwise, around its corner x, y.
    """

    frame: int
    x: float
    y: float
    width: float
    height: float
    #: -1: the detector gives none.
    confidence: float = -1.0
    properties: Mapping[str, object] = field(default_factory=dict)


@dataclass
class Track:
    """What was found in pictures: at least one detection, at most one a frame."""

    detections: Sequence[Detection]
    #: That of the best detection when it is left out.
    confidence: float | None = None
    properties: Mapping[str, object] = field(default_factory=dict)
    #: Frames of the first and the last detection when they are left out.
    start_frame: int | None = None
    stop_frame: int | None = None
    #: The algorithm's own track type when it is left out.
    type: str | None = None


@dataclass
class Sound:
    """A stretch of sound, in milliseconds of the medium."""

    start_time: float
    stop_time: float
    confidence: float = -1.0
    properties: Mapping[str, object] = field(default_factory=dict)
    type: str | None = None


@dataclass
class Finding:
    """Something in a document, or in any other medium that is no picture and no sound."""

    properties: Mapping[str, object] = field(default_factory=dict)
    confidence: float = -1.0
    type: str | None = None


@dataclass
class Remark:
    """What a detector says of a track that it was fed: properties that come to those of the track and of its detections."""

    properties: Mapping[str, object] = field(default_factory=dict)
    #: The track's own when it is left out.
    confidence: float | None = None


@dataclass(frozen=True)
class FedTrack:
    """A track of an earlier task that is worked on; ``detections`` are those that are to be looked at."""

    task: int
    line: int
    type: str
    start_frame: int
    stop_frame: int
    start_time: float
    stop_time: float
    confidence: float
    properties: Properties
    detections: tuple[Detection, ...]
    #: As it came.
    message: Mapping[str, Any]


@dataclass(frozen=True)
class Medium:
    media_id: int
    #: VIDEO, IMAGE, AUDIO or UNKNOWN.
    media_type: str
    mime_type: str
    #: Frames of a video, 1 for an image, else -1.
    length: int
    #: Frames a second of a video; 0 when that is unknown.
    fps: float
    metadata: Properties
    #: False: length, rate and metadata are only what the client said.
    inspected: bool


class Job:
    """The sub-job in hand."""

    def __init__(self, context: Context, algorithm: str, medium: Medium, properties: Properties) -> None:
        self._context = context
        self.algorithm = algorithm
        self.medium = medium
        #: In force for this sub-job, complete with defaults; some may be secret, so do not log them.
        self.properties = properties
        #: The track that is worked on, when tracks are fed forward one by one.
        self.fed: FedTrack | None = None
        #: All tracks, when they are fed forward together (FEED_FORWARD_ALL_TRACKS).
        self.all_fed: Sequence[FedTrack] | None = None

    @property
    def id(self) -> str:
        return self._context.id

    @property
    def traceparent(self) -> str | None:
        """The trace of the job, as a header of W3C Trace Context, for requests to other services. None: there is none."""
        return self._context.traceparent

    @property
    def cancelled(self) -> bool:
        """The result is not wanted any more. A detector that loops without asking for frames looks at it, or calls ``check``."""
        return self._context.cancelled

    def check(self) -> None:
        """Raises ``Cancelled`` when the result is not wanted any more."""
        self._context.check()

    def progress(self, done: float, total: float = 0) -> None:
        """``done`` must grow for the server to see that the detector gets anywhere. Frames and sound count by themselves."""
        self._context.progress(done, total)

    def warn(self, message: str) -> None:
        """Tells of a part of the medium that could not be looked at: a warning of the medium in the detection document."""
        self._context.warn(message)


class VideoSource:
    """The frames of a video that this sub-job is about, sampled, turned and cut as the properties say."""

    def __init__(self, size: tuple[int, int], fps: float, bounds: tuple[int, int], frames: Callable[[], Iterator[Frame]]) -> None:
        #: Size of the frames; of regions that are fed forward the largest, for each frame has its own.
        self.width, self.height = size
        self.fps = fps
        #: The frames to report on, both ends included.
        self.start, self.stop = bounds
        self._frames = frames

    def __iter__(self) -> Iterator[Frame]:
        return self._frames()

    def batches(self, size: int) -> Iterator[list[Frame]]:
        """The same frames, up to ``size`` at a time, for networks that look at several at once."""
        batch: list[Frame] = []
        for frame in self:
            batch.append(frame)
            if len(batch) >= size:
                yield batch
                batch = []
        if batch:
            yield batch


class AudioSource:
    """Mono sound, 16,000 samples a second, as 16-bit numbers in chunks of ``array.array('h')``."""

    def __init__(self, start_time: float, chunks: Callable[[], Iterable[Any]]) -> None:
        #: Milliseconds at which the first sample lies.
        self.start_time = start_time
        self.rate = SAMPLE_RATE
        self._chunks = chunks

    def __iter__(self) -> Iterator[Any]:
        return iter(self._chunks())


class Document:
    """A medium that is no picture and no sound."""

    def __init__(
        self,
        path: str,
        mime_type: str,
        output_folder: str,
        working: Callable[[], None],
        pages: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        #: Absolute path of its file.
        self.path = path
        self.mime_type = mime_type
        #: A folder of this sub-job's own for files that are made of the document; it exists.
        self.output_folder = output_folder
        #: To be called while nothing is found for long; each finding tells that it goes on as well.
        self.working = working
        self._pages = pages
        #: Whether pages were chosen and the detector has not asked for them.
        self.ignores_pages = pages is not None

    @property
    def pages(self) -> Sequence[tuple[int, int]] | None:
        """The pages to look at, from 1, first and last of each range, ascending; None: all. Who does not ask is warned of."""
        self.ignores_pages = False
        return self._pages
