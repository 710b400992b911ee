"""The base class of detectors."""

from __future__ import annotations

from collections.abc import Iterable

from .model import AudioSource, Document, FedTrack, Finding, Frame, Job, Remark, Sound, Track, VideoSource


class Detector:
    """Base class of a detector. Each process has one object, and calls one method at a time.

    A detector overrides the methods for the types of media that it can process. Other media fail with UNSUPPORTED_DATA_TYPE.
    Each method yields its results or returns a list of them. Load models in ``__init__``.

    The SDK opens the media, and samples, rotates and crops their frames. It converts boxes from pixels of a frame to pixels of
    the stored medium.
    """

    def video(self, video: VideoSource, job: Job) -> Iterable[Track]:
        """Yields the tracks in the frames of a video. Boxes are in pixels of their frames."""
        raise NotImplementedError

    def image(self, frame: Frame, job: Job) -> Iterable[Track]:
        """Yields the tracks in a picture. Their detections are in frame 0, with boxes in pixels of ``frame``."""
        raise NotImplementedError

    def audio(self, audio: AudioSource, job: Job) -> Iterable[Sound]:
        """Yields the sounds found, in milliseconds of the medium. Gets the sound of a video if there is no method ``video``."""
        raise NotImplementedError

    def generic(self, document: Document, job: Job) -> Iterable[Finding]:
        """Yields the findings in a document, or in another medium that is neither picture nor sound."""
        raise NotImplementedError

    def fed(self, track: FedTrack, job: Job) -> Iterable[Remark]:
        """Yields properties for a track of an earlier task, without reading its medium.

        If a detector overrides this method, it is called for all fed tracks, whatever the type of their medium.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Frees what ``__init__`` has loaded. The process ends soon afterwards."""

    def knows(self, method: str) -> bool:
        """True if the detector overrides this method."""
        return getattr(type(self), method, None) is not getattr(Detector, method)
