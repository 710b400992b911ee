"""What lies in the folder of fetched media, and what of it goes."""

from __future__ import annotations

import contextlib
import errno
import math
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from ..errors import LocalStorageError

#: A name under which a medium is read, and which was not touched for so long, is nobody's (seconds).
USE_DEAD_S = 120.0
#: What was on its way and was not written to for so long is of no use any more.
LEFT_S = 3600.0
#: By what their names end in: how long files that nobody touches are kept. A link is touched by its making, too (``ctime``).
KEPT_S = {".use": USE_DEAD_S, ".part": LEFT_S, ".dead": LEFT_S}
#: The disk or its owner does not let this host keep anything.
NO_STORAGE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.ENOTDIR, errno.EEXIST})


@contextlib.contextmanager
def stored(folder: Path | str) -> Iterator[None]:
    """Within, a disk that is full or may not be written to is the fault of this host, not of the work."""
    try:
        yield
    except OSError as error:
        if error.errno not in NO_STORAGE:
            raise
        raise LocalStorageError(f"{folder}: {error.strerror}. Make room there, or set MEDIA_CACHE_FOLDER (TMPDIR).") from error


def make_room(folder: Path, most_bytes: int, coming: int, now: float) -> None:
    """For so many bytes, in the cache and on its disk.

    What was used longest ago goes first; what is read just now stays for those who read it.
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
