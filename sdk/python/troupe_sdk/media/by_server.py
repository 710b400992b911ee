"""Frames that the server decodes, for hosts without a decoder. Each frame is one request; four run at a time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

from ..connection.client import WORKER, Client
from ..context import Context
from ..errors import Cancelled, ProtocolError
from ..model import Frame, Medium
from ..picture.geometry import Size
from .frame_numbers import time_of, whole_enough
from .images import Picture, read_image
from .sampling import Sampling

AT_ONCE = 4


def frame_from_server(client: Client, token: str, frame: int) -> Picture | None:
    """Returns a frame, or None if it does not exist or is damaged. Raises Cancelled if the lease is lost."""
    path = f"{WORKER}/leases/{token}/frames/{frame}?format=png"
    try:
        data = client.retried(lambda: client.call("GET", path).read())
    except ProtocolError as error:
        if error.status == 404:
            return None
        if error.status == 409:
            raise Cancelled("the lease was lost") from error
        raise
    with tempfile.NamedTemporaryFile(suffix=".png", delete=False) as file:
        file.write(data)
    try:
        return read_image(file.name)
    finally:
        os.unlink(file.name)


class ServerReader:
    """Reader of frames from the server. It cannot recognize key frames, so FRAME_INTERVAL replaces USE_KEY_FRAMES."""

    def __init__(self, client: Client, token: str, sampling: Sampling, medium: Medium, context: Context) -> None:
        self._client = client
        self._token = token
        self._sampling = sampling.without_key_frames()
        self._medium = medium
        self._context = context
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="frames")
        self._size: Size | None = None

    @property
    def size(self) -> Size:
        """Size in pixels of the first wanted frame that the server can decode; 0 by 0 if there is none."""
        if self._size is None:
            for number in self._sampling.wanted():
                picture = frame_from_server(self._client, self._token, number)
                if picture is not None:
                    self._size = Size(picture[0], picture[1])
                    break
            else:
                self._size = Size(0, 0)
        return self._size

    def frames(self) -> Iterator[Frame]:
        return whole_enough(self._all(), self._sampling)

    def _all(self) -> Iterator[Frame]:
        numbers = iter(self._sampling.wanted())
        coming = [(number, self._ask(number)) for number in islice(numbers, AT_ONCE)]
        while coming:
            number, future = coming.pop(0)
            picture = future.result()
            coming += [(following, self._ask(following)) for following in islice(numbers, 1)]
            self._context.check()
            if picture is not None:
                width, height, data = picture
                yield Frame(number, time_of(number, self._medium), width, height, data, number < self._sampling.start)

    def _ask(self, number: int) -> Future[Picture | None]:
        return self._pool.submit(frame_from_server, self._client, self._token, number)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
