"""Media that were fetched, by the SHA-256 of their content: once for all sub-jobs and all processes of this host.

All SDKs share one folder. It holds a file for each medium, named by its SHA-256 in hex, whose time of change is that of its last use.
Who fetches one holds ``<name>.lock`` and touches it every second, and writes into a ``.part`` of its own; a lock that was not touched
for ten seconds is that of a process that died. Who reads one does so under a name of its own, a hard link that ends in ``.use``,
so nobody takes it away meanwhile.
"""

from __future__ import annotations

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

from .context import Context
from .errors import DetectionError

DEFAULT_BYTES = 10_000_000_000
DEAD_S = 10.0
TOUCH_S = 1.0
POLL_S = 0.1
WRITABLE_BY_ALL = 0o002

#: Answers the bytes of the medium.
Fetch = Callable[[], Iterator[bytes]]


class MediaCache:
    def __init__(self, folder: Path, most_bytes: int) -> None:
        self.folder = folder
        self.most_bytes = most_bytes
        self._own = f"{os.getpid()}-{secrets.token_hex(6)}"
        self._uses = itertools.count(1)

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> MediaCache:
        named = environment.get("MEDIA_CACHE_FOLDER", "")
        most = environment.get("MEDIA_CACHE_BYTES", "")
        folder = Path(named) if named != "" else Path(tempfile.gettempdir()) / f"troupe-media-{os.getuid()}"
        return cls(folder, int(most) if most.isdigit() else DEFAULT_BYTES)

    def use(self, sha256: str, fetch: Fetch, context: Context) -> Path:
        """A name of the caller's own for the medium, which is fetched if nobody has it; to be removed after use."""
        if re.fullmatch(r"[0-9a-f]{64}", sha256) is None:
            raise ValueError(f"{sha256!r} is no SHA-256 in hex")
        self._open()
        file = self.folder / sha256
        while True:
            used = self._linked(file)
            if used is not None:
                return used
            self._fetched_once(file, fetch, context)

    def _open(self) -> None:
        """The temporary folder is everybody's: nobody else may put there what is taken for a medium."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = self.folder.stat()
        if found.st_uid not in (0, os.getuid()) or found.st_mode & WRITABLE_BY_ALL:
            why = f"Others may write into {self.folder}, where media are kept: set MEDIA_CACHE_FOLDER to another folder."
            raise DetectionError("LOCAL_STORAGE", why)

    def _linked(self, file: Path) -> Path | None:
        own = self.folder / f"{self._own}-{next(self._uses)}.use"
        try:
            os.link(file, own)
        except FileNotFoundError:
            return None
        except OSError:
            # A file system without links.
            try:
                shutil.copyfile(file, own)
            except FileNotFoundError:
                return None
        _touch(file)
        return own

    def _fetched_once(self, file: Path, fetch: Fetch, context: Context) -> None:
        """Fetches it, or waits until another process has, or has given up."""
        lock = file.with_name(file.name + ".lock")
        if not self._locked(lock):
            self._wait(file, lock, context)
            return
        part = file.with_name(f"{file.name}.{self._own}.part")
        over = threading.Event()
        threading.Thread(target=_touching, args=(lock, over), name="media cache", daemon=True).start()
        try:
            # Another process may have had it done between the look and the lock.
            if not file.exists():
                self._fill(part, file.name, fetch, context)
                os.replace(part, file)
                self._make_room()
        finally:
            over.set()
            part.unlink(missing_ok=True)
            lock.unlink(missing_ok=True)

    def _locked(self, lock: Path) -> bool:
        """False: another process that lives has it."""
        try:
            with open(lock, "x", encoding="ascii") as file:
                file.write(self._own)
            return True
        except FileExistsError:
            pass
        if not _is_dead(lock):
            return False
        # Of several that find it dead one alone takes it away; each fetches into a file of its own in any case.
        dead = self.folder / f"{self._own}-{next(self._uses)}.dead"
        try:
            lock.rename(dead)
        except FileNotFoundError:
            return False
        dead.unlink(missing_ok=True)
        return self._locked(lock)

    def _wait(self, file: Path, lock: Path, context: Context) -> None:
        while lock.exists() and not file.exists() and not _is_dead(lock):
            context.check()
            context.step()
            time.sleep(POLL_S)

    def _fill(self, part: Path, sha256: str, fetch: Fetch, context: Context) -> None:
        digest = hashlib.sha256()
        with open(part, "wb") as file:
            for data in fetch():
                context.check()
                context.step()
                digest.update(data)
                file.write(data)
        if digest.hexdigest() != sha256:
            raise DetectionError("COULD_NOT_READ_MEDIA", "The medium is another one than that which the server has looked at.")

    def _make_room(self) -> None:
        """What was used longest ago goes first; what is read just now stays for those who read it."""
        kept = []
        for file in self.folder.iterdir():
            try:
                found = file.stat()
            except FileNotFoundError:
                continue
            if re.fullmatch(r"[0-9a-f]{64}", file.name) is not None:
                kept.append((found.st_mtime, found.st_size, file))
            elif file.suffix == ".use" and not _is_alive(file.name):
                file.unlink(missing_ok=True)
        total = sum(size for _, size, _ in kept)
        for _, size, file in sorted(kept):
            if total <= self.most_bytes:
                return
            file.unlink(missing_ok=True)
            total -= size


def _touch(file: Path) -> None:
    try:
        os.utime(file)
    except FileNotFoundError:
        pass


def _touching(lock: Path, over: threading.Event) -> None:
    while not over.wait(TOUCH_S):
        _touch(lock)


def _is_dead(lock: Path) -> bool:
    try:
        return time.time() - lock.stat().st_mtime > DEAD_S
    except FileNotFoundError:
        return False


def _is_alive(name: str) -> bool:
    """Whether the process lives that has made this name."""
    try:
        os.kill(int(name.split("-")[0]), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        pass
    return True
