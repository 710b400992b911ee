"""Errors of a component, and the failure messages for the server."""

from __future__ import annotations

import os
import sysconfig
import traceback

#: Codes of failed sub-jobs. The detection document shows them.
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
    """Error that fails a sub-job with one of the ``CODES``.

    The creator of the job reads the message, so it should say what to do. Raises ValueError for an unknown code. Any other
    exception of a detector fails the sub-job with DETECTION_FAILED, and MemoryError with MEMORY_ALLOCATION_FAILED.
    """

    def __init__(self, code: str, message: str) -> None:
        if code not in CODES:
            raise ValueError(f"{code!r} is not a code of the protocol: {', '.join(sorted(CODES))}")
        super().__init__(message)
        self.code = code
        self.message = message


class Cancelled(BaseException):
    """Interruption of a sub-job: the job was cancelled, its lease was lost, or this process must end.

    It is raised inside the detector. It is not an Exception, so ``except Exception`` does not catch it. Use ``finally`` or
    ``with`` to clean up.
    """


class ProtocolError(Exception):
    """Answer of the server with an error status (0: its certificate is not trusted)."""

    def __init__(self, status: int, message: str, retry_after: float | None = None, said: str | None = None) -> None:
        """``retry_after``: seconds. ``said``: the message of the server; ``message`` also has the path with the lease token."""
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        self.said = said or message


class AwayError(Exception):
    """Error of a connection: the server cannot be reached, or the connection broke before the answer was complete."""


class LocalStorageError(Exception):
    """Error of the disk of this host, such as a full one. Another host may do the work, or this host later."""


def failure_of(error: BaseException) -> dict[str, str]:
    """Returns the body of a failure message: ``code`` and ``message``."""
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


#: Folders of Python, and packages of the SDK and of libraries. Their lines do not help the author of a detector.
_PYTHON = tuple(os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib"))
_PACKAGES = frozenset(
    {"site-packages", "dist-packages", "troupe_sdk", "troupe_reference", "mpf_component_api", "mpf_component_util"}
)


def raised_at(error: BaseException) -> str | None:
    """Returns the innermost line of the detector, such as ``faces/detector.py, line 12``, or None if there is none."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = os.path.realpath(frame.filename)
        parts = file.split(os.sep)
        # Names such as "<string>" are not files.
        if frame.filename.startswith("<") or file.startswith(_PYTHON) or not _PACKAGES.isdisjoint(parts):
            continue
        return f"{os.sep.join(parts[-2:])}, line {frame.lineno}"
    return None


def is_unforeseen(error: BaseException) -> bool:
    """True if the author of the detector needs the traceback, because the error does not explain itself."""
    return not isinstance(error, (DetectionError, ProtocolError))


def traceback_of(error: BaseException) -> str:
    return "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip()
