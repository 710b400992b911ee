"""Media that were fetched, by the SHA-256 of their content: once for all sub-jobs and all processes of this host.

A folder with a file for each medium, named by its SHA-256 in hex; the time of its last change is that of its last use. What is on its
way lies beside it with the ending ``.part``: who creates that file fetches, and all others wait until it is renamed. Of one that has
not grown for long its process is gone.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from .context import Context
from .errors import DetectionError

DEFAULT_BYTES = 10_000_000_000
#: A part that has not grown for so long (seconds) belongs to nobody any more.
ABANDONED_S = 60.0
#: What was used within so many seconds is kept, however full the cache is.
IN_USE_S = 120.0
POLL_S = 0.1

#: Answers the bytes of the medium, beginning at a place.
Fetch = Callable[[], Iterator[bytes]]


class MediaCache:
    def __init__(self, folder: Path, most_bytes: int, in_use_s: float = IN_USE_S) -> None:
        self.folder = folder
        self.most_bytes = most_bytes
        self.in_use_s = in_use_s

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> MediaCache:
        named = environment.get("MEDIA_CACHE_FOLDER", "")
        most = environment.get("MEDIA_CACHE_BYTES", "")
        folder = Path(named) if named != "" else Path(tempfile.gettempdir()) / f"troupe-media-{os.getuid()}"
        in_use = float(environment.get("TROUPE_MEDIA_IN_USE_S", "") or IN_USE_S)
        return cls(folder, int(most) if most.isdigit() else DEFAULT_BYTES, in_use)

    def file(self, sha256: str, fetch: Fetch, context: Context) -> str:
        """Path of the medium, which is fetched if nobody has it, and waited for if somebody else fetches it."""
        if re.fullmatch(r"[0-9a-f]{64}", sha256) is None:
            raise ValueError(f"{sha256!r} is no SHA-256 in hex")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file, part = self.folder / sha256, self.folder / f"{sha256}.part"
        while not self.touch(file):
            try:
                handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            except FileExistsError:
                self._wait(file, part, context)
                continue
            try:
                # Somebody may have been done between the two looks.
                if self.touch(file):
                    os.close(handle)
                    part.unlink(missing_ok=True)
                    continue
                self._fill(handle, sha256, fetch, context)
                os.replace(part, file)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
            self._make_room(file)
        return str(file)

    def touch(self, file: Path) -> bool:
        """Notes that the file is used; false when it is not there."""
        try:
            os.utime(file)
        except FileNotFoundError:
            return False
        return True

    def _fill(self, handle: int, sha256: str, fetch: Fetch, context: Context) -> None:
        digest = hashlib.sha256()
        with os.fdopen(handle, "wb") as part:
            for data in fetch():
                context.check()
                digest.update(data)
                part.write(data)
        if digest.hexdigest() != sha256:
            raise DetectionError("COULD_NOT_READ_MEDIA", "The medium is another one than that which the server has looked at.")

    def _wait(self, file: Path, part: Path, context: Context) -> None:
        """Until somebody else has fetched the medium, or is gone."""
        size, since = -1, time.monotonic()
        while not file.exists():
            try:
                now = part.stat().st_size
            except FileNotFoundError:
                return
            if now != size:
                size, since = now, time.monotonic()
                context.step()
            elif time.monotonic() - since > ABANDONED_S:
                part.unlink(missing_ok=True)
                return
            context.check()
            time.sleep(POLL_S)

    def _make_room(self, new: Path) -> None:
        """What was used longest ago goes first."""
        entries = []
        for file in self.folder.iterdir():
            if re.fullmatch(r"[0-9a-f]{64}", file.name) is not None:
                try:
                    stat = file.stat()
                except FileNotFoundError:
                    continue
                entries.append((stat.st_mtime, stat.st_size, file))
        total = sum(size for _, size, _ in entries)
        for used, size, file in sorted(entries):
            if total <= self.most_bytes or time.time() - used < self.in_use_s:
                return
            if file != new:
                file.unlink(missing_ok=True)
                total -= size
