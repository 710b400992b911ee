"""Errors of requests to the server."""

from __future__ import annotations


class TroupeError(Exception):
    """Base class of the errors of this package. The message says what to do."""


class RefusedError(TroupeError):
    """Error of a request that the server refused.

    ``status``: HTTP status. ``code``: stable name of the error, or None; docs/reference/rest-errors.md lists all.
    """

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class UnreachableError(TroupeError):
    """Error of the connection after all attempts: no server answers, or the connection broke."""


class IncompleteError(TroupeError):
    """Error of a file transfer that broke off. The same call resumes a download.

    ``upload_id``: id of an upload, else None. ``client.upload(file, upload_id)`` resumes the upload within a day.
    """

    def __init__(self, message: str, upload_id: str | None = None) -> None:
        super().__init__(message)
        self.upload_id = upload_id
