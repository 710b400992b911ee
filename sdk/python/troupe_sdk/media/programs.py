"""Which programs and libraries there are to read media with."""

from __future__ import annotations

import functools
import importlib
import os
import re
import shutil
import subprocess
from typing import Any


def ffmpeg() -> str | None:
    """Path of the program: that which TROUPE_FFMPEG names, else the one on the PATH. ``none`` means that it is not to be used."""
    named = os.environ.get("TROUPE_FFMPEG", "")
    if named == "none":
        return None
    return shutil.which(named or "ffmpeg")


@functools.cache
def ffmpeg_passthrough(program: str) -> tuple[str, str]:
    """The option that hands on each frame as it is; its name has changed in version 5.1."""
    told = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"version n?(\d+)\.(\d+)", told)
    old = version is not None and (int(version[1]), int(version[2])) < (5, 1)
    return ("-vsync", "passthrough") if old else ("-fps_mode", "passthrough")


def library(name: str) -> Any | None:
    """The module, or None where it is not installed, or TROUPE_WITHOUT lists it (names with commas between them)."""
    if name in os.environ.get("TROUPE_WITHOUT", "").split(","):
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def readers() -> str:
    """With what media are read, in a few words."""
    videos = (
        "videos by ffmpeg"
        if ffmpeg() is not None
        else "videos by OpenCV"
        if library("cv2") is not None
        else "video frames by the server"
    )
    pictures = " and ".join([*(["Pillow"] if library("PIL") is not None else []), "the standard library"])
    return f"{videos}, pictures by {pictures}"
