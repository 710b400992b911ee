"""Cache of fetched media by the SHA-256 of their content. It serves all sub-jobs and all processes of this host.

All SDKs share one folder. It has a file for each medium, named by its SHA-256 in hex. Its modification time is that of its last use.

A process that fetches a medium holds ``<name>.lock``, touches it every second, and writes to its own ``.part`` file. A lock that
was not touched for ten seconds belongs to a dead process.

A process that reads a medium uses its own hard link, which ends in ``.use``. So the content stays if the medium is deleted. The
process touches the link at least every 30 seconds. A link that was not touched for two minutes belongs to a dead process.

Process ids cannot show which processes are dead: containers that share the folder number their processes separately.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

from ..context import Context
from ..errors import DetectionError, LocalStorageError
from .cache_room import make_room, stored

DEFAULT_BYTES = 10_000_000_000
DEAD_S = 10.0
TOUCH_S = 1.0
POLL_S = 0.1
WRITABLE_BY_ALL = 0o002
#: Seconds between touches of a link for reading.
USE_TOUCH_S = 15.0

#: Yields the blocks of a medium, each with its position. A block at position 0 replaces all earlier blocks.
Fetch = Callable[[], Iterator[tuple[int, bytes]]]


class MediaCache:
    def __init__(
        self, folder: Path, most_bytes: int, use_touch_s: float = USE_TOUCH_S, now: Callable[[], float] = time.time
    ) -> None:
        self.folder = folder
        self.most_bytes = most_bytes
        self._use_touch_s = use_touch_s
        self._now = now
        self._in_use: set[Path] = set()
        self._toucher: threading.Thread | None = None
        self._own = f"{os.getpid()}-{secrets.token_hex(6)}"
        self._uses = itertools.count(1)

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> MediaCache:
        named = environment.get("MEDIA_CACHE_FOLDER", "")
        most = environment.get("MEDIA_CACHE_BYTES", "")
        folder = Path(named) if named != "" else Path(tempfile.gettempdir()) / f"troupe-media-{os.getuid()}"
        return cls(folder, int(most) if most.isdigit() else DEFAULT_BYTES)

    def use(self, sha256: str, fetch: Fetch, context: Context, size: int = 0) -> Path:
        """Returns a link to the medium for this caller, which must delete it after use. Fetches the medium if it is not cached.

        ``size``: number of bytes for which space is freed first. Raises LocalStorageError if this host cannot store the medium,
        DetectionError if the content has another hash, and ValueError if ``sha256`` is malformed.
        """
        if re.fullmatch(r"[0-9a-f]{64}", sha256) is None:
            raise ValueError(f"{sha256!r} is no SHA-256 in hex")
        with stored(self.folder):
            self._open()
            file = self.folder / sha256
            while True:
                used = self._linked(file)
                if used is not None:
                    self._keep_touching(used)
                    return used
                self._fetched_once(file, fetch, context, size)

    def _keep_touching(self, used: Path) -> None:
        """Touches the link regularly until it is deleted."""
        self._in_use.add(used)
        if self._toucher is None or not self._toucher.is_alive():
            self._toucher = threading.Thread(target=self._touch_uses, name="media in use", daemon=True)
            self._toucher.start()

    def _touch_uses(self) -> None:
        while True:
            time.sleep(self._use_touch_s)
            for used in list(self._in_use):
                if not _touch(used):
                    self._in_use.discard(used)

    def _open(self) -> None:
        """Creates the folder. Raises LocalStorageError if other users can write to it, because they could forge media."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = self.folder.stat()
        if found.st_uid not in (0, os.getuid()) or found.st_mode & WRITABLE_BY_ALL:
            why = f"Other users may write into {self.folder}, where media are kept: set MEDIA_CACHE_FOLDER to another folder."
            raise LocalStorageError(why)

    def _linked(self, file: Path) -> Path | None:
        own = self.folder / f"{self._own}-{next(self._uses)}.use"
        # The touch comes before the link, because an old link could be taken for that of a dead process.
        _touch(file)
        try:
            os.link(file, own)
        except FileNotFoundError:
            return None
        except OSError:
            # The file system has no hard links.
            try:
                shutil.copyfile(file, own)
            except FileNotFoundError:
                return None
            except OSError:
                own.unlink(missing_ok=True)
                raise
        return own

    def _fetched_once(self, file: Path, fetch: Fetch, context: Context, size: int) -> None:
        """Fetches the medium, or waits until another process has fetched it or given up."""
        lock = file.with_name(file.name + ".lock")
        if not self._locked(lock):
            self._wait(file, lock, context)
            return
        part = file.with_name(f"{file.name}.{self._own}.part")
        over = threading.Event()
        threading.Thread(target=_touching, args=(lock, over), name="media cache", daemon=True).start()
        try:
            # Another process may have fetched the medium before this one got the lock.
            if not file.exists():
                make_room(self.folder, self.most_bytes, size, self._now())
                self._fill(part, file.name, fetch, context)
                with contextlib.suppress(FileNotFoundError):
                    # The part is missing if another process took this one for dead. The caller then looks for the medium again.
                    os.replace(part, file)
                make_room(self.folder, self.most_bytes, 0, self._now())
        finally:
            over.set()
            part.unlink(missing_ok=True)
            self._unlock(lock)

    def _locked(self, lock: Path) -> bool:
        """True if this process got the lock. False if another live process holds it."""
        try:
            file = open(lock, "x", encoding="ascii")  # noqa: SIM115 - it is closed below
        except FileExistsError:
            return self._took_dead(lock) and self._locked(lock)
        try:
            with file:
                file.write(self._own)
        except OSError:
            # The content of the lock cannot be written, for example to a full disk.
            lock.unlink(missing_ok=True)
            raise
        return True

    def _took_dead(self, lock: Path) -> bool:
        """Removes the lock of a dead process. Returns False if the lock belongs to a live process."""
        if not _is_dead(lock):
            return False
        aside = self.folder / f"{self._own}-{next(self._uses)}.dead"
        try:
            lock.rename(aside)
        except FileNotFoundError:
            # Another process has removed the lock.
            return True
        # Meanwhile another process may have replaced the dead lock with its own lock, which is put back.
        was_dead = _is_dead(aside)
        if not was_dead:
            with contextlib.suppress(OSError):
                os.link(aside, lock)
        aside.unlink(missing_ok=True)
        return was_dead

    def _unlock(self, lock: Path) -> None:
        """Removes the lock, unless another process took it over while this one was stalled."""
        try:
            if lock.read_text(encoding="ascii") == self._own:
                lock.unlink(missing_ok=True)
        except FileNotFoundError:
            pass

    def _wait(self, file: Path, lock: Path, context: Context) -> None:
        while lock.exists() and not file.exists() and not _is_dead(lock):
            context.check()
            context.step()
            time.sleep(POLL_S)

    def _fill(self, part: Path, sha256: str, fetch: Fetch, context: Context) -> None:
        digest = hashlib.sha256()
        with open(part, "wb") as file:
            for at, data in fetch():
                context.check()
                context.step()
                if at == 0:
                    begin_anew(file)
                    digest = hashlib.sha256()
                digest.update(data)
                file.write(data)
        if digest.hexdigest() != sha256:
            raise DetectionError("COULD_NOT_READ_MEDIA", "The medium is another one than that which the server has looked at.")

def begin_anew(file: IO[bytes]) -> None:
    """Discards everything that was written to the file."""
    if file.tell() > 0:
        file.seek(0)
        file.truncate()


def _touch(file: Path) -> bool:
    """Sets the modification time to now. Returns False if the file no longer exists."""
    try:
        os.utime(file)
    except FileNotFoundError:
        return False
    except OSError:
        # The disk may refuse the change only for a moment.
        return True
    return True


def _touching(lock: Path, over: threading.Event) -> None:
    while not over.wait(TOUCH_S):
        _touch(lock)


def _is_dead(lock: Path) -> bool:
    try:
        return time.time() - lock.stat().st_mtime > DEAD_S
    except FileNotFoundError:
        return False
