"""Space in the folder of fetched media: which files are deleted, and when."""

from __future__ import annotations

import contextlib
import errno
import math
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from ..errors import LocalStorageError

#: Seconds without a touch after which a link for reading a medium is deleted. Its process is dead.
USE_DEAD_S = 120.0
#: Seconds without a change after which partial downloads and removed locks are deleted.
LEFT_S = 3600.0
#: Seconds for which untouched files are kept, by suffix. Creating a link sets its time of change (``ctime``), too.
KEPT_S = {".use": USE_DEAD_S, ".part": LEFT_S, ".dead": LEFT_S}
#: Errors of a disk that is full, defective or not writable, so this host cannot store anything.
NO_STORAGE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.ENOTDIR, errno.EEXIST})


@contextlib.contextmanager
def stored(folder: Path | str) -> Iterator[None]:
    """Raises LocalStorageError if the block fails because of the disk, which is an error of this host and not of the work."""
    try:
        yield
    except OSError as error:
        if error.errno not in NO_STORAGE:
            raise
        raise LocalStorageError(f"{folder}: {error.strerror}. Make room there, or set MEDIA_CACHE_FOLDER (TMPDIR).") from error


def make_room(folder: Path, most_bytes: int, coming: int, now: float) -> None:
    """Deletes the least recently used media until ``coming`` bytes fit into the cache and onto its disk.

    Processes that read a deleted medium keep it by their links. Files that dead processes left behind are deleted, too.
    """
    free = shutil.disk_usage(folder).free
    kept = []
    for file in folder.iterdir():
        try:
            found = file.lstat()
        except FileNotFoundError:
            continue
        if re.fullmatch(r"[0-9a-f]{64}", file.name) is not None:
            kept.append((found.st_mtime, found.st_size, file))
        elif now - found.st_ctime > KEPT_S.get(file.suffix, math.inf):
            file.unlink(missing_ok=True)
    total = coming + sum(size for _, size, _ in kept)
    for _, size, file in sorted(kept):
        if total <= most_bytes and coming <= free:
            return
        file.unlink(missing_ok=True)
        total -= size
        free += size
