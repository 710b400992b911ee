"""The file of a medium on this host, and files that a component makes of a document."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import urllib.parse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..connection.client import WORKER, Client, is_passing, pauses
from ..connection.connection import Answer
from ..context import Context
from ..errors import AwayError, Cancelled, DetectionError, ProtocolError
from .cache_room import stored
from .media_cache import MediaCache, begin_anew

Message = dict[str, Any]
#: Property with the path of a file that was made of a document.
DERIVED = "DERIVATIVE_MEDIA_TEMP_PATH"
BLOCK = 256 * 1024
#: Most bytes of the name of a sent file. The server refuses longer names.
MOST_NAME_BYTES = 200


class MediaFiles:
    """Files of one process, which processes one sub-job at a time."""

    def __init__(self, client: Client, cache: MediaCache, shared: bool = True) -> None:
        """``shared``: False if this host does not share the files of the server, even if it has files with the same paths."""
        self._client = client
        self._cache = cache
        self._shared = shared
        self._using: Path | None = None
        #: Temporary folder for media that are not cached, and for files made of documents.
        self._own: str | None = None
        self._whole: dict[str, str] = {}
        #: Paths of sent files on the server, by their paths on this host.
        self._there: dict[str, str] = {}

    def close(self) -> None:
        """Deletes the files of the finished sub-job on this host."""
        self._whole = {}
        self._there = {}
        if self._using is not None:
            self._using.unlink(missing_ok=True)
            self._using = None
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)
            self._own = None

    def path(self, assignment: Mapping[str, Any], context: Context) -> str:
        """Returns the path of the medium: the server's file if this host shares it, else a copy that is fetched once.

        Raises DetectionError if the medium cannot be fetched, LocalStorageError if it cannot be stored, and Cancelled if the
        lease is lost.
        """
        medium = assignment["work"]["medium"]
        if self._is_here(medium):
            return str(medium["path"])
        if medium.get("url") is None:
            raise DetectionError(
                "COULD_NOT_OPEN_MEDIA", "The file of the medium cannot be read on this host, and the server offers none."
            )
        url = str(medium["url"])
        if url not in self._whole:
            self._whole[url] = self._fetched(medium, url, context)
        return self._whole[url]

    def _fetched(self, medium: Mapping[str, Any], url: str, context: Context) -> str:
        sha256, size = medium.get("sha256"), medium.get("bytes")
        # A medium without a hash, or one that is larger than the cache, is fetched for this sub-job alone.
        if sha256 is None or int(size or 0) > self._cache.most_bytes:
            return self._fetched_for_now(url, size, context)
        self._using = self._cache.use(str(sha256), lambda: self._bytes(url, context), context, int(size or 0))
        return str(self._using)

    def _is_here(self, medium: Mapping[str, Any]) -> bool:
        """True if this host has the server's file, with the size that the server states."""
        path, size = str(medium["path"]), medium.get("bytes")
        try:
            return self._shared and os.access(path, os.R_OK) and (size is None or os.stat(path).st_size == size)
        except OSError:
            return False

    def _fetched_for_now(self, url: str, size: int | None, context: Context) -> str:
        with stored(tempfile.gettempdir()):
            path = os.path.join(self._folder(), "medium")
            with open(path, "wb") as file:
                for at, data in self._bytes(url, context):
                    context.check()
                    context.step()
                    if at == 0:
                        begin_anew(file)
                    file.write(data)
            if size is not None and os.stat(path).st_size != size:
                raise DetectionError("COULD_NOT_READ_MEDIA", f"The medium came with another size than {size} bytes.")
        return path

    def _folder(self) -> str:
        if self._own is None:
            self._own = tempfile.mkdtemp(prefix="troupe-")
        return self._own

    def _bytes(self, url: str, context: Context) -> Iterator[tuple[int, bytes]]:
        """Yields all blocks of a medium with their positions. After a broken connection, it resumes there or starts again at 0."""
        at, tag = 0, ""
        waits = pauses()
        while True:
            try:
                answer = self._from(url, at, tag)
                if answer.status != 206:
                    at = 0
                tag = answer.headers.get("etag", "")
                for data in _blocks(answer):
                    waits = pauses()
                    yield at, data
                    at += len(data)
                return
            except (AwayError, ProtocolError) as error:
                self._client.connection.close()
                self._give_up(error)
                context.check()
                self._client.ending.wait(next(waits))

    def _from(self, url: str, at: int, tag: str) -> Answer:
        part = {"range": f"bytes={at}-"} if at > 0 else {}
        same = {"if-range": tag} if at > 0 and tag != "" else {}
        return self._client.call("GET", url, headers={**part, **same})

    def _give_up(self, error: AwayError | ProtocolError) -> None:
        if isinstance(error, ProtocolError):
            if error.status == 409:
                raise Cancelled("the lease was lost") from error
            if error.status in (404, 410, 416):
                raise DetectionError("COULD_NOT_OPEN_MEDIA", f"The medium cannot be fetched: {error.said}") from error
        if not is_passing(error) or self._client.ending.is_set():
            raise error

    def output_folder(self, assignment: Mapping[str, Any]) -> str:
        """Returns a folder for files made of a document: the server's if this host shares it, else a temporary one."""
        folder = assignment["work"].get("outputFolder")
        if folder is not None and assignment["work"].get("besideServer"):
            os.makedirs(folder, exist_ok=True)
            return str(folder)
        # The server has created the folder. If it is missing here, this is another host, even if both share the medium.
        if folder is not None and self._shared and os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
            return str(folder)
        own = os.path.join(self._folder(), "made")
        os.makedirs(own, exist_ok=True)
        return own

    def handed_over(self, assignment: Mapping[str, Any], track: Message) -> Message:
        """Returns the track for the server. If the track names a file that only this host has, the file is sent first."""
        named = track["properties"].get(DERIVED)
        if named is None or self._own is None or not os.path.realpath(named).startswith(os.path.realpath(self._own) + os.sep):
            return track
        properties = {**track["properties"], DERIVED: self._sent(str(assignment["token"]), named)}
        detections = [{**one, "properties": {**one["properties"], DERIVED: properties[DERIVED]}} for one in track["detections"]]
        return {**track, "properties": properties, "detections": detections}

    def _sent(self, token: str, path: str) -> str:
        """Sends the file once, and returns its path on the server."""
        here = os.path.realpath(path)
        if here not in self._there:
            self._there[here] = self._sent_as(token, name_of(here, len(self._there)), here)
        return self._there[here]

    def _sent_as(self, token: str, name: str, path: str) -> str:

        def send() -> str:
            with open(path, "rb") as file:
                headers = {"content-type": "application/octet-stream"}
                answer = self._client.call("PUT", f"{WORKER}/leases/{token}/files/{urllib.parse.quote(name)}", file, headers)
            return str(json.loads(answer.read())["path"])

        try:
            return self._client.retried(send)
        except ProtocolError as error:
            if error.status not in (400, 413):
                raise
            why = f"The server does not take a file that was made of the document ({error.status}): {error.said}"
            raise DetectionError("FILE_WRITE_ERROR", why) from error


def _blocks(answer: Answer) -> Iterator[bytes]:
    """Yields the blocks of the body, which may have no length: a load balancer can remove it. Raises AwayError if it breaks off."""
    length = answer.headers.get("content-length")
    left = None if length is None else int(length)
    while left is None or left > 0:
        data = answer.read(BLOCK)
        if data == b"":
            if left is None:
                return
            raise AwayError("the medium broke off")
        left = None if left is None else left - len(data)
        yield data
    answer.read()


def name_of(path: str, number: int) -> str:
    """Returns a name with a number, because two folders can have files of one name. A long name keeps its end with the suffix."""
    plain = re.sub(r"[\\/\x00-\x1f\x7f-\x9f]", "_", os.path.basename(path))
    head = f"{number}-"
    end = plain.encode("utf-8", "replace")[-(MOST_NAME_BYTES - len(head)) :]
    return head + end.decode("utf-8", "ignore")
