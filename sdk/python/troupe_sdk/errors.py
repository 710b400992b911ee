"""What can go wrong, and how it is told to the server."""

from __future__ import annotations

import os
import sysconfig
import traceback

#: Codes that a failed sub-job may have; the detection document shows them.
CODES = frozenset(
    {
        "DETECTION_FAILED",
        "DETECTION_NOT_INITIALIZED",
        "UNSUPPORTED_DATA_TYPE",
        "COULD_NOT_OPEN_MEDIA",
        "COULD_NOT_READ_MEDIA",
        "COULD_NOT_OPEN_DATAFILE",
        "COULD_NOT_READ_DATAFILE",
        "FILE_WRITE_ERROR",
        "BAD_FRAME_SIZE",
        "MISSING_PROPERTY",
        "INVALID_PROPERTY",
        "MEMORY_ALLOCATION_FAILED",
        "GPU_ERROR",
        "NETWORK_ERROR",
        "UNRECOGNIZED_DETECTION_ERROR",
        "OTHER",
        "LOCAL_STORAGE",
        "REMOTE_STORAGE_DOWNLOAD",
        "REMOTE_STORAGE_UPLOAD",
    }
)


class DetectionError(Exception):
    """Raise this to fail a sub-job with a code of its own; any other exception becomes DETECTION_FAILED.

    The message is read by the person who created the job, so it says what to do about it.
    """

    def __init__(self, code: str, message: str) -> None:
        if code not in CODES:
            raise ValueError(f"{code!r} is not a code of the protocol: {', '.join(sorted(CODES))}")
        super().__init__(message)
        self.code = code
        self.message = message


class Cancelled(BaseException):
    """The result is not wanted any more: the job was cancelled, the lease lost, or this process is to end.

    It is no Exception, so that a detector which catches those still ends.
    """


class ProtocolError(Exception):
    """The server answered something else than success."""

    def __init__(self, status: int, message: str, retry_after: float | None = None, said: str | None = None) -> None:
        """``said``: the sentence of the server; the message holds the path as well, which names the lease."""
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        self.said = said or message


class AwayError(Exception):
    """The server cannot be reached, or the connection broke before its answer was whole."""


class LocalStorageError(Exception):
    """This host cannot keep what it fetched: its disk is full, say. Another host may do the work, or this one later."""


def failure_of(error: BaseException) -> dict[str, str]:
    """The body of a failure message."""
    if isinstance(error, DetectionError):
        return {"code": error.code, "message": error.message}
    if isinstance(error, MemoryError):
        return {"code": "MEMORY_ALLOCATION_FAILED", "message": "The component has not enough memory for this medium."}
    if isinstance(error, ProtocolError):
        code = "COULD_NOT_OPEN_MEDIA" if error.status == 410 else "DETECTION_FAILED"
        return {"code": code, "message": f"The server refused what the component asked of it ({error.status}): {error.said}"}
    text = str(error) or type(error).__name__
    place = raised_at(error)
    where = "" if place is None else f" ({place})"
    return {"code": "DETECTION_FAILED", "message": f"{type(error).__name__}: {text}{where}"}


#: Folders of Python itself, and packages of the SDK or of others: their lines do not help the author of a detector.
_PYTHON = tuple(os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib"))
_PACKAGES = frozenset(
    {"site-packages", "dist-packages", "troupe_sdk", "troupe_reference", "mpf_component_api", "mpf_component_util"}
)


def raised_at(error: BaseException) -> str | None:
    """The innermost line of the detector, such as ``faces/detector.py, line 12``; None when none of its lines took part."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = os.path.realpath(frame.filename)
        parts = file.split(os.sep)
        # "<string>" and the like are no files.
        if frame.filename.startswith("<") or file.startswith(_PYTHON) or not _PACKAGES.isdisjoint(parts):
            continue
        return f"{os.sep.join(parts[-2:])}, line {frame.lineno}"
    return None


def is_unforeseen(error: BaseException) -> bool:
    """Whether an author has to see the traceback: nobody chose a code for the error."""
    return not isinstance(error, (DetectionError, ProtocolError))


def traceback_of(error: BaseException) -> str:
    return "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip()
