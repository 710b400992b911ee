"""Uploads and downloads of files. An interrupted transfer resumes where it stopped."""

from __future__ import annotations

import os
import re
import urllib.parse
from typing import IO, TypedDict, Union, cast

from troupe_sdk.connection.connection import Answer
from troupe_sdk.errors import AwayError

from .errors import IncompleteError, RefusedError, TroupeError, UnreachableError
from .transport import Transport
from .types import PieceUpload

Path = Union[str, "os.PathLike[str]"]

#: Most characters of a file name that the server stores.
LONGEST_NAME = 255
#: Seconds to wait for an answer, because the server first writes the end of an upload to its disk.
ANSWER_S = 300.0
#: Bytes of a download that are read at once.
PIECE = 1024 * 1024
#: Bytes in a piece of an upload. Files that are not larger are uploaded in one request.
PIECE_BYTES = 8 * 1024 * 1024
BINARY = {"content-type": "application/octet-stream"}


class StoredMedium(TypedDict):
    """An uploaded medium. Use ``mediaUri`` in jobs. The server deletes the medium at ``expires``."""

    id: str
    mediaUri: str
    bytes: int
    expires: str


def upload(transport: Transport, file: Path, resume: str | None = None) -> StoredMedium:
    """Uploads a file, a large one in pieces. Raises OSError if it cannot be read, and IncompleteError if the upload breaks off.

    ``resume``: ``upload_id`` of the IncompleteError of an earlier call.
    """
    name = os.path.basename(os.fspath(file))[-LONGEST_NAME:]
    with open(file, "rb") as content:
        size = os.fstat(content.fileno()).st_size
        if resume is None and size <= PIECE_BYTES:
            return cast(StoredMedium, transport.json_of("POST", "/rest/media", {"name": name}, content, BINARY, ANSWER_S))
        if resume is None:
            begun: PieceUpload = transport.json("POST", "/rest/media/pieces", None, {"name": name, "bytes": size})
        else:
            begun = transport.json("GET", _pieces(resume))
        if begun["bytes"] != size:
            raise TroupeError(f"{os.fspath(file)} has {size} bytes, but the upload {resume} has {begun['bytes']}: it is another file.")
        return _send_pieces(transport, content, begun)


def _send_pieces(transport: Transport, content: IO[bytes], state: PieceUpload) -> StoredMedium:
    path = _pieces(state["id"])
    try:
        while True:
            uri = state["mediaUri"]
            if uri is not None:
                return {"id": state["id"], "mediaUri": uri, "bytes": state["bytes"], "expires": state["expires"]}
            content.seek(state["received"])
            state = _send_piece(transport, path, state["received"], content.read(PIECE_BYTES))
    except UnreachableError as error:
        raise IncompleteError(f"The upload {state['id']} is not complete: {error}", state["id"]) from error


def _send_piece(transport: Transport, path: str, offset: int, piece: bytes) -> PieceUpload:
    """Sends a piece and returns the new state. If part of it arrived before the connection broke, the state says how much."""
    try:
        return cast(PieceUpload, transport.json_of("PUT", path, {"offset": offset}, piece, BINARY, ANSWER_S))
    except RefusedError as error:
        if error.code not in ("upload-offset-wrong", "body-incomplete"):
            raise
        return cast(PieceUpload, transport.json("GET", path))


def _pieces(upload_id: str) -> str:
    return f"/rest/media/{urllib.parse.quote(upload_id, safe='')}/pieces"


def download(transport: Transport, path: str, to: Path) -> int:
    """Downloads ``path`` of the server to a file and returns the number of bytes. A partial file with its ETag is beside it.

    Raises IncompleteError if the connection breaks. The same call resumes the download.
    """
    target = os.fspath(to)
    bytes_there, etag = _looked_at(transport, path)
    part = f"{target}.{re.sub(r'[^A-Za-z0-9_-]', '', etag)}.part"
    _remove_other_parts(target, part)
    begun = os.path.getsize(part) if etag != "" and os.path.exists(part) else 0
    if begun == 0 or begun != bytes_there:
        headers = {"range": f"bytes={begun}-", "if-range": etag} if 0 < begun < bytes_there else {}
        answer = transport.send("GET", path, None, headers)
        with open(part, "ab" if answer.status == 206 else "wb") as file:
            _copy(answer, file, target)
    os.replace(part, target)
    return os.path.getsize(target)


def save(transport: Transport, path: str, to: Path) -> int:
    """Downloads an answer that the server generates while it sends it. Returns the number of bytes.

    The file appears when it is complete. Raises IncompleteError if the connection breaks. The download cannot be resumed.
    """
    target = os.fspath(to)
    part = f"{target}.part"
    answer = transport.send("GET", path, None, {"accept": "*/*"}, ANSWER_S)
    with open(part, "wb") as file:
        _copy(answer, file, target)
    os.replace(part, target)
    return os.path.getsize(target)


def _looked_at(transport: Transport, path: str) -> tuple[int, str]:
    """Returns the size in bytes and the ETag of a file of the server."""
    try:
        answer = transport.send("HEAD", path)
    except RefusedError:
        # Only the answer to a GET has a body with the reason.
        transport.send("GET", path).read()
        raise
    answer.read()
    return int(answer.headers.get("content-length", "0")), answer.headers.get("etag", "")


def _copy(answer: Answer, file: IO[bytes], target: str) -> None:
    length = answer.headers.get("content-length")
    left = None if length is None else int(length)
    why = "the connection broke"
    try:
        while True:
            piece = answer.read(PIECE)
            if piece == b"":
                break
            file.write(piece)
            left = None if left is None else left - len(piece)
    except AwayError as error:
        left, why = 1, str(error)
    # A body that ends early raises no error when it is read in pieces.
    if left is not None and left > 0:
        raise IncompleteError(f"{target} is not complete: {why}. The same call again resumes it.")


def _remove_other_parts(target: str, part: str) -> None:
    folder, name = os.path.split(target)
    for other in os.listdir(folder or "."):
        if other.startswith(f"{name}.") and other.endswith(".part") and os.path.join(folder, other) != part:
            os.remove(os.path.join(folder, other))
