"""The class that a detector is."""

from __future__ import annotations

from collections.abc import Iterable

from .model import AudioSource, Document, FedTrack, Finding, Frame, Job, Remark, Sound, Track, VideoSource


class Detector:
    """One object a process; one call at a time.

    A detector overrides the methods of the kinds of media that it knows; those of others fail with UNSUPPORTED_DATA_TYPE. Each
    method yields what it finds, or answers a list of it. Models are loaded in ``__init__``. The media are opened, turned, cut and
    counted by the SDK, and boxes are put back into the pixels of the medium.
    """

    def video(self, video: VideoSource, job: Job) -> Iterable[Track]:
        raise NotImplementedError

    def image(self, frame: Frame, job: Job) -> Iterable[Track]:
        raise NotImplementedError

    def audio(self, audio: AudioSource, job: Job) -> Iterable[Sound]:
        """Of a video without ``video``, its sound."""
        raise NotImplementedError

    def generic(self, document: Document, job: Job) -> Iterable[Finding]:
        raise NotImplementedError

    def fed(self, track: FedTrack, job: Job) -> Iterable[Remark]:
        """Says something of a track without a look at the medium.

        A detector that has it is asked this way whenever tracks are fed forward, for media of all types.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Frees what ``__init__`` has loaded; the process ends soon after."""

    def knows(self, method: str) -> bool:
        """Whether the detector overrides this method."""
        return getattr(type(self), method, None) is not getattr(Detector, method)
