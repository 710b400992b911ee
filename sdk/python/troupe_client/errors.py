"""What can go wrong between a program and the server."""

from __future__ import annotations


class TroupeError(Exception):
    """Any error of this package. The message says what to do."""


class RefusedError(TroupeError):
    """The server understood the request and refused it.

    ``status``: status of the answer. ``code``: stable name of the error, or None; docs/reference/rest-errors.md has all.
    """

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class UnreachableError(TroupeError):
    """No server answers, or the connection broke, in spite of all attempts."""


class IncompleteError(TroupeError):
    """A file was not transferred completely. The same download again resumes it.

    ``upload_id``: of an upload; ``client.upload(file, upload_id)`` resumes it within a day.
    """

    def __init__(self, message: str, upload_id: str | None = None) -> None:
        super().__init__(message)
        self.upload_id = upload_id
